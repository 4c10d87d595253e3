// Stated: what a profile says about the differences between versions.

package translation

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/holding"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// entry is an entry of the profile that is for this pair.
type entry struct {
	*facts.Translation
	used  bool
	known [2]map[string]bool           // which of its members a version has
	added map[string][]*protocol.Field // members to which its values are added
}

// read keeps the entries for changes that came after the older version, up to the newer one, newest first. Those
// that name a definition come before those whose wildcards match it.
func (d *deriver) read(stated []*facts.Translation) {
	older, err := d.order().Parse(d.sides[1].Version)
	newer, err2 := d.order().Parse(d.sides[0].Version)
	for _, t := range stated {
		since, err3 := d.order().Parse(t.Since)
		if err != nil || err2 != nil || err3 != nil || since.Compare(older) <= 0 || since.Compare(newer) > 0 {
			continue
		}
		d.entries = append(d.entries, &entry{Translation: t, known: [2]map[string]bool{{}, {}}, added: map[string][]*protocol.Field{}})
	}
	slices.SortStableFunc(d.entries, func(a, b *entry) int {
		x, _ := d.order().Parse(a.Since)
		y, _ := d.order().Parse(b.Since)
		if c := y.Compare(x); c != 0 || schema.IsPattern(a.At) == schema.IsPattern(b.At) {
			return c
		}
		if schema.IsPattern(b.At) {
			return -1
		}
		return 1
	})
}

// statement is all that is said about a pair, newest first.
type statement struct {
	entries []*entry
	renamed map[string]string // names in the older version by those in the newer one
	sides   [2]*protocol.Struct
}

// statedFor returns what is said about a pair.
func (d *deriver) statedFor(n *node) statement {
	out := statement{renamed: map[string]string{}}
	for i, side := range n.sides {
		out.sides[i] = protocol.As[*protocol.Struct](side)
	}
	for _, e := range d.entries {
		if d.isAbout(e, n) {
			e.used = true
			out.entries = append(out.entries, e)
		}
	}
	if s := out.sides[0]; s != nil {
		for _, f := range s.Fields {
			if old := out.before(f.Name); old != f.Name {
				out.renamed[f.Name] = old
			}
		}
	}
	return out
}

// isAbout reports whether an entry is about a pair: by the name in the newer version, or in the older one if the newer has
// no such definition, or by the path if the two are of different kinds.
func (d *deriver) isAbout(e *entry, n *node) bool {
	newer, older := n.declared()
	if newer != nil && e.IsAbout(nameOf(newer)) || !n.named && n.of == e.At {
		return true
	}
	return older != nil && e.IsAbout(nameOf(older)) && (d.sides[0].Lookup(nameOf(older)) == nil || newer != nil && nameOf(newer) == "")
}

// before returns the name that a member had.
func (s *statement) before(name string) string {
	for _, e := range s.entries {
		for old, new := range e.Renamed {
			if new == name {
				name = old
				break
			}
		}
	}
	return name
}

// funcs returns the functions of a direction in the order in which they run.
func (s statement) funcs(to Direction) []string {
	var out []string
	for _, e := range s.entries {
		if name := [...]string{e.Lower, e.Lift}[to]; name != "" {
			out = append(out, name)
		}
	}
	if to == Lift {
		slices.Reverse(out)
	}
	return out
}

// covered returns the members, by version, with the directions in which functions account for them: those of the entry's
// functions, or both if it has none.
func (s statement) covered() [2]map[string][2]bool {
	out := [2]map[string][2]bool{{}, {}}
	for _, e := range s.entries {
		ways := e.ways()
		for side, names := range [][]string{e.Newer, e.Older} {
			for _, name := range names {
				before := out[side][name]
				out[side][name] = [2]bool{before[0] || ways[0], before[1] || ways[1]}
				if s.sides[side] != nil && s.sides[side].Field(name) != nil || s.between(side, name) {
					e.known[side][name] = true
				}
			}
		}
	}
	return out
}

// added returns the value that a member which must be there has if the other version does not say it: a stated one, or its default,
// or the only one. Fields are the member, by whose name it is stated in either version.
func (s statement) added(into *protocol.Field, fields ...*protocol.Field) (string, bool) {
	for _, e := range s.entries {
		for _, f := range fields {
			if value, ok := e.Added[f.Name]; ok {
				e.added[f.Name] = append(e.added[f.Name], into)
				return compact(string(value)), true
			}
		}
	}
	for _, f := range fields {
		if value, ok := implied(f); ok {
			return value, true
		}
	}
	return "", false
}

