// The arena: fewer and larger allocations for what one text is made of.

package wire

const (
	// maxCopied is how long a text may be to share its memory with others.
	maxCopied = 128
	// maxArena bounds how much memory one short text can keep alive.
	maxArena = 1024
	// fewStrings is how many optional strings share an allocation.
	fewStrings = 4
)

// arena is memory that short texts are put into one behind the other. It is taken in pieces, no larger
// than what is left of the input, so that small messages cost one small allocation.
type arena struct {
	free    []byte
	strings []string // for optional strings, which Go holds by pointer
}

// copy returns a copy of text, which is part of the input. It takes about a third of the time of an
// allocation for each of several short strings.
func (d *Decoder) copy(text []byte) string {
	if !shares || len(text) > maxCopied {
		return string(text)
	}
	return stringOf(d.take(text))
}

// copyBytes is copy for what may be changed afterwards: nobody else sees these bytes.
func (d *Decoder) copyBytes(text []byte) []byte {
	if len(text) > maxCopied {
		return append([]byte(nil), text...)
	}
	return d.take(text)
}

// take copies a short text into the arena.
func (d *Decoder) take(text []byte) []byte {
	n := len(text)
	if n > len(d.text.free) {
		d.text.free = make([]byte, max(n, min(len(d.data)-d.pos+n, maxArena)))
	}
	out := d.text.free[:n:n]
	copy(out, text)
	d.text.free = d.text.free[n:]
	return out
}

// pointer returns a place for an optional string.
func (d *Decoder) pointer(s string) *string {
	if len(d.text.strings) == 0 {
		d.text.strings = make([]string, fewStrings)
	}
	p := &d.text.strings[0]
	d.text.strings = d.text.strings[1:]
	*p = s
	return p
}
