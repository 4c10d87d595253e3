// What is below the library: the stream of bytes, by which a connection is cut whatever the library waits
// for.

package ws

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// dialed makes the HTTP requests of a client, and notes the stream that comes of them.
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
	if both, ok := response.Body.(io.ReadWriteCloser); ok { // the server agrees
		d.socket.below = both
		response.Body = body{both, d.socket}
	}
	return response, nil
}

// body is the stream of a client.
type body struct {
	io.ReadWriteCloser
	socket *socket
}

func (b body) Read(p []byte) (int, error) {
	b.socket.waits()
	return b.ReadWriteCloser.Read(p)
}

// accepted answers a request, and notes the stream that comes of it.
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
	return stream{conn, a.socket}, rw, nil // from which the library reads, once it has what is in the buffer
}

// WriteHeaderNow sends the header if a framework would rather wait; the library asks for it.
func (a accepted) WriteHeaderNow() {
	if w, ok := a.ResponseWriter.(interface{ WriteHeaderNow() }); ok {
		w.WriteHeaderNow()
	}
}

// stream is the stream of a server.
type stream struct {
	net.Conn
	socket *socket
}

func (s stream) Read(p []byte) (int, error) {
	s.socket.waits()
	return s.Conn.Read(p)
}

// hijackable reports whether the stream of a request can be had: that of HTTP/2 cannot.
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
