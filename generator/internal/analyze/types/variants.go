// Variants: names of inline alternatives.

package types

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// variantNames names inline alternatives after their distinguishing constant, or else by title, or else by what tells them apart, or else
// by index.
func (b *builder) variantNames(u *protocol.Union, s *schema.Schema, list []branch) []string {
	names := make([]string, len(list))
	for i, br := range list {
		names[i] = cmp.Or(br.written.Title, numbered(i))
	}
	want := s.Discriminator
	if rule := b.UnionRule(u.Name); rule != nil && rule.Discriminator != "" {
		want = rule.Discriminator
	}
	candidates := []string{want}
	if want == "" {
		candidates = slices.Clone(b.Facts.Discriminators)
		seen := map[string]bool{}
		for _, br := range list[:min(2, len(list))] { // all but one must have it
			for _, p := range br.target.Properties {
				if !seen[p.Name] {
					seen[p.Name] = true
					candidates = append(candidates, p.Name)
				}
			}
		}
	}
	for _, c := range candidates {
		if found := b.namesBy(c, list, names); found != nil {
			names = found
			break
		}
	}
	return b.tellingNames(u, candidates, list, names)
}

// numbered returns the name of an alternative that nothing else names.
func numbered(i int) string { return fmt.Sprintf("variant%d", i+1) }

// namesBy returns the constants of alternatives in a member, or nil if they are not distinct. The alternative without
// one gets another name.
func (b *builder) namesBy(member string, list []branch, others []string) []string {
	found := slices.Clone(others)
	seen := map[string]bool{}
	lacking := 0
	for i, br := range list {
		p := br.target.Property(member)
		if p == nil || b.Facts.NullAbsent && shape.IsNull(p.Schema) {
			lacking++
			continue
		}
		n := shape.Constant(p.Schema)
		if n == nil || n.Kind != schema.String || seen[n.Text] {
			return nil
		}
		found[i] = n.Text
		seen[n.Text] = true
	}
	if lacking > 1 || lacking == 1 && (!b.Facts.Untagged || len(seen) == 0) {
		return nil
	}
	return found
}

// tellingNames names inline alternatives that would go by their number after what tells them from the others. Those that facts name by
// their number keep it. Constants of the preferred members come first.
func (b *builder) tellingNames(u *protocol.Union, preferred []string, list []branch, names []string) []string {
	isInline := func(br branch) bool { _, ok := br.written.Reference(); return !ok }
	if len(list) < 2 || !slices.ContainsFunc(list, isInline) {
		return names
	}
	of := make([]schema.Alternative, len(list))
	var others []schema.Alternative // in alternatives that are unions
	for i, br := range list {
		if br.target.Choices() != nil && !shape.IsObject(br.target) {
			others = b.inChoice(br.target, preferred, others, map[*schema.Schema]bool{})
			continue
		}
		of[i] = b.alternative(br.written, preferred)
	}
	taken := map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	out := slices.Clone(names)
	path := cmp.Or(u.Beside, u.Name)
	for i, told := range schema.Telling(of, others) {
		if names[i] != numbered(i) || !isInline(list[i]) || told == "" || taken[told] || b.isMentioned(path+"."+names[i]) {
			continue
		}
		out[i] = told
		b.former[path+"."+told] = b.formerly(path, path) + "." + names[i]
	}
	return out
}

// inChoice adds what the alternatives of a union are to a list.
func (b *builder) inChoice(s *schema.Schema, preferred []string, list []schema.Alternative, seen map[*schema.Schema]bool) []schema.Alternative {
	if seen[s] {
		return list
	}
	seen[s] = true
	for _, written := range s.Choices() {
		switch target := written.Follow(); {
		case target == nil:
		case target.Choices() != nil && !shape.IsObject(target):
			list = b.inChoice(target, preferred, list, seen)
		default:
			list = append(list, b.alternative(written, preferred))
		}
	}
	return list
}

// alternative returns what an alternative may be named after.
func (b *builder) alternative(written *schema.Schema, preferred []string) (out schema.Alternative) {
	s := written.Follow()
	for _, m := range b.withWanted(s) {
		if m.required || m.wanted {
			out.Required = append(out.Required, m.Name)
		}
		if m.wanted {
			continue
		}
		out.Declared = append(out.Declared, m.Name)
		if c, ok := schema.ConstantOf(m.Name, shape.Constant(m.Schema)); ok {
			out.Constants = append(out.Constants, c)
		}
	}
	rank := func(c schema.Constant) int {
		if i := slices.Index(preferred, c.Member); i >= 0 {
			return i
		}
		return len(preferred)
	}
	slices.SortStableFunc(out.Constants, func(x, y schema.Constant) int { return rank(x) - rank(y) })
	if def := shape.LastNamed(written); def != nil {
		out.Of = def.Name
	} else if bases := shape.Bases(s); len(bases) > 0 {
		out.Of = onlyDefinition(bases)
	}
	return out
}

// onlyDefinition returns the name of the definition among bases, or "" if there are several or none.
func onlyDefinition(bases []*schema.Schema) string {
	name := ""
	for _, base := range bases {
		if def := shape.LastNamed(base); def != nil {
			if name != "" {
				return ""
			}
			name = def.Name
		}
	}
	return name
}

// formerly returns the path that an inline type had when alternatives went by their numbers, or otherwise if it is the same.
func (b *builder) formerly(path, otherwise string) string {
	if len(b.former) == 0 {
		return otherwise
	}
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if was, ok := b.former[path[:end]]; ok {
			return was + path[end:]
		}
	}
	return otherwise
}

// isMentioned reports whether a fact names a path or what is inside it.
func (b *builder) isMentioned(path string) bool {
	if b.mentioned == nil {
		b.mentioned = mentions(b.Facts)
	}
	return slices.ContainsFunc(b.mentioned, func(at string) bool {
		if schema.IsPattern(at) {
			return strings.Contains(at+".", path[strings.LastIndexByte(path, '.'):]+".")
		}
		return at == path || strings.HasPrefix(at, path+".")
	})
}

// mentions returns the places in facts that name an alternative by its number.
func mentions(f *facts.Facts) []string {
	out := []string{}
	add := func(at string) {
		if strings.Contains(at, ".variant") {
			out = append(out, at)
		}
	}
	for _, n := range f.Names {
		add(n.At)
	}
	for _, list := range [][]*facts.Place{f.Floats, f.Integers, f.Raw, f.Dispatched} {
		for _, p := range list {
			add(p.At)
		}
	}
	for _, u := range f.Unions {
		add(u.Union)
		for _, d := range u.Decide {
			add(d.Variant)
		}
		for _, name := range u.Otherwise {
			add(name)
		}
	}
	for _, e := range f.Enums {
		add(e.Enum)
	}
	for _, p := range f.Partials {
		add(p.At)
		add(p.Of)
	}
	for _, m := range f.ThreeStates {
		add(m.At)
	}
	for _, t := range f.Translations {
		add(t.At)
		for _, name := range slices.Concat(t.Newer, t.Older, t.Alters, t.Dropped) {
			add(name)
		}
	}
	return out
}
