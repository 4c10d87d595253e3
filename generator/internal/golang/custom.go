// Custom types: types of the user's for values that the configuration names, and struct tags.

package golang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Custom is a type of the user's with the functions that convert its values.
type Custom struct {
	Import         CustomImport
	Name           string `go:"identifier"`
	Decode, Encode CustomFunc
	Text           bool // the functions convert the text of a JSON string, not the JSON
	EncodeFails    bool // Encode returns an error as well

	// Reader and Appender are the functions of the package that call Decode and Encode.
	Reader, Appender string `go:"identifier"`
}

// CustomImport is a package of the user's.
type CustomImport struct {
	Path     string `go:"import"`
	Name     string `go:"identifier"` // of the package, or the name under which it is imported
	Renamed  bool
	Standard bool // of the standard library
}

// Imports returns the declaration that imports packages, as gofmt has it: the standard library first. It is "" for none.
func Imports(list []CustomImport) string {
	list = slices.SortedFunc(slices.Values(list), func(a, b CustomImport) int {
		if a.Standard != b.Standard {
			return map[bool]int{true: -1, false: 1}[a.Standard]
		}
		return cmp.Compare(a.Path, b.Path)
	})
	specs := ""
	for i, of := range list {
		if i > 0 && list[i-1].Standard && !of.Standard {
			specs += "\n"
		}
		spec := gotext.Literal(of.Path)
		if of.Renamed {
			spec = of.Name + " " + spec
		}
		if len(list) == 1 {
			return "import " + spec + "\n"
		}
		specs += "\t" + spec + "\n"
	}
	if specs == "" {
		return ""
	}
	return "import (\n" + specs + ")\n"
}

// CustomFunc is a function of a package, or a method of the type if the import has no path.
type CustomFunc struct {
	Import CustomImport
	Name   string `go:"identifier"`
}

// CustomType refers to a type of the user's.
type CustomType struct{ *Custom }

func (CustomType) isType() {}

// CustomRule says which values have a type of the user's: those at a place, which may have wildcards, or all strings of a
// format.
type CustomRule struct {
	At, Format string
	Except     []CustomPlace // places that the rule is not for
	Pos        diag.Pos
	Type       *Custom
}

// CustomPlace is a place as the configuration has it.
type CustomPlace struct {
	At  string
	Pos diag.Pos
}

// TagRule adds a struct tag to fields.
type TagRule struct {
	At  string
	Tag []TagPair
	Pos diag.Pos
}

// TagPair is one key of a struct tag with its value, in which {name} stands for the name of the member.
type TagPair struct {
	Key   string `go:"text"`
	Value string `go:"text"`
}

// customs applies the rules for types of the user's and for tags.
type customs struct {
	rules   []CustomRule
	tags    []TagRule
	matches func(pattern, place string) bool
	lenient bool // rules need not be for something

	used      map[int]bool // rules that are for something, by index
	usedTags  map[int]bool
	excepted  map[diag.Pos]bool
	refused   map[diag.Pos]bool       // places that were reported
	of        map[*protocol.Alias]int // rules of definitions
	places    map[*protocol.Field]string
	essential map[*protocol.Field]string // what needs a member's own type
	copies    []copied                   // members that effects assign as they are
}

func (b *builder) customs() {
	c := &b.custom
	c.rules, c.tags, c.matches, c.lenient = b.opts.Custom, b.opts.Tags, b.opts.Matches, b.opts.LenientCustom
	c.used, c.usedTags, c.excepted, c.refused = map[int]bool{}, map[int]bool{}, map[diag.Pos]bool{}, map[diag.Pos]bool{}
	c.of, c.places = map[*protocol.Alias]int{}, map[*protocol.Field]string{}
	if len(c.rules) > 0 {
		c.essential, c.copies = essentials(b.in)
	}
}

// isExcept reports whether a rule is not for a place, or for what that is in.
func (c *customs) isExcept(r *CustomRule, place string) bool {
	out := false
	for ; ; place = place[:strings.LastIndexByte(place, '.')] {
		for _, e := range r.Except {
			if c.matches(e.At, place) {
				c.excepted[e.Pos], out = true, true
			}
		}
		if !strings.HasSuffix(place, ".item") && !strings.HasSuffix(place, ".value") {
			return out
		}
	}
}

