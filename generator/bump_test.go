package generator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/jsonedit"
)

// TestAnEditedConfigurationStaysAsItIsWritten: only the values that change do.
func TestAnEditedConfigurationStaysAsItIsWritten(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"out": "."}`, `{"reducers": {"own": ["a", "b"]}, "out": "."}`},
		{"{\n\t\"out\": \".\"\n}\n", "{\n\t\"reducers\": {\"own\": [\"a\", \"b\"]},\n\t\"out\": \".\"\n}\n"},
		{"{\r\n  \"out\": \".\"\r\n}", "{\r\n  \"reducers\": {\"own\": [\"a\", \"b\"]},\r\n  \"out\": \".\"\r\n}"},
		{`{ "out":".", "reducers" : {} }`, `{ "out":".", "reducers" : {"own": ["a", "b"]} }`},
		{`{"reducers": {"own": [ "b" ]}}`, `{"reducers": {"own": [ "a", "b" ]}}`},
		{"{\"reducers\": {\n  \"own\": [\n    \"b\",\n    \"c\"\n  ]\n}}", "{\"reducers\": {\n  \"own\": [\n    \"a\",\n    \"b\"\n  ]\n}}"},
		{`{"reducers": {"own": []}}`, `{"reducers": {"own": ["a", "b"]}}`},
	} {
		edit, err := jsonedit.Parse([]byte(c.text))
		require.NoError(t, err)
		b := &Bump{Plan: &Plan{own: []string{"a", "b"}}}
		require.NoError(t, b.planOwn(edit, nil))
		require.Equal(t, c.want, string(edit.Apply()))
	}
}
