// Parse: converting JSON text to nodes with positions.

package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// ParseJSON parses a JSON document. There is no node if the text is not valid JSON. The name is used in positions.
func ParseJSON(name string, data []byte) (*Node, []diag.Diagnostic) {
	p := &parser{name: name, data: data, line: 1}
	n := p.whole()
	return n, p.Items()
}

// whole parses the text of the file.
func (p *parser) whole() *Node {
	if len(p.data) > MaxBytes {
		p.Errorf(diag.Pos{File: p.name}, "too-large", "split the file into several, or leave out what is not needed",
			"file is %d bytes long, the limit is %d", len(p.data), MaxBytes)
		return nil
	}
	if bytes.HasPrefix(p.data, []byte("\xef\xbb\xbf")) {
		p.Errorf(diag.Pos{File: p.name, Line: 1, Col: 1}, "byte-order-mark", "save the file as UTF-8 without a byte order mark",
			"file starts with a byte order mark")
		return nil
	}
	if i := invalidUTF8(p.data); i >= 0 {
		p.Errorf(p.position(i), "invalid-utf8", "save the file as UTF-8", "invalid UTF-8")
		return nil
	}
	p.tokens = newTokenReader(p.data)
	n, err := p.value(1)
	if err == nil {
		at := int(p.tokens.InputOffset())
		for at < len(p.data) && strings.IndexByte(" \t\r\n", p.data[at]) >= 0 {
			at++
		}
		if _, extra := p.tokens.Token(); !errors.Is(extra, io.EOF) {
			p.Errorf(p.position(at), "invalid-json", "take it away; a file holds one value", "unexpected content after the JSON value")
			return nil
		}
		return n
	}
	p.report(err)
	return nil
}

func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

type parser struct {
	name      string
	data      []byte
	tokens    tokenReader
	diag.List // what is wrong

	// Positions are requested in ascending order, so counting continues from the last.
	offset, line, lineStart int
}

func (p *parser) position(offset int) diag.Pos {
	if offset < p.offset {
		p.offset, p.line, p.lineStart = 0, 1, 0
	}
	offset = min(offset, len(p.data))
	if n := bytes.Count(p.data[p.offset:offset], []byte{'\n'}); n > 0 {
		p.line += n
		p.lineStart = p.offset + bytes.LastIndexByte(p.data[p.offset:offset], '\n') + 1
	}
	p.offset = offset
	return diag.Pos{File: p.name, Line: p.line, Col: offset - p.lineStart + 1}
}

// skipSpace skips white space and separators.
func (p *parser) skipSpace(offset int) int {
	for offset < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// next returns the next token and its offset.
func (p *parser) next() (json.Token, diag.Pos, error) {
	pos := p.position(p.skipSpace(int(p.tokens.InputOffset())))
	token, err := p.tokens.Token()
	return token, pos, err
}

func (p *parser) value(depth int) (*Node, error) {
	token, pos, err := p.next()
	if err != nil {
		return nil, err
	}
	n := &Node{Pos: pos}
	switch t := token.(type) {
	case nil:
		n.Kind = Null
	case bool:
		n.Kind, n.Bool = Bool, t
	case json.Number:
		n.Kind, n.Text = Number, t.String()
		p.bound(n)
	case string:
		n.Kind, n.Text = String, t
	case json.Delim:
		if depth > MaxDepth {
			p.Errorf(pos, "too-deep", "move inner schemas into $defs and refer to them with $ref",
				"nested deeper than %d levels", MaxDepth)
			return nil, errTooDeep
		}
		if t == '[' {
			return n, p.array(n, depth)
		}
		return n, p.object(n, depth)
	}
	return n, nil
}

// MaxExponent and MaxDigits limit numbers, because exact arithmetic on larger ones, as in validators, takes unbounded
// memory. A float64 ends at 308.
const (
	MaxExponent = 400
	MaxDigits   = 1000
)

// bound rejects a number beyond the limits and replaces it by 1.
func (p *parser) bound(n *Node) {
	exponent := ""
	if i := strings.IndexAny(n.Text, "eE"); i >= 0 {
		exponent = n.Text[i+1:]
	}
	size, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err == nil && -MaxExponent <= size && size <= MaxExponent && len(n.Text) <= MaxDigits {
		return
	}
	shown := n.Text
	if len(shown) > 20 {
		shown = shown[:20] + "…"
	}
	p.Errorf(n.Pos, "number-too-large", fmt.Sprintf("exponents go up to %d and digits up to %d", MaxExponent, MaxDigits),
		"number %s is too large, too small or too long", shown)
	n.Text = "1"
}

func (p *parser) array(n *Node, depth int) error {
	n.Kind = Array
	for p.tokens.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
	}
	_, err := p.tokens.Token()
	return err
}

