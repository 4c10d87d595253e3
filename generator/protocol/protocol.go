// Package protocol is the model between schemas and Go: what a protocol means, independent of how it was written and
// of the target language. It contains data and simple queries.
package protocol

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
)

// Protocol is an analysed protocol version.
type Protocol struct {
	Name    string // short name, such as "ahp"
	Title   string // display name, such as "Agent Host Protocol"
	Version string // version of the schemas, or ""
	Order   string // order of schema versions: "numbers", "dates" or "integers"
	Wire    *Wire  // negotiated versions, or nil if peers negotiate schema versions
	// Confirmed is the last version for which action rules were checked against the specification, if this one is
	// newer; otherwise "".
	Confirmed string
	// Supported lists the negotiated versions that an implementation can speak, preferred first.
	Supported []string
	Sides     Sides
	Synonyms  [][]string // groups of words by which people look for the same thing

	Keeps bool // objects keep undeclared members

	Undecided []string // paths of unions that are raw JSON, since their alternatives cannot be told apart

	Types    []Type // in declaration order; inline types follow the type that contains them
	Channels []*Channel
	Actions  *ActionSet // nil without actions
	Methods  []*Method
	Errors   []*ErrorCode

	Handshake  *Handshake  // nil without version negotiation
	Extensions *Extensions // nil if extensions are not specified
	// Capabilities lists what requires a capability of the peer, or is nil.
	Capabilities *Capabilities
	// Calls describes the cancellation and progress of requests, or is nil.
	Calls *Calls
	// Batches describes message batches, or is nil without them.
	Batches *Batches
	// Envelope describes the messages, nil for those of JSON-RPC 2.0.
	Envelope *Envelope
	// HTTP describes how messages travel over HTTP, or is nil if nothing is stated.
	HTTP *HTTP
	// Handles are things with ids that requests repeat.
	Handles []*Handle
	// Constructors are functions that make values.
	Constructors []*Constructor
	// Replication describes how clients keep copies of states, or is nil.
	Replication *Replication
	// Lifecycles are the stated lifecycles.
	Lifecycles []*Lifecycle

	index *typeIndex // index of Types, built on demand
}

// Lookup returns the type with the given name, or nil.
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

// typeIndex indexes a list of types by name.
type typeIndex struct {
	first *Type // identifies the list, together with its length
	n     int
	names map[string]Type
}

// Header holds what all declared types have.
type Header struct {
	// Name is the definition's name. For an inline type it is its path, such as "Snapshot.state", with "item" and
	// "value" for elements, tags for variants, and a numeric suffix for duplicates. Names are unique.
	Name       string
	Former     string   // path of an inline type before alternatives were named after what tells them apart, or ""
	Doc        string   // description
	Deprecated bool     // deprecated in the schema
	Instead    *Instead // replacement if deprecated, or nil
	Stability  Stability
	Pos        diag.Pos // position of the first declaration
	GoName     string   // stated Go name, or ""
	Inline     bool     // not a separate definition
	Beneath    []Type   // definitions that raw JSON in it can hold, by what its schemas refer to
}

// Instead is the replacement of something deprecated: a type or a member.
type Instead struct {
	Type  Type
	Field *Field // nil for the type
}

// String returns Definition or Definition.member, or "" for nil.
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

// Head returns the common part of declared types.
func (h *Header) Head() *Header { return h }

// Struct is an object with named members.
type Struct struct {
	Header
	Fields []*Field
	// Choices are alternatives whose members are part of the same JSON object.
	Choices []*Choice
	// Extra is the type of undeclared members, or nil if not stated.
	Extra Expr
	// Limits are the constraints on the number of members.
	Limits *Constraints
	// ExtraLimits are the constraints on undeclared members.
	ExtraLimits *Constraints
	// Partial is the struct that this one repeats with all fields optional, or nil.
	Partial *Struct

	index map[string]*Field // index of a large struct, built on demand
}

// Field returns the field with the wire name, or nil.
func (s *Struct) Field(name string) *Field {
	const few = 16
	if len(s.Fields) < few {
		return each.First(s.Fields, func(f *Field) bool { return f.Name == name })
	}
	if len(s.index) != len(s.Fields) {
		s.index = make(map[string]*Field, len(s.Fields))
		for _, f := range slices.Backward(s.Fields) {
			s.index[f.Name] = f
		}
	}
	return s.index[name]
}

// Whole returns the fields, with one required field for each choice.
func (s *Struct) Whole() []*Field {
	out := slices.Clip(s.Fields)
	for _, c := range s.Choices {
		out = append(out, &Field{Name: c.Key(), Type: Ref{c.Type}, Required: true, Pos: c.Pos})
	}
	return out
}

// Choice is a union whose variants' members are part of the enclosing object.
type Choice struct {
	Name   string // name within the package, since it has none on the wire
	GoName string // stated Go name, usually ""
	Type   *Union
	Pos    diag.Pos
}

// Key returns the name among the fields, which no member can have.
func (c *Choice) Key() string { return "(" + c.Name + ")" }

// Lenience states what may be malformed in a member.
type Lenience struct {
	Value bool // a malformed value counts as absent
	Items bool // malformed items are dropped
	Null  bool // null counts as an empty list or map in a required member
}

