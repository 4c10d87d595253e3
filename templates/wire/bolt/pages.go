// Pages: the trees that a file of the library consists of. It trusts them: over one that is damaged it may
// panic on a goroutine of its own, or later write over what is in use. So they are looked through first.

package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"
)

// A page starts with its number, what it is, how many elements it has, and how many pages more it takes. Elements
// follow, then their keys and values, at distances from the element. The numbers are in the order of bytes
// that the machine has.
const (
	pageHead    = 16
	elementSize = 16
	isBranch    = 1 // element: distance, size of the key, page below
	isLeaf      = 2 // element: flags, distance, sizes of the key and the value
)

var order = binary.NativeEndian

// pages looks through the trees of a file.
type pages struct {
	file io.ReaderAt
	size int64
	end  uint64          // pages from this number on are not in use
	seen map[uint64]bool // in use
}

// checkPages looks through all trees of the file: that of the buckets, and that of each. What is wrong and no harm
// is a warning.
func checkPages(tx *bbolt.Tx, file *os.File) (warning, err error) {
	p := pages{file: file, size: int64(tx.DB().Info().PageSize), seen: map[uint64]bool{}}
	p.end = uint64(tx.Size() / p.size) //nolint:gosec // a number of pages
	free, warning, err := p.headers(file)
	if err != nil {
		return nil, err
	}
	top := tx.Cursor().Bucket()
	if err := p.walk(uint64(top.Root()), nil, nil); err != nil {
		return nil, err
	}
	err = top.ForEachBucket(func(name []byte) error {
		b := top.Bucket(name)
		if b == nil || b.Root() == 0 {
			return nil // a small one is a value of that tree
		}
		return p.walk(uint64(b.Root()), nil, nil)
	})
	if err != nil {
		return nil, err
	}
	return warning, p.free(free)
}

// walk looks through a page and those below. Their first key is the one that the page above has for them, and
// all are before another; nil is any.
func (p *pages) walk(id uint64, first, before []byte) error {
	wrong := func(why string) error { return fmt.Errorf("%w: page %d %s", ErrDamaged, id, why) }
	if id < 2 || id >= p.end || p.seen[id] {
		return wrong("is out of place")
	}
	head := make([]byte, pageHead)
	if _, err := p.file.ReadAt(head, int64(id)*p.size); err != nil { //nolint:gosec // it is before the end
		return fmt.Errorf("%w: page %d: %w", ErrDamaged, id, err)
	}
	kind, count, more := order.Uint16(head[8:]), int64(order.Uint16(head[10:])), uint64(order.Uint32(head[12:]))
	if order.Uint64(head) != id || kind != isBranch && kind != isLeaf || more >= p.end-id {
		return wrong("is none")
	}
	for n := id; n <= id+more; n++ {
		if p.seen[n] {
			return wrong("overlaps another")
		}
		p.seen[n] = true
	}
	data := make([]byte, int64(more+1)*p.size)                       //nolint:gosec // it ends before the end
	if _, err := p.file.ReadAt(data, int64(id)*p.size); err != nil { //nolint:gosec // it is before the end
		return fmt.Errorf("%w: page %d: %w", ErrDamaged, id, err)
	}
	if pageHead+count*elementSize > int64(len(data)) || kind == isBranch && count == 0 {
		return wrong("has more than there is room for, or nothing")
	}
	var keys [][]byte
	var below []uint64
	for at := int64(pageHead); at < pageHead+count*elementSize; at += elementSize {
		e := data[at:]
		begin, size, value := int64(order.Uint32(e)), int64(order.Uint32(e[4:])), int64(0)
		if kind == isLeaf {
			begin, size, value = size, int64(order.Uint32(e[8:])), int64(order.Uint32(e[12:]))
		} else {
			below = append(below, order.Uint64(e[8:]))
		}
		if at+begin+size+value > int64(len(data)) {
			return wrong("has an element beyond it")
		}
		key := data[at+begin:][:size]
		if before != nil && bytes.Compare(key, before) >= 0 || len(keys) > 0 && bytes.Compare(keys[len(keys)-1], key) >= 0 {
			return wrong("has keys out of order")
		}
		keys = append(keys, key)
	}
	if first != nil && (len(keys) == 0 || !bytes.Equal(keys[0], first)) {
		return wrong("is not the one that was meant")
	}
	for i, next := range below {
		end := before
		if i+1 < len(keys) {
			end = keys[i+1]
		}
		if err := p.walk(next, keys[i], end); err != nil {
			return err
		}
	}
	return nil
}
