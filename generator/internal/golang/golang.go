// Package golang decides how Go says a protocol: names, types, presence, what implements what. Its
// result is data; package emit prints it. It knows nothing of JSON Schema.
package golang

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Package is everything that will be emitted.
type Package struct {
	Name      string         `go:"identifier"`
	Wire      string         `go:"import"` // import path of what does not depend on the protocol
	WireDir   string         `go:"text"`   // its folder, relative to the package's
	Doc       []string       `go:"comment"`
	Protocol  string         `go:"comment"` // name of the protocol, for headers
	Version   string         `go:"text"`    // of the schemas
	Spoken    string         `go:"text"`    // that peers agree on; the same, unless the protocol has others on the wire
	Order     string         `go:"text"`    // of the versions that peers agree on: "numbers", "dates" or "integers"
	Supported []string       `go:"text"`
	Sides     protocol.Sides // what the protocol calls them, for comments

	Structs []*Struct
	Unions  []*Union
	Enums   []*Enum
	Aliases []*Alias

	Actions  *Actions // nil if the protocol has none
	Channels []*Channel
	Methods  []*Method
	Errors   []*ErrorCode

	Names Names // every name that was chosen, for the next run

	Reducers *Reducers // nil if none are wanted, or no channel has both a state and actions
	RPC      *RPC      // nil if the protocol has no methods
	Sockets  bool      // WebSocket is wanted as a transport
	Bolt     bool      // bbolt is wanted as the log of a server
	Meta     bool      // some object has a member for data beyond the protocol
	Session  *Session  // nil if there is no store, or nothing says how clients come and go
	Store    *Store    // nil if there are no reducers, or nothing says how states are replicated

	declared *declaredTypes
	taken    map[string]bool // identifiers that definitions gave rise to
	prefix   string          `go:"identifier"` // what distinguishes the package's own from them
}

// declaredTypes finds the declarations of types.
type declaredTypes struct {
	structs map[*protocol.Struct]*Struct
	unions  map[*protocol.Union]*Union
	enums   map[*protocol.Enum]*Enum
	aliases map[*protocol.Alias]*Alias
}

// StructOf returns the declaration of a type, which equal inline types share.
func (p *Package) StructOf(t *protocol.Struct) *Struct { return p.declared.structs[t] }

// UnionOf is StructOf for a union.
func (p *Package) UnionOf(t *protocol.Union) *Union { return p.declared.unions[t] }

// EnumOf is StructOf for an enum.
func (p *Package) EnumOf(t *protocol.Enum) *Enum { return p.declared.enums[t] }

// AliasOf is StructOf for an alias.
func (p *Package) AliasOf(t *protocol.Alias) *Alias { return p.declared.aliases[t] }

// TypeOf is a type as a use of its declaration, nil where Go declares none.
func (p *Package) TypeOf(t protocol.Type) Type {
	switch t := t.(type) {
	case *protocol.Struct:
		if s := p.StructOf(t); s != nil {
			return StructType{s}
		}
	case *protocol.Union:
		if u := p.UnionOf(t); u != nil {
			return UnionType{u}
		}
	case *protocol.Enum:
		if e := p.EnumOf(t); e != nil {
			return EnumType{e}
		}
	case *protocol.Alias:
		if a := p.AliasOf(t); a != nil {
			return AliasType{a}
		}
	}
	return nil
}

// NameOf is the name of a type's declaration, "" where Go declares none.
func (p *Package) NameOf(t protocol.Type) string { return declaredName(p.TypeOf(t)) }

// Own is what the package calls something that no definition asks for, such as Client: that, unless a
// definition is called so. Then the name of the protocol goes before it, and a number behind it if that
// is taken as well.
func (p *Package) Own(name string) string { return free(name, p.prefix, p.taken) }

