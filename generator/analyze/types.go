// Types: definitions and inline schemas become structs, enums, unions and aliases.

package analyze

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/schema"
)

func pointer(list string, i int) string { return list + "/" + strconv.Itoa(i) }

// shape is the coarse kind of a schema, enough to know what to declare for it.
type shape int

const (
	shapeAlias  shape = iota // a scalar, list, map, anything, or another name for a definition
	shapeStruct              // an object with members of its own
	shapeEnum                // constants of one kind
	shapeChoice              // alternatives
)

// declare makes an empty type for every definition, so that references have something to point at.
func (b *builder) declare() {
	for _, def := range b.set.Definitions() {
		if b.omit[def] || def.Schema == nil {
			continue
		}
		b.types[def] = b.declareType(def.Name, def.Pos, def.Schema, false)
	}
}

// declareType adds an empty type of the right kind and queues the filling of it.
func (b *builder) declareType(name string, pos diag.Pos, written *schema.Schema, inline bool) protocol.Type {
	s := core(written)
	doc := s.Description
	if written.Description != "" {
		doc = written.Description
	}
	head := protocol.Header{Name: name, Doc: doc, Deprecated: written.Deprecated || s.Deprecated, Pos: pos, Inline: inline}
	var t protocol.Type
	switch b.shapeOf(s) {
	case shapeStruct:
		st := &protocol.Struct{Header: head}
		b.later(st, inline, func() { b.fillStruct(st, s) })
		t = st
	case shapeEnum:
		e := &protocol.Enum{Header: head}
		b.later(e, inline, func() { b.fillEnum(e, s) })
		t = e
	case shapeChoice:
		u := &protocol.Union{Header: head}
		b.later(u, inline, func() { b.fillUnion(u, s) })
		t = u
	default:
		a := &protocol.Alias{Header: head}
		b.later(a, inline, func() { a.Target, a.Nullable = b.expr(written, name) })
		t = a
	}
	b.out.Types = append(b.out.Types, t)
	return t
}

