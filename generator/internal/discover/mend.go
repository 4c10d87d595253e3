// Mending: what of the schemas a draft settles, so that it generates.

package discover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// mend adds what settles problems without a person, and reports whether there was anything to add.
func (w *writer) mend(set *schema.Set, found []diag.Diagnostic) (added bool) {
	at := indexOf(set)
	raws := w.out.Unions.Undecided != "" // when this was found
	if w.explain(set, found, at.keys) {
		return true
	}
	clashes := slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "name-collision" && !ofValue(d.Hint) })
	for _, d := range found {
		switch d.Code {
		case "unknown-keyword", "misspelt-keyword":
			if n := at.groups[d.Pos]; n > 0 {
				w.groups[d.Pos] = fmt.Sprintf("%s: %q holds %s, which may be schemas", d.Pos, at.keys[d.Pos], some(n, "object"))
			}
			added = w.passOver(at.keys[d.Pos], d) || added
		case "unknown-dialect":
			w.dialect, _ = firstQuoted(d.Message)
			added = w.ignore("$schema") || added
		case "unchecked-keyword":
			if key := at.keys[d.Pos]; w.ignore(key) {
				w.unchecked, added = append(w.unchecked, fmt.Sprintf("%q (%s)", key, d.Pos)), true
			}
		case "name-collision": // once types have other names, their values may have, too
			added = (!clashes || !ofValue(d.Hint)) && w.pin(d.Hint) || added
		case "definitions-differ":
			added = w.rename(set, d) || added
		case "bad-default", "without-effect", "beside-alternatives", "unsupported-keyword", "remote-reference", "unsupported-constant", "mixed-enum",
			"required-alone", "impossible", "dangling-reference", "outside-reference", "unsupported-reference", "wrong-constant", "bad-keyword", "not-a-schema",
			"choice-with-members", "duplicate-value":
			added = w.relax(at, d) || added
		default:
			added = w.leaveRaw(at, d, raws) || added
		}
	}
	return added || w.giveUp(set, at, found)
}

// hopeless are findings about schemas that have no type in Go, if nothing else has settled them.
var hopeless = []string{
	"scalar-base", "choice-in-base", "choice-with-members", "cyclic-base", "cyclic-alias", "cyclic-choice", "cyclic-union", "endless-struct", "ambiguous-union", "map-variant",
	"repeated-member", "conflicting-member", "open-branch", "unclear-branch", "empty-enum", "duplicate-value", "two-choices", "only-null", "bad-keyword", "not-a-schema",
	"dangling-reference", "outside-reference", "unsupported-reference", "wrong-constant", "mixed-enum", "unsupported-constant", "contradiction",
}

// giveUp makes what has no type in Go any JSON, or takes away the choice beside its members, and reports whether that is new.
func (w *writer) giveUp(set *schema.Set, at index, found []diag.Diagnostic) (added bool) {
	for _, d := range found {
		p, ok := at.schemas[d.Pos]
		def := set.Lookup(p.definition)
		if !ok || d.Severity != diag.Error || !slices.Contains(hopeless, d.Code) || def == nil || def.Node.At(p.at) == nil {
			continue
		}
		if patch := restrictions(def.Node.At(p.at)); len(patch) > 0 && w.gaveUp[p] < 2 { // first the choice, then the members
			w.gaveUp[p]++
			w.out.Overlay = append(w.out.Overlay, repairText{Definition: p.definition, At: p.at, Patch: patch, Why: "It has no type in Go: " + d.Message + "."})
			w.hopeless = append(w.hopeless, fmt.Sprintf("%s: %s", p, d.Message))
			added = true
		}
	}
	return added
}

// restrictions returns what takes the choice away from an object with members, and from any other schema all that it says of its
// values.
func restrictions(n *schema.Node) map[string]any {
	choices := map[string]any{}
	all := map[string]any{}
	for _, m := range n.Members {
		if m.Key == "oneOf" || m.Key == "anyOf" {
			choices[m.Key] = nil
		}
		if schema.Restricts(m.Key) {
			all[m.Key] = nil
		}
	}
	if n.Get("properties") != nil && len(choices) > 0 {
		return choices
	}
	return all
}

