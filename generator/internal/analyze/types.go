// Types: definitions and inline schemas become structs, enums, unions and aliases.

package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// declare makes an empty type for every definition, so that references have something to point at.
func (b *builder) declare() {
	for _, def := range b.set.Definitions() {
		if b.omit[def] || def.Supplied && !def.Used {
			continue
		}
		b.diags.Working(def.Pos)
		if branch := b.payload[def]; branch != nil {
			b.types[def] = b.declarePayload(def, branch)
			continue
		}
		b.types[def] = b.declareType(def.Name, def.Pos, def.Schema, defined)
	}
}

// standing is where a type is written.
type standing int

const (
	defined standing = iota // under a name of its own
	inline                  // where it is used
)

// declareType adds an empty type of the right kind and queues the filling of it.
func (b *builder) declareType(name string, pos diag.Pos, written *schema.Schema, at standing) protocol.Type {
	s := b.core(written)
	doc := s.Description
	if written.Description != "" {
		doc = written.Description
	}
	name = b.distinct(name)
	head := protocol.Header{Name: name, Doc: doc, Deprecated: written.Deprecated || s.Deprecated, Pos: pos, Inline: at == inline}
	var t protocol.Type
	shape := b.shapeOf(s)
	raw := at == defined && b.isRaw(name)
	if raw {
		shape = shapeAlias
	}
	switch shape {
	case shapeStruct:
		st := &protocol.Struct{Header: head}
		b.later(st, at, func() { b.fillStruct(st, s) })
		t = st
	case shapeEnum:
		e := &protocol.Enum{Header: head}
		b.later(e, at, func() { b.fillEnum(e, s) })
		t = e
	case shapeChoice:
		u := &protocol.Union{Header: head}
		b.later(u, at, func() { b.fillUnion(u, s) })
		t = u
	default:
		a := &protocol.Alias{Header: head, Target: protocol.Any}
		b.later(a, at, func() {
			if !raw {
				a.Target, a.Nullable = b.expr(written, name)
			}
		})
		t = a
	}
	b.out.Types = append(b.out.Types, t)
	return t
}

// distinct returns the name of a type that none has yet: what is known by its path could not be told
// apart otherwise. Paths of inline types can be equal, as those of a member called "value" and of the
// members that an object does not declare, or of alternatives that share a title. The first keeps the
// path as it is, and definitions come before all of them.
func (b *builder) distinct(path string) string {
	name := path
	for b.paths[name] > 0 {
		b.paths[path]++
		name = path + "#" + strconv.Itoa(b.paths[path])
	}
	b.paths[name] = 1
	return name
}

// stated is distinct for a name that schemas or profile state for a type of the package: it is meant as
// it is.
func (b *builder) stated(name, what string, pos diag.Pos) string {
	if other := b.out.Lookup(name); other != nil {
		b.diags.Errorf(pos, "name-collision", "state another name for it, or rename the definition",
			"%s is to be called %s, and so is what stands at %s", what, name, other.Head().Pos)
	}
	return b.distinct(name)
}

// later queues the filling of a type. Inline types belong to the definition being filled.
func (b *builder) later(t protocol.Type, at standing, fill func()) {
	root := t
	if at == inline {
		root = b.root
		b.owner[t] = root
	}
	b.pending = append(b.pending, func() {
		b.root = root
		b.diags.Working(t.Head().Pos)
		fill()
	})
}

// fill completes the declared types. Filling one may declare inline types, which come right after it.
func (b *builder) fill() {
	for len(b.pending) > 0 {
		queue := b.pending
		b.pending = nil
		for _, f := range queue {
			f()
		}
	}
	b.reorder()
}

// reorder puts inline types behind the definition they belong to.
func (b *builder) reorder() {
	inline := map[protocol.Type][]protocol.Type{}
	var roots []protocol.Type
	for _, t := range b.out.Types {
		if t.Head().Inline {
			inline[b.owner[t]] = append(inline[b.owner[t]], t)
		} else {
			roots = append(roots, t)
		}
	}
	b.out.Types = nil
	for _, t := range roots {
		b.out.Types = append(b.out.Types, t)
		b.out.Types = append(b.out.Types, inline[t]...)
	}
}

// expr says what values a schema allows, declaring inline types on the way. The name is the path
// that inline types are named by. The second result says whether null is among the values.
func (b *builder) expr(s *schema.Schema, name string) (protocol.Expr, bool) {
	if ref, ok := s.Reference(); ok {
		return b.reference(ref)
	}
	if def := b.wrapped[s]; def != nil {
		return protocol.Ref{Type: b.types[def]}, false
	}
	nullable := allowsNull(s)
	if branches := s.Choices(); branches != nil && !isObject(s) && !b.isLone(s) {
		rest := withoutNull(branches)
		if len(rest) == 1 {
			e, n := b.expr(rest[0], name)
			return e, n || nullable
		}
	}
	if s.Never {
		b.diags.Errorf(s.Pos, "impossible", "remove the member, or give it a schema", "no value fits the schema false")
		return protocol.Any, false
	}
	switch b.shapeOf(s) {
	case shapeStruct, shapeEnum, shapeChoice:
		t := b.inline(s, name)
		return protocol.Ref{Type: t}, nullable
	}
	return b.plain(s, name), nullable
}