// rule returns the index of the rule for a place, or -1. One that names the place comes before those with wildcards, and
// these before those of formats.
func (b *builder) rule(place string, limits *protocol.Constraints) int {
	c := &b.custom
	found, best := -1, 0
	for i := range c.rules {
		r := &c.rules[i]
		rank := 0
		switch {
		case r.Format != "" && limits != nil && limits.Format == r.Format:
			rank = 1
		case r.At == place:
			rank = 3
		case r.At != "" && c.matches(r.At, place):
			rank = 2
		}
		if rank == 0 || c.isExcept(r, place) {
			continue
		}
		if rank == best && !c.refused[r.Pos] {
			c.refused[r.Pos] = true
			b.Errorf(r.Pos, "two-types", fmt.Sprintf("leave one of them out, or state \"except\": [%q] in it", place),
				"%s would have two types: the entry at %s is for it as well", place, c.rules[found].Pos)
		}
		c.used[i] = true
		if rank > best {
			found, best = i, rank
		}
	}
	return found
}

// customized returns the Go type of the values at a place: t, or a type of the user's for it or for what is in it.
func (b *builder) customized(place string, e protocol.Expr, t Type, limits *protocol.Constraints, pos diag.Pos) Type {
	if len(b.custom.rules) == 0 {
		return t
	}
	if i := b.rule(place, limits); i >= 0 {
		return b.customType(i, place, b.plain(e), pos)
	}
	switch e := e.(type) {
	case protocol.Ref:
		if a, ok := e.Type.(*protocol.Alias); ok {
			if i, ok := b.custom.of[a]; ok && b.custom.isExcept(&b.custom.rules[i], place) {
				return b.plain(e)
			}
		}
	case protocol.List:
		if elem, ok := t.(Slice); ok {
			return Slice{b.customized(place+".item", e.Elem, elem.Elem, limits.OfItems(), pos)}
		}
	case protocol.Map:
		if elem, ok := t.(Map); ok {
			return Map{b.customized(place+".value", e.Elem, elem.Elem, limits.OfItems(), pos)}
		}
	}
	return t
}

// plain returns the Go type of an expression as it is without types of the user's for definitions.
func (b *builder) plain(e protocol.Expr) Type {
	switch end := protocol.Underlying(e).(type) {
	case protocol.List:
		return Slice{b.plain(end.Elem)}
	case protocol.Map:
		return Map{b.plain(end.Elem)}
	default:
		return b.typ(end)
	}
}

// customType returns a type of the user's for a place, if its functions fit the values there.
func (b *builder) customType(i int, place string, plain Type, pos diag.Pos) Type {
	r := &b.custom.rules[i]
	enum, isEnum := plain.(EnumType)
	if r.Type.Text && !b.custom.lenient && plain != Type(String) && !(isEnum && enum.Base == "string") && !b.custom.refused[r.Pos] {
		b.custom.refused[r.Pos] = true
		b.Errorf(r.Pos, "bad-type", "give it functions that take and return json.RawMessage, or state \"except\": ["+fmt.Sprintf("%q", place)+"]",
			"%s at %s is no string, and decode takes one", place, pos)
		return plain
	}
	if !r.Type.Text && wantedParts(b.opts.Parts)[PartRandom] && !b.custom.refused[r.Pos] {
		b.custom.refused[r.Pos] = true
		b.Errorf(r.Pos, "bad-type", "give it functions that convert a string, or leave \"random\" out of \"parts\"",
			"there are no random values for %s at %s: decode takes any JSON", place, pos)
	}
	b.out.Customs = each.With(b.out.Customs, r.Type)
	return CustomType{r.Type}
}

// customAlias gives a definition that is no object, union or enum a type of the user's, unless something needs its own.
func (b *builder) customAlias(in *protocol.Alias) Type {
	t := b.typ(in.Target)
	if len(b.custom.rules) == 0 {
		return t
	}
	i := b.rule(in.Name, in.Limits)
	if i < 0 {
		return b.customized(in.Name, in.Target, t, in.Limits, in.Pos)
	}
	b.custom.of[in] = i
	return b.customType(i, in.Name, b.plain(in.Target), in.Pos)
}