// passOver ignores a keyword that is not known, and reports whether that is new.
func (w *writer) passOver(key string, d diag.Diagnostic) bool {
	near, _ := firstQuoted(d.Hint)
	meant := d.Code == "misspelt-keyword" && !strings.HasPrefix(key, "_") && !strings.HasPrefix(key, "x-") && near != "$comment" && !slices.Contains(saysNothing, key)
	if key == "nullable" || !w.ignore(key) {
		return false
	}
	if meant {
		w.misspelt = append(w.misspelt, fmt.Sprintf("%s: %q is passed over, and %q may be meant", d.Pos, key, near))
	}
	return true
}

// relax takes a keyword away that says nothing, or that cannot be followed, and reports whether that is new.
func (w *writer) relax(at index, d diag.Diagnostic) bool {
	key, holder := at.keys[d.Pos], at.holders[d.Pos]
	switch d.Code {
	case "bad-default":
		return w.takeAway(holder, key, "It is no value that the member can have.")
	case "without-effect":
		return w.takeAway(holder, key, "It says nothing about values of this type.")
	case "beside-alternatives":
		return w.takeAway(holder, key, "Beside alternatives it would refuse the members of all of them.")
	case "required-alone":
		return w.takeAway(holder, key, "Nothing declares these members.")
	case "impossible":
		return w.takeAway(holder, key, "Nothing can stand here.")
	case "unsupported-constant", "mixed-enum":
		return w.dropConstants(at, d.Pos)
	case "duplicate-value":
		return w.correct(at, d, "")
	case "wrong-constant":
		return w.takeAway(holder, "type", "Constants beside it are of other types.")
	case "bad-keyword", "not-a-schema":
		return w.correct(at, d, "It cannot be read: ")
	case "choice-with-members":
		return w.takeAway(holder, key, "Some of it says nothing about the object that has the members beside it.")
	case "unsupported-keyword":
		if w.takeAway(holder, key, "What it leads to depends on where it is used, so it is any JSON.") {
			w.dynamic = append(w.dynamic, holder.String())
			return true
		}
	case "remote-reference", "dangling-reference", "outside-reference", "unsupported-reference":
		if url, ok := firstQuoted(d.Message); ok && w.takeAway(holder, key, "It leads to what is not in the folder, so it is any JSON.") {
			if d.Code == "remote-reference" {
				w.elsewhere = append(w.elsewhere, fmt.Sprintf("%s refers to %s", holder, url))
			} else {
				w.nowhere = append(w.nowhere, fmt.Sprintf("%s refers to %s", holder, url))
			}
			return true
		}
	}
	return false
}

// leaveRaw leaves what cannot be expressed in Go as JSON, and reports whether that is new.
// Raws says that undecided unions were raw JSON when it was found.
func (w *writer) leaveRaw(at index, d diag.Diagnostic, raws bool) bool {
	undecided := func() bool {
		added := w.out.Unions.Undecided == ""
		w.out.Unions.Undecided = "raw"
		return added
	}
	switch d.Code {
	case "open-branch", "unclear-branch", "conflicting-member", "undeclared-required":
		return d.Severity == diag.Error && undecided()
	case "ambiguous-union", "map-variant":
		return undecided()
	case "nullable-element":
		place := at.paths[d.Pos]
		if text, ok := firstQuoted(d.Hint); ok {
			place = text
		}
		return w.raw(place)
	case "unused-entry":
		return w.takeBack(strings.TrimPrefix(d.Message, "the profile's "))
	case "scalar-base", "choice-in-base":
		return w.rawBecause(at.parts[d.Pos], "a part of it under allOf is no object")
	case "repeated-member":
		object, _, _ := strings.Cut(d.Message, " and its alternative ")
		if !raws {
			return undecided()
		}
		return w.rawBecause(object, "an alternative declares a member beside it as well")
	}
	return false
}

// noteUndecided notes which unions or alternatives are raw JSON in the end, and of which choices the members are taken into the object around them.
func (w *writer) noteUndecided(p *protocol.Protocol) {
	if p == nil {
		return
	}
	w.undecided, w.takenIn, w.apart = nil, nil, nil
	tags := map[*protocol.Enum]bool{}
	for u := range protocol.Each[*protocol.Union](p.Types) {
		if tags[u.Tag] = true; len(u.Apart) > 0 {
			w.apart = append(w.apart, u)
		}
	}
	for e := range protocol.Each[*protocol.Enum](p.Types) {
		w.enums = w.enums || e.Open && len(e.Members) > 1 && !tags[e]
	}
	for _, union := range p.Undecided {
		dot := max(strings.LastIndexByte(union, '.'), 0)
		if s, ok := p.Lookup(union[:dot]).(*protocol.Struct); ok && s.Field(union[dot+1:]) == nil {
			w.takenIn = append(w.takenIn, union)
		} else {
			w.undecided = append(w.undecided, union)
		}
	}
}