// later queues the filling of a type. Inline types belong to the definition being filled.
func (b *builder) later(t protocol.Type, inline bool, fill func()) {
	root := t
	if inline {
		root = b.root
		b.owner[t] = root
	}
	b.pending = append(b.pending, func() {
		b.root = root
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

// core looks through choices with one alternative, null aside, that stands in place: such a schema
// only says that null is allowed, or nothing at all.
func core(s *schema.Schema) *schema.Schema {
	for range schema.MaxDepth {
		branches := choices(s)
		if branches == nil || s.Object {
			return s
		}
		rest := withoutNull(branches)
		if len(rest) != 1 || rest[0].Unknown {
			return s
		}
		if _, ok := isReference(rest[0]); ok {
			return s
		}
		s = rest[0]
	}
	return s
}

// isReference reports whether s only refers to a definition, perhaps with another description.
func isReference(s *schema.Schema) (*schema.Reference, bool) {
	own := len(s.Types) > 0 || s.Enum != nil || s.Const != nil || s.Object || s.Required != nil ||
		s.Additional != nil || s.Items != nil || s.OneOf != nil || s.AnyOf != nil
	switch {
	case own:
		return nil, false
	case s.Ref != nil && s.AllOf == nil:
		return s.Ref, true
	case s.Ref == nil && len(s.AllOf) == 1:
		return isReference(s.AllOf[0])
	}
	return nil, false
}

// maxAliases bounds how many definitions in a row may only name the next.
const maxAliases = 10_000

// resolve follows references until a schema with content. It returns nil for a reference that
// leads nowhere or in a circle; both are reported elsewhere.
func resolve(s *schema.Schema) *schema.Schema {
	for range maxAliases {
		ref, ok := isReference(s)
		if !ok {
			return s
		}
		if ref.Target == nil || ref.Target.Schema == nil {
			return nil
		}
		s = ref.Target.Schema
	}
	return nil
}

func (b *builder) shapeOf(s *schema.Schema) shape {
	if _, ok := isReference(s); ok {
		return shapeAlias
	}
	if s.Extension(schema.KeywordBitset) != nil {
		return shapeEnum
	}
	if s.Ref != nil || s.AllOf != nil {
		return shapeStruct
	}
	if s.Object || isEmptyObject(s) {
		return shapeStruct
	}
	if values, _, ok := enumValues(s); ok {
		if n := firstValue(values); n != nil && n.Kind == schema.Bool {
			return shapeAlias // true and false need no names
		}
		return shapeEnum
	}
	if branches := choices(s); branches != nil {
		if len(withoutNull(branches)) == 1 {
			return shapeAlias
		}
		return shapeChoice
	}
	if len(slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })) > 1 {
		return shapeChoice
	}
	return shapeAlias
}

// isEmptyObject reports whether s is an object that can have no member at all, as a flag that is
// only there or not.
func isEmptyObject(s *schema.Schema) bool {
	if !slices.Contains(s.Types, "object") || len(s.Properties) > 0 {
		return false
	}
	most := s.Limit("maxProperties")
	return s.Additional != nil && s.Additional.Never || most != nil && most.Text == "0"
}

func choices(s *schema.Schema) []*schema.Schema {
	if s.OneOf != nil {
		return s.OneOf
	}
	return s.AnyOf
}

// known leaves out the alternative that stands for variants of newer versions.
func known(branches []*schema.Schema) []*schema.Schema {
	return slices.DeleteFunc(slices.Clone(branches), func(s *schema.Schema) bool { return s.Unknown })
}

func isNull(s *schema.Schema) bool {
	return len(s.Types) == 1 && s.Types[0] == "null" || s.Const != nil && s.Const.Kind == schema.Null
}

// allowsNull reports whether null is among the values of a schema, apart from unions of primitives
// where it is a variant like the others.
func allowsNull(s *schema.Schema) bool {
	if s == nil || isPrimitiveChoice(s) {
		return false
	}
	return slices.Contains(s.Types, "null") ||
		slices.ContainsFunc(s.Enum, func(n *schema.Node) bool { return n.Kind == schema.Null }) ||
		slices.ContainsFunc(choices(s), func(branch *schema.Schema) bool {
			return isNull(branch) || branch.Enum != nil && allowsNull(branch)
		})
}

func withoutNull(branches []*schema.Schema) []*schema.Schema {
	return slices.DeleteFunc(slices.Clone(branches), isNull)
}

// enumValues returns the constants a schema is made of, through choices and references, and
// whether any other value of the same kind is let in as well.
func enumValues(s *schema.Schema) (values []*schema.Schema, open, ok bool) {
	return enumValuesDepth(s, 0)
}

func enumValuesDepth(s *schema.Schema, depth int) (values []*schema.Schema, open, ok bool) {
	if depth > 8 {
		return nil, false, false
	}
	s = resolve(s)
	switch {
	case s == nil:
		return nil, false, false
	case s.Const != nil, s.Enum != nil:
		return []*schema.Schema{s}, false, true
	}
	branches := choices(s)
	if branches == nil || s.Object {
		return nil, false, false
	}
	for _, branch := range withoutNull(branches) {
		if target := resolve(branch); target != nil && len(target.Types) == 1 && target.Types[0] == "string" &&
			target.Enum == nil && target.Const == nil && target.Format == "" {
			open = true // a plain string beside constants: the set is open
			continue
		}
		v, o, ok := enumValuesDepth(branch, depth+1)
		if !ok {
			return nil, false, false
		}
		values = append(values, v...)
		open = open || o
	}
	return values, open, len(values) > 0
}

func (b *builder) value(n *schema.Node) (protocol.Value, bool) {
	switch n.Kind {
	case schema.String:
		return protocol.Value{Kind: protocol.String, Str: n.Text}, true
	case schema.Bool:
		return protocol.Value{Kind: protocol.Bool, Bool: n.Bool}, true
	case schema.Number:
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return protocol.Value{Kind: protocol.Integer, Int: i}, true
		}
	}
	b.diags.Errorf(n.Pos, "unsupported-constant", "constants are strings, integers or booleans", "%s cannot be a constant", n.Compact())
	return protocol.Value{}, false
}

