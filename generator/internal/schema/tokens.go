// Tokens of JSON. Text that is known to be right is taken apart here, which is all that most files need: a decoder that
// may meet anything takes several times as long.

package schema

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// tokenReader is what [json.Decoder] has for those who read token by token.
type tokenReader interface {
	Token() (json.Token, error)
	More() bool
	InputOffset() int64
}

// newTokenReader reads a text. What is wrong with it is for a decoder to say.
func newTokenReader(data []byte) tokenReader {
	if json.Valid(data) {
		return &validReader{data: data}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec
}

// validReader reads a text that is JSON.
type validReader struct {
	data []byte
	at   int // behind the last token, or at the next one
}

func (r *validReader) InputOffset() int64 { return int64(r.at) }

// skip moves to the next token, and reports whether there is one.
func (r *validReader) skip() bool {
	for r.at < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[r.at]) >= 0 {
		r.at++
	}
	return r.at < len(r.data)
}

// More reports whether the list or object at hand goes on.
func (r *validReader) More() bool {
	return r.skip() && r.data[r.at] != ']' && r.data[r.at] != '}'
}

// Token returns the next token, as [json.Decoder] does with numbers as they are written.
func (r *validReader) Token() (json.Token, error) {
	if !r.skip() {
		return nil, io.EOF
	}
	start := r.at
	switch c := r.data[start]; c {
	case '{', '}', '[', ']':
		r.at++
		return json.Delim(c), nil
	case '"':
		return r.text()
	}
	r.at = start + len(r.data[start:])
	if n := bytes.IndexAny(r.data[start:], " \t\r\n,]}"); n >= 0 {
		r.at = start + n
	}
	switch word := string(r.data[start:r.at]); word {
	case "null":
		return nil, nil
	case "true", "false":
		return word == "true", nil
	default:
		return json.Number(word), nil
	}
}

// text reads a string.
func (r *validReader) text() (json.Token, error) {
	start, escaped := r.at, false
	for r.at++; r.data[r.at] != '"'; r.at++ {
		if r.data[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	if !escaped {
		return string(r.data[start+1 : r.at-1]), nil
	}
	var out string
	err := json.Unmarshal(r.data[start:r.at], &out)
	return out, err
}
