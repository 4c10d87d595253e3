// Headers: messages with a header that has their length, over byte streams.

package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// HeaderStream is like [Stream] for messages that follow a header with their length in bytes, as debug adapters and
// language servers send them:
//
//	Content-Length: 119\r\n
//	\r\n
//	{"seq": 1, ...
func HeaderStream(both io.ReadWriteCloser) Transport {
	half, _ := both.(interface{ CloseWrite() error })
	return newHeaded(both, both, both.Close, half)
}

// HeaderPipes is like [Pipes] for messages with a header.
func HeaderPipes(in io.ReadCloser, out io.WriteCloser) Transport {
	return newHeaded(in, out, func() error { return errors.Join(out.Close(), in.Close()) }, closer{out})
}

// HeaderStdio is like [Stdio] for messages with a header.
func HeaderStdio() Transport { return HeaderPipes(os.Stdin, os.Stdout) }

func newHeaded(in io.Reader, out io.Writer, end func() error, half interface{ CloseWrite() error }) *stream {
	s := newStream(in, out, end, half)
	s.headed = true
	return s
}

// maxHeader bounds the header of a message.
const maxHeader = 4 << 10

// lengthField is the field that every header has.
const lengthField = "Content-Length"

// readHeaded reads a header and the message behind it. Other fields of the header are passed over.
func (s *stream) readHeaded(limit int64) ([]byte, error) {
	length, err := s.readHeader()
	if err != nil {
		return nil, err
	}
	if length > limit {
		return nil, fmt.Errorf("%w: %d bytes, and %d are taken", ErrTooLarge, length, limit)
	}
	s.begun = true
	defer func() { s.begun = false }()
	message, err := io.ReadAll(io.LimitReader(s.lines, length)) // a header may promise what does not come
	if err == nil && int64(len(message)) < length {
		err = io.ErrUnexpectedEOF
	}
	return message, err
}

// readHeader returns the length of the message. The error is [io.EOF] if there is none.
func (s *stream) readHeader() (int64, error) {
	length, size := int64(-1), 0
	defer func() { s.begun = false }()
	for {
		line, err := s.lines.ReadSlice('\n')
		size += len(line)
		switch {
		case err == bufio.ErrBufferFull || size > maxHeader: //nolint:errorlint // the reader does not wrap this error
			return 0, fmt.Errorf("%w: a header of more than %d bytes", ErrTooLarge, maxHeader)
		case err == io.EOF && size == 0:
			return 0, err
		case err == io.EOF:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
		s.begun = true
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			if length < 0 {
				return 0, errors.New("a header without " + lengthField)
			}
			return length, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		switch {
		case !ok || bytes.ContainsAny(name, "{[\""): // such as a message without a header
			return 0, errors.New("no header of a message: " + wire.Excerpt(string(line)))
		case bytes.EqualFold(bytes.TrimSpace(name), []byte(lengthField)):
			n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 62)
			if err != nil {
				return 0, errors.New(lengthField + " is no length: " + wire.Excerpt(string(value)))
			}
			length = int64(n)
		}
	}
}

// appendHeaded appends a message with its header.
func appendHeaded(dst, message []byte) []byte {
	dst = strconv.AppendInt(append(dst, lengthField+": "...), int64(len(message)), 10)
	return append(append(dst, "\r\n\r\n"...), message...)
}
