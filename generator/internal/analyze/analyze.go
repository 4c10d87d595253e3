// Package analyze turns schemas and facts into a protocol: what is written becomes what it
// means. Everything it cannot give a meaning to is refused with a position and a remedy.
package analyze

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxDefinitions bounds how long a chain of definitions can get. Some of what follows one calls itself
// for each, and a stack that overflows cannot be recovered from: at this length it is a quarter full.
const maxDefinitions = 200_000

// Run analyses parsed schemas with what they leave out, and returns which facts matched something. It changes neither. The
// protocol is nil if diags holds errors.
func Run(set *schema.Set, f *facts.Facts, diags *diag.List) (*protocol.Protocol, fit.Used) {
	if defs := set.Definitions(); len(defs) > maxDefinitions {
		diags.Errorf(defs[maxDefinitions].Pos, "too-many-definitions", "generate from a part of them", "there are %d definitions, the limit is %d", len(defs), maxDefinitions)
		return nil, nil
	}
	b := newBuilder(set, f, diags)
	b.omitted()
	b.placedKeywords()
	b.shaky = shaky(diags) || !f.Sides.Whole()
	b.rules = rulesOf(f)
	if b.endlessNames() {
		return nil, nil
	}
	b.payloads()
	b.declare()
	b.fill()
	b.checkCycles()
	b.checkChoices()
	for _, settle := range b.late {
		settle()
	}
	b.namedVariants()
	b.repeatedVariants()
	if b.exhausted() {
		return nil, nil
	}
	b.unions()
	b.sharedMembers()
	b.actions()
	if b.shaky = b.shaky || shaky(diags); !b.shaky {
		b.statedActions()
		b.statedTags()
		b.statedPartials()
		b.statedInstead()
		b.statedTimes()
		b.effects()
		b.lifecycles()
		b.replication()
	}
	b.parents()
	b.tags()
	b.methods()
	b.errorCodes()
	if !b.shaky {
		b.conversation()
		b.session()
	}
	b.applyNames()
	if diags.HasErrors() {
		return nil, nil
	}
	b.out.Types = slices.DeleteFunc(b.out.Types, func(t protocol.Type) bool { return b.replaced[t] })
	return b.out, b.used
}

// newBuilder begins a protocol without types.
func newBuilder(set *schema.Set, f *facts.Facts, diags *diag.List) *builder {
	return &builder{
		set: set, facts: f, used: fit.Used{}, diags: diags,
		types: map[*schema.Definition]protocol.Type{}, paths: map[string]int{}, owner: map[protocol.Type]protocol.Type{},
		inlined: map[inlineUse]protocol.Type{}, copies: map[protocol.Type]int{}, recursive: map[*schema.Schema]bool{},
		tokens: map[*schema.Schema]string{}, bases: map[*schema.Schema][]member{},
		bare: map[*schema.Schema]*schema.Schema{}, undeclared: map[*schema.Schema]*schema.Schema{}, chosen: map[*schema.Schema][]choice{}, beside: map[*schema.Schema]*protocol.Union{},
		payload: map[*schema.Definition]*schema.Schema{}, wrapped: map[*schema.Schema]*schema.Definition{},
		bad: map[*protocol.Union]bool{}, unknown: map[*protocol.Union]bool{}, broken: map[*protocol.Struct]bool{}, replaced: map[protocol.Type]bool{},
		out: &protocol.Protocol{
			Name: f.Name, Title: f.Title, Version: f.Versions.At.String(), Order: string(f.Versions.Order),
			Keeps: f.Keep, Supported: f.Versions.Spoken(), Confirmed: f.Versions.Unconfirmed(), Sides: sidesOf(f.Sides),
		},
	}
}

// say puts a text about clients and hosts in the words of the protocol.
func (b *builder) say(text string) string { return sidesOf(b.facts.Sides).In(text) }

// sidesOf are the sides as the protocol calls them.
func sidesOf(s facts.Sides) protocol.Sides {
	opens, serves := s.Names()
	return protocol.Sides{Client: opens, Host: serves}
}

