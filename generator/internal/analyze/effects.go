// Effects: what an action is stated to do, checked against the types of its state.

package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// effects reads what is stated about every action.
func (b *builder) effects() {
	if b.out.Actions == nil || b.clashing {
		return // which state an action changes is open
	}
	byType, byDefinition := map[string]*facts.Effects{}, map[string]*facts.Effects{}
	for _, e := range b.facts.Effects {
		if e.Action == "" {
			byDefinition[e.Definition] = e
			continue
		}
		if first := byType[e.Action]; first != nil {
			b.diags.Errorf(e.Pos, "duplicate-effects", fmt.Sprintf("the other entry stands at %s", first.Pos),
				"the effects of %q are stated twice", e.Action)
			continue
		}
		byType[e.Action] = e
	}
	for _, a := range b.out.Actions.Actions {
		b.diags.Working(a.Pos)
		e := byType[a.Type]
		if statement := b.statement(a.Struct); e == nil && statement != nil {
			e = byDefinition[statement.Definition]
		}
		if e == nil {
			continue
		}
		b.used.Add(e)
		if a.Channel == nil {
			continue // said where the action got no channel
		}
		if a.Channel.State == nil {
			b.diags.Errorf(e.Steps.Pos, "bad-effect", "describe the channel and its state, or take the effects away",
				"%q has effects, but its channel, %s, has no state", a.Type, a.Channel.Name)
			continue
		}
		if b.broken[a.Channel.State] || b.broken[a.Struct] {
			continue // reported where a member refers to what is not there
		}
		b.readEffects(a, e)
	}
}

// readEffects reads what is stated of one action. Of a profile that comes with ahpgen, effects that do not fit are left
// out: somebody else writes the reducer.
func (b *builder) readEffects(a *protocol.Action, stated *facts.Effects) {
	var own diag.List
	r := &effectReader{diags: b.diags, action: a.Struct}
	if stated.Source == facts.Embedded {
		r.diags = &own
	}
	effects := r.list(stated.Steps, a.Channel.State)
	if own.HasErrors() {
		fit.Mismatch(stated, b.diags, "bad-effect", "", "the profile's effects of %s do not fit these schemas: %s", a.Type, own.Sorted()[0].Message)
		return
	}
	a.Stated, a.Effects = true, effects
}

// effectReader reads the effects of one action.
type effectReader struct {
	diags  *diag.List
	action *protocol.Struct
}

func (r *effectReader) errorf(n *schema.Node, hint, format string, args ...any) {
	r.diags.Errorf(n.Pos, "bad-effect", cmp.Or(hint, "correct the effect, or write this reducer by hand"), format, args...)
}

// verbs are the effects there are, with the members each may have beside itself and "when".
var verbs = map[string][]string{
	"set":    {"from", "value"},
	"clear":  {},
	"flag":   {"bits", "mask", "from"},
	"upsert": {"key", "from"},
	"remove": {"key", "from", "every", "then"},
	"merge":  {"from", "except", "replace"},
	"patch":  {"key", "from", "variant", "every", "effects"},
	"append": {"from"},
}

const verbList = "set, clear, flag, upsert, remove, merge, patch or append"