// inline declares a type for a schema that stands inside another. One that inherits what it stands
// in is met again and again inside itself: it is declared once for each definition.
func (b *builder) inline(s *schema.Schema, name string) protocol.Type {
	at := inlineUse{b.root, b.core(s)}
	first, ok := b.inlined[at]
	if ok && b.inheritsItself(at.schema) {
		return first
	}
	b.copies[b.root]++
	b.pathBytes += len(name)
	if b.copies[b.root] > maxInline || b.pathBytes > maxPaths || b.doubling {
		if !b.doubling {
			b.doubling = true // one error is enough, and no more copies
			most := fmt.Sprintf("%s holds more than %d inline types", b.root.Head().Name, maxInline)
			if b.copies[b.root] <= maxInline {
				most = fmt.Sprintf("the names of inline types take more than %d MiB by what is in %s", maxPaths>>20, b.root.Head().Name)
			}
			b.diags.Errorf(b.root.Head().Pos, "too-many-types", "give some of them definitions of their own under $defs: each base that is inherited brings copies of its inline schemas", "%s", most)
		}
		if ok {
			return first
		}
	}
	t := b.declareType(name, s.Pos, s, inline)
	if !ok {
		b.inlined[at] = t
	}
	return t
}

// plain is the expression of a schema that needs no type of its own.
func (b *builder) plain(s *schema.Schema, name string) protocol.Expr {
	kind := ""
	for _, t := range s.Types {
		if t != "null" {
			kind = t
		}
	}
	if first, ok := isEnum(s); ok && kind == "" {
		if n := firstValue(first); n != nil && n.Kind == schema.Bool {
			kind = "boolean"
		}
	}
	switch {
	case kind == "" && s.Items != nil:
		kind = "array"
	case kind == "" && s.Additional != nil:
		kind = "object"
	}
	switch kind {
	case "string":
		return protocol.String
	case "boolean":
		return protocol.Bool
	case "integer":
		if sized, ok := protocol.Integers[s.Format]; ok {
			return sized
		}
		return protocol.Integer
	case "number":
		return b.number(s, name)
	case "array":
		if s.Items == nil {
			return protocol.List{Elem: protocol.Any}
		}
		return protocol.List{Elem: b.element(s.Items, name+".item")}
	case "object":
		if s.Additional == nil || s.Additional.Any {
			return protocol.Map{Elem: protocol.Any}
		}
		return protocol.Map{Elem: b.element(s.Additional, name+".value")}
	}
	if isNull(s) {
		b.diags.Errorf(s.Pos, "only-null", "leave the member out, or give it a type", "a value that can only be null says nothing")
	}
	return protocol.Any
}

// element is the expression of what a list or map holds.
func (b *builder) element(s *schema.Schema, name string) protocol.Expr {
	e, nullable := b.expr(s, name)
	if nullable && e != protocol.Any {
		b.diags.Errorf(s.Pos, "nullable-element", "allow null beside the list or map, or keep the items as any JSON value",
			"items of %s that may be null are not supported", strings.TrimSuffix(strings.TrimSuffix(name, ".item"), ".value"))
	}
	return e
}

// number decides between integers and floats.
func (b *builder) number(s *schema.Schema, name string) protocol.Expr {
	for _, n := range b.rules.floats[name] {
		b.used.Add(n)
		return protocol.Float
	}
	for _, n := range b.rules.ints[name] {
		b.used.Add(n)
		return protocol.Integer
	}
	if s.Format == "" && b.facts.Whole {
		return protocol.Integer
	}
	return protocol.Float
}

// isErrorEnum reports whether a definition lists the codes of errors. They are a table and no type, and what holds one
// of them holds any integer.
func (b *builder) isErrorEnum(def *schema.Definition) bool {
	return slices.ContainsFunc(b.facts.ErrorEnums, func(e *facts.Place) bool { return e.At == def.Name })
}

func (b *builder) reference(ref *schema.Reference) (protocol.Expr, bool) {
	if ref.Target == nil {
		return protocol.Any, false // reported where it was resolved
	}
	t, ok := b.types[ref.Target]
	if !ok {
		switch {
		case b.isErrorEnum(ref.Target):
			return protocol.Integer, false
		case b.omit[ref.Target] && ref.Target.Schema.Extension("x-abstract").True():
			b.diags.Errorf(ref.Pos, "abstract-type", "use a type that builds on it, or take x-abstract away", "%s is a base only and has no type of its own", ref.Target.Name)
		case b.omit[ref.Target]:
			b.diags.Errorf(ref.Pos, "omitted-type", "take it out of omit in the profile", "%s is used here, but the profile omits it", ref.Target.Name)
		}
		return protocol.Any, false
	}
	return protocol.Ref{Type: t}, allowsNull(ref.Target.Schema.Follow())
}
