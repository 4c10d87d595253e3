// Floods: many messages that an honest peer would not send, against as many requests of an honest one.

package hostile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// many is how many messages a flood has.
const many = 20_000

// flood is one kind.
type flood struct {
	name    string
	only    string                     // the protocol that knows it; "" for all
	message func(*dialect, int) string // the message of a number
	answers int                        // how many answers each has
	says    string                     // what each answer contains
	limits  limits
}

// asMany are the limits of messages that are answered, or dropped, one by one.
var asMany = limits{time: 3, allocated: 3, peak: 3}

func always(message string) func(*dialect, int) string {
	return func(*dialect, int) string { return message }
}

func numbered(format string) func(*dialect, int) string {
	return func(_ *dialect, i int) string { return fmt.Sprintf(format, i) }
}

const (
	refusedRequest = `"code":-32600`
	refusedParams  = `"code":-32602`
	unknownMethod  = `"code":-32601`
	malformed      = `"code":-32700`
)

var floods = []flood{
	{"requests under one id", "", func(d *dialect, _ int) string { return fmt.Sprintf(d.ask, "1") }, 1, `"id":1,"result"`, asMany},
	{"notifications", "", func(d *dialect, _ int) string { return d.tell }, 0, "", asMany},
	{"notifications that nobody knows", "", numbered(`{"jsonrpc":"2.0","method":"none/%d"}`), 0, "", asMany},
	{"requests that nobody knows", "", numbered(`{"jsonrpc":"2.0","id":%d,"method":"none"}`), 1, unknownMethod, asMany},
	{"requests with a null id", "", always(`{"jsonrpc":"2.0","id":null,"method":"none"}`), 1, `"id":null`, asMany},
	{"requests whose id is an object", "", always(`{"jsonrpc":"2.0","id":{},"method":"none"}`), 1, refusedRequest, asMany},
	{"answers to no question", "", numbered(`{"jsonrpc":"2.0","id":%d,"result":{}}`), 0, "", asMany},
	{"errors to no question", "", numbered(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"no"}}`), 0, "", asMany},
	{"errors under a null id", "", always(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}`), 0, "", asMany},
	{"answers with a result and an error", "", numbered(`{"jsonrpc":"2.0","id":%d,"result":{},"error":{"code":1,"message":"no"}}`), -1, "", asMany},
	{"half objects", "", always(`{`), 1, malformed, asMany},
	{"no JSON", "", always("GET / HTTP/1.1"), 1, malformed, asMany},
	{"empty objects", "", always(`{}`), 1, refusedRequest, asMany},
	{"scalars", "", always(`7`), 1, refusedRequest, asMany},
	{"batches without messages", "", always(`[]`), 1, refusedRequest, asMany},
	{"batches of batches", "", always(`[[[[{}]]]]`), 1, refusedRequest, asMany},
	{"wrong parameters", "", func(d *dialect, i int) string {
		return strings.Replace(fmt.Sprintf(d.call, d.wrong), `"id":7`, fmt.Sprintf(`"id":%d`, i), 1)
	}, 1, refusedParams, asMany},
	{"the handshake again", "AHP", func(d *dialect, _ int) string { return fmt.Sprintf(d.opens, "other") }, 1, refusedRequest, asMany},
	{"subscriptions to nothing", "AHP", numbered(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"ahp-session:/%d"}}`), 1, `"error"`, asMany},
	{"the same subscription", "AHP", always(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"ahp-session:/open"}}`), 1, `"result"`, asMany},
	{"subscribing and leaving", "AHP", func(_ *dialect, i int) string {
		if i%2 == 0 {
			return `{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"ahp-session:/open"}}`
		}
		return `{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"ahp-session:/open"}}`
	}, -1, "", asMany},
	{"actions on channels that do not exist", "AHP", numbered(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/none","clientSeq":%d,"action":{"type":"session/titleChanged","title":"x"}}}`), -1, "", limits{time: 6, allocated: 8, peak: 6}},
	{"actions that nobody knows", "AHP", numbered(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/open","clientSeq":%d,"action":{"type":"session/none"}}}`), -1, "", limits{time: 6, allocated: 8, peak: 6}},
	{"panics", "ACP", numbered(`{"jsonrpc":"2.0","id":%d,"method":"_panic"}`), 1, `"code":-32603`, limits{time: 6, allocated: 6, peak: 3}},
	{"cancels of nothing", "ACP", numbered(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`), 0, "", asMany},
	{"cancels of nothing", "MCP", numbered(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`), 0, "", asMany},
	{"progress of nothing", "MCP", numbered(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`), 0, "", asMany},
	{"turns that never end", "ACP", numbered(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"waits","prompt":[]}}`), -1, "", asMany},
	{"calls that never end", "MCP", numbered(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}`), -1, "", asMany},
}

// TestFloods sends many messages of a kind. The host goes on, each has the answers that it is owed, and what is kept of them
// is what an honest peer leaves.
func TestFloods(t *testing.T) {
	inEach(t, func(t *testing.T, d *dialect) {
		h := d.start(t, asEmitted)
		p := d.open(t, h, "flood")
		pour(t, d, p, asking)
		before := h.used()
		pour(t, d, p, asking)
		honest := h.used()
		for i, f := range floods {
			if !strings.HasPrefix(d.name, f.only) || !d.tried(t, i, 7) {
				continue
			}
			t.Run(f.name, func(t *testing.T) {
				h.used()
				count, _ := p.received()
				answers := pour(t, d, p, f.message)
				attack := h.used()
				after, _ := p.received()
				if f.answers >= 0 {
					require.Equal(t, f.answers*many+1, after-count, "answers")
				}
				for _, a := range answers {
					require.Contains(t, a, f.says)
					require.NotContains(t, a, "secret")
				}
				f.limits.require(t, honest, attack)
				require.LessOrEqual(t, attack.Held, before.Held+keeps(f), "bytes that are held afterwards")
			})
		}
	})
}

// asking is an honest request of its own id.
func asking(d *dialect, i int) string { return fmt.Sprintf(d.ask, fmt.Sprint(i)) }

// keeps is how many bytes a host may hold after a flood: AHP remembers the latest actions, 16 MiB of JSON by default.
func keeps(f flood) uint64 {
	if strings.HasPrefix(f.name, "actions") {
		return 3 * 16 << 20
	}
	return someMemory
}

// pour sends many messages and waits until the host is through with them. It returns what came before the last answer.
func pour(t *testing.T, d *dialect, p *peer, message func(*dialect, int) string) []string {
	t.Helper()
	p.take()
	var b []byte
	for i := range many {
		b = append(b, p.bytesOf(message(d, i))...)
		if len(b) > 1<<16 || i == many-1 {
			require.True(t, p.raw(b), "the connection has ended")
			b = b[:0]
		}
	}
	require.True(t, p.send(fmt.Sprintf(d.ask, `"poured"`)))
	return p.until(`"id":"poured"`)
}

// TestAFloodOfClients has many come and go, each with an id of its own. The host remembers as many as it may.
func TestAFloodOfClients(t *testing.T) {
	d := &dialects[0]
	h := d.start(t, asEmitted)
	come := func(format string, n int) {
		for i := range n {
			p := d.open(t, h, fmt.Sprintf(format, i))
			require.NoError(t, p.stream.Close())
		}
	}
	come("honest", 500) // the same again and again
	before := h.settled(20)
	come("honest", 500)
	honest := h.settled(20)
	come("x%d"+strings.Repeat("y", 10_000), 500)
	attack := h.settled(20)
	limits{time: 3, allocated: 10, peak: 3}.require(t, honest, attack)
	require.LessOrEqual(t, attack.Held, before.Held+someMemory, "a hundred ids of 10 kB are remembered")
}
