// Docs: doc comments, each beginning with the declared name.

package golang

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// docs writes the doc comments once all names are known.
func (b *builder) docs() {
	b.overview()
	roles := b.roles()
	for _, t := range b.types {
		h := t.Head()
		name := b.names[t]
		doc := b.about(name, roles[t], b.kind(t), b.description(t))
		if len(doc) == 0 {
			doc = Wrap(b.undescribed(t, roles[t]))
		}
		doc = append(doc, unstable(h.Stability, name)...)
		if h.Deprecated {
			doc = append(doc, b.deprecated(h.Instead)...)
		}
		switch t := t.(type) {
		case *protocol.Struct:
			b.StructOf(t).Doc = doc
			b.fieldDocs(t)
		case *protocol.Union:
			b.UnionOf(t).Doc = b.unionDoc(t, doc)
		case *protocol.Enum:
			e := b.EnumOf(t)
			e.Doc = doc
			for i, m := range t.Members {
				e.Members[i].Doc = b.comment(m.Doc)
			}
		case *protocol.Alias:
			b.AliasOf(t).Doc = doc
		}
	}
}

// description returns the description of a type, or "" if equal types have different ones.
func (b *builder) description(t protocol.Type) string {
	for _, other := range b.together[t] {
		if other.Head().Doc != t.Head().Doc {
			return ""
		}
	}
	return t.Head().Doc
}

var (
	// opening matches words that can follow "is".
	opening = regexp.MustCompile(`^(An?|The|One|Any|All|Every|Everything|Each|Something|Someone|Another|What|Who|Whoever|How|Why|Where|When|Whether|Which|Two|Three)\s`)
	// structured matches lines other than plain prose.
	structured = regexp.MustCompile("^(\\s|[-*+#>|=]|```|~~~|@|\\d+[.)] )")
)

// about is a description as a comment that begins with the name. What the type is for stands between
// them, if there is a word for it. Otherwise the description does if it begins like an answer to what
// something is, and the kind of type if it does not.
func (b *builder) about(name, role, kind, description string) []string {
	description = strings.TrimSpace(description)
	if len(b.comment(description)) == 0 {
		return nil
	}
	paragraph, rest, _ := strings.Cut(description, "\n\n")
	if strings.HasPrefix(paragraph, name+" ") {
		return b.comment(description)
	}
	is := name + " is "
	lines := strings.Split(paragraph, "\n")
	switch {
	case slices.ContainsFunc(lines, structured.MatchString):
		return append(Wrap(is+cmp.Or(role, kind)+"."), append([]string{""}, b.comment(description)...)...)
	case role != "":
		is += role + ": "
	case !opening.MatchString(paragraph):
		is += kind + ": "
	}
	if opening.MatchString(paragraph) {
		paragraph = strings.ToLower(paragraph[:1]) + paragraph[1:]
	}
	for i, line := range lines[1:] {
		lines[i+1] = strings.TrimSpace(line)
	}
	paragraph = strings.Join(append([]string{paragraph[:len(lines[0])]}, lines[1:]...), " ")
	return b.comment(strings.TrimSuffix(is+paragraph+"\n\n"+rest, "\n\n"))
}

// Lead puts words in front of the lines of a comment. The first paragraph is broken into lines anew,
// unless it is more than words.
func Lead(words string, doc []string) []string {
	end := slices.Index(doc, "")
	if end < 0 {
		end = len(doc)
	}
	if slices.ContainsFunc(doc[:end], structured.MatchString) {
		return append([]string{strings.TrimRight(words, ": ") + ".", ""}, doc...)
	}
	return append(Wrap(words+strings.Join(doc[:end], " ")), doc[end:]...)
}

// kind says what a type is if nothing else is known of it.
func (b *builder) kind(t protocol.Type) string {
	switch t := t.(type) {
	case *protocol.Union:
		return "a union"
	case *protocol.Enum:
		switch {
		case t.Bitset:
			return "a set of flags"
		case t.Kind == protocol.Integer:
			return "a number with a name"
		}
		return "a word"
	case *protocol.Alias:
		return "another name"
	}
	return "an object"
}

