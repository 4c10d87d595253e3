// Test of the page for people who work on the generator: what it names has to be there.

package generator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// answer is a row of the table of tasks: the file, and a function in it if one is named.
var answer = regexp.MustCompile("(?m)^\\| [^|]+ \\| `([^` ]+)`(?: `(\\w+)`)? \\|$")

func TestReadmeSaysWhereToDoIt(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, tasks, ok := strings.Cut(string(page), "## Where to do what")
	require.True(t, ok)
	rows := answer.FindAllStringSubmatch(tasks, -1)
	require.Len(t, rows, strings.Count(tasks, "\n| ")-1, "a row has another form") // the head is no row
	require.GreaterOrEqual(t, len(rows), 20)
	for _, row := range rows {
		file, function := filepath.FromSlash(row[1]), row[2]
		require.FileExists(t, file)
		if function != "" {
			require.Contains(t, functions(t, file), function, file)
		}
	}
}

// TestReadmeNamesEveryPackage: the map of the packages has one line for each that is not below another one.
func TestReadmeNamesEveryPackage(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, parent := range []string{"", "internal/"} {
		entries, err := os.ReadDir("./" + parent)
		require.NoError(t, err)
		for _, entry := range entries {
			if name := entry.Name(); entry.IsDir() && name != "testdata" && name != "internal" {
				require.Contains(t, string(page), "["+name+"]("+parent+name+")")
			}
		}
	}
}

// functions are the names of the functions and methods of a file.
func functions(t *testing.T, file string) (names []string) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, d := range syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			names = append(names, fn.Name.Name)
		}
	}
	return names
}
