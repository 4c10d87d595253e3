// The catalogue: what the server offers, in pages, and who wants to know of changes. It is the same for all versions.

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// resource is a text with a URI.
type resource struct{ uri, name, text string }

// catalogue holds tools and resources.
type catalogue struct {
	pageSize int

	mu        sync.Mutex // guards the following
	tools     []*tool    // by name
	resources []resource // by age
	watchers  map[*watcher]bool
}

// watcher has a value in the channel of each list that has changed since it was last received from.
type watcher struct{ tools, resources chan struct{} }

func newCatalogue(pageSize int, tools ...*tool) *catalogue {
	c := &catalogue{pageSize: pageSize, watchers: map[*watcher]bool{}}
	for _, t := range tools {
		c.addTool(t)
	}
	return c
}

// addTool adds a tool, or replaces the one of its name.
func (c *catalogue) addTool(t *tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, found := slices.BinarySearchFunc(c.tools, t.name, func(t *tool, name string) int { return strings.Compare(t.name, name) })
	if found {
		c.tools[i] = t
	} else {
		c.tools = slices.Insert(c.tools, i, t)
	}
	c.changed(func(w *watcher) chan struct{} { return w.tools })
}

// tool returns the tool of a name, or nil.
func (c *catalogue) tool(name string) *tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tools {
		if t.name == name {
			return t
		}
	}
	return nil
}

// addResource adds a text, and returns it with its URI.
func (c *catalogue) addResource(name, text string) resource {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := resource{fmt.Sprintf("note:///%d", len(c.resources)+1), name, text}
	c.resources = append(c.resources, r)
	c.changed(func(w *watcher) chan struct{} { return w.resources })
	return r
}

// resource returns the resource with a URI.
func (c *catalogue) resource(uri string) (resource, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.resources, func(r resource) bool { return r.uri == uri })
	if i < 0 {
		return resource{}, false
	}
	return c.resources[i], true
}

// watch notes which lists change from now on, until the context ends.
func (c *catalogue) watch(ctx context.Context) *watcher {
	w := &watcher{make(chan struct{}, 1), make(chan struct{}, 1)}
	c.mu.Lock()
	c.watchers[w] = true
	c.mu.Unlock()
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.watchers, w)
	})
	return w
}

// changed notes a change for the watchers. The caller must hold the lock.
func (c *catalogue) changed(of func(*watcher) chan struct{}) {
	for w := range c.watchers {
		select {
		case of(w) <- struct{}{}:
		default: // an earlier change has not been received yet
		}
	}
}

// toolsAt returns a page of tools and the cursor of the next one, or "".
func (c *catalogue) toolsAt(cursor string) ([]*tool, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return page(c.tools, cursor, c.pageSize)
}

// resourcesAt is toolsAt for resources.
func (c *catalogue) resourcesAt(cursor string) ([]resource, string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return page(c.resources, cursor, c.pageSize)
}

// errCursor is returned for a cursor that did not come from this server.
var errCursor = errors.New("unknown cursor")

// page returns the part of a list that begins at a cursor, which is an index, and the cursor behind it.
func page[E any](all []E, cursor string, size int) (part []E, next string, err error) {
	start := 0
	if cursor != "" {
		if start, err = strconv.Atoi(cursor); err != nil || start < 0 || start > len(all) {
			return nil, "", errCursor
		}
	}
	end := min(start+size, len(all))
	if end < len(all) {
		next = strconv.Itoa(end)
	}
	return slices.Clone(all[start:end]), next, nil
}
