// Package state changes immutable states and keeps a client's copies of them: functions that modify copies,
// append-only text buffers, and optimistic replicas. It is independent of the protocol.
package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Now returns the time of a clock; nil is [time.Now].
func Now(clock func() time.Time) time.Time {
	if clock != nil {
		return clock()
	}
	return time.Now()
}

// ExtendText appends to a text of a copy under change.
func ExtendText(t *Texts, text *string, more string) bool {
	*text = t.Append(*text, more)
	return more != ""
}

// Pointer returns a pointer to a copy of v.
func Pointer[T any](v T) *T { return &v }

// Change returns a changed copy of a state, or the state itself.
//
//go:noinline
func Change[S any](state *S, change func(next *S) bool) *S {
	next := *state
	if !change(&next) {
		return state
	}
	return &next
}

// ChangeThrough returns a copy of a state in which an optional object is a changed copy, or the state
// itself. Both copies are one allocation: streamed text makes many of them.
//
//go:noinline
func ChangeThrough[S, T any](state *S, member func(*S) **T, change func(*T) bool) *S {
	old := *member(state)
	if old == nil {
		return state
	}
	next := &struct {
		state  S
		member T
	}{*state, *old}
	if !change(&next.member) {
		return state
	}
	*member(&next.state) = &next.member
	return &next.state
}

// Set assigns a scalar.
func Set[T comparable](member *T, value T) bool {
	if *member == value {
		return false
	}
	*member = value
	return true
}

// SetOptional assigns an optional scalar; nil clears it.
func SetOptional[T comparable](member **T, value *T) bool {
	if *member == value || *member != nil && value != nil && **member == *value {
		return false
	}
	*member = value
	return true
}

// Replace assigns a value without comparing.
func Replace[T any](member *T, value T) bool {
	*member = value
	return true
}

// ReplaceOptional assigns an optional object; nil clears it.
func ReplaceOptional[T any](member **T, value *T) bool {
	if *member == value {
		return false
	}
	*member = value
	return true
}

// Clear removes a present member.
func Clear[T any](member *T, there bool) bool {
	if there {
		*member = *new(T)
	}
	return there
}

// EmptyList makes a list empty, as distinct from absent.
func EmptyList[T any](list *[]T) bool {
	if *list != nil && len(*list) == 0 {
		return false
	}
	*list = []T{}
	return true
}

// EmptyMap makes a map empty, as distinct from absent.
func EmptyMap[T any](m *map[string]T) bool {
	if *m != nil && len(*m) == 0 {
		return false
	}
	*m = map[string]T{}
	return true
}

// PresentList returns a non-nil list.
func PresentList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// PresentMap returns a non-nil map.
func PresentMap[T any](m map[string]T) map[string]T {
	if m == nil {
		return map[string]T{}
	}
	return m
}

// SetFlag sets or clears bits.
func SetFlag[T ~uint64](member *T, bits T, on bool) bool {
	if on {
		return Set(member, *member|bits)
	}
	return Set(member, *member&^bits)
}

// Merge copies entries into a map, or replaces its contents.
func Merge[T any](m *map[string]T, more map[string]T, replace bool) bool {
	if !replace && len(more) == 0 && *m != nil {
		return false
	}
	merged := make(map[string]T, len(*m)+len(more))
	if !replace {
		for key, value := range *m {
			merged[key] = value
		}
	}
	for key, value := range more {
		merged[key] = value
	}
	*m = merged
	return true
}

// AppendItem appends an item to a list.
func AppendItem[T any](list *[]T, item T) bool {
	*list = append(slices.Clip(*list), item)
	return true
}

// AddItem appends a scalar to a list unless it is present.
func AddItem[T comparable](list *[]T, item T) bool {
	if slices.Contains(*list, item) {
		return false
	}
	return AppendItem(list, item)
}

// Itself returns an item as its own key.
func Itself(item *string) (string, bool) { return *item, true }

// Find returns the index of the first item with a key, or -1.
func Find[T any](list []T, want string, key func(*T) (string, bool)) int {
	for i := range list {
		if have, ok := key(&list[i]); ok && have == want {
			return i
		}
	}
	return -1
}

// Upsert replaces the first item with the same key, or adds the item to the end.
func Upsert[T any](list *[]T, item T, key func(*T) (string, bool)) bool {
	if want, ok := key(&item); ok {
		if i := Find(*list, want, key); i >= 0 {
			ReplaceItem(list, i, item)
			return true
		}
	}
	return AppendItem(list, item)
}

