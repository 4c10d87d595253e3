// Effects: what an action does to the state of its channel, as far as that can be stated as data.

package protocol

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Effect is one step of what an action does. Steps are taken in order, each on what the one before
// it left.
type Effect struct {
	Pos  diag.Pos
	When *Condition // nil: always
	// Target is the member that the operation is about.
	Target Path
	Do     Operation
}

// Operation is what an effect does: *Set, *Clear, *Flag, *Upsert, *Remove, *Merge, *Patch, *Append or *Reorder.
type Operation interface {
	// Text says what is done to a target, so that operations that differ read differently.
	Text(target string, t Telling) string
}

// Telling is how what is inside an operation is told.
type Telling struct {
	Effects func([]*Effect) string // steps inside
	Members func(*Merge) []string  // those of a merge of objects that are worth a word
}

// Path leads through objects to a member, by way of members that may be absent; then there is
// nothing to change. An empty path is the object itself.
type Path []*Field

// Last is the member a path ends at, nil for an empty path.
func (p Path) Last() *Field {
	if len(p) == 0 {
		return nil
	}
	return p[len(p)-1]
}

// String is the path as schemas write it: the names of the members with dots between them, "." for none.
func (p Path) String() string {
	if len(p) == 0 {
		return "."
	}
	var names []string
	for _, f := range p {
		names = append(names, f.Name)
	}
	return strings.Join(names, ".")
}

// Set gives a member the value of a member of the action, or a constant.
type Set struct {
	From  Path   // in the action
	Value *Value // if it is a constant that is no empty container
	Empty bool   // an empty list or map
}

// Clear takes an optional member away.
type Clear struct{}

// Flag changes bits of a bitset: those of Mask are cleared, then Bits are set. With From, a boolean
// of the action decides whether Bits are set or cleared.
type Flag struct {
	Mask, Bits uint64
	From       Path
}

// Upsert replaces the first item of a list with the same key, or else appends.
type Upsert struct {
	Key  Key
	From Path
}

// Remove takes the first item of a list with the key away, or every one.
type Remove struct {
	Key   Key
	From  Path
	Every bool
	Then  []*Effect // on the same object, if something was removed
}

// Merge copies the entries of a map, or the members that an object has, over those of another.
type Merge struct {
	From    Path
	Members []*MergedMember // for objects; nil for maps
	Replace Path            // a boolean of the action: the old entries go; maps only
}

// MergedMember is one member that a merge copies if it is there.
type MergedMember struct{ To, From *Field }

// Patch changes items of a list, or an object.
type Patch struct {
	Key     Key     // nil Paths for an object that needs no key
	From    Path    // the key's value in the action, or a list of them
	Variant *Struct // the items are of a union, and only this variant is changed; nil for structs
	Every   bool    // every item with the key, not just the first
	Effects []*Effect
}

// Append adds an item to the end of a list, or text to the end of a string.
type Append struct {
	From Path
}

// Reorder puts the items of a list into the order of a list of keys. The others follow as they were.
type Reorder struct {
	Key      Key
	From     Path
	Complete bool // nothing changes unless each item is named, and each once
}

// Text says what is set, and to what.
func (o *Set) Text(target string, _ Telling) string {
	switch {
	case o.Empty:
		return "set " + target + " empty"
	case o.Value != nil:
		return "set " + target + " to " + strconv.Quote(o.Value.String())
	}
	return "set " + target + " from " + o.From.String()
}

// Text says what is cleared.
func (*Clear) Text(target string, _ Telling) string { return "clear " + target }

// Text says which bits change.
func (o *Flag) Text(target string, _ Telling) string {
	text := "flag " + target + " bits " + strconv.FormatUint(o.Bits, 10)
	if o.Mask != 0 {
		text += " mask " + strconv.FormatUint(o.Mask, 10)
	}
	return text + o.From.after(" from ")
}

// Text says what is replaced or added.
func (o *Upsert) Text(target string, _ Telling) string {
	return "upsert " + target + o.Key.text() + " from " + o.From.String()
}

// Text says what is removed, and what follows from that.
func (o *Remove) Text(target string, t Telling) string {
	text := "remove" + everyText(o.Every) + " " + target + o.Key.text() + " from " + o.From.String()
	if len(o.Then) > 0 {
		text += " then (" + t.Effects(o.Then) + ")"
	}
	return text
}

// Text says what is merged into what.
func (o *Merge) Text(target string, t Telling) string {
	text := "merge " + target + " from " + o.From.String()
	if names := t.Members(o); len(names) > 0 {
		text += " of " + strings.Join(names, " and ")
	}
	return text + o.Replace.after(" replace ")
}

// Text says what is changed, and how.
func (o *Patch) Text(target string, t Telling) string {
	text := "patch" + everyText(o.Every) + " " + target + o.Key.text() + o.From.after(" from ")
	if o.Variant != nil {
		text += " variant " + o.Variant.Name
	}
	return text + " (" + t.Effects(o.Effects) + ")"
}

// Text says what is appended to what.
func (o *Append) Text(target string, _ Telling) string {
	return "append " + target + " from " + o.From.String()
}

// Text says what gets another order, and which.
func (o *Reorder) Text(target string, _ Telling) string {
	text := "reorder " + target + o.Key.text() + " from " + o.From.String()
	if o.Complete {
		text += " complete"
	}
	return text
}

// after is a path behind a word, nothing for none.
func (p Path) after(word string) string {
	if len(p) == 0 {
		return ""
	}
	return word + p.String()
}

func everyText(every bool) string {
	if every {
		return " every"
	}
	return ""
}

// Key says what identifies an item: the first of the paths that it has, given as wire names. An
// item of a union may have none. No path at all: the item is its own key.
type Key struct{ Paths [][]string }

// text says what identifies an item, nothing for the item itself.
func (k Key) text() string {
	var paths []string
	for _, p := range k.Paths {
		paths = append(paths, strings.Join(p, "."))
	}
	if len(paths) == 0 {
		return ""
	}
	return " by " + strings.Join(paths, " or ")
}

// Condition limits an effect. Exactly one of its forms is used.
type Condition struct {
	Present Path // a member of the action is there

	Member Path   // a member of the action
	Is     *Value // has this value

	State  Path // a member of the state, or of what is patched,
	Equals Path // equals one of the action
}

// KeyMember reports whether a path leads from an object to a string, through objects that always
// are there. The string itself may be missing.
func KeyMember(s *Struct, path []string) bool {
	for i, name := range path {
		f := s.Field(name)
		if f == nil || f.Const != nil || f.Nullable {
			return false
		}
		if i == len(path)-1 {
			return Underlying(f.Type) == String
		}
		ref, _ := Underlying(f.Type).(Ref)
		next, ok := ref.Type.(*Struct)
		if !ok || !f.Required {
			return false
		}
		s = next
	}
	return false
}

// UnionMember returns the member of an object that a path starts with, if it is a union and the rest
// of the path is a key of one of its variants.
func UnionMember(s *Struct, path []string) (*Field, *Union) {
	if len(path) < 2 {
		return nil, nil
	}
	f := s.Field(path[0])
	if f == nil || f.Const != nil || f.Nullable {
		return nil, nil
	}
	ref, _ := Underlying(f.Type).(Ref)
	u, ok := ref.Type.(*Union)
	if !ok || !slices.ContainsFunc(u.Leaves(), func(l *Struct) bool { return KeyMember(l, path[1:]) }) {
		return nil, nil
	}
	return f, u
}
