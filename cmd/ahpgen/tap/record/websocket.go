// WebSockets: messages in the bytes of a connection, which begins with a request of HTTP.

package record

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// Web splits the bytes that one side of a WebSocket sends. The entries are the messages, without frames: control frames and
// the handshake are passed over.
type Web struct {
	Limit int // of a message, in bytes

	head    []byte // of the request or answer, until it is complete
	opened  bool
	foreign bool // it is no WebSocket, or its frames make no sense

	frame  []byte // the beginning of the header of a frame
	left   uint64 // bytes of the payload that are to come
	within bool   // the header of a frame is complete
	mask   [4]byte
	masked int  // bytes that were unmasked, -1 without a mask
	final  bool // the frame is the last of its message
	skip   bool // it is a control frame

	message    []byte
	cut        bool
	compressed bool
	window     []byte // what compressed messages may refer to
	lost       bool   // a compressed message was cut, so that others cannot be read
}

// NewWeb returns a splitter for messages up to the usual limit.
func NewWeb() *Web { return &Web{Limit: Limit} }

const (
	maxHead   = 64 << 10
	maxWindow = 32 << 10
)

// Split adds bytes, and calls put with the messages that are complete.
func (w *Web) Split(data []byte, put func(Entry)) {
	if !w.opened && !w.foreign {
		n := min(len(data), maxHead-len(w.head))
		before := len(w.head)
		w.head = append(w.head, data[:n]...)
		i := bytes.Index(w.head, []byte("\r\n\r\n"))
		if i < 0 {
			w.foreign = len(w.head) >= maxHead
			return
		}
		line, _, _ := bytes.Cut(w.head, []byte("\r\n"))
		w.foreign = bytes.HasPrefix(line, []byte("HTTP/")) && !bytes.Contains(line, []byte(" 101"))
		w.opened, w.head = true, nil
		data = data[i+4-before:]
	}
	for len(data) > 0 && !w.foreign {
		if !w.within {
			data = w.header(data)
			if !w.within {
				continue
			}
		}
		n := int(min(w.left, uint64(len(data)))) //nolint:gosec // no more than there is data
		w.payload(data[:n], put)
		data, w.left = data[n:], w.left-uint64(n)
		if w.left == 0 {
			w.within = false
			if w.final && !w.skip {
				w.finish(put)
			}
		}
	}
}

// header reads the header of a frame, a byte at a time, and returns the data behind what it has read.
func (w *Web) header(data []byte) []byte {
	w.frame = append(w.frame, data[0])
	h := w.frame
	if len(h) < 2 {
		return data[1:]
	}
	size, length := 2, uint64(h[1]&0x7f)
	switch length {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if h[1]&0x80 != 0 {
		size += 4
	}
	if len(h) < size {
		return data[1:]
	}
	switch length {
	case 126:
		length = uint64(binary.BigEndian.Uint16(h[2:]))
	case 127:
		length = binary.BigEndian.Uint64(h[2:])
	}
	if w.masked = -1; h[1]&0x80 != 0 {
		w.masked = 0
		copy(w.mask[:], h[size-4:])
	}
	opcode := h[0] & 0x0f
	w.final, w.skip, w.left, w.within = h[0]&0x80 != 0, opcode >= 8, length, true
	if opcode == 1 || opcode == 2 {
		w.compressed = h[0]&0x40 != 0
	}
	w.frame = nil
	return data[1:]
}

// payload adds to the message.
func (w *Web) payload(data []byte, put func(Entry)) {
	if w.skip {
		return
	}
	data = slices.Clone(data)
	if w.masked >= 0 {
		for i := range data {
			data[i] ^= w.mask[(w.masked+i)&3]
		}
		w.masked = (w.masked + len(data)) & 3
	}
	if !w.cut && len(w.message)+len(data) > w.Limit {
		w.cut = true
		put(Entry{Data: w.message, Cut: true, More: true})
		w.message = nil
	}
	if w.cut {
		put(Entry{Data: data, Cut: true, More: true})
		return
	}
	w.message = append(w.message, data...)
}

// finish ends a message.
func (w *Web) finish(put func(Entry)) {
	e := Entry{Data: w.message, Cut: w.cut}
	if w.compressed && !w.cut && !w.lost {
		text, err := w.inflate(w.message)
		if e.Data = text; err != nil {
			e.Cut = true
		}
	}
	w.lost = w.lost || w.compressed && e.Cut
	e.Cut = e.Cut || w.compressed && w.lost
	w.message, w.cut = nil, false
	put(e)
}

var errLarge = errors.New("too large")

// inflate decompresses a message, and notes what later ones may refer to.
func (w *Web) inflate(data []byte) ([]byte, error) {
	r := flate.NewReaderDict(io.MultiReader(bytes.NewReader(data), bytes.NewReader([]byte("\x00\x00\xff\xff\x01\x00\x00\xff\xff"))), w.window)
	out, err := io.ReadAll(io.LimitReader(r, int64(w.Limit)+1))
	if err == nil && len(out) > w.Limit {
		err = errLarge
	}
	w.window = append(w.window, out...)
	w.window = slices.Clone(w.window[max(0, len(w.window)-maxWindow):])
	return out, err
}

// Finish ends the direction.
func (w *Web) Finish(put func(Entry)) {
	if len(w.message) > 0 {
		put(Entry{Data: w.message, More: true})
	}
	w.message = nil
}
