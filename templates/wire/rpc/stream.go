// Streams: newline-delimited JSON over byte streams.

package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Stream returns a transport that sends each message as a line over a bidirectional stream, such as a socket. Only
// the message limit bounds the length of a line.
func Stream(both io.ReadWriteCloser) Transport {
	half, _ := both.(interface{ CloseWrite() error })
	return newStream(both, both, both.Close, half)
}

// Pipes is like [Stream] for two unidirectional streams, such as the standard output and input of a child process. It
// owns both.
func Pipes(in io.ReadCloser, out io.WriteCloser) Transport {
	end := func() error { return errors.Join(out.Close(), in.Close()) }
	return newStream(in, out, end, closer{out})
}

// brokenPipe is SIGPIPE, which not all systems have a name for.
const brokenPipe = syscall.Signal(13)

// Stdio returns a transport over the standard input and output of this process. Nothing else may write to standard
// output. From then on, writing to what nobody reads any more is an error, and does not end the process.
func Stdio() Transport {
	signal.Notify(make(chan os.Signal, 1), brokenPipe)
	return Pipes(os.Stdin, os.Stdout)
}

// closer closes the write half of a stream.
type closer struct{ out io.Closer }

func (c closer) CloseWrite() error { return c.out.Close() }

type stream struct {
	lines   *bufio.Reader
	out     io.Writer
	end     func() error                    // closes the whole stream, once
	half    interface{ CloseWrite() error } // nil if the halves cannot be closed separately
	started atomic.Bool                     // a reader is active
	closed  atomic.Bool                     // by Close
	drained chan struct{}                   // closed when reading has ended
	buf     []byte                          // the writer's buffer
	timer   *MessageTimer                   // for partial lines
	begun   bool                            // part of a line was consumed
	headed  bool                            // messages have a header instead of being lines
}

func newStream(in io.Reader, out io.Writer, end func() error, half interface{ CloseWrite() error }) *stream {
	s := &stream{out: out, end: sync.OnceValue(end), half: half, drained: make(chan struct{})}
	s.lines = bufio.NewReader(source{s, in})
	s.timer = NewMessageTimer(func() {
		// A read deadline keeps the write half open for pending messages.
		if d, ok := in.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(time.Unix(1, 0)) == nil {
			return
		}
		_ = s.end()
	})
	return s
}

// source reads from the stream when the buffer has no complete line.
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

// SetMessageTimeout implements [Timed]. Inputs that cannot be interrupted, such as a terminal, are still waited for.
func (s *stream) SetMessageTimeout(limit time.Duration) { s.timer.SetMessageTimeout(limit) }

// Read implements [Transport]. Empty lines are skipped, and the last line may be unterminated.
func (s *stream) Read(limit int64) ([]byte, error) {
	s.started.Store(true)
	read := s.read
	if s.headed {
		read = s.readHeaded
	}
	line, err := read(limit)
	if late := s.timer.Stop(); late != nil {
		err = late
		if len(line) > 0 {
			err = fmt.Errorf("%w: it begins with %s", late, wire.Excerpt(string(begins(line))))
		}
	}
	if err != nil {
		s.drain()
		if s.closed.Load() && err != io.EOF { //nolint:errorlint // unwrapped only
			err = fmt.Errorf("%w: %w", ErrClosed, err)
		}
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
		if text := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")); int64(len(text)) > limit {
			return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrTooLarge, limit)
		}
		switch {
		case err == bufio.ErrBufferFull: //nolint:errorlint // the reader does not wrap this error
		case len(bytes.TrimSpace(line)) > 0 && (err == nil || err == io.EOF):
			return line, nil
		case err != nil:
			return line, err
		default:
			line = line[:0]
			_ = s.timer.Stop() // a timeout fails the next read
		}
	}
}

// drain marks the end of reading. Only one goroutine reads.
func (s *stream) drain() {
	select {
	case <-s.drained:
	default:
		close(s.drained)
	}
}

// Write implements [Transport]. A blocked stream is closed when ctx ends.
func (s *stream) Write(ctx context.Context, message []byte) error {
	defer context.AfterFunc(ctx, func() { _ = s.end() })()
	if s.headed {
		s.buf = appendHeaded(s.buf[:0], message)
	} else {
		s.buf = append(s.buf[:0], message...)
		// A newline in JSON is white space, as in indented raw parameters.
		for i, c := range s.buf {
			if c == '\n' || c == '\r' {
				s.buf[i] = ' '
			}
		}
		s.buf = append(s.buf, '\n')
	}
	_, err := s.out.Write(s.buf)
	if cap(s.buf) > 1<<16 {
		s.buf = nil
	}
	return err
}

// Close implements [Transport]; streams cannot transmit a reason. For a graceful close, the other side gets a moment
// to close its half, because closing a socket with unread data may discard what was sent.
func (s *stream) Close(reason string) error {
	s.closed.Store(true)
	if reason == "" && s.started.Load() && s.half != nil && s.half.CloseWrite() == nil {
		late := time.NewTimer(linger)
		defer late.Stop()
		select {
		case <-s.drained:
		case <-late.C:
		}
		_ = s.end() // half of it is already closed
		return nil
	}
	return s.end()
}
