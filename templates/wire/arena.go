// The arena: fewer and larger allocations for the strings of one input.

package wire

const (
	// maxCopied is how long a text may be to have a new piece of memory taken for it and what comes behind it. A longer one
	// is put where there is room, or has an allocation of its own.
	maxCopied = 128
	// maxArena bounds how much memory one text can keep alive beside its own.
	maxArena = 32 << 10
	// minUncleared is how large a piece is for which memory is taken that is not cleared.
	minUncleared = 4096
	// fewStrings and fewIntegers are the numbers of optional strings and integers that share an allocation.
	fewStrings, fewIntegers = 4, 4
)

// arena holds strings one after the other. It is allocated in pieces no larger than the remaining input, so small
// messages cost one small allocation.
type arena struct {
	chunk    []byte
	used     int      // of the chunk
	strings  []string // optional strings, held by pointer
	integers []int64  // optional integers
}

// Copy returns a copy of text, which is part of the input. It takes about a third of the time of an
// allocation for each of several short strings.
func (d *Decoder) Copy(text []byte) string {
	if !shares || !d.mayTake(len(text)) {
		return string(text)
	}
	return stringOf(d.take(text))
}

// copyBytes is copy for bytes that the caller may modify.
func (d *Decoder) copyBytes(text []byte) []byte {
	if !d.mayTake(len(text)) {
		return append([]byte(nil), text...)
	}
	return d.take(text)
}

// mayTake reports whether a text of n bytes belongs in the arena.
func (d *Decoder) mayTake(n int) bool { return n <= maxCopied || n <= len(d.text.chunk)-d.text.used }

// take copies a text into the arena.
func (d *Decoder) take(text []byte) []byte {
	start, end := d.text.used, d.text.used+len(text)
	if end > len(d.text.chunk) {
		return d.takeFresh(text)
	}
	d.text.used = end
	out := d.text.chunk[start:end:end]
	copy(out, text)
	return out
}

// takeFresh is take where there is too little room.
//
//go:noinline
func (d *Decoder) takeFresh(text []byte) []byte {
	n := len(text)
	d.text.used = copy(d.renew(n), text)
	return d.text.chunk[:n:n]
}

// renew begins a new piece with room for n bytes and what may come behind them. About half of a text is keys and what stands
// between values.
func (d *Decoder) renew(n int) []byte {
	return d.begin(max(n, min(n+(len(d.data)-d.pos)/2, maxArena)))
}

// begin begins a new piece of a size.
func (d *Decoder) begin(size int) []byte {
	if size >= minUncleared {
		d.text.chunk = uncleared(size)
	} else {
		d.text.chunk = make([]byte, size)
	}
	d.text.used = 0
	return d.text.chunk
}

// StringPointer returns a place for an optional string.
func (d *Decoder) StringPointer(s string) *string {
	if len(d.text.strings) == 0 {
		d.text.strings = make([]string, fewStrings)
	}
	p := &d.text.strings[0]
	d.text.strings = d.text.strings[1:]
	*p = s
	return p
}

// IntegerPointer returns a place for an optional integer.
func (d *Decoder) IntegerPointer(n int64) *int64 {
	if len(d.text.integers) == 0 {
		d.text.integers = make([]int64, fewIntegers)
	}
	p := &d.text.integers[0]
	d.text.integers = d.text.integers[1:]
	*p = n
	return p
}
