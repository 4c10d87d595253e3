// Dispatched: members that hold what clients dispatch.

package tables

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// dispatched restricts members that hold dispatched actions to dispatchable ones.
func (b *actionBuilder) dispatched(set *protocol.ActionSet) {
	for _, place := range AllDispatchers(b.Facts, b.types) {
		dot := strings.LastIndexByte(place.At, '.')
		s, ok := b.out.Lookup(place.At[:max(dot, 0)]).(*protocol.Struct)
		if !ok || s.Field(place.At[dot+1:]) == nil {
			continue // reported as an unused fact
		}
		if place.Source != facts.Schema { // found by the analysis itself
			b.Used.Add(place.Place)
		}
		f := s.Field(place.At[dot+1:])
		ref, ok := f.Type.(protocol.Ref)
		if !ok || ref.Type != protocol.Type(set.Union) {
			b.Errorf(f.Pos, "bad-dispatched", "make it a reference to "+set.Union.Name, b.Say("%s is to hold an action that a client dispatches, but it holds something else"), place.At)
			continue
		}
		if set.Client == nil {
			hint := b.Hint("name the type for those under client of actions in the profile, and allow clients an action", `write "client" with the name of a type for those into x-actions, and "x-client-dispatchable": true beside an action`)
			b.Errorf(place.Pos, "bad-dispatched", b.Say(hint),
				b.Say("%s is to hold an action that a client dispatches, but nothing says which those are"), place.At)
			continue
		}
		// On the wire, the action may be dispatchable in a newer version.
		set.Client.Open = set.Union.Open
		f.Type = protocol.Ref{Type: set.Client}
	}
}

// Dispatcher is a member that holds what a client dispatches, with the statement about it, which may have wildcards.
type Dispatcher struct {
	*facts.Place
	At string
}

// AllDispatchers returns the members that hold what a client dispatches, each once.
func AllDispatchers(f *facts.Facts, t *types.Types) []Dispatcher {
	var out []Dispatcher
	for _, place := range facts.Merge(f, &facts.Facts{Dispatched: t.Dispatchers}).Dispatched {
		if !schema.IsPattern(place.At) {
			out = append(out, Dispatcher{place, place.At})
			continue
		}
		for _, at := range membersLike(place.At, t) {
			out = append(out, Dispatcher{place, at})
		}
	}
	return out
}

// membersLike returns the members that a pattern matches.
func membersLike(pattern string, t *types.Types) (out []string) {
	for s := range protocol.Each[*protocol.Struct](t.All) {
		for _, f := range s.Fields {
			if at := s.Name + "." + f.Name; schema.Matches(pattern, at) {
				out = append(out, at)
			}
		}
	}
	return out
}
