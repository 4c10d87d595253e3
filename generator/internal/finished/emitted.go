// Emitted: what a package declares, as the type checker sees it, and what it imports. Of the standard library there is what
// the sources use.

package finished

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/declared"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// standard declares what sources use of the standard library: generation does not depend on one that is installed.
//
//go:embed standard/*.txt
var standard embed.FS

// Emitted is an emitted package.
type Emitted struct {
	pkg   *golang.Package
	files map[string][]byte // by name relative to the package's folder, those of the floor with its folder
}

// NewEmitted returns what finished reducers have to know about a package: its declarations, and the emitted files.
func NewEmitted(pkg *golang.Package, files map[string][]byte) *Emitted {
	return &Emitted{pkg, files}
}

// parse parses what the words lead to in the files of a folder of the package. The words of that are added.
func (e *Emitted) parse(fset *token.FileSet, folder string, words map[string]bool) ([]*ast.File, error) {
	var names, texts []string
	for _, name := range slices.Sorted(maps.Keys(e.files)) {
		text := e.files[name]
		if path.Dir(name) == folder && strings.HasSuffix(name, ".go") && !strings.Contains(string(text[:min(len(text), 400)]), "\n//go:build purego\n") {
			names, texts = append(names, name), append(texts, string(text))
		}
	}
	var out []*ast.File
	for i, text := range prune(texts, words) {
		if text == "" {
			continue
		}
		f, err := parser.ParseFile(fset, names[i], text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// importer finds the packages that sources import. What it does not find, emitted files do without.
type importer struct {
	emitted *Emitted
	wanted  map[string]bool // paths that sources import
	words   map[string]bool // of the sources, and of the declarations that they lead to
	there   map[string]*types.Package
}

// Import returns a package with the declarations that are known.
func (i *importer) Import(name string) (*types.Package, error) {
	if rest, ok := strings.CutPrefix(name, i.emitted.pkg.Wire); ok && (rest == "" || rest[0] == '/') {
		name = FloorPath + rest
	}
	if p := i.there[name]; p != nil {
		return p, nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	var err error
	if rest, ok := strings.CutPrefix(name, FloorPath); ok {
		if !i.wanted[name] && rest != "" {
			return nil, fmt.Errorf("no source imports %s", name)
		}
		files, err = i.emitted.parse(fset, path.Join(i.emitted.pkg.WireDir, rest), maps.Clone(i.words))
	} else {
		files, err = parseStandard(fset, name)
		if custom := i.emitted.custom(fset, name, files); custom != nil {
			files, err = append(files, custom), nil
		}
	}
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: i, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := config.Check(name, fset, files, nil) // what is missing in it is missing where it is used
	i.there[name] = p
	return p, nil
}

func parseStandard(fset *token.FileSet, name string) ([]*ast.File, error) {
	text, err := fs.ReadFile(standard, "standard/"+strings.ReplaceAll(name, "/", "_")+".txt")
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	return []*ast.File{f}, err
}

// custom declares the types of a package of the user's that fields have, beside those that are known. Nothing is taken for
// granted of them: they cannot be compared or converted. It returns nil if there are none.
func (e *Emitted) custom(fset *token.FileSet, name string, known []*ast.File) *ast.File {
	there := map[string]bool{}
	for _, f := range known {
		for _, d := range f.Decls {
			for of := range declared.Names(d) {
				there[of] = true
			}
		}
	}
	text := ""
	for _, c := range e.pkg.Customs {
		if c.Import.Path == name {
			if text == "" {
				text = "package " + c.Import.Name + "\n"
			}
			if !there[c.Name] {
				text += "type " + c.Name + " struct{ _ [0]func() }\n"
			}
			there[c.Name] = true
		}
	}
	if text == "" {
		return nil
	}
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil // its names were refused before
	}
	return f
}

// known are the declarations of a package by their names in Go, as the sources know them.
type known struct {
	structs map[string]*golang.Struct
	unions  map[string]*golang.Union
	fields  map[string]map[string]*golang.Field // by struct
}

func know(pkg *golang.Package, n *names) *known {
	k := &known{map[string]*golang.Struct{}, map[string]*golang.Union{}, map[string]map[string]*golang.Field{}}
	for _, s := range pkg.Structs {
		name := n.spelled(s.Name)
		k.structs[name], k.fields[name] = s, map[string]*golang.Field{}
		for _, f := range s.Fields {
			k.fields[name][n.field(s.Name, f.Name)] = f
		}
	}
	for _, u := range pkg.Unions {
		k.unions[n.spelled(u.Name)] = u
	}
	return k
}

// variants lists what is of a union's Go type but unknown variants, by their names in the package.
func variants(pkg *golang.Package, u *golang.Union) []string {
	var out []string
	for _, s := range pkg.Structs {
		if slices.Contains(s.Markers, u) {
			out = append(out, s.Name)
		}
	}
	for _, owner := range pkg.Unions {
		for _, t := range owner.Tokens {
			if t.Scalar != nil && slices.Contains(t.Scalar.Markers, u) {
				out = append(out, t.Scalar.Name)
			}
		}
	}
	return out
}
