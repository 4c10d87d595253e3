// Conversation: the handshake and the rules for extensions.

package change

import (
	"strconv"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (c *comparer) conversation() {
	old, new := handshake(c.old), handshake(c.new)
	for i, part := range []string{"method", "offer", "answer", "error", "supported"} {
		c.text(HandshakeChanged, "handshake "+part, old.parts[i], new.parts[i], old.pos, new.pos, Place{})
	}
	o, n := extensions(c.old), extensions(c.new)
	c.text(ExtensionPrefixChanged, "extensions", o.Prefix, n.Prefix, o.Pos, n.Pos, Place{})
	c.text(ExtensionMetaChanged, "extensions", o.Meta, n.Meta, o.Pos, n.Pos, Place{})
}

// steps is a handshake as words; they are empty where there is none.
type steps struct {
	parts [5]string
	pos   diag.Pos
}

func handshake(p *protocol.Protocol) steps {
	h := p.Handshake
	if h == nil {
		return steps{}
	}
	code := ""
	if h.Error != nil {
		code = strconv.FormatInt(h.Error.Code, 10)
	}
	return steps{[5]string{h.Method.Name, h.Offer, h.Answer, code, h.Supported}, h.Pos}
}

func extensions(p *protocol.Protocol) protocol.Extensions {
	if p.Extensions == nil {
		return protocol.Extensions{}
	}
	return *p.Extensions
}
