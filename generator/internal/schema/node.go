// Package schema reads JSON Schema files as they are written: ordered nodes with positions,
// definitions, references and overlays. What a node means is the business of analyze.
package schema

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
)

// Limits on input, so that hostile files end in a message and not in exhaustion.
const (
	MaxDepth = 128              // nesting of objects and arrays
	MaxBytes = 64 * 1024 * 1024 // size of one file
)

// Kind is the kind of a JSON value.
type Kind int

// The kinds of JSON value.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

// String names the kind with its article, as it reads in a message.
func (k Kind) String() string { return kindNames[k] }

// Node is a JSON value with its position. Members keep their order.
type Node struct {
	Kind    Kind
	Pos     diag.Pos
	Text    string // the string, or the number's literal text
	Bool    bool
	Items   []*Node
	Members []Member

	index *memberIndex // of a large object, once a member is looked for
}

// Member is one member of an object.
type Member struct {
	Key    string
	KeyPos diag.Pos
	Value  *Node
}

// Get returns the value of the member with the key, nil if n is no object or has none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	if i := n.find(key); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

// Str is the string that a node is, "" if it is none.
func (n *Node) Str() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// List are the items of a list, none if the node is something else.
func (n *Node) List() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// True reports whether a node is true.
func (n *Node) True() bool { return n != nil && n.Kind == Bool && n.Bool }

// At follows a JSON pointer such as /$defs/Turn/required/0 and returns nil if it leads nowhere.
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

// Equal reports whether two nodes hold the same value, whatever the order of members and
// wherever they stand.
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

// Compact renders the node as JSON on one line, for messages.
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

// digest tells the value of a node from others, wherever it stands.
func (n *Node) digest() [sha256.Size]byte {
	return sha256.Sum256(n.appendTo(nil))
}

// appendTo appends a form of the value that no other one has: the length of everything comes before it.
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

// Clone copies the node deeply. Positions are kept.
func (n *Node) Clone() *Node {
	c := *n
	c.Items = nil
	for _, item := range n.Items {
		c.Items = append(c.Items, item.Clone())
	}
	c.Members = nil
	for _, m := range n.Members {
		m.Value = m.Value.Clone()
		c.Members = append(c.Members, m)
	}
	return &c
}

// Value turns the node into what encoding/json would decode into an any, numbers as json.Number.
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