func (b *builder) fillEnum(e *protocol.Enum, s *schema.Schema) {
	if flags := s.Extension(schema.KeywordBitset); flags != nil {
		b.fillBitset(e, flags, b.parallel(s, schema.KeywordEnumDocs, len(flags.Members)))
		return
	}
	schemas, open, _ := enumValues(s)
	e.Open = open || b.prof.Enums.Open
	e.Kind = -1
	seen := map[protocol.Value]bool{}
	for _, part := range schemas {
		nodes := part.Enum
		if part.Const != nil {
			nodes = []*schema.Node{part.Const}
		}
		names := b.parallel(part, schema.KeywordEnumNames, len(nodes))
		docs := b.parallel(part, schema.KeywordEnumDocs, len(nodes))
		for i, n := range nodes {
			if n.Kind == schema.Null {
				continue // said by allowsNull
			}
			v, ok := b.value(n)
			if !ok {
				continue
			}
			if e.Kind >= 0 && v.Kind != e.Kind || v.Kind == protocol.Bool {
				b.diags.Errorf(n.Pos, "mixed-enum", "use values of one kind, all strings or all integers", "%s does not fit the other values of %s", n.Compact(), e.Name)
				continue
			}
			e.Kind = v.Kind
			if seen[v] {
				continue
			}
			seen[v] = true
			m := &protocol.EnumMember{Value: v, Pos: n.Pos}
			if part.Const != nil {
				m.Doc = part.Description
			}
			if names != nil {
				m.Name = text(names[i])
			}
			if docs != nil {
				m.Doc = text(docs[i])
			}
			e.Members = append(e.Members, m)
		}
	}
	b.enumRule(e)
}

// parallel returns the items of a keyword that says something about each of n values, nil where it
// is not there or does not fit.
func (b *builder) parallel(s *schema.Schema, keyword string, n int) []*schema.Node {
	list := s.Extension(keyword)
	if list == nil {
		return nil
	}
	if len(list.Items) != n {
		b.diags.Errorf(list.Pos, "bad-keyword", "list one item for each value, in the same order",
			"%s has %d items for %d values", keyword, len(list.Items), n)
		return nil
	}
	return list.Items
}

// fillBitset reads the flags of an integer.
func (b *builder) fillBitset(e *protocol.Enum, flags *schema.Node, docs []*schema.Node) {
	e.Kind, e.Bitset, e.Open = protocol.Integer, true, true
	for i, m := range flags.Members {
		v, ok := b.value(m.Value)
		if !ok || v.Kind != protocol.Integer {
			continue
		}
		if v.Int < 0 {
			b.diags.Errorf(m.Value.Pos, "bad-bitset", "flags are bits: 1, 2, 4 and so on", "flag %s of %s is negative", m.Key, e.Name)
			continue
		}
		flag := &protocol.EnumMember{Name: m.Key, Value: v, Pos: m.KeyPos}
		if docs != nil {
			flag.Doc = text(docs[i])
		}
		e.Members = append(e.Members, flag)
	}
	b.enumRule(e)
}

// enumRule applies what the profile says about an enum.
func (b *builder) enumRule(e *protocol.Enum) {
	for i, rule := range b.prof.Enums.Rules {
		if rule.Enum != e.Name || !b.prof.Applies(rule) {
			continue
		}
		at := pointer("/enums/rules", i)
		b.prof.Use(at)
		if rule.Open != nil {
			e.Open = *rule.Open
		}
		if rule.Bitset && e.Kind != protocol.Integer {
			b.diags.Errorf(b.prof.Pos(at), "bad-bitset", "flags are integers", "%s is no enum of integers", e.Name)
		}
		for _, m := range e.Members {
			if rule.Bitset && m.Value.Int < 0 {
				b.diags.Errorf(m.Pos, "bad-bitset", "flags are bits: 1, 2, 4 and so on", "flag %d of %s is negative", m.Value.Int, e.Name)
			}
		}
		e.Bitset = e.Bitset || rule.Bitset
		for value, name := range rule.Names {
			j := slices.IndexFunc(e.Members, func(m *protocol.EnumMember) bool { return m.Value.String() == value })
			if j < 0 {
				b.diags.Errorf(b.prof.Pos(at), "unused-entry", "correct the value, or limit the rule with versions",
					"enum %s has no value %s to name %s", e.Name, value, name)
				continue
			}
			e.Members[j].Name = name
		}
	}
}

