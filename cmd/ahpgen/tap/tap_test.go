//go:build unix

package tap

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// is says what this test binary is when a test starts it.
const is = "AHPGEN_TAP_TEST_IS"

// recordsIn names the file of a tap that a test starts.
const recordsIn = "AHPGEN_TAP_TEST_RECORDS_IN"

func TestMain(m *testing.M) {
	switch os.Getenv(is) {
	case "echo":
		_, _ = io.Copy(os.Stdout, os.Stdin)
		os.Exit(7)
	case "host":
		answer()
		os.Exit(0)
	case "late": // answers after its input has ended
		data, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%d bytes\n", len(data))
		os.Exit(0)
	case "half": // ends its output first
		fmt.Println("that is all")
		_ = os.Stdout.Close()
		data, _ := io.ReadAll(os.Stdin)
		os.Exit(len(data))
	case "deaf": // reads nothing
		time.Sleep(500 * time.Millisecond)
		os.Exit(0)
	case "wait":
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		<-signals
		os.Exit(3)
	case "tap": // records, with an echo behind it
		file, _ := os.Create(os.Getenv(recordsIn))
		w, _ := record.NewWriter(file, record.Head{Framing: record.Lines})
		_ = os.Setenv(is, "echo")
		_, _ = New(record.Lines, func(e *record.Entry) { _ = w.Write(e) }).Child([]string{os.Args[0]}, os.Stdin, os.Stdout, os.Stderr)
		os.Exit(0)
	case "wrapper": // starts another program, and waits for it
		_ = os.Setenv(is, "stubborn")
		cmd := exec.Command(os.Args[0])
		cmd.Stdout = os.Stdout
		_ = cmd.Run()
		os.Exit(0)
	case "stubborn": // goes on when its input has ended
		fmt.Println(os.Getpid())
		select {}
	case "killed":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	}
	os.Exit(m.Run())
}

// run runs this binary as a child behind a tap.
func run(t *testing.T, as string, in io.Reader, out io.Writer, watch ...func(*record.Entry)) int {
	t.Helper()
	t.Setenv(is, as)
	tap := New(record.Lines, watch...)
	code, err := tap.Child([]string{os.Args[0]}, in, out, os.Stderr)
	require.NoError(t, err)
	require.True(t, tap.Close())
	return code
}

func TestEveryByteIsPassedOnAndSeen(t *testing.T) {
	var in, out bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","method":"x","params":{"n":%d,"text":"é<>\u0000"}}`+"\r\n\n", i)
	}
	in.WriteString("\xff\xfe no JSON, and no end")
	want := in.String()
	seen := map[protocol.Side]*bytes.Buffer{protocol.FromClient: {}, protocol.FromHost: {}}
	ends := 0
	code := run(t, "echo", &in, &out, func(e *record.Entry) {
		seen[e.From].Write(e.Data)
		if e.End {
			ends++
		}
	})
	require.Equal(t, 7, code)
	require.Equal(t, want, out.String())
	require.Equal(t, want, seen[protocol.FromClient].String())
	require.Equal(t, want, seen[protocol.FromHost].String())
	require.Equal(t, 2, ends)
}

func TestHalfClosesArePassedOn(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, run(t, "late", strings.NewReader("12345"), &out))
	require.Equal(t, "5 bytes\n", out.String())

	in, write := io.Pipe()
	read, ends, err := os.Pipe()
	require.NoError(t, err)
	go func() {
		text, _ := io.ReadAll(read) // until the child has closed its output
		_, _ = fmt.Fprint(write, len(text))
		_ = write.Close()
	}()
	require.Equal(t, 2, run(t, "half", in, ends))
}

func TestSignalsReachTheChild(t *testing.T) {
	read, out, err := os.Pipe()
	require.NoError(t, err)
	go func() {
		_, _ = bufio.NewReader(read).ReadString('\n')
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Signal(syscall.SIGTERM)
	}()
	in, _ := io.Pipe()
	require.Equal(t, 3, run(t, "wait", in, out))
}

func TestAKilledChildHasTheExitCodeOfAShell(t *testing.T) {
	in, _ := io.Pipe()
	require.Equal(t, 128+9, run(t, "killed", in, io.Discard))
}

// TestAChildThatReadsNothingStopsTheOther: what is read is what a pipe holds, and no more than a chunk waits in the tap.
func TestAChildThatReadsNothingStopsTheOther(t *testing.T) {
	var mu sync.Mutex
	read := 0
	in := reader(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		read += len(p)
		return copy(p, bytes.Repeat([]byte("x"), len(p))), nil
	})
	require.Zero(t, run(t, "deaf", in, io.Discard))
	mu.Lock()
	defer mu.Unlock()
	require.LessOrEqual(t, read, 1<<20)
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

// TestASlowLookDropsMessages: the conversation goes on, and what was not looked at is counted.
func TestASlowLookDropsMessages(t *testing.T) {
	release := make(chan struct{})
	var entries []record.Entry
	tap := New(record.Lines, func(e *record.Entry) {
		<-release
		e.Data = nil
		entries = append(entries, *e)
	})
	const size = 1 << 20
	line := append(bytes.Repeat([]byte("x"), size-1), '\n')
	n := 0
	in := reader(func(p []byte) (int, error) {
		if n == 100*size {
			return 0, io.EOF
		}
		k := copy(p, line[n%size:])
		n += k
		return k, nil
	})
	passed := 0
	require.NoError(t, tap.Pass(1, protocol.FromClient, writer(func(p []byte) (int, error) { passed += len(p); return len(p), nil }), in))
	require.Equal(t, 100*size, passed)
	close(release)
	require.True(t, tap.Close())
	lost, seen := 0, 0
	for _, e := range entries {
		if lost += e.Lost; e.Lost == 0 && !e.End {
			seen++
		}
	}
	require.Equal(t, 100, lost+seen)
	require.LessOrEqual(t, seen, maxWaitingBytes/size+1)
	require.True(t, entries[len(entries)-1].End)
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestAProgramThatIsNotThere(t *testing.T) {
	tap := New(record.Lines)
	_, err := tap.Child([]string{"there-is-no-such-program"}, strings.NewReader(""), io.Discard, io.Discard)
	require.ErrorContains(t, err, "there-is-no-such-program")
	require.True(t, tap.Close())
}
