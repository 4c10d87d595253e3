// Locating: the path to an offset of an input. Decoding and encoding keep track of no path. It is found when something has
// gone wrong, by going over the text once more.

package wire

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
	"strconv"
)

// locator goes over a text and knows which objects and arrays are open where it is. What it goes over has been checked.
// For a later offset of the same text it goes on where it stopped.
type locator struct {
	data []byte
	pos  int
	open []container
}

// container is an object or array, and how far into it the locator is.
type container struct {
	start int
	at    int // of an array: the index of the element; of an object: the offset of the latest key, 0 behind a comma or brace
}

// structural has what a locator does at bytes outside strings, 0 for nothing.
var structural = [256]uint8{'"': '"', ',': ',', '{': '{', '[': '{', '}': '}', ']': '}'}

// openAt returns the objects and arrays that are open at an offset, the outermost first. The result is valid until the next call.
func (l *locator) openAt(offset int) []container {
	if offset < l.pos {
		l.pos, l.open = 0, l.open[:0]
	}
	l.advance(min(offset, len(l.data)))
	return l.open
}

// advance goes on to an offset. A string that ends beyond it is not entered.
func (l *locator) advance(offset int) {
	data, open := l.data, l.open
	at, array := l.top(open)
	i := l.pos
scan:
	for ; i < offset; i++ {
		switch c := data[i]; structural[c] {
		case 0:
		case '"':
			end := stringEnd(data, i)
			if end > offset {
				break scan
			}
			if !array && at == 0 {
				at = i
			}
			i = end - 1
		case ',':
			if at++; !array {
				at = 0
			}
		case '{':
			if n := len(open); n > 0 {
				open[n-1].at = at
			}
			open = append(open, container{start: i})
			at, array = 0, c == '['
		default:
			if n := len(open); n > 0 {
				open = open[:n-1]
			}
			at, array = l.top(open)
		}
	}
	if n := len(open); n > 0 {
		open[n-1].at = at
	}
	l.pos, l.open = i, open
}

// top returns how far into the innermost container the locator is, and whether it is an array. Outside of everything it may
// be anything.
func (l *locator) top(open []container) (at int, array bool) {
	if len(open) == 0 {
		return 0, true
	}
	top := open[len(open)-1]
	return top.at, l.data[top.start] == '['
}

// stringEnd returns the offset behind the string at i, or one beyond the text for a string that does not end. As the string
// has been checked, only its quotes matter.
func stringEnd(data []byte, i int) int {
	end := i + 1
	if end+8 <= len(data) {
		w := wordAt(data, end) ^ '"'*everyByte
		if quotes := (w - everyByte) &^ w & highBits; quotes != 0 {
			if end += bits.TrailingZeros64(quotes)>>3 + 1; data[end-2] != '\\' {
				return end
			}
			end = i + 1
		}
	}
	for {
		n := bytes.IndexByte(data[end:], '"')
		if n < 0 {
			return len(data) + 1
		}
		end += n + 1
		slashes := end - 1
		for data[slashes-1] == '\\' {
			slashes--
		}
		if (end-slashes)&1 != 0 { // an even number of them
			return end
		}
	}
}

// key returns the key at an offset as paths show it.
func (l *locator) key(offset int) string {
	d := Decoder{data: l.data, pos: offset}
	return shownName(d.Text())
}

// path returns the path to an offset, or, with ofObject, to the object around it. The variants are those that objects were
// decoded as. Of a long path only the names that are shown are made.
func (l *locator) path(offset int, ofObject bool, variants []variantName) string {
	open := l.openAt(offset)
	if !slices.IsSortedFunc(variants, innerFirst) {
		slices.SortStableFunc(variants, innerFirst)
	}
	p := pathNames{l: l, variants: variants}
	if len(open) <= 2*maxPathNames {
		p.add(open, ofObject)
		p.addVariant(offset)
		return shownPath(p.names)
	}
	p.add(open[:maxPathNames], false)
	head := p.names[:maxPathNames]
	p.names = nil
	p.add(open[len(open)-maxPathNames-1:], ofObject)
	p.addVariant(offset)
	tail := p.names[len(p.names)-maxPathNames:]
	left := len(open) + distinct(variants) - len(head) - len(tail)
	if last := open[len(open)-1]; !l.leads(last) || ofObject && l.data[last.start] == '{' {
		left--
	}
	return gappedPath(head, left, tail)
}

// pathNames is some of the names of a path.
type pathNames struct {
	l        *locator
	variants []variantName // the inner ones first
	names    []string
}

// add adds the names that lead into containers.
func (p *pathNames) add(open []container, ofObject bool) {
	for i, c := range open {
		p.addVariant(c.start)
		switch {
		case p.l.data[c.start] == '[':
			p.names = append(p.names, "["+strconv.Itoa(c.at)+"]")
		case p.l.leads(c) && (!ofObject || i != len(open)-1):
			p.names = append(p.names, p.l.key(c.at))
		}
	}
}

// leads reports whether the locator is in an element or a member of a container.
func (l *locator) leads(c container) bool { return l.data[c.start] == '[' || c.at != 0 }

// addVariant adds the name of the variant that the object at an offset was decoded as. A union within a union notes one
// twice, the inner one first.
func (p *pathNames) addVariant(start int) {
	i := sort.Search(len(p.variants), func(i int) bool { return p.variants[i].start <= start })
	for ; i < len(p.variants) && p.variants[i].start == start; i++ {
		if v := &p.variants[i]; len(v.tag) > 0 {
			p.names = append(p.names, shownName(v.tag))
			return
		} else if v.name != "" {
			p.names = append(p.names, Name(v.name))
			return
		}
	}
}

// distinct counts the objects that variants are noted of.
func distinct(variants []variantName) int {
	n := 0
	for i := range variants {
		if i == 0 || variants[i].start != variants[i-1].start {
			n++
		}
	}
	return n
}

// variantName records which variant the object at an offset was decoded as.
type variantName struct {
	start int
	name  string
	tag   []byte // in place of the name, part of the input
}

// innerFirst orders variants as they are noted.
func innerFirst(a, b variantName) int { return b.start - a.start }