// Field is one member of a struct.
type Field struct {
	Name       string // wire name
	GoName     string // stated Go name, usually ""
	Doc        string
	Deprecated bool
	Stability  Stability
	Instead    *Instead // replacement if deprecated, or nil
	Pos        diag.Pos
	Type       Expr
	Required   bool
	Nullable   bool // null is distinct from absent
	// Default is the JSON text of the default value, or "".
	Default string
	// Absent is the JSON text of what the member stands for where it is left out, or "": its default, also if it may be null, or that
	// of the definition that it refers to, for which there is no method in Go.
	Absent string
	// Example is the JSON text of a value that is typical, or "".
	Example string
	// Reading is the interpretation of the value.
	Reading  Reading
	URI      bool // the schema says that the value is one
	Lenience Lenience
	// Const is the only allowed value, which the codec writes and checks, or nil. Members that may be missing are constants if
	// that value is their default, or tells the variants of a union apart.
	Const *Value
	// Values are the values of a discriminator with several values, or nil.
	Values []Value
	// Limits are constraints beyond the type, without those of a definition that the type refers to.
	Limits *Constraints
}

// Expr is the type of a value: Scalar, Ref, List or Map.
type Expr interface{ isExpr() }

// Ref refers to a declared type.
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
	Nullable bool // null is allowed
	Limits   *Constraints

	end Expr // end of a long alias chain, cached
}

// aliasOf returns the alias that an expression refers to, or nil.
func aliasOf(e Expr) *Alias {
	ref, _ := e.(Ref)
	a, _ := ref.Type.(*Alias)
	return a
}

// Underlying resolves aliases. A cyclic alias is returned as it is.
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

// farEnd resolves a long chain of aliases and caches the result.
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
		a.end = end // nil if the last one has no target yet
	}
	return end
}

// Enum is a set of named values of one scalar kind.
type Enum struct {
	Header
	Kind    Scalar // String or Integer
	Bitset  bool   // values are combinable flags
	Open    bool   // unknown values are kept
	Members []*EnumMember
}

// EnumMember is a value of an enum.
type EnumMember struct {
	Name  string // stated name; "" derives it from the title or the value
	Title string // of a number, which has no name by nature
	Doc   string
	Value Value
	Pos   diag.Pos
}

// UnionKind is how the variants of a union are distinguished.
type UnionKind int

// The kinds of unions.
const (
	Tagged UnionKind = iota // by a constant member
	Shaped                  // by mutually exclusive required members
	Token                   // by the kind of JSON token
)

// Union is a choice between variants.
type Union struct {
	Header
	Kind     UnionKind
	Open     bool // unknown variants are kept
	Anything bool // unknown variants may be any JSON value
	Variants []*Variant
	// Apart are the alternatives that cannot be told apart, and are kept like unknown variants, by their names.
	Apart []string
	// Dispatch is the decoder's decision, or nil for Token unions.
	Dispatch *Dispatch
	// Elements is the decision between several list variants by the first item, or nil. An empty list is the first
	// variant.
	Elements *Dispatch
	// Tag is the enum of discriminator values, or nil unless the union is Tagged by strings.
	Tag *Enum
	// Parents are the closest unions that contain all variants of this one.
	Parents []*Union
	// Beside is the definition of the enclosing object if the variants are part of it, or "".
	Beside string
	// Scope tells declared unions from those derived from actions.
	Scope Scope
}

// Scope is the origin of a union.
type Scope int

// The scopes of a union.
const (
	Declared      Scope = iota // declared in a schema
	ChannelScope               // derived: the actions of a channel
	DispatchScope              // derived: the actions clients may dispatch
)

// Variant is an alternative of a union.
type Variant struct {
	Name string // JSON type of a scalar variant
	// Title is the title of the alternative, if several have the same JSON type.
	Title string
	Type  Expr
	Pos   diag.Pos
	// Limits are constraints beyond the type, of a variant that is no object.
	Limits *Constraints
}

// Leaves returns the struct variants of u in order, including those of nested unions, without duplicates.
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

// Lists returns the list variants of a token union.
func (u *Union) Lists() []*Variant {
	return slices.DeleteFunc(slices.Clone(u.Variants), func(v *Variant) bool { return v.Name != "array" })
}

// Item returns the struct in a list, or nil.
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

// String returns the value as text, without quotes.
func (v Value) String() string {
	switch v.Kind {
	case Integer:
		return strconv.FormatInt(v.Int, 10)
	case Bool:
		return strconv.FormatBool(v.Bool)
	}
	return v.Str
}

// Plain returns the value as decoded JSON, integers as int64.
func (v Value) Plain() any {
	switch v.Kind {
	case Integer:
		return v.Int
	case Bool:
		return v.Bool
	}
	return v.Str
}

// JSON returns the value as JSON.
func (v Value) JSON() string {
	if v.Kind == String {
		return jsontext.Line(v.Str)
	}
	return v.String()
}

func (*Struct) isType() {}
func (*Union) isType()  {}
func (*Enum) isType()   {}
func (*Alias) isType()  {}
