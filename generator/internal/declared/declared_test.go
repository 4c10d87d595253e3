package declared

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	for source, want := range map[string][]string{
		"import \"fmt\"":                          nil,
		"const a, b = 1, 2":                       {"a", "b"},
		"var (\n\tc int\n\td, _ = 1, 2\n)":        {"c", "d", "_"},
		"type (\n\tE struct{ f int }\n\tG = E\n)": {"E", "G"},
		"func H() {}":                             {"H"},
		"func (e E) I() {}":                       {"E.I"},
		"func (e *(E)) J() {}":                    {"E.J"},
		"func (e *K[T]) L() {}":                   {"K.L"},
		"func (K[T, U]) M() {}":                   {"K.M"},
		"func (struct{}) N() {}":                  {".N"},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+source, parser.SkipObjectResolution)
		require.NoError(t, err, source)
		var got []string
		for _, decl := range file.Decls {
			for name, id := range Names(decl) {
				require.True(t, id.Pos().IsValid())
				got = append(got, name)
			}
		}
		require.Equal(t, want, got, source)
	}
}
