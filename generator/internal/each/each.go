// Package each has what package slices leaves to loops.
package each

import "slices"

// Map returns the results of a function for each item, nil if there are none.
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

// With returns the items with one more, unless it is one of them already.
func With[T comparable](items []T, item T) []T {
	if slices.Contains(items, item) {
		return items
	}
	return append(items, item)
}

// Without returns the items that are not among others, nil if there are none.
func Without[T comparable](items, others []T) []T {
	return Where(items, func(item T) bool { return !slices.Contains(others, item) })
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

// Set returns the items as a set.
func Set[T comparable](items []T) map[T]bool {
	return SetFunc(items, func(item T) T { return item })
}

// SetFunc returns a set of what a function returns for each item.
func SetFunc[T any, K comparable](items []T, f func(T) K) map[K]bool {
	out := make(map[K]bool, len(items))
	for _, item := range items {
		out[f(item)] = true
	}
	return out
}

// Put sets the value for two keys, one within the other.
func Put[K, L comparable, V any](m map[K]map[L]V, key K, within L, value V) {
	if m[key] == nil {
		m[key] = map[L]V{}
	}
	m[key][within] = value
}

// Once returns a function that calls f once for each argument.
func Once[K comparable, V any](f func(K) V) func(K) V {
	known := map[K]V{}
	return func(k K) V {
		v, ok := known[k]
		if !ok {
			v = f(k)
			known[k] = v
		}
		return v
	}
}
