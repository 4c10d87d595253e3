// Extend: profiles that extend another profile.

package profile

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Text is the source of a profile.
type Text struct {
	Name string // name used in positions
	Key  string // unique key, independent of how it is referenced
	Data []byte

	Fixed bool // embedded, so that the user cannot edit it
}

// Open opens the profile that another extends. An invalid reference is returned as a message and a hint; the error is
// for failed reads.
type Open func(from Text, extends string) (base Text, wrong, hint string, err error)

// maxChain is the maximum number of profiles in a chain.
const maxChain = 8

// Reading is a profile as it was read.
type Reading struct {
	Profile *Profile // nil if it is unusable
	Texts   []Text   // its own, and those of the profiles it extends
	Found   []diag.Diagnostic
}

// ParseAll reads a profile with all profiles it extends.
func ParseAll(first Text, open Open) (out Reading, err error) {
	out.Texts = []Text{first}
	root, err := out.extended(open)
	if root == nil || err != nil {
		return out, err
	}
	p, found := parse(root, out.Found)
	if out.Found = found; p == nil {
		return out, nil
	}
	p.fixed = map[string]bool{}
	for _, text := range out.Texts {
		p.fixed[text.Name] = text.Fixed
	}
	out.Profile = p
	return out, nil
}

// extended merges a profile with those it extends. It returns nil on error.
func (r *Reading) extended(open Open) (*schema.Node, error) {
	var chain []*schema.Node
	seen := map[string]bool{}
	for text := r.Texts[0]; ; {
		seen[text.Key] = true
		root, found := schema.ParseJSON(text.Name, text.Data)
		r.Found = append(r.Found, found...)
		if root == nil {
			return nil, nil
		}
		chain = append(chain, root)
		reference := root.Get("extends")
		if open == nil || reference == nil || reference.Kind != schema.String {
			break // a non-string is rejected with the rest
		}
		refuse := func(hint, format string, args ...any) (*schema.Node, error) {
			r.Found = append(r.Found, diag.Errorf(reference.Pos, "bad-extends", hint, format, args...))
			return nil, nil
		}
		base, wrong, hint, err := open(text, reference.Text)
		switch {
		case err != nil:
			return nil, err
		case wrong != "":
			return refuse(hint, "%s", wrong)
		case seen[base.Key]:
			return refuse("leave out extends in one of them", "the profile extends itself, by way of %s", base.Name)
		case len(chain) == maxChain:
			return refuse("extend one that is nearer to the first", "%d profiles build on each other, which is the limit", maxChain)
		}
		r.Texts = append(r.Texts, base)
		text = base
	}
	slices.Reverse(chain)
	root := chain[0]
	for _, child := range chain[1:] {
		root = merged("", root, child)
	}
	return root, nil
}

// wordLists are lists that are appended to those of the extended profile.
var wordLists = []string{"/naming/initialisms", "/ignoreKeywords", "/unions/discriminators", "/errors/enums"}

// merged returns a base overridden by a child. Neither is modified.
func merged(pointer string, base, child *schema.Node) *schema.Node {
	keys := keysOf(pointer)
	switch {
	case base.Kind == schema.Array && child.Kind == schema.Array && keys != nil:
		return mergedEntries(pointer, base, child, keys)
	case base.Kind == schema.Array && child.Kind == schema.Array && slices.Contains(wordLists, pointer):
		out := *child
		more := each.Where(child.Items, func(word *schema.Node) bool { return !slices.ContainsFunc(base.Items, word.Equal) })
		out.Items = slices.Concat(base.Items, more)
		return &out
	case base.Kind != schema.Object || child.Kind != schema.Object:
		return child
	}
	out := &schema.Node{Kind: schema.Object, Pos: child.Pos}
	for _, m := range base.Members {
		if m.Key == "extends" {
			continue
		}
		if c := child.Get(m.Key); c != nil {
			i := slices.IndexFunc(child.Members, func(o schema.Member) bool { return o.Key == m.Key })
			m.KeyPos, m.Value = child.Members[i].KeyPos, merged(pointer+"/"+m.Key, m.Value, c)
		}
		out.Members = append(out.Members, m)
	}
	isNew := func(m schema.Member) bool { return base.Get(m.Key) == nil && m.Key != "extends" }
	out.Members = append(out.Members, each.Where(child.Members, isNew)...)
	if pointer == "/numbers" {
		settleNumbers(out, child)
	}
	return out
}

// mergedEntries overrides entries with equal keys and appends the others. Version marks are prepended, since the
// newest come first.
func mergedEntries(pointer string, base, child *schema.Node, keys []string) *schema.Node {
	of := func(entry *schema.Node) string {
		return strings.Join(each.Map(keys, func(key string) string {
			if value := entry.Get(key); value != nil {
				return value.Compact()
			}
			return ""
		}), " ")
	}
	stated := map[string][]*schema.Node{}
	for _, entry := range child.Items {
		stated[of(entry)] = append(stated[of(entry)], entry)
	}
	placed := map[string]bool{}
	var kept []*schema.Node
	for _, entry := range base.Items {
		key := of(entry)
		switch {
		case len(stated[key]) == 0:
			kept = append(kept, entry)
		case !placed[key]:
			kept, placed[key] = append(kept, stated[key]...), true
			for i, own := range kept[len(kept)-len(stated[key]):] {
				kept[len(kept)-len(stated[key])+i] = withEnumeration(entry, own)
			}
		}
	}
	added := each.Where(child.Items, func(entry *schema.Node) bool { return !placed[of(entry)] })
	out := *child
	out.Items = slices.Concat(kept, added)
	if pointer == "/versions/recognise" {
		out.Items = slices.Concat(added, kept)
	}
	return &out
}

// withEnumeration returns an entry with the enumeration of the one that it takes the place of as well, for the versions of
// that: the values of both are values of the enum.
func withEnumeration(base, child *schema.Node) *schema.Node {
	values, own := base.Get("enumeration"), child.Get("enumeration")
	if values == nil || own == nil {
		return child
	}
	out := *child
	out.Members = nil
	for _, m := range child.Members {
		switch m.Key {
		case "versions":
			continue
		case "enumeration":
			m.Value = merged("/enumeration", values, own)
		}
		out.Members = append(out.Members, m)
	}
	if limit := base.Get("versions"); limit != nil {
		out.Members = append(out.Members, schema.Member{Key: "versions", KeyPos: limit.Pos, Value: limit})
	}
	return &out
}

// settleNumbers removes from each list of numbers what a child states in the other list.
func settleNumbers(numbers, child *schema.Node) {
	for _, pair := range [][2]string{{"floats", "integers"}, {"integers", "floats"}} {
		list, other := numbers.Get(pair[0]), child.Get(pair[1])
		own := child.Get(pair[0])
		if list == nil || other == nil || list.Kind != schema.Array {
			continue
		}
		out := *list
		out.Items = slices.DeleteFunc(slices.Clone(list.Items), func(entry *schema.Node) bool {
			same := func(o *schema.Node) bool { return o.Get("at") != nil && o.Get("at").Equal(entry.Get("at")) }
			return slices.ContainsFunc(other.Items, same) && (own == nil || !slices.ContainsFunc(own.Items, same))
		})
		for i := range numbers.Members {
			if numbers.Members[i].Key == pair[0] {
				numbers.Members[i].Value = &out
			}
		}
	}
}