// ReplaceItem replaces an item.
func ReplaceItem[T any](list *[]T, i int, item T) {
	*list = slices.Clone(*list)
	(*list)[i] = item
}

// Remove removes the first item with a key. The list may become empty.
func Remove[T any](list *[]T, want string, key func(*T) (string, bool)) bool {
	i := Find(*list, want, key)
	if i < 0 {
		return false
	}
	kept := make([]T, 0, len(*list)-1)
	*list = append(append(kept, (*list)[:i]...), (*list)[i+1:]...)
	return true
}

// RemoveAll removes all items with a key. The list may become empty.
func RemoveAll[T any](list *[]T, want string, key func(*T) (string, bool)) bool {
	kept := make([]T, 0, len(*list))
	for i := range *list {
		if have, ok := key(&(*list)[i]); !ok || have != want {
			kept = append(kept, (*list)[i])
		}
	}
	if len(kept) == len(*list) {
		return false
	}
	*list = kept
	return true
}

// Exchange replaces the first item with a key, if present, and removes other items with the new item's key. If one of
// these comes first, the new item takes its place and the item with the old key is removed.
func Exchange[T any](list *[]T, item T, old string, key func(*T) (string, bool)) bool {
	i := Find(*list, old, key)
	if i < 0 {
		return false
	}
	own, ok := key(&item)
	place := i
	if first := Find(*list, own, key); ok && first >= 0 && first < i {
		place = first
	}
	next := make([]T, 0, len(*list))
	for k := range *list {
		have, has := key(&(*list)[k])
		switch {
		case k == place:
			next = append(next, item)
		case k == i || place == i && ok && has && have == own: // removed
		default:
			next = append(next, (*list)[k])
		}
	}
	*list = next
	return true
}

// ExchangeSame is Exchange for the item's own key.
func ExchangeSame[T any](list *[]T, item T, key func(*T) (string, bool)) bool {
	own, ok := key(&item)
	return ok && Exchange(list, item, own, key)
}

// ExchangeText is Exchange for texts, which are their own keys. It detects a no-op.
func ExchangeText(list *[]string, text, old string) bool {
	next := *list
	if !Exchange(&next, text, old, Itself) || slices.Equal(next, *list) {
		return false
	}
	*list = next
	return true
}

// Reorder moves the items with the given keys to the front, in order of first mention. The others follow in their
// order.
func Reorder[T any](list *[]T, order []string, key func(*T) (string, bool)) bool {
	return rearrange(list, inOrder(keysOf(*list, key), order))
}

// ReorderAll is Reorder if the keys name each item exactly once, and otherwise a no-op.
func ReorderAll[T any](list *[]T, order []string, key func(*T) (string, bool)) bool {
	keys := keysOf(*list, key)
	return namesEach(keys, order) && rearrange(list, inOrder(keys, order))
}

// itemKey returns the key of an item, if it has one.
type itemKey struct {
	text string
	ok   bool
}

func keysOf[T any](list []T, key func(*T) (string, bool)) []itemKey {
	keys := make([]itemKey, len(list))
	for i := range list {
		keys[i].text, keys[i].ok = key(&list[i])
	}
	return keys
}

// rearrange permutes items by the given indexes. Nil is a no-op.
func rearrange[T any](list *[]T, from []int) bool {
	if from == nil {
		return false
	}
	next := make([]T, len(from))
	for i, at := range from {
		next[i] = (*list)[at]
	}
	*list = next
	return true
}

