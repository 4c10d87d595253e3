// Limits: what values have to satisfy beyond their type.

package change

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// valued is a place with a type and constraints beyond it.
type valued struct {
	typ    protocol.Expr
	limits *protocol.Constraints
}

// limits compares the constraints of two places.
func (c *comparer) limits(old, new valued, at spot) {
	from, to := c.demands(old, new)
	c.demanded(from, to, at)
}

// demanded reports how what is demanded of values differs: what is said of raw JSON in one change, and all else in another.
func (c *comparer) demanded(from, to []protocol.Limit, at spot) {
	c.raw(each.Where(from, isRaw), each.Where(to, isRaw), at)
	isLimit := func(l protocol.Limit) bool { return !isRaw(l) }
	c.limited(each.Where(from, isLimit), each.Where(to, isLimit), at)
}

// limited reports in one change how limits differ.
func (c *comparer) limited(from, to []protocol.Limit, at spot) {
	gone, came := each.Without(from, to), each.Without(to, from)
	tighter, looser := false, false
	for _, keyword := range keywordsOf(gone, came) {
		is := func(l protocol.Limit) bool { return l.Keyword == keyword }
		t, l := direction(keyword, each.Where(gone, is), each.Where(came, is))
		tighter, looser = tighter || t, looser || l
	}
	rule := LimitChanged
	switch {
	case !tighter && !looser:
		return
	case !looser:
		rule = LimitTightened
	case !tighter:
		rule = LimitLoosened
	}
	c.add(rule, limitText(gone), limitText(came), at)
	c.out[len(c.out)-1].Unchecked = !slices.ContainsFunc(slices.Concat(gone, came), func(l protocol.Limit) bool { return !unchecked(l) })
}

// unchecked reports whether who reads a value can be expected to take those that a keyword excludes: formats are often no more than
// a hint, that counts are not negative is said by some and meant by all, and decoders pass over undeclared members.
func unchecked(l protocol.Limit) bool {
	keyword := strings.ReplaceAll(l.Keyword, "items.", "")
	return keyword == "format" || keyword == "minimum" && l.Value == "0" || l.Value == "false" && (keyword == "additionalProperties" || keyword == "unevaluatedProperties")
}

// keywordsOf returns the keywords of two lists, each once.
func keywordsOf(lists ...[]protocol.Limit) (out []string) {
	for _, l := range slices.Concat(lists...) {
		out = each.With(out, l.Keyword)
	}
	return out
}

// direction reports whether fewer values satisfy a keyword than before, and whether more do. Both may be if nobody can tell.
func direction(keyword string, gone, came []protocol.Limit) (tighter, looser bool) {
	if len(gone) == 0 || len(came) == 0 {
		return len(came) > 0, len(gone) > 0
	}
	name := strings.ToLower(keyword[strings.LastIndex(keyword, ".")+1:])
	sign := 0
	switch {
	case strings.Contains(name, "contains"):
	case strings.HasPrefix(name, "min"), strings.HasPrefix(name, "exclusivemin"):
		sign = 1
	case strings.HasPrefix(name, "max"), strings.HasPrefix(name, "exclusivemax"):
		sign = -1
	}
	if sign == 0 || len(gone) != 1 || len(came) != 1 {
		return true, true
	}
	order := sign * compareNumbers(came[0].Value, gone[0].Value)
	return order > 0, order < 0
}

// compareNumbers compares two numbers as JSON has them, great integers exactly.
func compareNumbers(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	f, _ := strconv.ParseFloat(a, 64)
	g, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(f, g)
}

// limitText lists limits, such as "minimum 1, maximum 24".
func limitText(list []protocol.Limit) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(each.Map(list, func(l protocol.Limit) string { return l.Keyword + " " + l.Value }), ", ")
}

// demands returns what two places demand of values, as far as their types have something in common. What an alias demands belongs to
// it, if both sides have one of the name, and otherwise to the places that use it.
func (c *comparer) demands(old, new valued) (from, to []protocol.Limit) {
	for range maxAliases {
		o, n := aliasOf(old.typ), aliasOf(new.typ)
		if o == nil && n == nil || o != nil && n != nil && publicName(o) == publicName(n) {
			break
		}
		old, new = old.behind(o), new.behind(n)
	}
	if !c.common(old.typ, new.typ) {
		return nil, nil
	}
	from, to = old.own(), new.own()
	oldElem, newElem := protocol.Elem(old.typ), protocol.Elem(new.typ)
	if oldElem == nil || newElem == nil {
		return from, to
	}
	f, t := c.demands(valued{oldElem, old.limits.OfItems()}, valued{newElem, new.limits.OfItems()})
	inner := func(l protocol.Limit) protocol.Limit {
		return protocol.Limit{Keyword: "items." + l.Keyword, Value: l.Value}
	}
	return append(from, each.Map(f, inner)...), append(to, each.Map(t, inner)...)
}

