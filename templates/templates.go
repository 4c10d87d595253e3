// Package templates embeds the text of emitted files that does not depend on a protocol. The text
// is real Go, compiled, tested and fuzzed where it stands.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"
)

//go:embed wire
var floor embed.FS

// floorPath is how files of the floor import each other where they stand.
const floorPath = "github.com/ahpgen/ahpgen/templates/wire"

//go:embed pages/*.html pages/*.css pages/*.js pages/*.json
var pages embed.FS

// Pages returns the templates of pages that a browser shows, with their looks and what they do.
func Pages() fs.FS { return below(pages, "pages") }

// below returns a folder of embedded files.
func below(files embed.FS, folder string) fs.FS {
	out, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // the name is a constant
	}
	return out
}

//go:embed emit/*.go.tmpl
var emitted embed.FS

// Emitted returns the templates of emitted files that have the same shape whatever the protocol is.
func Emitted() fs.FS { return below(emitted, "emit") }

//go:embed starter.go.tmpl
var starterText string

// Starter returns the hand-owned Go file that a consumer's folder starts with. The modfile is what stands in
// for go.mod where tools have a file of their own, "" for none.
func Starter(pkg, modfile string) ([]byte, error) {
	t, err := template.New("starter").Parse(starterText)
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, struct{ Package, Modfile string }{pkg, modfile}); err != nil {
		return nil, fmt.Errorf("fill template: %w", err)
	}
	return b.Bytes(), nil
}

//go:embed example
var example embed.FS

// Example returns the Go files of a user who begins with the small protocol in schemas/example, by their path below the
// package: a reducer, its test, and a host with a client.
func Example(pkg, importPath string) (map[string][]byte, error) {
	out := map[string][]byte{}
	fill := strings.NewReplacer("{{.Package}}", pkg, "{{.ImportPath}}", importPath) // literals of Go have braces too
	for name, to := range map[string]string{
		"reducers_board.go": "reducers_board.go", "reducers_test.go": "reducers_test.go", "main.go": "demo/main.go",
	} {
		text, err := example.ReadFile("example/" + name + ".tmpl")
		if err != nil {
			return nil, fmt.Errorf("read template: %w", err)
		}
		out[to] = []byte(fill.Replace(string(text)))
	}
	return out, nil
}

// HasFile reports whether there is a file that does not depend on a protocol, by its path as [Floor] has it.
func HasFile(name string) bool {
	_, err := fs.Stat(floor, path.Join("wire", name))
	return err == nil && !strings.HasSuffix(name, "_test.go")
}

// Floor returns the files of packages that do not depend on a protocol, by their path below the folder
// that has the import path. The packages are named by folder, "" being the one that all others build
// on. Each file starts with the header line.
func Floor(header, importPath string, folders ...string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, folder := range folders {
		dir := path.Join("wire", folder)
		entries, err := floor.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("read template: %w", err)
		}
		for _, entry := range entries {
			name := entry.Name()
			if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := floor.ReadFile(path.Join(dir, name))
			if err != nil {
				return nil, fmt.Errorf("read template: %w", err)
			}
			body := strings.ReplaceAll(string(text), `"`+floorPath, `"`+importPath)
			out[path.Join(folder, name)] = []byte(header + "\n\n" + body)
		}
	}
	return out, nil
}
