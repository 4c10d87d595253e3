// What is left of requests that a translator refuses.

package rpc

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// refusing is a translator that refuses what comes.
type refusing struct{}

func (refusing) Sent(*Message) (keep bool, err error)     { return true, nil }
func (refusing) Received(*Message) (keep bool, err error) { return false, InvalidParams }

func TestARefusedRequestIsForgotten(t *testing.T) {
	ours, theirs := net.Pipe()
	peer := NewPeer(Stream(ours), nil)
	defer peer.Close()
	defer theirs.Close() // first, since nobody reads the answer
	peer.Translate(refusing{})
	s := &server{peer: peer, handler: noHandler{}, ctx: context.Background(), inbox: newInbox(1, 1), cancels: map[string][]*request{}}
	m := Message{Kind: Request, ID: raw("1"), Method: "open", Cancellable: true}
	s.expect(&m)
	require.Len(t, s.cancels, 1)
	require.True(t, s.handle(m))
	require.Empty(t, s.cancels)
}
