// Translating: connections on which another version is spoken than the one of the package.

package rpc

import (
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Translator converts the messages of a connection between the version of the package and the one that was agreed. It is
// called for requests, notifications and answers, in the order in which they are sent, and in the order in which received
// ones are handled. Answers have the method of their request.
type Translator interface {
	// Sent converts a message that is to be sent. It reports whether it is sent at all.
	Sent(m *Message) (keep bool, err error)
	// Received converts a message that was received, and then drops what was decoded of it. It reports whether it is handled
	// at all.
	Received(m *Message) (keep bool, err error)
}

// Translate sets the translator of the connection. Nil means none. What was passed to [Peer.Send] is not translated.
func (p *Peer) Translate(t Translator) {
	if t == nil {
		p.translator.Store(nil)
		return
	}
	p.translator.Store(&t)
}

// outbound translates a message to be sent.
func (p *Peer) outbound(m *Message) (keep bool, err error) {
	t := p.translator.Load()
	if t == nil || m.Kind == Batch {
		return true, nil
	}
	translated := *m // a copy, so that m stays on the stack of connections without a translator
	keep, err = (*t).Sent(&translated)
	if err != nil && m.Kind != Request && m.Kind != Notification { // whose callers know the method
		err = fmt.Errorf("%s: %w", wire.Name(m.Method), err)
	}
	*m = translated
	return keep, err
}

// EncodeBody encodes Body as parameters or result.
func (m *Message) EncodeBody() error {
	if m.Body == nil {
		return nil
	}
	raw, err := m.appendBody(nil, "payload")
	if err != nil {
		return err
	}
	if m.Body = nil; m.Kind == Result {
		m.Result = raw
	} else {
		m.Params = raw
	}
	return nil
}

// inbound translates a received message.
func (p *Peer) inbound(m *Message) (keep bool) {
	t := p.translator.Load()
	if t == nil {
		return true
	}
	keep, err := (*t).Received(m)
	switch {
	case err == nil:
	case m.Kind == Request: // of which the answer needs to know more than of one that cannot be decoded
		refused := m.malformed(&Error{Code: int64(InvalidParams), Message: "params: " + err.Error()})
		refused.batch, refused.known, refused.since, refused.pending = m.batch, m.known, m.since, m.pending
		*m = refused
	case m.Kind == Notification: // its handler refuses it, as one that cannot be decoded
		m.Decoded, m.DecodeError = nil, err
		return true
	default:
		m.Result, m.Error, m.DecodeError = nil, nil, err
	}
	return keep || m.Kind != Notification
}
