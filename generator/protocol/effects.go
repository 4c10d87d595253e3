// Effects: what actions do to states, stated as data.

package protocol

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Effect is one step. Steps are applied in order.
type Effect struct {
	When []*Condition // all of them have to hold
	// Target is the member that the operation changes.
	Target Path
	Do     Operation
}

// Operation is what an effect does: *Set, *Clear, *Flag, *Upsert, *Remove, *Merge, *Patch, *Append, *Reorder or *Exchange.
type Operation interface {
	// Text describes the operation on a target. Different operations have different texts.
	Text(target string, t Telling) string
	// Words describes the operation for people.
	Words(target Path) Words
}

// Words describe an operation in the forms that documentation needs.
type Words struct {
	Does  string // verb phrase for a reducer's comment: "replaces or adds an item of"
	Arrow string // label of an arrow to the target: "puts into"

	Sentence string   // a sentence with a %s for each of Names
	Names    []string // in program notation: paths, values, variants

	Inside []*Effect // effects on what it changes
	Then   []*Effect // effects on the same object if something changed
}

// of returns the sentence with the names filled in.
func (w Words) of(sentence string, names ...string) Words {
	w.Sentence, w.Names = sentence, names
	return w
}

// Telling formats the parts inside an operation.
type Telling struct {
	Effects func([]*Effect) string // formats nested steps
	Members func(*Merge) []string  // the merged object members worth mentioning
}

// Path is a path of members through objects. If a member on the way is absent, there is nothing to change. The empty
// path is the object itself.
type Path []*Field

// Last returns the last member of a path, or nil.
func (p Path) Last() *Field {
	if len(p) == 0 {
		return nil
	}
	return p[len(p)-1]
}

// String returns the path as in schemas: member names separated by dots, or ".".
func (p Path) String() string {
	if len(p) == 0 {
		return "."
	}
	return strings.Join(each.Map(p, func(f *Field) string { return f.Name }), ".")
}

// Set assigns a member of the action, or a constant, to a member.
type Set struct {
	From  Path   // in the action
	Value *Value // a constant other than an empty container
	Empty bool   // an empty list or map
}

// Clear removes an optional member.
type Clear struct{}

// Flag changes bits of a bitset: it clears Mask, then sets Bits; one of them may be 0. With From, a boolean of the action
// decides whether Bits are set or cleared.
type Flag struct {
	Mask, Bits uint64
	From       Path
}

// Upsert replaces the first item of a list with the same key, or else appends.
type Upsert struct {
	Key  Key
	From Path
}

// Remove removes the first item with the key, or all of them.
type Remove struct {
	Key   Key
	From  Path
	Every bool
	Then  []*Effect // effects on the same object if something was removed
}

// Merge copies the entries of a map, or the present members of an object, into another.
type Merge struct {
	From    Path
	Members []*MergedMember // for objects; nil for maps
	Replace Path            // a boolean of the action that discards old entries; maps only
}

// MergedMember is a member that a merge copies if it is present.
type MergedMember struct{ To, From *Field }

// Patch changes items of a list, or an object.
type Patch struct {
	Key     Key     // nil Paths for an object without a key
	From    Path    // key in the action, or a list of keys
	Variant *Struct // if the items are of a union: the only variant to change, or nil
	Every   bool    // all items with the key
	Effects []*Effect
}

// Append appends an item to a list, or text to a string.
type Append struct {
	From Path
}

// Reorder sorts the items of a list by a list of keys. Others follow in their order.
type Reorder struct {
	Key      Key
	From     Path
	Complete bool // a no-op unless every item is named exactly once
}

// Exchange replaces the first item with a key, if present.
type Exchange struct {
	Key  Key
	From Path
	Old  Path // the key in the action, or empty for the item's own
}

// Text describes the assignment.
func (o *Set) Text(target string, _ Telling) string {
	switch {
	case o.Empty:
		return "set " + target + " empty"
	case o.Value != nil:
		return "set " + target + " to " + strconv.Quote(o.Value.String())
	}
	return "set " + target + " from " + o.From.String()
}

// Words describes the assignment for people.
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

// Text describes what is cleared.
func (*Clear) Text(target string, _ Telling) string { return "clear " + target }

// Words describes what is cleared for people.
func (*Clear) Words(target Path) Words {
	return Words{Does: "clears", Arrow: "clears"}.of("Takes %s away.", target.inState())
}

// Text describes the changed bits.
func (o *Flag) Text(target string, _ Telling) string {
	text := "flag " + target
	if o.Bits != 0 {
		text += " bits " + strconv.FormatUint(o.Bits, 10)
	}
	if o.Mask != 0 {
		text += " mask " + strconv.FormatUint(o.Mask, 10)
	}
	return text + o.From.after(" from ")
}

