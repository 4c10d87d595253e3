// Tests of texts in the words of a protocol.

package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

func TestTextsAreInTheWordsOfTheProtocol(t *testing.T) {
	sides := protocol.Sides{Client: "observatory", Host: "relay"}
	for text, want := range map[string]string{
		"A client asks a host.":                "An observatory asks a relay.",
		"The client's number, as hosts do":     "The observatory's number, as relays do",
		"clients and Hosts":                    "observatories and Relays",
		"its host: it, a new client":           "its relay: it, a new observatory",
		`"client" and server.Client, ClientID`: `"client" and server.Client, ClientID`,
		"client.Send hosting by /host/x":       "client.Send hosting by /host/x",
	} {
		require.Equal(t, want, sides.In(text))
		require.Equal(t, text, protocol.Sides{}.In(text))
	}
	require.Equal(t, "buses", protocol.Sides{Host: "bus"}.In("hosts"))
}
