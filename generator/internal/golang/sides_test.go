// Sides: the names of what is sent and received with.

package golang

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// TestSendersAreNamedAfterWhomTheyReach builds sides of many names, among them names of the connection's own fields.
func TestSendersAreNamedAfterWhomTheyReach(t *testing.T) {
	for _, c := range []struct{ client, host, toHost, toClient, field string }{
		{"", "", "HostConn", "ClientConn", "Host"},
		{"client", "agent", "AgentConn", "ClientConn", "Agent"},
		{"user", "store", "StoreConn", "UserConn", "RPCStore"},
		{"x", "close", "CloseConn", "XConn", "RPCClose"},
	} {
		pkg, found := Build(&protocol.Protocol{
			Name: "p", Sides: protocol.Sides{Client: c.client, Host: c.host},
			Methods: []*protocol.Method{{Name: "ask", From: protocol.FromBoth}},
		}, Options{Package: "p"})
		require.Empty(t, found)
		client, host := pkg.RPC.Sides[0], pkg.RPC.Sides[1]
		require.Equal(t, []string{c.toHost, "New" + c.toHost, c.field}, []string{client.Name, client.New, client.Field})
		require.Equal(t, []string{c.toClient, "New" + c.toClient}, []string{host.Name, host.New})
	}
}

// TestConnMembersAreThoseOfTheTemplate finds the fields and methods of the emitted connection where they are written.
func TestConnMembersAreThoseOfTheTemplate(t *testing.T) {
	text, err := os.ReadFile("../../../templates/emit/conn.go.tmpl")
	require.NoError(t, err)
	found := map[string]bool{"Store": true}
	for _, m := range regexp.MustCompile(`func \(c \*\{\{\$conn\}\}\) ([A-Z]\w*)`).FindAllSubmatch(text, -1) {
		found[string(m[1])] = true
	}
	require.Equal(t, found, connMembers)
}