// maxAliases bounds the aliases that are followed. A circle has none of the other side's types.
const maxAliases = 32

func aliasOf(e protocol.Expr) *protocol.Alias {
	ref, _ := e.(protocol.Ref)
	a, _ := ref.Type.(*protocol.Alias)
	return a
}

// behind returns a place with the target of an alias, and with what the alias demands.
func (v valued) behind(a *protocol.Alias) valued {
	if a == nil {
		return v
	}
	return valued{a.Target, v.limits.And(a.Limits)}
}

// withoutFormat returns a place without the format that it demands.
func (v valued) withoutFormat() valued {
	if v.limits != nil {
		rest := *v.limits
		rest.Format, v.limits = "", &rest
	}
	return v
}

// common reports whether two places have values in common, such that one can compare what is demanded of them.
func (c *comparer) common(old, new protocol.Expr) bool {
	old, new = protocol.Underlying(old), protocol.Underlying(new)
	switch o := old.(type) {
	case protocol.Scalar:
		n, ok := new.(protocol.Scalar)
		return ok && (o.Covers(n) || n.Covers(o))
	case protocol.List:
		_, ok := new.(protocol.List)
		return ok
	case protocol.Map:
		_, ok := new.(protocol.Map)
		return ok
	case protocol.Ref:
		n, ok := new.(protocol.Ref)
		return ok && kind(o.Type) == kind(n.Type)
	}
	return false
}

// own returns what a place demands of a value, without what it demands of items: that which concerns values of its type.
func (v valued) own() []protocol.Limit {
	if v.limits == nil {
		return nil
	}
	here := *v.limits
	here.Items = nil
	end := protocol.Underlying(v.typ)
	list := each.Where(here.Limits(), func(l protocol.Limit) bool { return concerns(l.Keyword, end) })
	ref, ok := end.(protocol.Ref)
	if !ok || !ref.Type.Head().Inline {
		return implied(list, end)
	}
	switch t := ref.Type.(type) {
	case *protocol.Struct:
		return nil // the object has them
	case *protocol.Union:
		for _, variant := range t.Variants {
			list = each.Without(list, variant.Limits.Limits())
		}
	}
	return list
}

// concerns reports whether a keyword says something of the values of a type.
func concerns(keyword string, end protocol.Expr) bool {
	of := ""
	switch {
	case slices.Contains([]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}, keyword):
		of = "number"
	case slices.Contains([]string{"minLength", "maxLength", "pattern", "format"}, keyword):
		of = "string"
	case slices.Contains([]string{"minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems"}, keyword):
		of = "array"
	case slices.Contains([]string{"minProperties", "maxProperties", "propertyNames", "patternProperties", "dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "additionalProperties"}, keyword):
		of = "object"
	default:
		return true
	}
	switch e := end.(type) {
	case protocol.Scalar:
		bits, _ := e.Bits()
		switch {
		case e == protocol.Any:
			return true
		case e == protocol.String:
			return of == "string"
		}
		return of == "number" && (bits > 0 || e == protocol.Float || e == protocol.Number)
	case protocol.List:
		return of == "array"
	case protocol.Map:
		return of == "object"
	case protocol.Ref:
		switch e.Type.(type) {
		case *protocol.Struct:
			return of == "object"
		case *protocol.Enum:
			return false // it lists its values
		}
	}
	return true
}

// implied leaves out the bounds that every integer of a size satisfies, and writes those that exclude an integer as those that
// include the next one.
func implied(list []protocol.Limit, end protocol.Expr) (out []protocol.Limit) {
	scalar, _ := end.(protocol.Scalar)
	bits, signed := scalar.Bits()
	for _, l := range list {
		n, err := strconv.ParseInt(l.Value, 10, 64)
		sized := bits > 0 && end != nil && err == nil
		switch {
		case sized && l.Keyword == "exclusiveMinimum" && n < 1<<62:
			l = protocol.Limit{Keyword: "minimum", Value: strconv.FormatInt(n+1, 10)}
		case sized && l.Keyword == "exclusiveMaximum" && n > -1<<62:
			l = protocol.Limit{Keyword: "maximum", Value: strconv.FormatInt(n-1, 10)}
		}
		f, err := strconv.ParseFloat(l.Value, 64)
		low, high := span(bits, signed)
		if bits > 0 && err == nil && (l.Keyword == "minimum" && f <= low || l.Keyword == "maximum" && f >= high) {
			continue
		}
		out = each.With(out, l)
	}
	return out
}

// span returns the least and the greatest integer of a size.
func span(bits int, signed bool) (low, high float64) {
	if bits == 0 {
		return 0, 0
	}
	if signed {
		high = float64(uint64(1)<<(bits-1)) - 1
		return -high - 1, high
	}
	return 0, float64(^uint64(0) >> (64 - bits))
}