// roles says what types are for, as far as the tables and unions tell.
func (b *builder) roles() map[protocol.Type]string {
	out := map[protocol.Type]string{}
	role := func(t protocol.Type, format string, args ...any) {
		if t != nil && out[t] == "" {
			out[t] = fmt.Sprintf(format, args...)
		}
	}
	made := b.made()
	for _, c := range b.in.Channels {
		if c.State != nil {
			role(c.State, "the state of a channel of kind %s", gotext.Literal(c.Name))
		}
	}
	for t := range protocol.Each[*protocol.Struct](b.in.Types) {
		s := b.StructOf(t)
		switch unions := directUnions(s, made); {
		case len(unions) > 0 && s.Label != "":
			role(t, "the %s %s", strings.Join(unions, " and "), gotext.Literal(s.Label))
		case len(unions) > 0:
			role(t, "a variant of %s", strings.Join(unions, " and "))
		}
	}
	for _, m := range b.in.Methods {
		role(m.Params, "what %s takes", gotext.Literal(m.Name))
		role(m.Result, "the result of %s", gotext.Literal(m.Name))
	}
	for _, e := range b.in.Errors {
		role(e.Data, "the data of %s", gotext.Literal(e.Name))
	}
	for u := range protocol.Each[*protocol.Union](b.in.Types) {
		if u.Tag != nil {
			role(u.Tag, "the %s of %s", gotext.Literal(u.Dispatch.Member), gotext.A(b.names[u]))
		}
	}
	return out
}

// undescribed says what it can of a type that the schema does not describe.
func (b *builder) undescribed(t protocol.Type, role string) string {
	h, name := t.Head(), b.names[t]
	if s, ok := t.(*protocol.Struct); ok && s.Partial != nil {
		return fmt.Sprintf("%s is %s of which every member may be left out.", name, gotext.A(b.names[s.Partial]))
	}
	if role != "" {
		return name + " is " + role + "."
	}
	list := b.together[t]
	if len(list) == 0 {
		list = []protocol.Type{t}
	}
	const few = 4
	var places []string
	for _, t := range list {
		owner, last := cutLast(t.Head().Name)
		if in := b.in.Lookup(owner); in != nil {
			places = each.With(places, fmt.Sprintf("%s in [%s]", gotext.Literal(last), b.names[in])) // types that are equal have one name
		}
	}
	switch {
	case len(places) > few:
		return fmt.Sprintf("%s is the type of %s and others like it.", name, strings.Join(places[:few], ", "))
	case len(places) > 0:
		return fmt.Sprintf("%s is the type of %s.", name, diag.Enumerate(places, "and"))
	}
	return fmt.Sprintf("%s is %s, of which the schema says nothing (%s).", name, b.kind(t), h.Name)
}

// fieldDocs writes the comments of fields; equal types share those that are the same everywhere.
func (b *builder) fieldDocs(t *protocol.Struct) {
	s := b.StructOf(t)
	i := 0
	for n, f := range t.Fields {
		if f.Const != nil {
			continue
		}
		same := !slices.ContainsFunc(b.together[t], func(o protocol.Type) bool { return o.(*protocol.Struct).Fields[n].Doc != f.Doc })
		if same {
			s.Fields[i].Doc = b.comment(f.Doc)
		}
		if filled := s.Fields[i].Filled; filled != "" {
			s.Fields[i].Doc = append(s.Fields[i].Doc, Wrap("It is ["+filled+"] if it is empty, or missing.")...)
		}
		s.Fields[i].Doc = append(s.Fields[i].Doc, unstable(f.Stability, "It")...)
		if f.Deprecated {
			s.Fields[i].Doc = append(s.Fields[i].Doc, b.deprecated(f.Instead)...)
		}
		i++
	}
}

// unstable returns the paragraph that warns of something experimental.
func unstable(s protocol.Stability, what string) []string {
	if !s.Experimental() {
		return nil
	}
	return append([]string{""}, Wrap(what+" is "+s.String()+": it may change in any version of the protocol.")...)
}

