// Type-checks a module with some files replaced, without the go command.

package upgrade

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/exported"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// judge type-checks the packages of a module.
type judge struct {
	module, path string            // the folder, and the import path
	overlay      map[string][]byte // contents of files by path within the module; nil for one that is gone
	others       types.Importer
	fset         *token.FileSet
	known        map[string]*types.Package
	refused      []string // file:line of each error
	messages     []string
}

// standardLibrary imports what emitted packages and their users import, once for all tests.
var standardLibrary = sync.OnceValues(func() (types.Importer, error) {
	files, err := exported.Files(".", "../../generated/...", "../../templates/...", "testing", "reflect", "net", "bufio", "strings")
	return exported.Importer(files), err
})

func newJudge(t *testing.T, module, name string, overlay map[string][]byte) *judge {
	t.Helper()
	var others types.Importer
	kit.DoIn(t, filepath.Join(kit.Root(t), "golden", "upgrade"), func() {
		var err error
		others, err = standardLibrary()
		require.NoError(t, err)
	})
	return &judge{module: module, path: name, overlay: overlay, others: others, fset: token.NewFileSet(), known: map[string]*types.Package{}}
}

// Import returns a package, which it type-checks if it is one of the module. What is wrong is noted.
func (j *judge) Import(name string) (*types.Package, error) {
	below, within := strings.CutPrefix(name+"/", j.path+"/")
	if !within {
		return j.others.Import(name)
	}
	if p := j.known[name]; p != nil {
		return p, nil
	}
	config := types.Config{Importer: j, Error: func(err error) {
		e := err.(types.Error)
		at := j.fset.Position(e.Pos)
		j.refused = append(j.refused, at.Filename+":"+strconv.Itoa(at.Line))
		j.messages = append(j.messages, at.String()+": "+e.Msg)
	}}
	files := j.files(below)
	p, _ := config.Check(name, j.fset, files, nil)
	j.known[name] = p
	return p, nil
}

// files parses those of a folder for this machine, and tests in the package.
func (j *judge) files(folder string) (out []*ast.File) {
	names := map[string]bool{}
	found, _ := filepath.Glob(filepath.Join(j.module, folder, "*.go"))
	for _, name := range found {
		names[path.Join(folder, filepath.Base(name))] = true
	}
	for name := range j.overlay {
		if path.Dir(name) == path.Clean(folder) && strings.HasSuffix(name, ".go") {
			names[name] = true
		}
	}
	for name := range names {
		text, ok := j.overlay[name]
		if !ok {
			text, _ = os.ReadFile(filepath.Join(j.module, name))
		}
		if text == nil {
			continue
		}
		if match, _ := build.Default.MatchFile(filepath.Join(j.module, folder), path.Base(name)); !match && !ok {
			continue
		}
		file, err := parser.ParseFile(j.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			j.refused, j.messages = append(j.refused, name+":1"), append(j.messages, err.Error())
			continue
		}
		out = append(out, file)
	}
	slices.SortFunc(out, func(a, b *ast.File) int { return strings.Compare(j.name(a), j.name(b)) })
	return out
}

func (j *judge) name(f *ast.File) string { return j.fset.Position(f.FileStart).Filename }
