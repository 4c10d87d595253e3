// The status page: what it shows of a host at work, and who may read it.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

// get gets a path of a handler.
func get(t *testing.T, h http.Handler, host, path string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return string(text)
}

func TestTheStatusShowsWhatAHostCarries(t *testing.T) {
	s := new(status)
	log := journal{"host", new(sync.Mutex), io.Discard}
	require.NoError(t, serve(deadline(t), log, "127.0.0.1:0", &s.counts, func(ctx context.Context, h *host, url string) error {
		start := time.Now()
		s.take(start)
		if err := play(ctx, journal{"client", log.mu, io.Discard}, "alice", url, ahp.SupportedVersions()); err != nil {
			return err
		}
		s.take(start.Add(2 * time.Second))
		s.take(start.Add(3 * time.Second))
		handler, err := s.handler(h.Server)
		require.NoError(t, err)

		answer := get(t, handler, "localhost:8138", "/figures")
		require.Equal(t, http.StatusOK, answer.StatusCode)
		var got report
		require.NoError(t, json.Unmarshal([]byte(body(t, answer)), &got))
		require.Len(t, got.Samples, 2, "the first reading has no rates")
		busy, idle := got.Samples[0], got.Samples[1]
		sent := int64(0)
		for _, m := range got.Totals.Methods {
			sent += m.Sent
		}
		require.InDelta(t, float64(sent)/2, busy.Sent, 1e-9, "messages per second, of two seconds")
		require.EqualValues(t, 5, busy.Channels)
		require.InDelta(t, 0.5, busy.Rejected, 1e-9, "one title within two seconds")
		require.NotNil(t, busy.WaitedMost)
		require.NotNil(t, busy.AnsweredHalf)
		require.Zero(t, idle.Published)
		require.Nil(t, idle.WaitedMost, "nothing waited, which is not 0 ms")
		require.EqualValues(t, 1, got.Totals.Replayed, "the connection that broke")
		require.Empty(t, got.Failed)

		for path, want := range map[string]string{"/livez": "ok\n", "/readyz": "ok\n"} {
			require.Equal(t, want, body(t, get(t, handler, "localhost:8138", path)), path)
		}
		require.Equal(t, http.StatusNotFound, get(t, handler, "localhost:8138", "/elsewhere").StatusCode)
		for _, path := range []string{"/", "/figures", "/readyz"} {
			require.Equal(t, http.StatusForbidden, get(t, handler, "evil.example", path).StatusCode, path)
		}
		require.Equal(t, "no space left on device", s.report(errors.New("no space left on device")).Failed)
		return nil
	}))
}

func TestTheStatusKeepsTwoMinutes(t *testing.T) {
	s := new(status)
	start := time.Unix(1e9, 0)
	for i := range 1000 {
		s.take(start.Add(time.Duration(i) * time.Second))
	}
	samples := s.report(nil).Samples
	require.Len(t, samples, kept)
	require.Equal(t, start.Add(999*time.Second).UnixMilli(), samples[kept-1].At)
}

// TestThePageIsDrawn reads the page as a browser without a network sees it: its script must be JavaScript, and each member that
// it draws must be one of the figures.
func TestThePageIsDrawn(t *testing.T) {
	page, err := new(status).page()
	require.NoError(t, err)
	require.Contains(t, string(page), "--accent", "the looks of the reference")
	require.NotContains(t, string(page), "ZgotmplZ")
	data, err := json.Marshal(sample{})
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(data, &members))
	drawn := 0
	for _, line := range strings.Split(statusScript, "\n") {
		if !strings.Contains(line, "lines: [[") {
			continue
		}
		for _, part := range strings.Split(line, `["`)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			require.Contains(t, members, name)
			drawn++
		}
	}
	require.Equal(t, len(members)-1, drawn, "all but the time")

	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	check := exec.CommandContext(deadline(t), node, "--check", "-")
	check.Stdin = strings.NewReader(statusScript)
	out, err := check.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestAHostServesItsStatusUntilItIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(deadline(t))
	log := journal{"host", new(sync.Mutex), io.Discard}
	h, err := newHost(ctx, log, nil, server.Limits{})
	require.NoError(t, err)
	defer h.Close()
	s := new(status)
	var seen string
	require.NoError(t, s.serve(ctx, "127.0.0.1:0", h, func(url string) {
		go func() {
			defer cancel()
			answer, err := http.Get(url + "/livez") //nolint:noctx // the test's own server
			if err != nil {
				return
			}
			defer answer.Body.Close()
			var text bytes.Buffer
			_, _ = text.ReadFrom(answer.Body)
			seen = text.String()
		}()
	}))
	require.Equal(t, "ok\n", seen)
}
