// Hosts: connections to several of them, side by side.

package conn

import (
	"maps"
	"slices"
	"sync"
)

// Place is a channel of one host: URIs of channels are unique at their host only.
type Place struct{ Host, Channel string }

// Hosts holds connections by a name for each host. The zero value holds none.
type Hosts[C any] struct {
	mu sync.RWMutex
	by map[string]C
}

// Set adds a connection, or puts it in the place of another one.
func (h *Hosts[C]) Set(host string, c C) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by = map[string]C{}
	}
	h.by[host] = c
}

// Remove takes a connection out, which it does not close.
func (h *Hosts[C]) Remove(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.by, host)
}

// Of returns the connection to a host.
func (h *Hosts[C]) Of(host string) (c C, ok bool) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	c, ok = h.by[host]
	return c, ok
}

// Names lists the hosts, sorted.
func (h *Hosts[C]) Names() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Sorted(maps.Keys(h.by))
}
