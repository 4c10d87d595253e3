package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// TestACallbackMayCloseTheSession has the server refuse a notification, of which the goroutine that writes reports.
func TestACallbackMayCloseTheSession(t *testing.T) {
	h := peers(serving{"initialize": initialized, "initialized": echo, "echo": echo}, nil)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