func free(name, prefix string, taken map[string]bool) string {
	own := name
	for i := 1; taken[own]; i++ {
		own = prefix + name
		if i > 1 {
			own += strconv.Itoa(i)
		}
	}
	return own
}

// Type is a Go type as the codec sees it.
type Type interface{ isType() }

// Basic is a built-in Go type.
type Basic string

// The basic types.
const (
	String  Basic = "string"
	Bool    Basic = "bool"
	Int64   Basic = "int64"
	Int8    Basic = "int8"
	Int16   Basic = "int16"
	Int32   Basic = "int32"
	Uint8   Basic = "uint8"
	Uint16  Basic = "uint16"
	Uint32  Basic = "uint32"
	Uint64  Basic = "uint64"
	Float64 Basic = "float64"
	Raw     Basic = "json.RawMessage"
	Number  Basic = "json.Number"
	// RawObject is Raw for an object. It is what a free-form object is inside a list or map: most are
	// passed on, and a map of maps costs several times as much as the text.
	RawObject Basic = "json.RawMessage, an object"
)

// Sized reports whether a type is an integer of another size than the usual one, and whether it may be negative.
func (b Basic) Sized() (ok, signed bool) {
	switch b {
	case Int8, Int16, Int32:
		return true, true
	case Uint8, Uint16, Uint32, Uint64:
		return true, false
	}
	return false, false
}

// Named types and what is made of them.
type (
	// EnumType is a use of an enum.
	EnumType struct{ *Enum }
	// StructType is a use of a struct by value.
	StructType struct{ *Struct }
	// UnionType is a use of a union.
	UnionType struct{ *Union }
	// AliasType is a use of an alias; its Target says how to encode it.
	AliasType struct{ *Alias }
	// Slice is []Elem.
	Slice struct{ Elem Type }
	// Map is map[string]Elem.
	Map struct{ Elem Type }
)

func (Basic) isType()      {}
func (EnumType) isType()   {}
func (StructType) isType() {}
func (UnionType) isType()  {}
func (AliasType) isType()  {}
func (Slice) isType()      {}
func (Map) isType()        {}

// Underlying looks through aliases.
func Underlying(t Type) Type {
	for {
		a, ok := t.(AliasType)
		if !ok {
			return t
		}
		if a.end != nil {
			return a.end
		}
		t = a.Target
	}
}

// settle notes where long chains of aliases end, so that they are only followed once.
func settle(aliases []*Alias) {
	for _, a := range aliases {
		var way []*Alias
		var t Type = AliasType{a}
		for {
			at, ok := t.(AliasType)
			if !ok {
				break
			}
			if at.end != nil {
				t = at.end
				break
			}
			way = append(way, at.Alias)
			t = at.Target
		}
		for _, w := range way {
			w.end = t
		}
	}
}

// HasNull reports whether null is one of the type's own values, so that it does not stand for a
// member that is not there.
func HasNull(t Type) bool {
	switch t := Underlying(t).(type) {
	case Basic:
		return t == Raw
	case UnionType:
		return slices.ContainsFunc(t.Tokens, func(tok *Token) bool { return tok.Kind == 'n' })
	}
	return false
}

// Presence is how a field says that its member is there.
type Presence int

// The kinds of presence.
const (
	Required Presence = iota // always written
	Optional                 // left out if nil
	Nullable                 // always written, nil is null
	Maybe                    // absent, null and a value all differ
)

// Field is a field of a struct.
type Field struct {
	Name     string   `go:"identifier"`
	Wire     string   `go:"text"`
	Doc      []string `go:"comment"`
	Type     Type
	Presence Presence
	// Pointer says that the field's Go type is a pointer to Type, because Type has no nil.
	Pointer bool
	// Values are the only ones a discriminator may have; empty for ordinary fields.
	Values []string `go:"text"`
	// Default is the JSON text of what is meant if the member is left out; DefaultName is the method that returns it.
	Default     string `go:"text"`
	DefaultName string `go:"identifier"`
	// Reading is what a value stands for; ReadingName is the method that returns that.
	Reading     protocol.Reading
	ReadingName string `go:"identifier"`
	// URI says that it is a URI that must be there, which an empty text is not.
	URI bool
	// Lenient says that the field stays empty if its member is malformed, Fitting that malformed items are dropped,
	// NullEmpty that it stays empty if a required member is null.
	Lenient, Fitting, NullEmpty bool
}