// expr says what values a schema allows, declaring inline types on the way. The name is the path
// that inline types are named by. The second result says whether null is among the values.
func (b *builder) expr(s *schema.Schema, name string) (protocol.Expr, bool) {
	if ref, ok := isReference(s); ok {
		return b.reference(ref)
	}
	nullable := allowsNull(s)
	if branches := choices(s); branches != nil && !s.Object {
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

// inline declares a type for a schema that stands inside another, or finds the one that stands
// there already because the definition itself is the schema.
func (b *builder) inline(s *schema.Schema, name string) protocol.Type {
	return b.declareType(name, s.Pos, s, true)
}

// plain is the expression of a schema that needs no type of its own.
func (b *builder) plain(s *schema.Schema, name string) protocol.Expr {
	kind := ""
	for _, t := range s.Types {
		if t != "null" {
			kind = t
		}
	}
	if values, _, ok := enumValues(s); ok && kind == "" {
		if n := firstValue(values); n != nil && n.Kind == schema.Bool {
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
	for i, p := range b.prof.Numbers.Floats {
		if p.At == name && b.prof.Applies(p) {
			b.prof.Use(pointer("/numbers/floats", i))
			return protocol.Float
		}
	}
	for i, p := range b.prof.Numbers.Ints {
		if p.At == name && b.prof.Applies(p) {
			b.prof.Use(pointer("/numbers/integers", i))
			return protocol.Integer
		}
	}
	if s.Format == "" && b.prof.Numbers.Default == "integer" {
		return protocol.Integer
	}
	return protocol.Float
}

func (b *builder) reference(ref *schema.Reference) (protocol.Expr, bool) {
	if ref.Target == nil {
		return protocol.Any, false // reported where it was resolved
	}
	t, ok := b.types[ref.Target]
	if !ok {
		switch {
		case b.omit[ref.Target] && isTrue(ref.Target.Schema.Extension(schema.KeywordAbstract)):
			b.diags.Errorf(ref.Pos, "abstract-type", "use a type that builds on it, or take x-abstract away", "%s is a base only and has no type of its own", ref.Target.Name)
		case b.omit[ref.Target]:
			b.diags.Errorf(ref.Pos, "omitted-type", "take it out of omit in the profile", "%s is used here, but the profile omits it", ref.Target.Name)
		}
		return protocol.Any, false
	}
	return protocol.Ref{Type: t}, allowsNull(resolve(ref.Target.Schema))
}

// isPrimitiveChoice reports whether null is one variant among several primitives and therefore a
// case of the union rather than a property of the member.
func isPrimitiveChoice(s *schema.Schema) bool {
	branches := choices(s)
	if branches == nil {
		others := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
		return len(others) > 1 && !slices.Contains(others, "object") && !slices.Contains(others, "array")
	}
	if _, _, ok := enumValues(s); ok {
		return false
	}
	for _, branch := range branches {
		target := resolve(branch)
		if target == nil || len(target.Types) != 1 || target.Types[0] == "object" || target.Types[0] == "array" {
			return false
		}
	}
	return len(withoutNull(branches)) > 1
}

// member is a property on its way into a struct.
type member struct {
	schema.Property
	required bool
}

// members collects the properties of an object schema: those of its bases first, then its own.
// A property that repeats one of a base may only narrow it.
func (b *builder) members(s *schema.Schema) []member {
	if found, ok := b.bases[s]; ok {
		return slices.Clone(found)
	}
	b.bases[s] = nil
	found := b.findMembers(s, map[*schema.Schema]bool{s: true})
	b.bases[s] = found
	return slices.Clone(found)
}

// findMembers is members with the schemas that are being looked at.
func (b *builder) findMembers(s *schema.Schema, open map[*schema.Schema]bool) []member {
	var out []member
	add := func(m member) {
		i := slices.IndexFunc(out, func(o member) bool { return o.Name == m.Name })
		if i < 0 {
			out = append(out, m)
			return
		}
		old := out[i]
		m.required = m.required || old.required
		switch {
		case sameShape(old.Schema.Node, m.Schema.Node): // perhaps described better
		case narrows(m.Schema, old.Schema):
		case narrows(old.Schema, m.Schema):
			m.Property = old.Property
		default:
			b.diags.Errorf(m.Pos, "conflicting-member", fmt.Sprintf("the other stands at %s; make them agree", old.Pos),
				"member %q has two types", m.Name)
		}
		out[i] = m
	}
	bases := s.AllOf
	if s.Ref != nil {
		bases = append([]*schema.Schema{{Pos: s.Ref.Pos, Ref: s.Ref}}, bases...)
	}
	for _, base := range bases {
		target := resolve(base)
		if target == nil {
			continue // reported already, or a circle: found by checkCycles
		}
		if choices(target) != nil {
			b.diags.Errorf(base.Pos, "choice-in-base", "write the alternatives out", "a base with oneOf or anyOf is not supported")
			continue
		}
		if open[target] {
			b.diags.Errorf(base.Pos, "cyclic-base", "break the circle of allOf and $ref", "the schema is its own base")
			continue
		}
		found, ok := b.bases[target]
		if !ok {
			open[target] = true
			found = b.findMembers(target, open)
			delete(open, target)
			b.bases[target] = found
		}
		for _, m := range found {
			add(m)
		}
	}
	for _, p := range s.Properties {
		add(member{Property: p})
	}
	for _, r := range s.Required {
		i := slices.IndexFunc(out, func(m member) bool { return m.Name == r.Text })
		if i < 0 {
			b.diags.Errorf(r.Pos, "undeclared-required", "declare it under properties, or take it out of required", "required member %q is not declared", r.Text)
			continue
		}
		out[i].required = true
	}
	return out
}

// narrows reports whether a constant or enum stands where the other schema allows any value of the
// kind, or one variant where it allows the union.
func narrows(narrow, wide *schema.Schema) bool {
	if wide.Any || isVariant(narrow, wide) {
		return true
	}
	values, _, ok := enumValues(narrow)
	target := resolve(wide)
	if !ok || target == nil {
		return false
	}
	if others, _, isEnum := enumValues(wide); isEnum {
		return len(values) <= len(others)
	}
	return len(target.Types) == 1 && (target.Types[0] == "string" || target.Types[0] == "integer" || target.Types[0] == "boolean")
}

// sameShape reports whether two schemas differ in their wording at most.
func sameShape(a, b *schema.Node) bool {
	silent := func(n *schema.Node) *schema.Node {
		c := *n
		c.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m schema.Member) bool {
			return m.Key == "description" || m.Key == "title" || m.Key == "$comment"
		})
		return &c
	}
	return silent(a).Equal(silent(b))
}

func isVariant(narrow, wide *schema.Schema) bool {
	variant, union := resolve(narrow), resolve(wide)
	if variant == nil || union == nil || variant == union {
		return false
	}
	return slices.ContainsFunc(choices(union), func(s *schema.Schema) bool { return resolve(s) == variant })
}

func (b *builder) fillStruct(st *protocol.Struct, s *schema.Schema) {
	if branches := choices(s); branches != nil {
		b.diags.Errorf(s.Pos, "choice-with-members", "move the members into each alternative, or into a base they share",
			"oneOf or anyOf beside properties is not supported")
	}
	for _, m := range b.members(s) {
		st.Fields = append(st.Fields, b.field(st, m))
	}
	if s.Additional != nil && !s.Additional.Never {
		st.Extra = b.element(s.Additional, st.Name+".value")
	}
	b.partial(st)
}

func (b *builder) field(st *protocol.Struct, m member) *protocol.Field {
	s := m.Schema
	if ref, ok := isReference(s); ok && ref.Target == nil {
		b.broken[st] = true
	}
	f := &protocol.Field{Name: m.Name, GoName: text(s.Extension(schema.KeywordGoName)), Doc: s.Description, Deprecated: s.Deprecated, Pos: m.Pos, Required: m.required}
	if m.required {
		if node := constant(s); node != nil {
			if v, ok := b.value(node); ok {
				f.Const = &v
				f.Type = v.Kind
			}
			return f
		}
	}
	f.Type, f.Nullable = b.expr(s, st.Name+"."+m.Name)
	return f
}

// constant returns the only value an inline schema allows, nil where it allows more.
func constant(s *schema.Schema) *schema.Node {
	switch {
	case s.Ref != nil:
		return nil
	case s.Const != nil:
		return s.Const
	case len(s.Enum) == 1:
		return s.Enum[0]
	}
	return nil
}

// partial links a struct to the definition it repeats with every member optional.
func (b *builder) partial(st *protocol.Struct) {
	for i, p := range b.prof.Partials {
		if p.At != st.Name || !b.prof.Applies(p) {
			continue
		}
		at := pointer("/partials", i)
		b.prof.Use(at)
		st.GoName = p.Name
		of, ok := b.out.Lookup(p.Of).(*protocol.Struct)
		if !ok {
			b.diags.Errorf(b.prof.Pos(at), "unused-entry", "name an object definition", "partial: there is no object definition %q", p.Of)
			continue
		}
		st.Partial = of
	}
}

// checkCycles refuses names that only refer to each other and structs that would have to contain
// themselves.
func (b *builder) checkCycles() {
	for _, def := range b.set.Definitions() {
		if def.Schema == nil {
			continue
		}
		if _, ok := isReference(def.Schema); ok && inCircle(def) {
			b.diags.Errorf(def.Pos, "cyclic-alias", "give one of them a schema of its own", "definition %s only refers to itself", def.Name)
		}
	}
	for _, t := range b.out.Types {
		a, ok := t.(*protocol.Alias)
		if ok && isContainer(a.Target) && containsAlias(a.Target, a, 0) {
			b.diags.Errorf(a.Pos, "cyclic-alias", "put the list or map into an object", "%s only contains itself", a.Name)
		}
	}
	for _, t := range b.out.Types {
		s, ok := t.(*protocol.Struct)
		if !ok {
			continue
		}
		if f := b.endless(s, s, map[*protocol.Struct]bool{}); f != nil {
			b.diags.Errorf(f.Pos, "endless-struct", "make the member optional, or put it into a list",
				"%s requires a value of its own type: no value can be finite", s.Name)
		}
	}
}

// endlessChoices refuses unions that are alternatives of themselves.
func (b *builder) endlessChoices() bool {
	found := false
	for _, def := range b.set.Definitions() {
		if def.Schema != nil && reaches(def.Schema, def, map[*schema.Definition]bool{}) {
			b.diags.Errorf(def.Pos, "cyclic-union", "take it out of its own alternatives", "union %s is an alternative of itself", def.Name)
			found = true
		}
	}
	return found
}

// reaches reports whether choices alone lead from a schema to the definition.
func reaches(s *schema.Schema, goal *schema.Definition, seen map[*schema.Definition]bool) bool {
	for _, branch := range choices(s) {
		ref, ok := isReference(branch)
		if !ok {
			if reaches(branch, goal, seen) {
				return true
			}
			continue
		}
		if ref.Target == nil || ref.Target.Schema == nil {
			continue
		}
		if ref.Target == goal {
			return true
		}
		if seen[ref.Target] {
			continue
		}
		seen[ref.Target] = true
		if reaches(ref.Target.Schema, goal, seen) {
			return true
		}
	}
	return false
}

// isContainer reports whether an expression is a list or a map.
func isContainer(e protocol.Expr) bool {
	switch e.(type) {
	case protocol.List, protocol.Map:
		return true
	}
	return false
}

// containsAlias reports whether lists and maps alone lead from an expression to the alias.
func containsAlias(e protocol.Expr, goal *protocol.Alias, depth int) bool {
	if depth > schema.MaxDepth {
		return false
	}
	switch e := e.(type) {
	case protocol.List:
		return containsAlias(e.Elem, goal, depth+1)
	case protocol.Map:
		return containsAlias(e.Elem, goal, depth+1)
	case protocol.Ref:
		if a, ok := e.Type.(*protocol.Alias); ok {
			return a == goal || containsAlias(a.Target, goal, depth+1)
		}
	}
	return false
}

func inCircle(def *schema.Definition) bool {
	at := def
	for seen := map[*schema.Definition]bool{}; !seen[at]; {
		seen[at] = true
		ref, ok := isReference(at.Schema)
		if !ok || ref.Target == nil || ref.Target.Schema == nil {
			return false
		}
		at = ref.Target
		if at == def {
			return true
		}
	}
	return false
}

// endless returns the required field through which from leads back to goal.
func (b *builder) endless(goal, from *protocol.Struct, seen map[*protocol.Struct]bool) *protocol.Field {
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, f := range from.Fields {
		if !f.Required || f.Nullable {
			continue
		}
		e := protocol.Underlying(f.Type)
		ref, ok := e.(protocol.Ref)
		if !ok {
			continue
		}
		next, ok := ref.Type.(*protocol.Struct)
		if !ok {
			continue
		}
		if next == goal || b.endless(goal, next, seen) != nil {
			return f
		}
	}
	return nil
}
