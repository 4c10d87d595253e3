// Messages as lines.

package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// TestAProgramOutlivesWhoeverReadsItsOutput has this test as another program, which writes until that fails.
func TestAProgramOutlivesWhoeverReadsItsOutput(t *testing.T) {
	const failed = 7
	if os.Getenv("WRITES_TO_NOBODY") != "" {
		out := rpc.Stdio()
		for {
			if out.Write(context.Background(), []byte(`{}`)) != nil {
				os.Exit(failed)
			}
		}
	}
	if runtime.GOOS == "js" {
		t.Skip("no programs")
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAProgramOutlivesWhoeverReadsItsOutput$")
	command.Env = append(os.Environ(), "WRITES_TO_NOBODY=1")
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	in, err := command.StdinPipe() // open until the end
	require.NoError(t, err)
	defer in.Close()
	require.NoError(t, command.Start())
	_, err = io.ReadFull(out, make([]byte, 2))
	require.NoError(t, err)
	require.NoError(t, out.Close())
	require.Error(t, command.Wait())
	require.Equal(t, failed, command.ProcessState.ExitCode())
}

// written is where a peer writes, for a test to read.
type written struct {
	bytes.Buffer
	closed bool
}

func (w *written) Close() error {
	w.closed = true
	return nil
}

func TestLinesAreMessages(t *testing.T) {
	const limit = 5 << 20
	long := `"` + strings.Repeat("x", 4<<20) + `"`
	in := "1\n2\r\n\n  \t\r\n" + long + "\n{} "
	lines := rpc.Pipes(io.NopCloser(strings.NewReader(in)), &written{})
	for _, want := range []string{"1", "2", long, "{}"} {
		got, err := lines.Read(limit)
		require.NoError(t, err)
		require.Equal(t, want, string(bytes.TrimSpace(got)))
	}
	for range 2 {
		_, err := lines.Read(limit)
		require.True(t, err == io.EOF, err)
	}
}

func TestALineOfTheLimitIsReadAndALongerOneIsNot(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", ""} {
		for _, limit := range []int{10, 4095, 4096, 4097, 100_000} {
			lines := rpc.Pipes(io.NopCloser(strings.NewReader(strings.Repeat("x", limit)+end)), &written{})
			got, err := lines.Read(int64(limit))
			require.NoError(t, err)
			require.Len(t, bytes.TrimSpace(got), limit)
			lines = rpc.Pipes(io.NopCloser(strings.NewReader(strings.Repeat("x", limit+1)+end)), &written{})
			_, err = lines.Read(int64(limit))
			require.ErrorIs(t, err, rpc.ErrTooLarge)
		}
	}
	lines := rpc.Pipes(io.NopCloser(strings.NewReader("{}"+strings.Repeat("\r", 100_000)+"\n")), &written{})
	_, err := lines.Read(1000)
	require.ErrorIs(t, err, rpc.ErrTooLarge, "only the last of them belongs to the end of the line")
}

func TestAMessageIsOneLineHoweverItsParametersAreWritten(t *testing.T) {
	out := &written{}
	peer := rpc.NewPeer(rpc.Pipes(io.NopCloser(strings.NewReader("")), out), nil)
	require.NoError(t, peer.Notify(t.Context(), "a\nb", json.RawMessage("{\r\n\t\"x\": \"\\n\",\n\"y\": 1\n}")))
	require.NoError(t, peer.Notify(t.Context(), "c", nil))
	require.NoError(t, peer.Close())
	lines := strings.SplitAfter(out.String(), "\n")
	require.Len(t, lines, 3)
	var m struct {
		Method string
		Params struct {
			X string
			Y int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &m))
	require.Equal(t, "a\nb", m.Method)
	require.Equal(t, "\n", m.Params.X)
	require.Equal(t, 1, m.Params.Y)
	require.True(t, out.closed)
}

func TestQuestionsAreAnsweredAfterTheEndOfTheInput(t *testing.T) {
	var in strings.Builder
	for i := range 100 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"x"}`+"\n", i)
	}
	out := &written{}
	peer := rpc.NewPeer(rpc.Pipes(io.NopCloser(strings.NewReader(in.String())), out), nil)
	require.NoError(t, peer.Serve(t.Context(), handler(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		rpc.Async(ctx)
		time.Sleep(time.Millisecond)
		return m.ID, nil
	})))
	require.Equal(t, 100, strings.Count(out.String(), "\n"))
	for i := range 100 {
		require.Contains(t, out.String(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`+"\n", i, i))
	}
	require.True(t, out.closed)
}