// beLenient takes over what may be malformed, as far as the type has it.
func (f *Field) beLenient(with protocol.Lenience) {
	f.Lenient = with.Value
	switch Underlying(f.Type).(type) {
	case Slice:
		f.Fitting = with.Items && f.Presence != Maybe
		f.NullEmpty = with.Null && f.Presence == Required
	case Map:
		f.NullEmpty = with.Null && f.Presence == Required
	}
}

// Choice is a field for the alternative that an object is beside its members.
type Choice struct {
	Name  string `go:"identifier"`
	Key   string `go:"text"` // among the names of members
	Union *Union
}

// Const is a member with one value, which is no field: the codec writes and checks it.
type Const struct {
	Wire  string `go:"text"`
	Value protocol.Value
}

// Struct is a Go struct.
type Struct struct {
	Pos     diag.Pos // of the definition
	Name    string   `go:"identifier"`
	Doc     []string `go:"comment"`
	Consts  []Const
	Fields  []*Field
	Choices []*Choice
	Keeps   bool     // it keeps what it does not declare
	Extra   Type     // type of undeclared members, nil if they are dropped
	Markers []*Union // interfaces it belongs to, those of parents included
	Tags    []Tag

	Accessors []Accessor
	Label     string `go:"text"` // how error paths call it if it is a variant, such as chat/delta
	Place     int    // those with a lower one stand before it
	Floor     bool   // it is a type of the floor, and declared there

	index map[string]*Field // by wire name, once a field is looked for
}

// Field returns the field for a member, nil if there is none.
func (s *Struct) Field(wire string) *Field {
	if len(s.index) != len(s.Fields) {
		s.index = make(map[string]*Field, len(s.Fields))
		for _, f := range s.Fields {
			s.index[f.Wire] = f
		}
	}
	return s.index[wire]
}

// Tag is a method that returns a variant's tag.
type Tag struct {
	Enum  *Enum
	Const string `go:"identifier"` // constant to return, or
	Field string `go:"identifier"` // field that holds the tag
	// Convert says that the field has another type: that of the tags of another union.
	Convert bool
}

// Union is a sealed interface.
type Union struct {
	Pos      diag.Pos // of the definition
	Name     string   `go:"identifier"`
	Doc      []string `go:"comment"`
	Decode   string   `go:"identifier"` // its decoder, "" if no schema declares it
	Read     bool     // something decodes it, be it as a part of something else
	Kind     protocol.UnionKind
	Parents  []*Union
	Tag      *Enum // enum of its tags, nil if it is not tagged by strings
	Own      bool  // declares the tag method itself rather than through a parent
	Structs  []*Struct
	Cases    *Dispatch // nil for token unions
	Tokens   []*Token  // variants of token unions
	Unknown  *Unknown  // kept variants; nil for closed unions
	Anything bool      // kept variants may be any JSON, and not only objects
	Beside   bool      // its variants stand beside the members of a struct, in one object with these
	Scalars  []*Scalar // named scalars among its variants

	Accessors []Accessor

	family []*Union // itself with all that contain it, once asked for
}

// Unknown is the type that keeps variants from newer versions.
type Unknown struct {
	Name    string `go:"identifier"`
	Owner   *Union
	Field   string `go:"identifier"` // Go name of the tag field, "" if there is no tag
	Tag     *Enum  // type of the tag; nil for tags that are integers
	Markers []*Union
	Others  []OtherTag // tags that other unions it is in are told apart by

	Accessors []Accessor
}