// deprecated is the paragraph by which linters know what is deprecated. It says what to use, if that is known.
func (b *builder) deprecated(instead *protocol.Instead) []string {
	use := ""
	if instead != nil {
		use = b.names[instead.Type]
	}
	if instead != nil && instead.Field != nil {
		st, _ := instead.Type.(*protocol.Struct)
		if first, ok := b.first[st].(*protocol.Struct); ok {
			st = first
		}
		field := b.StructOf(st).Field(instead.Field.Name)
		use += "." + field.Name
	}
	if use == "" {
		return []string{"", "Deprecated: marked so in the protocol's schema."}
	}
	return append([]string{""}, Wrap("Deprecated: use ["+use+"] instead.")...)
}

// unionDoc adds to what a union is which variants it has, and how to come by one.
func (b *builder) unionDoc(t *protocol.Union, doc []string) []string {
	u := b.UnionOf(t)
	var variants []string
	inside := b.unionsInside()[t]
	for _, s := range u.Structs {
		if !slices.ContainsFunc(inside, func(v *protocol.Union) bool { return slices.Contains(b.UnionOf(v).Structs, s) }) {
			variants = append(variants, "[*"+s.Name+"]")
		}
	}
	for _, s := range u.Scalars {
		variants = append(variants, "["+s.Name+"]")
	}
	if u.Unknown != nil {
		variants = append(variants, "[*"+u.Unknown.Name+"]")
	}
	text := "Its variants are " + diag.Enumerate(variants, "and") + "."
	switch {
	case len(inside) > 0:
		of := each.Map(inside, func(v *protocol.Union) string { return "[" + b.UnionOf(v).Name + "]" })
		text = "Its variants are those of " + diag.Enumerate(of, "and")
		if len(variants) > 0 {
			text += ", and " + diag.Enumerate(variants, "and")
		}
		text += "."
	case len(variants) == 1:
		text = "Its only variant is " + variants[0] + "."
	}
	if general := t.Dispatch.General(); general != nil {
		tag := gotext.Literal(t.Dispatch.Member)
		text += fmt.Sprintf(" An object with any other %s is [*%s]. With the %s of another variant it is decoded as that one.",
			tag, b.StructOf(general).Name, tag)
	}
	switch whole := u.Whole(); {
	case u.Decode != "":
		text += " [" + u.Decode + "] decodes one."
	case whole != nil:
		text += " Assert one of what [" + whole.Decode + "] returns."
	}
	return append(append(doc, ""), Wrap(text)...)
}

// unionsInside lists the unions of the actions of a channel by each union around them.
func (b *builder) unionsInside() map[*protocol.Union][]*protocol.Union {
	if b.inside == nil {
		b.inside = map[*protocol.Union][]*protocol.Union{}
		for u := range protocol.Each[*protocol.Union](b.in.Types) {
			if u.Scope == protocol.DispatchScope {
				continue
			}
			for _, p := range u.Parents {
				b.inside[p] = append(b.inside[p], u)
			}
		}
	}
	return b.inside
}

// made are the unions of what a client may dispatch, which godoc shows better there.
func (b *builder) made() map[*Union]bool {
	out := map[*Union]bool{}
	for u := range protocol.Each[*protocol.Union](b.in.Types) {
		if u.Scope == protocol.DispatchScope {
			out[b.UnionOf(u)] = true
		}
	}
	return out
}

// directUnions names the unions that list s, without those that only contain such a union, and others.
func directUnions(s *Struct, without map[*Union]bool) []string {
	inherited := map[*Union]bool{}
	for _, u := range s.Markers {
		for _, p := range u.Parents {
			inherited[p] = true
		}
	}
	var out []string
	for _, u := range s.Markers {
		if !inherited[u] && !without[u] {
			out = append(out, "["+u.Name+"]")
		}
	}
	return out
}

// comment is a description as lines of a Go comment. One without a word, such as “.” or blanks, is as good as none.
func (b *builder) comment(description string) []string {
	lines := comment(description, b.link)
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.ContainsFunc(line, isWord) }) {
		return nil
	}
	return lines
}

// isWord reports whether a rune can be part of a word or number.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// link spells a name that a description refers to.
func (b *builder) link(name string) (string, bool) {
	name = strings.TrimSuffix(name, "()")
	typeName, memberName, hasMember := strings.Cut(name, ".")
	t := b.in.Lookup(typeName)
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
			b.named[t] = each.Set(b.members[t])
		}
		if want := b.names[t] + b.namer.part(memberName); b.named[t][want] {
			return want, true
		}
	}
	return "", false
}
