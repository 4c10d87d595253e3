// Package templates embeds the text of emitted files that does not depend on a protocol. The text
// is real Go, compiled, tested and fuzzed where it stands.
package templates

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed runtime/decode.go runtime/encode.go runtime/support.go runtime/nullable.go
var runtimeFiles embed.FS

// runtimeNames maps the files to the names they are emitted under.
var runtimeNames = map[string]string{
	"decode": "json_decode", "encode": "json_encode", "support": "json_support", "nullable": "nullable",
}

// Runtime returns the codec runtime as files of the named package, by file name without suffix.
// Each starts with the header line. The type for members that may be null as well as absent is
// there only where it is asked for.
func Runtime(header, pkg string, nullable bool) (map[string][]byte, error) {
	out := map[string][]byte{}
	for file, name := range runtimeNames {
		if file == "nullable" && !nullable {
			continue
		}
		text, err := runtimeFiles.ReadFile("runtime/" + file + ".go")
		if err != nil {
			return nil, fmt.Errorf("read template: %w", err)
		}
		comment, body, ok := strings.Cut("\n"+string(text), "\npackage runtime\n")
		if !ok {
			return nil, fmt.Errorf("template %s has no package clause", file)
		}
		// The comment is the file's, not the package's: a blank line sets it off.
		out[name] = []byte(header + "\n\n" + strings.TrimSpace(comment) + "\n\npackage " + pkg + "\n" + body)
	}
	return out, nil
}