// OtherTag is a tag of an unknown variant that is found in the object it keeps.
type OtherTag struct {
	Enum   *Enum
	Member string `go:"text"`
}

// Dispatch is one decision of a decoder.
type Dispatch struct {
	Member string `go:"text"`
	Kind   protocol.Scalar
	Cases  []*Case
	// Untagged is the tag that is meant if there is none, "" if there has to be one.
	Untagged string `go:"text"`
	Stated   bool   // the cases have signs
	Absent   bool   // the variant with the tag "" is meant if there is none
	Lenient  bool   // so is it if the tag is no string
}

// Sign is something that an object has.
type Sign struct {
	Path []string `go:"text"`
	Is   []string `go:"text"`
}

// Case is one outcome of a decision.
type Case struct {
	Signs  []Sign
	Values []protocol.Value
	Marker string `go:"text"`
	Struct *Struct
	Next   *Dispatch
}

// Token is a variant recognised by its JSON token.
type Token struct {
	Kind   byte   // as decoder.kind returns it
	Word   string `go:"text"`
	Scalar *Scalar
	Struct *Struct
	Union  *Union

	// Lists are the variants where several are lists; Items is the decision between them by the first item.
	Lists []List
	Items *Dispatch
}

// List is a variant that is a list, with what it holds.
type List struct {
	Scalar *Scalar
	Item   *Struct
}

// Scalar is a variant that wraps something that is no struct.
type Scalar struct {
	Name    string   `go:"identifier"`
	Doc     []string `go:"comment"`
	Type    Type     // nil for null
	Markers []*Union
}

// Enum is a named string or integer type with constants.
type Enum struct {
	// Extension is what values begin with that belong to extensions, "" if none do.
	Extension string   `go:"text"`
	Pos       diag.Pos // of the definition
	Name      string   `go:"identifier"`
	Doc       []string `go:"comment"`
	Base      string   `go:"identifier"` // string, int64 or uint64
	Bitset    bool
	Named     bool // its values are texts that are not empty, those that are listed
	Closed    bool // and all others: it is not stated to have any
	Members   []EnumMember
}

// EnumMember is one constant.
type EnumMember struct {
	Name  string   `go:"identifier"`
	Doc   []string `go:"comment"`
	Value protocol.Value
}

// Alias is a Go type alias.
type Alias struct {
	Pos    diag.Pos // of the definition
	Name   string   `go:"identifier"`
	Doc    []string `go:"comment"`
	Target Type
	Place  int // as that of structs, before which it stands

	end Type // what is below all aliases
}

// Actions is the action table.
type Actions struct {
	Union *Union
	Rows  []Action
}

// Action is one row of the action table.
type Action struct {
	Const   string `go:"identifier"` // constant of the type
	Struct  *Struct
	Channel string `go:"identifier"` // constant of the channel, "" if it has none
	Client  bool
	Since   string `go:"text"`
}

// Channel is one row of the channel table.
type Channel struct {
	Const  string   `go:"identifier"`
	Name   string   `go:"text"`
	URI    string   `go:"text"`
	Prefix string   `go:"text"`
	Doc    []string `go:"comment"`
}

// Method is one row of the method table.
type Method struct {
	Wire         string `go:"text"`
	Const        string `go:"identifier"` // of its name, "" if there is none
	Sender       string `go:"text"`       // what the protocol calls who sends it
	Name         string `go:"identifier"` // of the Go method that sends it, and the field that handles it
	From         protocol.Side
	Notification bool
	Params       Type
	Result       Type
	NullResult   bool     // the result may be null, which is nil
	Since        string   `go:"text"`
	Doc          []string `go:"comment"`
}

// ErrorCode is one row of the error table.
type ErrorCode struct {
	Const string `go:"identifier"`
	Name  string `go:"text"`
	Code  int64
	Data  Type
	Doc   []string `go:"comment"`
}
