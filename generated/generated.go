// Package generated holds the packages that ahpgen makes from its embedded schemas. What people
// wrote by hand in them is embedded, so that a consumer's package of the same protocol version can
// start with finished reducers instead of stubs.
package generated

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed */reducers_*.go */types_gen.go */unions_gen.go */enums_gen.go
var files embed.FS

const (
	emitted   = "_gen.go"
	reference = "reducers" + emitted // its first line says which protocol and version it is for
)

// declaring are the generated files that declare what reducers use.
var declaring = []string{"types_gen.go", "unions_gen.go", "enums_gen.go"}

// Reducers returns the hand-written files of reducers, by name, of the package whose generated
// files begin with the header and declare the same as the planned ones; nil where there is none.
// They are in the named package.
func Reducers(header, pkg string, planned map[string][]byte) (map[string][]byte, error) {
	folders, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("read finished reducers: %w", err)
	}
	for _, folder := range folders {
		text, err := files.ReadFile(path.Join(folder.Name(), reference))
		if err != nil {
			return nil, fmt.Errorf("read finished reducers: %w", err)
		}
		if first, _, _ := strings.Cut(string(text), "\n"); first == header {
			hand, err := handWritten(folder.Name(), pkg)
			if err != nil {
				return nil, err
			}
			if ok, err := fits(folder.Name(), hand, planned); !ok || err != nil {
				return nil, err
			}
			return hand, nil
		}
	}
	return nil, nil
}

func handWritten(folder, pkg string) (map[string][]byte, error) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read finished reducers: %w", err)
	}
	out := map[string][]byte{}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, "reducers_") || strings.HasSuffix(name, emitted) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := files.ReadFile(path.Join(folder, name))
		if err != nil {
			return nil, fmt.Errorf("read finished reducers: %w", err)
		}
		before, after, ok := bytes.Cut(text, []byte("\npackage "+folder+"\n"))
		if !ok {
			return nil, fmt.Errorf("read finished reducers: %s has no package clause of its own line", name)
		}
		out[name] = bytes.Join([][]byte{before, after}, []byte("\npackage "+pkg+"\n"))
	}
	return out, nil
}
