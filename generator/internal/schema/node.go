// Package schema reads JSON Schema files as written: ordered nodes with positions, definitions, references and
// overlays. Their meaning is determined by package analyze.
package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
)

// Limits on input size, against resource exhaustion.
const (
	MaxDepth = 128              // nesting depth of objects and arrays
	MaxBytes = 64 * 1024 * 1024 // file size
)

// Kind is the kind of a JSON value.
type Kind int

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// String returns the kind with an article.
func (k Kind) String() string { return kindNames[k] }

// Node is a JSON value with its position. Members are in source order.
type Node struct {
	Kind    Kind
	Pos     diag.Pos
	Text    string // the string, or the literal text of a number
	Bool    bool
	Items   []*Node
	Members []Member

	index *memberIndex // index of a large object, built on demand
}

// Member is a member of an object.
type Member struct {
	Key    string
	KeyPos diag.Pos
	Value  *Node
}

// Get returns the value of a member, or nil.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	if i := n.find(key); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

// Str returns a string, or "" for other kinds.
func (n *Node) Str() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// List returns the items of an array, or nil for other kinds.
func (n *Node) List() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// OneOrMore returns the items of an array, and a node of another kind as a list of one. It returns nil for nil.
func (n *Node) OneOrMore() []*Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == Array:
		return n.Items
	}
	return []*Node{n}
}

// True reports whether the node is true.
func (n *Node) True() bool { return n != nil && n.Kind == Bool && n.Bool }

// At resolves a JSON pointer such as /$defs/Turn/required/0, or returns nil.
func (n *Node) At(pointer string) *Node {
	for _, token := range SplitPointer(pointer) {
		switch {
		case n == nil:
			return nil
		case n.Kind == Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Items) {
				return nil
			}
			n = n.Items[i]
		default:
			n = n.Get(token)
		}
	}
	return n
}

// SplitPointer splits a JSON pointer into its unescaped tokens.
func SplitPointer(pointer string) []string {
	pointer = strings.TrimPrefix(pointer, "/")
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

// Equal reports whether two nodes have the same value, regardless of member order.
func (n *Node) Equal(m *Node) bool {
	if n == nil || m == nil {
		return n == m
	}
	if n.Kind != m.Kind || n.Text != m.Text || n.Bool != m.Bool ||
		len(n.Items) != len(m.Items) || len(n.Members) != len(m.Members) {
		return false
	}
	for i := range n.Items {
		if !n.Items[i].Equal(m.Items[i]) {
			return false
		}
	}
	for i := range n.Members {
		other := m.Members[i].Value
		if m.Members[i].Key != n.Members[i].Key {
			other = m.Get(n.Members[i].Key)
		}
		if other == nil || !n.Members[i].Value.Equal(other) {
			return false
		}
	}
	return true
}

// Compact returns the node as JSON on one line.
func (n *Node) Compact() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(strconv.FormatBool(n.Bool))
	case Number:
		b.WriteString(n.Text)
	case String:
		b.WriteString(jsontext.Line(n.Text))
	case Array:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, m := range n.Members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(jsontext.Line(m.Key) + ":")
			m.Value.write(b)
		}
		b.WriteByte('}')
	}
}

// digest returns a hash of the node's value.
func (n *Node) digest() [sha256.Size]byte {
	return sha256.Sum256(n.appendTo(nil))
}

// appendTo appends an unambiguous encoding in which lengths precede contents.
func (n *Node) appendTo(b []byte) []byte {
	b = binary.AppendVarint(b, int64(n.Kind))
	switch n.Kind {
	case Bool:
		b = strconv.AppendBool(b, n.Bool)
	case Number, String:
		b = appendText(b, n.Text)
	case Array:
		b = binary.AppendUvarint(b, uint64(len(n.Items)))
		for _, item := range n.Items {
			b = item.appendTo(b)
		}
	case Object:
		b = binary.AppendUvarint(b, uint64(len(n.Members)))
		for _, m := range n.Members {
			b = m.Value.appendTo(appendText(b, m.Key))
		}
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// Clone returns a deep copy with positions.
func (n *Node) Clone() *Node {
	c := *n
	c.Items = each.Map(n.Items, (*Node).Clone)
	c.Members = each.Map(n.Members, func(m Member) Member { return Member{m.Key, m.KeyPos, m.Value.Clone()} })
	return &c
}

// all returns a node and everything in it, in order, each with its key if it is the value of a member.
func (n *Node) all() iter.Seq2[string, *Node] {
	var walk func(key string, n *Node, yield func(string, *Node) bool) bool
	walk = func(key string, n *Node, yield func(string, *Node) bool) bool {
		return yield(key, n) &&
			!slices.ContainsFunc(n.Members, func(m Member) bool { return !walk(m.Key, m.Value, yield) }) &&
			!slices.ContainsFunc(n.Items, func(item *Node) bool { return !walk("", item, yield) })
	}
	return func(yield func(string, *Node) bool) { walk("", n, yield) }
}

// Value returns the node as decoded by encoding/json, with numbers as json.Number.
func (n *Node) Value() any {
	switch n.Kind {
	case Bool:
		return n.Bool
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Array:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = item.Value()
		}
		return out
	case Object:
		out := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			out[m.Key] = m.Value.Value()
		}
		return out
	}
	return nil
}

var errTooDeep = errors.New("too deep")
