// Package translate converts messages between two versions of a protocol: what goes to a peer of an older version is
// lowered, what comes from it is lifted. Tables say which members of which types differ. Everything else is copied as it
// is, without decoding it. Where a table cannot say it, a function changes the members of one object.
//
// Generated packages have the tables. Programs need this package to write such functions, see [Object] and [Context].
package translate

// Version converts between the version of a package and an older one.
type Version struct {
	Name  string
	Lower Direction // to the older version
	Lift  Direction // from the older version
}

// Direction converts from one version to the other. A number of a type is its index in Types; 0 means that values are the
// same in both versions.
type Direction struct {
	Types   []Type
	Methods []Method // sorted by name; others are the same
	Codes   []Code   // errors that differ
	// Snapshot and Envelope are the types of what a log has, if the protocol has them.
	Snapshot, Envelope Number
	// Action is the member of an envelope that functions may replace by several, see [Context.Instead]; Sequence is the
	// member with its number, and Origin the one that says which client sent it.
	Action, Sequence, Origin string
}

// Number is the index of a type in a [Direction].
type Number uint16

// Method has the types of a method's parameters and results.
type Method struct {
	Name           string
	To             string // its name in the other version, or "" if it is the same
	Params, Result Number
}

// Code is the code of an error in both versions.
type Code struct {
	From, To int64
	Data     Number // the type of what comes with the error
}

// Kind is what values a [Type] converts.
type Kind uint8

// The kinds of types. A value of another JSON type is left as it is.
const (
	Struct Kind = iota // an object with known members
	List               // an array
	Map                // an object with any members
	Tagged             // a union whose variants differ in the value of a member
	Shaped             // a union whose variants have different members
	Mixed              // a union whose variants have different JSON types
	Text               // a string, one of several
)

// Type says how values are converted.
type Type struct {
	Kind    Kind
	Funcs   []Func   // change an object before its members are converted
	Members []Member // of an object: the members that differ, sorted by name
	Add     []Added  // members that the other version requires
	Channel string   // the member of an object that names the channel for all that is in it
	Item    Number   // of an array or a map
	Tag     string   // the member that tells variants apart
	// Variants are those of a union that differ: sorted by tag, and otherwise in the order in which they are tried.
	Variants []Variant
	Values   []Value // strings that differ
}

// Func changes an object of the one version into one of the other. Members that are in both versions, and differ
// themselves, are converted after it: it sees them as they came, and what it moves must be in the version that it came in.
type Func func(o *Object, c *Context) error

// Member is a member that differs.
type Member struct {
	Name   string
	To     string // its name in the other version, or "" if it is the same
	Type   Number
	Drop   bool // the other version does not have it
	Needed bool // without it, the object is left out too
}

// Added is a member that the other version requires. It is added to objects without one.
type Added struct {
	Name string
	JSON string
}

// Variant is a variant of a union.
type Variant struct {
	// Tag is the value of the tag, as JSON: "" where it is missing or null, and AnyTag for all tags that no other variant
	// has. For variants that differ in their JSON type, it is the first byte of a value, t for a boolean, n for null and 0
	// for a number.
	Tag  string
	Has  []string // the members that it is told by, if no variant before it is
	Sole string   // a member that no other variant has, so that the others need not be looked for, or ""
	Type Number
	Drop bool // the other version does not have it, and the value is left out
}

// AnyTag stands for tags that no other variant has.
const AnyTag = "*"

// Value is a string in both versions.
type Value struct{ From, To string }
