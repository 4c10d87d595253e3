package tap

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// TestEventsThatAreSentAgainAreOneMessage: a stream that goes on behind an event repeats what the client may not have. What
// differs from that, has no id, or is sent again without having been asked for, is another message.
func TestEventsThatAreSentAgainAreOneMessage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch r.Header.Get("Last-Event-ID") + r.URL.Path {
		case "/a":
			fmt.Fprint(w, "id: a-0\ndata:\n\nid: a-1\ndata: {\"progress\":1}\n\ndata: {\"answer\":2}\nid: a-2\n\ndata: {\"nameless\":1}\n\n")
		case "/b":
			fmt.Fprint(w, "id: a-1\ndata: {\"progress\":1}\n\n") // on another stream, for which nothing was asked
		case "a-0/a", "a-1/a":
			fmt.Fprint(w, "id: a-1\ndata: {\"progress\":1}\n\nid: a-2\ndata: {\"answer\":2}\n\n")
			fmt.Fprint(w, "id: a-2\ndata: {\"other\":2}\n\nid: a-3\ndata: {\"answer\":2}\n\ndata: {\"nameless\":1}\n\n")
		}
	}))
	defer server.Close()
	h := newHeard()
	address, end := behind(t, record.Messages, server.URL, h)
	get := func(session, path, last string) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+address+path, nil)
		require.NoError(t, err)
		r.Header.Set("Session", session)
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
	}
	get("s1", "/a", "")
	get("s1", "/a", "a-0")
	get("s1", "/b", "")
	get("s1", "/a", "a-1")
	get("s2", "/a", "a-0") // in another session these are the first
	end()
	const progress, answer, nameless, other = `{"progress":1}`, `{"answer":2}`, `{"nameless":1}`, `{"other":2}`
	require.Equal(t, []string{
		progress, answer, nameless,
		other, answer, nameless,
		progress,
		nameless,
		progress, answer, other, answer, nameless,
	}, h.messages[protocol.FromHost])
}

// TestFewEventsAreRemembered: as many as there is room for, and the oldest are forgotten.
func TestFewEventsAreRemembered(t *testing.T) {
	var s sentEvents
	for i := range 2*maxEvents + 10 {
		require.False(t, s.add(1, []byte(fmt.Sprint(i)), nil))
	}
	require.Len(t, s.has, maxEvents)
	require.Len(t, s.list, maxEvents)
	require.True(t, s.add(1, []byte(fmt.Sprint(maxEvents+10)), nil))
	require.False(t, s.add(1, []byte(fmt.Sprint(maxEvents+9)), nil))
}
