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
		c.text(HandshakeChanged, old.parts[i], new.parts[i], spot{"handshake " + part, old.pos, new.pos, Place{}})
	}
	o, n := extensions(c.old), extensions(c.new)
	at := spot{subject: "extensions", old: o.Pos, new: n.Pos}
	c.text(ExtensionPrefixChanged, o.Prefix, n.Prefix, at)
	c.text(ExtensionMetaChanged, o.Meta, n.Meta, at)
}

// steps is a handshake as words; they are empty if there is none.
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
