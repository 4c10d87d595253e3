// Editions: finished reducers that are others in some versions. What an edition holds stands in place of what has its
// name in those before it, one declaration at a time.

package finished

import (
	"sync"

	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

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

// loaded caches the sets that were read, which several versions share. They must not be modified.
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
