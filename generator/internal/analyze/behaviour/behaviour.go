// Package behaviour reads what is stated about the behaviour of a protocol: effects of actions, lifecycles, replication and
// sessions, the handshake, calls and extensions. It is checked against types and tables.
package behaviour

import (
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/tables"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// OfActions reads what is stated about actions: their effects, which it notes on them, the lifecycles that they lead values
// through, and how states are replicated by them.
func OfActions(given phase.Given, known phase.Broken, p protocol.Protocol, of Of) ([]*protocol.Lifecycle, *protocol.Replication, phase.Notes) {
	b := &builder{phase.Begin(given, known), &p, of}
	defer b.Mark()
	b.effects()
	b.lifecycles()
	readFact(b, b.Facts.Replication, "bad-role", "replication", (*builder).replication)
	return p.Lifecycles, p.Replication, b.Notes()
}

// Of is what the protocol has beside what is in it.
type Of struct {
	Types     *types.Types
	Actions   *tables.Actions
	CodesSaid bool // error codes have errors, already reported
}

// Conversation reads what needs methods and error codes, and returns the protocol with it.
func Conversation(given phase.Given, known phase.Broken, p protocol.Protocol, of Of) (protocol.Protocol, phase.Notes) {
	b := &builder{phase.Begin(given, known), &p, of}
	defer b.Mark()
	b.conversation()
	return p, b.Notes()
}

// Session reads by which methods a client comes and goes, and notes it in the roles of replication.
func Session(given phase.Given, known phase.Broken, p protocol.Protocol, of Of) phase.Notes {
	b := &builder{phase.Begin(given, known), &p, of}
	defer b.Mark()
	b.session()
	return b.Notes()
}

// builder is a protocol as it is being read.
type builder struct {
	*phase.Work
	out *protocol.Protocol
	of  Of
}

// readFact reads a fact, if it is stated. If the schemas do not fit it, the protocol stays as it was.
func readFact[F any, P interface {
	*F
	facts.Fact
}](b *builder, f P, code, what string, read func(*builder, P)) {
	if f != nil {
		before := *b.out
		b.fitting(f, code, what, func(b *builder) { read(b, f) }, func() { *b.out = before })
	}
}

// fitting reads a fact, and undoes that if the schemas do not fit it.
func (b *builder) fitting(f facts.Fact, code, what string, read func(*builder), takeBack func()) {
	apart := &builder{b.Apart(f), b.out, b.of}
	read(apart)
	if !b.Settle(f, code, what, apart.Work) {
		takeBack()
	}
}
