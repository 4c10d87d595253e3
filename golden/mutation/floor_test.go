// The floor: what every emitted package stands on, which is the text of the templates.

package mutation

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/templates"
)

// maxFloors is how many floors are kept. There is one for each import path.
const maxFloors = 16

// floor is all that is below packages that find it under one import path.
type floor struct {
	path    string                  // "" where there is none
	folders map[string]*floorFolder // "" for the one that the others build on
}

// floorFolder is a package of the floor.
type floorFolder struct {
	texts   map[string][]byte // by name
	needs   []string          // folders that it imports
	checked *types.Package
}

// floorDir is the folder of the floor in a plan, "" for none. That of random values is beside it.
func floorDir(plan *generator.Plan) string {
	out, random := "", path.Dir(randomFile(plan))
	for _, f := range plan.Files {
		if dir := path.Dir(f.Name); !f.Aside && f.New != nil && dir != "." && dir != random && (out == "" || len(dir) < len(out)) {
			out = dir
		}
	}
	return out
}

// floorOf returns the floor for a plan. There is no module around the output, so that import paths
// begin with the name of its folder.
func (c *checker) floorOf(plan *generator.Plan) (*floor, *failure) {
	out, err := filepath.Abs(plan.Out)
	if err != nil {
		return nil, fail("test", "path", "%v", err)
	}
	importPath := ""
	if dir := floorDir(plan); dir != "" {
		importPath = path.Join(filepath.Base(out), dir)
	}
	if c.floors[importPath] == nil {
		if len(c.floors) >= maxFloors {
			clear(c.floors)
		}
		c.floors[importPath] = &floor{path: importPath, folders: map[string]*floorFolder{}}
	}
	return c.floors[importPath], nil
}

// floorFolders are the folders that a floor may have.
var floorFolders = append([]string{""}, generator.RuntimeFolders()...)

// folderOf is the folder of the floor that has an import path.
func (f *floor) folderOf(importPath string) (string, bool) {
	for _, folder := range floorFolders {
		if f.path != "" && path.Join(f.path, folder) == importPath {
			return folder, true
		}
	}
	return "", false
}

// folder returns a package of the floor, type-checked with all that it says.
func (c *checker) folder(f *floor, name string) (*floorFolder, error) {
	if known := f.folders[name]; known != nil {
		return known, nil
	}
	texts, err := templates.Floor(generator.Marker+". DO NOT EDIT.", f.path, name)
	if err != nil {
		return nil, err
	}
	out := &floorFolder{texts: map[string][]byte{}}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, template := range slices.Sorted(maps.Keys(texts)) {
		emitted := strings.TrimSuffix(path.Base(template), ".go") + generator.Suffix
		out.texts[emitted] = texts[template]
		if ok, err := inBuild(&build.Default, emitted, texts[template]); err != nil || !ok {
			continue // for other builds
		}
		file, err := parser.ParseFile(fset, template, texts[template], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			if need, ok := f.folderOf(imported); ok && !slices.Contains(out.needs, need) {
				out.needs = append(out.needs, need)
			}
		}
	}
	config := &types.Config{Importer: floorImporter{c, f}, GoVersion: goVersion}
	if out.checked, err = config.Check(path.Join(f.path, name), fset, files, nil); err != nil {
		return nil, fmt.Errorf("floor %q: %w", name, err)
	}
	f.folders[name] = out
	return out, nil
}

// floorImporter imports the floor by its path, and everything else as the compiler does.
type floorImporter struct {
	checker *checker
	floor   *floor
}

func (i floorImporter) Import(importPath string) (*types.Package, error) {
	folder, ok := i.floor.folderOf(importPath)
	if !ok {
		return i.checker.importer.Import(importPath)
	}
	out, err := i.checker.folder(i.floor, folder)
	if err != nil {
		return nil, err
	}
	return out.checked, nil
}

// stands checks the floor of a plan: what is there is the text of the templates, and nothing is missing
// of what is there or imported by the package.
func (c *checker) stands(plan *generator.Plan, f *floor, imported []string) *failure {
	dir := floorDir(plan)
	planned := map[string]map[string]bool{}
	for _, file := range plan.Files {
		if file.Aside || file.New == nil || path.Dir(file.Name) == "." || file.Name == randomFile(plan) {
			continue
		}
		in, ok := f.folderOf(path.Join(f.path, strings.TrimPrefix(path.Dir(file.Name), dir)))
		if !ok || file.Hand || file.Dir != "" {
			return fail("unexpected file", "name", "%q", file.Name)
		}
		folder, err := c.folder(f, in)
		if err != nil {
			return fail("does not compile", "floor: "+normal(err.Error()), "%v", err)
		}
		text, ok := folder.texts[path.Base(file.Name)]
		if !ok {
			return fail("unexpected file", "name", "%q", file.Name)
		}
		if !bytes.Equal(text, file.New) {
			return fail("floor differs", path.Join(in, path.Base(file.Name)), "%s is not the text of its template", file.Name)
		}
		if planned[in] == nil {
			planned[in] = map[string]bool{}
		}
		planned[in][path.Base(file.Name)] = true
	}
	return c.complete(f, planned, append(imported, slices.Sorted(maps.Keys(planned))...))
}

// complete checks that folders of the floor are there, and all that they import.
func (c *checker) complete(f *floor, planned map[string]map[string]bool, needed []string) *failure {
	for i := 0; i < len(needed); i++ {
		folder, err := c.folder(f, needed[i])
		if err != nil {
			return fail("does not compile", "floor: "+normal(err.Error()), "%v", err)
		}
		for name := range folder.texts {
			if !planned[needed[i]][name] {
				return fail("floor incomplete", needed[i], "%s is not there", path.Join(f.path, needed[i], name))
			}
		}
		for _, need := range folder.needs {
			if !slices.Contains(needed, need) {
				needed = append(needed, need)
			}
		}
	}
	return nil
}

// inBuild reports whether a build takes a file.
func inBuild(ctx *build.Context, name string, text []byte) (bool, error) {
	with := *ctx
	with.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	return with.MatchFile("out", name)
}
