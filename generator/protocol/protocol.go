// Package protocol is the model between schemas and Go: what a protocol means, free of how
// it was written down and of how a language says it. It holds data and small queries only.
package protocol

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
)

// Protocol is one analysed protocol version.
type Protocol struct {
	Name    string // short name, such as "ahp"
	Title   string // for people, such as "Agent Host Protocol"
	Version string // version of these schemas, "" if it is unknown
	Order   string // how versions of the schemas are written and compared: "numbers", "dates" or "integers"
	Wire    *Wire  // what peers agree on, nil if that is a version of the schemas
	// Confirmed is the version up to which the rules of actions were compared with what the protocol says, if
	// this one is newer; "" if this one was, or nothing is said.
	Confirmed string
	// Supported lists the versions that an implementation of this one can speak, most preferred first: those that
	// peers agree on.
	Supported []string
	Sides     Sides

	Keeps bool // objects keep members that they do not declare

	Types    []Type // in order of declaration; inline types follow the type they are in
	Channels []*Channel
	Actions  *ActionSet // nil if the protocol has no actions
	Methods  []*Method
	Errors   []*ErrorCode

	Handshake  *Handshake  // nil if the sides do not agree on a version
	Extensions *Extensions // nil if nothing says how to extend the protocol
	// Capabilities says what must not be sent to a peer that has not said that it can take it; nil if nothing says so.
	Capabilities *Capabilities
	// Calls says what can be done about requests that take long; nil if nothing can.
	Calls *Calls
	// Batches says that messages may come as batches; nil if they come one by one.
	Batches *Batches
	// Replication says how clients keep copies of states; nil if nothing says so.
	Replication *Replication
	// Lifecycles are the lives of values with a status, as far as they are stated.
	Lifecycles []*Lifecycle

	index *typeIndex // of Types, once one is looked for
}

// Lookup returns the type with the given name, nil if there is none.
func (p *Protocol) Lookup(name string) Type {
	if len(p.Types) == 0 {
		return nil
	}
	if x := p.index; x == nil || x.first != &p.Types[0] || x.n != len(p.Types) {
		p.index = &typeIndex{first: &p.Types[0], n: len(p.Types), names: make(map[string]Type, len(p.Types))}
		for _, t := range slices.Backward(p.Types) {
			p.index.names[t.Head().Name] = t
		}
	}
	return p.index.names[name]
}

// typeIndex finds the types of one list by name.
type typeIndex struct {
	first *Type // of the list: one that has grown or was put in order has another, or another length
	n     int
	names map[string]Type
}

// Header is what every declared type has.
type Header struct {
	// Name is the definition's name; for an inline type its path, such as "Snapshot.state", with
	// "item" and "value" for what lists and maps hold and the tag's value for variants, and a number at
	// its end if another type has the same path. No two types have one name.
	Name       string
	Doc        string   // description as written
	Deprecated bool     // marked deprecated in the schema
	Instead    *Instead // what to use, if it is deprecated and the schema says that
	Pos        diag.Pos // first declaration
	GoName     string   // Go name stated by schema or profile; "" leaves it to the language stage
	Inline     bool     // not a definition of its own
}

// Instead is what to use in the place of something deprecated: a type, or a member of one.
type Instead struct {
	Type  Type
	Field *Field // nil for the type as a whole
}

// String is the name of the definition, with that of the member behind a dot; "" if nothing is said.
func (i *Instead) String() string {
	switch {
	case i == nil:
		return ""
	case i.Field == nil:
		return i.Type.Head().Name
	}
	return i.Type.Head().Name + "." + i.Field.Name
}

// Type is a declared type: *Struct, *Union, *Enum or *Alias.
type Type interface {
	Head() *Header
	isType()
}

// Head returns the part that all declared types share.
func (h *Header) Head() *Header { return h }

// Struct is an object with named members.
type Struct struct {
	Header
	Fields []*Field
	// Choices are alternatives that the object is one of each as well, in the same JSON object.
	Choices []*Choice
	// Extra is the type of undeclared members if the schema gives them one; nil otherwise.
	Extra Expr
	// Partial is the struct this one repeats with every field optional; nil for most.
	Partial *Struct

	index map[string]*Field // of a large struct, once a field is looked for
}

// Field returns the field with the wire name, nil if there is none.
func (s *Struct) Field(name string) *Field {
	const few = 16
	if len(s.Fields) < few {
		for _, f := range s.Fields {
			if f.Name == name {
				return f
			}
		}
		return nil
	}
	if len(s.index) != len(s.Fields) {
		s.index = make(map[string]*Field, len(s.Fields))
		for _, f := range slices.Backward(s.Fields) {
			s.index[f.Name] = f
		}
	}
	return s.index[name]
}

