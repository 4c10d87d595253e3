// Effects on lists, maps and objects, and the keys of items.

package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// items returns the type of a list's items.
func (r *effectReader) items(at *schema.Node, target protocol.Path) (protocol.Expr, bool) {
	l, ok := protocol.Underlying(target.Last().Type).(protocol.List)
	if !ok {
		r.errorf(at, "", "%s is %s, not a list", target.Last().Name, phase.Describe(target.Last().Type))
	}
	return l.Elem, ok && r.known(target.Last(), l.Elem)
}

// known reports a list with unknown items, once for all effects on it.
func (r *effectReader) known(list *protocol.Field, elem protocol.Expr) bool {
	if protocol.Underlying(elem) != protocol.Expr(protocol.Any) {
		return true
	}
	r.Errorf(list.Pos, "bad-effect", "say under items what they are, or write the reducers by hand",
		"the items of %s may be anything, so that no effect can tell one from another", list.Name)
	return false
}

// keyed is the key of a list's items with their type.
func (r *effectReader) keyed(n, at *schema.Node, target protocol.Path) (protocol.Key, protocol.Expr, bool) {
	elem, ok := r.items(at, target)
	if !ok {
		return protocol.Key{}, nil, false
	}
	key, ok := r.key(n, elem)
	return key, elem, ok
}

// given returns the action member an effect uses. It must be present and of the type.
func (r *effectReader) given(n *schema.Node, want protocol.Expr) (protocol.Path, bool) {
	path, from, ok := r.from(n)
	return path, ok && r.agree(from, want, r.typeOf(path)) && r.required(from, path)
}

func (r *effectReader) upsert(s statement) (protocol.Operation, bool) {
	key, elem, ok := r.keyed(s.n, s.at, s.target)
	if !ok {
		return nil, false
	}
	path, ok := r.given(s.n, elem)
	return &protocol.Upsert{Key: key, From: path}, ok
}

func (r *effectReader) remove(s statement) (protocol.Operation, bool) {
	key, _, ok := r.keyed(s.n, s.at, s.target)
	if !ok {
		return nil, false
	}
	out := &protocol.Remove{Key: key}
	if out.From, ok = r.given(s.n, protocol.String); !ok {
		return nil, false
	}
	out.Every = s.n.Get("every").True()
	if then := s.n.Get("then"); then != nil {
		out.Then = r.list(then, s.on)
	}
	return out, true
}

func (r *effectReader) reorder(s statement) (protocol.Operation, bool) {
	key, _, ok := r.keyed(s.n, s.at, s.target)
	if !ok {
		return nil, false
	}
	path, ok := r.given(s.n, protocol.List{Elem: protocol.String})
	if !ok {
		return nil, false
	}
	return &protocol.Reorder{Key: key, From: path, Complete: s.n.Get("complete").True()}, true
}

func (r *effectReader) exchange(s statement) (protocol.Operation, bool) {
	key, elem, ok := r.keyed(s.n, s.at, s.target)
	if !ok {
		return nil, false
	}
	out := &protocol.Exchange{Key: key}
	if out.From, ok = r.given(s.n, elem); !ok {
		return nil, false
	}
	if s.n.Get("old") == nil && len(key.Paths) > 0 {
		return out, true
	}
	path, at, ok := r.actionPath(s.n, "old")
	out.Old = path
	return out, ok && r.agree(at, protocol.String, r.typeOf(path)) && r.required(at, path)
}

// key reads the key of a list's items.
func (r *effectReader) key(n *schema.Node, elem protocol.Expr) (protocol.Key, bool) {
	at := n.Get("key")
	if at == nil {
		if protocol.Underlying(elem) == protocol.String {
			return protocol.Key{}, true // a string is its own key
		}
		r.errorf(n, `add "key" with the member that identifies an item`, "nothing says what identifies an item, which is %s", phase.Describe(elem))
		return protocol.Key{}, false
	}
	texts := []*schema.Node{at}
	if at.Kind == schema.Array {
		texts = at.Items
	}
	var key protocol.Key
	for _, t := range texts {
		path := strings.Split(t.Text, ".")
		if !isKey(elem, path) {
			r.errorf(t, "a key is a string, reached through members that are always there", "%s has no key %q", phase.Describe(elem), t.Text)
			return key, false
		}
		key.Paths = append(key.Paths, path)
	}
	return key, true
}

// isKey reports whether a path leads to a string in an item, for unions in at least one variant.
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

