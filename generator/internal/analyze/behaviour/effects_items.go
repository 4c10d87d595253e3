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
func (r *effectReader) items(at *schema.Node, target protocol.Path) protocol.Expr {
	l, ok := protocol.Underlying(target.Last().Type).(protocol.List)
	if !ok {
		r.refuse(at, "", "%s is %s, not a list", target.Last().Name, phase.Describe(target.Last().Type))
	}
	r.known(target.Last(), l.Elem)
	return l.Elem
}

// known refuses a list with unknown items, once for all effects on it.
func (r *effectReader) known(list *protocol.Field, elem protocol.Expr) {
	if protocol.Underlying(elem) == protocol.Expr(protocol.Any) {
		r.Errorf(list.Pos, "bad-effect", "say under items what they are, or write the reducers by hand",
			"the items of %s may be anything, so that no effect can tell one from another", list.Name)
		r.stop()
	}
}

// keyed is the key of a list's items with their type.
func (r *effectReader) keyed(s statement) (protocol.Key, protocol.Expr) {
	elem := r.items(s.at, s.target)
	return r.key(s.n, elem), elem
}

// given returns the action member that an effect uses, which must be present and of the type.
func (r *effectReader) given(n *schema.Node, key string, want protocol.Expr) protocol.Path {
	path, at := r.actionPath(n, key)
	r.agree(at, want, r.typeOf(path))
	r.required(at, path)
	return path
}

func (r *effectReader) upsert(s statement) protocol.Operation {
	key, elem := r.keyed(s)
	return &protocol.Upsert{Key: key, From: r.given(s.n, "from", elem)}
}

func (r *effectReader) remove(s statement) protocol.Operation {
	key, _ := r.keyed(s)
	out := &protocol.Remove{Key: key, From: r.given(s.n, "from", protocol.String), Every: s.n.Get("every").True()}
	if then := s.n.Get("then"); then != nil {
		out.Then = r.list(then, s.on)
	}
	return out
}

func (r *effectReader) reorder(s statement) protocol.Operation {
	key, _ := r.keyed(s)
	return &protocol.Reorder{Key: key, From: r.given(s.n, "from", protocol.List{Elem: protocol.String}), Complete: s.n.Get("complete").True()}
}

func (r *effectReader) exchange(s statement) protocol.Operation {
	key, elem := r.keyed(s)
	out := &protocol.Exchange{Key: key, From: r.given(s.n, "from", elem)}
	if s.n.Get("old") != nil || len(key.Paths) == 0 {
		out.Old = r.given(s.n, "old", protocol.String)
	}
	return out
}

