// Stubs: the wanted methods, and their text in a given file.

package userfile

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// Stub is a method that the package must declare. Its body is for the user to write.
type Stub struct {
	Receiver  string // Go text such as "r *Reducer"; an existing sibling determines the variable's name
	Name      string
	Signature string // Go text such as "(state *State, action *ReadyAction) *State"
	Body      string // statements, which may use the receiver name above
	Doc       []string

	// Imports maps the qualifiers that signature and body use to import paths. They are the names
	// that the packages give themselves; a file may know them by others.
	Imports map[string]string

	// Group identifies related stubs. A new one is inserted after the last of its group, or else after the last
	// method of its receiver.
	Group string

	// File is the file for the stub if the receiver has no methods in hand-written files.
	File string

	// Apart makes the first stub of a group go to File even if the receiver has other methods.
	Apart bool
}

// wanted is a parsed stub.
type wanted struct {
	Stub
	key   methodKey
	text  string
	decl  *ast.FuncDecl
	scope *scope
}

func (w *wanted) String() string { return w.key.base + "." + w.key.name }

// readStubs parses stubs. An error is a bug in the caller.
func (p *Package) readStubs(stubs []Stub) ([]*wanted, error) {
	seen := map[methodKey]bool{}
	var out []*wanted
	for _, s := range stubs {
		w, err := p.readStub(s)
		if err != nil {
			return nil, fmt.Errorf("stub %q: %w", s.Name, err)
		}
		if seen[w.key] {
			return nil, fmt.Errorf("stub %q: wanted twice for %s", s.Name, w.key.base)
		}
		seen[w.key] = true
		out = append(out, w)
	}
	return out, nil
}

func (p *Package) readStub(s Stub) (*wanted, error) {
	if !gotext.IsIdentifier(s.Name) {
		return nil, errors.New("not a method name")
	}
	if !isFileName(s.File) {
		return nil, fmt.Errorf("%q is no name for a hand-written Go file", s.File)
	}
	for name := range s.Imports {
		if !gotext.IsIdentifier(name) {
			return nil, fmt.Errorf("%q is no name for an import", name)
		}
	}
	w := &wanted{Stub: s, text: s.source()}
	snippet, err := parseSnippet(w.text)
	if err != nil {
		return nil, err
	}
	w.decl, w.scope = snippet.method, fileScope(snippet.syntax)
	if w.decl.Name.Name != s.Name || len(w.decl.Recv.List) != 1 || len(w.decl.Recv.List[0].Names) > 1 {
		return nil, errors.New("not one method with one receiver")
	}
	bases := p.baseTypes(w.decl.Recv.List[0].Type)
	if len(bases) != 1 {
		return nil, fmt.Errorf("%q is not one receiver type", s.Receiver)
	}
	w.key = methodKey{bases[0], s.Name}
	return w, nil
}

// isFileName reports whether a name can be used for a new file that the go command includes in ordinary builds.
func isFileName(name string) bool {
	return path.Base(name) == name && !strings.ContainsAny(name, "\\:\x00") && strings.HasSuffix(name, ".go") &&
		!strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".")
}

// source returns the stub as a complete file.
func (s Stub) source() string {
	var b strings.Builder
	b.WriteString("package p\n\n")
	for _, qualifier := range slices.Sorted(maps.Keys(s.Imports)) {
		fmt.Fprintf(&b, "import %s %s\n", qualifier, gotext.Literal(s.Imports[qualifier]))
	}
	b.WriteString("\n")
	for _, line := range commentLines(s.Doc) {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "func (%s) %s%s {\n", s.Receiver, s.Name, s.Signature)
	if s.Body != "" {
		b.WriteString(s.Body + "\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// commentLines turns arbitrary text into comment lines.
func commentLines(doc []string) []string {
	text := strings.Join(doc, "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return gotext.Comments(strings.Split(text, "\n"))
}

// snippet is a parsed stub with resolved identifiers.
type snippet struct {
	fset   *token.FileSet
	syntax *ast.File
	method *ast.FuncDecl
	info   *types.Info
}

// parseSnippet accepts import clauses and one method, so that a stub cannot contain other declarations.
func parseSnippet(text string) (*snippet, error) {
	s := &snippet{fset: token.NewFileSet()}
	syntax, err := parser.ParseFile(s.fset, "stub", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("not valid Go: %w", err)
	}
	s.syntax = syntax
	for i, decl := range syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if last := i == len(syntax.Decls)-1; ok != last || !ok && !isImport(decl) {
			return nil, errors.New("not one method")
		}
		s.method = fn
	}
	if s.method == nil || s.method.Recv == nil || s.method.Body == nil {
		return nil, errors.New("not one method with a body")
	}
	s.info = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Error: func(error) {}, Importer: noImports{}} // most types are unknown here
	_, _ = config.Check("p", s.fset, []*ast.File{syntax}, s.info)
	return s, nil
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// render prints the stub for a file. The receiver is named as asked unless that name means something
// else in the stub; qualifier tells the name of an imported package in the file.
func (w *wanted) render(receiver string, qualifier func(name, path string) string) (string, error) {
	s, err := parseSnippet(w.text)
	if err != nil {
		return "", err
	}
	renamed := map[types.Object]string{}
	for _, object := range s.uses() {
		if pkg, ok := object.(*types.PkgName); ok {
			renamed[pkg] = qualifier(pkg.Name(), w.Imports[pkg.Name()])
		}
	}
	s.rename(renamed)
	if names := s.method.Recv.List[0].Names; receiver != "" && len(names) == 1 {
		if object := s.info.Defs[names[0]]; object != nil && !s.isTaken(receiver, object) {
			s.rename(map[types.Object]string{object: receiver})
		}
	}
	return s.print()
}

// print prints the method with its comments as gofmt does.
func (s *snippet) print() (string, error) {
	var b bytes.Buffer
	if err := format.Node(&b, s.fset, &printer.CommentedNode{Node: s.method, Comments: s.syntax.Comments}); err != nil {
		return "", fmt.Errorf("print stub: %w", err)
	}
	return b.String(), nil
}

// uses returns what the identifiers in the snippet refer to, in order of first use.
func (s *snippet) uses() []types.Object {
	idents := slices.SortedFunc(maps.Keys(s.info.Uses), func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	var out []types.Object
	for _, id := range idents {
		out = each.With(out, s.info.Uses[id])
	}
	return out
}

func (s *snippet) rename(names map[types.Object]string) {
	for _, idents := range []map[*ast.Ident]types.Object{s.info.Defs, s.info.Uses} {
		for id, object := range idents {
			if name, ok := names[object]; ok && object != nil {
				id.Name = name
			}
		}
	}
}

// isTaken reports whether a name refers to anything other than the given object in the method.
func (s *snippet) isTaken(name string, object types.Object) bool {
	taken := false
	ast.Inspect(s.method, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		taken = taken || ok && id.Name == name && s.info.Defs[id] != object && s.info.Uses[id] != object
		return true
	})
	return taken
}
