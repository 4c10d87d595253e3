// Package graph follows what leads from one thing to another. Every node is visited once and the stack does not grow, so
// circles, long chains and many ways to one place cost no more than they have nodes and edges.
package graph

import (
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Reach returns the nodes that some lead to, themselves among them, each once and in the order of a depth-first walk.
func Reach[T comparable](from []T, next func(T) []T) []T {
	var out []T
	seen := map[T]bool{}
	for open := [][]T{from}; len(open) > 0; {
		last := len(open) - 1
		if len(open[last]) == 0 {
			open = open[:last]
			continue
		}
		n := open[last][0]
		open[last] = open[last][1:]
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
			open = append(open, next(n))
		}
	}
	return out
}

// Reached is Reach as a set.
func Reached[T comparable](from []T, next func(T) []T) map[T]bool {
	return each.Set(Reach(from, next))
}
