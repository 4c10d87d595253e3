package rpc

import (
	"bufio"
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// batched is handlers of a protocol that has batches.
type batched struct{ *handlers }

func (h batched) DecodeRPC(data []byte) (Message, error) {
	t := small
	t.Batches = &spec.Batching{}
	return Decode(data, &t)
}

// TestRefusedMessagesCostLittleMore compares what a connection allocates for messages that are refused with that for messages that
// are accepted.
func TestRefusedMessagesCostLittleMore(t *testing.T) {
	ours, theirs := net.Pipe()
	took := make(chan bool, 1)
	peer := NewPeer(Stream(theirs), nil)
	go func() {
		_ = peer.Serve(context.Background(), batched{&handlers{
			open:    func(_ context.Context, p *noteParams) (*noteParams, error) { return &noteParams{"x"}, nil },
			note:    func(context.Context, *noteParams) { took <- true },
			dropped: func(string, error) { took <- false },
		}})
	}()
	defer ours.Close()
	in := bufio.NewReader(ours)
	exchange := func(text string, answered bool, want string) float64 {
		var before, after runtime.MemStats
		line := []byte(text + "\n")
		runtime.ReadMemStats(&before)
		go func() { _, _ = ours.Write(line) }()
		got := ""
		if answered {
			_ = ours.SetReadDeadline(time.Now().Add(time.Minute))
			got, _ = in.ReadString('\n')
		} else if <-took {
			got = "took"
		} else {
			got = "dropped"
		}
		runtime.ReadMemStats(&after)
		if !strings.Contains(got, want) {
			t.Errorf("%.100s, not %s", got, want)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	for _, n := range []int{1_000_000, 10_000_000} {
		many := strings.Repeat(`"a":0,`, n/6)
		for _, c := range []struct {
			name, head, good, bad, tail string
			answered                    bool
			accepted, refused           string
		}{
			{"request", `{"jsonrpc":"2.0","id":1,"method":"open","params":{` + many, `"text":"a"`, `"text":1`, `}}`, true, `"result"`, "-32602"},
			{"member of the message", `{"jsonrpc":"2.0",` + many + `"id":1,"params":{"text":"a"},`, `"method":"open"`, `"method":1`, `}`, true, `"result"`, "-32600"},
			{"no JSON", `{"jsonrpc":"2.0","id":1,"method":"open","params":{` + many, `"text":"a"`, `"text":"a" x`, `}}`, true, `"result"`, "-32700"},
			{"batch", `[{"jsonrpc":"2.0","id":1,"method":"open","params":{` + many, `"text":"a"`, `"text":1`, `}}]`, true, `"result"`, "-32602"},
			{"notification", `{"jsonrpc":"2.0","method":"note","params":{` + many, `"text":"a"`, `"text":1`, `}}`, false, "took", "dropped"},
		} {
			accepted := exchange(c.head+c.good+c.tail, c.answered, c.accepted)
			refused := exchange(c.head+c.bad+c.tail, c.answered, c.refused)
			t.Logf("%s of %d bytes: %.0f accepted, and %.2f times that where it is refused", c.name, n, accepted, refused/accepted)
			if refused > accepted+float64(n)/2+1<<16 { // reading takes more than that, of both alike
				t.Errorf("%s of %d bytes: %.0f bytes are allocated, and %.0f where it is accepted", c.name, n, refused, accepted)
			}
		}
	}
}