// refuseCustom reports a type of the user's at a place that keeps its own because something else needs it.
func (b *builder) refuseCustom(t Type, place, why string, pos diag.Pos) {
	custom, ok := t.(CustomType)
	if !ok || b.custom.lenient {
		return
	}
	for i := range b.custom.rules {
		r := &b.custom.rules[i]
		if r.Type != custom.Custom {
			continue
		}
		hint := fmt.Sprintf("state \"except\": [%q] in the entry", place)
		if r.At == place {
			hint = "remove the entry"
		}
		b.Errorf(r.Pos, "needed-type", hint, "%s at %s keeps its type: %s", place, pos, why)
	}
}

// customField gives a member a type of the user's, and its tag.
func (b *builder) customField(in *protocol.Struct, f *protocol.Field, field *Field) {
	place := in.Name + "." + f.Name
	field.Tag = b.tag(place, f)
	if len(b.custom.rules) == 0 {
		return
	}
	b.custom.places[f] = place
	field.Type = b.customized(place, f.Type, field.Type, f.Limits, f.Pos)
	if why := b.essential(f); why != "" {
		b.refuseCustom(Innermost(field.Type), place, why, f.Pos)
	}
}

// essential says what needs the type of a member, or "".
func (b *builder) essential(f *protocol.Field) string {
	if len(f.Values) > 0 {
		return "its values tell the variants of a union apart"
	}
	return b.custom.essential[f]
}

// checkCopies reports members that an effect assigns to one of another type.
func (b *builder) checkCopies() {
	if b.custom.lenient {
		return
	}
	for _, c := range b.custom.copies {
		to, from := b.fieldOf[c.to], b.fieldOf[c.from]
		if to == nil || from == nil || TypeText(Resolved(to.Type)) == TypeText(Resolved(from.Type)) {
			continue
		}
		for _, at := range []*Field{to, from} {
			if custom, ok := Innermost(at.Type).(CustomType); ok {
				from, to, r := b.custom.places[c.from], b.custom.places[c.to], b.ruleOf(custom)
				hint := fmt.Sprintf("give both the same type, or state \"except\": [%q, %q]", from, to)
				if r.At == from || r.At == to {
					hint = "give both the same type, or remove the entry"
				}
				b.Errorf(r.Pos, "needed-type", hint, "an effect assigns %s to %s, and only one of them has the type %s", from, to, TypeText(custom))
				break
			}
		}
	}
}

func (b *builder) ruleOf(t CustomType) *CustomRule {
	i := slices.IndexFunc(b.custom.rules, func(r CustomRule) bool { return r.Type == t.Custom })
	return &b.custom.rules[i]
}

// HasCustom reports whether a type is one of the user's, or a list or map of them.
func HasCustom(t Type) bool {
	_, ok := Innermost(t).(CustomType)
	return ok
}

// tag returns the struct tag of a member.
func (b *builder) tag(place string, f *protocol.Field) []TagPair {
	var out []TagPair
	for i := range b.custom.tags {
		r := &b.custom.tags[i]
		if r.At != place && !b.custom.matches(r.At, place) {
			continue
		}
		b.custom.usedTags[i] = true
		for _, p := range r.Tag {
			if slices.ContainsFunc(out, func(o TagPair) bool { return o.Key == p.Key }) {
				if !b.custom.refused[r.Pos] {
					b.custom.refused[r.Pos] = true
					b.Errorf(r.Pos, "two-tags", "leave one of them out, or name fewer members in one", "%s would have two tags with the key %s", place, p.Key)
				}
				continue
			}
			out = append(out, TagPair{p.Key, strings.ReplaceAll(p.Value, "{name}", f.Name)})
		}
	}
	return out
}

