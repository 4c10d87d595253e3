// Package templates embeds the text of emitted files that does not depend on a protocol. The text
// is real Go, compiled, tested and fuzzed where it stands.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
)

//go:embed runtime/decode.go runtime/encode.go runtime/support.go runtime/nullable.go runtime/reducer.go runtime/store.go
var runtimeFiles embed.FS

//go:embed starter.go.tmpl
var starterText string

// Starter returns the hand-owned Go file that a consumer's folder starts with.
func Starter(pkg string) ([]byte, error) {
	t, err := template.New("starter").Parse(starterText)
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, struct{ Package string }{pkg}); err != nil {
		return nil, fmt.Errorf("fill template: %w", err)
	}
	return b.Bytes(), nil
}

// runtimeNames maps the files to the names they are emitted under.
var runtimeNames = map[string]string{
	"decode": "json_decode", "encode": "json_encode", "support": "json_support", "nullable": "nullable", "reducer": "reducer",
	"store": "store_replicas",
}

// Runtime returns the codec runtime as files of the named package, by file name without suffix.
// Each starts with the header line. What not every package needs is there only where asked for:
// "nullable", the type for members that may be null as well as absent, "reducer" and "store".
func Runtime(header, pkg string, optional ...string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for file, name := range runtimeNames {
		if slices.Contains([]string{"nullable", "reducer", "store"}, file) && !slices.Contains(optional, file) {
			continue
		}
		var err error
		if out[name], err = emitted(runtimeFiles, header, pkg, file); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// emitted is a file of the runtime as one of the named package.
func emitted(files embed.FS, header, pkg, file string) ([]byte, error) {
	text, err := files.ReadFile("runtime/" + file + ".go")
	if err != nil {
		return nil, fmt.Errorf("read template: %w", err)
	}
	comment, body, ok := strings.Cut("\n"+string(text), "\npackage runtime\n")
	if !ok {
		return nil, fmt.Errorf("template %s has no package clause", file)
	}
	// The comment is the file's, not the package's: a blank line sets it off.
	return []byte(header + "\n\n" + strings.TrimSpace(comment) + "\n\npackage " + pkg + "\n" + body), nil
}
