// Effects: what an action does to the state of its channel, as far as that can be stated as data.

package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Effect is one step of what an action does. Steps are taken in order, each on what the one before
// it left.
type Effect struct {
	When *Condition // nil: always
	// Target is the member that the operation is about.
	Target Path
	Do     Operation
}

// Operation is what an effect does: *Set, *Clear, *Flag, *Upsert, *Remove, *Merge, *Patch, *Append, *Reorder or *Exchange.
type Operation interface {
	// Text says what is done to a target, so that operations that differ read differently.
	Text(target string, t Telling) string
	// Words say it to people.
	Words(target Path) Words
}

// Words are how an operation reads, wherever people are told of it.
type Words struct {
	Does  string // in the comment of a reducer, before the target: "replaces or adds an item of"
	Arrow string // beside an arrow that leads to the target: "puts into"

	Sentence string   // of its own, with a %s for each of Names
	Names    []string // as in a program: paths, values, variants

	Inside []*Effect // on what it changes
	Then   []*Effect // on the same object, if something was changed
}

// of is the sentence that words are, with names in it.
func (w Words) of(sentence string, names ...string) Words {
	w.Sentence, w.Names = sentence, names
	return w
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

// Exchange puts an item in the place of the first with a key, if there is one.
type Exchange struct {
	Key  Key
	From Path
	Old  Path // the key in the action; none for that of the item
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

// Words say what is set, and to what.
func (o *Set) Words(target Path) Words {
	w := Words{Does: "sets", Arrow: "sets"}
	switch {
	case o.Empty:
		return w.of("Empties %s.", target.inState())
	case o.Value != nil:
		return w.of("Sets %s to %s.", target.inState(), o.Value.code())
	}
	return w.of("Sets %s to %s.", target.inState(), o.From.inAction())
}

// Text says what is cleared.
func (*Clear) Text(target string, _ Telling) string { return "clear " + target }

// Words say what is cleared.
func (*Clear) Words(target Path) Words {
	return Words{Does: "clears", Arrow: "clears"}.of("Takes %s away.", target.inState())
}

// Text says which bits change.
func (o *Flag) Text(target string, _ Telling) string {
	text := "flag " + target + " bits " + strconv.FormatUint(o.Bits, 10)
	if o.Mask != 0 {
		text += " mask " + strconv.FormatUint(o.Mask, 10)
	}
	return text + o.From.after(" from ")
}

// Words say which bits change.
func (o *Flag) Words(target Path) Words {
	w := Words{Does: "sets bits of", Arrow: "sets"}
	bits := func(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
	switch {
	case o.From != nil:
		return w.of("Sets the bits %s of %s if %s, and clears them otherwise.", bits(o.Bits), target.inState(), o.From.inAction())
	case o.Bits == 0:
		return w.of("Clears the bits %s of %s.", bits(o.Mask), target.inState())
	case o.Mask&^o.Bits == 0:
		return w.of("Sets the bits %s of %s.", bits(o.Bits), target.inState())
	}
	return w.of("Clears the bits %s of %s and sets %s.", bits(o.Mask), target.inState(), bits(o.Bits))
}

// Text says what is replaced or added.
func (o *Upsert) Text(target string, _ Telling) string {
	return "upsert " + target + o.Key.text() + " from " + o.From.String()
}

// Words say what is replaced or added.
func (o *Upsert) Words(target Path) Words {
	if len(o.Key.Paths) == 0 {
		return Words{Does: "adds an item to", Arrow: "puts into"}.
			of("Adds %s to %s, unless it is there already.", o.From.inAction(), target.inState())
	}
	return Words{Does: "replaces or adds an item of", Arrow: "puts into"}.
		of("Puts %s into %s: in the place of the item with the same %s, or else at the end.", o.From.inAction(), target.inState(), o.Key.code())
}

// Text says what is removed, and what follows from that.
func (o *Remove) Text(target string, t Telling) string {
	text := "remove" + everyText(o.Every) + " " + target + o.Key.text() + " from " + o.From.String()
	if len(o.Then) > 0 {
		text += " then (" + t.Effects(o.Then) + ")"
	}
	return text
}

// Words say what is removed.
func (o *Remove) Words(target Path) Words {
	w, which := Words{Does: "removes an item of", Arrow: "removes from", Then: o.Then}, "the item"
	if o.Every {
		w.Does, which = "removes items of", "every item"
	}
	return w.of("Removes from %s "+which+" whose %s is %s.", target.inState(), o.Key.code(), o.From.inAction())
}

// Text says what is merged into what.
func (o *Merge) Text(target string, t Telling) string {
	text := "merge " + target + " from " + o.From.String()
	if names := t.Members(o); len(names) > 0 {
		text += " of " + strings.Join(names, " and ")
	}
	return text + o.Replace.after(" replace ")
}

// Words say what is merged into what.
func (o *Merge) Words(target Path) Words {
	w := Words{Does: "merges into", Arrow: "merges into"}
	if o.Replace != nil {
		return w.of("Merges %s into %s. If %s, the old entries go first.", o.From.inAction(), target.inState(), o.Replace.inAction())
	}
	return w.of("Merges %s into %s.", o.From.inAction(), target.inState())
}

// Text says what is changed, and how.
func (o *Patch) Text(target string, t Telling) string {
	text := "patch" + everyText(o.Every) + " " + target + o.Key.text() + o.From.after(" from ")
	if o.Variant != nil {
		text += " variant " + o.Variant.Name
	}
	return text + " (" + t.Effects(o.Effects) + ")"
}

// Words say what is changed; how is what the effects inside say.
func (o *Patch) Words(target Path) Words {
	w, which := Words{Does: "changes an item of", Arrow: "changes", Inside: o.Effects}, "the item"
	if o.Every {
		w.Does, which = "changes items of", "every item"
	}
	if As[*Struct](target.Last().Type) != nil {
		w.Does = "changes"
	}
	switch {
	case len(o.Key.Paths) == 0 && o.From == nil:
		return w.of("Changes %s, if it is there:", target.inState())
	case o.Variant != nil:
		return w.of("Changes in %s "+which+" whose %s is %s, if it is a %s:", target.inState(), o.Key.code(), o.From.inAction(), o.Variant.Name)
	}
	return w.of("Changes in %s "+which+" whose %s is %s:", target.inState(), o.Key.code(), o.From.inAction())
}

// Text says what is appended to what.
func (o *Append) Text(target string, _ Telling) string {
	return "append " + target + " from " + o.From.String()
}

// Words say what is appended to what.
func (o *Append) Words(target Path) Words {
	return Words{Does: "appends to", Arrow: "appends to"}.of("Appends %s to %s.", o.From.inAction(), target.inState())
}

// Text says what gets another order, and which.
func (o *Reorder) Text(target string, _ Telling) string {
	text := "reorder " + target + o.Key.text() + " from " + o.From.String()
	if o.Complete {
		text += " complete"
	}
	return text
}

// Words say what gets another order, and which.
func (o *Reorder) Words(target Path) Words {
	w := Words{Does: "reorders", Arrow: "reorders"}
	if o.Complete {
		return w.of("Puts the items of %s into the order of %s by %s, if that names each of them, and each once.", target.inState(), o.From.inAction(), o.Key.code())
	}
	return w.of("Puts the items of %s into the order of %s by %s. The others follow as they were.", target.inState(), o.From.inAction(), o.Key.code())
}

// Text says what is put in the place of what.
func (o *Exchange) Text(target string, _ Telling) string {
	return "exchange " + target + o.Key.text() + o.Old.after(" old ") + " from " + o.From.String()
}

// Words say what is put in the place of what.
func (o *Exchange) Words(target Path) Words {
	w := Words{Does: "exchanges an item of", Arrow: "puts into"}
	switch {
	case o.Old == nil:
		return w.of("Puts %s into %s, in the place of the item with the same %s, if there is one.", o.From.inAction(), target.inState(), o.Key.code())
	case len(o.Key.Paths) == 0:
		return w.of("Puts %s into %s, in the place of %s, if that is there.", o.From.inAction(), target.inState(), o.Old.inAction())
	}
	return w.of("Puts %s into %s, in the place of the item whose %s is %s, if there is one.",
		o.From.inAction(), target.inState(), o.Key.code(), o.Old.inAction())
}

// inAction is a member of the action as people are told of it, as in "action.content".
func (p Path) inAction() string {
	if len(p) == 0 {
		return "action"
	}
	return "action." + p.String()
}

// inState is a member of the state, or of what is being changed.
func (p Path) inState() string {
	if len(p) == 0 {
		return "state"
	}
	return p.String()
}

// code is what identifies an item as people are told of it.
func (k Key) code() string {
	if len(k.Paths) == 0 {
		return "item"
	}
	return strings.TrimPrefix(k.text(), " by ")
}

// code is a value as JSON has it.
func (v Value) code() string {
	if v.Kind == String {
		return strconv.Quote(v.Str)
	}
	return v.String()
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

// Text says what has to hold, so that conditions that differ read differently.
func (c *Condition) Text() string {
	switch {
	case c.Is != nil:
		return fmt.Sprintf("%s is %q", c.Member.String(), c.Is.String())
	case len(c.State) > 0:
		return "state " + c.State.String() + " equals " + c.Equals.String()
	}
	return c.Present.String() + " is there"
}

// Words say to people what has to hold.
func (c *Condition) Words() Words {
	switch {
	case c.Present != nil:
		return Words{}.of("If %s is there:", c.Present.inAction())
	case c.Is != nil:
		return Words{}.of("If %s is %s:", c.Member.inAction(), c.Is.code())
	}
	return Words{}.of("If %s is %s:", c.State.inState(), c.Equals.inAction())
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
