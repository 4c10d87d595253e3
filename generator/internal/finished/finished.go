// Package finished chooses reducers that come with a protocol, written by hand in Go, for a package: one by one, each with
// the helpers that it needs. The sources are type-checked together with what is emitted, in memory; a reducer is chosen if
// it compiles there and covers what it has to.
package finished

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/internal/declared"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

// Tag is the build tag that keeps the sources out of ordinary builds: they are compiled as emitted.
const Tag = "ahpgen_reducers"

// FloorPath is how the sources import what does not depend on the protocol.
const FloorPath = "github.com/ahpgen/ahpgen/templates/wire"

// Set is the finished reducers of one protocol, in one of its versions. It does not change once it is loaded.
type Set struct {
	versions version.Order // of the protocol
	editions []string      // versions, "" for the one that the others are laid over
	fset     *token.FileSet
	sources  map[string]*source // by [SourceName]
	units    map[string]*unit
	order    []*unit // by file and place
	words    map[string]bool
	spelled  map[string]string // exported words by their folded form, see [fold]
}

// source is a file with reducers.
type source struct {
	text string
	file *ast.File
}

// unit is a declaration at the top of a source. Offsets are those of bytes.
type unit struct {
	name     string // such as Reducer.chatDelta
	file     string // as [SourceName] has it
	doc      int    // where its comment begins
	from, to int
	body     int // where the statements of a function begin, after the brace
	pos, end token.Pos
	decl     ast.Decl
	ident    *ast.Ident // its name
	versions version.Range
	limit    string          // versions as they are written
	reducer  string          // of a reducer: its name, folded
	tag      string          // of a reducer: the type of its action, folded
	others   map[string]bool // variants that its type switches leave to their default
	holds    []string        // constant expressions that have to be true
	uses     map[string]bool // names that it mentions, those behind a dot with it
}

// SourceName returns how the source of an edition is called among all: version and name, or the name alone.
func SourceName(edition, name string) string { return path.Join(edition, name) }

// digest returns the digest of a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Load parses the sources of a protocol whose versions are in an order. A declaration of an edition takes the place of the
// one with its name in the editions before.
func Load(versions version.Order, editions ...schemas.Edition) (*Set, error) {
	set := &Set{
		versions: versions, fset: token.NewFileSet(), sources: map[string]*source{}, units: map[string]*unit{},
		words: map[string]bool{}, spelled: map[string]string{},
	}
	for _, e := range editions {
		names, err := fs.Glob(e.Folder, "*.go")
		if err != nil {
			return nil, fmt.Errorf("read finished reducers: %w", err)
		}
		set.editions = append(set.editions, e.Version)
		for _, name := range names {
			if err := set.read(e, name); err != nil {
				return nil, fmt.Errorf("read finished reducers: %w", err)
			}
		}
	}
	return set, nil
}

func (s *Set) read(e schemas.Edition, name string) error {
	text, err := fs.ReadFile(e.Folder, name)
	if err != nil {
		return err
	}
	name = SourceName(e.Version, name)
	file, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.sources[name] = &source{string(text), file}
	limit := directives(beforePackage(file)...)["versions"]
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		u, err := s.unit(name, d, limit)
		if err != nil {
			return err
		}
		if old := s.units[u.name]; old != nil {
			s.order[slices.Index(s.order, old)] = u
		} else {
			s.order = append(s.order, u)
		}
		s.units[u.name] = u
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			s.words[id.Name] = true
			if id.IsExported() {
				s.spelled[fold(id.Name)] = id.Name
			}
		}
		return true
	})
	return nil
}

// unit reads one declaration.
func (s *Set) unit(file string, d ast.Decl, limit []string) (*unit, error) {
	offset := func(pos token.Pos) int { return s.fset.Position(pos).Offset }
	u := &unit{file: file, decl: d, pos: d.Pos(), end: d.End(), from: offset(d.Pos()), to: offset(d.End()), others: map[string]bool{}, uses: map[string]bool{}}
	var doc *ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		doc, u.ident, u.name, u.body = d.Doc, d.Name, declared.Func(d), offset(d.Body.Lbrace)+1
	case *ast.GenDecl:
		if u.ident = single(d); u.ident == nil {
			return nil, fmt.Errorf("%s: declare one thing at a time: each is emitted only where it is needed", s.fset.Position(d.Pos()))
		}
		doc, u.name = d.Doc, u.ident.Name
	}
	if u.doc = u.from; doc != nil {
		u.doc = offset(doc.Pos())
	}
	said := directives(doc)
	u.limit = strings.Join(append(slices.Clone(limit), said["versions"]...), " ")
	var err error
	if u.versions, err = s.versions.ParseRange(u.limit); err != nil {
		return nil, fmt.Errorf("%s: %w", s.fset.Position(d.Pos()), err)
	}
	for _, name := range strings.Fields(strings.Join(said["others"], " ")) {
		u.others[name] = true
	}
	u.holds = said["holds"]
	if fn, ok := d.(*ast.FuncDecl); ok && isReducer(fn) {
		u.reducer, u.tag = fold(fn.Name.Name), fold(fn.Name.Name)
		for _, tag := range said["action"] {
			u.tag = fold(tag)
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			u.uses["."+n.Sel.Name] = true
		case *ast.Ident:
			u.uses[n.Name] = true
		}
		return true
	})
	return u, nil
}

