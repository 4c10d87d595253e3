// Effects as Go: each becomes a call of a helper on the copy that is being changed.

package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Step is one effect: a call that reports whether something changed. Its parts are Go expressions.
type Step struct {
	When  string   `go:"expression"` // limits the call; "" for always
	Func  string   `go:"identifier"` // of the package that changes states, such as Set
	Own   bool     // Func is a method of the reducer instead
	Types []string `go:"identifier"` // explicit type arguments
	Args  []string `go:"expression"`
	Key   *KeyArg  // what identifies items, after the first argument; nil for none
	Patch *Closure // last argument; nil for none
	Then  []*Step  // where something changed
}

// KeyArg is a function that returns the key of an item.
type KeyArg struct {
	Func string `go:"identifier"` // an existing function, or a closure:
	Own  bool   // Func is emitted with the package; otherwise it is of the package that changes states
	Item string `go:"identifier"` // type of the item
	Keys []Key
}

// Key is one way to the key of an item. The first that leads somewhere counts.
type Key struct {
	Expr string `go:"expression"`
	Nil  string `go:"expression"` // expression that is nil where it leads nowhere; "" where there always is a key
}

// Closure changes a copy of something.
type Closure struct {
	Param  string `go:"identifier"`
	Type   string `go:"identifier"`
	Guard  string `go:"expression"` // must hold, or nothing changes; "" for always
	Refuse string `go:"expression"` // the opposite of Guard
	Steps  []*Step
}

// KeyFunc is a function that returns the key of an item of a union.
type KeyFunc struct {
	Name  string `go:"identifier"`
	Union *Union
	Paths []string `go:"text"` // as stated, for the comment
	Cases []KeyCase
}

// KeyCase is the key of some variant.
type KeyCase struct {
	Struct *Struct
	Keys   []Key  // of v
	Union  string `go:"expression"` // where the key is that of a union inside: the union,
	Func   string `go:"identifier"` // and the function that returns its key
}

// stepBuilder spells the effects of one action.
type stepBuilder struct {
	b     *builder
	keys  *keyFuncs
	names map[string]bool // variables in use
}

// steps spells effects on the object that a variable points to.
func (e *stepBuilder) steps(effects []*protocol.Effect, on string) []*Step {
	var out []*Step
	for _, effect := range effects {
		when := e.condition(effect.When, on)
		for _, s := range e.effect(effect, on) {
			s.When = both(when, s.When)
			out = append(out, s)
		}
	}
	return out
}

// both joins two conditions, each of which may be "".
func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " && " + b
}

// effect spells one effect on the object that a variable points to.
func (e *stepBuilder) effect(effect *protocol.Effect, on string) []*Step {
	out := e.reach(effect.Do, effect.Target, on)
	if remove, ok := effect.Do.(*protocol.Remove); ok { // what follows is about the same object, not what it was reached through
		out[0].Then = e.steps(remove.Then, on)
	}
	return out
}

// reach leads to the target of an operation. Objects that may be absent on the way become patches,
// and a merge of objects one step for each member.
func (e *stepBuilder) reach(do protocol.Operation, target protocol.Path, on string) []*Step {
	merge, ok := do.(*protocol.Merge)
	members := ok && merge.Members != nil
	way := target // a merge of objects changes what is inside its target
	if !members {
		way = target[:len(target)-1]
	}
	for i, f := range way {
		if field := e.b.fieldOf[f]; field.Pointer {
			patch := e.closure(field.Type, func(v string) []*Step { return e.reach(do, target[i+1:], v) })
			return []*Step{{Func: "PatchMember", Args: []string{"&" + e.expr(on, target[:i+1])}, Patch: patch}}
		}
	}
	if members {
		return e.mergeMembers(merge, e.expr(on, target))
	}
	return []*Step{e.step(do, target.Last(), e.expr(on, target))}
}

// step spells an operation on a member of what is being changed, and the place where that is.
func (e *stepBuilder) step(do protocol.Operation, target *protocol.Field, place string) *Step {
	switch do := do.(type) {
	case *protocol.Set:
		return e.set(do, target, place)
	case *protocol.Clear:
		return call("Clear", "&"+place, place+" != nil")
	case *protocol.Flag:
		return e.flag(do, target, place)
	case *protocol.Upsert:
		return e.upsert(do, target, place)
	case *protocol.Remove:
		name := "Remove"
		if do.Every {
			name = "RemoveAll"
		}
		s := call(name, "&"+place, e.from(do.From))
		s.Key = e.key(do.Key, target)
		return s
	case *protocol.Merge:
		return e.mergeMap(do, place)
	case *protocol.Patch:
		return e.patch(do, target, place)
	case *protocol.Append:
		if _, ok := Underlying(e.b.fieldOf[target].Type).(Slice); ok {
			return call("AppendItem", "&"+place, e.from(do.From))
		}
		return method("extendText", "&"+place, e.from(do.From))
	}
	panic(fmt.Sprintf("golang: no step for %T", do)) // the set of operations is closed
}

