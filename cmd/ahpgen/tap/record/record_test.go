package record

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// TestSplittersPassOverNothing cuts streams at random places: the entries are all bytes in their order, and the messages are
// the same wherever the stream was cut.
func TestSplittersPassOverNothing(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		framing      Framing
		want         []string // messages; * is one that is too large, - what has no end
	}{
		{"lines", "{}\n\r\n[1]\r\n\n3", Lines, []string{"{}", "[1]", "3"}},
		{"a long line between short ones", "{}\n" + strings.Repeat("x", 500) + "\n[]\n", Lines, []string{"{}", "*", "[]"}},
		{"a line without an end", strings.Repeat("x", 500), Lines, []string{"-"}},
		{"not UTF-8", "\xff\xfe\n", Lines, []string{"\xff\xfe"}},
		{"headers", "Content-Length: 2\r\n\r\n{}X: y\r\ncontent-length:1\r\n\r\n3", Headers, []string{"{}", "3"}},
		{"headers with bare line feeds", "Content-Length: 2\n\n{}", Headers, []string{"{}"}},
		{"an empty body", "Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n1", Headers, []string{"1"}},
		{"a large body", "Content-Length: 300\r\n\r\n" + strings.Repeat("x", 300) + "Content-Length: 1\r\n\r\n1", Headers, []string{"*", "1"}},
		{"a body without an end", "Content-Length: 10\r\n\r\n{}", Headers, []string{"-"}},
		{"a header without a length", "X: y\r\n\r\n{}\r\n\r\n", Headers, []string{"-"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			for range 200 {
				var all, message []byte
				var got []string
				size := 0
				put := func(e Entry) {
					all, message, size = append(all, e.Data...), append(message, e.Data...), size+len(e.Data)
					if e.More {
						return
					}
					text := string(Body(c.framing, message))
					if e.Cut {
						text = "*"
					}
					if text != "" {
						got = append(got, text)
					}
					message, size = nil, 0
				}
				s := NewSplitter(c.framing)
				s.Limit = 200
				for rest := []byte(c.stream); len(rest) > 0; {
					n := 1 + random.IntN(len(rest))
					s.Split(rest[:n], put)
					rest = rest[n:]
				}
				s.Finish(put)
				if size > 0 {
					got = append(got, "-")
				}
				require.Equal(t, c.stream, string(all))
				require.Equal(t, c.want, got)
			}
		})
	}
}

// TestAnEndlessLineIsNotHeld: what a splitter holds has a limit.
func TestAnEndlessLineIsNotHeld(t *testing.T) {
	s := NewSplitter(Lines)
	part := bytes.Repeat([]byte("x"), 1<<16)
	passed := 0
	for range 1000 {
		s.Split(part, func(e Entry) { passed += len(e.Data) })
		require.LessOrEqual(t, cap(s.held), 3*Limit)
	}
	require.Equal(t, 1000<<16, passed)
}

func TestRecordingsAreReadAsTheyWereWritten(t *testing.T) {
	var file bytes.Buffer
	start := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	w, err := NewWriter(&file, Head{Schemas: "x", Framing: Lines, Started: start})
	require.NoError(t, err)
	entries := []Entry{
		{Time: start, Conn: 1, From: protocol.FromClient, Data: []byte("{\"a\": \"<\u2028é\"}\n")},
		{Time: start, Conn: 2, From: protocol.FromHost, Data: []byte("\xff\n"), Cut: true, More: true, Stream: 7},
		{Time: start, Conn: 1, From: protocol.FromHost, Over: `"a"`, Status: 400},
		{Time: start, Conn: 1, From: protocol.FromClient, Data: []byte("{}\n"), Shared: true},
		{Time: start, Conn: 1, From: protocol.FromHost, End: true},
		{Time: start, Conn: 1, From: protocol.FromHost, Lost: 3},
	}
	for i := range entries {
		require.NoError(t, w.Write(&entries[i]))
	}
	whole := file.Bytes()
	for end := len(whole); end > bytes.IndexByte(whole, '\n'); end-- { // wherever it was interrupted
		r, err := NewReader(bytes.NewReader(whole[:end]))
		require.NoError(t, err)
		n := bytes.Count(whole[:end], []byte("\n")) - 1
		for i := range n {
			e, err := r.Read()
			require.NoError(t, err)
			require.Equal(t, entries[i], *e)
		}
		_, err = r.Read()
		require.Equal(t, io.EOF, err)
		require.Equal(t, whole[end-1] != '\n', r.Torn)
	}
}

func TestWhatIsNoRecordingIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "no recording: the first line is not that of one",
		"{}\n":                "no recording: the first line is not that of one",
		"{\"recording\":7}\n": "a recording of format 7, and this ahpgen reads format 1: use a newer one",
	} {
		_, err := NewReader(strings.NewReader(text))
		require.EqualError(t, err, want)
	}
	r, err := NewReader(strings.NewReader("{\"recording\":1}\n{\"from\":\"x\"}\n"))
	require.NoError(t, err)
	_, err = r.Read()
	require.EqualError(t, err, `line 2: from is "x", and is client or host`)
}