func (r *effectReader) merge(s statement) (protocol.Operation, bool) {
	path, from, ok := r.from(s.n)
	if !ok || !r.required(from, path) {
		return nil, false
	}
	out := &protocol.Merge{From: path}
	to := protocol.Expr(protocol.Ref{Type: s.on})
	if f := s.target.Last(); f != nil {
		to = f.Type
	}
	if _, isMap := protocol.Underlying(to).(protocol.Map); isMap {
		return r.mergeMap(s.n, from, out, to)
	}
	if replace := s.n.Get("replace"); replace != nil {
		r.errorf(replace, "", "only a map can be replaced by what is merged into it")
		return nil, false
	}
	dst, src := phase.StructOf(to), phase.StructOf(r.typeOf(path))
	if dst == nil || src == nil {
		r.errorf(s.at, "", "merge takes two maps or two objects, not %s and %s", phase.Describe(to), phase.Describe(r.typeOf(path)))
		return nil, false
	}
	return r.mergeStruct(s.n, from, out, dst, src)
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

// mergeStruct pairs members by name. Source members missing from the target would be lost.
func (r *effectReader) mergeStruct(n, from *schema.Node, out *protocol.Merge, dst, src *protocol.Struct) (*protocol.Merge, bool) {
	skip := map[string]bool{}
	if except := n.Get("except"); except != nil {
		for _, item := range except.Items {
			if f := src.Field(item.Text); item.Kind != schema.String || f == nil {
				r.errorf(item, phase.MemberHint(src), "%s has no member %s", src.Name, item.Compact())
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
		case r.At(f.Pos): // not a member of the object it is said to belong to
			return nil, false
		case to == nil && !f.Required: // it may have come after the effects were written
			r.Warnf(from.Pos, "bad-effect", "add it there, or list it under except", "%s has no member %q to merge into: it stays out", dst.Name, f.Name)
		case to == nil || to.Const != nil:
			r.errorf(from, "list it under except, or write this reducer by hand", "%s has no member %q to merge into", dst.Name, f.Name)
			ok = false
		case f.Nullable || to.Nullable:
			r.errorf(from, "write this reducer by hand", "%s may be null, which effects cannot tell from absent", f.Name)
			ok = false
		case !phase.SameType(to.Type, f.Type):
			r.errorf(from, "list it under except, or write this reducer by hand", "%s: %s is wanted, this is %s", f.Name, phase.Describe(to.Type), phase.Describe(f.Type))
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

func (r *effectReader) patch(s statement) (protocol.Operation, bool) {
	out := &protocol.Patch{}
	var on *protocol.Struct
	var ok bool
	last := s.target.Last()
	if on = phase.StructOf(last.Type); on != nil {
		if !r.patchObject(s.n, out, last, on) {
			return nil, false
		}
	} else {
		list, isList := protocol.Underlying(last.Type).(protocol.List)
		if !isList {
			r.errorf(s.at, "", "%s is %s, neither an object nor a list", last.Name, phase.Describe(last.Type))
			return nil, false
		}
		if !r.known(last, list.Elem) {
			return nil, false
		}
		if on, ok = r.patchItems(s.n, out, list.Elem); !ok {
			return nil, false
		}
	}
	effects := s.n.Get("effects")
	if effects == nil || len(effects.Items) == 0 {
		r.errorf(s.n, `list them under "effects"`, "nothing says what changes in %s", last.Name)
		return nil, false
	}
	out.Effects = r.list(effects, on)
	return out, len(out.Effects) == len(effects.Items)
}

// patchObject reads a patch of an object, which has a key if the action may be about another one.
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

// patchItems reads a patch of list items and returns their type.
func (r *effectReader) patchItems(n *schema.Node, out *protocol.Patch, elem protocol.Expr) (*protocol.Struct, bool) {
	if out.Every = n.Get("every").True(); !r.patchKey(n, out, elem) {
		return nil, false
	}
	variant := n.Get("variant")
	if s := phase.StructOf(elem); s != nil {
		if variant != nil {
			r.errorf(variant, "", "the items are %s, not a union with variants", phase.Describe(elem))
			return nil, false
		}
		return s, true
	}
	u := protocol.As[*protocol.Union](elem)
	if u == nil || u.Dispatch == nil || u.Dispatch.Member == "" {
		r.errorf(n, "write this reducer by hand", "items that are %s cannot be patched", phase.Describe(elem))
		return nil, false
	}
	if variant == nil {
		r.errorf(n, fmt.Sprintf(`add "variant" with a value of %s`, u.Dispatch.Member), "the items are a union: nothing says which variant changes")
		return nil, false
	}
	out.Variant = r.variant(variant, u)
	return out.Variant, out.Variant != nil
}

// variant returns the variant of a union with a tag. It returns nil on error.
func (r *effectReader) variant(tag *schema.Node, u *protocol.Union) *protocol.Struct {
	for _, c := range u.Dispatch.Cases {
		if c.Struct != nil && slices.ContainsFunc(c.Values, func(v protocol.Value) bool { return v.String() == tag.Text }) {
			return c.Struct
		}
	}
	r.errorf(tag, "", "%s has no variant %s of its own", u.Name, tag.Compact())
	return nil
}
