// Order: the order of declarations in files. Shared declarations come first, then those of each channel.

package golang

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// The parts of a channel's declarations, in order.
const (
	partState = iota
	partActions
	partRest // types used by this channel only
	parts
)

// order sorts the declarations by channel and part, preserving schema order within each. Protocols without channels
// keep schema order.
func (b *builder) order() {
	o := &ordering{b: b, own: map[protocol.Type]int{}, user: map[protocol.Type]int{}}
	o.claim()
	for i := range b.in.Channels {
		o.use(i + 1)
	}
	unions, enums := map[*Union]int{}, map[*Enum]int{}
	for t, declared := range b.declaredTypes {
		switch d := declared.(type) {
		case StructType:
			d.Place = o.place(t)
		case AliasType:
			d.Place = o.place(t)
		case UnionType:
			unions[d.Union] = o.place(t)
		case EnumType:
			enums[d.Enum] = o.place(t)
		}
	}
	slices.SortStableFunc(b.out.Structs, func(x, y *Struct) int { return cmp.Compare(x.Place, y.Place) })
	slices.SortStableFunc(b.out.Aliases, func(x, y *Alias) int { return cmp.Compare(x.Place, y.Place) })
	slices.SortStableFunc(b.out.Unions, func(x, y *Union) int { return cmp.Compare(unions[x], unions[y]) })
	slices.SortStableFunc(b.out.Enums, func(x, y *Enum) int { return cmp.Compare(enums[x], enums[y]) })
}

// ordering assigns types to channels, counted from 1.
type ordering struct {
	b     *builder
	own   map[protocol.Type]int   // sort keys of states and actions
	roots map[int][]protocol.Type // states and actions by channel
	user  map[protocol.Type]int   // the only channel that uses a type, or several
}

// several stands for more than one channel.
const several = 0

// common is the sort key of shared declarations.
const common = several*parts + partRest

// one returns the representative of equal types.
func (o *ordering) one(t protocol.Type) protocol.Type { return cmp.Or(o.b.first[t], t) }

func (o *ordering) place(t protocol.Type) int {
	t = o.one(t)
	if place, ok := o.own[t]; ok {
		return place
	}
	return o.user[t]*parts + partRest
}

// claim assigns states and actions to channels. Those of two channels are common.
func (o *ordering) claim() {
	o.roots = map[int][]protocol.Type{}
	claim := func(t protocol.Type, channel, part int) {
		t = o.one(t)
		place, claimed := o.own[t]
		if claimed && place/parts != channel {
			o.own[t] = common
		} else if !claimed {
			o.own[t] = channel*parts + part
		}
		o.roots[channel] = append(o.roots[channel], t)
	}
	numbers := map[*protocol.Channel]int{}
	for i, c := range o.b.in.Channels {
		numbers[c] = i + 1
		if c.State != nil {
			claim(c.State, i+1, partState)
		}
	}
	if o.b.in.Actions == nil {
		return
	}
	for _, a := range o.b.in.Actions.Actions {
		if a.Channel != nil {
			claim(a.Struct, numbers[a.Channel], partActions)
		}
	}
	for u := range protocol.Each[*protocol.Union](o.b.in.Types) {
		if channel := o.onlyActionsOf(u); channel != several {
			claim(u, channel, partActions)
		}
	}
}

// onlyActionsOf returns the channel whose actions are the only variants of a union.
func (o *ordering) onlyActionsOf(u *protocol.Union) int {
	channel := several
	for _, s := range u.Leaves() {
		place, ok := o.own[o.one(s)]
		if !ok || place%parts != partActions || channel != several && channel != place/parts {
			return several
		}
		channel = place / parts
	}
	return channel
}

// use collects the types of a channel's state and actions, stopping at states and actions of other channels. Types
// are visited at most twice, since shared ones are common with all their parts.
func (o *ordering) use(channel int) {
	type step struct {
		t    protocol.Type
		user int
	}
	open := each.Map(o.roots[channel], func(t protocol.Type) step { return step{t, channel} })
	for len(open) > 0 {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		for _, e := range protocol.Parts(last.t) {
			t := o.one(protocol.Held(e))
			if _, ok := o.own[t]; ok || t == nil {
				continue
			}
			user := last.user
			if before, ok := o.user[t]; ok {
				if before == several || before == user {
					continue
				}
				user = several
			}
			o.user[t] = user
			open = append(open, step{t, user})
		}
	}
}
