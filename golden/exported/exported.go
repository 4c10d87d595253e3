// Package exported imports packages by what the compiler exports of them, for tests that type-check what is emitted. The go
// command is asked once for all: go/importer asks it for each package, or type-checks the standard library.
package exported

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"

	"golang.org/x/tools/go/packages"
)

// Files are those with what the compiler exports of the packages that patterns match, and of all that these import, by
// import path. Patterns are those of the go command in a folder.
func Files(dir string, patterns ...string) (map[string]string, error) {
	const mode = packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.ExportFile != "" {
			out[p.PkgPath] = p.ExportFile
		}
		for _, e := range p.Errors {
			err = e
		}
	})
	return out, err
}

// Importer imports packages from such files.
func Importer(files map[string]string) types.Importer {
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		name, ok := files[path]
		if !ok {
			return nil, fmt.Errorf("nothing is exported of %s", path)
		}
		return os.Open(name)
	})
}
