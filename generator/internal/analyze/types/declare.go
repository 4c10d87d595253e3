// Types: structs, enums, unions and aliases of definitions and inline schemas.

package types

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// declare creates an empty type for every definition, as a target of references.
func (b *builder) declare() {
	for _, def := range b.Set.Definitions() {
		if b.Omit[def] || def.Supplied && !def.Used {
			continue
		}
		b.Working(def.Pos)
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

// declareType adds an empty type of the right kind and queues its completion.
func (b *builder) declareType(name string, pos diag.Pos, written *schema.Schema, at standing) protocol.Type {
	s := b.shapes.Core(written)
	doc := cmp.Or(written.Description, s.Description, partDoc(s))
	name = b.names.Distinct(name)
	head := protocol.Header{Name: name, Doc: doc, Deprecated: written.Deprecated || s.Deprecated, Stability: stability(written, s), Pos: pos, Inline: at == inline}
	if at == inline {
		head.Former = b.formerly(name, "")
	}
	var t protocol.Type
	kind := b.shapes.Of(s)
	raw := at == defined && b.isRaw(name)
	if raw {
		kind = shape.Alias
		head.Doc = b.sayUndecided(name, doc)
	}
	switch kind {
	case shape.Struct:
		st := &protocol.Struct{Header: head}
		b.later(st, at, func() { b.fillStruct(st, s) })
		t = st
	case shape.Enum:
		e := &protocol.Enum{Header: head}
		b.later(e, at, func() { b.fillEnum(e, s) })
		t = e
	case shape.Choice:
		u := &protocol.Union{Header: head}
		b.later(u, at, func() { b.fillUnion(u, s) })
		t = u
	default:
		a := &protocol.Alias{Header: head, Target: protocol.Any}
		b.later(a, at, func() {
			if raw {
				b.beneath(written, &a.Header, map[*schema.Schema]bool{})
				a.Limits = said(b.Set.Meaning(written.Node, func(string) bool { return true }))
				return
			}
			a.Target, a.Nullable = b.expr(written, name)
			a.Limits = b.limits(written, a.Target, &a.Header)
		})
		t = a
	}
	b.All = append(b.All, t)
	return t
}

// partDoc returns what the parts of a schema that stand in it say about it.
func partDoc(s *schema.Schema) string {
	for _, part := range s.AllOf {
		if part.Ref == nil && part.Description != "" {
			return part.Description
		}
	}
	return ""
}

// later queues the completion of a type. Inline types belong to the current definition.
func (b *builder) later(t protocol.Type, at standing, fill func()) {
	root := t
	if at == inline {
		root = b.root
		b.owner[t] = root
	}
	b.pending = append(b.pending, func() {
		b.root = root
		b.Working(t.Head().Pos)
		fill()
	})
}

// fill completes the declared types, which may add inline types.
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

// reorder places inline types after the definition they belong to.
func (b *builder) reorder() {
	inline := map[protocol.Type][]protocol.Type{}
	var roots []protocol.Type
	for _, t := range b.All {
		if t.Head().Inline {
			inline[b.owner[t]] = append(inline[b.owner[t]], t)
		} else {
			roots = append(roots, t)
		}
	}
	b.All = nil
	for _, t := range roots {
		b.All = append(b.All, t)
		b.All = append(b.All, inline[t]...)
	}
}

// expr returns the type of a schema, declaring inline types with name as their path, and whether it allows null.
func (b *builder) expr(s *schema.Schema, name string) (protocol.Expr, bool) {
	if ref, ok := s.Reference(); ok {
		return b.reference(ref)
	}
	if def := b.wrapped[s]; def != nil {
		return protocol.Ref{Type: b.types[def]}, false
	}
	nullable := shape.AllowsNull(s)
	if branches := s.Choices(); branches != nil && !shape.IsObject(s) && !b.shapes.IsLone(s) {
		rest := shape.WithoutNull(branches)
		if len(rest) == 1 {
			e, n := b.expr(rest[0], name)
			return e, n || nullable
		}
	}
	if s.Never {
		b.Errorf(s.Pos, "impossible", "remove the member, or give it a schema", "no value fits the schema false")
		return protocol.Any, false
	}
	switch b.shapes.Of(s) {
	case shape.Struct, shape.Enum, shape.Choice:
		if b.isRaw(name) {
			return protocol.Any, false
		}
		t := b.inline(s, name)
		return protocol.Ref{Type: t}, nullable
	}
	return b.plain(s, name), nullable
}

// inline declares a type for an inline schema, once for each definition, since a schema that inherits its parent
// recurs in itself.
func (b *builder) inline(s *schema.Schema, name string) protocol.Type {
	if def := b.Set.Within(s.Node); def != nil && def.Schema != s && b.types[def] != nil {
		return b.types[def] // a reference leads to it
	}
	at := inlineUse{b.root, b.shapes.Core(s)}
	first, ok := b.inlined[at]
	if ok && b.inheritsItself(at.schema) {
		return first
	}
	b.copies[b.root]++
	b.pathBytes += len(name)
	if b.copies[b.root] > maxInline || b.pathBytes > maxPaths || b.doubling {
		if !b.doubling {
			b.doubling = true // report once and stop
			most := fmt.Sprintf("%s holds more than %d inline types", b.root.Head().Name, maxInline)
			if b.copies[b.root] <= maxInline {
				most = fmt.Sprintf("the names of inline types take more than %d MiB by what is in %s", maxPaths>>20, b.root.Head().Name)
			}
			b.Errorf(b.root.Head().Pos, "too-many-types", "give some of them definitions of their own under $defs: each base that is inherited brings copies of its inline schemas", "%s", most)
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

// plain returns the expression of a schema that needs no declaration.
func (b *builder) plain(s *schema.Schema, name string) protocol.Expr {
	kind := ""
	for _, t := range s.Types {
		if t != "null" {
			kind = t
		}
	}
	if first, ok := shape.IsEnum(s); ok && kind == "" {
		if n := shape.FirstValue(first); n != nil && n.Kind == schema.Bool {
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
		if s.IsBeyondInt64() {
			return protocol.Uint64
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
	return protocol.Any
}

// element returns the expression of a list's or map's elements.
func (b *builder) element(s *schema.Schema, name string) protocol.Expr {
	if b.isRaw(name) {
		return protocol.Any
	}
	e, nullable := b.expr(s, name)
	if nullable && e != protocol.Any {
		b.Warnf(s.Pos, "nullable-element", b.Hint(fmt.Sprintf("list %q under raw in the profile if that is all right", name), "allow null beside the list or map if none of its items is null"),
			"items of %s may be null, so that each is raw JSON in Go", strings.TrimSuffix(strings.TrimSuffix(name, ".item"), ".value"))
		return protocol.Any
	}
	return e
}

// number chooses between integers and floats.
func (b *builder) number(s *schema.Schema, name string) protocol.Expr {
	if whole, stated := b.NumberRule(name); stated && whole || !stated && s.Format == "" && b.Facts.Whole {
		return protocol.Integer
	}
	return protocol.Float
}

// isErrorEnum reports whether a definition lists error codes, which become a table. References to it are integers.
func (b *builder) isErrorEnum(def *schema.Definition) bool {
	return slices.ContainsFunc(b.Facts.ErrorEnums, func(e *facts.Place) bool { return e.At == def.Name })
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
		case b.Omit[ref.Target] && ref.Target.Schema.Extension("x-abstract").True():
			b.Errorf(ref.Pos, "abstract-type", "use a type that builds on it, or take x-abstract away", "%s is a base only and has no type of its own", ref.Target.Name)
		case b.Omit[ref.Target]:
			b.Errorf(ref.Pos, "omitted-type", "take it out of omit in the profile", "%s is used here, but the profile omits it", ref.Target.Name)
		}
		return protocol.Any, false
	}
	return protocol.Ref{Type: t}, shape.AllowsNull(ref.Target.Schema.Follow())
}
