// Tables and comments: what the protocol lists, and what godoc shows.

package golang

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) tables() {
	channels := map[*protocol.Channel]string{}
	for _, c := range b.in.Channels {
		name := "Channel" + b.namer.part(c.Name)
		channels[c] = name
		b.scope.add(name, "channel "+c.Name, "", c.Pos)
		b.out.Channels = append(b.out.Channels, &Channel{
			Const: name, Name: c.Name, URI: c.URI, Prefix: c.Prefix, State: b.structs[c.State], Doc: b.comment(c.Doc),
		})
	}
	if set := b.in.Actions; set != nil {
		b.out.Actions = &Actions{Union: b.unions[set.Union]}
		for _, a := range set.Actions {
			value := protocol.Value{Kind: protocol.String, Str: a.Type}
			b.out.Actions.Rows = append(b.out.Actions.Rows, Action{
				Const: b.constant(b.enums[set.Union.Tag], value), Struct: b.structs[a.Struct], Channel: channels[a.Channel], Client: a.Client, Since: a.Since,
			})
		}
	}
	for _, m := range b.in.Methods {
		name := "Method" + cmp.Or(m.GoName, b.namer.part(m.Name))
		b.scope.add(name, "method "+m.Name, m.Name+"()", m.Pos)
		method := &Method{
			Const: name, Wire: m.Name, From: m.From, Notification: m.Notification, Since: m.Since, Doc: b.comment(m.Doc),
		}
		if m.Params != nil {
			method.Params = b.typ(protocol.Ref{Type: m.Params})
		}
		if m.Result != nil {
			method.Result = b.typ(protocol.Ref{Type: m.Result})
		}
		b.wantsMembers("method "+m.Name, m.Pos, method.Params, method.Result)
		b.out.Methods = append(b.out.Methods, method)
	}
	for _, e := range b.in.Errors {
		name := "ErrorCode" + b.namer.part(e.Name)
		b.scope.add(name, "error "+e.Name, "", e.Pos)
		code := &ErrorCode{Const: name, Name: e.Name, Code: e.Code, Doc: b.comment(e.Doc)}
		if e.Data != nil {
			code.Data = b.typ(protocol.Ref{Type: e.Data})
		}
		b.wantsMembers("error "+e.Name, e.Pos, code.Data)
		b.out.Errors = append(b.out.Errors, code)
	}
}

// wantsMembers refuses types in tables that have no decoder of their own.
func (b *builder) wantsMembers(what string, pos diag.Pos, list ...Type) {
	for _, t := range list {
		switch t := t.(type) {
		case nil, StructType, UnionType:
		case AliasType:
			if _, ok := Underlying(t).(StructType); ok {
				continue
			}
			if _, ok := Underlying(t).(UnionType); ok {
				continue
			}
			b.diags.Errorf(pos, "no-object", "make it an object or a union in the schema", "%s: %s has no members of its own", what, t.Name)
		default:
			b.diags.Errorf(pos, "no-object", "make it an object or a union in the schema", "%s: its types must be objects or unions", what)
		}
	}
}

// docs writes the comments, now that every name is known.
func (b *builder) docs() {
	title := cmp.Or(b.in.Title, b.in.Name, "protocol")
	first := fmt.Sprintf("Package %s holds the types of the %s", b.out.Name, title)
	if b.in.Version != "" {
		first += ", version " + b.in.Version
	}
	b.out.Doc = append(comment(first+".", b.link), "",
		"Objects are structs, unions are sealed interfaces with pointers to structs as variants, and enums",
		"keep values they do not know. Decode with the Decode functions and encode with AppendJSON: both are",
		"direct. The encoding/json methods give the same results more slowly.",
	)
	b.typeDocs()
}

func (b *builder) typeDocs() {
	for _, t := range b.in.Types {
		h := t.Head()
		doc := b.comment(h.Doc)
		if len(doc) == 0 {
			doc = []string{b.fallback(t)}
		}
		if h.Deprecated {
			doc = append(doc, "", "Deprecated: marked so in the protocol's schema.")
		}
		switch t := t.(type) {
		case *protocol.Struct:
			b.structDoc(t, doc)
		case *protocol.Union:
			b.unions[t].Doc = b.unionDoc(t, doc)
		case *protocol.Enum:
			e := b.enums[t]
			e.Doc = doc
			for i, m := range t.Members {
				e.Members[i].Doc = b.comment(m.Doc)
			}
		case *protocol.Alias:
			b.aliases[t].Doc = doc
		}
	}
}