func call(name string, args ...string) *Step { return &Step{Func: name, Args: args} }

func method(name string, args ...string) *Step { return &Step{Func: name, Own: true, Args: args} }

// expr is the member at a path from a variable, such as next.Config.Values.
func (e *stepBuilder) expr(on string, path protocol.Path) string {
	for _, f := range path {
		on += "." + e.b.fieldOf[f].Name
	}
	return on
}

// from is a member of the action, or for an empty path the action itself.
func (e *stepBuilder) from(path protocol.Path) string {
	if len(path) == 0 {
		return "*a"
	}
	return e.expr("a", path)
}

// pointerTo takes the address of what from returned.
func pointerTo(value string) string {
	if pointer, ok := strings.CutPrefix(value, "*"); ok {
		return pointer
	}
	return "&" + value
}

// source is the field that a path in the action ends at. The action itself always is there.
func (e *stepBuilder) source(path protocol.Path) *Field {
	if len(path) == 0 {
		return &Field{Presence: Required}
	}
	return e.b.fieldOf[path.Last()]
}

// set spells an assignment that notices when nothing changes, as far as values can be compared.
func (e *stepBuilder) set(do *protocol.Set, target *protocol.Field, place string) *Step {
	to := e.b.fieldOf[target]
	switch {
	case do.Empty:
		if _, ok := Underlying(to.Type).(Slice); ok {
			return call("EmptyList", "&"+place)
		}
		return call("EmptyMap", "&"+place)
	case do.Value != nil:
		if to.Pointer {
			return &Step{Func: "SetOptional", Args: []string{"&" + place, "state.Pointer(" + e.constant(*do.Value, to.Type, true) + ")"}}
		}
		return call("Set", "&"+place, e.constant(*do.Value, to.Type, false))
	}
	value := e.from(do.From)
	from := e.source(do.From)
	scalar := isComparable(to.Type)
	switch {
	case to.Pointer && from.Pointer && scalar:
		return call("SetOptional", "&"+place, value)
	case to.Pointer && scalar:
		return call("SetOptional", "&"+place, pointerTo(value))
	case to.Pointer && from.Pointer:
		return call("ReplaceOptional", "&"+place, value)
	case to.Pointer:
		return call("Replace", "&"+place, pointerTo(value))
	case from.Pointer && scalar:
		return call("Set", "&"+place, "*"+value)
	case from.Pointer:
		return call("Replace", "&"+place, "*"+value)
	case scalar:
		return call("Set", "&"+place, value)
	case to.Presence == Optional && from.Presence == Required:
		switch Underlying(to.Type).(type) {
		case Slice: // a required list may be nil and still is there
			return call("Replace", "&"+place, "state.PresentList("+value+")")
		case Map:
			return call("Replace", "&"+place, "state.PresentMap("+value+")")
		}
	case to.Presence == Optional:
		s := call("Replace", "&"+place, value)
		s.When = fmt.Sprintf("(%s != nil || %s != nil)", place, value)
		return s
	}
	return call("Replace", "&"+place, value)
}

func isComparable(t Type) bool {
	switch t := Underlying(t).(type) {
	case Basic:
		return t != Raw
	case EnumType:
		return true
	}
	return false
}

// constant spells a constant; typed says that its type does not follow from where it stands.
func (e *stepBuilder) constant(v protocol.Value, t Type, typed bool) string {
	text := v.String()
	if v.Kind == protocol.String {
		text = gotext.Literal(v.Str)
	}
	switch t := Underlying(t).(type) {
	case EnumType:
		if i := slices.IndexFunc(t.Members, func(m EnumMember) bool { return m.Value == v }); i >= 0 {
			return t.Members[i].Name
		}
		return t.Name + "(" + text + ")"
	case Basic:
		if typed && (t == Int64 || t == Float64) {
			return string(t) + "(" + text + ")"
		}
	}
	return text
}

func (e *stepBuilder) flag(do *protocol.Flag, target *protocol.Field, place string) *Step {
	t := e.b.fieldOf[target].Type
	bits := e.bits(do.Bits, t)
	if do.From != nil {
		return call("SetFlag", "&"+place, bits, e.from(do.From))
	}
	value := place + "|" + bits
	if do.Mask != 0 {
		value = place + "&^" + e.bits(do.Mask, t) + "|" + bits
	}
	return call("Set", "&"+place, value)
}

func (e *stepBuilder) bits(bits uint64, t Type) string {
	if enum, ok := Underlying(t).(EnumType); ok {
		for _, m := range enum.Members {
			if m.Value.Int >= 0 && uint64(m.Value.Int) == bits {
				return m.Name
			}
		}
	}
	return strconv.FormatUint(bits, 10)
}

