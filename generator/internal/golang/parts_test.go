// Parts: those that are asked for, those that they need, and those that cannot be there.

package golang

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// TestPartsBringThoseThatTheyNeed asks for parts of a protocol that has everything.
func TestPartsBringThoseThatTheyNeed(t *testing.T) {
	require.Equal(t, Parts{}, wantedParts([]string{}))
	require.Equal(t, Parts{PartStore: true, PartReducers: true}, wantedParts([]string{PartStore}))
	require.Equal(t, Parts{PartServer: true, PartHost: true, PartStore: true, PartReducers: true}, wantedParts([]string{PartServer}))
	require.Equal(t, Parts{PartConnection: true, PartClient: true, PartStore: true, PartReducers: true}, wantedParts([]string{PartConnection}))
	require.Len(t, wantedParts(nil), len(PartNames)-len(onRequest))
	require.False(t, wantedParts(nil)[PartValidate])
}

// TestPartsThatCannotBeThereAreRefused asks for more than a protocol has.
func TestPartsThatCannotBeThereAreRefused(t *testing.T) {
	ask := &protocol.Protocol{Name: "p", Methods: []*protocol.Method{{Name: "ask", From: protocol.FromBoth}}}
	for _, c := range []struct {
		in   *protocol.Protocol
		opts Options
		want string
	}{
		{ask, Options{Parts: []string{"server"}}, `the package cannot have the part "server": no channel of the protocol has a state and actions`},
		{ask, Options{Parts: []string{"reducers"}, NoReducers: true}, `the package cannot have the part "reducers": reducers.omit leaves reducers out`},
		{&protocol.Protocol{Name: "p"}, Options{Parts: []string{"client"}}, `the package cannot have the part "client": the protocol has no methods`},
		{ask, Options{Parts: []string{"client"}, HostSkeleton: true}, "host.skeleton needs the part host, which parts leaves out"},
		{ask, Options{Parts: []string{}, Transports: []string{WebSocket}}, "transports needs the part client or host, which parts leaves out"},
		{ask, Options{Parts: []string{"host"}, Logs: []string{Bolt}}, "logs needs the part server, which parts leaves out"},
	} {
		c.opts.Package = "p"
		_, found := Build(c.in, c.opts)
		require.Len(t, found, 1, c.want)
		require.Equal(t, c.want, found[0].Message)
		require.Equal(t, "no-part", found[0].Code)
	}
	_, found := Build(ask, Options{Package: "p"})
	require.Empty(t, found, "what is not there is not missed unless it is named")
}
