// Status: a page of what a host carries, from its observer.

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/generated/wire/health"
	"github.com/ahpgen/ahpgen/generated/wire/observe"
	"github.com/ahpgen/ahpgen/generated/wire/site"
	"github.com/ahpgen/ahpgen/templates"
)

// statusPage is the page, without its looks, which are those of the reference.
//
//go:embed status.html
var statusPage string

//go:embed status.js
var statusScript string

// kept is how many samples are kept, one for each second.
const kept = 120

// sample is what a host did within a second, and what it has at its end. Rates are per second, durations are in milliseconds.
type sample struct {
	At            int64    `json:"at"` // milliseconds since 1970
	Clients       int64    `json:"clients"`
	Connections   int64    `json:"connections"`
	Channels      int64    `json:"channels"`
	Subscriptions int64    `json:"subscriptions"`
	Published     float64  `json:"published"`
	Rejected      float64  `json:"rejected"`
	Sent          float64  `json:"sent"`
	Received      float64  `json:"received"`
	SentBytes     float64  `json:"sentBytes"`
	ReceivedBytes float64  `json:"receivedBytes"`
	WaitedHalf    *float64 `json:"waitedHalf"` // of what was published, until it was written; nil if nothing was
	WaitedMost    *float64 `json:"waitedMost"`
	AnsweredHalf  *float64 `json:"answeredHalf"` // of requests, likewise
	AnsweredMost  *float64 `json:"answeredMost"`
	Queued        int64    `json:"queued"` // the longest queue of a client within the second
	QueuedBytes   int64    `json:"queuedBytes"`
	QueuedActions int64    `json:"queuedActions"` // the longest queue of the host
}

// milliseconds returns how long half and 99 % of durations were at most, nil without any.
func milliseconds(s observe.Spread) (half, most *float64) {
	if s.Count == 0 {
		return nil, nil
	}
	ms := func(d time.Duration) *float64 { n := float64(d) / float64(time.Millisecond); return &n }
	return ms(s.Half), ms(s.Most)
}

// report is what the page asks for.
type report struct {
	Failed  string          `json:"failed,omitempty"` // why the host has ended
	Samples []sample        `json:"samples"`          // oldest first
	Totals  observe.Figures `json:"totals"`           // from the start
}

// status samples a host's figures, and serves them.
type status struct {
	counts observe.Counts

	mu      sync.Mutex
	before  observe.Figures
	at      time.Time // of before
	samples []sample
}

// take adds a sample of the time since the former one.
func (s *status) take(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, b := s.counts.Read(), &s.before
	if !s.at.IsZero() {
		seconds := max(now.Sub(s.at).Seconds(), 1e-3)
		rate := func(now, before int64) float64 { return float64(now-before) / seconds }
		next := sample{
			At: now.UnixMilli(), Clients: f.Clients, Connections: f.Connections, Channels: f.Channels, Subscriptions: f.Subscriptions,
			Published: rate(f.Published, b.Published), Rejected: rate(f.Rejected, b.Rejected),
			Sent: rate(f.Sent.Messages, b.Sent.Messages), Received: rate(f.Received.Messages, b.Received.Messages),
			SentBytes: rate(f.Sent.Bytes, b.Sent.Bytes), ReceivedBytes: rate(f.Received.Bytes, b.Received.Bytes),
			Queued: f.Queued, QueuedBytes: f.QueuedBytes, QueuedActions: f.QueuedActions,
		}
		next.WaitedHalf, next.WaitedMost = milliseconds(f.Waited.Since(b.Waited))
		next.AnsweredHalf, next.AnsweredMost = milliseconds(f.Answered.Since(b.Answered))
		s.samples = append(s.samples, next)
		s.samples = s.samples[max(0, len(s.samples)-kept):]
	}
	s.before, s.at = f, now
}

// report returns what the page shows of a host that has ended because of an error, or has not.
func (s *status) report(ended error) report {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := report{Samples: append([]sample{}, s.samples...), Totals: s.before}
	if ended != nil {
		out.Failed = ended.Error()
	}
	return out
}

// handler serves the page at /, its figures at /figures, and probes at /livez and /readyz.
func (s *status) handler(h health.Server) (http.Handler, error) {
	page, err := s.page()
	if err != nil {
		return nil, err
	}
	m := http.NewServeMux()
	probes := health.Handler(h, nil)
	m.Handle("GET /livez", probes)
	m.Handle("GET /readyz", probes)
	m.HandleFunc("GET /figures", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(s.report(h.Err())) // fails if the browser has gone
	})
	m.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !site.KnowsHost(r, nil) { // a foreign page must not read this one by a name that leads here
			http.Error(w, "unknown host", http.StatusForbidden)
			return
		}
		m.ServeHTTP(w, r)
	}), nil
}

// page returns the page as one file.
func (s *status) page() ([]byte, error) {
	style, err := templates.Pages().Open("style.css")
	if err != nil {
		return nil, fmt.Errorf("read looks: %w", err)
	}
	var css, out bytes.Buffer
	if _, err := css.ReadFrom(style); err != nil {
		return nil, fmt.Errorf("read looks: %w", err)
	}
	t, err := template.New("status").Parse(statusPage)
	if err != nil {
		return nil, fmt.Errorf("read page: %w", err)
	}
	err = t.Execute(&out, struct {
		Style  template.CSS
		Script template.JS
	}{template.CSS(css.String()), template.JS(statusScript)}) //nolint:gosec // both are files of this repository
	if err != nil {
		return nil, fmt.Errorf("fill page: %w", err)
	}
	return out.Bytes(), nil
}

// serve serves the status of a host at an address while the context lasts, and takes a sample each second. It calls ready with
// the URL.
func (s *status) serve(ctx context.Context, address string, h *host, ready func(url string)) error {
	handler, err := s.handler(h.Server)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ready("http://" + listener.Addr().String())
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	s.take(time.Now())
	for {
		select {
		case now := <-tick.C:
			s.take(now)
		case err := <-ended:
			return err
		case <-ctx.Done():
			err := web.Close()
			if failed := <-ended; !errors.Is(failed, http.ErrServerClosed) {
				err = errors.Join(err, failed)
			}
			return err
		}
	}
}
