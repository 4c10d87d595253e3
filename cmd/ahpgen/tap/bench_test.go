//go:build unix

// How much later messages arrive that pass through a tap.

package tap

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
)

// answer is a server: it has an empty result for each request, which begins with its id.
func answer() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		id, _, ok := strings.Cut(strings.TrimPrefix(in.Text(), `{"id":`), ",")
		if ok {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", id)
		}
	}
}

// BenchmarkDelay measures requests to a process and its answers, in turns directly and through a tap that judges and records them.
// The delay is how much later one message arrives, at the median; go test -bench Delay -benchtime 5000x has 10,000 of them.
func BenchmarkDelay(b *testing.B) {
	g, err := generator.New(generator.Config{Schemas: "mcp@2025-11-25"}, nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := g.AnalyzeReducers()
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(filepath.Join(b.TempDir(), "talk.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	w, err := record.NewWriter(file, record.Head{Framing: record.Lines})
	if err != nil {
		b.Fatal(err)
	}
	j, judged := judge.New([]judge.Version{{Protocol: p}}), 0
	tap := New(record.Lines,
		func(e *record.Entry) {
			if err := w.Write(e); err != nil {
				b.Error(err)
			}
		},
		func(e *record.Entry) { judged += len(j.Feed(record.Lines, e)) },
	)
	b.Setenv(is, "host")
	direct := dial(b, func(in, out *os.File) {
		if p, err := os.StartProcess(os.Args[0], os.Args[:1], &os.ProcAttr{Files: []*os.File{in, out, os.Stderr}}); err == nil {
			_, _ = in.Close(), out.Close()
			_, _ = p.Wait()
		}
	})
	tapped := dial(b, func(in, out *os.File) { _, _ = tap.Child([]string{os.Args[0]}, in, out, os.Stderr) })
	var times [2][]time.Duration
	n := 0
	for b.Loop() {
		n++
		message := fmt.Appendf(nil, `{"id":%d,"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":%q}}}`+"\n", n, strings.Repeat("x", 200))
		for i, c := range []*conversation{direct, tapped} {
			times[i] = append(times[i], c.ask(message))
		}
	}
	direct.end()
	tapped.end()
	if !tap.Close() || judged != 2*n {
		b.Fatalf("%d messages were judged, and not %d", judged, 2*n)
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	median := func(times []time.Duration) float64 { return float64(times[len(times)/2].Microseconds()) }
	b.ReportMetric(0, "ns/op") // two messages each way
	b.ReportMetric(median(times[0])/2, "direct-µs")
	b.ReportMetric(median(times[1])/2, "tapped-µs")
	b.ReportMetric((median(times[1])-median(times[0]))/2, "delay-µs")
}

// conversation is one with a process.
type conversation struct {
	*testing.B
	in   *os.File
	out  *bufio.Reader
	done chan struct{}
}

// dial starts a process between two pipes.
func dial(b *testing.B, run func(in, out *os.File)) *conversation {
	in, ask := pipe(b)
	answer, out := pipe(b)
	c := &conversation{b, ask, bufio.NewReader(answer), make(chan struct{})}
	go func() {
		defer close(c.done)
		run(in, out)
	}()
	return c
}

// ask sends a request, and returns how long its answer has taken.
func (c *conversation) ask(message []byte) time.Duration {
	start := time.Now()
	if _, err := c.in.Write(message); err != nil {
		c.Fatal(err)
	}
	line, err := c.out.ReadSlice('\n')
	if err != nil || !bytes.Contains(line, []byte("result")) {
		c.Fatal(string(line), err)
	}
	return time.Since(start)
}

func (c *conversation) end() {
	_ = c.in.Close()
	<-c.done
}

func pipe(b *testing.B) (*os.File, *os.File) {
	b.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	return r, w
}
