// The reducer: applies actions to states without changing what anyone else holds.

package runtime

import (
	"encoding/json"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Reducer applies actions to the states of channels. States are immutable: a method copies what
// changes, shares the rest, and returns the state it was given where nothing changes. So an old
// state may be read while a new one is made.
//
// Where there is no state, because it is nil, there is none afterwards. Where there is no action,
// because it is nil or a nil pointer, nothing changes.
//
// The zero value is ready to use, and must not be copied afterwards. Reducers of the same connection
// are best shared: they know the buffers in which streamed text grows, which live as long as texts
// are in them. A Reducer may be used by several goroutines at a time.
type Reducer struct {
	// Now is the clock; nil is [time.Now].
	Now func() time.Time

	texts textBuffers
}

// now is the time by the reducer's clock.
func (r *Reducer) now() time.Time {
	if r.Now != nil {
		return r.Now()
	}
	return time.Now()
}

// appendText returns old with more behind it, in amortised constant time where old is what an
// earlier call returned. Old stays as it is.
func (r *Reducer) appendText(old, more string) string {
	if more == "" {
		return old
	}
	return r.texts.append(old, more)
}

// extendText appends to a text of a copy that is being changed.
func (r *Reducer) extendText(text *string, more string) bool {
	*text = r.appendText(*text, more)
	return more != ""
}

// textBuffers knows the buffers that texts have grown in. A text is found by where it is in memory and
// how long it is: if it is all that a buffer holds, the bytes after it are nobody's yet.
//
// Only the texts keep a buffer alive: a place is a number here, which the garbage collector does not
// follow. When no text is left in a buffer, its finalizer takes the place out, and only after that
// may the memory become something else. So who comes with a text at a known place has the buffer
// itself. Finalizers are the means because weak pointers need Go 1.24.
type textBuffers struct {
	mu     sync.Mutex
	places map[uintptr]*textBuffer
	last   *textBuffer // the one used last
	most   int         // how many there were at a time since the map was made
	forget func(*byte) // the finalizer of every buffer
}

// textBuffer is a buffer: where it is, how much of it is text, and how much can be.
type textBuffer struct {
	place      uintptr
	size, room int
}

const (
	minTextBuffer = 256 // nothing as big shares its piece of memory with something else
	fewBuffers    = 1024
)

func (t *textBuffers) append(old, more string) string {
	if runtime.Compiler != "gc" {
		return old + more // finalizers may never run there, and places would go out of date
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size, room := len(old)+len(more), minTextBuffer
	start := unsafe.StringData(old)
	b := t.find(old)
	if b == nil || size > b.room {
		buffer := make([]byte, max(2*size, room))
		copy(buffer, old)
		if b != nil { // the text moves; those who have the old one keep it
			delete(t.places, b.place)
			runtime.SetFinalizer(start, nil)
		}
		start = unsafe.SliceData(buffer)
		b = t.add(start, len(buffer))
	}
	copy(unsafe.Slice(start, b.room)[len(old):], more)
	b.size, t.last = size, b
	return unsafe.String(start, size)
}

// find returns the buffer that holds a text and nothing else, if there is one.
func (t *textBuffers) find(text string) *textBuffer {
	if text == "" {
		return nil
	}
	place := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	b := t.last
	if b == nil || b.place != place {
		b = t.places[place]
	}
	if b == nil || b.size != len(text) {
		return nil
	}
	return b
}

// add takes up a buffer that is new.
func (t *textBuffers) add(start *byte, room int) *textBuffer {
	if t.places == nil {
		t.places, t.forget = map[uintptr]*textBuffer{}, t.remove
	}
	b := &textBuffer{place: uintptr(unsafe.Pointer(start)), room: room}
	t.places[b.place] = b
	t.most = max(t.most, len(t.places))
	runtime.SetFinalizer(start, t.forget)
	return b
}

// remove forgets a buffer in which there is no text any more. Maps do not shrink by themselves.
func (t *textBuffers) remove(start *byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	place := uintptr(unsafe.Pointer(start))
	delete(t.places, place)
	if t.last != nil && t.last.place == place {
		t.last = nil
	}
	if n := len(t.places); t.most > fewBuffers && n < t.most/4 {
		places := make(map[uintptr]*textBuffer, n)
		for place, b := range t.places {
			places[place] = b
		}
		t.places, t.most = places, n
	}
}

// What follows changes parts of a copy. Each function reports whether something changed.

// changeState returns a changed copy of a state, or the state itself.
func changeState[S any](state *S, change func(next *S) bool) *S {
	next := *state
	if !change(&next) {
		return state
	}
	return &next
}

// changeThrough returns a copy of a state in which an optional object is a changed copy, or the state
// itself. Both copies are one allocation: streamed text makes many of them.
func changeThrough[S, T any](state *S, member func(*S) **T, change func(*T) bool) *S {
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

// setMember sets a scalar.
func setMember[T comparable](member *T, value T) bool {
	if *member == value {
		return false
	}
	*member = value
	return true
}

// setOptional sets an optional scalar; nil clears it.
func setOptional[T comparable](member **T, value *T) bool {
	if *member == value || *member != nil && value != nil && **member == *value {
		return false
	}
	*member = value
	return true
}

// replaceMember sets something that is not compared.
func replaceMember[T any](member *T, value T) bool {
	*member = value
	return true
}

// replaceOptional sets an optional object; nil clears it.
func replaceOptional[T any](member **T, value *T) bool {
	if *member == value {
		return false
	}
	*member = value
	return true
}

// clearMember takes away a member that is there.
func clearMember[T any](member *T, there bool) bool {
	if there {
		*member = *new(T)
	}
	return there
}

// emptyList makes a list empty, which is not the same as absent.
func emptyList[T any](list *[]T) bool {
	if *list != nil && len(*list) == 0 {
		return false
	}
	*list = []T{}
	return true
}

// emptyMap makes a map empty, which is not the same as absent.
func emptyMap[T any](m *map[string]T) bool {
	if *m != nil && len(*m) == 0 {
		return false
	}
	*m = map[string]T{}
	return true
}

// presentList is a list that counts as there even where it is nil.
func presentList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// presentMap is a map that counts as there even where it is nil.
func presentMap[T any](m map[string]T) map[string]T {
	if m == nil {
		return map[string]T{}
	}
	return m
}

// setFlag sets or clears bits.
func setFlag[T ~uint64](member *T, bits T, on bool) bool {
	if on {
		return setMember(member, *member|bits)
	}
	return setMember(member, *member&^bits)
}

// mergeMap copies entries over those of a map, or puts them in the place of all.
func mergeMap[T any](m *map[string]T, more map[string]T, replace bool) bool {
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

// appendItem adds an item to the end of a list.
func appendItem[T any](list *[]T, item T) bool {
	*list = append(slices.Clip(*list), item)
	return true
}

// addItem adds a scalar to the end of a list that does not have it.
func addItem[T comparable](list *[]T, item T) bool {
	if slices.Contains(*list, item) {
		return false
	}
	return appendItem(list, item)
}

// itself is the key of an item that is a string.
func itself(item *string) (string, bool) { return *item, true }

// findItem returns the place of the first item with a key, -1 where there is none.
func findItem[T any](list []T, want string, key func(*T) (string, bool)) int {
	for i := range list {
		if have, ok := key(&list[i]); ok && have == want {
			return i
		}
	}
	return -1
}

// upsertItem replaces the first item with the same key, or adds the item to the end.
func upsertItem[T any](list *[]T, item T, key func(*T) (string, bool)) bool {
	if want, ok := key(&item); ok {
		if i := findItem(*list, want, key); i >= 0 {
			replaceItem(list, i, item)
			return true
		}
	}
	return appendItem(list, item)
}

// replaceItem puts an item in the place of another.
func replaceItem[T any](list *[]T, i int, item T) {
	*list = slices.Clone(*list)
	(*list)[i] = item
}

// removeItem takes the first item with a key away. What is left may be an empty list.
func removeItem[T any](list *[]T, want string, key func(*T) (string, bool)) bool {
	i := findItem(*list, want, key)
	if i < 0 {
		return false
	}
	kept := make([]T, 0, len(*list)-1)
	*list = append(append(kept, (*list)[:i]...), (*list)[i+1:]...)
	return true
}

// removeItems takes every item with a key away. What is left may be an empty list.
func removeItems[T any](list *[]T, want string, key func(*T) (string, bool)) bool {
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

// patchMember changes a copy of an optional object that is there.
func patchMember[T any](member **T, change func(*T) bool) bool {
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

// patchObject changes an object inside a copy.
func patchObject[T any](member *T, change func(*T) bool) bool { return change(member) }

// patchItem changes a copy of the first item with a key.
func patchItem[T any](list *[]T, want string, key func(*T) (string, bool), change func(*T) bool) bool {
	i := findItem(*list, want, key)
	if i < 0 {
		return false
	}
	next := (*list)[i]
	if !change(&next) {
		return false
	}
	replaceItem(list, i, next)
	return true
}

// patchItems changes a copy of every item with one of the keys.
func patchItems[T any](list *[]T, want []string, key func(*T) (string, bool), change func(*T) bool) bool {
	changed := false
	for i := range *list {
		if have, ok := key(&(*list)[i]); !ok || !slices.Contains(want, have) {
			continue
		}
		item := (*list)[i]
		if !change(&item) {
			continue
		}
		if !changed { // the list is copied once
			*list = slices.Clone(*list)
			changed = true
		}
		(*list)[i] = item
	}
	return changed
}

// patchVariant changes a copy of the first item of a union with a key, if it is of the variant.
func patchVariant[V, U any](list *[]U, want string, key func(*U) (string, bool), change func(*V) bool) bool {
	i := findItem(*list, want, key)
	if i < 0 {
		return false
	}
	next := (*list)[i]
	if !changeVariant(&next, change) {
		return false
	}
	replaceItem(list, i, next)
	return true
}

// patchVariants changes a copy of every item of a union with one of the keys that is of the variant.
func patchVariants[V, U any](list *[]U, want []string, key func(*U) (string, bool), change func(*V) bool) bool {
	return patchItems(list, want, key, func(item *U) bool { return changeVariant(item, change) })
}

// changeVariant puts a changed copy into a variable of a union type that holds the variant.
func changeVariant[V, U any](item *U, change func(*V) bool) bool {
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

// rawKey finds the key of a variant that this version does not know. Each path leads through
// objects to a string.
func rawKey(raw json.RawMessage, paths ...[]string) (string, bool) {
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