// raw leaves a place as JSON, and reports whether that is new.
func (w *writer) raw(name string) bool {
	at := placeText{name}
	if name == "" || slices.Contains(w.out.Raw, at) || slices.Contains(w.notRaw, at) {
		return false
	}
	w.out.Raw = append(w.out.Raw, at)
	return true
}

// rawBecause leaves a place as JSON, for another reason than that it may be null, and reports whether that is new.
func (w *writer) rawBecause(name, why string) bool {
	if !w.raw(name) {
		return false
	}
	w.rawFor[name] = why
	return true
}

// takeBack removes what another entry has made idle, as it is about something around it, and reports whether that is new.
func (w *writer) takeBack(message string) bool {
	what, _, _ := strings.Cut(message, " matches nothing")
	before := w.entries()
	w.out.Raw = slices.DeleteFunc(w.out.Raw, func(p placeText) bool {
		idle := what == "raw "+p.At
		if idle {
			w.notRaw = append(w.notRaw, p)
		}
		return idle
	})
	w.out.Overlay = slices.DeleteFunc(w.out.Overlay, func(r repairText) bool { return what == "overlay of "+r.Definition+r.At })
	if n := w.out.Naming; n != nil {
		n.Names = slices.DeleteFunc(n.Names, func(n nameText) bool { return what == "name for "+n.At })
		if len(n.Names) == 0 {
			w.out.Naming = nil
		}
	}
	return w.entries() < before
}

// entries returns how many entries there are of the kinds that others can make idle.
func (w *writer) entries() int {
	n := len(w.out.Raw) + len(w.out.Overlay)
	if w.out.Naming != nil {
		n += len(w.out.Naming.Names)
	}
	return n
}

// saysNothing are keywords that are called nearly like one of JSON Schema, and that say nothing about values: those of OpenAPI, of
// generators of TypeScript and of Angular.
var saysNothing = []string{"example", "tsType", "typeof", "$default"}

// ofValue reports whether a hint is to name a value of an enum.
func ofValue(hint string) bool { return strings.Contains(hint, `{"enum": `) }

// takeAway takes a keyword away, and reports whether that is new.
func (w *writer) takeAway(from place, keyword, why string) bool {
	key := from.String() + "\x00" + keyword
	if from.definition == "" || keyword == "" || w.repaired[key] {
		return false
	}
	w.repaired[key] = true
	w.out.Overlay = append(w.out.Overlay, repairText{Definition: from.definition, At: from.at, Patch: map[string]any{keyword: nil}, Why: why})
	return true
}

// correct lists values once that are listed twice, or takes a keyword away that is wrong otherwise, and reports whether that is new.
func (w *writer) correct(at index, d diag.Diagnostic, why string) bool {
	keyword, n := at.keys[d.Pos], at.nodes[d.Pos]
	if !w.takeAway(at.holders[d.Pos], keyword, why+d.Message+".") {
		return false
	}
	var once []*schema.Node
	all := n.Get(keyword).List()
	for _, v := range all {
		if !slices.ContainsFunc(once, v.Equal) {
			once = append(once, v)
		}
	}
	if len(once) < len(all) {
		w.out.Overlay[len(w.out.Overlay)-1].Patch[keyword] = each.Map(once, (*schema.Node).Value)
	}
	return true
}

// dropConstants takes constants away that Go does not have, and says instead of what types they are, unless that is said. It
// reports whether that is new.
func (w *writer) dropConstants(at index, pos diag.Pos) bool {
	keyword, n := at.keys[pos], at.nodes[pos]
	if !w.takeAway(at.holders[pos], keyword, "Go has no constants of these values.") {
		return false
	}
	if n.Get("type") == nil {
		constants := []*schema.Node{n.Get(keyword)}
		if keyword == "enum" {
			constants = n.Get(keyword).List()
		}
		w.out.Overlay[len(w.out.Overlay)-1].Patch["type"] = schema.TypesOf(constants)
	}
	return true
}