// Whole is the fields, and one that is required for each choice.
func (s *Struct) Whole() []*Field {
	out := slices.Clip(s.Fields)
	for _, c := range s.Choices {
		out = append(out, &Field{Name: c.Key(), Type: Ref{c.Type}, Required: true, Pos: c.Pos})
	}
	return out
}

// Choice is one between alternatives beside the members of a struct.
type Choice struct {
	Name   string // what it is called, since it has no name on the wire
	GoName string // stated by schema or profile; usually ""
	Type   *Union
	Pos    diag.Pos
}

// Key is the name among those of members, which is one that no member is meant to have.
func (c *Choice) Key() string { return "(" + c.Name + ")" }

// Lenience is what of a member may be malformed.
type Lenience struct {
	Value bool // the member counts as left out if it is malformed
	Items bool // its malformed items do
	Null  bool // null is an empty list or map, although the member is required
}

// Field is one member of a struct.
type Field struct {
	Name       string // on the wire
	GoName     string // stated by schema or profile; usually ""
	Doc        string
	Deprecated bool
	Instead    *Instead // what to use, if it is deprecated and the schema says that
	Pos        diag.Pos
	Type       Expr
	Required   bool
	Nullable   bool // null is a value of its own, not another way to leave the member out
	// Default is the JSON text of what the member is if it is left out, "" if that is not said.
	Default string
	// Reading is what a value stands for, Plain for most.
	Reading  Reading
	URI      bool // the schema says that the value is one
	Lenience Lenience
	// Const is the only value the member can have; the codec writes and checks it. Nil for
	// ordinary fields. Only required members are constants.
	Const *Value
	// Values are the values a multi-valued discriminator may have; empty for ordinary fields.
	Values []Value
}

// Expr says what a value looks like: Scalar, Ref, List or Map.
type Expr interface{ isExpr() }

// Ref is a use of a declared type.
type Ref struct{ Type Type }

// List is an array with items of one type.
type List struct{ Elem Expr }

// Map is an object used as a dictionary.
type Map struct{ Elem Expr }

func (Scalar) isExpr() {}
func (Ref) isExpr()    {}
func (List) isExpr()   {}
func (Map) isExpr()    {}

// Alias names an expression, such as a URI that is a string.
type Alias struct {
	Header
	Target   Expr
	Nullable bool // null is among its values

	end Expr // what a long chain of aliases that begins here ends at, once it has been followed
}

// aliasOf returns the alias that an expression is, nil if it is something else.
func aliasOf(e Expr) *Alias {
	ref, _ := e.(Ref)
	a, _ := ref.Type.(*Alias)
	return a
}

// Underlying looks through aliases. An alias that leads in a circle is returned as it is.
func Underlying(e Expr) Expr {
	const few = 8
	for range few {
		a := aliasOf(e)
		if a == nil {
			return e
		}
		e = a.Target
	}
	return farEnd(e)
}

// farEnd is Underlying for long chains, which are only followed once.
func farEnd(e Expr) Expr {
	var way []*Alias
	open := map[*Alias]bool{}
	end := e
	for a := aliasOf(end); a != nil; a = aliasOf(end) {
		if open[a] {
			return e
		}
		if a.end != nil {
			end = a.end
			break
		}
		open[a] = true
		way = append(way, a)
		end = a.Target
	}
	for _, a := range way {
		a.end = end // still nil if the last one has no target yet
	}
	return end
}

// Enum is a set of named values of one scalar kind.
type Enum struct {
	Header
	Kind    Scalar // String or Integer
	Bitset  bool   // values are flags that combine
	Open    bool   // values from newer versions are kept
	Free    bool   // this enum is stated to have other values than those listed
	Members []*EnumMember
}

// EnumMember is one value of an enum.
type EnumMember struct {
	Name  string // stated name, "" if it follows from the value
	Doc   string
	Value Value
	Pos   diag.Pos
}

// UnionKind says how the variants of a union are told apart.
type UnionKind int

// The kinds of union.
const (
	Tagged UnionKind = iota // by a constant member
	Shaped                  // by required members that exclude each other
	Token                   // by the JSON token: string or object, and the like
)

// Union is a choice between variants.
type Union struct {
	Header
	Kind     UnionKind
	Open     bool // unknown variants are kept verbatim
	Anything bool // they may be any JSON, and not only objects
	Variants []*Variant
	// Dispatch is the decision a decoder takes; nil for Token unions.
	Dispatch *Dispatch
	// Elements is the decision between variants that are all lists, by their first item; nil if there is one at most. An
	// empty list is the first of them.
	Elements *Dispatch
	// Tag is the enum of the discriminator's values; nil unless Kind is Tagged by strings.
	Tag *Enum
	// Parents are the unions that hold every variant of this one and more, nearest only.
	Parents []*Union
	// Beside is the definition whose members stand beside the alternatives, "" for a union that is a value of its own.
	Beside string
	// Scope says that this union was made from the actions of one channel, or of all channels
	// that a client may dispatch; it has no definition of its own.
	Scope Scope
}

