// The demo from end to end, in one process and in two: what it prints, and that both sides end with the
// same states.

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

// runsDemo makes this test binary the command, for the second process.
const runsDemo = "AHPDEMO_TEST_RUNS_THE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(runsDemo) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// inOneProcess runs the demo and returns what it prints.
func inOneProcess(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	c := command(&out)
	c.SetArgs(nil)
	require.NoError(t, c.ExecuteContext(deadline(t)))
	return out.String()
}

// of returns the lines of one side.
func of(who, output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, who) && !strings.Contains(line, " listens on ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestPrintsTheSameEveryTime(t *testing.T) {
	first := inOneProcess(t)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "$ go run ./cmd/ahpdemo\n"+first+"```")
	for range 20 {
		require.Equal(t, first, inOneProcess(t))
	}
}

func TestTwoProcessesPrintWhatOneDoes(t *testing.T) {
	whole := inOneProcess(t)
	ctx := deadline(t)
	host := demo(ctx, "host", "--listen", "127.0.0.1:0")
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	_, url, ok := strings.Cut(strings.TrimSpace(first), "listens on ")
	require.True(t, ok, first)

	client, err := demo(ctx, "client", "--url", url).Output()
	require.NoError(t, err)
	require.Equal(t, of("client", whole), string(client))

	require.NoError(t, host.Process.Signal(os.Interrupt))
	var rest strings.Builder
	_, err = lines.WriteTo(&rest)
	require.NoError(t, err)
	require.NoError(t, host.Wait())
	require.Equal(t, of("host", whole), rest.String())
}

// demo is the command as a process of its own.
func demo(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Env = append(os.Environ(), runsDemo+"=1")
	c.Stderr = os.Stderr
	return c
}

// withHost runs f against a host and returns it when it has ended.
func withHost(t *testing.T, log journal, limits server.Limits, f func(ctx context.Context, url string) error) (ended *host, failed error) {
	t.Helper()
	ctx := deadline(t)
	h, err := newHost(ctx, log, nil, limits)
	require.NoError(t, err)
	return h, h.serveOn(ctx, "127.0.0.1:0", f)
}

func TestBothSidesEndWithTheSameStates(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	var c *client
	h, err := withHost(t, journal{"host", &mu, &out}, server.Limits{}, func(ctx context.Context, url string) (err error) {
		if c, err = connect(ctx, journal{"client", &mu, &out}, "alice", url, ahp.SupportedVersions()); err != nil {
			return err
		}
		return c.play(ctx)
	})
	require.NoError(t, err, out.String())
	host, client := h.states(), c.states()
	require.Len(t, client, 5)
	for uri, state := range host {
		require.Equal(t, string(state), string(client[uri]), uri)
	}
	require.Contains(t, string(host[chatURI]), "Once upon a time there was a wire that broke.")
	require.Contains(t, string(host[sessionURI]), `"title":"Files and tales"`)
}

func TestAClientOfALaterMinorVersionIsServed(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	_, err := withHost(t, journal{"host", &mu, &out}, server.Limits{}, func(ctx context.Context, url string) error {
		return play(ctx, journal{"client", &mu, &out}, "alice", url, []string{"2.0.0", "1.3.0"})
	})
	require.NoError(t, err, out.String())
	require.Contains(t, out.String(), "agrees with alice on version 1.3.0")
	require.Contains(t, out.String(), "Files and tales")
}

func TestAClientOfNoCommonVersionIsRefused(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	_, err := withHost(t, journal{"host", &mu, &out}, server.Limits{}, func(ctx context.Context, url string) error {
		return play(ctx, journal{"client", &mu, &out}, "alice", url, []string{"0.1.0"})
	})
	require.EqualError(t, err, fmt.Sprintf("alice: the host speaks %v only", ahp.SupportedVersions()))
}

func TestWhoHasMissedTooMuchGetsNewStates(t *testing.T) {
	var mu sync.Mutex
	var out bytes.Buffer
	var c *client
	h, err := withHost(t, journal{"host", &mu, &out}, server.Limits{Window: 2}, func(ctx context.Context, url string) (err error) {
		if c, err = connect(ctx, journal{"client", &mu, &out}, "alice", url, ahp.SupportedVersions()); err != nil {
			return err
		}
		return c.play(ctx)
	})
	require.NoError(t, err, out.String())
	require.NotContains(t, out.String(), "#25 ", "it was not replayed")
	require.Equal(t, h.states(), c.states())
}

func TestLoadIsCarriedInOrder(t *testing.T) {
	var out bytes.Buffer
	c := command(&out)
	c.SetArgs([]string{"load", "--clients", "20", "--channels", "4", "--subscriptions", "2", "--rate", "500", "--for", "2"})
	require.NoError(t, c.ExecuteContext(deadline(t)), out.String())
	require.Regexp(t, `(?m)^host    has 20 clients, each on 2 of 4 channels\nhost    +[1-9]\d* envelopes/s, `, out.String())
}
