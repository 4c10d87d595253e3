// Tests of the size of files and functions: what fits a screen or two is read as a whole.

package readme

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 60
	maxParameters    = 6
)

// reasoned is how the head comment of a longer file or function begins to say why it is one.
var reasoned = regexp.MustCompile(`(?s)One (?:file|function), because\s+\S`)

// sourceFiles lists the Go files of the repository that people write, without tests, from its root.
func sourceFiles(t *testing.T) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go") && !strings.HasSuffix(base, "_gen.go") {
			names = append(names, name)
		}
		return nil
	})
	require.NoError(t, err)
	for _, part := range []string{"cmd/ahpgen/main.go", "generator/generator.go", "schemas/schemas.go", "templates/wire/scan.go"} {
		require.Contains(t, names, part, "the walk starts at the wrong place")
	}
	return names
}

// tooLong says what of a file is longer than it may be, or takes more parameters, and does not say why.
func tooLong(fset *token.FileSet, f *ast.File) (found []string) {
	file := fset.File(f.FileStart)
	if n := file.LineCount(); n > maxFileLines && !headSays(f) {
		found = append(found, "the file")
	}
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		lines := file.Line(fn.End()) - file.Line(fn.Pos()) + 1
		if (lines > maxFunctionLines || fn.Type.Params.NumFields() > maxParameters) && !reasoned.MatchString(fn.Doc.Text()) {
			found = append(found, fn.Name.Name)
		}
	}
	return found
}

// headSays reports whether a comment before the package clause gives a reason.
func headSays(f *ast.File) bool {
	for _, group := range f.Comments {
		if group.Pos() < f.Package && reasoned.MatchString(group.Text()) {
			return true
		}
	}
	return false
}

func TestFilesAndFunctionsAreShortOrSayWhyNot(t *testing.T) {
	for _, name := range sourceFiles(t) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.Join("..", "..", filepath.FromSlash(name)), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		require.Empty(t, tooLong(fset, f), `%s: at most %d lines for a file, %d lines and %d parameters for a function. Divide what is longer, or say in its head comment "One file, because …"`, name, maxFileLines, maxFunctionLines, maxParameters)
	}
}

func TestTooLongFilesAndFunctionsAreSeen(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("\t_ = 0\n", n) }
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"short":               {"package p\n\nfunc f() {\n" + lines(58) + "}\n", nil},
		"a long function":     {"package p\n\nfunc f() {\n" + lines(59) + "}\n", []string{"f"}},
		"many parameters":     {"package p\n\nfunc f(a, b, c string, d, e, f, g int) {}\n", []string{"f"}},
		"enough parameters":   {"package p\n\nfunc f(a, b, c string, d, e, f int) {}\n", nil},
		"a reason":            {"package p\n\n// f does it.\n//\n// One function, because a table cannot be divided.\nfunc f() {\n" + lines(59) + "}\n", nil},
		"a reason without it": {"package p\n\n// f does it. One function, because\nfunc f() {\n" + lines(59) + "}\n", []string{"f"}},
		"a long file":         {"package p\n" + strings.Repeat("\n", 500), []string{"the file"}},
		"a file's reason":     {"// One file, because it is a table.\n\npackage p\n" + strings.Repeat("\n", 500), nil},
		"a reason elsewhere":  {"package p\n\n// One file, because.\n" + strings.Repeat("\n", 500), []string{"the file"}},
	} {
		t.Run(name, func(t *testing.T) {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "a.go", c.source, parser.ParseComments)
			require.NoError(t, err)
			require.Equal(t, c.want, tooLong(fset, f))
		})
	}
}