// deaf is an input that nothing wakes, as the standard input is.
type deaf struct{}

func (deaf) Read([]byte) (int, error) { select {} }
func (deaf) Close() error             { return nil }

func TestAnInputThatNothingWakesDoesNotHoldUpTheEnd(t *testing.T) {
	peer := rpc.NewPeer(rpc.Pipes(deaf{}, &written{}), nil)
	served := make(chan error, 1)
	go func() { served <- peer.Serve(t.Context(), nil) }()
	require.NoError(t, peer.Close())
	require.NoError(t, soon(t, served))
}

func TestAClosedConnectionWithoutServeHasEnded(t *testing.T) {
	peer := rpc.NewPeer(rpc.Pipes(io.NopCloser(strings.NewReader("")), &written{}), nil)
	got := make(chan error, 1)
	go func() {
		_, err := peer.Call(context.WithoutCancel(t.Context()), "x", nil)
		got <- err
	}()
	require.NoError(t, peer.Close())
	require.ErrorIs(t, soon(t, got), rpc.ErrClosed)
	soon(t, peer.Done())
}

// halves are inputs that end reading in different ways when it takes too long: by a deadline, or only by
// being closed.
func halves(t *testing.T) map[string]func() (both rpc.Transport, peer io.Writer) {
	return map[string]func() (rpc.Transport, io.Writer){
		"tcp": func() (rpc.Transport, io.Writer) {
			a, b := sockets(t)
			return rpc.Stream(a), b
		},
		"files": func() (rpc.Transport, io.Writer) {
			in, out, err := os.Pipe()
			require.NoError(t, err)
			t.Cleanup(func() { _, _ = in.Close(), out.Close() })
			return rpc.Pipes(in, &written{}), out
		},
		"memory": func() (rpc.Transport, io.Writer) {
			in, out := io.Pipe()
			return rpc.Pipes(in, &written{}), out
		},
	}
}

func TestALineThatIsNeverCompleteEndsTheConnection(t *testing.T) {
	for name, connect := range halves(t) {
		for _, sent := range []string{"{", strings.Repeat("x", 10_000), "1\n{", "\n  "} {
			t.Run(name, func(t *testing.T) {
				lines, peer := connect()
				lines.(rpc.Timed).SetMessageTimeout(50 * time.Millisecond)
				go func() { _, _ = io.WriteString(peer, sent) }()
				data, err := lines.Read(1 << 20)
				if err == nil {
					require.Equal(t, "1\n", string(data))
					_, err = lines.Read(1 << 20)
				}
				require.ErrorContains(t, err, "a message was not complete within 50ms: it begins with ")
			})
		}
	}
}

func TestALineIsCutHoweverSlowlyItGrows(t *testing.T) {
	for name, connect := range halves(t) {
		t.Run(name, func(t *testing.T) {
			lines, peer := connect()
			lines.(rpc.Timed).SetMessageTimeout(50 * time.Millisecond)
			over := make(chan struct{})
			go func() {
				for {
					select {
					case <-over:
						return
					case <-time.After(time.Millisecond):
						_, _ = io.WriteString(peer, "x")
					}
				}
			}()
			_, err := lines.Read(1 << 20)
			close(over)
			require.ErrorContains(t, err, "not complete")
		})
	}
}

func TestTheTimeBetweenLinesIsNotCounted(t *testing.T) {
	for name, connect := range halves(t) {
		for _, limit := range []time.Duration{500 * time.Millisecond, -1} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				lines, peer := connect()
				lines.(rpc.Timed).SetMessageTimeout(limit)
				go func() {
					for range 2 {
						_, _ = io.WriteString(peer, `{"x"`)
						_, _ = io.WriteString(peer, ":1}\n\n")
						time.Sleep(600 * time.Millisecond)
					}
					_, _ = io.WriteString(peer, "last\n")
				}()
				for _, want := range []string{`{"x":1}`, `{"x":1}`, "last"} {
					got, err := lines.Read(1 << 20)
					require.NoError(t, err)
					require.Equal(t, want, string(bytes.TrimSpace(got)))
				}
			})
		}
	}
}

