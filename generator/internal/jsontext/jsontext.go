// Package jsontext writes values as JSON that a person may read too: signs such as < stand as they are.
package jsontext

import (
	"bytes"
	"encoding/json"
	"io"
)

// Line returns a value that cannot fail to encode, such as a string, on one line. The keys of maps are sorted.
func Line[V any](value V) string {
	var b bytes.Buffer
	if err := encoder(&b).Encode(value); err != nil {
		panic(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// File returns a value as a file has it: indented, with a final line end.
func File(value any) ([]byte, error) {
	var b bytes.Buffer
	err := Write(&b, value)
	return b.Bytes(), err
}

// Write writes a value as [File] does.
func Write(w io.Writer, value any) error {
	enc := encoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}
