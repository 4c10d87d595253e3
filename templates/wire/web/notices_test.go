package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// refusing returns a server that opens sessions and refuses the notification "refused", of which the goroutine that writes reports.
func refusing(t *testing.T) (h *Sessions, url string) {
	t.Helper()
	h = peers(serving{"initialize": initialized, "initialized": echo, "echo": echo}, nil)
	return h, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), `"refused"`) {
				http.Error(w, "no", http.StatusBadRequest)
				return
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
		}
		h.ServeHTTP(w, r)
	}))
}

func TestACallbackMayCloseTheSession(t *testing.T) {
	h, url := refusing(t)
	peers, told, closed := make(chan *rpc.Peer, 1), make(chan error, 1), make(chan error, 1)
	client := dial(t, url, serving{}, &Options{OnError: func(err error) {
		p := <-peers
		_, asked := p.Call(t.Context(), "echo", raw("[1]"))
		check(t, asked, nil)
		closed <- p.Close()
		time.Sleep(50 * time.Millisecond)
		told <- err
	}})
	began := time.Now()
	peers <- client
	check(t, client.Notify(t.Context(), "refused", nil), nil)
	check(t, soon(t, closed), nil)
	check(t, text(soon(t, told)), "HTTP status 400 Bad Request: no")
	check(t, time.Since(began) < 5*time.Second, true)
	eventually(t, "the session ends", func() bool { return h.count() == 0 })
}

// TestACallbackMayWaitForTheEnd has another goroutine close the session, for which the callback waits, as if it closed a connection of
// package conn.
func TestACallbackMayWaitForTheEnd(t *testing.T) {
	h, url := refusing(t)
	peers, closed := make(chan *rpc.Peer, 1), make(chan error, 1)
	client := dial(t, url, serving{}, &Options{OnError: func(error) {
		ended := make(chan error, 1)
		go func() { ended <- (<-peers).Close() }()
		closed <- <-ended
	}})
	peers <- client
	check(t, client.Notify(t.Context(), "refused", nil), nil)
	check(t, soon(t, closed), nil)
	eventually(t, "the session ends", func() bool { return h.count() == 0 })
}