// isReducer reports whether a method has the shape of a reducer: from a state and an action to that state.
func isReducer(fn *ast.FuncDecl) bool {
	if !strings.HasPrefix(declared.Func(fn), "Reducer.") || fn.Type.Params.NumFields() != 2 || fn.Type.Results.NumFields() != 1 || len(fn.Type.Params.List) != 2 {
		return false
	}
	state, action, result := pointee(fn.Type.Params.List[0].Type), pointee(fn.Type.Params.List[1].Type), pointee(fn.Type.Results.List[0].Type)
	return state != "" && action != "" && state == result
}

// pointee returns the name of the type that a pointer is to, "" for other types.
func pointee(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		if id, ok := star.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

// single returns the name that a declaration declares, nil if it declares several.
func single(g *ast.GenDecl) *ast.Ident {
	if len(g.Specs) != 1 {
		return nil
	}
	switch spec := g.Specs[0].(type) {
	case *ast.TypeSpec:
		return spec.Name
	case *ast.ValueSpec:
		if len(spec.Names) == 1 {
			return spec.Names[0]
		}
	}
	return nil
}

// directives returns the lines of comments that are for this package, such as //ahpgen:versions >=0.6.0, by their
// first word.
func directives(docs ...*ast.CommentGroup) map[string][]string {
	out := map[string][]string{}
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			if line, ok := strings.CutPrefix(c.Text, "//ahpgen:"); ok {
				word, rest, _ := strings.Cut(line, " ")
				out[word] = append(out[word], strings.TrimSpace(rest))
			}
		}
	}
	return out
}

func beforePackage(f *ast.File) []*ast.CommentGroup {
	return each.Where(f.Comments, func(c *ast.CommentGroup) bool { return c.Pos() < f.Package })
}

// fold returns what is left of a name however it is spelled: lower-case letters and digits.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// Has reports whether there is a finished reducer for a type of actions, whether or not it goes with a package.
func (s *Set) Has(tag string) bool {
	return s != nil && slices.ContainsFunc(s.order, func(u *unit) bool { return u.tag == fold(tag) && tag != "" })
}

// receiver splits the name of a method.
func (u *unit) receiver() (typ, name string) {
	typ, name, ok := strings.Cut(u.name, ".")
	if !ok {
		return "", typ
	}
	return typ, name
}

// version returns a version of the protocol, zero for one that cannot be ordered: every range holds it.
func (s *Set) version(text string) version.Version {
	v, err := s.versions.Parse(text)
	if err != nil {
		return version.Version{}
	}
	return v
}

// files lists the names of the sources in order. Editions have sources of the same names.
func (s *Set) files() []string {
	out := each.Map(slices.Sorted(maps.Keys(s.sources)), path.Base)
	slices.Sort(out)
	return slices.Compact(out)
}

// text returns the text of a unit's source.
func (s *Set) text(u *unit) string { return s.sources[u.file].text }

// textOf returns the text of a source, "" if there is none of the name.
func (s *Set) textOf(name string) string {
	if src := s.sources[name]; src != nil {
		return src.text
	}
	return ""
}

// Words returns the comments on the finished reducers for the actions of a type, as paragraphs with line breaks; ""
// where there are none.
func (s *Set) Words(tag string) string {
	if s == nil || tag == "" {
		return ""
	}
	var out []string
	for _, u := range s.order {
		if u.tag == fold(tag) {
			out = append(out, strings.TrimSpace(strings.Join(s.comment(u), "\n")))
		}
	}
	return strings.Join(out, "\n\n")
}

// comment returns the comment of a unit without directives, as lines of text.
func (s *Set) comment(u *unit) []string {
	var out []string
	for line := range strings.Lines(s.text(u)[u.doc:u.from]) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "//ahpgen:") {
			out = append(out, strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
		}
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
