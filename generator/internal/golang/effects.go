// Effects as Go: calls of helpers that modify copies, with comments.

package golang

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Step is one effect: a call that reports whether something changed.
type Step struct {
	When  Expr      // condition of the call, or nil
	Func  string    `go:"identifier"` // function of package state, such as Set
	Own   bool      // Func is a method of the reducer
	Types []*Struct // explicit type arguments
	Args  []Expr
	Key   *KeyArg  // key of items, after the arguments, or nil
	Patch *Closure // last argument, or nil
	Then  []*Step  // if something changed
}

// Closure is a function that modifies a copy.
type Closure struct {
	Param string `go:"identifier"`
	Type  *Struct
	Guard *KeyIs // condition without which nothing changes, or nil
	Steps []*Step
}

// stepBuilder converts the effects of one action to steps.
type stepBuilder struct {
	b     *builder
	keys  *keyFuncs
	names map[string]bool // variable names in use
}

// steps converts effects on the object in a variable.
func (e *stepBuilder) steps(effects []*protocol.Effect, on string) []*Step {
	var out []*Step
	for _, effect := range effects {
		when := e.conditions(effect.When, on)
		for _, s := range e.effect(effect, on) {
			s.When = and(when, s.When)
			out = append(out, s)
		}
	}
	return out
}

// effect converts one effect on the object in a variable.
func (e *stepBuilder) effect(effect *protocol.Effect, on string) []*Step {
	out := e.reach(effect.Do, effect.Target, on)
	if remove, ok := effect.Do.(*protocol.Remove); ok { // what follows concerns the same object
		out[0].Then = e.steps(remove.Then, on)
	}
	return out
}

// reach converts access to an operation's target: optional objects become patches, and a merge becomes one step for
// each member.
func (e *stepBuilder) reach(do protocol.Operation, target protocol.Path, on string) []*Step {
	merge, ok := do.(*protocol.Merge)
	members := ok && merge.Members != nil
	way := target // merging changes members of the target
	if !members {
		way = target[:len(target)-1]
	}
	for i, f := range way {
		if field := e.b.fieldOf[f]; field.Pointer {
			patch := e.closure(field.Type, func(v string) []*Step { return e.reach(do, target[i+1:], v) })
			return []*Step{{Func: "PatchMember", Args: []Expr{Address{e.place(on, target[:i+1])}}, Patch: patch}}
		}
	}
	if members {
		return e.mergeMembers(merge, e.place(on, target))
	}
	return []*Step{e.step(do, target.Last(), e.place(on, target))}
}

// step converts an operation on a member.
func (e *stepBuilder) step(do protocol.Operation, target *protocol.Field, place Place) *Step {
	switch do := do.(type) {
	case *protocol.Set:
		return e.set(do, target, place)
	case *protocol.Clear:
		return call("Clear", Address{place}, there(place))
	case *protocol.Flag:
		return e.flag(do, target, place)
	case *protocol.Upsert:
		return e.upsert(do, target, place)
	case *protocol.Remove:
		return call(map[bool]string{true: "RemoveAll", false: "Remove"}[do.Every], Address{place}, e.from(do.From)).by(e.key(do.Key, target))
	case *protocol.Exchange:
		return e.exchange(do, target, place)
	case *protocol.Merge:
		return e.mergeMap(do, place)
	case *protocol.Patch:
		return e.patch(do, target, place)
	case *protocol.Append:
		if _, ok := Underlying(e.b.fieldOf[target].Type).(Slice); ok {
			return call("AppendItem", Address{place}, e.from(do.From))
		}
		return &Step{Func: "extendText", Own: true, Args: []Expr{Address{place}, e.from(do.From)}}
	case *protocol.Reorder:
		return call(map[bool]string{true: "ReorderAll", false: "Reorder"}[do.Complete], Address{place}, e.from(do.From)).by(e.key(do.Key, target))
	}
	panic(fmt.Sprintf("golang: no step for %T", do)) // the set of operations is closed
}

func call(name string, args ...Expr) *Step { return &Step{Func: name, Args: args} }

// by returns a step for items identified by a key.
func (s *Step) by(key *KeyArg) *Step {
	s.Key = key
	return s
}

// place returns the member at a path from a variable.
func (e *stepBuilder) place(on string, path protocol.Path) Place {
	out := Place{Var: on}
	for _, f := range path {
		out.Path = append(out.Path, e.b.fieldOf[f])
	}
	return out
}

// from returns a member of the action, or the action for an empty path.
func (e *stepBuilder) from(path protocol.Path) Expr {
	if len(path) == 0 {
		return Pointee{Place{Var: "a"}}
	}
	return e.place("a", path)
}

// source returns the field at the end of a path in the action.
func (e *stepBuilder) source(path protocol.Path) *Field {
	if len(path) == 0 {
		return &Field{Presence: Required}
	}
	return e.b.fieldOf[path.Last()]
}

