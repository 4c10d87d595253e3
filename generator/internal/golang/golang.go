// Package golang determines how Go expresses a protocol: names, types, presence, and interfaces. Its result is data
// for package emit. It is independent of JSON Schema.
package golang

import (
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Package is an emitted package.
type Package struct {
	Name            string           `go:"identifier"`
	ImportPath      string           `go:"import"`
	Random          string           `go:"identifier"` // name of the package of random values, and of its folder
	Wire            string           `go:"import"`     // import path of the runtime
	WireDir         string           `go:"text"`       // its folder relative to the package
	Doc             []string         `go:"comment"`
	Protocol        string           `go:"comment"` // protocol name for headers
	Version         string           `go:"text"`    // version of the schemas
	Spoken          string           `go:"text"`    // negotiated version
	Order           string           `go:"text"`    // order of negotiated versions: "numbers", "dates" or "integers"
	Supported       []string         `go:"text"`
	Speaks          []*table.Version // older versions that are translated, newest first
	OwnTranslations []string         `go:"identifier"` // functions of these that the user writes
	Sides           protocol.Sides   // the protocol's names for them, for comments

	Structs []*Struct
	Unions  []*Union
	Enums   []*Enum
	Aliases []*Alias

	Actions  *Actions // nil without actions
	Channels []*Channel
	Methods  []*Method
	Errors   []*ErrorCode

	Customs []*Custom // types of the user's

	Names Names // all chosen names, for the next run

	Reducers        *Reducers // nil if omitted, or without channels that have a state and actions
	RPC             *RPC      // nil without methods
	Sockets, Web    bool      // with WebSocket transport, with HTTP
	OTel            bool      // with OpenTelemetry observer
	Handles         []*Handle
	Constructors    []*Constructor
	Bolt, JetStream bool     // with bbolt log, with NATS log
	LogTest         bool     // with tests of logs
	Meta            bool     // an object has a metadata member
	Session         *Session // nil without a store or a stated session
	Parts           Parts    // what of this is emitted
	TakesMissing    bool     // decoders report required members that are missing, and go on
	Store           *Store   // nil without reducers or stated replication

	declaredTypes
	taken  map[string]bool // identifiers derived from definitions
	prefix string          `go:"identifier"` // prefix that avoids conflicts with them
}

// TranslationsType is the type whose methods are the functions between versions that the user writes.
const TranslationsType = "translations"

// declaredTypes maps types to their declarations, which equal inline types share.
type declaredTypes map[protocol.Type]Type

// TypeOf returns a reference to a declared type, or nil.
func (d declaredTypes) TypeOf(t protocol.Type) Type { return d[t] }

// StructOf returns the declaration of a struct, or nil.
func (d declaredTypes) StructOf(t *protocol.Struct) *Struct {
	s, _ := d[t].(StructType)
	return s.Struct
}

// UnionOf returns the declaration of a union, or nil.
func (d declaredTypes) UnionOf(t *protocol.Union) *Union {
	u, _ := d[t].(UnionType)
	return u.Union
}

// EnumOf returns the declaration of an enum, or nil.
func (d declaredTypes) EnumOf(t *protocol.Enum) *Enum {
	e, _ := d[t].(EnumType)
	return e.Enum
}

// AliasOf returns the declaration of an alias, or nil.
func (d declaredTypes) AliasOf(t *protocol.Alias) *Alias {
	a, _ := d[t].(AliasType)
	return a.Alias
}

// NameOf returns the name of a declared type, or "".
func (p *Package) NameOf(t protocol.Type) string { return declaredName(p.TypeOf(t)) }

// Own returns a name for something the package declares itself, such as Client. If a definition has that name, the
// protocol's name is prefixed, and a number appended if that is taken as well.
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

// Type is a Go type.
type Type interface{ isType() }

// Basic is a predeclared Go type.
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
	// RawObject is Raw for an object, used for free-form objects in lists and maps: most are passed on, and nested
	// maps cost several times as much as text.
	RawObject Basic = "json.RawMessage, an object"
)

// Sized reports whether a type is a sized integer, and whether it is signed.
func (b Basic) Sized() (ok, signed bool) {
	bits, signed := b.bits()
	return bits > 0 && b != Int64, signed
}

