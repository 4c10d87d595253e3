// Translating: connections on which another version is spoken than the one of the package.

package rpc

import (
	"context"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Translator converts the messages of a connection between the version of the package and the one that was agreed. It is
// called for requests, notifications and answers, in the order in which they are sent, and in the order in which received
// ones are handled. Answers have the method of their request. The answers to a batch are sent later than that, together.
type Translator interface {
	// Sent converts a message that is to be sent. It reports whether it is sent at all. One message is converted at a time, so
	// it must not send anything itself.
	Sent(m *Message) (keep bool, err error)
	// Received converts a message that was received, and then drops what was decoded of it. It reports whether it is handled
	// at all.
	Received(m *Message) (keep bool, err error)
}

// Translate sets the translator of the connection. Nil means none. What was passed to [Peer.Send] is not translated, nor is
// the reason of [Peer.End].
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

// inOrder encodes and queues a message on a connection with a translator, which must see messages in the order of the queue:
// so nothing else is translated in between. A patient sender waits for room before that, since others would overtake it
// afterwards; what the translator adds may then exceed the limit.
func (p *Peer) inOrder(ctx context.Context, m *Message, encode func() (outgoing, error), patient, bounded bool) error {
	size := int64(len(m.Params) + len(m.Result))
	for {
		if patient {
			p.mu.Lock()
			err := p.waitPatiently(ctx, size, bounded)
			p.mu.Unlock()
			if err != nil {
				return err
			}
		}
		err := p.tryInOrder(size, encode, patient)
		switch {
		case err != errNoRoom: //nolint:errorlint // of this package, unwrapped
			return err
		case !patient:
			return p.overrun() // without the lock over the order, since it is observed
		}
	}
}

// tryInOrder is inOrder if there is room, and returns errNoRoom otherwise.
func (p *Peer) tryInOrder(size int64, encode func() (outgoing, error), patient bool) error {
	p.order.Lock()
	defer p.order.Unlock()
	p.mu.Lock()
	room := p.hasRoom(size)
	p.mu.Unlock()
	if patient && !room {
		return errNoRoom
	}
	out, err := encode()
	switch {
	case err != nil || out.data == nil:
		return err
	case !patient:
		return p.putIfRoom(out)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.put(out)
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
