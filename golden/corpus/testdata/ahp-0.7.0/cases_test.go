// The cases for 0.7.0: the protocol's own fixtures.

package ahp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cases reads the fixtures of the corpus. In them null stands for a member that is undefined, in states and actions,
// and none stands for a value; so every null goes, whereas the package's codec would keep one in free-form data.
func cases(tb testing.TB) []fixture {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(corpus(tb), "ahp", protocolVersion, "fixtures", "reducers", "*.json"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files, "the corpus has lost the fixtures")
	all := make([]fixture, len(files))
	for i, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(tb, err)
		f := dropNulls(plain(tb, data)).(jsonObject)
		all[i] = fixture{
			name:     strings.TrimSuffix(filepath.Base(file), ".json"),
			channel:  text(f, "reducer"),
			initial:  inner(f, "initial"),
			expected: inner(f, "expected"),
		}
		for _, a := range elements(f, "actions") {
			all[i].actions = append(all[i].actions, a.(jsonObject))
		}
	}
	return all
}

func dropNulls(v any) any {
	switch v := v.(type) {
	case jsonObject:
		o := jsonObject{}
		for name, member := range v {
			if member != nil {
				o[name] = dropNulls(member)
			}
		}
		return o
	case jsonList:
		l := jsonList{}
		for _, element := range v {
			l = append(l, dropNulls(element))
		}
		return l
	}
	return v
}
