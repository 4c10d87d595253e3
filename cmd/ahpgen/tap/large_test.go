//go:build unix

// Messages that are too large to be held, and sides that stop reading.

package tap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// large is the size of a message, and most what a tap may hold meanwhile: what waits, and a message that is not cut yet.
const (
	large = 100 << 20
	most  = maxWaitingBytes + 5*record.Limit
)

// xs returns n bytes, in parts. Now and then it measures what is held.
func xs(t *testing.T, n int) io.Reader {
	given, measured := 0, 0
	return reader(func(p []byte) (int, error) {
		if given == n {
			return 0, io.EOF
		}
		if given-measured > 20<<20 {
			measured = given
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > most {
				t.Errorf("%d bytes are held", m.HeapAlloc)
			}
		}
		k := min(len(p), n-given)
		for i := range p[:k] {
			p[i] = 'x'
		}
		given += k
		return k, nil
	})
}

// TestLargeMessagesArePassedOnAndRecorded: a message of 100 MB, a line without an end, and what comes after them.
func TestLargeMessagesArePassedOnAndRecorded(t *testing.T) {
	g, err := generator.New(generator.Config{Schemas: "acp"}, nil)
	require.NoError(t, err)
	p, err := g.AnalyzeReducers()
	require.NoError(t, err)
	for _, c := range []struct {
		name, before, behind string
		framing              record.Framing
		judged               int
	}{
		{"line", `{"x":"`, "\"}\n" + `{"jsonrpc":"2.0","method":"_x"}` + "\n", record.Lines, 2},
		{"endless line", "", "", record.Lines, 1},
		{"header", fmt.Sprintf("Content-Length: %d\r\n\r\n", large), "Content-Length: 31\r\n\r\n" + `{"jsonrpc":"2.0","method":"_x"}`, record.Headers, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			file, err := os.Create(filepath.Join(t.TempDir(), "talk.jsonl"))
			require.NoError(t, err)
			defer file.Close()
			w, err := record.NewWriter(file, record.Head{Framing: c.framing})
			require.NoError(t, err)
			var written atomic.Int64
			j, judged := judge.New([]judge.Version{{Protocol: p}}), 0
			tap := New(c.framing,
				func(e *record.Entry) {
					if err := w.Write(e); err != nil {
						t.Error(err)
					}
					written.Add(int64(len(e.Data)))
				},
				func(e *record.Entry) { judged += len(j.Feed(c.framing, e)) },
			)
			passed := 0
			out := writer(func(b []byte) (int, error) { // reads no faster than a disk writes
				for passed += len(b); int64(passed)-written.Load() > maxWaitingBytes/2; {
					time.Sleep(time.Millisecond)
				}
				return len(b), nil
			})
			all := io.MultiReader(bytes.NewBufferString(c.before), xs(t, large), bytes.NewBufferString(c.behind))
			require.NoError(t, tap.Pass(1, protocol.FromClient, out, all))
			require.True(t, tap.Close())
			require.Equal(t, len(c.before)+large+len(c.behind), passed)
			require.Equal(t, c.judged, judged)
			require.Equal(t, passed, recordedBytes(t, file))
		})
	}
}

// recordedBytes reads a recording, which says how much is missing.
func recordedBytes(t *testing.T, file *os.File) (n int) {
	_, err := file.Seek(0, io.SeekStart)
	require.NoError(t, err)
	r, err := record.NewReader(file)
	require.NoError(t, err)
	for {
		e, err := r.Read()
		if errors.Is(err, io.EOF) {
			return n
		}
		require.NoError(t, err)
		require.Zero(t, e.Lost)
		n += len(e.Data)
	}
}

// TestLargeMessagesOfHTTPArePassedOn in both directions.
func TestLargeMessagesOfHTTPArePassedOn(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if n != large || err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, xs(t, large))
	}))
	defer server.Close()
	h := newHeard()
	address, end := behind(t, record.Messages, server.URL, h)
	response, err := http.Post("http://"+address, "application/json", xs(t, large))
	require.NoError(t, err)
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	require.EqualValues(t, large, n)
	end()
	require.Empty(t, h.messages)
	require.NotZero(t, h.sizes[protocol.FromClient]) // it is noted that there was something
	require.NotZero(t, h.sizes[protocol.FromHost])
}

// TestAHostThatStopsReadingStopsItsClient: no more waits than the system holds, and nothing is lost when it reads again.
func TestAHostThatStopsReadingStopsItsClient(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer l.Close()
	read := make(chan struct{})
	got := make(chan int64, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		<-read
		n, _ := io.Copy(io.Discard, c)
		got <- n
	}()
	h := newHeard()
	address, end := behind(t, record.Lines, l.Addr().String(), h)
	c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	require.NoError(t, err)
	require.NoError(t, c.SetWriteDeadline(time.Now().Add(500*time.Millisecond)))
	sent, err := io.Copy(c, xs(t, 10*large))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Less(t, sent, int64(large))
	close(read)
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	require.Equal(t, sent, <-got)
	_ = c.Close()
	end()
	require.EqualValues(t, sent, h.sizes[protocol.FromClient]+len(strings.Join(h.messages[protocol.FromClient], "")))
}
