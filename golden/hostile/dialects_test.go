// The protocols, as far as an attack has to speak them.

package hostile

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// dialect is a protocol over a carrier, in the words that attacks use.
type dialect struct {
	name   string
	host   string // which one is started; "" for the program that build makes
	socket bool   // over WebSocket
	lines  bool   // over TCP; otherwise over the standard input and output
	opens  string // the request that begins a connection, under id 0; %s is for the id of the client
	opened string // what its answer contains
	ask    string // a request that is answered at once; %s is its id, as JSON
	tell   string // a notification
	call   string // a request that is answered at once, with the members of its parameters in place of %s
	needs  string // a member that the call requires
	wrong  string // the same with a value of another type
}

var overAHP = dialect{
	host:   "ahp",
	opens:  `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"channel":"ahp-root://","clientId":"%s","protocolVersions":["1.0.0"]}}`,
	opened: `"serverSeq"`,
	ask:    `{"jsonrpc":"2.0","id":%s,"method":"ping","params":{"channel":"ahp-root://"}}`,
	tell:   `{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"ahp-session:/none"}}`,
	call:   `{"jsonrpc":"2.0","id":7,"method":"subscribe","params":{%s}}`,
	needs:  `"channel":"ahp-session:/open"`,
	wrong:  `"channel":7`,
}

var dialects = []dialect{
	overAHP.as("AHP over lines", func(d *dialect) { d.lines = true }),
	overAHP.as("AHP over WebSocket", func(d *dialect) { d.socket = true }),
	{
		name: "ACP over stdio", host: "acp",
		opens:  `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"%s","version":"1"}}}`,
		opened: `"protocolVersion"`,
		ask:    `{"jsonrpc":"2.0","id":%s,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}`,
		tell:   `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}`,
		call:   `{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"prompt":[],%s}}`,
		needs:  `"sessionId":"s1"`,
		wrong:  `"sessionId":7`,
	},
	{
		name:   "MCP over stdio",
		opens:  `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"%s","version":"1"}}}`,
		opened: `"serverInfo"`,
		ask:    `{"jsonrpc":"2.0","id":%s,"method":"ping"}`,
		tell:   `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		call:   `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{%s}}`,
		needs:  `"name":"say"`,
		wrong:  `"name":7`,
	},
}

func (d dialect) as(name string, change func(*dialect)) dialect {
	d.name = name
	change(&d)
	return d
}

// inEach runs a test for each protocol and carrier.
func inEach(t *testing.T, test func(*testing.T, *dialect)) {
	for i := range dialects {
		t.Run(dialects[i].name, func(t *testing.T) { test(t, &dialects[i]) })
	}
}

// start starts a host of the protocol.
func (d *dialect) start(t *testing.T, patience string) *host {
	t.Helper()
	if d.host == "" {
		return start(t, mcpHost(t), "mcp", patience)
	}
	program, err := os.Executable()
	require.NoError(t, err)
	return start(t, program, d.host, patience)
}

// connect makes a connection that nothing was sent over; to a host over its standard input and output there is one.
func (d *dialect) connect(t *testing.T, h *host, reading bool) *peer {
	t.Helper()
	switch {
	case d.socket:
		return dialSocket(t, h.facts.WebSocket, "", reading)
	case d.lines:
		return newPeer(t, dial(t, h.facts.Lines), false, reading)
	}
	return newPeer(t, pipe{h.out, h.in}, false, reading)
}

// open makes a connection and begins it as a client with an id.
func (d *dialect) open(t *testing.T, h *host, id string) *peer {
	t.Helper()
	p := d.connect(t, h, true)
	require.True(t, p.send(fmt.Sprintf(d.opens, id)))
	p.await(d.opened)
	d.check(t, p) // the message behind the first one may still be read with the limits of that one
	return p
}

// check asks something, and so whether the host still answers in order what came before.
func (d *dialect) check(t *testing.T, p *peer) {
	t.Helper()
	require.True(t, p.send(fmt.Sprintf(d.ask, `"check"`)), "the connection has ended")
	require.Contains(t, p.await(`"id":"check"`), `"result"`)
}

// calling is the call with a required member, and with another one before it whose value is given.
func (d *dialect) calling(member, value string) string {
	return fmt.Sprintf(d.call, `"x":`+value+`,`+member)
}