// set returns an assignment that detects a no-op where values are comparable.
func (e *stepBuilder) set(do *protocol.Set, target *protocol.Field, place Place) *Step {
	to := e.b.fieldOf[target]
	switch {
	case do.Empty:
		if _, ok := Underlying(to.Type).(Slice); ok {
			return call("EmptyList", Address{place})
		}
		return call("EmptyMap", Address{place})
	case do.Value != nil && to.Pointer:
		return call("SetOptional", Address{place}, Helper{Func: "Pointer", Arg: e.typedConstant(*do.Value, to.Type)})
	case do.Value != nil:
		return call("Set", Address{place}, e.constant(*do.Value, to.Type))
	}
	return e.copy(place, to, e.from(do.From), e.source(do.From))
}

// copy returns an assignment between fields of different presence.
func (e *stepBuilder) copy(place Place, to *Field, value Expr, from *Field) *Step {
	scalar := isComparable(to.Type)
	switch {
	case to.Pointer && from.Pointer && scalar:
		return call("SetOptional", Address{place}, value)
	case to.Pointer && scalar:
		return call("SetOptional", Address{place}, pointerTo(value))
	case to.Pointer && from.Pointer:
		return call("ReplaceOptional", Address{place}, value)
	case to.Pointer:
		return call("Replace", Address{place}, pointerTo(value))
	case from.Pointer && scalar:
		return call("Set", Address{place}, Pointee{value})
	case from.Pointer:
		return call("Replace", Address{place}, Pointee{value})
	case scalar:
		return call("Set", Address{place}, value)
	case to.Presence == Optional && from.Presence == Required:
		switch Underlying(to.Type).(type) {
		case Slice: // a required list may be nil
			value = Helper{Func: "PresentList", Arg: value}
		case Map:
			value = Helper{Func: "PresentMap", Arg: value}
		}
	case to.Presence == Optional:
		s := call("Replace", Address{place}, value)
		s.When = Binary{Or, there(place), there(value)}
		return s
	}
	return call("Replace", Address{place}, value)
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

// constant returns an untyped constant.
func (e *stepBuilder) constant(v protocol.Value, t Type) Expr {
	enum, ok := Underlying(t).(EnumType)
	if !ok {
		return Constant{Value: v}
	}
	if name := e.b.constant(enum.Enum, v); name != "" {
		return Named{name}
	}
	return Constant{v, enum}
}

// typedConstant returns a constant converted to the type.
func (e *stepBuilder) typedConstant(v protocol.Value, t Type) Expr {
	if under := Underlying(t); under == Int64 || under == Float64 {
		return Constant{v, under}
	}
	return e.constant(v, t)
}

func (e *stepBuilder) flag(do *protocol.Flag, target *protocol.Field, place Place) *Step {
	t := e.b.fieldOf[target].Type
	bits := e.bits(do.Bits, t)
	if do.From != nil {
		return call("SetFlag", Address{place}, bits, e.from(do.From))
	}
	var value Expr = place
	if do.Mask != 0 {
		value = Binary{BitClear, value, e.bits(do.Mask, t)}
	}
	if do.Bits != 0 {
		value = Binary{BitOr, value, bits}
	}
	return call("Set", Address{place}, value)
}

func (e *stepBuilder) bits(bits uint64, t Type) Expr {
	if enum, ok := Underlying(t).(EnumType); ok {
		for _, m := range enum.Members {
			if m.Value.Int >= 0 && uint64(m.Value.Int) == bits {
				return Named{m.Name}
			}
		}
	}
	return Bits(bits)
}

func (e *stepBuilder) upsert(do *protocol.Upsert, target *protocol.Field, place Place) *Step {
	if len(do.Key.Paths) == 0 {
		return call("AddItem", Address{place}, e.from(do.From))
	}
	return call("Upsert", Address{place}, e.from(do.From)).by(e.key(do.Key, target))
}

func (e *stepBuilder) exchange(do *protocol.Exchange, target *protocol.Field, place Place) *Step {
	switch {
	case len(do.Key.Paths) == 0:
		return call("ExchangeText", Address{place}, e.from(do.From), e.from(do.Old))
	case do.Old != nil:
		return call("Exchange", Address{place}, e.from(do.From), e.from(do.Old)).by(e.key(do.Key, target))
	}
	return call("ExchangeSame", Address{place}, e.from(do.From)).by(e.key(do.Key, target))
}

func (e *stepBuilder) mergeMap(do *protocol.Merge, place Place) *Step {
	var replace Expr = Constant{Value: protocol.Value{Kind: protocol.Bool}}
	if do.Replace != nil {
		at := e.place("a", do.Replace)
		if replace = at; at.Optional() {
			replace = and(there(at), Pointee{at})
		}
	}
	return call("Merge", Address{place}, e.from(do.From), replace)
}

func (e *stepBuilder) mergeMembers(do *protocol.Merge, place Place) []*Step {
	var out []*Step
	for _, m := range do.Members {
		from := append(slices.Clone(do.From), m.From)
		to := e.b.fieldOf[m.To]
		s := e.copy(Place{place.Var, append(slices.Clone(place.Path), to)}, to, e.from(from), e.source(from))
		s.When = e.present(from)
		out = append(out, s)
	}
	return out
}

// present returns the condition that a member of the action is present, or nil if it is required.
func (e *stepBuilder) present(path protocol.Path) Expr {
	if e.source(path).Presence == Required {
		return nil
	}
	return there(e.from(path))
}

// patch converts a patch of an object or of items.
func (e *stepBuilder) patch(do *protocol.Patch, target *protocol.Field, place Place) *Step {
	field := e.b.fieldOf[target]
	body := func(v string) []*Step { return e.steps(do.Effects, v) }
	if s, ok := Underlying(field.Type).(StructType); ok {
		name := "PatchObject"
		if field.Pointer {
			name = "PatchMember"
		}
		patch := e.closure(field.Type, body)
		if len(do.Key.Paths) > 0 {
			patch.Guard = &KeyIs{memberKeys(s.Struct, do.Key.Paths, patch.Param), e.from(do.From)}
		}
		return &Step{Func: name, Args: []Expr{Address{place}}, Patch: patch}
	}
	elem := Underlying(field.Type).(Slice).Elem // verified by the analysis
	from := e.from(do.From)
	if _, many := Underlying(e.source(do.From).Type).(Slice); do.Every && !many {
		from = Texts{from}
	}
	s := call(patchers[patched{do.Variant != nil, do.Every}], Address{place}, from).by(e.key(do.Key, target))
	if do.Variant != nil {
		variant := e.b.StructOf(do.Variant)
		s.Types, elem = []*Struct{variant}, StructType{variant}
	}
	s.Patch = e.closure(elem, body)
	return s
}

// patched returns the arguments that select the items.
type patched struct{ variant, every bool }

// patchers are the functions that patch items.
var patchers = map[patched]string{
	{}: "PatchItem", {every: true}: "PatchItems", {variant: true}: "PatchVariant", {variant: true, every: true}: "PatchVariants",
}

// closure returns a function with a parameter named after its type.
func (e *stepBuilder) closure(t Type, body func(v string) []*Step) *Closure {
	s := Underlying(t).(StructType) // verified by the analysis
	words := e.b.namer.words(s.Name)
	base := e.b.namer.local(words[len(words)-1])
	name := base
	for i := 2; e.names[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	e.names[name] = true
	defer delete(e.names, name)
	return &Closure{Param: name, Type: s.Struct, Steps: body(name)}
}

// conditions converts the conditions of an effect. It returns nil if there are none.
func (e *stepBuilder) conditions(when []*protocol.Condition, on string) Expr {
	all := make([]Expr, len(when))
	for i, c := range when {
		if all[i] = e.condition(c, on); c.Not {
			all[i] = negated(all[i])
		}
	}
	return and(all...)
}

// condition converts one condition, not negated.
func (e *stepBuilder) condition(c *protocol.Condition, on string) Expr {
	switch {
	case c.Present != nil:
		return e.present(c.Present)
	case c.Empty != nil:
		return Binary{Equal, Len{e.place(on, c.Empty)}, Constant{Value: protocol.Value{Kind: protocol.Integer}}}
	case c.Only != nil:
		return Helper{Func: "HasOnly", Types: []*Struct{e.b.StructOf(c.Variant)}, Arg: e.place(on, c.Only)}
	case c.Member != nil:
		f := e.source(c.Member)
		if Underlying(f.Type) == Bool {
			return isBool(e.place("a", c.Member), c.Is.Bool)
		}
		return equals(e.place("a", c.Member), e.constant(*c.Is, f.Type))
	}
	var way Expr
	for i := range c.State[1:] {
		if object := e.place(on, c.State[:i+1]); object.Optional() {
			way = and(way, there(object))
		}
	}
	return and(way, equals(e.place(on, c.State), e.from(c.Equals)))
}

func equals(place Place, value Expr) Expr {
	if place.Optional() {
		return and(there(place), Binary{Equal, Pointee{place}, value})
	}
	return Binary{Equal, place, value}
}

// isBool returns a comparison with a boolean in idiomatic form.
func isBool(place Place, want bool) Expr {
	var value, condition Expr = place, nil
	if place.Optional() {
		value, condition = Pointee{place}, there(place)
	}
	if !want {
		value = Not{value}
	}
	return and(condition, value)
}
