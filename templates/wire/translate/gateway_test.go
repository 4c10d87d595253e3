// Gateways: what an older program and a newer one say to each other.

package translate

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// ends returns the transports of a connection.
func ends() (a, b rpc.Transport) {
	x, y := net.Pipe()
	return rpc.Stream(x), rpc.Stream(y)
}

func TestAGatewayTranslatesBothWays(t *testing.T) {
	client, clientEnd := ends()
	server, serverEnd := ends()
	g, err := NewGateway(versions, Handshake{Method: "hello", Offer: "offer", Answer: "version"}, "2", versions[0].Name)
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- g.Run(context.Background(), clientEnd, serverEnd) }()
	pass := func(from, to rpc.Transport, sent, want string) {
		t.Helper()
		written := make(chan error, 1)
		go func() { written <- from.Write(context.Background(), []byte(sent)) }()
		got, err := to.Read(1 << 20)
		require.NoError(t, err)
		require.NoError(t, <-written)
		require.JSONEq(t, want, string(got))
	}
	pass(client, server, `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"offer":"1"}}`, `{"jsonrpc":"2.0","id":1,"method":"hello","params":{"offer":"2"}}`)
	pass(server, client, `{"jsonrpc":"2.0","id":1,"result":{"version":"2"}}`, `{"jsonrpc":"2.0","id":1,"result":{"version":"1"}}`)
	pass(client, server, `{"jsonrpc":"2.0","id":2,"method":"m","params":{"old":1}}`, `{"jsonrpc":"2.0","id":2,"method":"m","params":{"new":1}}`)
	pass(server, client, `{"jsonrpc":"2.0","id":2,"method":"m","params":{"new":1}}`, `{"jsonrpc":"2.0","id":2,"method":"m","params":{"old":1}}`)
	pass(client, server, `{"jsonrpc":"2.0","id":2,"result":{"old":2}}`, `{"jsonrpc":"2.0","id":2,"result":{"new":2}}`)
	pass(server, client, `{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":4,"message":"no"}}`)
	pass(server, client, `[{"jsonrpc":"2.0","method":"m","params":{"new":1}},{"jsonrpc":"2.0","method":"n"}]`, `[{"jsonrpc":"2.0","method":"m","params":{"old":1}},{"jsonrpc":"2.0","method":"n"}]`)
	pass(client, server, `{"no":"message"}`, `{"no":"message"}`)
	pass(server, client, `{"jsonrpc":"2.0","id":3,"method":"hello","params":{"offer":"2"}}`, `{"jsonrpc":"2.0","id":3,"method":"hello","params":{"offer":"1"}}`)
	pass(client, server, `{"jsonrpc":"2.0","id":3,"result":{"version":"1"}}`, `{"jsonrpc":"2.0","id":3,"result":{"version":"2"}}`)
	pass(client, server, `[[{"jsonrpc":"2.0","method":"m","params":{"old":1}}]]`, `[[{"jsonrpc":"2.0","method":"m","params":{"old":1}}]]`)
	require.NoError(t, client.Close(""))
	_ = server.Close("")
	<-ended
}

func TestAGatewayIsForVersionsThatAreSpoken(t *testing.T) {
	_, err := NewGateway(versions, Handshake{}, "2", "0")
	require.EqualError(t, err, `version "0" is not spoken beside 2`)
}

func TestAGatewayAnswersRequestsOfWhichNothingIsLeft(t *testing.T) {
	_, clientEnd := ends()
	server, serverEnd := ends()
	gone := &Version{Name: "1", Lower: Direction{
		Types:   []Type{{}, {Kind: Tagged, Tag: "kind", Variants: []Variant{{Tag: `"new"`, Drop: true}}}},
		Methods: []Method{{Name: "m", Params: 1}},
	}}
	s := &side{g: &Gateway{Version: gone}, from: serverEnd, to: clientEnd, table: &gone.Lower, asked: map[string]string{}, older: true}
	s.back = &side{to: serverEnd}
	go s.convert(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"kind":"new"}}`))
	got, err := server.Read(1 << 20)
	require.NoError(t, err)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"cannot be said in the other version: nothing of it is left"}}`, string(got))
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Empty(t, s.asked, "nothing is kept of what is not sent")
}