// Words describes the changed bits for people.
func (o *Flag) Words(target Path) Words {
	w := Words{Does: "sets bits of", Arrow: "sets"}
	bits := func(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
	switch {
	case o.From != nil:
		return w.of("Sets the bits %s of %s if %s, and clears them otherwise.", bits(o.Bits), target.inState(), o.From.inAction())
	case o.Bits == 0:
		return Words{Does: "clears bits of", Arrow: "clears"}.of("Clears the bits %s of %s.", bits(o.Mask), target.inState())
	case o.Mask&^o.Bits == 0:
		return w.of("Sets the bits %s of %s.", bits(o.Bits), target.inState())
	}
	return w.of("Clears the bits %s of %s and sets %s.", bits(o.Mask), target.inState(), bits(o.Bits))
}

// Text describes the upsert.
func (o *Upsert) Text(target string, _ Telling) string {
	return "upsert " + target + o.Key.text() + " from " + o.From.String()
}

// Words describes the upsert for people.
func (o *Upsert) Words(target Path) Words {
	if len(o.Key.Paths) == 0 {
		return Words{Does: "adds an item to", Arrow: "puts into"}.
			of("Adds %s to %s, unless it is there already.", o.From.inAction(), target.inState())
	}
	return Words{Does: "replaces or adds an item of", Arrow: "puts into"}.
		of("Puts %s into %s: in the place of the item with the same %s, or else at the end.", o.From.inAction(), target.inState(), o.Key.code())
}

// Text describes the removal and its effects.
func (o *Remove) Text(target string, t Telling) string {
	text := "remove" + everyText(o.Every) + " " + target + o.Key.text() + " from " + o.From.String()
	if len(o.Then) > 0 {
		text += " then (" + t.Effects(o.Then) + ")"
	}
	return text
}

// Words describes the removal for people.
func (o *Remove) Words(target Path) Words {
	w, which := Words{Does: "removes an item of", Arrow: "removes from", Then: o.Then}, "the item"
	if o.Every {
		w.Does, which = "removes items of", "every item"
	}
	return w.of("Removes from %s "+which+" whose %s is %s.", target.inState(), o.Key.code(), o.From.inAction())
}

// Text describes the merge.
func (o *Merge) Text(target string, t Telling) string {
	text := "merge " + target + " from " + o.From.String()
	if names := t.Members(o); len(names) > 0 {
		text += " of " + strings.Join(names, " and ")
	}
	return text + o.Replace.after(" replace ")
}

// Words describes the merge for people.
func (o *Merge) Words(target Path) Words {
	w := Words{Does: "merges into", Arrow: "merges into"}
	if o.Replace != nil {
		return w.of("Merges %s into %s. If %s, the old entries go first.", o.From.inAction(), target.inState(), o.Replace.inAction())
	}
	return w.of("Merges %s into %s.", o.From.inAction(), target.inState())
}

// Text describes the patch.
func (o *Patch) Text(target string, t Telling) string {
	text := "patch" + everyText(o.Every) + " " + target + o.Key.text() + o.From.after(" from ")
	if o.Variant != nil {
		text += " variant " + o.Variant.Name
	}
	return text + " (" + t.Effects(o.Effects) + ")"
}

// Words describes the patch for people. The argument describes the nested effects.
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

// Text describes the append.
func (o *Append) Text(target string, _ Telling) string {
	return "append " + target + " from " + o.From.String()
}

// Words describes the append for people.
func (o *Append) Words(target Path) Words {
	return Words{Does: "appends to", Arrow: "appends to"}.of("Appends %s to %s.", o.From.inAction(), target.inState())
}

// Text describes the new order.
func (o *Reorder) Text(target string, _ Telling) string {
	text := "reorder " + target + o.Key.text() + " from " + o.From.String()
	if o.Complete {
		text += " complete"
	}
	return text
}

// Words describes the new order for people.
func (o *Reorder) Words(target Path) Words {
	w := Words{Does: "reorders", Arrow: "reorders"}
	if o.Complete {
		return w.of("Puts the items of %s into the order of %s by %s, if that names each of them, and each once.", target.inState(), o.From.inAction(), o.Key.code())
	}
	return w.of("Puts the items of %s into the order of %s by %s. The others follow as they were.", target.inState(), o.From.inAction(), o.Key.code())
}

// Text describes the exchange.
func (o *Exchange) Text(target string, _ Telling) string {
	return "exchange " + target + o.Key.text() + o.Old.after(" old ") + " from " + o.From.String()
}

// Words describes the exchange for people.
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

// inAction returns the notation for a member of the action, such as "action.content".
func (p Path) inAction() string {
	if len(p) == 0 {
		return "action"
	}
	return "action." + p.String()
}

// inState returns the notation for a member of the state or of a patched object.
func (p Path) inState() string {
	if len(p) == 0 {
		return "state"
	}
	return p.String()
}

// code returns the notation for the key of an item.
func (k Key) code() string {
	if len(k.Paths) == 0 {
		return "item"
	}
	return strings.TrimPrefix(k.text(), " by ")
}

// code returns a value as JSON.
func (v Value) code() string {
	if v.Kind == String {
		return strconv.Quote(v.Str)
	}
	return v.String()
}

// after returns a path preceded by a word, or "".
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

// Key identifies an item by the first of several paths that it has. Items of a union may have none. Without paths,
// the item is its own key.
type Key struct{ Paths [][]string }

// text describes the key, or returns "" for the item itself.
func (k Key) text() string {
	paths := each.Map(k.Paths, func(p []string) string { return strings.Join(p, ".") })
	if len(paths) == 0 {
		return ""
	}
	return " by " + strings.Join(paths, " or ")
}

// KeyMember reports whether a path leads to a string through objects that are always present. The string itself may
// be absent.
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

// UnionMember returns the first member of a path, if it is a union and the rest is the key of one of its variants.
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
