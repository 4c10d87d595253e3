package userfile

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBodiesAreLeftOutWhereTheyCanBeTold(t *testing.T) {
	for text, want := range map[string]string{
		"func F() {\n\tg()\n}\n":                           "func F() {\n}\n",
		"func F() {}\n":                                    "func F() {}\n",
		"func F() int { return 1 }\n":                      "func F() int {}\n",
		"func (v *T) F(a []byte) error { return g(a) }\n":  "func (v *T) F(a []byte) error {}\n",
		"func F() T { return T{} }\n":                      "func F() T { return T{} }\n",
		"func F() string { return \"}\" }\n":               "func F() string { return \"}\" }\n",
		"func F(a interface{ G() }) { a.G() }\n":           "func F(a interface{ G() }) { a.G() }\n",
		"func F() { g() } // why\n":                        "func F() { g() } // why\n",
		"func F() string { return `}` }\n":                 "func F() string { return `}` }\n",
		"func F(\n\ta int,\n) {\n\tg()\n}\n":               "func F(\n\ta int,\n) {\n\tg()\n}\n",
		"const c = `\nfunc F() int { return 1 }\n`\n":      "const c = `\nfunc F() int { return 1 }\n`\n",
		"type T struct{ a int }\n\nfunc F() { g() }\n":     "type T struct{ a int }\n\nfunc F() {}\n",
		"func F() { g() }\nfunc G() {\n\tif a {\n\t}\n}\n": "func F() {}\nfunc G() {\n}\n",
	} {
		require.Equal(t, want, string(withoutBodies([]byte(text))), text)
	}
}

// TestBodiesSayNothingOfWhatIsDeclared compares the declarations of what is emitted, with their bodies and without.
func TestBodiesSayNothingOfWhatIsDeclared(t *testing.T) {
	names, err := filepath.Glob("../../../generated/ahp/*_gen.go")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	all, left := 0, 0
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		short := withoutBodies(content)
		all, left = all+len(content), left+len(short)
		require.Equal(t, outline(t, content), outline(t, short), name)
	}
	require.Less(t, left, all*2/3)
}

// outline prints the declarations of a file without the bodies of functions.
func outline(t *testing.T, content []byte) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "", content, parser.SkipObjectResolution)
	require.NoError(t, err)
	var b strings.Builder
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
		require.NoError(t, printer.Fprint(&b, token.NewFileSet(), decl))
		b.WriteByte('\n')
	}
	return b.String()
}