// list reads effects on an object. Those that are wrong are reported and left out.
func (r *effectReader) list(n *schema.Node, on *protocol.Struct) []*protocol.Effect {
	if r.diags.At(n.Pos) {
		return nil
	}
	if n.Kind != schema.Array {
		r.errorf(n, "write a list; an empty one says that nothing changes", "the effects of %s are %s", r.action.Name, n.Kind)
		return nil
	}
	var out []*protocol.Effect
	for _, item := range n.Items {
		if e := r.effect(item, on); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// reported reports whether a node, or something inside it, is not even of the form that the
// vocabulary asks for. That has been said already.
func reported(diags *diag.List, n *schema.Node) bool {
	inside := func(n *schema.Node) bool { return reported(diags, n) }
	return diags.At(n.Pos) || slices.ContainsFunc(n.Items, inside) ||
		slices.ContainsFunc(n.Members, func(m schema.Member) bool { return diags.At(m.KeyPos) || inside(m.Value) })
}

func (r *effectReader) effect(n *schema.Node, on *protocol.Struct) *protocol.Effect {
	if reported(r.diags, n) {
		return nil
	}
	if n.Kind != schema.Object {
		r.errorf(n, "write an object with one of "+verbList, "an effect cannot be %s", n.Kind)
		return nil
	}
	verb := ""
	for _, m := range n.Members {
		if _, ok := verbs[m.Key]; !ok {
			continue
		}
		if verb != "" {
			r.diags.Errorf(m.KeyPos, "bad-effect", "write two effects", "one effect cannot %s and %s", verb, m.Key)
			return nil
		}
		verb = m.Key
	}
	if verb == "" {
		r.errorf(n, "write one of "+verbList, "the effect says nothing to do")
		return nil
	}
	ok := true
	for _, m := range n.Members {
		if m.Key != verb && m.Key != "when" && !slices.Contains(verbs[verb], m.Key) {
			r.diags.Errorf(m.KeyPos, "bad-effect", "take it away", "%s has no %q", verb, m.Key)
			ok = false
		}
	}
	if !ok {
		return nil
	}
	e := &protocol.Effect{Pos: n.Pos}
	if when := n.Get("when"); when != nil {
		if e.When = r.condition(when, on); e.When == nil {
			return nil
		}
	}
	target, ok := r.path(n.Get(verb), on)
	if !ok {
		return nil
	}
	if len(target) == 0 && verb != "merge" {
		r.errorf(n.Get(verb), "name a member", "only merge works on the object as a whole")
		return nil
	}
	e.Target = target
	e.Do = r.operation(verb, n, target, on, e.When)
	if e.Do == nil {
		return nil
	}
	return e
}

// operation reads an effect by its verb. It returns nil, not a typed nil, where something is wrong.
func (r *effectReader) operation(verb string, n *schema.Node, target protocol.Path, on *protocol.Struct, when *protocol.Condition) protocol.Operation {
	at := n.Get(verb)
	for _, f := range target {
		if f.Nullable {
			r.errorf(at, "write this reducer by hand", "%s may be null, which effects cannot tell from absent", f.Name)
			return nil
		}
	}
	var op protocol.Operation
	ok := false
	switch verb {
	case "set":
		op, ok = r.set(n, target, when)
	case "clear":
		op, ok = r.clear(at, target)
	case "flag":
		op, ok = r.flag(n, at, target)
	case "upsert":
		op, ok = r.upsert(n, at, target)
	case "remove":
		op, ok = r.remove(n, at, target, on)
	case "merge":
		op, ok = r.merge(n, at, target, on)
	case "patch":
		op, ok = r.patch(n, at, target)
	case "append":
		op, ok = r.append(n, at, target)
	}
	if !ok {
		return nil
	}
	return op
}

// path reads a path of member names with dots between them, "." for the object itself.
func (r *effectReader) path(n *schema.Node, on *protocol.Struct) (protocol.Path, bool) {
	if n.Kind != schema.String || n.Text == "" {
		r.errorf(n, "write member names with dots between them", "a path cannot be %s", n.Kind)
		return nil, false
	}
	if n.Text == "." {
		return protocol.Path{}, true
	}
	var out protocol.Path
	s := on
	for _, name := range strings.Split(n.Text, ".") {
		if s == nil {
			r.errorf(n, "write the effect with patch, or by hand", "%s is no object, so %s cannot be inside it", out.Last().Name, name)
			return nil, false
		}
		f := s.Field(name)
		if f == nil {
			r.errorf(n, memberHint(s), "%s has no member %q", s.Name, name)
			return nil, false
		}
		if f.Const != nil {
			r.errorf(n, "", "%s of %s always is %q", name, s.Name, f.Const.String())
			return nil, false
		}
		out = append(out, f)
		s = structOf(f.Type)
	}
	return out, true
}

func memberHint(s *protocol.Struct) string {
	var names []string
	for _, f := range s.Fields {
		if f.Const == nil {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(names, ", ")
}

func structOf(e protocol.Expr) *protocol.Struct {
	if ref, ok := protocol.Underlying(e).(protocol.Ref); ok {
		s, _ := ref.Type.(*protocol.Struct)
		return s
	}
	return nil
}

// from reads the member "from": a member of the action, by way of members that are always there.
func (r *effectReader) from(n *schema.Node) (protocol.Path, *schema.Node, bool) {
	return r.actionPath(n, "from")
}

func (r *effectReader) actionPath(n *schema.Node, key string) (protocol.Path, *schema.Node, bool) {
	at := n.Get(key)
	if at == nil {
		r.errorf(n, `add "`+key+`" with the name of a member of the action`, "nothing says which member of %s is meant", r.action.Name)
		return nil, n, false
	}
	path, ok := r.path(at, r.action)
	if !ok {
		return nil, at, false
	}
	for i, f := range path {
		if f.Nullable || i < len(path)-1 && !f.Required {
			r.errorf(at, "write this reducer by hand", "%s may be null or missing on the way", f.Name)
			return nil, at, false
		}
	}
	return path, at, true
}

// required reports a member of the action that may be missing where a value is needed.
func (r *effectReader) required(at *schema.Node, path protocol.Path) bool {
	if f := path.Last(); f != nil && !f.Required {
		r.errorf(at, "", "%s of %s may be missing", f.Name, r.action.Name)
		return false
	}
	return true
}

// agree reports types that differ.
func (r *effectReader) agree(at *schema.Node, target, from protocol.Expr) bool {
	if sameType(target, from) {
		return true
	}
	r.errorf(at, "", "the types differ: %s is wanted, this is %s", describe(target), describe(from))
	return false
}

func sameType(a, b protocol.Expr) bool {
	a, b = protocol.Underlying(a), protocol.Underlying(b)
	switch a := a.(type) {
	case protocol.List:
		b, ok := b.(protocol.List)
		return ok && sameType(a.Elem, b.Elem)
	case protocol.Map:
		b, ok := b.(protocol.Map)
		return ok && sameType(a.Elem, b.Elem)
	}
	return a == b
}

// describe is a type as messages call it.
func describe(e protocol.Expr) string {
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return e.String()
	case protocol.Ref:
		return e.Type.Head().Name
	case protocol.List:
		return "a list of " + describe(e.Elem)
	case protocol.Map:
		return "a map of " + describe(e.Elem)
	}
	return "something else"
}

func (r *effectReader) set(n *schema.Node, target protocol.Path, when *protocol.Condition) (*protocol.Set, bool) {
	value := n.Get("value")
	if (value != nil) == (n.Get("from") != nil) {
		r.errorf(n, `"from" names a member of the action, "value" is a constant`, "set needs either from or value")
		return nil, false
	}
	out := &protocol.Set{}
	last := target.Last()
	if value != nil {
		var ok bool
		out.Value, out.Empty, ok = r.constant(value, last.Type)
		return out, ok
	}
	path, from, ok := r.from(n)
	if !ok || !r.agree(from, last.Type, r.typeOf(path)) {
		return nil, false
	}
	out.From = path
	if f := path.Last(); f != nil && last.Required && !f.Required && !ensures(when, path) {
		r.errorf(from, fmt.Sprintf(`add "when": {"present": %q}`, from.Text), "%s may be missing, but %s has to be there", f.Name, last.Name)
		return nil, false
	}
	return out, true
}

// typeOf is the type at the end of a path in the action.
func (r *effectReader) typeOf(path protocol.Path) protocol.Expr {
	if f := path.Last(); f != nil {
		return f.Type
	}
	return protocol.Ref{Type: r.action}
}

// ensures reports whether a condition says that a member of the action is there.
func ensures(when *protocol.Condition, path protocol.Path) bool {
	return when != nil && (when.Present != nil && slices.Equal(when.Present, path) || when.Member != nil && slices.Equal(when.Member, path))
}

// constant reads a constant of a type.
func (r *effectReader) constant(n *schema.Node, t protocol.Expr) (value *protocol.Value, empty, ok bool) {
	wrong := func() (*protocol.Value, bool, bool) {
		r.errorf(n, "", "%s is wanted, this is %s", describe(t), n.Compact())
		return nil, false, false
	}
	switch t := protocol.Underlying(t).(type) {
	case protocol.List:
		if n.Kind != schema.Array || len(n.Items) > 0 {
			return wrong()
		}
		return nil, true, true
	case protocol.Map:
		if n.Kind != schema.Object || len(n.Members) > 0 {
			return wrong()
		}
		return nil, true, true
	case protocol.Scalar:
		if v := scalarValue(n); v != nil && (v.Kind == t || v.Kind == protocol.Integer && t == protocol.Float) {
			return v, false, true
		}
	case protocol.Ref:
		enum, isEnum := t.Type.(*protocol.Enum)
		v := scalarValue(n)
		if !isEnum || v == nil || v.Kind != enum.Kind {
			return wrong()
		}
		if !enum.Bitset && !slices.ContainsFunc(enum.Members, func(m *protocol.EnumMember) bool { return m.Value == *v }) {
			r.errorf(n, "", "%s has no value %s", enum.Name, n.Compact())
			return nil, false, false
		}
		return v, false, true
	}
	return wrong()
}

func scalarValue(n *schema.Node) *protocol.Value {
	switch n.Kind {
	case schema.String:
		return &protocol.Value{Kind: protocol.String, Str: n.Text}
	case schema.Bool:
		return &protocol.Value{Kind: protocol.Bool, Bool: n.Bool}
	case schema.Number:
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return &protocol.Value{Kind: protocol.Integer, Int: i}
		}
	}
	return nil
}

func (r *effectReader) clear(at *schema.Node, target protocol.Path) (*protocol.Clear, bool) {
	if f := target.Last(); f.Required {
		r.errorf(at, "set it to a value; lists and maps can be set to an empty one", "%s has to be there, so it cannot be cleared", f.Name)
		return nil, false
	}
	return &protocol.Clear{}, true
}

func (r *effectReader) flag(n, at *schema.Node, target protocol.Path) (*protocol.Flag, bool) {
	f := target.Last()
	ref, _ := protocol.Underlying(f.Type).(protocol.Ref)
	enum, _ := ref.Type.(*protocol.Enum)
	if enum == nil || !enum.Bitset || !f.Required {
		r.errorf(at, "", "%s is %s, not a bitset that is always there", f.Name, describe(f.Type))
		return nil, false
	}
	out := &protocol.Flag{}
	var ok bool
	if out.Bits, ok = r.bits(n, "bits"); !ok {
		return nil, false
	}
	if n.Get("mask") != nil {
		if out.Mask, ok = r.bits(n, "mask"); !ok {
			return nil, false
		}
	}
	if n.Get("from") == nil {
		return out, true
	}
	if out.Mask != 0 {
		r.errorf(n.Get("mask"), "", "a flag that follows a member of the action has no mask")
		return nil, false
	}
	path, from, ok := r.from(n)
	if !ok || !r.agree(from, protocol.Bool, r.typeOf(path)) || !r.required(from, path) {
		return nil, false
	}
	out.From = path
	return out, true
}

func (r *effectReader) bits(n *schema.Node, key string) (uint64, bool) {
	at := n.Get(key)
	if at == nil {
		r.errorf(n, `add "bits" with the sum of the bits`, "nothing says which bits are meant")
		return 0, false
	}
	bits, err := strconv.ParseUint(at.Text, 10, 64)
	if at.Kind != schema.Number || err != nil || bits == 0 {
		r.errorf(at, "", "bits are a positive integer, this is %s", at.Compact())
		return 0, false
	}
	return bits, true
}

// items returns the type of a list's items.
func (r *effectReader) items(at *schema.Node, target protocol.Path) (protocol.Expr, bool) {
	l, ok := protocol.Underlying(target.Last().Type).(protocol.List)
	if !ok {
		r.errorf(at, "", "%s is %s, not a list", target.Last().Name, describe(target.Last().Type))
	}
	return l.Elem, ok
}

func (r *effectReader) upsert(n, at *schema.Node, target protocol.Path) (*protocol.Upsert, bool) {
	elem, ok := r.items(at, target)
	if !ok {
		return nil, false
	}
	key, ok := r.key(n, elem)
	if !ok {
		return nil, false
	}
	path, from, ok := r.from(n)
	if !ok || !r.agree(from, elem, r.typeOf(path)) || !r.required(from, path) {
		return nil, false
	}
	return &protocol.Upsert{Key: key, From: path}, true
}

func (r *effectReader) remove(n, at *schema.Node, target protocol.Path, on *protocol.Struct) (*protocol.Remove, bool) {
	elem, ok := r.items(at, target)
	if !ok {
		return nil, false
	}
	out := &protocol.Remove{}
	if out.Key, ok = r.key(n, elem); !ok {
		return nil, false
	}
	path, from, ok := r.from(n)
	if !ok || !r.agree(from, protocol.String, r.typeOf(path)) || !r.required(from, path) {
		return nil, false
	}
	out.From = path
	if out.Every, ok = r.truth(n, "every"); !ok {
		return nil, false
	}
	if then := n.Get("then"); then != nil {
		out.Then = r.list(then, on)
	}
	return out, true
}

func (r *effectReader) truth(n *schema.Node, key string) (value, ok bool) {
	at := n.Get(key)
	if at == nil {
		return false, true
	}
	if at.Kind != schema.Bool {
		r.errorf(at, "", "%s is true or false, not %s", key, at.Kind)
		return false, false
	}
	return at.Bool, true
}

// key reads what identifies the items of a list.
func (r *effectReader) key(n *schema.Node, elem protocol.Expr) (protocol.Key, bool) {
	at := n.Get("key")
	if at == nil {
		if protocol.Underlying(elem) == protocol.String {
			return protocol.Key{}, true // a string is its own key
		}
		r.errorf(n, `add "key" with the member that identifies an item`, "nothing says what identifies an item, which is %s", describe(elem))
		return protocol.Key{}, false
	}
	texts := []*schema.Node{at}
	if at.Kind == schema.Array {
		texts = at.Items
	}
	var key protocol.Key
	for _, t := range texts {
		if t.Kind != schema.String || t.Text == "" {
			r.errorf(t, "write member names with dots between them", "a key cannot be %s", t.Kind)
			return key, false
		}
		path := strings.Split(t.Text, ".")
		if !isKey(elem, path) {
			r.errorf(t, "a key is a string, reached through members that are always there", "%s has no key %q", describe(elem), t.Text)
			return key, false
		}
		key.Paths = append(key.Paths, path)
	}
	if len(key.Paths) == 0 {
		r.errorf(at, "name a member", "the key is empty")
		return key, false
	}
	return key, true
}

// isKey reports whether a path leads to a string in an item, for a union in one variant at least.
func isKey(elem protocol.Expr, path []string) bool {
	ref, _ := protocol.Underlying(elem).(protocol.Ref)
	switch t := ref.Type.(type) {
	case *protocol.Struct:
		return protocol.KeyMember(t, path)
	case *protocol.Union:
		return slices.ContainsFunc(t.Leaves(), func(s *protocol.Struct) bool {
			_, inside := protocol.UnionMember(s, path)
			return inside != nil || protocol.KeyMember(s, path)
		})
	}
	return false
}

func (r *effectReader) merge(n, at *schema.Node, target protocol.Path, on *protocol.Struct) (*protocol.Merge, bool) {
	path, from, ok := r.from(n)
	if !ok || !r.required(from, path) {
		return nil, false
	}
	out := &protocol.Merge{From: path}
	to := protocol.Expr(protocol.Ref{Type: on})
	if f := target.Last(); f != nil {
		to = f.Type
	}
	if _, isMap := protocol.Underlying(to).(protocol.Map); isMap {
		return r.mergeMap(n, from, out, to)
	}
	if replace := n.Get("replace"); replace != nil {
		r.errorf(replace, "", "only a map can be replaced by what is merged into it")
		return nil, false
	}
	dst, src := structOf(to), structOf(r.typeOf(path))
	if dst == nil || src == nil {
		r.errorf(at, "", "merge takes two maps or two objects, not %s and %s", describe(to), describe(r.typeOf(path)))
		return nil, false
	}
	return r.mergeStruct(n, from, out, dst, src)
}

func (r *effectReader) mergeMap(n, from *schema.Node, out *protocol.Merge, to protocol.Expr) (*protocol.Merge, bool) {
	if except := n.Get("except"); except != nil {
		r.errorf(except, "", "except is for objects; a map has no members that are known")
		return nil, false
	}
	if !r.agree(from, to, r.typeOf(out.From)) {
		return nil, false
	}
	if n.Get("replace") == nil {
		return out, true
	}
	path, at, ok := r.actionPath(n, "replace")
	if !ok || !r.agree(at, protocol.Bool, r.typeOf(path)) {
		return nil, false
	}
	out.Replace = path
	return out, true
}

// mergeStruct pairs members by name. A source with members that the target lacks would lose them.
func (r *effectReader) mergeStruct(n, from *schema.Node, out *protocol.Merge, dst, src *protocol.Struct) (*protocol.Merge, bool) {
	skip := map[string]bool{}
	if except := n.Get("except"); except != nil {
		if except.Kind != schema.Array {
			r.errorf(except, "write a list of member names", "except cannot be %s", except.Kind)
			return nil, false
		}
		for _, item := range except.Items {
			if f := src.Field(item.Text); item.Kind != schema.String || f == nil {
				r.errorf(item, memberHint(src), "%s has no member %s", src.Name, item.Compact())
				return nil, false
			}
			skip[item.Text] = true
		}
	}
	ok := true
	for _, f := range src.Fields {
		if skip[f.Name] || f.Const != nil {
			continue
		}
		to := dst.Field(f.Name)
		switch {
		case to == nil || to.Const != nil:
			r.errorf(from, "list it under except, or write this reducer by hand", "%s has no member %q to merge into", dst.Name, f.Name)
			ok = false
		case f.Nullable || to.Nullable:
			r.errorf(from, "write this reducer by hand", "%s may be null, which effects cannot tell from absent", f.Name)
			ok = false
		case !sameType(to.Type, f.Type):
			r.errorf(from, "list it under except, or write this reducer by hand", "%s: %s is wanted, this is %s", f.Name, describe(to.Type), describe(f.Type))
			ok = false
		default:
			out.Members = append(out.Members, &protocol.MergedMember{To: to, From: f})
		}
	}
	if ok && len(out.Members) == 0 {
		r.errorf(from, "", "there is nothing to merge")
		ok = false
	}
	return out, ok
}

func (r *effectReader) patch(n, at *schema.Node, target protocol.Path) (*protocol.Patch, bool) {
	out := &protocol.Patch{}
	var on *protocol.Struct
	var ok bool
	last := target.Last()
	if on = structOf(last.Type); on != nil {
		if !r.patchObject(n, out, last, on) {
			return nil, false
		}
	} else {
		list, isList := protocol.Underlying(last.Type).(protocol.List)
		if !isList {
			r.errorf(at, "", "%s is %s, neither an object nor a list", last.Name, describe(last.Type))
			return nil, false
		}
		if on, ok = r.patchItems(n, out, list.Elem); !ok {
			return nil, false
		}
	}
	effects := n.Get("effects")
	if effects == nil || len(effects.Items) == 0 {
		r.errorf(n, `list them under "effects"`, "nothing says what changes in %s", last.Name)
		return nil, false
	}
	out.Effects = r.list(effects, on)
	return out, len(out.Effects) == len(effects.Items)
}

// patchObject reads the rest of a patch of one object, which has a key where the action may be
// about another one.
func (r *effectReader) patchObject(n *schema.Node, out *protocol.Patch, target *protocol.Field, on *protocol.Struct) bool {
	for _, key := range []string{"variant", "every"} {
		if extra := n.Get(key); extra != nil {
			r.errorf(extra, "", "%s is for lists; %s is one object", key, target.Name)
			return false
		}
	}
	if n.Get("key") == nil && n.Get("from") == nil {
		return true
	}
	return r.patchKey(n, out, protocol.Ref{Type: on})
}

func (r *effectReader) patchKey(n *schema.Node, out *protocol.Patch, elem protocol.Expr) bool {
	var ok bool
	if out.Key, ok = r.key(n, elem); !ok {
		return false
	}
	path, from, ok := r.from(n)
	if !ok || !r.required(from, path) {
		return false
	}
	t := r.typeOf(path)
	if l, isList := protocol.Underlying(t).(protocol.List); isList && out.Every {
		t = l.Elem
	}
	out.From = path
	return r.agree(from, protocol.String, t)
}

// patchItems reads the rest of a patch of a list and returns the type of what changes.
func (r *effectReader) patchItems(n *schema.Node, out *protocol.Patch, elem protocol.Expr) (*protocol.Struct, bool) {
	var ok bool
	if out.Every, ok = r.truth(n, "every"); !ok || !r.patchKey(n, out, elem) {
		return nil, false
	}
	variant := n.Get("variant")
	if s := structOf(elem); s != nil {
		if variant != nil {
			r.errorf(variant, "", "the items are %s, not a union with variants", describe(elem))
			return nil, false
		}
		return s, true
	}
	ref, _ := protocol.Underlying(elem).(protocol.Ref)
	u, _ := ref.Type.(*protocol.Union)
	if u == nil || u.Dispatch == nil || u.Dispatch.Member == "" {
		r.errorf(n, "write this reducer by hand", "items that are %s cannot be patched", describe(elem))
		return nil, false
	}
	if variant == nil {
		r.errorf(n, fmt.Sprintf(`add "variant" with a value of %s`, u.Dispatch.Member), "the items are a union: nothing says which variant changes")
		return nil, false
	}
	for _, c := range u.Dispatch.Cases {
		if c.Struct != nil && slices.ContainsFunc(c.Values, func(v protocol.Value) bool { return v.String() == variant.Text }) {
			out.Variant = c.Struct
			return c.Struct, true
		}
	}
	r.errorf(variant, "", "%s has no variant %s of its own", u.Name, variant.Compact())
	return nil, false
}

func (r *effectReader) append(n, at *schema.Node, target protocol.Path) (*protocol.Append, bool) {
	path, from, ok := r.from(n)
	if !ok || !r.required(from, path) {
		return nil, false
	}
	want := target.Last().Type
	switch t := protocol.Underlying(want).(type) {
	case protocol.List:
		want = t.Elem
	case protocol.Scalar:
		if t != protocol.String || !target.Last().Required {
			r.errorf(at, "", "%s is neither a list nor a text that is always there", target.Last().Name)
			return nil, false
		}
	default:
		r.errorf(at, "", "%s is neither a list nor a text", target.Last().Name)
		return nil, false
	}
	if !r.agree(from, want, r.typeOf(path)) {
		return nil, false
	}
	return &protocol.Append{From: path}, true
}

// condition reads what limits an effect.
func (r *effectReader) condition(n *schema.Node, on *protocol.Struct) *protocol.Condition {
	const forms = `write {"present": member}, {"member": member, "is": value} or {"state": path, "equals": member}`
	keys := make([]string, 0, 2)
	for _, m := range n.Members {
		keys = append(keys, m.Key)
	}
	slices.Sort(keys)
	out := &protocol.Condition{}
	var ok bool
	var at *schema.Node
	switch strings.Join(keys, " ") {
	case "present":
		if out.Present, at, ok = r.actionPath(n, "present"); !ok {
			return nil
		}
		if f := out.Present.Last(); f == nil || f.Required {
			r.errorf(at, "leave the condition out", "%s is always there", at.Text)
			return nil
		}
	case "is member":
		if out.Member, _, ok = r.actionPath(n, "member"); !ok {
			return nil
		}
		if out.Is, _, ok = r.constant(n.Get("is"), r.typeOf(out.Member)); !ok || out.Is == nil {
			if ok {
				r.errorf(n.Get("is"), "", "only scalar values can be compared")
			}
			return nil
		}
	case "equals state":
		if out.State, ok = r.path(n.Get("state"), on); !ok {
			return nil
		}
		if out.Equals, at, ok = r.actionPath(n, "equals"); !ok || !r.required(at, out.Equals) {
			return nil
		}
		f := out.State.Last()
		if f == nil || !isComparable(f.Type) || f.Nullable || slices.ContainsFunc(out.State[:len(out.State)-1], func(f *protocol.Field) bool { return !f.Required || f.Nullable }) {
			r.errorf(n.Get("state"), "", "%q cannot be compared: only scalars can, through members that are always there", n.Get("state").Text)
			return nil
		}
		if !r.agree(at, f.Type, r.typeOf(out.Equals)) {
			return nil
		}
	default:
		r.errorf(n, forms, "the condition cannot be read")
		return nil
	}
	return out
}

func isComparable(e protocol.Expr) bool {
	switch t := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return t != protocol.Any && t != protocol.Null
	case protocol.Ref:
		_, ok := t.Type.(*protocol.Enum)
		return ok
	}
	return false
}
