// Templates: what has the same shape whatever the protocol is.

package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/templates"
)

// parsed are the templates by name.
var parsed = sync.OnceValues(func() (*template.Template, error) { return gotext.Templates(templates.Emitted()) })

// view is what templates see: the package, and what of it takes more than a template to say.
type view struct{ *golang.Package }

// from returns what fills a file from a template, if it is wanted.
func (e *emitter) from(name string, wanted bool) func(*jenFile) {
	return func(f *jenFile) {
		if wanted {
			e.template(f, name)
		}
	}
}

// template adds declarations that a template prints.
func (e *emitter) template(f *jenFile, name string) {
	f.used = true
	f.flush()
	f.piece(func(out *piece) error {
		t, err := parsed()
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, name+".go.tmpl", view{e.pkg}); err != nil {
			return err
		}
		if out.body, err = laidOut.format(e.broken(b.String())); err != nil {
			return err
		}
		out.imports, err = f.imported(out.body)
		return err
	})
}

// broken breaks the comments of declarations between words, and says them in the words of the protocol.
func (e *emitter) broken(text string) []byte {
	var b bytes.Buffer
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			for _, line := range e.told(strings.Join(paragraph, " ")) {
				b.WriteString(gotext.Comment(line) + "\n")
			}
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if words, ok := strings.CutPrefix(strings.TrimSpace(line), "// "); ok {
			paragraph = append(paragraph, words)
			continue
		}
		end()
		b.WriteString(line + "\n")
	}
	end()
	return b.Bytes()
}

// imported finds the packages that declarations name. Nothing else in a template is called like one of them.
func (f *jenFile) imported(body []byte) (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+string(body), parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read imports: %w", err)
	}
	paths := map[string]string{}
	for _, p := range []string{contextPath, jsonPath, "errors", "fmt", "time"} {
		paths[path.Base(p)] = p
	}
	for p, name := range f.named {
		paths[name] = p
	}
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && paths[x.Name] != "" {
				out[paths[x.Name]] = strconv.Quote(paths[x.Name])
			}
		}
		return true
	})
	return out, nil
}

// State is the type of any state.
func (v view) State() string {
	if u := v.Reducers.State; u != nil {
		return u.Name
	}
	return v.Own("ChannelState")
}

// At is what a path leads to, behind a pointer or not.
func (v view) At(path []*golang.Field) gotext.Code {
	at := "e"
	for _, field := range path {
		at += "." + field.Name
	}
	if path[len(path)-1].Pointer {
		at = "*" + at
	}
	return gotext.Code(at)
}

// Payload is the type that a method takes or returns: a pointer to a struct, a union or any JSON.
func (v view) Payload(t golang.Type) gotext.Code {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		return gotext.Code("*" + t.Name)
	case golang.UnionType:
		return gotext.Code(t.Name)
	}
	return "json.RawMessage"
}
