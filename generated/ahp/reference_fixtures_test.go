// The reference against the protocol's own fixtures: what it says is only worth something if it passes them all.

package ahp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fixtureNow is the time in every fixture: 9999 ms.
const fixtureNow = "1970-01-01T00:00:09.999Z"

// fixture is a state, what happens to it, and the state that has to come out.
type fixture struct {
	name, channel     string
	initial, expected jsonObject
	actions           []jsonObject
}

// fixtures reads those of the corpus. In them null stands for a member that is undefined, in states and actions,
// and none stands for a value; so every null goes, whereas the package's codec would keep one in free-form data.
func fixtures(tb testing.TB) []fixture {
	tb.Helper()
	corpus := os.Getenv("AHPGEN_CORPUS")
	if corpus == "" {
		tb.Skip("AHPGEN_CORPUS is not set: this test needs the corpus with the published fixtures")
	}
	if !filepath.IsAbs(corpus) { // relative to the module, where people run go test from
		corpus = filepath.Join("..", "..", corpus)
	}
	files, err := filepath.Glob(filepath.Join(corpus, "ahp", "0.7.0", "fixtures", "reducers", "*.json"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files, "no fixtures below %s", corpus)
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

func TestReferenceFixtures(t *testing.T) {
	all := fixtures(t)
	t.Logf("%d fixtures", len(all))
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			state := f.initial
			for _, action := range f.actions {
				state = refer(state, action, fixtureNow)
			}
			require.Empty(t, differences(f.expected, state))
		})
	}
}
