// Loading: packages of the module are type-checked from source before and after the step; others are imported from
// export data.

package compile

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// listed is the information requested from the go command, which compiles nothing for it except cgo output.
const listed = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedDeps | packages.NeedModule

// loader loads the packages of one build, with and without an overlay.
type loader struct {
	root       string
	conditions conditions
	fset       *token.FileSet
	sizes      types.Sizes
	importer   types.Importer
	files      map[string]string         // export data files of packages outside the module, by path
	exported   map[string]*types.Package // packages imported from them, by path
	fail       map[string]bool           // paths of packages without export data
	std        map[string]string         // folders of missing standard library packages, by path
}

// graph is the packages of a build with their imports.
type graph struct {
	roots   []*packages.Package
	initial map[string]bool     // IDs of the roots
	all     []*packages.Package // imports before importers
	overlay map[string][]byte
	source  map[string]bool             // IDs of packages type-checked from source
	found   map[string][]packages.Error // errors by ID
}

func newLoader(root string, c conditions) *loader {
	ctx := c.context()
	l := &loader{
		root: root, conditions: c, fset: token.NewFileSet(), sizes: types.SizesFor(ctx.Compiler, ctx.GOARCH),
		files: map[string]string{}, exported: map[string]*types.Package{}, fail: map[string]bool{},
	}
	l.importer = importer.ForCompiler(l.fset, "gc", l.open)
	return l
}

// load returns the matching packages, including tests, without and with the overlay. Errors are in their Errors
// field. Matched packages have syntax and types.
func (l *loader) load(overlay map[string][]byte, patterns []string) (before, after []*packages.Package, err error) {
	var graphs [2]*graph
	var group errgroup.Group
	for i, files := range []map[string][]byte{nil, overlay} {
		group.Go(func() (err error) {
			graphs[i], err = l.list(files, patterns)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for {
		want := l.missing(graphs[:])
		if len(want) == 0 {
			break
		}
		if err := l.export(want); err != nil {
			return nil, nil, err
		}
	}
	l.check(graphs[0], nil)
	l.check(graphs[1], graphs[0])
	return graphs[0].roots, graphs[1].roots, nil
}

func (l *loader) config(mode packages.LoadMode) *packages.Config {
	return &packages.Config{Mode: mode, Dir: l.root, Env: l.conditions.env(), BuildFlags: l.conditions.flags()}
}

func (l *loader) list(overlay map[string][]byte, patterns []string) (*graph, error) {
	config := l.config(listed)
	config.Overlay, config.Tests = overlay, true
	roots, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("list the packages of the module: %w", err)
	}
	g := &graph{initial: map[string]bool{}, overlay: overlay}
	for _, p := range roots {
		if !runsTests(p) {
			g.roots = append(g.roots, p)
			g.initial[p.ID] = true
		}
	}
	packages.Visit(g.roots, nil, func(p *packages.Package) { g.all = append(g.all, p) })
	return g, nil
}

// runsTests reports whether a package is the generated main package of a test.
func runsTests(p *packages.Package) bool {
	if p.Name != "main" || !strings.HasSuffix(p.ID, ".test") || p.Module == nil || len(p.GoFiles) != 1 {
		return false
	}
	rel, err := filepath.Rel(p.Module.Dir, p.GoFiles[0])
	return err != nil || !filepath.IsLocal(rel)
}

// missing determines the packages to type-check from source: those of the module, their importers, and those without
// export data. It returns the other imports that are not loaded yet.
func (l *loader) missing(graphs []*graph) []string {
	var want []string
	l.std = map[string]string{}
	for _, g := range graphs {
		g.source = map[string]bool{}
		for _, p := range g.all {
			source := g.initial[p.ID] || p.Module != nil && p.Module.Main || l.fail[p.PkgPath]
			for _, imported := range p.Imports {
				source = source || g.source[imported.ID]
			}
			if source {
				g.source[p.ID] = true
			}
		}
		for _, p := range g.all {
			if !g.source[p.ID] {
				continue
			}
			for _, imported := range p.Imports {
				path := imported.PkgPath
				if path != "unsafe" && !g.source[imported.ID] && l.exported[path] == nil {
					want = append(want, path)
					l.std[path] = standardFolder(imported)
				}
			}
		}
	}
	slices.Sort(want)
	return slices.Compact(want)
}

// export reads export data, compiling packages if needed.
func (l *loader) export(paths []string) error {
	var unknown []string
	for _, path := range paths {
		if file := l.conditions.knownExport(l.std[path]); file != "" {
			l.files[path] = file
			continue
		}
		unknown = append(unknown, path)
	}
	if len(unknown) > 0 {
		found, err := packages.Load(l.config(packages.NeedName|packages.NeedExportFile), unknown...)
		if err != nil {
			return fmt.Errorf("compile what the module imports: %w", err)
		}
		for _, p := range found {
			if p.ExportFile == "" {
				continue
			}
			l.files[p.PkgPath] = p.ExportFile
			l.conditions.noteExport(l.std[p.PkgPath], p.ExportFile)
		}
	}
	for _, path := range paths {
		// An unreadable package is loaded from source.
		if p, err := l.importer.Import(path); err == nil {
			l.exported[path] = p
		}
		l.fail[path] = l.exported[path] == nil
	}
	return nil
}

// open opens the export data of a package.
func (l *loader) open(path string) (io.ReadCloser, error) {
	file, ok := l.files[path]
	if !ok {
		return nil, fmt.Errorf("nothing is exported of %s", path)
	}
	return os.Open(file)
}

// exports caches export data files of the standard library, for all packages of a repository, by [exportKey].
var exports sync.Map

// exportKey identifies the export data of a standard library package for a build. The folder implies the Go version.
type exportKey struct{ folder, build string }

// standardFolder returns the folder of a standard library package, or "".
func standardFolder(p *packages.Package) string {
	first, _, _ := strings.Cut(p.PkgPath, "/")
	if p.Module != nil || strings.Contains(first, ".") || len(p.GoFiles) == 0 {
		return ""
	}
	return filepath.Dir(p.GoFiles[0])
}

// exportKey returns the key for a package in a folder. Builds depend on the environment of the go command.
func (c conditions) exportKey(folder string) exportKey {
	var build strings.Builder
	for _, pair := range append(c.env(), c.flags()...) {
		if strings.HasPrefix(pair, "GO") || strings.HasPrefix(pair, "CGO_") || strings.HasPrefix(pair, "-") {
			build.WriteString(pair + "\n")
		}
	}
	return exportKey{folder, build.String()}
}

// knownExport returns the cached file of a package, or "" if it is missing.
func (c conditions) knownExport(folder string) string {
	if folder == "" {
		return ""
	}
	file, ok := exports.Load(c.exportKey(folder))
	if !ok {
		return ""
	}
	name, _ := file.(string)
	if _, err := os.Stat(name); err != nil {
		return ""
	}
	return name
}

func (c conditions) noteExport(folder, file string) {
	if folder != "" {
		exports.Store(c.exportKey(folder), file)
	}
}
