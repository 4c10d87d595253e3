// Hosts: connections to several hosts.

package conn

import (
	"maps"
	"slices"
	"sync"
)

// Place is a channel of a host. URIs are only unique per host.
type Place struct{ Host, Channel string }

// Hosts holds connections by host name. The zero value is empty.
type Hosts[C any] struct {
	mu sync.RWMutex
	by map[string]C
}

// Set adds or replaces a connection.
func (h *Hosts[C]) Set(host string, c C) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by = map[string]C{}
	}
	h.by[host] = c
}

// Remove removes a connection without closing it.
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

// Names returns the hosts, sorted.
func (h *Hosts[C]) Names() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Sorted(maps.Keys(h.by))
}