// customKey returns text that is equal for members with the same rules only, for types that may become one.
func (b *builder) customKey(in *protocol.Struct, f *protocol.Field) string {
	if len(b.custom.rules)+len(b.custom.tags) == 0 {
		return ""
	}
	var w strings.Builder
	place := in.Name + "." + f.Name
	within := []string{place, place + ".item", place + ".value", place + ".item.item", place + ".value.item", place + ".item.value", place + ".value.value"}
	for i := range b.custom.rules {
		r := &b.custom.rules[i]
		for _, at := range within {
			if r.At == at || r.At != "" && b.custom.matches(r.At, at) {
				fmt.Fprintf(&w, " rule %d at %s", i, strings.TrimPrefix(at, place))
			}
			if slices.ContainsFunc(r.Except, func(e CustomPlace) bool { return b.custom.matches(e.At, at) }) {
				fmt.Fprintf(&w, " not %d at %s", i, strings.TrimPrefix(at, place))
			}
		}
	}
	for c := f.Limits; !c.IsZero(); c = c.Items {
		fmt.Fprintf(&w, " format %q", c.Format)
	}
	for i := range b.custom.tags {
		if r := &b.custom.tags[i]; r.At == place || b.custom.matches(r.At, place) {
			fmt.Fprintf(&w, " tag %d", i)
		}
	}
	return w.String()
}

// checkCustoms reports rules that are for nothing, and places that must keep their types.
func (b *builder) checkCustoms() {
	c := &b.custom
	b.checkCopies()
	b.nameCustoms()
	if c.lenient {
		return
	}
	var known []string
	if len(c.rules)+len(c.tags) > 0 {
		known = Nameable(b.in)
	}
	for i := range c.rules {
		r := &c.rules[i]
		switch {
		case c.used[i]:
		case r.Format != "":
			b.Errorf(r.Pos, "unknown-format", "correct it, or remove the entry", "no member, item or definition has the format %q", r.Format)
		default:
			b.unknownPlace(r.At, r.Pos, known)
		}
		for _, e := range r.Except {
			if c.used[i] && !c.excepted[e.Pos] {
				b.Errorf(e.Pos, "unknown-name", "correct it, or remove it", "the entry is for nothing that matches %q", e.At)
			}
		}
	}
	for i := range c.tags {
		if !c.usedTags[i] {
			b.unknownPlace(c.tags[i].At, c.tags[i].Pos, known)
		}
	}
}

// unknownPlace reports a place that is none, or one that cannot have a type of the user's.
func (b *builder) unknownPlace(at string, pos diag.Pos, known []string) {
	t := b.in.Lookup(at)
	if i := strings.LastIndexByte(at, '.'); i > 0 {
		if s, ok := b.in.Lookup(at[:i]).(*protocol.Struct); ok && s.Field(at[i+1:]) != nil && s.Field(at[i+1:]).Const != nil {
			b.Errorf(pos, "bad-type", "remove the entry", "%s at %s is a constant, which has no field", at, s.Field(at[i+1:]).Pos)
			return
		}
	}
	if t == nil {
		b.Errorf(pos, "unknown-name", similar.DidYouMean(at, known, "correct it, or remove the entry"), "no member is at %q", at)
		return
	}
	b.Errorf(pos, "bad-type", fmt.Sprintf("name the members that have it, as Definition.member, instead of %s", at),
		"%s at %s is %s, which has a type of its own", at, t.Head().Pos, b.kind(t))
}

// refuseAlone reports a definition that is more than a value within an object, which has no type of the user's.
func (b *builder) refuseAlone(of protocol.Expr, why string) {
	if ref, ok := of.(protocol.Ref); ok && ref.Type != nil {
		b.refuseCustom(Underlying(b.typ(of)), ref.Type.Head().Name, why, ref.Type.Head().Pos)
	}
}

// nameCustoms orders the types of the user's as the configuration does, and names the functions that convert them.
func (b *builder) nameCustoms() {
	index := func(c *Custom) int {
		return slices.IndexFunc(b.custom.rules, func(r CustomRule) bool { return r.Type == c })
	}
	slices.SortFunc(b.out.Customs, func(x, y *Custom) int { return index(x) - index(y) })
	taken := map[string]bool{}
	for _, c := range b.out.Customs {
		name := c.Name
		for i := 2; taken[name]; i++ {
			name = c.Name + strconv.Itoa(i)
		}
		taken[name] = true
		c.Reader, c.Appender = "parse"+name, "format"+name
	}
}
