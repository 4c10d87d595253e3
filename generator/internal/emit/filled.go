// Filled: files whose code is the same for every protocol but for names are templates of Go.

package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/templates"
)

func (e *emitter) store(f *jenFile) {
	if e.pkg.Store != nil {
		e.fill(f, "store")
	}
}

func (e *emitter) conn(f *jenFile) {
	if e.pkg.Session != nil {
		e.fill(f, "conn")
	}
}

func (e *emitter) serverSide(f *jenFile) {
	if e.pkg.Session != nil {
		e.fill(f, "server")
	}
}

// fill fills the template of a file with what the package calls things. Names were checked before, and all other text
// goes through functions that let it be nothing but a literal or a comment.
func (e *emitter) fill(f *jenFile, name string) {
	t := template.Must(template.New(name+".go.tmpl").Funcs(e.words()).ParseFS(templates.Code(), name+".go.tmpl"))
	b := bytes.NewBufferString("package p\n\n")
	if err := t.Execute(b, e.pkg); err != nil {
		panic(err) // a defect of the template, which its tests would show
	}
	if err := f.text(b.Bytes()); err != nil {
		panic(err)
	}
}

// words are what templates call.
func (e *emitter) words() template.FuncMap {
	comment := func(lines []string) string {
		var out []string
		for _, line := range lines {
			out = append(out, gotext.Comment(line))
		}
		return strings.Join(out, "\n")
	}
	return template.FuncMap{
		"own":     e.pkg.Own,
		"text":    gotext.Literal,
		"object":  structOf,
		"comment": func(parts ...string) string { return comment([]string{strings.Join(parts, "")}) },
		"told":    func(parts ...string) string { return comment(e.told(strings.Join(parts, ""))) },
		"lines":   func(text ...string) string { return comment(e.lines(text...)) },
		"values":  values,
		"below":   pathFrom,
		"value":   valueAt,
		"payload": func(t golang.Type) string {
			if _, ok := golang.Underlying(t).(golang.StructType); ok {
				return "*" + golang.TypeText(t)
			}
			return golang.TypeText(t)
		},
		"anyState": e.anyState,
		"signsOfLife": func() []*golang.Method { // requests that ask for nothing but an answer
			return slices.DeleteFunc(slices.Clone(e.pkg.Session.Anytime), func(m *golang.Method) bool { return m.Notification || m.Result != nil })
		},
	}
}

// structOf is what a method takes or returns, which is an object.
func structOf(t golang.Type) *golang.Struct {
	return golang.Underlying(t).(golang.StructType).Struct
}

// values are fields with their values between braces, sorted by name: the order of the schema says nothing here.
func values(pairs ...any) string {
	var list []string
	for pair := range slices.Chunk(pairs, 2) {
		name := ""
		switch of := pair[0].(type) {
		case *golang.Field:
			name = of.Name
		case golang.OriginField:
			name = of.Name
		}
		list = append(list, name+": "+pair[1].(string))
	}
	slices.Sort(list)
	if len(list) == 1 {
		return "{" + list[0] + "}"
	}
	return "{\n" + strings.Join(list, ",\n") + ",\n}"
}

// pathFrom is what a path of fields leads to, and valueAt the same behind a pointer or not.
func pathFrom(of string, path []*golang.Field) string {
	for _, f := range path {
		of += "." + f.Name
	}
	return of
}

func valueAt(of string, path []*golang.Field) string {
	if path[len(path)-1].Pointer {
		return "*" + pathFrom(of, path)
	}
	return pathFrom(of, path)
}

// standard are packages of the standard library that templates name.
var standard = []string{"context", "encoding/json", "errors", "fmt", "time"}

// text adds a piece that is written already, behind a package clause.
func (f *jenFile) text(source []byte) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), f.name, source, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	formatted, err := format.Source(source)
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	_, body, _ := bytes.Cut(formatted, []byte("\n"))
	p := &piece{body: bytes.TrimLeft(body, "\n"), imports: map[string]string{}}
	known := map[string]string{} // import paths by name
	for path, name := range f.named {
		known[name] = path
	}
	for _, path := range standard {
		known[path[strings.LastIndexByte(path, '/')+1:]] = path
	}
	for _, id := range parsed.Unresolved {
		if path, ok := known[id.Name]; ok {
			p.imports[path] = strconv.Quote(path)
		}
	}
	f.used = true
	f.pieces = append(f.pieces, p)
	return nil
}
