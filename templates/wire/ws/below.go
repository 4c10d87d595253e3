// The byte stream below the library, used to cut connections that the library would wait for.

package ws

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
)

// dialed makes a client's HTTP requests and records the resulting stream.
type dialed struct {
	socket *socket
	client http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (d dialed) RoundTrip(r *http.Request) (*http.Response, error) {
	client := d.client
	if client == nil {
		client = http.DefaultTransport
	}
	response, err := client.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if both, ok := response.Body.(io.ReadWriteCloser); ok { // the server accepted the upgrade
		d.socket.below = both
		response.Body = body{both, d.socket}
	}
	return response, nil
}

// body is a client's stream.
type body struct {
	io.ReadWriteCloser
	socket *socket
}

func (b body) Read(p []byte) (int, error) { return b.socket.pass(b.ReadWriteCloser, p) }

// accepted answers a request and records the resulting stream.
type accepted struct {
	http.ResponseWriter
	socket *socket
}

// Hijack implements [http.Hijacker].
func (a accepted) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(a.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	a.socket.below = conn
	if early, err := rw.Peek(rw.Reader.Buffered()); err == nil {
		a.socket.frames.pass(early)
	}
	return stream{conn, a.socket}, rw, nil // from which the library reads after the buffer is empty
}

// WriteHeaderNow sends the header where a framework would delay it; the library calls it.
func (a accepted) WriteHeaderNow() {
	if w, ok := a.ResponseWriter.(interface{ WriteHeaderNow() }); ok {
		w.WriteHeaderNow()
	}
}

// stream is a server's stream.
type stream struct {
	net.Conn
	socket *socket
}

func (s stream) Read(p []byte) (int, error) { return s.socket.pass(s.Conn, p) }

// hijackable reports whether a request's stream is accessible, which it is not for HTTP/2.
func hijackable(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Hijacker:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// frames follows the frames of a stream of bytes as RFC 6455, section 5.2, has them. It checks nothing: the library does.
type frames struct {
	header  [14]byte
	have    int    // bytes of the header of a frame
	payload uint64 // bytes of its payload that are to come
}

// between reports whether no frame has begun that is not complete.
func (f *frames) between() bool { return f.have == 0 && f.payload == 0 }

// pass goes over bytes.
func (f *frames) pass(p []byte) {
	for len(p) > 0 {
		if f.payload > 0 {
			n := min(f.payload, uint64(len(p)))
			f.payload -= n
			p = p[n:]
			continue
		}
		f.header[f.have] = p[0]
		f.have++
		p = p[1:]
		if f.have >= 2 && f.have == f.length() {
			f.payload = f.size()
			f.have = 0
		}
	}
}

// length returns the length of the header, which its first two bytes determine.
func (f *frames) length() int {
	n := 2
	switch f.header[1] & 0x7f {
	case 126:
		n += 2
	case 127:
		n += 8
	}
	if f.header[1]&0x80 != 0 { // there is a mask
		n += 4
	}
	return n
}

// size returns that of the payload.
func (f *frames) size() uint64 {
	switch short := f.header[1] & 0x7f; short {
	case 126:
		return uint64(binary.BigEndian.Uint16(f.header[2:]))
	case 127:
		return binary.BigEndian.Uint64(f.header[2:])
	default:
		return uint64(short)
	}
}
