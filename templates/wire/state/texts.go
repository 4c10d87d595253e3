// Texts: streamed text grows in buffers beside the states, so that a delta does not copy the existing text. With
// build tag purego see texts_safe.go.

//go:build !purego

package state

import (
	"runtime"
	"sync"
	"unsafe"
)

// Texts knows the buffers that texts have grown in. A text is found by where it is in memory and
// how long it is: if it is all that a buffer holds, the bytes after it are unused.
//
// Only the texts keep a buffer alive: a place is a number here, which the garbage collector does not
// follow. When no text is left in a buffer, its finalizer takes the place out, and only after that
// may the memory become something else. So who comes with a text at a known place has the buffer
// itself. Finalizers are the means because weak pointers need Go 1.24.
//
// The zero value is ready to use, and must not be copied afterwards.
type Texts struct {
	mu     sync.Mutex
	places map[uintptr]*textBuffer
	last   *textBuffer // the last one used
	most   int         // peak number since the map was allocated
	forget func(*byte) // finalizer of every buffer
}

// textBuffer is a buffer by address, with its length and capacity.
type textBuffer struct {
	place      uintptr
	size, room int
}

const (
	minTextBuffer = 256 // at least this size, so that no other object shares its memory
	fewBuffers    = 1024
)

// Append returns old with more behind it, in amortised constant time where old is what an earlier call
// returned. Old stays as it is. It may be called by several goroutines at a time.
func (t *Texts) Append(old, more string) string {
	if more == "" {
		return old
	}
	if runtime.Compiler != "gc" {
		return old + more // without finalizers, entries would become invalid
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size, room := len(old)+len(more), minTextBuffer
	start := unsafe.StringData(old)
	b := t.find(old)
	if b == nil || size > b.room {
		buffer := make([]byte, max(2*size, room))
		copy(buffer, old)
		if b != nil { // the text moves; holders of the old one keep it
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

// find returns the buffer whose whole contents are a text, if any.
func (t *Texts) find(text string) *textBuffer {
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

// add registers a new buffer.
func (t *Texts) add(start *byte, room int) *textBuffer {
	if t.places == nil {
		t.places, t.forget = map[uintptr]*textBuffer{}, t.remove
	}
	b := &textBuffer{place: uintptr(unsafe.Pointer(start)), room: room}
	t.places[b.place] = b
	t.most = max(t.most, len(t.places))
	runtime.SetFinalizer(start, t.forget)
	return b
}

// remove unregisters an unreachable buffer. Maps do not shrink by themselves.
func (t *Texts) remove(start *byte) {
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
