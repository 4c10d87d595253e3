// Package example makes valid messages of a protocol to show to people. They are deterministic, and their values are
// realistic. Each is a tree of typed values that can be written as JSON and as Go.
package example

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Value is a value with its types.
type Value struct {
	Types   []protocol.Type // declared types, the outermost first: a union, then the chosen variant
	Kind    Kind
	Text    string            // JSON text of a scalar
	Branch  *protocol.Variant // the chosen variant of a union decided by JSON kind
	Members []Member
	Items   []*Value
	Choices []Chosen // alternatives that share the JSON object
}

// Chosen is an alternative whose members are part of the same object.
type Chosen struct {
	Choice *protocol.Choice
	Value  *Value
}

// all returns the members of an object, including those of its alternatives.
func (v *Value) all() []Member {
	if len(v.Choices) == 0 {
		return v.Members
	}
	out := slices.Clone(v.Members)
	for _, c := range v.Choices {
		out = append(out, c.Value.all()...)
	}
	return out
}

// Kind is the JSON kind of a value.
type Kind int

// The kinds of values.
const (
	Scalar Kind = iota
	Object
	Dictionary // an object used as a map
	List
)

// Member is a member of an object or an entry of a dictionary.
type Member struct {
	Name  string
	Field *protocol.Field // nil in dictionaries
	Value *Value
}

// Maker makes examples of one protocol.
type Maker struct {
	size   map[protocol.Type]int // size of the smallest value by type, memoized
	stack  map[protocol.Type]bool
	places map[*protocol.Field]string // strings in members that follow from the protocol
	p      *protocol.Protocol
	// Full is the size up to which optional members are included.
	Full int
}

// never is the size of a type without a finite value.
const never = math.MaxInt32

// New returns a maker for the types of a protocol.
func New(p *protocol.Protocol) *Maker {
	m := &Maker{p: p, size: make(map[protocol.Type]int, len(p.Types)), stack: map[protocol.Type]bool{}, Full: 8}
	for _, t := range p.Types {
		m.size[t] = never
	}
	m.setPlaces(p)
	// Sizes only shrink: each round considers one more level of nesting. Types that remain at never contain
	// themselves.
	for changed := true; changed; {
		changed = false
		for _, t := range p.Types {
			if n := m.measure(t); n < m.size[t] {
				m.size[t], changed = n, true
			}
		}
	}
	return m
}

// measure returns the number of values in the smallest value of a type, as far as known.
func (m *Maker) measure(t protocol.Type) int {
	switch t := t.(type) {
	case *protocol.Struct:
		n := 1
		for _, f := range t.Fields {
			if f.Required {
				n = min(never, n+m.measureOf(f.Type))
			}
		}
		for _, c := range t.Choices {
			n = min(never, n+m.measureOf(protocol.Ref{Type: c.Type}))
		}
		return n
	case *protocol.Union:
		n := never
		for _, v := range t.Variants {
			n = min(n, m.measureOf(v.Type))
		}
		return n
	case *protocol.Alias:
		return m.measureOf(t.Target)
	}
	return 1
}

func (m *Maker) measureOf(e protocol.Expr) int {
	if ref, ok := e.(protocol.Ref); ok {
		if n, known := m.size[ref.Type]; known {
			return n
		}
		return never
	}
	return 1
}

// Of returns an example of a type with its required members and the optional ones that keep it short. It is nil if
// the type has no finite value.
func (m *Maker) Of(t protocol.Type) *Value {
	if n, ok := m.size[t]; !ok || n >= never {
		return nil
	}
	return m.typ(t, "", whole)
}

// Tagged is like Of for a struct with several tags, using the given one.
func (m *Maker) Tagged(s *protocol.Struct, member, tag string) *Value {
	v := m.Of(s)
	if v == nil {
		return nil
	}
	for i := range v.Members {
		if f := v.Members[i].Field; f.Name == member && f.Const == nil {
			v.Members[i].Value = &Value{Text: jsontext.Line(tag), Types: v.Members[i].Value.Types}
		}
	}
	return v
}

// extent is how many members of an object are included.
type extent int

const (
	brief extent = iota // required members
	whole               // optional members as well
)

// typ returns a value of a declared type for the named member.
func (m *Maker) typ(t protocol.Type, name string, much extent) *Value {
	was := m.stack[t]
	m.stack[t] = true
	defer func() { m.stack[t] = was }()
	var v *Value
	switch t := t.(type) {
	case *protocol.Struct:
		v = m.object(t, much)
	case *protocol.Union:
		v = m.union(t, name, much)
	case *protocol.Enum:
		v = enum(t, name)
	case *protocol.Alias:
		if protocol.Underlying(t.Target) == protocol.String && !telling(name) {
			name = t.Name
		}
		v = m.expr(t.Target, name, much)
	}
	v.Types = append([]protocol.Type{t}, v.Types...)
	return v
}

func (m *Maker) object(t *protocol.Struct, much extent) *Value {
	v := &Value{Kind: Object}
	for _, f := range t.Fields {
		if !f.Required && (much == brief || f.Deprecated || isHandedOut(f.Name) || isFree(f.Type) || m.recurs(f.Type) || m.measureOf(f.Type) > m.Full) {
			continue
		}
		v.Members = append(v.Members, Member{f.Name, f, m.member(t, f)})
	}
	m.settle(m.p, v)
	for _, c := range t.Choices {
		v.Choices = append(v.Choices, Chosen{c, m.typ(c.Type, c.Name, brief)})
	}
	// The discriminator comes first, as in hand-written messages.
	slices.SortStableFunc(v.Members, func(a, b Member) int { return cmp.Compare(order(a), order(b)) })
	return v
}

func order(m Member) int {
	if m.Field.Const != nil || len(m.Field.Values) > 0 {
		return 0
	}
	return 1
}