// Scope tells unions made from the action table from those that stand in a schema.
type Scope int

// The scopes of a union.
const (
	Declared      Scope = iota // stands in a schema
	ChannelScope               // the actions of one channel
	DispatchScope              // the actions that a client may dispatch
)

// Variant is one alternative of a union as the schema lists it.
type Variant struct {
	Name string // for scalar variants: the JSON type
	// Title is what the schema calls one of several variants of a JSON type.
	Title string
	Type  Expr
	Pos   diag.Pos
}

// Leaves returns the struct variants of u in order, nested unions opened, each once.
// Token unions contribute the structs among their branches.
func (u *Union) Leaves() []*Struct {
	var out []*Struct
	seen := map[Type]bool{}
	var walk func(*Union)
	walk = func(u *Union) {
		if seen[u] {
			return
		}
		seen[u] = true
		for _, v := range u.Variants {
			ref, ok := v.Type.(Ref)
			if !ok {
				continue
			}
			switch t := ref.Type.(type) {
			case *Struct:
				if !seen[t] {
					seen[t] = true
					out = append(out, t)
				}
			case *Union:
				walk(t)
			}
		}
	}
	walk(u)
	return out
}

// Lists are the variants of a token union that are lists.
func (u *Union) Lists() []*Variant {
	return slices.DeleteFunc(slices.Clone(u.Variants), func(v *Variant) bool { return v.Name != "array" })
}

// Item is the struct that a list holds, nil if it holds anything else.
func (v *Variant) Item() *Struct {
	list, _ := Underlying(v.Type).(List)
	return As[*Struct](list.Elem)
}

// Value is a constant: a string, an integer or a boolean.
type Value struct {
	Kind Scalar // String, Integer or Bool
	Str  string
	Int  int64
	Bool bool
}

// String is the value as text, strings without quotes.
func (v Value) String() string {
	switch v.Kind {
	case Integer:
		return strconv.FormatInt(v.Int, 10)
	case Bool:
		return strconv.FormatBool(v.Bool)
	}
	return v.Str
}

// JSON is the value as JSON has it.
func (v Value) JSON() string {
	if v.Kind == String {
		return jsontext.Line(v.Str)
	}
	return v.String()
}

// Channel is a stream of actions on one state.
type Channel struct {
	Name   string
	URI    string
	Prefix string  // prefix of the types of its actions; "" if it has none
	State  *Struct // nil if it carries notifications only
	// PassThrough is the member of parameters that names the channel, if the channel carries
	// methods of another protocol; "" for all other channels.
	PassThrough string
	// OtherURIs says that there may be such channels with URIs of other forms.
	OtherURIs bool
	// Shared says that a client may hold such a channel as well, and then sends its state and actions.
	Shared bool
	Doc    string
	Pos    diag.Pos
}

// ActionSet is the union of actions together with what is known of each.
type ActionSet struct {
	Union    *Union
	Client   *Union   // what a client may dispatch; nil if nothing says so
	Channels []*Union // one per channel that has actions, in channel order
	Actions  []*Action
}

// Structs returns the structs of the actions that keep accepts, in table order, each once.
func (s *ActionSet) Structs(keep func(*Action) bool) []*Struct {
	var out []*Struct
	seen := map[*Struct]bool{}
	for _, a := range s.Actions {
		if keep(a) && !seen[a.Struct] {
			seen[a.Struct] = true
			out = append(out, a.Struct)
		}
	}
	return out
}

// Action is one row of the action table: a wire type and a struct that carries it.
type Action struct {
	Type    string
	Struct  *Struct
	Channel *Channel // nil if no channel claims its prefix
	Client  bool     // a client may dispatch it
	Since   string   // version it came in, "" if unknown
	// Effects say what it does, if that is stated. Stated without effects, it changes nothing.
	Stated  bool
	Effects []*Effect
	// Finished tells the reducer that comes finished from another one, "" if there is none.
	Finished string
	Pos      diag.Pos
}

// ErrorCode is one JSON-RPC error code.
type ErrorCode struct {
	Name string
	Code int64
	Data Type // type of the error's data, nil if it has none
	Doc  string
	Pos  diag.Pos
}

func (*Struct) isType() {}
func (*Union) isType()  {}
func (*Enum) isType()   {}
func (*Alias) isType()  {}
