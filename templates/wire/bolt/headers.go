// Headers: the first two pages of a file, of which each transaction writes one in turn, and its list of free pages,
// if it has one. The library believes what a header says: one that promises more pages than there are has it
// build a list of them for as long as there is memory.

package bolt

import (
	"fmt"
	"hash/fnv"
	"os"
)

// A header stands behind the head of its page: what the library is known by, its version, the size of pages and
// flags, of four bytes each; then the root and its counter, the page that lists the free ones, the number of pages
// in use, that of the transaction, and a checksum of all this, of eight bytes each.
const (
	headerMagic   = 0xED0CDAED
	headerVersion = 2
	headerSum     = 56 // where the checksum is
	headerEnd     = 64
	noFreePages   = ^uint64(0) // they are not listed
	isFreePages   = 0x10
)

type header struct{ free, pages, transaction uint64 }

func readHeader(page []byte) (h header, ok bool) {
	d := page[pageHead:]
	sum := fnv.New64a()
	_, _ = sum.Write(d[:headerSum])
	if order.Uint32(d) != headerMagic || order.Uint32(d[4:]) != headerVersion || order.Uint64(d[headerSum:]) != sum.Sum64() {
		return h, false
	}
	return header{order.Uint64(d[32:]), order.Uint64(d[40:]), order.Uint64(d[48:])}, true
}

// headers looks at both headers, and returns the page with the free ones. If one of them cannot be read, the other
// counts: it is as of the transaction before, or that was the older one.
func (p *pages) headers(file *os.File) (free uint64, warning, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, nil, err
	}
	var newest header
	count := 0
	for i := int64(0); i < 2; i++ {
		page := make([]byte, pageHead+headerEnd)
		if _, err := file.ReadAt(page, i*p.size); err != nil {
			return 0, nil, fmt.Errorf("%w: header %d: %w", ErrDamaged, i, err)
		}
		h, ok := readHeader(page)
		if !ok {
			continue
		}
		if has := uint64(info.Size() / p.size); h.pages > has { //nolint:gosec // a number of pages
			return 0, nil, fmt.Errorf("%w: its header has %d pages, the file %d", ErrDamaged, h.pages, has)
		}
		if count++; count == 1 || h.transaction > newest.transaction {
			newest = h
		}
	}
	if count == 0 || newest.pages != p.end {
		return 0, nil, fmt.Errorf("%w: its header cannot be read", ErrDamaged)
	}
	if count == 1 {
		warning = fmt.Errorf("%w: one of its two headers cannot be read, so what was written last may be missing", ErrDamaged)
	}
	return newest.free, warning, nil
}

// free looks at the list of free pages. This package writes none, but other programs do that copy a file.
func (p *pages) free(id uint64) error {
	if id == noFreePages {
		return nil
	}
	wrong := fmt.Errorf("%w: page %d is not a free list", ErrDamaged, id)
	if id < 2 || id >= p.end || p.seen[id] {
		return wrong
	}
	head := make([]byte, pageHead+8)
	if _, err := p.file.ReadAt(head, int64(id)*p.size); err != nil { //nolint:gosec // it is before the end
		return fmt.Errorf("%w: page %d: %w", ErrDamaged, id, err)
	}
	count, more, begin := uint64(order.Uint16(head[10:])), uint64(order.Uint32(head[12:])), uint64(pageHead)
	if count == 0xFFFF {
		count, begin = order.Uint64(head[pageHead:]), pageHead+8
	}
	if order.Uint64(head) != id || order.Uint16(head[8:]) != isFreePages || more >= p.end-id || count > p.end || begin+8*count > (more+1)*uint64(p.size) { //nolint:gosec // a size
		return wrong
	}
	for n := id; n <= id+more; n++ {
		if p.seen[n] {
			return wrong
		}
		p.seen[n] = true
	}
	list := make([]byte, 8*count)
	if _, err := p.file.ReadAt(list, int64(id)*p.size+int64(begin)); err != nil { //nolint:gosec // it is before the end
		return fmt.Errorf("%w: page %d: %w", ErrDamaged, id, err)
	}
	for ; len(list) > 0; list = list[8:] {
		n := order.Uint64(list)
		if n < 2 || n >= p.end || p.seen[n] {
			return fmt.Errorf("%w: page %d is marked as free", ErrDamaged, n)
		}
		p.seen[n] = true
	}
	return nil
}