func (e *stepBuilder) upsert(do *protocol.Upsert, target *protocol.Field, place string) *Step {
	if len(do.Key.Paths) == 0 {
		return call("AddItem", "&"+place, e.from(do.From))
	}
	s := call("Upsert", "&"+place, e.from(do.From))
	s.Key = e.key(do.Key, target)
	return s
}

func (e *stepBuilder) mergeMap(do *protocol.Merge, place string) *Step {
	replace := "false"
	if do.Replace != nil {
		replace = e.from(do.Replace)
		if e.b.fieldOf[do.Replace.Last()].Pointer {
			replace = fmt.Sprintf("%s != nil && *%s", replace, replace)
		}
	}
	return call("Merge", "&"+place, e.from(do.From), replace)
}

func (e *stepBuilder) mergeMembers(do *protocol.Merge, place string) []*Step {
	var out []*Step
	for _, m := range do.Members {
		from := append(slices.Clone(do.From), m.From)
		s := e.set(&protocol.Set{From: from}, m.To, e.expr(place, protocol.Path{m.To}))
		s.When = e.present(from)
		out = append(out, s)
	}
	return out
}

// present is the condition that a member of the action is there, "" where it always is.
func (e *stepBuilder) present(path protocol.Path) string {
	f := e.b.fieldOf[path.Last()]
	if f.Presence == Required {
		return ""
	}
	return e.from(path) + " != nil"
}

// patch spells a change of an object or of items.
func (e *stepBuilder) patch(do *protocol.Patch, target *protocol.Field, place string) *Step {
	field := e.b.fieldOf[target]
	body := func(v string) []*Step { return e.steps(do.Effects, v) }
	if _, ok := Underlying(field.Type).(StructType); ok {
		s := &Step{Func: "PatchMember", Args: []string{"&" + place}}
		if !field.Pointer {
			s.Func = "PatchObject"
		}
		s.Patch = e.closure(field.Type, body)
		if len(do.Key.Paths) > 0 {
			k := e.structKey(do.Key, field.Type, s.Patch.Param)
			s.Patch.Guard, s.Patch.Refuse = compareKey(k.Keys, e.from(do.From))
		}
		return s
	}
	elem := Underlying(field.Type).(Slice).Elem // checked by the analysis
	s := &Step{Func: "PatchItem", Args: []string{"&" + place, e.from(do.From)}, Key: e.key(do.Key, target)}
	if do.Every {
		s.Func = "PatchItems"
		if _, ok := Underlying(e.b.fieldOf[do.From.Last()].Type).(Slice); !ok {
			s.Args[1] = "[]string{" + s.Args[1] + "}"
		}
	}
	if do.Variant != nil {
		variant := e.b.structs[do.Variant]
		s.Func = strings.Replace(s.Func, "Item", "Variant", 1)
		s.Types = []string{variant.Name}
		elem = StructType{variant}
	}
	s.Patch = e.closure(elem, body)
	return s
}

