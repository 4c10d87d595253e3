package tap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/replay"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// TestLargeMessagesOfHTTPAreRecordedWhole: a request, an answer and an event whose parts come in turns are played as they were.
func TestLargeMessagesOfHTTPAreRecordedWhole(t *testing.T) {
	large := func(name string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"x":%q}}`, name, strings.Repeat(name, record.Limit/len(name)+1000))
	}
	request, answer, event := large("request"), large("answer"), large("event")
	var turns sync.WaitGroup
	turns.Add(2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := answer
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/event-stream")
			text = "data: " + event + "\nid: 1\n\ndata: {\"small\":1}\n\n"
		} else if string(body) != request {
			t.Error("the request is another one")
		}
		half := len(text) - 500
		_, _ = io.WriteString(w, text[:half])
		w.(http.Flusher).Flush()
		turns.Done()
		turns.Wait() // for the other one
		_, _ = io.WriteString(w, text[half:])
	}))
	defer server.Close()
	var file bytes.Buffer
	w, err := record.NewWriter(&file, record.Head{Framing: record.Messages})
	require.NoError(t, err)
	h := newHeard()
	address, end := behind(t, record.Messages, server.URL, h, func(e *record.Entry) {
		if err := w.Write(e); err != nil {
			t.Error(err)
		}
	})
	var both sync.WaitGroup
	for method, body := range map[string]string{http.MethodGet: "", http.MethodPost: request} {
		both.Go(func() {
			r, err := http.NewRequestWithContext(context.Background(), method, "http://"+address, strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Session", "s1")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		})
	}
	both.Wait()
	end()
	r, err := record.NewReader(&file)
	require.NoError(t, err)
	messages, _, err := replay.Messages(r, 1)
	require.NoError(t, err)
	got := map[string]bool{}
	for _, m := range messages {
		got[string(m.From)+" "+string(m.Body)] = true
	}
	require.Len(t, messages, 4)
	for _, want := range []string{
		string(protocol.FromClient) + " " + request, string(protocol.FromHost) + " " + answer,
		string(protocol.FromHost) + " " + event, string(protocol.FromHost) + ` {"small":1}`,
	} {
		require.True(t, got[want], want[:12])
	}
}

// TestWhatIsInterruptedIsNotWhole: of an answer that the client does not wait for, the bytes are noted as not all of it, and are no
// message. Of an event they are not.
func TestWhatIsInterruptedIsNotWhole(t *testing.T) {
	const text = "data: {\"half"
	for _, kind := range []string{"application/json", "text/event-stream"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		h := newHeard()
		address, end := behind(t, record.Messages, server.URL, h)
		response, err := http.Get("http://" + address)
		require.NoError(t, err)
		_, err = io.ReadFull(response.Body, make([]byte, len(text)))
		require.NoError(t, err)
		_ = response.Body.Close()
		server.Close() // waits for the handler, whose client has gone
		end()
		require.Empty(t, h.messages[protocol.FromHost])
		require.Equal(t, map[string]int{"application/json": len(text)}[kind], h.sizes[protocol.FromHost])
	}
}

// TestAMessageWithALostPartIsNotPlayed: not even if what is left of it is JSON.
func TestAMessageWithALostPartIsNotPlayed(t *testing.T) {
	for lost, want := range map[int]string{0: "", 1: "message 1 is too large to be played, or the recording does not have all of it"} {
		var file bytes.Buffer
		w, err := record.NewWriter(&file, record.Head{Framing: record.Messages})
		require.NoError(t, err)
		part := record.Entry{Conn: 1, From: protocol.FromHost, Data: []byte(`{"a":"`), Cut: true, More: true, Stream: 1}
		require.NoError(t, w.Write(&part))
		if lost > 0 {
			require.NoError(t, w.Write(&record.Entry{Conn: 1, From: protocol.FromHost, Lost: lost}))
		}
		part.Data, part.More = []byte(`x"}`), false
		require.NoError(t, w.Write(&part))
		r, err := record.NewReader(&file)
		require.NoError(t, err)
		if _, _, err = replay.Messages(r, 1); want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