func (b *builder) structDoc(t *protocol.Struct, doc []string) {
	s := b.structs[t]
	if unions := directUnions(s); len(unions) > 0 && s.Label != "" {
		line := fmt.Sprintf("%s is the %q variant of %s.", s.Name, s.Label, strings.Join(unions, " and "))
		if t.Doc == "" {
			doc = nil
		} else {
			doc = append(doc, "")
		}
		doc = append(doc, line)
	}
	s.Doc = doc
	i := 0
	for _, f := range t.Fields {
		if f.Const != nil {
			continue
		}
		s.Fields[i].Doc = b.comment(f.Doc)
		if f.Deprecated {
			s.Fields[i].Doc = append(s.Fields[i].Doc, "", "Deprecated: marked so in the protocol's schema.")
		}
		i++
	}
}

func (b *builder) unionDoc(t *protocol.Union, doc []string) []string {
	u := b.unions[t]
	var variants []string
	for _, s := range u.Structs {
		variants = append(variants, "[*"+s.Name+"]")
	}
	for _, s := range u.Scalars {
		variants = append(variants, "["+s.Name+"]")
	}
	if u.Unknown != nil {
		variants = append(variants, "[*"+u.Unknown.Name+"]")
	}
	doc = append(doc, "", "The variants are:")
	for _, v := range variants {
		doc = append(doc, "  - "+v)
	}
	return doc
}

// directUnions names the unions that list s, without those that only contain such a union.
func directUnions(s *Struct) []string {
	inherited := map[*Union]bool{}
	for _, u := range s.Markers {
		for _, p := range u.Parents {
			inherited[p] = true
		}
	}
	var out []string
	for _, u := range s.Markers {
		if !inherited[u] {
			out = append(out, "["+u.Name+"]")
		}
	}
	return out
}

// fallback says what it can of a type that the schema does not describe.
func (b *builder) fallback(t protocol.Type) string {
	h := t.Head()
	name := b.names[t]
	if s, ok := t.(*protocol.Struct); ok && s.Partial != nil {
		return fmt.Sprintf("%s is a [%s] of which every member may be left out.", name, b.names[s.Partial])
	}
	if i := strings.LastIndex(h.Name, "."); i > 0 {
		if owner := b.in.Lookup(h.Name[:i]); owner != nil {
			return fmt.Sprintf("%s is the type of %q in [%s].", name, h.Name[i+1:], b.names[owner])
		}
	}
	return fmt.Sprintf("%s is not described in the schema.", name)
}

// comment is a description as lines of a Go comment.
func (b *builder) comment(description string) []string {
	if description == "" {
		return nil
	}
	return comment(description, b.link)
}

// link spells a name that a description refers to.
func (b *builder) link(name string) (string, bool) {
	name = strings.TrimSuffix(name, "()")
	typeName, memberName, hasMember := strings.Cut(name, ".")
	t := b.lookup(typeName)
	if t == nil {
		return "", false
	}
	if !hasMember {
		return b.names[t], true
	}
	switch t := t.(type) {
	case *protocol.Struct:
		if f := t.Field(memberName); f != nil && b.fieldOf[f] != nil {
			return b.names[t] + "." + b.fieldOf[f].Name, true
		}
	case *protocol.Enum:
		if b.named[t] == nil {
			b.named[t] = map[string]bool{}
			for _, name := range b.members[t] {
				b.named[t][name] = true
			}
		}
		if want := b.names[t] + b.namer.part(memberName); b.named[t][want] {
			return want, true
		}
	}
	return "", false
}

func (b *builder) lookup(name string) protocol.Type {
	if b.byName == nil {
		b.byName = map[string]protocol.Type{}
		for _, t := range b.in.Types {
			b.byName[t.Head().Name] = t
		}
	}
	return b.byName[name]
}