// inOrder returns the indexes of items in their new order, or nil if it is unchanged.
func inOrder(keys []itemKey, order []string) []int {
	rank := make(map[string]int, len(order))
	for i, text := range slices.Backward(order) { // so that the first mention counts
		rank[text] = i
	}
	ranks, indexes := make([]int, len(keys)), make([]int, len(keys))
	for i, key := range keys {
		ranks[i], indexes[i] = len(order), i
		if at, named := rank[key.text]; named && key.ok {
			ranks[i] = at
		}
	}
	if slices.IsSorted(ranks) {
		return nil
	}
	slices.SortStableFunc(indexes, func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	return indexes
}

// namesEach reports whether the keys name each item exactly once.
func namesEach(keys []itemKey, order []string) bool {
	if len(keys) != len(order) {
		return false
	}
	left := make(map[string]bool, len(order))
	for _, text := range order {
		left[text] = true
	}
	for _, key := range keys {
		if !key.ok || !left[key.text] {
			return false
		}
		delete(left, key.text)
	}
	return len(left) == 0
}

// PatchMember changes a copy of a present optional object.
func PatchMember[T any](member **T, change func(*T) bool) bool {
	if *member == nil {
		return false
	}
	next := **member
	if !change(&next) {
		return false
	}
	*member = &next
	return true
}

// PatchObject changes an object inside a copy.
func PatchObject[T any](member *T, change func(*T) bool) bool { return change(member) }

// PatchItem changes a copy of the first item with a key.
func PatchItem[T any](list *[]T, want string, key func(*T) (string, bool), change func(*T) bool) bool {
	i := Find(*list, want, key)
	if i < 0 {
		return false
	}
	next := (*list)[i]
	if !change(&next) {
		return false
	}
	ReplaceItem(list, i, next)
	return true
}

// PatchItems changes a copy of every item with one of the keys.
func PatchItems[T any](list *[]T, want []string, key func(*T) (string, bool), change func(*T) bool) bool {
	wanted, changed := make(map[string]bool, len(want)), false
	for _, text := range want {
		wanted[text] = true
	}
	for i := range *list {
		if have, ok := key(&(*list)[i]); !ok || !wanted[have] {
			continue
		}
		item := (*list)[i]
		if !change(&item) {
			continue
		}
		if !changed { // the list is copied once
			*list, changed = slices.Clone(*list), true
		}
		(*list)[i] = item
	}
	return changed
}

// PatchVariant changes a copy of the first union item with a key, if it is of the variant.
func PatchVariant[V, U any](list *[]U, want string, key func(*U) (string, bool), change func(*V) bool) bool {
	i := Find(*list, want, key)
	if i < 0 {
		return false
	}
	next := (*list)[i]
	if !ChangeVariant(&next, change) {
		return false
	}
	ReplaceItem(list, i, next)
	return true
}

// PatchVariants changes copies of all union items with the keys that are of the variant.
func PatchVariants[V, U any](list *[]U, want []string, key func(*U) (string, bool), change func(*V) bool) bool {
	return PatchItems(list, want, key, func(item *U) bool { return ChangeVariant(item, change) })
}

// ChangeVariant replaces the variant in a union variable by a changed copy.
func ChangeVariant[V, U any](item *U, change func(*V) bool) bool {
	old, ok := any(*item).(*V)
	if !ok || old == nil {
		return false
	}
	next := *old
	if !change(&next) {
		return false
	}
	*item, ok = any(&next).(U)
	return ok
}

// HasOnly reports whether the items of a list are all of the variant, as they are where there are none.
func HasOnly[V, U any](list []U) bool {
	return !slices.ContainsFunc(list, func(item U) bool { _, ok := any(item).(*V); return !ok })
}

// RawKey returns the key of an unknown variant. Each path leads through objects to a string.
func RawKey(raw json.RawMessage, paths ...[]string) (string, bool) {
	for _, path := range paths {
		if key, ok := rawString(raw, path); ok {
			return key, true
		}
	}
	return "", false
}

func rawString(raw json.RawMessage, path []string) (string, bool) {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil || members[name] == nil {
			return "", false
		}
		raw = members[name]
	}
	var text *string
	if json.Unmarshal(raw, &text) != nil || text == nil {
		return "", false
	}
	return *text, true
}

// Check applies an action to a state for a test of the reducer, and returns the next state. It fails if the reducer writes to
// the state or the action that it is given, if the same action comes to another state a second time, or if the reducer
// returns a copy where nothing changes. A reducer that takes the time needs a clock that stands still.
func Check[S, A wire.Value](apply func(S, A) S, s S, a A) (S, error) {
	var failed error
	text := func(v wire.Value) string {
		data, err := v.AppendJSON(nil)
		failed = errors.Join(failed, err)
		return string(data)
	}
	old, action := text(s), text(a)
	next := apply(s, a)
	first := text(next)
	second := text(apply(s, a))
	switch is := text(next); {
	case failed != nil:
		return next, fmt.Errorf("encode what is compared: %w", failed)
	case text(s) != old:
		return next, fmt.Errorf("the reducer writes to the state: it was %s, and is %s", old, text(s))
	case text(a) != action:
		return next, fmt.Errorf("the reducer writes to the action: it was %s, and is %s", action, text(a))
	case is != first:
		return next, fmt.Errorf("the reducer writes to what it has returned: it was %s, and is %s", first, is)
	case second != first:
		return next, fmt.Errorf("the same action comes to %s, and then to %s", first, second)
	case first == old && any(next) != any(s):
		return next, errors.New("the reducer returns a copy where nothing changes, and not the state that it is given")
	}
	return next, nil
}