var seeds = []string{
	`{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"data":"x"}}`,
	`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no","data":{"a":[1,null]}}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what"}}`,
	`{"jsonrpc":"2.0","method":"note","params":{"text":"\u00e9"}}`,
	`{"jsonrpc":"2.0","id":-7.5e3,"method":"tools/list","params":{"x":{"y":[{}]}}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{}`, ``,
	`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"note"},[],{"jsonrpc":"2.0","id":"b","method":"initialize"},1]`,
}

// mutate damages a message a little.
func mutate(r *rand.Rand, seed string) []byte {
	data := []byte(seed)
	for range r.IntN(4) {
		at := r.IntN(len(data) + 1)
		switch r.IntN(4) {
		case 0:
			data = data[:at]
		case 1:
			other := seeds[r.IntN(len(seeds))]
			data = append(data[:at:at], other[r.IntN(len(other)+1):]...)
		case 2:
			data = append(data[:at:at], append([]byte{byte(r.IntN(256))}, data[at:]...)...)
		case 3:
			if at < len(data) {
				data[at] = byte(r.IntN(256))
			}
		}
	}
	return data
}

// stranger is a peer that writes arbitrary bytes.
type stranger struct {
	out     io.Writer
	answers chan rpc.Message // those to its own questions
}

func meet(t testing.TB, o *rpc.Options) *stranger {
	t.Helper()
	in, out, err := os.Pipe()
	require.NoError(t, err)
	back, answers, err := os.Pipe()
	require.NoError(t, err)
	peer := rpc.NewPeer(rpc.Pipes(in, answers), o)
	go func() {
		_ = peer.Serve(context.Background(), withBatches(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			if m.Params == nil {
				return null, nil
			}
			return m.Params, nil
		}))
	}()
	t.Cleanup(func() { _, _ = out.Close(), back.Close() })
	s := &stranger{out, make(chan rpc.Message, 16)}
	go func() {
		defer close(s.answers)
		lines := rpc.Pipes(back, out)
		for {
			data, err := lines.Read(1 << 30)
			if err != nil {
				return
			}
			m, err := rpc.Decode(data, batching)
			if err != nil {
				t.Errorf("%s: %v", data, err)
			}
			if strings.HasPrefix(string(m.ID), `"own-`) {
				s.answers <- m
			}
		}
	}()
	return s
}

// send sends a message, and a question after it that has to be answered as if nothing had been.
func (s *stranger) send(t testing.TB, message []byte, n int) {
	t.Helper()
	echo := fmt.Sprintf(`{"n":%d}`, n)
	question := fmt.Sprintf(`{"jsonrpc":"2.0","id":"own-%d","method":"echo","params":%s}`, n, echo)
	_, err := fmt.Fprintf(s.out, "%s\n%s\n", message, question)
	require.NoError(t, err)
	select {
	case m, ok := <-s.answers:
		require.Truef(t, ok, "%q ended the connection", message)
		require.Equal(t, fmt.Sprintf(`"own-%d"`, n), string(m.ID))
		require.Equal(t, echo, string(m.Result))
	case <-time.After(time.Minute):
		t.Fatalf("%q: no answer to the question after it", message)
	}
}

func TestNonsenseHarmsNobodyElse(t *testing.T) {
	s := meet(t, nil)
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		s.send(t, mutate(r, seeds[r.IntN(len(seeds))]), n)
	}
}

func TestAnswersToNoQuestionAreTold(t *testing.T) {
	bad := make(chan error, 2)
	s := meet(t, &rpc.Options{OnBad: func(err error) { bad <- err }})
	_, err := fmt.Fprintf(s.out, "%s\n{\"jsonrpc\":\n", seeds[3])
	require.NoError(t, err)
	first, second := soon(t, bad), soon(t, bad) // one fails when it is read, one in its turn
	texts := first.Error() + "\n" + second.Error()
	require.Contains(t, texts, "answer with id null to no request")
	require.Contains(t, texts, "malformed message")
	long := `"` + strings.Repeat("\u202e", 1<<17) + `"`
	for _, rest := range []string{`"result":1`, `"error":{"code":1,"message":` + long + `}`} {
		_, err := fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", long, rest)
		require.NoError(t, err)
		err = soon(t, bad)
		require.ErrorContains(t, err, "to no request")
		require.Less(t, len(err.Error()), 16<<10)
		require.NotContains(t, err.Error(), "\u202e")
	}
}

func FuzzPeer(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	s, n := meet(f, nil), 0
	f.Fuzz(func(t *testing.T, message string) {
		n++
		s.send(t, []byte(message), n)
	})
}
