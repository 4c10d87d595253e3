package jsonedit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/jsonedit"
)

// TestMembersOfAConfigurationGo with what sets them off, and leave the others as they are written.
func TestMembersOfAConfigurationGo(t *testing.T) {
	for _, c := range []struct {
		gone []string
		want string
	}{
		{[]string{"a"}, "{\"names\": {\n  \"b\": \"B\" ,\n  \"c\": \"C\",\n  \"d\": \"D\"\n}}"},
		{[]string{"b", "c"}, "{\"names\": {\n  \"a\": \"A\",\n  \"d\": \"D\"\n}}"},
		{[]string{"a", "c", "d"}, "{\"names\": {\n  \"b\": \"B\"\n}}"},
		{[]string{"a", "b", "c", "d"}, "{\"names\": {}}"},
	} {
		edit, err := jsonedit.Parse([]byte("{\"names\": {\n  \"a\": \"A\",\n  \"b\": \"B\" ,\n  \"c\": \"C\",\n  \"d\": \"D\"\n}}"))
		require.NoError(t, err)
		require.NoError(t, edit.Remove(edit.Root.Get("names"), c.gone))
		require.Equal(t, c.want, string(edit.Apply()))
	}
}