// key reads the key of a list's items.
func (r *effectReader) key(n *schema.Node, elem protocol.Expr) (key protocol.Key) {
	at := n.Get("key")
	if at == nil {
		if protocol.Underlying(elem) != protocol.String { // a string is its own key
			r.refuse(n, `add "key" with the member that identifies an item`, "nothing says what identifies an item, which is %s", phase.Describe(elem))
		}
		return key
	}
	for _, t := range at.OneOrMore() {
		path := strings.Split(t.Text, ".")
		if !isKey(elem, path) {
			r.refuse(t, "a key is a string, reached through members that are always there", "%s has no key %q", phase.Describe(elem), t.Text)
		}
		key.Paths = append(key.Paths, path)
	}
	return key
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

func (r *effectReader) merge(s statement) protocol.Operation {
	path, from := r.from(s.n)
	r.required(from, path)
	out := &protocol.Merge{From: path}
	to := protocol.Expr(protocol.Ref{Type: s.on})
	if f := s.target.Last(); f != nil {
		to = f.Type
	}
	if _, isMap := protocol.Underlying(to).(protocol.Map); isMap {
		r.mergeMap(s.n, from, out, to)
		return out
	}
	if replace := s.n.Get("replace"); replace != nil {
		r.refuse(replace, "", "only a map can be replaced by what is merged into it")
	}
	dst, src := phase.StructOf(to), phase.StructOf(r.typeOf(path))
	if dst == nil || src == nil {
		r.refuse(s.at, "", "merge takes two maps or two objects, not %s and %s", phase.Describe(to), phase.Describe(r.typeOf(path)))
	}
	r.mergeStruct(s.n, from, out, dst, src)
	return out
}

func (r *effectReader) mergeMap(n, from *schema.Node, out *protocol.Merge, to protocol.Expr) {
	if except := n.Get("except"); except != nil {
		r.refuse(except, "", "except is for objects; a map has no members that are known")
	}
	r.agree(from, to, r.typeOf(out.From))
	if n.Get("replace") != nil {
		path, at := r.actionPath(n, "replace")
		r.agree(at, protocol.Bool, r.typeOf(path))
		out.Replace = path
	}
}

// mergeStruct pairs members by name. Source members missing from the target would be lost.
func (r *effectReader) mergeStruct(n, from *schema.Node, out *protocol.Merge, dst, src *protocol.Struct) {
	skip := map[string]bool{}
	for _, item := range n.Get("except").List() {
		if f := src.Field(item.Text); item.Kind != schema.String || f == nil {
			r.refuse(item, phase.MemberHint(src), "%s has no member %s", src.Name, item.Compact())
		}
		skip[item.Text] = true
	}
	ok := true
	wrong := func(hint, format string, args ...any) {
		r.errorf(from, hint, format, args...)
		ok = false
	}
	for _, f := range src.Fields {
		if skip[f.Name] || f.Const != nil {
			continue
		}
		to := dst.Field(f.Name)
		switch {
		case r.At(f.Pos): // not a member of the object it is said to belong to
			r.stop()
		case to == nil && !f.Required: // it may have come after the effects were written
			r.Warnf(from.Pos, "bad-effect", "add it there, or list it under except", "%s has no member %q to merge into: it stays out", dst.Name, f.Name)
		case to == nil || to.Const != nil:
			wrong("list it under except, or write this reducer by hand", "%s has no member %q to merge into", dst.Name, f.Name)
		case f.Nullable || to.Nullable:
			wrong("write this reducer by hand", "%s may be null, which effects cannot tell from absent", f.Name)
		case !phase.SameType(to.Type, f.Type):
			wrong("list it under except, or write this reducer by hand", "%s: %s is wanted, this is %s", f.Name, phase.Describe(to.Type), phase.Describe(f.Type))
		default:
			out.Members = append(out.Members, &protocol.MergedMember{To: to, From: f})
		}
	}
	if ok && len(out.Members) == 0 {
		wrong("", "there is nothing to merge")
	}
	if !ok {
		r.stop()
	}
}

func (r *effectReader) patch(s statement) protocol.Operation {
	out := &protocol.Patch{}
	last := s.target.Last()
	on := phase.StructOf(last.Type)
	if on != nil {
		r.patchObject(s.n, out, last, on)
	} else {
		list, isList := protocol.Underlying(last.Type).(protocol.List)
		if !isList {
			r.refuse(s.at, "", "%s is %s, neither an object nor a list", last.Name, phase.Describe(last.Type))
		}
		r.known(last, list.Elem)
		on = r.patchItems(s.n, out, list.Elem)
	}
	effects := s.n.Get("effects")
	if len(effects.List()) == 0 {
		r.refuse(s.n, `list them under "effects"`, "nothing says what changes in %s", last.Name)
	}
	if out.Effects = r.list(effects, on); len(out.Effects) < len(effects.Items) {
		r.stop()
	}
	return out
}

// patchObject reads a patch of an object, which has a key if the action may be about another one.
func (r *effectReader) patchObject(n *schema.Node, out *protocol.Patch, target *protocol.Field, on *protocol.Struct) {
	for _, key := range []string{"variant", "every"} {
		if extra := n.Get(key); extra != nil {
			r.refuse(extra, "", "%s is for lists; %s is one object", key, target.Name)
		}
	}
	if n.Get("key") != nil || n.Get("from") != nil {
		r.patchKey(n, out, protocol.Ref{Type: on})
	}
}

func (r *effectReader) patchKey(n *schema.Node, out *protocol.Patch, elem protocol.Expr) {
	out.Key = r.key(n, elem)
	path, from := r.from(n)
	r.required(from, path)
	t := r.typeOf(path)
	if l, isList := protocol.Underlying(t).(protocol.List); isList && out.Every {
		t = l.Elem
	}
	out.From = path
	r.agree(from, protocol.String, t)
}

// patchItems reads a patch of list items and returns their type.
func (r *effectReader) patchItems(n *schema.Node, out *protocol.Patch, elem protocol.Expr) *protocol.Struct {
	out.Every = n.Get("every").True()
	r.patchKey(n, out, elem)
	variant := n.Get("variant")
	if s := phase.StructOf(elem); s != nil {
		if variant != nil {
			r.refuse(variant, "", "the items are %s, not a union with variants", phase.Describe(elem))
		}
		return s
	}
	u := protocol.As[*protocol.Union](elem)
	if u == nil || u.Dispatch == nil || u.Dispatch.Member == "" {
		r.refuse(n, "write this reducer by hand", "items that are %s cannot be patched", phase.Describe(elem))
	}
	if variant == nil {
		r.refuse(n, fmt.Sprintf(`add "variant" with a value of %s`, u.Dispatch.Member), "the items are a union: nothing says which variant changes")
	}
	out.Variant = r.variant(variant, u)
	return out.Variant
}

// variant returns the variant of a union with a tag.
func (r *effectReader) variant(tag *schema.Node, u *protocol.Union) *protocol.Struct {
	i := slices.IndexFunc(u.Dispatch.Cases, func(c *protocol.Case) bool {
		return c.Struct != nil && slices.ContainsFunc(c.Values, func(v protocol.Value) bool { return v.String() == tag.Text })
	})
	if i < 0 {
		r.refuse(tag, "", "%s has no variant %s of its own", u.Name, tag.Compact())
	}
	return u.Dispatch.Cases[i].Struct
}