// ways returns the directions in which an entry accounts for members: those of its functions, or both if it has none.
func (e *entry) ways() [2]bool {
	if e.Lower == "" && e.Lift == "" {
		return [2]bool{true, true}
	}
	return [2]bool{e.Lower != "", e.Lift != ""}
}

// accounts reports whether functions account for an alternative of a type: those of the type itself, which change objects, or
// those of an object around it.
func (d *deriver) accounts(to Direction, at place, n *node, alternative string, object bool) bool {
	for _, e := range d.entries {
		own := d.isAbout(e, n)
		if own && !object || !e.ways()[to] || alternative == "" {
			continue
		}
		for _, name := range [][]string{e.Newer, e.Older}[to] {
			if own && name == alternative || e.At+"."+name == at.path+"."+alternative {
				e.known[to][name] = true
				return true
			}
		}
	}
	return false
}

// between reports whether a member is of versions in between alone: one function makes it, and another takes it.
func (s statement) between(side int, name string) bool {
	return slices.ContainsFunc(s.entries, func(e *entry) bool {
		return slices.Contains([][]string{e.Newer, e.Older}[1-side], name)
	})
}

// values returns the stated stand-ins of an enum's values for a direction.
func (d *deriver) values(to Direction, n *node) map[string]string {
	out := map[string]string{}
	s := d.statedFor(n)
	from, into := protocol.As[*protocol.Enum](n.sides[to]), protocol.As[*protocol.Enum](n.sides[1-to])
	if from == nil || into == nil {
		return out
	}
	for _, m := range from.Members {
		value := m.Value.String()
		if to == Lift && into.Has(m.Value) {
			continue // an entry is about the newer version's first
		}
		for range s.entries {
			for _, e := range s.entries {
				if stand, ok := e.Values[value]; ok && !(value != m.Value.String() && hasText(into, value)) {
					value = stand
				}
			}
		}
		if value != m.Value.String() {
			out[m.Value.String()] = value
		}
	}
	return out
}

func hasText(e *protocol.Enum, text string) bool {
	return slices.ContainsFunc(e.Members, func(m *protocol.EnumMember) bool { return m.Value.String() == text })
}

// forUnion returns the entries about a union, or about one that holds all of its variants.
func (d *deriver) forUnion(n *node) []*entry {
	newer, older := n.declared()
	var out []*entry
	for _, e := range d.entries {
		if d.isAbout(e, n) || d.holds(0, e.At, newer) || d.holds(1, e.At, older) {
			e.used = true
			out = append(out, e)
		}
	}
	return out
}

// holds reports whether a union of that name has all variants of another one.
func (d *deriver) holds(side int, name string, t protocol.Type) bool {
	outer, ok := d.sides[side].Lookup(name).(*protocol.Union)
	inner, ok2 := t.(*protocol.Union)
	if !ok || !ok2 {
		return false
	}
	leaves := outer.Leaves()
	return !slices.ContainsFunc(inner.Leaves(), func(s *protocol.Struct) bool { return !slices.Contains(leaves, s) })
}

// isDropped reports whether a variant is stated to be left out.
func (d *deriver) isDropped(n *node, tag string) bool {
	return slices.ContainsFunc(d.forUnion(n), func(e *entry) bool { return slices.Contains(e.Dropped, tag) })
}

// tagOf returns a tag with what it becomes.
func (d *deriver) tagOf(to Direction, n *node, member string, v protocol.Value) *tagged {
	out := &tagged{member: member, is: v, becomes: v}
	if v.Kind != protocol.String || to == Lift && d.stays(n, member, v) {
		return out
	}
	entries := d.forUnion(n)
	if to == Lift {
		entries = slices.Clone(entries)
		slices.Reverse(entries)
	}
	for _, e := range entries {
		for old, new := range e.Variants {
			if from, into := [...]string{new, old}[to], [...]string{old, new}[to]; from == out.becomes.Str {
				out.becomes.Str = into
				break
			}
		}
	}
	return out
}

// stays reports whether a tag means the same in both versions, even if another one becomes it in the older version.
func (d *deriver) stays(n *node, member string, v protocol.Value) bool {
	has := slices.ContainsFunc(alternatives(n.sides[0]), func(a alternative) bool { return a.member == member && slices.Contains(a.values, v) })
	return has && d.tagOf(Lower, n, member, v).becomes == v
}

