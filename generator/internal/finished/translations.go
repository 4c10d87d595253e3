// Translations: functions that come with a protocol and convert objects between versions.

package finished

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/declared"
	"github.com/ahpgen/ahpgen/schemas"
)

// Translations are the functions of a protocol, with what they need.
type Translations struct {
	files map[string]*translationFile // by name
	in    map[string]string           // files by what they declare
}

type translationFile struct {
	text  []byte
	names map[string]bool // identifiers in it
}

// ReadTranslations reads those of a protocol.
func ReadTranslations(protocol string) (*Translations, error) {
	out := &Translations{files: map[string]*translationFile{}, in: map[string]string{}}
	folder := schemas.Translations(protocol)
	if folder == nil {
		return out, nil
	}
	names, err := fs.Glob(folder, "*.go")
	if err != nil {
		return nil, fmt.Errorf("read translations: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(folder, name)
		if err == nil {
			err = out.add(name, text)
		}
		if err != nil {
			return nil, fmt.Errorf("read translations: %w", err)
		}
	}
	return out, nil
}

// add adds a file.
func (t *Translations) add(name string, text []byte) error {
	syntax, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f := &translationFile{text: text, names: map[string]bool{}}
	ast.Inspect(syntax, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f.names[id.Name] = true
		}
		return true
	})
	for _, decl := range syntax.Decls {
		for of := range declared.Names(decl) {
			t.in[of] = name
		}
	}
	t.files[name] = f
	return nil
}

// Has reports whether a function comes with the protocol.
func (t *Translations) Has(name string) bool { return t.in[name] != "" }

// templateImport is how the functions import the runtime where they stand.
const templateImport = `"github.com/ahpgen/ahpgen/templates/wire`

var packageClause = regexp.MustCompile(`(?m)^package translations$`)

// Files returns the files with some functions, and what these need, for a package with its runtime. Their names lack the end
// of emitted files.
func (t *Translations) Files(functions []string, header, pkg, wire string) map[string][]byte {
	needed := map[string]bool{}
	var need func(file string)
	need = func(file string) {
		if file == "" || needed[file] {
			return
		}
		needed[file] = true
		for _, name := range slices.Sorted(maps.Keys(t.files[file].names)) {
			need(t.in[name])
		}
	}
	for _, name := range functions {
		need(t.in[name])
	}
	out := map[string][]byte{}
	for file := range needed {
		text := packageClause.ReplaceAll(t.files[file].text, []byte("package "+pkg))
		text = bytes.ReplaceAll(text, []byte(templateImport), []byte(`"`+wire))
		out["translations_"+strings.TrimSuffix(file, ".go")] = append([]byte(header+"\n\n"), text...)
	}
	return out
}
