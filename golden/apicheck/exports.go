// Export data of the standard library, requested from the go command once for all packages. go/importer requests it
// for each package, which takes most of the time of a comparison.

package apicheck

import (
	"fmt"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/tools/go/packages"
)

// exports caches export data and the packages read from it. Packages are read on demand.
var exports struct {
	sync.Mutex
	files    map[string]string
	importer types.Importer
}

// newImporter returns an importer for packages that are not emitted. The caller must hold the lock.
func newImporter(emitted ...Package) (types.Importer, error) {
	wanted, err := outside(emitted)
	if err != nil {
		return nil, err
	}
	wanted = slices.DeleteFunc(wanted, func(path string) bool { return exports.files[path] != "" })
	if len(wanted) > 0 {
		if err := list(wanted); err != nil {
			return nil, err
		}
	}
	if exports.importer == nil {
		exports.importer = importer.ForCompiler(token.NewFileSet(), "gc", open)
	}
	return exports.importer, nil
}

// outside returns the imports that are not emitted.
func outside(emitted []Package) ([]string, error) {
	var paths []string
	for _, pkg := range emitted {
		for _, f := range pkg.Files {
			file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, parser.ImportsOnly|parser.ParseComments)
			if err != nil {
				return nil, fmt.Errorf("parse emitted package: %w", err)
			}
			if !inBuild(file) {
				continue
			}
			for _, spec := range file.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return nil, fmt.Errorf("parse emitted package: %w", err)
				}
				if _, ok := pkg.below(name); !ok && name != "unsafe" {
					paths = append(paths, name)
				}
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// list asks the go command for the export files of packages, which compiles missing ones.
func list(paths []string) error {
	config := &packages.Config{Mode: packages.NeedName | packages.NeedExportFile}
	if root := build.Default.GOROOT; root != "" { // run outside any module
		config.Dir, config.Env = root, append(os.Environ(), "GOROOT="+root)
	}
	found, err := packages.Load(config, paths...)
	if err != nil {
		return fmt.Errorf("find what the compiler exports of the standard library: %w", err)
	}
	if exports.files == nil {
		exports.files = map[string]string{}
	}
	for _, p := range found {
		exports.files[p.PkgPath] = p.ExportFile
	}
	return nil
}

// open opens the export data of a package.
func open(path string) (io.ReadCloser, error) {
	file := exports.files[path]
	if file == "" {
		return nil, fmt.Errorf("nothing is exported of %s", path)
	}
	return os.Open(file)
}