// shaky reports whether a schema could not be read as what it is. What is compared with it would only repeat
// that in other words.
func shaky(diags *diag.List) bool {
	return slices.ContainsFunc(diags.Sorted(), func(d diag.Diagnostic) bool {
		return slices.Contains([]string{
			"bad-keyword", "misspelt-keyword", "unsupported-keyword", "not-a-schema", "without-effect", "wrong-constant", "cyclic-alias", "two-action-unions",
		}, d.Code)
	})
}

// builder holds the analysis in progress.
type builder struct {
	set   *schema.Set
	facts *facts.Facts
	used  fit.Used
	diags *diag.List
	out   *protocol.Protocol

	types      map[*schema.Definition]protocol.Type
	paths      map[string]int // names of types, with how many asked for each
	omit       map[*schema.Definition]bool
	tokens     map[*schema.Schema]string             // JSON tokens found so far
	bases      map[*schema.Schema][]member           // members found so far; nil while they are looked for
	late       []func()                              // what is left to do with members once all types are known
	pending    []func()                              // bodies still to fill, in order of declaration
	root       protocol.Type                         // definition whose body is being filled
	owner      map[protocol.Type]protocol.Type       // definition that an inline type belongs to
	inlined    map[inlineUse]protocol.Type           // the first type made for an inline schema
	copies     map[protocol.Type]int                 // how many inline types a definition has
	pathBytes  int                                   // in the names of inline types
	doubling   bool                                  // some definition has too many
	recursive  map[*schema.Schema]bool               // inline schemas that are asked about: whether they inherit themselves
	bare       map[*schema.Schema]*schema.Schema     // choices of objects, without their members
	undeclared map[*schema.Schema]*schema.Schema     // what undeclared members of an object are
	chosen     map[*schema.Schema][]choice           // choices of an object, with those of its bases
	beside     map[*schema.Schema]*protocol.Union    // unions of these
	payload    map[*schema.Definition]*schema.Schema // alternatives that alone take in a definition, and add its tag
	wrapped    map[*schema.Schema]*schema.Definition // the same the other way round
	replaced   map[protocol.Type]bool                // inline enums that a union's tag took the place of
	bad        map[*protocol.Union]bool              // its alternatives are reported already
	broken     map[*protocol.Struct]bool             // a member refers to what is not there
	unknown    map[*protocol.Union]bool              // it lists an alternative for unknown variants
	repeated   int                                   // members, variants and values taken over from elsewhere
	otherwise  []string                              // variants of the union at hand that may be what is malformed otherwise
	decisions  int                                   // tried to tell the variants of a union apart
	rules      *rules                                // facts by what they are about

	statements map[*protocol.Struct]*facts.Action // what unions state about actions in them, once asked for

	instead     []memberInstead
	dispatchers []*facts.Place // members that schemas mark as holding what a client dispatches
	leftOut     []string       // types of actions that are in no union, and reported
	shaky       bool           // some schemas could not be read as what they are: nothing is compared with them
	codesSaid   bool           // something is wrong with the error codes, and reported
	clashing    bool           // channels claim the same actions

	unclaimed []*protocol.Action // those that no channel claims
	lost      []string           // prefixes of channels that the schemas have no state for
}

// omitted notes the definitions that become no types.
func (b *builder) omitted() {
	b.omit = map[*schema.Definition]bool{}
	for _, o := range b.facts.Omissions {
		if def := b.set.Lookup(o.Definition); def != nil {
			b.omit[def] = true
			b.used.Add(o)
		}
	}
	for _, def := range b.set.Definitions() {
		if def.Schema.Extension("x-abstract").True() {
			b.omit[def] = true
		}
	}
	for _, enum := range b.facts.ErrorEnums {
		def := b.set.Lookup(enum.At)
		if def == nil {
			fit.Mismatch(enum, b.diags, "unused-entry", "name an enum of error codes", "the schemas define no %s", enum.At)
			continue
		}
		b.omit[def] = true
	}
}

// applyNames puts pinned Go names where they belong.
func (b *builder) applyNames() {
	pin := func(at string, name *string) {
		for _, n := range b.rules.names[at] {
			*name = n.Name
			b.used.Add(n)
		}
	}
	if len(b.rules.names) == 0 {
		return
	}
	for _, t := range b.out.Types {
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
	for _, m := range b.out.Methods {
		pin(m.Name+"()", &m.GoName)
	}
}
