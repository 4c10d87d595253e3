// Editions: finished reducers that are others in some versions. What an edition holds stands in place of what has its
// name in those before it, one declaration at a time, and what is known about it is kept as the difference.

package finished

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

// SourceName is how the source of an edition is called among all: version and name, or the name alone.
func SourceName(edition, name string) string { return path.Join(edition, name) }

// Over returns what differs from what is known about the edition before.
func (u *Uses) Over(before *Uses) *Uses {
	out := &Uses{Sources: difference(u.Sources, before.Sources), Types: difference(u.Types, before.Types)}
	out.NoTypes = missing(before.Types, u.Types)
	index := map[Symbol]int{}
	for i, s := range before.Symbols {
		index[s] = i
	}
	numbered := make([]int, len(u.Symbols)) // the number that each symbol has behind those of before
	for i, s := range u.Symbols {
		at, ok := index[s]
		if !ok {
			at = len(before.Symbols) + len(out.Symbols)
			index[s] = at
			out.Symbols = append(out.Symbols, s)
		}
		numbered[i] = at
	}
	old := byName(before.Units)
	for _, unit := range u.Units {
		d := *unit
		d.Refs, d.Needs = slices.Clone(unit.Refs), slices.Clone(unit.Needs)
		for i := 1; i < len(d.Refs); i += 2 {
			d.Refs[i] = numbered[d.Refs[i]]
		}
		for i, at := range d.Needs {
			d.Needs[i] = numbered[at]
		}
		slices.Sort(d.Needs)
		if !reflect.DeepEqual(old[d.Name], &d) {
			out.Units = append(out.Units, &d)
		}
	}
	out.NoUnits = missing(old, byName(u.Units))
	return out
}

// Onto returns all that is known about an edition, given what is known about the one before.
func (u *Uses) Onto(before *Uses) *Uses {
	out := &Uses{
		Sources: maps.Clone(before.Sources), Types: maps.Clone(before.Types),
		Symbols: slices.Concat(before.Symbols, u.Symbols),
	}
	maps.Copy(out.Sources, u.Sources)
	maps.Copy(out.Types, u.Types)
	for _, name := range u.NoTypes {
		delete(out.Types, name)
	}
	instead := byName(u.Units)
	for _, unit := range before.Units {
		switch other := instead[unit.Name]; {
		case other != nil:
			out.Units = append(out.Units, other)
			delete(instead, unit.Name)
		case !slices.Contains(u.NoUnits, unit.Name):
			out.Units = append(out.Units, unit)
		}
	}
	for _, unit := range u.Units {
		if instead[unit.Name] != nil {
			out.Units = append(out.Units, unit)
		}
	}
	return out
}

func byName(units []*Declaration) map[string]*Declaration {
	out := make(map[string]*Declaration, len(units))
	for _, u := range units {
		out[u.Name] = u
	}
	return out
}

// difference is the entries that the map before does not have.
func difference(now, before map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range now {
		if old, ok := before[k]; !ok || old != v {
			out[k] = v
		}
	}
	return out
}

// missing lists the keys that are no longer there.
func missing[V any](before, now map[string]V) []string {
	var out []string
	for k := range before {
		if _, ok := now[k]; !ok {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// Sets reads the finished reducers of a protocol that may go with a package of a version: those of its edition first,
// then those of the editions beside it, the older before the newer. There are none if the protocol has none.
func Sets(protocol string, order version.Order, at string) ([]*Set, error) {
	choose, err := editionOf(order, at)
	if err != nil {
		return nil, err
	}
	var out []*Set
	for _, edition := range schemas.EditionsFor(protocol, choose) {
		set, err := load(loadedKey{protocol, edition, order})
		if err != nil {
			return nil, err
		}
		out = append(out, set)
	}
	return out, nil
}

// loaded are the sets that were read, as packages of versions beside each other ask for the same: nobody changes one.
var loaded = struct {
	sync.Mutex
	sets map[loadedKey]*Set
}{sets: map[loadedKey]*Set{}}

type loadedKey struct {
	protocol, edition string
	order             version.Order
}

// load reads the finished reducers of an edition that there is, once.
func load(key loadedKey) (*Set, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if set := loaded.sets[key]; set != nil {
		return set, nil
	}
	set, err := Load(key.order, schemas.Reducers(key.protocol, key.edition)...)
	if err != nil {
		return nil, err
	}
	loaded.sets[key] = set
	return set, nil
}

// editionOf chooses the edition for a version, as an index: the newest that is not newer, or else the oldest. A
// pre-release goes with its release. Without a version nothing is chosen.
func editionOf(order version.Order, at string) (func(editions []string) int, error) {
	if at == "" {
		return nil, nil
	}
	wanted, err := order.Parse(at)
	if err != nil {
		return nil, err
	}
	return func(editions []string) int {
		out := 0
		for i, edition := range editions {
			if v, err := order.Parse(edition); err == nil && v.Compare(wanted) <= 0 {
				out = i
			}
		}
		return out
	}, nil
}
