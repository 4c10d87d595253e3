// Package example makes messages that a protocol allows, for people to look at: the same ones every time, with values
// that read like values. Each is kept as a tree that knows the types it is made of, so that it can be written as JSON
// and as Go.
package example

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Value is a value with the types that it is of.
type Value struct {
	Types   []protocol.Type // declared types that it is of, the outermost first: a union, then the variant chosen
	Kind    Kind
	Text    string            // of a scalar, as JSON has it
	Branch  *protocol.Variant // of a union told apart by the kind of JSON value: the one that was chosen
	Members []Member
	Items   []*Value
	Choices []Chosen // of an object that is one of some alternatives as well, in the same JSON object
}

// Chosen is the alternative that an object is beside its members.
type Chosen struct {
	Choice *protocol.Choice
	Value  *Value
}

// all are the members of an object, with those of the alternatives that it is as well.
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

// Kind says what a value is in JSON.
type Kind int

// The kinds of value.
const (
	Scalar Kind = iota
	Object
	Dictionary // an object that is used as a map
	List
)

// Member is a member of an object, or an entry of a dictionary.
type Member struct {
	Name  string
	Field *protocol.Field // nil in dictionaries
	Value *Value
}

// Maker makes examples for one protocol.
type Maker struct {
	size   map[protocol.Type]int // of the smallest value, for types that were looked at
	stack  map[protocol.Type]bool
	places map[*protocol.Field]string // members that name channels → the URI of one
	// Full is how many values an optional member may come with to be part of an example.
	Full int
}

// never is the size of a type that has no finite value.
const never = math.MaxInt32

// New returns a maker for the types of a protocol.
func New(p *protocol.Protocol) *Maker {
	m := &Maker{size: make(map[protocol.Type]int, len(p.Types)), stack: map[protocol.Type]bool{}, Full: 8}
	for _, t := range p.Types {
		m.size[t] = never
	}
	m.places = places(p)
	// Sizes only shrink, each round takes one more level of nesting into account, and what is left at the end
	// contains itself.
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

// measure is how many values the smallest value of a type has, as far as is known yet.
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

// Of makes an example of a type: every member that has to be there, and those optional ones that do not make it long.
// It is nil if the type has no finite value.
func (m *Maker) Of(t protocol.Type) *Value {
	if n, ok := m.size[t]; !ok || n >= never {
		return nil
	}
	return m.typ(t, "", whole)
}

// Tagged is Of for a struct that stands for several tags, with the one that is meant.
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

// extent is how much of an object an example has.
type extent int

const (
	brief extent = iota // what has to be there
	whole               // optional members as well
)

// typ makes a value of a declared type. The name is that of the member it is for.
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
		if !f.Required && (much == brief || f.Deprecated || isFree(f.Type) || m.recurs(f.Type) || m.measureOf(f.Type) > m.Full) {
			continue
		}
		v.Members = append(v.Members, Member{f.Name, f, m.member(f)})
	}
	for _, c := range t.Choices {
		v.Choices = append(v.Choices, Chosen{c, m.typ(c.Type, c.Name, brief)})
	}
	// What says which object it is comes first, as people write it.
	slices.SortStableFunc(v.Members, func(a, b Member) int { return cmp.Compare(order(a), order(b)) })
	return v
}

func order(m Member) int {
	if m.Field.Const != nil || len(m.Field.Values) > 0 {
		return 0
	}
	return 1
}

// isFree reports whether anything at all may stand in a map, of which an example would say nothing.
func isFree(e protocol.Expr) bool {
	m, ok := protocol.Underlying(e).(protocol.Map)
	return ok && m.Elem == protocol.Any
}

func (m *Maker) member(f *protocol.Field) *Value {
	switch {
	case f.Const != nil:
		return &Value{Text: f.Const.JSON()}
	case len(f.Values) > 0:
		v := m.expr(f.Type, f.Name, brief)
		v.Text = f.Values[0].JSON()
		return v
	}
	v := m.expr(f.Type, f.Name, brief)
	if place := m.places[f]; place != "" {
		at := v
		for at.Kind == List && len(at.Items) > 0 {
			at = at.Items[0]
		}
		if at.Kind == Scalar {
			at.Text = jsontext.Line(place)
		}
	}
	return v
}

// places are the members that are stated to name channels, each with the URI of a channel that has a state.
func places(p *protocol.Protocol) map[*protocol.Field]string {
	uri := ""
	for _, c := range p.Channels {
		if c.State != nil && strings.Contains(c.URI, "<") && uri == "" {
			before, rest, _ := strings.Cut(c.URI, "<")
			_, after, _ := strings.Cut(rest, ">")
			uri = before + "1" + after
		}
	}
	r := p.Replication
	if r == nil || uri == "" {
		return nil
	}
	fields := []*protocol.Field{r.Envelope.Channel, r.Snapshot.Channel, r.Dispatch.Channel}
	if s := r.Session; s != nil {
		fields = append(fields, s.Open.Subscriptions, s.Resume.Subscriptions, s.Subscribe.Channel, s.Unsubscribe.Channel)
	}
	out := map[*protocol.Field]string{}
	for _, f := range fields {
		if f != nil && f.Const == nil {
			out[f] = uri
		}
	}
	return out
}

// recurs reports whether an expression leads straight back to what an example is being made of.
func (m *Maker) recurs(e protocol.Expr) bool {
	return m.stack[protocol.Held(e)]
}

// maxDepth is how deep lists and maps in an example have something in them.
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

// holds reports whether a list or map in an example has something in it.
func (m *Maker) holds(elem protocol.Expr) bool {
	depth := 0
	for _, open := range m.stack {
		if open {
			depth++
		}
	}
	return depth <= maxDepth && !m.recurs(elem) && m.measureOf(elem) <= 4*m.Full
}

// union takes the first variant that does not lead back to what an example is being made of, or else the smallest.
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

// retag gives a struct that stands for several tags one that leads to it in this union.
func retag(v *Value, u *protocol.Union, s *protocol.Struct) {
	for i := range v.Members {
		f := v.Members[i].Field
		if f == nil || f.Const != nil || len(f.Values) == 0 || f.Name != u.Dispatch.Member {
			continue
		}
		for _, c := range u.Dispatch.Cases {
			if c.Struct == s && len(c.Values) > 0 {
				v.Members[i].Value.Text = c.Values[0].JSON()
			}
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

// singular is the name of one thing of several.
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
