package preview_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/preview"
)

// pages shows what a file holds; one that begins with "bad" cannot be shown.
func pages(file string) func() preview.Site {
	return func() preview.Site {
		text, err := os.ReadFile(file)
		out := preview.Site{Inputs: []string{filepath.Dir(file)}}
		if err != nil || strings.HasPrefix(string(text), "bad") {
			out.Problem = string(text)
			return out
		}
		out.Files = map[string][]byte{
			"index.html": []byte("<body>" + string(text) + "</body>"), "sub/index.html": []byte("sub"), "assets/page.js": []byte("1"), "..index.html": []byte("odd"),
		}
		return out
	}
}

func get(t *testing.T, h http.Handler, method, target, host string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	var b strings.Builder
	for s := bufio.NewScanner(r.Body); s.Scan(); {
		b.WriteString(s.Text())
	}
	return b.String()
}

func TestPagesAreServed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.WriteFile(file, []byte("first"), 0o600))
	h := preview.New(pages(file)).Handler("pages.example")
	for _, c := range []struct {
		method, target, host string
		code                 int
		has                  string
	}{
		{"GET", "/", "127.0.0.1:80", 200, `first<script src="/-/live.js">`},
		{"GET", "/sub/", "localhost", 200, "sub"},
		{"GET", "/assets/page.js", "[::1]:80", 200, "1"},
		{"GET", "/-/live.js", "127.0.0.1", 200, "EventSource"},
		{"HEAD", "/", "127.0.0.1", 200, ""},
		{"GET", "/", "pages.example:80", 200, "first"},
		{"GET", "/", "evil.example", 421, ""},
		{"GET", "/-/live", "evil.example", 421, ""},
		{"POST", "/", "127.0.0.1", 405, ""},
		{"GET", "/../a.json", "127.0.0.1", 404, ""},
		{"GET", "/none.html", "127.0.0.1", 404, ""},
	} {
		r := get(t, h, c.method, c.target, c.host)
		require.Equal(t, c.code, r.StatusCode, "%s %s", c.method, c.target)
		require.Contains(t, body(t, r), c.has)
		require.Contains(t, r.Header.Get("Content-Security-Policy"), "script-src 'self';")
	}
}

// TestBrowsersAreTold follows the pages while what they show changes, breaks, and is mended.
func TestBrowsersAreTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	write := func(text string) { // atomically: no reader sees a part of it
		require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(file+".new", file))
	}
	write("first")
	s := preview.New(pages(file))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go s.Watch(ctx, time.Millisecond, func(string) {})
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	r, err := http.Get(server.URL + "/-/live")
	require.NoError(t, err)
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	// next waits for an event that says something.
	next := func(says string) {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), says) {
				return
			}
		}
		require.Fail(t, "no such event", says)
	}
	shown := func() string {
		r, err := http.Get(server.URL)
		require.NoError(t, err)
		defer r.Body.Close()
		return body(t, r)
	}
	next(`"version": 1, "problem": ""`)
	write("second text")
	next(`"problem": ""`)
	require.Eventually(t, func() bool { return strings.Contains(shown(), "second text") }, time.Minute, time.Millisecond)
	write("bad\ninput")
	next(`"problem": "bad\ninput"`)
	require.Contains(t, shown(), "second text", "the pages of before stay")
	write("mended it is")
	next(`"problem": ""`)
	require.Eventually(t, func() bool { return strings.Contains(shown(), "mended it is") }, time.Minute, time.Millisecond)
}

func TestAddressesAreThisMachineUnlessTheySayOtherwise(t *testing.T) {
	for text, want := range map[string]string{
		":8080": "127.0.0.1:8080", "8080": "127.0.0.1:8080", "localhost:1": "localhost:1", "0.0.0.0:80": "0.0.0.0:80", "[::1]:80": "[::1]:80", ":0": "127.0.0.1:0",
	} {
		got, err := preview.Address(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "localhost", ":x", ":70000", "-1"} {
		_, err := preview.Address(text)
		require.Error(t, err, text)
	}
}
