// Replacements for package unsafe: slower, with more allocations.

//go:build purego

package wire

import (
	"encoding/binary"
	"reflect"
)

// shares says that each string has an allocation of its own.
const shares = false

// stringOf returns a string of bytes.
func stringOf(b []byte) string { return string(b) }

// uncleared returns n bytes of memory.
func uncleared(n int) []byte { return make([]byte, n) }

// wordAt returns the eight bytes of data from i on, the first one lowest.
func wordAt(data []byte, i int) uint64 { return binary.LittleEndian.Uint64(data[i:]) }

// pairAt is wordAt for two bytes.
func pairAt(data []byte, i int) uint16 { return binary.LittleEndian.Uint16(data[i:]) }

// putWord sets the eight bytes of data from i on.
func putWord(data []byte, i int, w uint64) { binary.LittleEndian.PutUint64(data[i:], w) }

// NoEscape returns p.
func NoEscape[T any](p *T) *T { return p }

// noEscape returns v.
func noEscape(v Encodable) Encodable { return v }

// IsNil reports whether there is nothing in an interface, or a pointer to nothing.
func IsNil(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.Kind() == reflect.Pointer && r.IsNil()
}
