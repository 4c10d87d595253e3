// Package exported imports packages from export data for tests that type-check emitted code. The go command is asked
// once for all packages.
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

// Files returns the export data files of the packages matching patterns in a folder, and of their imports, by import
// path.
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
