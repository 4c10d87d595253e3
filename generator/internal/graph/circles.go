// Circles: finding everything that leads back to itself, in one pass and without recursion, so that
// neither a long chain nor a large circle costs more than its length.

package graph

// Circles finds the nodes that lead back to themselves. Nodes of one circle, or of several that
// touch, have the same number; all others have none.
func Circles[T comparable](nodes []T, next func(T) []T) map[T]int {
	c := &circleFinder[T]{next: next, index: map[T]int{}, low: map[T]int{}, open: map[T]bool{}, out: map[T]int{}}
	for _, n := range nodes {
		if c.index[n] == 0 {
			c.visit(n)
		}
	}
	return c.out
}

// circleFinder is Tarjan's algorithm for strongly connected components with a stack of its own.
type circleFinder[T comparable] struct {
	next  func(T) []T
	index map[T]int // order of discovery, from 1
	low   map[T]int // smallest index that can be reached
	open  map[T]bool
	stack []T
	out   map[T]int
}

// step is a node whose successors are being looked at.
type step[T comparable] struct {
	node T
	rest []T
	self bool // it is its own successor
}

func (c *circleFinder[T]) enter(n T) step[T] {
	c.index[n] = len(c.index) + 1
	c.low[n] = c.index[n]
	c.open[n] = true
	c.stack = append(c.stack, n)
	return step[T]{node: n, rest: c.next(n)}
}

func (c *circleFinder[T]) visit(root T) {
	way := []step[T]{c.enter(root)}
	for len(way) > 0 {
		at := &way[len(way)-1]
		if len(at.rest) == 0 {
			c.leave(at)
			way = way[:len(way)-1]
			if len(way) > 0 {
				up := way[len(way)-1].node
				c.low[up] = min(c.low[up], c.low[at.node])
			}
			continue
		}
		n := at.rest[0]
		at.rest = at.rest[1:]
		at.self = at.self || n == at.node
		switch {
		case c.index[n] == 0:
			way = append(way, c.enter(n))
		case c.open[n]:
			c.low[at.node] = min(c.low[at.node], c.index[n])
		}
	}
}

// leave closes the component of which the node is the first that was found, if it is.
func (c *circleFinder[T]) leave(s *step[T]) {
	if c.low[s.node] != c.index[s.node] {
		return
	}
	for i := len(c.stack) - 1; ; i-- {
		n := c.stack[i]
		c.open[n] = false
		if n != s.node || s.self || i < len(c.stack)-1 {
			c.out[n] = c.index[s.node]
		}
		if n == s.node {
			c.stack = c.stack[:i]
			return
		}
	}
}
