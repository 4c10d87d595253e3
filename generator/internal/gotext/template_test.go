package gotext

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestWhatAPlaceOfATemplateTakes(t *testing.T) {
	const hostile = "x\n\nfunc init() {}\u2028*/\u202e"
	for text, want := range map[string]string{
		"{{.Name}} := 1": "A := 1",
		"{{.Number}} + {{.Code}} + {{literal .Text}}":      `3 + []a + "x\n\nfunc init() {}\u2028*/\u202e"`,
		"// {{.Text}} {{.Name}}\n{{.Name}}":                "// x  func init() {} */ A\nA",
		"a // {{.Text}}":                                   "",
		"// {{if .Name}}x{{.Text}}{{end}}\n":               "// xx  func init() {} */\n",
		"{{$x := .Text}}// {{range .List}}{{$x}}{{end}}\n": "// x  func init() {} */\n",
		"{{.Text}}": "error", "{{.Name}}{{.Text}}": "error", "\"//{{.Text}}": "error", "// a\n{{.Text}}": "error", "{{.Text | print}}": "error",
		"{{range .List}}// a\n{{end}}{{.Text}}": "error", "{{define \"x\"}}{{.Text}}{{end}}{{template \"x\" .}}": "error", "{{with .Text}}{{.}}{{end}}": "error",
		"{{.List}}": "error", "{{.Empty}}": "error", "{{true}}": "error",
		"{{if .Name}}// {{end}}{{.Text}}\n": "", "{{range .List}}//{{end}}\n": "", "// {{template \"x\"}}\n{{define \"x\"}}{{end}}": "", "{{": "",
	} {
		parsed, err := Templates(fstest.MapFS{"a.tmpl": {Data: []byte(text)}})
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		var b strings.Builder
		err = parsed.ExecuteTemplate(&b, "a.tmpl", map[string]any{"Name": "A", "Number": int64(3), "Code": Code("[]a"), "Text": hostile, "List": []string{"a"}, "Empty": ""})
		if want == "error" {
			require.ErrorContains(t, err, "is no code", text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, b.String(), text)
	}
}
