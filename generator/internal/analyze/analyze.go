// Package analyze turns schemas and facts into a protocol. Everything without a meaning is refused with a position
// and a remedy.
package analyze

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/behaviour"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/complaints"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/dispatch"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/tables"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxDefinitions bounds chains of definitions. Some functions recurse once for each, and a stack overflow cannot be
// recovered from: at this length a quarter of the stack is used.
const maxDefinitions = 200_000

// Run analyses parsed schemas with what they leave out, and returns which facts matched something, and what is wrong. It changes
// neither. Said is what was found wrong with the schemas before. The protocol is nil if there are errors.
func Run(set *schema.Set, f *facts.Facts, said []diag.Diagnostic) (*protocol.Protocol, fit.Used, []diag.Diagnostic) {
	if defs := set.Definitions(); len(defs) > maxDefinitions {
		return nil, nil, []diag.Diagnostic{
			diag.Errorf(defs[maxDefinitions].Pos, "too-many-definitions", "generate from a part of them", "there are %d definitions, the limit is %d", len(defs), maxDefinitions),
		}
	}
	var undecided []string
	raw := map[string]bool{} // the same
	for {                    // what is found to be raw JSON is so from the beginning
		r, p := once(set, f, said, undecided)
		if len(r.undecided) == 0 || r.known.Exhausted() {
			if p != nil {
				p.Undecided = slices.DeleteFunc(undecided, func(name string) bool { return isInside(set, name, raw) })
			}
			return r.result(p)
		}
		for _, union := range r.undecided {
			if !raw[union] {
				raw[union], undecided = true, append(undecided, union)
			}
		}
	}
}

// isInside reports whether what has a path stands in something else that is raw JSON.
func isInside(set *schema.Set, path string, raw map[string]bool) bool {
	for set.Lookup(path) == nil && strings.Contains(path, ".") {
		if path = path[:strings.LastIndexByte(path, '.')]; raw[path] {
			return true
		}
	}
	return false
}

// once goes through the phases, with some unions as raw JSON.
func once(set *schema.Set, f *facts.Facts, said []diag.Diagnostic, undecided []string) (*run, *protocol.Protocol) {
	r := &run{used: fit.Used{}, known: phase.Broken{}.With(phase.Notes{Found: said})}
	r.given = phase.Given{Set: set, Facts: f, Rules: phase.RulesOf(f, undecided...), Omit: r.omitted(set, f)}
	return r, r.protocol()
}

// result returns what Run does.
func (r *run) result(p *protocol.Protocol) (*protocol.Protocol, fit.Used, []diag.Diagnostic) {
	if p == nil || r.known.Errors {
		return nil, r.used, r.found
	}
	return p, r.used, r.found
}

// run is an analysis: what the phases are given, and what those so far have found out.
type run struct {
	given phase.Given
	known phase.Broken
	used  fit.Used
	found []diag.Diagnostic

	undecided []string // unions to begin anew with as raw JSON
}

// note takes in what a phase has found out.
func (r *run) note(n phase.Notes) {
	r.known = r.known.With(n)
	r.found = append(r.found, n.Found...)
	r.undecided = append(r.undecided, n.Undecided...)
	for f := range n.Used {
		r.used[f] = true
	}
}

// protocol goes through the phases. There is no protocol if one of them comes to nothing.
func (r *run) protocol() *protocol.Protocol {
	f := r.given.Facts
	r.note(complaints.Keywords(r.given, r.known))
	r.given.Shaky = r.known.Unread || !f.Sides.Whole()
	t, notes := types.Make(r.given, r.known)
	if r.note(notes); t == nil {
		return nil
	}
	if r.note(dispatch.Settle(r.given, r.known, t)); r.known.Exhausted() {
		return nil
	}
	p := protocol.Protocol{
		Name: f.Name, Title: f.Title, Version: f.Versions.At.String(), Order: string(f.Versions.Order),
		Keeps: f.Keep, Supported: f.Versions.Spoken(), Confirmed: f.Versions.Unconfirmed(), Sides: phase.SidesOf(f.Sides), Synonyms: f.Synonyms, Types: t.All,
	}
	actions, notes := tables.MakeActions(r.given, r.known, p, t)
	r.note(notes)
	p.Types, p.Channels, p.Actions = actions.Types, actions.Channels, actions.Set
	of := behaviour.Of{Types: t, Actions: &actions}
	r.given.Shaky = r.given.Shaky || r.known.Unread
	if !r.given.Shaky {
		r.note(complaints.Stated(r.given, r.known, &p, t))
		p.Lifecycles, p.Replication, notes = behaviour.OfActions(r.given, r.known, p, of)
		r.note(notes)
	}
	all, replaced, notes := dispatch.Tags(r.given, r.known, &p)
	r.note(notes)
	p.Types = all
	methods, notes := tables.MakeMethods(r.given, r.known, p, t)
	r.note(notes)
	p.Methods, p.Errors, of.CodesSaid = methods.Methods, methods.Errors, methods.Said
	if !r.given.Shaky {
		r.conversation(&p, of)
	}
	r.pin(&p)
	p.Types = slices.DeleteFunc(p.Types, func(t protocol.Type) bool { return replaced[t] })
	tables.SpreadStability(&p)
	return &p
}

// conversation adds what needs all tables.
func (r *run) conversation(p *protocol.Protocol, of behaviour.Of) {
	var notes phase.Notes
	*p, notes = behaviour.Conversation(r.given, r.known, *p, of)
	r.note(notes)
	p.Capabilities, notes = tables.Capabilities(r.given, r.known, *p)
	r.note(notes)
	r.note(behaviour.Session(r.given, r.known, *p, of))
}

// omitted returns the definitions that become no types.
func (r *run) omitted(set *schema.Set, f *facts.Facts) map[*schema.Definition]bool {
	out := map[*schema.Definition]bool{}
	for _, o := range f.Omissions {
		for _, def := range o.In(set) {
			out[def] = true
			r.used.Add(o)
		}
	}
	for _, def := range set.Definitions() {
		if def.Schema.Extension("x-abstract").True() {
			out[def] = true
		}
	}
	for _, enum := range f.ErrorEnums {
		def := set.Lookup(enum.At)
		if def == nil {
			r.note(phase.Notes{Found: []diag.Diagnostic{fit.Mismatch(enum, "unused-entry", "name an enum of error codes", "the schemas define no %s", enum.At)}})
			continue
		}
		out[def] = true
	}
	return out
}

// pin puts pinned Go names where they belong.
func (r *run) pin(p *protocol.Protocol) {
	if r.given.Rules.Names.Empty() {
		return
	}
	w := phase.Begin(r.given, r.known)
	pin := func(at string, name *string) {
		for _, n := range phase.Meant(w, r.given.Rules.Names, at, func(a, b *facts.Name) bool { return a.Name == b.Name }) {
			*name = n.Name
		}
	}
	defer func() { r.note(w.Notes()) }()
	for _, t := range p.Types {
		pin(t.Head().Name, &t.Head().GoName)
		if s, ok := t.(*protocol.Struct); ok {
			for _, f := range s.Fields {
				pin(s.Name+"."+f.Name, &f.GoName)
			}
			for _, c := range s.Choices {
				pin(s.Name+"."+c.Name, &c.GoName)
			}
		}
	}
	for _, m := range p.Methods {
		pin(m.Name+"()", &m.GoName)
	}
}
