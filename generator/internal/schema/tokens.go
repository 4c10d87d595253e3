// Tokens of JSON. Valid text is tokenised here, several times faster than by a general decoder.

package schema

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// tokenReader is the subset of [json.Decoder] used here.
type tokenReader interface {
	Token() (json.Token, error)
	More() bool
	InputOffset() int64
}

// newTokenReader returns a reader, which for invalid text is a decoder that reports the error.
func newTokenReader(data []byte) tokenReader {
	if json.Valid(data) {
		return &validReader{data: data}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec
}

// validReader tokenises valid JSON.
type validReader struct {
	data []byte
	at   int // offset after the last token or of the next one
}

func (r *validReader) InputOffset() int64 { return int64(r.at) }

// skip advances to the next token and reports whether there is one.
func (r *validReader) skip() bool {
	for r.at < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[r.at]) >= 0 {
		r.at++
	}
	return r.at < len(r.data)
}

// More reports whether the current array or object has more elements.
func (r *validReader) More() bool {
	return r.skip() && r.data[r.at] != ']' && r.data[r.at] != '}'
}

// Token returns the next token like [json.Decoder] with UseNumber.
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