func (p *parser) object(n *Node, depth int) error {
	n.Kind = Object
	defer p.duplicates(n)
	for p.tokens.More() {
		token, pos, err := p.next()
		if err != nil {
			return err
		}
		key, ok := token.(string)
		if !ok {
			return errors.New("member name is not a string")
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Members = append(n.Members, Member{Key: key, KeyPos: pos, Value: value})
	}
	_, err := p.tokens.Token()
	return err
}

// duplicates reports members with the key of an earlier one.
func (p *parser) duplicates(n *Node) {
	for i, m := range n.Members {
		if first := n.find(m.Key); first < i {
			p.Errorf(m.KeyPos, "duplicate-key", fmt.Sprintf("it stands first at %s; keep one of the two", n.Members[first].KeyPos),
				"duplicate member %q", m.Key)
		}
	}
}

// offending returns the offset of a syntax error. Token readers and whole-text checks count offsets differently.
func (p *parser) offending() int {
	var syntax *json.SyntaxError
	if !errors.As(json.Unmarshal(p.data, new(json.RawMessage)), &syntax) {
		return p.skipSpace(int(p.tokens.InputOffset()))
	}
	return max(int(syntax.Offset)-1, 0)
}

func (p *parser) report(err error) {
	if errors.Is(err, errTooDeep) {
		return // already reported
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		p.Errorf(p.position(len(p.data)), "truncated-json", "the file may have been cut off while it was copied",
			"file ends in the middle of a JSON value")
	case errors.As(err, &syntax):
		if strings.Contains(syntax.Error(), "unexpected end") {
			p.report(io.ErrUnexpectedEOF)
			return
		}
		p.Errorf(p.position(p.offending()), "invalid-json", p.syntaxHint(syntax.Error()), "invalid JSON: %s", syntax.Error())
	default:
		p.Errorf(p.position(p.offending()), "invalid-json", p.syntaxHint(""), "invalid JSON: %s", err)
	}
}

// conflictMarkers are the beginnings of git's conflict lines.
var conflictMarkers = []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"}

// syntaxHint guesses the intention behind invalid JSON.
func (p *parser) syntaxHint(said string) string {
	at := p.offending()
	var wrong byte
	if at < len(p.data) {
		wrong = p.data[at]
	}
	before := bytes.TrimRight(p.data[:min(at, len(p.data))], " \t\r\n")
	switch {
	case slices.ContainsFunc(conflictMarkers, func(marker string) bool { return bytes.HasPrefix(p.data[min(at, len(p.data)):], []byte(marker)) }):
		return "git left two versions here that it could not merge: keep what is right of both"
	case strings.Contains(said, "in string literal"):
		return `write \n for a line break, and \t for a tab`
	case strings.Contains(said, "in string escape"):
		return `write \\ for a backslash`
	case (wrong == ']' || wrong == '}') && bytes.HasSuffix(before, []byte(",")):
		return "take the comma before it away"
	case wrong == '/' || wrong == '#':
		return "take it away if it is a comment: JSON has none, $comment and description hold text"
	case wrong == '\'':
		return "write double quotes"
	case wrong == 'T' || wrong == 'F' || wrong == 'N':
		return "write true, false and null in small letters"
	case wrong >= '0' && wrong <= '9' && bytes.HasSuffix(before, []byte("0")):
		return "take the zero before it away"
	case strings.Contains(said, "after"):
		return "put a comma before it"
	case wrong >= 'a' && wrong <= 'z' || wrong >= 'A' && wrong <= 'Z':
		return "put it in double quotes"
	}
	return "correct it here"
}