// isFree reports whether a map allows any value, so that an example would say nothing.
func isFree(e protocol.Expr) bool {
	m, ok := protocol.Underlying(e).(protocol.Map)
	return ok && m.Elem == protocol.Any
}

func (m *Maker) member(of *protocol.Struct, f *protocol.Field) *Value {
	name := f.Name
	if name == "id" {
		name = ownID(of.Name)
	}
	switch {
	case f.Const != nil:
		return &Value{Text: f.Const.JSON()}
	case len(f.Values) > 0:
		v := m.expr(f.Type, name, brief)
		v.Text = f.Values[0].JSON()
		return v
	}
	v := m.expr(f.Type, name, brief)
	if holdsURI(f) {
		v.locate()
	}
	if place := m.places[f]; place != "" {
		stated(v, jsontext.Line(place))
	}
	if text, ok := moments[f.Reading.Time()]; ok {
		stated(v, text)
	}
	stated(v, f.Example)
	return v
}

// moments are numbers that are likely by what they count.
var moments = map[string]string{"milliseconds": "1500", "milliseconds since 1970": "1769860800000", "seconds since 1970": "1769860800"}

// recurs reports whether an expression leads back to a type under construction.
func (m *Maker) recurs(e protocol.Expr) bool {
	return m.stack[protocol.Held(e)]
}

// maxDepth is the depth up to which lists and maps are filled.
const maxDepth = 6

func (m *Maker) expr(e protocol.Expr, name string, much extent) *Value {
	switch e := e.(type) {
	case protocol.Scalar:
		return scalar(e, name)
	case protocol.Ref:
		return m.typ(e.Type, name, much)
	case protocol.List:
		v := &Value{Kind: List}
		if m.holds(e.Elem) {
			v.Items = append(v.Items, m.expr(e.Elem, singular(name), brief))
		}
		return v
	case protocol.Map:
		v := &Value{Kind: Dictionary}
		if m.holds(e.Elem) {
			v.Members = append(v.Members, Member{Name: "key", Value: m.expr(e.Elem, "value", brief)})
		}
		return v
	}
	return &Value{Text: "null"}
}

// holds reports whether a list or map is filled.
func (m *Maker) holds(elem protocol.Expr) bool {
	depth := 0
	for _, open := range m.stack {
		if open {
			depth++
		}
	}
	return depth <= maxDepth && !m.recurs(elem) && m.measureOf(elem) <= 4*m.Full
}

// union chooses the first variant that does not lead back to a type under construction, or else the smallest.
func (m *Maker) union(u *protocol.Union, name string, much extent) *Value {
	var best *protocol.Variant
	for _, v := range u.Variants {
		n := m.measureOf(v.Type)
		switch {
		case n >= never || v.Type == protocol.Null:
		case best == nil, m.recurs(best.Type) && !m.recurs(v.Type), m.recurs(best.Type) == m.recurs(v.Type) && n < m.measureOf(best.Type)/4:
			best = v
		}
	}
	if best == nil { // null alone
		return &Value{Text: "null", Branch: u.Variants[0]}
	}
	v := m.expr(best.Type, name, much)
	if u.Kind == protocol.Token {
		v.Branch = best
	}
	if s := protocol.As[*protocol.Struct](best.Type); s != nil && u.Kind == protocol.Tagged {
		retag(v, u, s)
	}
	return v
}

// retag sets the tag of a struct with several tags to one of this union.
func retag(v *Value, u *protocol.Union, s *protocol.Struct) {
	for i := range v.Members {
		f := v.Members[i].Field
		if f == nil || f.Name != u.Dispatch.Member {
			continue
		}
		if s == u.Dispatch.General() {
			v.Members[i].Value.Text = otherThan(u.Dispatch)
		}
		if f.Const != nil || len(f.Values) == 0 {
			continue
		}
		for _, c := range u.Dispatch.Cases {
			if c.Struct == s && len(c.Values) > 0 {
				v.Members[i].Value.Text = c.Values[0].JSON()
			}
		}
	}
}

// otherThan returns a tag that no variant has as its constant.
func otherThan(d *protocol.Dispatch) string {
	var taken []string
	for _, c := range d.Cases {
		taken = append(taken, each.Map(c.Values, protocol.Value.JSON)...)
	}
	for n := 1; ; n++ {
		text := strconv.Itoa(n)
		if d.Kind == protocol.String {
			text = strconv.Quote("other" + strings.Repeat("-more", n-1))
		}
		if !slices.Contains(taken, text) {
			return text
		}
	}
}

func enum(e *protocol.Enum, name string) *Value {
	switch {
	case len(e.Members) > 0:
		return &Value{Text: e.Members[0].Value.JSON()}
	case e.Kind == protocol.Integer:
		return scalar(protocol.Integer, name)
	}
	return scalar(protocol.String, name)
}

// singular returns the singular of an English noun.
func singular(name string) string {
	if strings.HasSuffix(name, "ies") {
		return strings.TrimSuffix(name, "ies") + "y"
	}
	if strings.HasSuffix(name, "s") && !strings.HasSuffix(name, "ss") {
		return strings.TrimSuffix(name, "s")
	}
	return name
}

func scalar(kind protocol.Scalar, name string) *Value {
	if bits, _ := kind.Bits(); bits > 0 {
		return &Value{Text: "1"}
	}
	switch kind {
	case protocol.String:
		return &Value{Text: jsontext.Line(text(name))}
	case protocol.Bool:
		return &Value{Text: "true"}
	case protocol.Number:
		return &Value{Text: "1"}
	case protocol.Float:
		return &Value{Text: "0.5"}
	case protocol.Null:
		return &Value{Text: "null"}
	}
	return &Value{Text: strconv.Quote("anything")}
}
