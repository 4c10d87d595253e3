// Again: what a decoder remembers so that nothing is looked at more than a few times, however often and on however many
// levels decoding goes back.

package wire

import "sort"

// again is what a decoder has from when it goes back, or fails.
type again struct {
	locator locator
	failure *DecodeError // of something that was taken back, to be used for the next

	spans  []span // by their starts
	known  []span // those that were noted before the skipping that goes on
	stack  []openSpan
	noting bool
	over   int // how much was gone over where it had been skipped twice before

	items []*DecodeError // of items that were dropped, see DropItems

	reported, unreported int // how many malformed values were dropped
	missing, moreMissing int // how many members were missing, reported one by one and not

	copied int    // how much of the input was kept in copies
	whole  []byte // a copy of all of it, nil for none
}

// memory returns what a decoder remembers.
func (d *Decoder) memory() *again {
	if d.again == nil {
		d.again = new(again)
	}
	return d.again
}

// spare returns an error to be filled.
func (a *again) spare() *DecodeError {
	if a == nil || a.failure == nil {
		return new(DecodeError)
	}
	e := a.failure
	a.failure = nil
	*e = DecodeError{variants: e.variants[:0]}
	return e
}

// keep returns a copy of a part of the input, of which another part that is in it may have been kept before. When all that
// was kept is as much as the input, what follows shares one copy of that: so levels of malformed objects cost no more than
// twice the input.
func (d *Decoder) keep(start, end int) []byte {
	if d.mayKeep(end - start) {
		return d.copyBytes(d.data[start:end])
	}
	a := d.again
	if a.whole == nil {
		a.whole = append([]byte(nil), d.data...)
	}
	return a.whole[start:end:end]
}

// mayKeep reports whether n bytes more are to be kept in a copy of their own.
func (d *Decoder) mayKeep(n int) bool {
	a := d.memory()
	a.copied += n
	return a.copied <= len(d.data)
}

// span is where an object or array is in the input.
type span struct{ start, end int }

// openSpan is a container that is being skipped, with its index among the spans, -1 for one that is not noted.
type openSpan struct {
	note   int
	object bool
}

// minSpan is how far apart the starts of two containers must be for both to be noted, so that no text takes more memory for
// its spans than its own length.
const minSpan = 16

// skipKnown is skipContainer for what has been skipped twice. It notes where containers end, and does not enter those that
// it has noted before.
func (d *Decoder) skipKnown(i int) int {
	a := d.memory()
	at := sort.Search(len(a.spans), func(n int) bool { return a.spans[n].start >= i })
	if at < len(a.spans) && a.spans[at].start == i {
		return a.spans[at].end
	}
	a.stack = a.stack[:0]
	if at > 0 && i-a.spans[at-1].start < minSpan { // too near to another to have been noted
		a.noting = false
		return d.skipAround(a, i, a.spans[at:])
	}
	// What is noted behind the place is in the container, or is noted anew when it comes.
	a.known = append(a.known[:0], a.spans[at:]...)
	a.spans, a.noting = a.spans[:at], true
	return d.skipAround(a, i, a.known)
}

// skipAround skips a container without entering known ones.
func (d *Decoder) skipAround(a *again, i int, known []span) int {
	a.over -= i
	for {
		// A value starts at i.
		switch c := d.at(i); c {
		case '{', '[':
			for len(known) > 0 && known[0].start < i {
				known = known[1:]
			}
			if len(known) > 0 && known[0].start == i {
				if a.noting {
					a.spans = append(a.spans, known[0])
				}
				a.over -= known[0].end - i
				i = known[0].end
				break
			}
			if d.depth+len(a.stack) >= MaxDepth {
				return d.tooDeep(i)
			}
			start := i
			if i = skipSpace(d.data, i+1); d.at(i) == c+2 { // the closing bracket is two behind
				i++
				break
			}
			a.open(start, c == '{')
			if c == '{' {
				if i = d.skipKey(i); i < 0 {
					return i
				}
			}
			continue
		default:
			i = d.skipValue(i)
		}
		if i < 0 {
			return i
		}
		if i = d.closeSpans(a, i); i < 0 || len(a.stack) == 0 {
			a.over += i
			return i
		}
	}
}

// open notes a container that is being entered.
func (a *again) open(start int, object bool) {
	note := -1
	if n := len(a.spans); a.noting && (n == 0 || len(a.stack) == 0 || start-a.spans[n-1].start >= minSpan) {
		note = n
		a.spans = append(a.spans, span{start: start})
	}
	a.stack = append(a.stack, openSpan{note, object})
}

// closeSpans closes the containers that end behind the value that ended at i, and returns where the next value starts, or
// where the outermost ended.
func (d *Decoder) closeSpans(a *again, i int) int {
	for len(a.stack) > 0 {
		top := a.stack[len(a.stack)-1]
		i = skipSpace(d.data, i)
		c, closing := d.at(i), byte(']')
		if top.object {
			closing = '}'
		}
		if c == ',' {
			if i = skipSpace(d.data, i+1); top.object {
				i = d.skipKey(i)
			}
			return i
		}
		if c != closing {
			return d.syntax(i, "instead of a comma or "+string(closing))
		}
		i++
		if top.note >= 0 {
			a.spans[top.note].end = i
		}
		a.stack = a.stack[:len(a.stack)-1]
	}
	return i
}