// closure makes a function with a variable named after its type.
func (e *stepBuilder) closure(t Type, body func(v string) []*Step) *Closure {
	s := Underlying(t).(StructType) // checked by the analysis
	words := e.b.namer.words(s.Name)
	base := e.b.namer.local(words[len(words)-1])
	name := base
	for i := 2; e.names[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	e.names[name] = true
	defer delete(e.names, name)
	return &Closure{Param: name, Type: s.Name, Steps: body(name)}
}

// condition spells what limits an effect.
func (e *stepBuilder) condition(c *protocol.Condition, on string) string {
	switch {
	case c == nil:
		return ""
	case c.Present != nil:
		return e.present(c.Present)
	case c.Member != nil:
		f := e.b.fieldOf[c.Member.Last()]
		if Underlying(f.Type) == Bool {
			return isBool(e.from(c.Member), f.Pointer, c.Is.Bool)
		}
		return equals(e.from(c.Member), f.Pointer, e.constant(*c.Is, f.Type, false))
	}
	return equals(e.expr(on, c.State), e.b.fieldOf[c.State.Last()].Pointer, e.from(c.Equals))
}

func equals(place string, pointer bool, value string) string {
	if pointer {
		return fmt.Sprintf("%s != nil && *%s == %s", place, place, value)
	}
	return fmt.Sprintf("%s == %s", place, value)
}

// isBool asks for a value of a boolean as people write it, without comparing.
func isBool(place string, pointer, want bool) string {
	not := "!"
	if want {
		not = ""
	}
	if pointer {
		return fmt.Sprintf("%s != nil && %s*%s", place, not, place)
	}
	return not + place
}

// key is what identifies the items of a list.
func (e *stepBuilder) key(k protocol.Key, list *protocol.Field) *KeyArg {
	elem := Underlying(e.b.fieldOf[list].Type).(Slice).Elem // checked by the analysis
	switch t := Underlying(elem).(type) {
	case StructType:
		return e.structKey(k, elem, "item")
	case UnionType:
		ref := protocol.Underlying(protocol.Underlying(list.Type).(protocol.List).Elem).(protocol.Ref)
		return &KeyArg{Own: true, Func: e.keys.of(ref.Type.(*protocol.Union), t.Union, k)}
	}
	return &KeyArg{Func: "Itself"}
}

// structKey is the key of an object.
func (e *stepBuilder) structKey(k protocol.Key, t Type, v string) *KeyArg {
	s := Underlying(t).(StructType)
	return &KeyArg{Item: s.Name, Keys: memberKeys(s.Struct, k.Paths, v)}
}

// compareKey compares the first key that leads somewhere with a value: are they equal, and do they differ?
func compareKey(keys []Key, value string) (equal, differ string) {
	k := keys[0]
	equal, differ = k.Expr+" == "+value, k.Expr+" != "+value
	switch {
	case k.Nil == "":
		return equal, differ
	case len(keys) == 1:
		return k.Nil + " != nil && " + equal, k.Nil + " == nil || " + differ
	}
	elseEqual, elseDiffer := compareKey(keys[1:], value)
	return fmt.Sprintf("(%s != nil && %s || %s == nil && %s)", k.Nil, equal, k.Nil, elseEqual),
		fmt.Sprintf("%s != nil && %s || %s == nil && %s", k.Nil, differ, k.Nil, inner(elseDiffer))
}

// inner is a condition that can stand beside &&.
func inner(condition string) string {
	if strings.Contains(condition, "||") {
		return "(" + condition + ")"
	}
	return condition
}

// memberKeys are the keys that an object may have, up to one that it always has.
func memberKeys(s *Struct, paths [][]string, v string) []Key {
	var out []Key
	for _, path := range paths {
		if expr, nilExpr, ok := memberKey(s, path, v); ok {
			out = append(out, Key{expr, nilExpr})
			if nilExpr == "" {
				break
			}
		}
	}
	return out
}

// memberKey follows wire names from a variable to a string.
func memberKey(s *Struct, path []string, v string) (expr, nilExpr string, ok bool) {
	for i, name := range path {
		j := slices.IndexFunc(s.Fields, func(f *Field) bool { return f.Wire == name })
		if j < 0 {
			return "", "", false
		}
		f := s.Fields[j]
		v += "." + f.Name
		if i == len(path)-1 {
			if Underlying(f.Type) != String {
				return "", "", false
			}
			if f.Pointer {
				return "*" + v, v, true
			}
			return v, "", true
		}
		next, isStruct := Underlying(f.Type).(StructType)
		if !isStruct || f.Pointer {
			return "", "", false
		}
		s = next.Struct
	}
	return "", "", false
}

// keyFuncs collects the key functions of unions.
type keyFuncs struct {
	b     *builder
	out   *Reducers
	names map[string]bool // of functions: those made so far, and what the runtime has
}

// of returns the name of the function for a union and key, which it makes where there is none yet.
func (k *keyFuncs) of(in *protocol.Union, u *Union, key protocol.Key) string {
	var paths []string
	for _, p := range key.Paths {
		paths = append(paths, strings.Join(p, "."))
	}
	for _, f := range k.out.Keys {
		if f.Union == u && slices.Equal(f.Paths, paths) {
			return f.Name
		}
	}
	base := k.b.namer.local(u.Name) + "Key"
	name := base
	for i := 2; k.names[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	k.names[name] = true
	f := &KeyFunc{Name: name, Union: u, Paths: paths}
	k.out.Keys = append(k.out.Keys, f)
	for _, s := range in.Leaves() {
		if c, ok := k.variant(s, key.Paths); ok {
			f.Cases = append(f.Cases, c)
		}
	}
	return name
}

// variant is the key of one variant, which may be that of a union inside it.
func (k *keyFuncs) variant(s *protocol.Struct, paths [][]string) (KeyCase, bool) {
	out := KeyCase{Struct: k.b.structs[s]}
	if out.Keys = memberKeys(out.Struct, paths, "v"); len(out.Keys) > 0 {
		return out, true
	}
	var member *protocol.Field
	var inside *protocol.Union
	var rest [][]string // of the paths that lead into that union
	for _, path := range paths {
		f, u := protocol.UnionMember(s, path)
		if u != nil && (member == nil || f == member) {
			member, inside, rest = f, u, append(rest, path[1:])
		}
	}
	if member == nil {
		return out, false
	}
	out.Union = "v." + k.b.fieldOf[member].Name
	out.Func = k.of(inside, k.b.unions[inside], protocol.Key{Paths: rest})
	return out, true
}
