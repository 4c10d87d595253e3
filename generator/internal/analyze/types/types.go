// Package types makes the types of a protocol: definitions and inline schemas become structs with members, enums, unions as
// lists of alternatives, and aliases.
package types

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Types are the types of a protocol with what later phases have to know of them.
type Types struct {
	All         []protocol.Type                     // in order of declaration
	Unknown     map[*protocol.Union]bool            // lists an alternative for unknown variants
	Bad         map[*protocol.Union]bool            // with invalid alternatives, reported elsewhere
	Broken      map[*protocol.Struct]bool           // with a dangling member
	Written     map[*protocol.Struct]*schema.Schema // what objects are made of
	Dispatchers []*facts.Place                      // members that schemas mark as holding dispatched actions
	Instead     []MemberInstead                     // members that say what to use in their place
	Payloads    map[string]Payload                  // parameters and results that stand in members, by path
}

// Make makes the types of schemas. There are none if some definitions cannot have any.
func Make(given phase.Given, known phase.Broken) (*Types, phase.Notes) {
	b := newBuilder(given, known)
	defer b.Mark()
	if b.endlessNames() {
		return nil, b.Notes()
	}
	b.payloads = payloadsOf(b)
	b.declare()
	b.methodPayloads()
	b.fill()
	b.checkCycles()
	b.checkChoices()
	for _, settle := range b.late {
		settle()
	}
	return b.Types, b.Notes()
}

// builder holds types in the making.
type builder struct {
	*phase.Work
	*Types
	*inheritance
	queue
	inlining
	payloads
	shapes *shape.Shapes
	around map[*schema.Schema]*schema.Schema // the objects that alternatives beside members are part of
	names  phase.Names
	types  map[*schema.Definition]protocol.Type
}

func newBuilder(given phase.Given, known phase.Broken) *builder {
	w, shapes := phase.Begin(given, known), shape.New(given.Facts.OpenUnions)
	return &builder{
		Work: w, shapes: shapes, around: map[*schema.Schema]*schema.Schema{}, names: phase.Names{}, types: map[*schema.Definition]protocol.Type{},
		Types: &Types{Unknown: map[*protocol.Union]bool{}, Bad: map[*protocol.Union]bool{}, Broken: map[*protocol.Struct]bool{}, Written: map[*protocol.Struct]*schema.Schema{}, Payloads: map[string]Payload{}},
		inheritance: &inheritance{
			Work: w, shapes: shapes, bases: map[*schema.Schema][]member{}, undeclared: map[*schema.Schema]*schema.Schema{},
			bare: map[*schema.Schema]*schema.Schema{}, chosen: map[*schema.Schema][]choice{}, kindsOf: map[*schema.Schema][]string{},
			pairs: map[[2]*schema.Schema]*schema.Schema{},
		},
		queue: queue{owner: map[protocol.Type]protocol.Type{}, beside: map[*schema.Schema]*protocol.Union{}},
		inlining: inlining{
			inlined: map[inlineUse]protocol.Type{}, copies: map[protocol.Type]int{}, recursive: map[*schema.Schema]bool{}, former: map[string]string{},
		},
	}
}

// queue is what is left to do.
type queue struct {
	pending []func()                           // bodies to fill in declaration order
	late    []func()                           // work on members deferred until all types are known
	root    protocol.Type                      // definition being filled
	owner   map[protocol.Type]protocol.Type    // definition that an inline type belongs to
	beside  map[*schema.Schema]*protocol.Union // unions of choices beside members
}

// lookup returns the type of a name, nil if there is none so far.
func (b *builder) lookup(name string) protocol.Type {
	if def := b.Set.Lookup(name); def != nil && b.types[def] != nil {
		return b.types[def]
	}
	if i := slices.IndexFunc(b.All, func(t protocol.Type) bool { return t.Head().Name == name }); i >= 0 {
		return b.All[i]
	}
	return nil
}
