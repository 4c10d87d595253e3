//go:build ahpgen_reducers

// Copies of lists with one change, for reducers: the list that they start from stays as it was.

package ahp

import "slices"

// withItem returns a copy of list in which item i is another.
func withItem[T any](list []T, i int, item T) []T {
	next := slices.Clone(list)
	next[i] = item
	return next
}

// withoutItem returns a copy of list that lacks item i. It is empty, never nil, when nothing is left.
func withoutItem[T any](list []T, i int) []T {
	return slices.Delete(slices.Clone(list), i, i+1)
}

// withAppended returns a copy of list that ends in item. Room behind the list is not used: another
// state may have been made from it already.
func withAppended[T any](list []T, item T) []T {
	return append(slices.Clip(list), item)
}

// absentIfEmpty turns an empty list into nil, for members that are dropped once nothing is left.
func absentIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