// statedCode reports whether something is said about an error code.
func (d *deriver) statedCode(to Direction, code int64) bool {
	_, ok := d.codeFor(to, code)
	return ok
}

// codeFor returns the code that takes the place of one that the other version does not have.
func (d *deriver) codeFor(to Direction, code int64) (int64, bool) {
	for _, e := range d.entries {
		if other, ok := e.Codes[strconv.FormatInt(code, 10)]; ok && d.to(to).Error(code) == nil {
			e.used = true
			return other, true
		}
	}
	return 0, false
}

// unused reports entries of the user's profile that are about nothing, and members that there are not.
func (d *deriver) unused() []diag.Diagnostic {
	var found []diag.Diagnostic
	for _, e := range d.entries {
		if e.Source != facts.Profile {
			continue // it may be about versions in between
		}
		if !e.used {
			var names []string
			for _, p := range d.sides {
				for _, t := range p.Types {
					names = append(names, nameOf(t))
				}
			}
			slices.Sort(names)
			hint := "no message between these versions has it: correct it, or limit it with \"until\""
			if d.sides[0].Lookup(e.At) == nil && d.sides[1].Lookup(e.At) == nil {
				hint = similar.DidYouMean(e.At, slices.Compact(names), "correct it, or remove the entry")
			}
			found = append(found, diag.Errorf(e.Pos, "unused-translation", hint, "translation of %s matches nothing in messages between %s and %s", e.At, d.sides[0].Version, d.sides[1].Version))
			continue
		}
		found = append(append(found, d.unusedNames(e)...), d.unusedValues(e)...)
		for side, names := range [][]string{e.Newer, e.Older} {
			for _, name := range names {
				if !e.known[side][name] {
					found = append(found, diag.Errorf(e.Pos, "unused-translation", similar.DidYouMean(name, d.memberNames(side, e.At), "correct it, or remove it"),
						"translation of %s: %s has no member or variant %q that functions of it could change", e.At, d.sides[side].Version, name))
				}
			}
		}
	}
	return found
}

// unusedNames reports members that neither version has among those that functions alter, and actions that there are not.
func (d *deriver) unusedNames(e *entry) (found []diag.Diagnostic) {
	members := append(d.memberNames(0, e.At), d.memberNames(1, e.At)...)
	for _, name := range e.Alters {
		if first, _, _ := strings.Cut(name, "."); !slices.Contains(members, first) {
			found = append(found, diag.Errorf(e.Pos, "unused-translation", similar.DidYouMean(first, members, "correct it, or remove it"),
				"translation of %s: neither version has a member %q that functions of it could alter", e.At, first))
		}
	}
	actions := each.Map(d.sides[0].AllActions(), func(a *protocol.Action) string { return a.Type })
	for _, name := range e.Rules {
		if !slices.Contains(actions, name) {
			found = append(found, diag.Errorf(e.Pos, "unused-translation", similar.DidYouMean(name, actions, "correct it, or remove it"),
				"translation of %s: %s has no action %q", e.At, d.sides[0].Version, name))
		}
	}
	return found
}

// unusedValues reports added members that neither version has or that need no value, and values that members cannot have.
func (d *deriver) unusedValues(e *entry) (found []diag.Diagnostic) {
	members := append(d.memberNames(0, e.At), d.memberNames(1, e.At)...)
	for _, name := range slices.Sorted(maps.Keys(e.Added)) {
		report := func(hint, format string) {
			found = append(found, diag.Errorf(e.Pos, "unused-translation", hint, "translation of %s: "+format, e.At, name))
		}
		switch fields := e.added[name]; {
		case !slices.Contains(members, name):
			report(similar.DidYouMean(name, members, "correct it, or remove it"), "neither version has a member %q that could be added")
		case len(fields) == 0:
			report("remove it", "no version requires the member %q that is missing in the other")
		default:
			value, _ := schema.ParseJSON("", e.Added[name])
			if slices.ContainsFunc(fields, func(f *protocol.Field) bool { return !holding.Member(f, value) }) {
				report("state one that it can have", "the member %q cannot have the value that is added")
			}
		}
	}
	return found
}

// memberNames lists the members of a definition.
func (d *deriver) memberNames(side int, name string) []string {
	var out []string
	about := facts.Translation{At: name}
	for _, t := range d.sides[side].Types {
		if s, ok := t.(*protocol.Struct); ok && about.IsAbout(s.Name) {
			out = append(out, each.Map(s.Fields, func(f *protocol.Field) string { return f.Name })...)
		}
	}
	return out
}
