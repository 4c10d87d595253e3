// Streams: messages as lines of JSON, over whatever carries bytes.

package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Stream is a transport on which each message is a line, over a socket or another stream that goes both
// ways. A line may be as long as the connection allows for a message.
func Stream(both io.ReadWriteCloser) Transport {
	half, _ := both.(interface{ CloseWrite() error })
	return newStream(both, both, both.Close, half)
}

// Pipes is a transport like [Stream] over two streams, such as the standard output and input of a process
// that this one has started. Both belong to it.
func Pipes(in io.ReadCloser, out io.WriteCloser) Transport {
	end := func() error { return errors.Join(out.Close(), in.Close()) }
	return newStream(in, out, end, closer{out})
}

// Stdio is a transport over the standard input and output of this process, as a program has it that is
// started by its peer. Nothing else may be written to the standard output.
func Stdio() Transport { return Pipes(os.Stdin, os.Stdout) }

// closer closes the half of a stream that this side writes.
type closer struct{ out io.Closer }

func (c closer) CloseWrite() error { return c.out.Close() }

type stream struct {
	lines   *bufio.Reader
	out     io.Writer
	end     func() error                    // closes all of it, once
	half    interface{ CloseWrite() error } // nil where the two halves end together
	started atomic.Bool                     // somebody reads
	drained chan struct{}                   // closed when nothing more can be read
	buf     []byte                          // of the writer
	timer   *MessageTimer                   // for lines that come in pieces
	begun   bool                            // the reader has taken a part of a line
}

func newStream(in io.Reader, out io.Writer, end func() error, half interface{ CloseWrite() error }) *stream {
	s := &stream{out: out, end: sync.OnceValue(end), half: half, drained: make(chan struct{})}
	s.lines = bufio.NewReader(source{s, in})
	s.timer = NewMessageTimer(func() {
		// Unlike an end, a deadline leaves the other half open for what waits to be written.
		if d, ok := in.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(time.Unix(1, 0)) == nil {
			return
		}
		_ = s.end()
	})
	return s
}

// source is what the buffer of a stream reads from, when it holds no whole line.
type source struct {
	*stream
	in io.Reader
}

// Read implements [io.Reader].
func (s source) Read(p []byte) (int, error) {
	if s.begun || s.lines.Buffered() > 0 {
		s.timer.Start()
	}
	return s.in.Read(p)
}

// SetMessageTimeout implements [Timed]. An input that nothing wakes, such as the standard input where it
// is a file or a terminal, is waited for nevertheless.
func (s *stream) SetMessageTimeout(limit time.Duration) { s.timer.SetMessageTimeout(limit) }

// Read implements [Transport]. Lines without anything on them are passed over, and the last one need not
// have an end.
func (s *stream) Read(limit int64) ([]byte, error) {
	s.started.Store(true)
	line, err := s.read(limit)
	if late := s.timer.Stop(); late != nil {
		err = late
		if len(line) > 0 {
			err = fmt.Errorf("%w: it begins with %s", late, wire.Excerpt(string(begins(line))))
		}
	}
	if err != nil {
		s.drain()
		return nil, err
	}
	return line, nil
}

func (s *stream) read(limit int64) ([]byte, error) {
	var line []byte
	for {
		s.begun = len(line) > 0
		part, err := s.lines.ReadSlice('\n')
		line = append(line, part...)
		if int64(len(bytes.TrimRight(line, "\r\n"))) > limit {
			return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrTooLarge, limit)
		}
		switch {
		case err == bufio.ErrBufferFull: //nolint:errorlint // that reader wraps nothing
		case len(bytes.TrimSpace(line)) > 0 && (err == nil || err == io.EOF):
			return line, nil
		case err != nil:
			return line, err
		default:
			line = line[:0]
			_ = s.timer.Stop() // a late one fails the next read
		}
	}
}

// drain notes that nothing more can be read. One goroutine reads.
func (s *stream) drain() {
	select {
	case <-s.drained:
	default:
		close(s.drained)
	}
}

// Write implements [Transport]. A stream that is stuck is closed when ctx ends.
func (s *stream) Write(ctx context.Context, message []byte) error {
	defer context.AfterFunc(ctx, func() { _ = s.end() })()
	s.buf = append(s.buf[:0], message...)
	// Where JSON has the end of a line, that is white space: as in raw parameters that were indented.
	for i, c := range s.buf {
		if c == '\n' || c == '\r' {
			s.buf[i] = ' '
		}
	}
	s.buf = append(s.buf, '\n')
	_, err := s.out.Write(s.buf)
	if cap(s.buf) > 1<<16 {
		s.buf = nil
	}
	return err
}

// Close implements [Transport]; a stream cannot tell a reason. In good order, the other side is given a
// moment to end its half: what is sent to one that closes with something left to read may be lost.
func (s *stream) Close(reason string) error {
	if reason == "" && s.started.Load() && s.half != nil && s.half.CloseWrite() == nil {
		late := time.NewTimer(linger)
		defer late.Stop()
		select {
		case <-s.drained:
		case <-late.C:
		}
		_ = s.end() // half of it is closed already
		return nil
	}
	return s.end()
}
