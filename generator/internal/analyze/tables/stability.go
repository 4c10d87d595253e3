// Stability: what is stated of a channel holds for its state and actions, and for types that only these use.

package tables

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// SpreadStability marks the states and actions of channels, and what nothing else uses, with the stability of the
// channel, unless they have one of their own.
func SpreadStability(p *protocol.Protocol) {
	some := false
	for _, c := range p.Channels {
		if c.State != nil {
			c.Stability = cmp.Or(c.Stability, c.State.Stability)
			c.State.Stability = cmp.Or(c.State.Stability, c.Stability)
		}
		some = some || c.Stability.Experimental()
	}
	if !some {
		return
	}
	for _, a := range p.AllActions() {
		a.Struct.Stability = a.Stability()
	}
	for users := users(p); ; {
		before := len(users)
		for t, all := range users {
			if s, ok := shared(all); ok {
				t.Head().Stability = cmp.Or(t.Head().Stability, s)
				delete(users, t)
			}
		}
		if len(users) == before {
			return
		}
	}
}

// users returns what uses each type without a mark. Types that messages carry outside of channels have nil among them.
func users(p *protocol.Protocol) map[protocol.Type][]protocol.Type {
	out := map[protocol.Type][]protocol.Type{}
	use := func(t, by protocol.Type) {
		if t != nil && t.Head().Stability == "" {
			out[t] = append(out[t], by)
		}
	}
	for _, t := range p.Types {
		for _, held := range protocol.Inner(t) {
			use(held, t)
		}
	}
	for _, m := range p.Methods {
		use(m.Params, nil)
		use(m.Result, nil)
	}
	for _, e := range p.Errors {
		use(e.Data, nil)
	}
	return out
}

// shared returns the mark of all users, if all are experimental: the one that they have in common.
func shared(all []protocol.Type) (protocol.Stability, bool) {
	if slices.ContainsFunc(all, func(t protocol.Type) bool { return t == nil || !t.Head().Stability.Experimental() }) {
		return "", false
	}
	s := all[0].Head().Stability
	for _, t := range all {
		if t.Head().Stability != s {
			return "experimental", true
		}
	}
	return s, true
}
