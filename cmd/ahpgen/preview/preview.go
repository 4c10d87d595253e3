// Package preview serves generated pages locally, rebuilds them when inputs change, and reloads browsers.
package preview

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Site is a set of pages to serve.
type Site struct {
	Files   map[string][]byte // by slash-separated name
	Problem string            // why the pages are outdated, or ""
	Inputs  []string          // input files and folders
}

// Server serves a site. Use New to create one.
type Server struct {
	build func() Site

	mu      sync.Mutex
	site    Site
	version int
	changed chan struct{} // closed on the next version
}

// New returns a server for the site returned by build, which is called immediately and whenever an input changes. If
// build returns no files, the previous ones remain.
func New(build func() Site) *Server {
	s := &Server{build: build, changed: make(chan struct{})}
	s.renew()
	return s
}

// Ready returns nil if there are pages, or the reason why not.
func (s *Server) Ready() (ok bool, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.site.Files) > 0, s.site.Problem
}

func (s *Server) renew() {
	next := s.build()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(next.Files) == 0 {
		next.Files = s.site.Files
	}
	if len(next.Inputs) < len(s.site.Inputs) && next.Problem != "" {
		next.Inputs = s.site.Inputs // the build failed earlier than before
	}
	s.site = next
	s.version++
	close(s.changed)
	s.changed = make(chan struct{})
}

// Watch polls the inputs until the context ends, and rebuilds the pages on changes. It calls tell each time.
func (s *Server) Watch(ctx context.Context, every time.Duration, tell func(problem string)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	seen := s.fingerprint()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := s.fingerprint()
		if now == seen {
			continue
		}
		seen = now
		s.renew()
		s.mu.Lock()
		problem := s.site.Problem
		s.mu.Unlock()
		tell(problem)
	}
}

// fingerprint returns a digest of the inputs, including files in folders.
func (s *Server) fingerprint() uint64 {
	s.mu.Lock()
	inputs := s.site.Inputs
	s.mu.Unlock()
	h := fnv.New64a()
	note := func(name string, info fs.FileInfo, err error) {
		if err != nil {
			fmt.Fprintf(h, "%s: none\n", name)
			return
		}
		fmt.Fprintf(h, "%s: %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	for _, input := range inputs {
		info, err := os.Stat(input)
		if err != nil || !info.IsDir() {
			note(input, info, err)
			continue
		}
		entries, err := os.ReadDir(input)
		if err != nil {
			note(input, nil, err)
		}
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); ext == ".json" || ext == ".go" {
				info, err := e.Info()
				note(filepath.Join(input, e.Name()), info, err)
			}
		}
	}
	return h.Sum64()
}

const (
	livePath   = "/-/live"
	scriptPath = "/-/live.js"
)

// script reloads a page on a new version, and shows build problems.
const script = `'use strict';
(function () {
  let version = null;
  const events = new EventSource('/-/live');
  events.addEventListener('version', (e) => {
    const next = JSON.parse(e.data);
    if (version !== null && next.version !== version && !next.problem) location.reload();
    version = next.version;
    let bar = document.getElementById('ahpgen-problem');
    if (!next.problem) { bar?.remove(); return; }
    if (!bar) {
      bar = document.createElement('pre');
      bar.id = 'ahpgen-problem';
      bar.setAttribute('role', 'alert');
      document.body.append(bar);
    }
    bar.textContent = next.problem;
  });
})();
`

// Handler serves the site to requests for one of the given hosts, or for a loopback address if there are none.
func (s *Server) Handler(names ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		switch {
		case !allowed(r.Host, names):
			// Guards against DNS rebinding.
			http.Error(w, "ask for this machine by its address", http.StatusMisdirectedRequest)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			http.Error(w, "there is only something to read here", http.StatusMethodNotAllowed)
		case r.URL.Path == livePath:
			s.live(w, r)
		case r.URL.Path == scriptPath:
			h.Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write([]byte(script))
		default:
			s.file(w, r)
		}
	})
}

// allowed reports whether a request's host is permitted.
func allowed(host string, names []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return strings.EqualFold(name, "localhost") || net.ParseIP(strings.Trim(name, "[]")) != nil
}

func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" || strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	s.mu.Lock()
	data, ok := s.site.Files[name]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	if strings.HasSuffix(name, ".html") {
		data = []byte(strings.Replace(string(data), "</body>", `<script src="`+scriptPath+`"></script></body>`, 1))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(data)
	}
}

// live streams version numbers to a page.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "not possible here", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		s.mu.Lock()
		version, problem, changed := s.version, s.site.Problem, s.changed
		s.mu.Unlock()
		if _, err := fmt.Fprintf(w, "event: version\ndata: {\"version\": %d, \"problem\": %s}\n\n", version, quoted(problem)); err != nil {
			return
		}
		flusher.Flush()
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}

// Address completes a listen address. Without a host it is a loopback address.
func Address(text string) (string, error) {
	if _, err := strconv.Atoi(text); err == nil {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("%q is no address such as 127.0.0.1:8080 or :8080", text)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return "", fmt.Errorf("%q has no port between 0 and 65535", text)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Serve serves on a listener until the context ends.
func (s *Server) Serve(ctx context.Context, l net.Listener, names ...string) error {
	server := &http.Server{Handler: s.Handler(names...), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}
