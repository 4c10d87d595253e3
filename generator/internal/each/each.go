// Package each has what package slices leaves to loops.
package each

// Map returns what a function makes of each item, nil if there are none.
func Map[T, U any](items []T, f func(T) U) []U {
	var out []U
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}

// Where returns the items for which a function holds, nil if there are none.
func Where[T any](items []T, holds func(T) bool) []T {
	var out []T
	for _, item := range items {
		if holds(item) {
			out = append(out, item)
		}
	}
	return out
}

// First returns the first item for which a function holds, nil if there is none.
func First[T any](items []*T, holds func(*T) bool) *T {
	for _, item := range items {
		if holds(item) {
			return item
		}
	}
	return nil
}