// Named and composite types.
type (
	// EnumType refers to an enum.
	EnumType struct{ *Enum }
	// StructType refers to a struct by value.
	StructType struct{ *Struct }
	// UnionType refers to a union.
	UnionType struct{ *Union }
	// AliasType refers to an alias.
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

// Underlying resolves aliases.
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

// settle caches the ends of long alias chains.
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

// Presence is how the presence of a member is represented.
type Presence int

// The kinds of presence.
const (
	Required Presence = iota // always encoded
	Optional                 // omitted if nil
	Nullable                 // always encoded, nil as null
	Maybe                    // distinguishes absent, null and a value
)

// Field is a struct field.
type Field struct {
	Name     string   `go:"identifier"`
	Wire     string   `go:"text"`
	Doc      []string `go:"comment"`
	Type     Type
	Tag      []TagPair // struct tag
	Presence Presence
	// Pointer reports whether the field is a pointer to Type, because Type has no nil.
	Pointer bool
	// Values are the values of a discriminator field.
	Values []string `go:"text"`
	// Default is the JSON text of the default; DefaultName is its accessor.
	Default     string `go:"text"`
	DefaultName string `go:"identifier"`
	// Filled is the constant that stands for the empty text of an enum, and is read if the member is missing, or "".
	Filled string `go:"identifier"`
	// Reading is the interpretation of the value; ReadingName is its accessor.
	Reading     protocol.Reading
	ReadingName string `go:"identifier"`
	// URI says that it is a URI that must be there, which an empty text is not.
	URI bool
	// Lenient: a malformed member is dropped. Fitting: malformed items are dropped. NullEmpty: null is accepted for a
	// required member.
	Lenient, Fitting, NullEmpty bool
	// Limits are constraints beyond the type.
	Limits *protocol.Constraints
}

// beLenient copies the leniencies that apply to the type.
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

// Choice is the field for an alternative in the same object.
type Choice struct {
	Name  string `go:"identifier"`
	Key   string `go:"text"` // unique among member names
	Union *Union
}

// Const is a constant member, which has no field.
type Const struct {
	Wire     string `go:"text"`
	Value    protocol.Value
	Optional bool // it is written, and may be missing in what is read
}

// Struct is a Go struct.
type Struct struct {
	Pos     diag.Pos // position of the definition
	Name    string   `go:"identifier"`
	Doc     []string `go:"comment"`
	Consts  []Const
	Fields  []*Field
	Choices []*Choice
	Keeps   bool     // keeps undeclared members
	Extra   Type     // type of undeclared members, or nil
	Markers []*Union // interfaces it implements, including parents
	Tags    []Tag

	Accessors []Accessor
	Label     string `go:"text"` // name in error paths for a variant, such as chat/delta
	Place     int    // sort key of the declaration
	Floor     bool   // declared in the runtime

	Limits, ExtraLimits *protocol.Constraints // on the number of members, and on undeclared ones
	Validates           bool                  // values may violate constraints

	index map[string]*Field // by wire name, built on demand
}

// Field returns the field for a member, or nil.
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
	Field string `go:"identifier"` // field with the tag
	// Convert reports whether the field has the tag type of another union.
	Convert bool
}

// Union is a sealed interface.
type Union struct {
	Pos      diag.Pos // position of the definition
	Name     string   `go:"identifier"`
	Doc      []string `go:"comment"`
	Decode   string   `go:"identifier"` // name of the decoder, or "" for a derived union
	Read     bool     // something decodes it
	Kind     protocol.UnionKind
	Parents  []*Union
	Tag      *Enum // enum of its tags, or nil
	Own      bool  // declares the tag method itself rather than inheriting it
	Structs  []*Struct
	Cases    *protocol.Dispatch // nil for token unions
	Tokens   []*Token           // variants of token unions
	Unknown  *Unknown           // kept variants; nil for closed unions
	Anything bool               // kept variants may be any JSON value
	Apart    bool               // keeps alternatives that cannot be told apart like unknown ones
	Beside   bool               // its variants are part of the enclosing object
	Scalars  []*Scalar          // named scalars among its variants

	Accessors []Accessor

	family []*Union // itself and the unions that contain it, built on demand
}

// Unknown is the type that keeps unknown variants.
type Unknown struct {
	Name    string `go:"identifier"`
	Owner   *Union
	Field   string `go:"identifier"` // Go name of the tag field, or ""
	Tag     *Enum  // type of the tag; nil for integers
	Markers []*Union
	Others  []OtherTag // tags of other unions it belongs to

	Accessors []Accessor
}

// OtherTag is a tag of an unknown variant, read from the kept object.
type OtherTag struct {
	Enum   *Enum
	Member string `go:"text"`
}

// Token is a variant identified by its JSON token.
type Token struct {
	Kind   byte   // as returned by Decoder.Kind
	Word   string `go:"text"`
	Scalar *Scalar
	Struct *Struct
	Union  *Union

	// Lists are the variants if several are lists; Items decides between them by the first item.
	Lists []List
	Items *protocol.Dispatch
}

// List is a list variant with its item.
type List struct {
	Scalar *Scalar
	Item   *Struct
}

// Scalar is a variant that wraps a non-struct.
type Scalar struct {
	Name    string   `go:"identifier"`
	Doc     []string `go:"comment"`
	Type    Type     // nil for null
	Markers []*Union
	Limits  *protocol.Constraints
}

// Enum is a named string or integer type with constants.
type Enum struct {
	// Extension is the prefix of extension values, or "".
	Extension string   `go:"text"`
	Name      string   `go:"identifier"`
	Doc       []string `go:"comment"`
	Base      string   `go:"identifier"` // string, int64 or uint64
	Bitset    bool
	Closed    bool // there are no values but those that are listed
	Named     bool // its values are texts that are not empty, those that are listed
	Members   []EnumMember
}

// EnumMember is a constant.
type EnumMember struct {
	Name  string   `go:"identifier"`
	Doc   []string `go:"comment"`
	Value protocol.Value
}

// Alias is a Go type alias.
type Alias struct {
	Pos    diag.Pos // position of the definition
	Name   string   `go:"identifier"`
	Doc    []string `go:"comment"`
	Target Type
	Limits *protocol.Constraints
	Place  int // sort key; aliases precede structs

	end Type // resolved type
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
	Channel string `go:"identifier"` // constant of the channel, or ""
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
	Const        string `go:"identifier"` // constant of its name, or ""
	Sender       string `go:"text"`       // the protocol's name for the sender
	Name         string `go:"identifier"` // Go name of the sending method and the handler field
	From         protocol.Side
	Notification bool
	Params       Type
	Result       Type
	NullResult   bool     // the result may be null, represented by nil
	Stream       bool     // there are several results
	Since        string   `go:"text"`
	Doc          []string `go:"comment"`
}
