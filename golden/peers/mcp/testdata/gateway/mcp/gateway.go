// Gateways between clients and servers of the two versions that this package speaks.

package mcp

import (
	"ours/wire/translate"
)

// Gateway returns what carries messages between a program of the older version and one of the newer.
func Gateway() *translate.Gateway {
	return &translate.Gateway{Version: older[0], Handshake: greeting, Newest: ProtocolVersion()}
}
