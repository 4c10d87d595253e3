// Package conform breaks the demos on purpose, and tests what ahpgen conform reports.
package conform

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/conform"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// builds are of the commands of this module by their names, each of which is built once.
var builds = map[string]func() (string, error){
	"ahpgen": building("ahpgen"), "acpdemo": building("acpdemo"), "mcpdemo": building("mcpdemo"), "ahpdemo": building("ahpdemo"),
}

func building(name string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp("", "conform") // goes with the run
		if err != nil {
			return "", err
		}
		program := filepath.Join(dir, name+".exe")
		if out, err := exec.Command("go", "build", "-o", program, "../../cmd/"+name).CombinedOutput(); err != nil {
			return "", &exec.Error{Name: string(out), Err: err}
		}
		return program, nil
	})
}

// demo is a program of ours.
type demo struct {
	options conform.Options
	args    []string // of the program; nil for one that listens
}

// analysed are the protocols of the demos.
var analysed sync.Map

func analyse(t *testing.T, schemas string) *protocol.Protocol {
	t.Helper()
	if p, ok := analysed.Load(schemas); ok {
		return p.(*protocol.Protocol)
	}
	g, err := generator.New(generator.Config{Schemas: schemas}, &diag.List{})
	require.NoError(t, err)
	p, err := g.AnalyzeReducers()
	require.NoError(t, err)
	analysed.Store(schemas, p)
	return p
}

// demos returns a demo by its protocol.
func demos(t *testing.T, name string) *demo {
	t.Helper()
	d := &demo{}
	program := func(name string) string {
		path, err := builds[name]()
		require.NoError(t, err)
		return path
	}
	switch name {
	case "acp":
		d.args = []string{program("acpdemo"), "agent"}
		d.options.Protocol = analyse(t, "acp@1")
	case "mcp":
		d.args = []string{program("mcpdemo")}
		d.options.Protocol, d.options.Notify = analyse(t, "mcp@2025-11-25"), []string{"notifications/initialized"}
		d.options.Params = map[string]any{"tools/call": map[string]any{"name": "greet", "arguments": map[string]any{}}}
	case "mcp@2026-07-28":
		d.args = []string{program("mcpdemo")}
		d.options.Protocol, d.options.Without = analyse(t, name), []string{"subscriptions/listen"}
	case "mcp over HTTP":
		d.options.Protocol, d.options.Notify = analyse(t, "mcp@2025-11-25"), []string{"notifications/initialized"}
		d.listens(t, "http", program("mcpdemo"), "--http", "127.0.0.1:0")
	case "acp over a WebSocket":
		d.options.Protocol = analyse(t, "acp@1")
		d.listens(t, "ws", program("acpdemo"), "serve", "--listen", "127.0.0.1:0")
	case "client of acp":
		d.options.Protocol = analyse(t, "acp@1")
		d.args = []string{program("acpdemo"), "run", "--prompt", "Buy milk", "--allow", "--root", t.TempDir(), "{server}"}
	case "client of ahp":
		d.options.Protocol = analyse(t, "ahp@1.0.0")
		d.args = []string{program("ahpdemo"), "client", "--url", "{url}"}
	case "ahp":
		d.options.Protocol = analyse(t, "ahp@1.0.0")
		d.listens(t, "ws", program("ahpdemo"), "host", "--listen", "127.0.0.1:0")
	}
	if strings.HasPrefix(name, "client of ") {
		d.options.Side, d.options.Patience = protocol.FromClient, 3*time.Second
		relay := []string{program("ahpgen"), "conform", "--relay"}
		d.options.Connect = func(ctx context.Context) (*tap.Link, error) {
			return tap.Meet(ctx, record.Lines, d.args, relay, nil)
		}
	}
	d.options.Versions = []judge.Version{{Protocol: d.options.Protocol}}
	if d.args != nil && d.options.Connect == nil {
		d.options.Connect = func(context.Context) (*tap.Link, error) { return tap.Start(record.Lines, d.args, nil) }
	}
	return d
}

// listens starts a program that prints its URL.
func (d *demo) listens(t *testing.T, scheme, program string, args ...string) {
	t.Helper()
	c := exec.Command(program, args...)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	url := lines.Text()[strings.LastIndex(lines.Text(), " ")+1:]
	go func() {
		for lines.Scan() {
		}
	}()
	to, err := tap.ParseTarget(strings.Replace(url, "http:", scheme+":", 1))
	require.NoError(t, err)
	d.options.Connect = func(ctx context.Context) (*tap.Link, error) {
		return tap.Open(ctx, record.Lines, to, nil, d.options.Protocol)
	}
}

// play returns the results of the scenarios.
func (d *demo) play(t *testing.T) (out []conform.Result) {
	t.Helper()
	require.NoError(t, conform.Run(context.Background(), d.options, func(r conform.Result) { out = append(out, r) }))
	return out
}

// found returns the findings in results, with the names of their scenarios.
func found(results []conform.Result) (out []string) {
	for _, r := range results {
		for _, f := range r.Findings {
			if !f.Note {
				out = append(out, r.Name+": "+f.Rule+": "+f.Subject+": "+f.Text)
			}
		}
	}
	return out
}

// atOnce does something n times, several at once: what plays scenarios waits most of the time.
func atOnce(n int, do func(i int)) {
	const workers = 12
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := next.Add(1); int(i) <= n; i = next.Add(1) {
				do(int(i) - 1)
			}
		})
	}
	all.Wait()
}

// TestNothingIsFoundInOurOwn plays everything to the demos: to one of each kind, unless all are asked for.
func TestNothingIsFoundInOurOwn(t *testing.T) {
	names := []string{"acp", "client of acp", "acp over a WebSocket", "mcp", "mcp over HTTP", "mcp@2026-07-28", "ahp", "client of ahp"}
	if !flags.All(t) {
		names = names[:2]
	}
	results := make([][]conform.Result, len(names))
	atOnce(len(names), func(i int) { results[i] = demos(t, names[i]).play(t) })
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, found(results[i]))
			passed := 0
			for _, r := range results[i] {
				if r.Skipped == "" {
					passed++
				}
			}
			t.Logf("%d scenarios, %d of them to the end", len(results[i]), passed)
			require.Greater(t, passed, 25)
		})
	}
}

// TestAProgramThatSaysNothingPassesNothing: its end is no answer, although that of one that speaks may be.
func TestAProgramThatSaysNothingPassesNothing(t *testing.T) {
	for _, only := range []string{"handshake", "handshake/unknown-version"} {
		out, code := kit.Ahpgen("conform", "--schemas", "acp", "--only", only, "--only", "ends/input", "--", "go", "run", "./nowhere")
		require.Equal(t, 1, code, out)
		require.NotContains(t, out, "ok ", out)
		require.Contains(t, out, "connection-lost: version 9999: the program has ended with exit code 1, and has not answered")
	}
}
