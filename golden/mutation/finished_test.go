// Finished reducers: code of people that packages get with the names of theirs, and nothing else changed.

package mutation

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/schemas"
)

// reducerSources are the sources of finished reducers, as far as they can be told from what is emitted.
type reducerSources struct {
	names  map[string]bool // of emitted files
	shapes map[string]bool // of declarations, and of bodies alone
	called map[string]bool // what they use of the standard library
}

var finishedReducers = sync.OnceValue(func() *reducerSources {
	out := &reducerSources{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, protocol := range schemas.Profiles() {
		for _, edition := range append(schemas.Editions(protocol), "") {
			for _, e := range schemas.Reducers(protocol, edition) {
				if err := out.addAll(e.Folder); err != nil {
					panic(err)
				}
			}
		}
	}
	return out
})

// addAll adds the sources of a folder. An edition may have none: the declarations of its version are others, and that is all.
func (s *reducerSources) addAll(folder fs.FS) error {
	names, err := fs.Glob(folder, "*.go")
	for _, name := range names {
		if err == nil {
			err = s.add(folder, name)
		}
	}
	return err
}

// add adds a source.
func (s *reducerSources) add(folder fs.FS, name string) error {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.names["reducers_"+strings.TrimSuffix(name, ".go")+generator.Suffix] = true
	imported := map[string]bool{}
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			imported[path.Base(p)] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imported[x.Name] {
				s.called[x.Name+"."+sel.Sel.Name] = true
			}
		}
		return true
	})
	for _, decl := range file.Decls {
		s.shapes[shape(fset, decl, text)] = true
		if f, ok := decl.(*ast.FuncDecl); ok {
			s.shapes[shape(fset, f.Body, text)] = true
		}
	}
	return nil
}

// shape is the text of a node without names and spaces.
func shape(fset *token.FileSet, n ast.Node, text []byte) string {
	from, to := fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset
	text = text[from:to]
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	var out strings.Builder
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return out.String()
		case tok.IsLiteral() && tok != token.IDENT:
			out.WriteString(" " + literal)
		default:
			out.WriteString(" " + tok.String())
		}
	}
}
