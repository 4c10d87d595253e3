// What is done with package unsafe. The build tag purego takes it out: see safe.go.

//go:build !purego

package wire

import (
	"encoding/binary"
	"reflect"
	"strings"
	"unsafe"
)

// shares says that short strings may share an allocation.
const shares = true

// stringOf returns a string that shares memory with bytes, which must not change any more.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// uncleared returns n bytes of memory, more than none, with anything in it. All that is read of it has been written before.
func uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0) // so that there is a string, and its place
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}

// wordAt returns the eight bytes of data from i on, the first one lowest. They have to be there: the caller
// has compared i+8 with the length, and the slicing that is done without would compare twice more.
func wordAt(data []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), i))[:])
}

// pairAt is wordAt for two bytes.
func pairAt(data []byte, i int) uint16 {
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), i))[:])
}

// putWord sets the eight bytes of data from i on, which have to be there.
func putWord(data []byte, i int, w uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(data)), i))[:], w)
}

// NoEscape returns p in a way that escape analysis cannot follow. What generic code calls through
// a type parameter or a function value is unknown to the compiler, which therefore moves all that
// is passed to it to the heap; but no generated function keeps its decoder or its receiver.
// Without it the decoder is allocated, which costs small messages 7 to 14 % of their decoding time.
//
// While address is an integer, the stack it points into must not move. So nothing may be called in
// between, not even the pointer checks that builds with -race put in.
//
//go:nosplit
//go:nocheckptr
func NoEscape[T any](p *T) *T {
	address := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&address))
}

// noEscape is NoEscape for what is in an interface.
//
//go:nosplit
//go:nocheckptr
func noEscape(v Encodable) Encodable {
	address := uintptr(unsafe.Pointer(&v))
	return **(**Encodable)(unsafe.Pointer(&address))
}

// IsNil reports whether there is nothing in an interface, or a pointer to nothing.
func IsNil(v any) bool {
	type word struct{ kind, data unsafe.Pointer }
	return (*word)(unsafe.Pointer(&v)).data == nil && isNothing(v)
}

// isNothing is what is left to ask: maps are held like pointers, and a nil one is empty.
//
//go:noinline
func isNothing(v any) bool { return v == nil || reflect.TypeOf(v).Kind() == reflect.Pointer }
