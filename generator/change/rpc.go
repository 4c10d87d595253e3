// Conversation: the handshake, long requests, batches and extension rules. Gates are in gates.go.

package change

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (c *comparer) conversation() {
	old, new := handshake(c.old), handshake(c.new)
	for i, part := range []string{"method", "offer", "answer", "error", "supported"} {
		c.text(HandshakeChanged, old.parts[i], new.parts[i], spot{"handshake " + part, old.pos, new.pos, Place{}})
	}
	o, n := cmp.Or(c.old.Extensions, &protocol.Extensions{}), cmp.Or(c.new.Extensions, &protocol.Extensions{})
	at := spot{subject: "extensions", old: o.Pos, new: n.Pos}
	c.text(ExtensionPrefixChanged, o.Prefix, n.Prefix, at)
	c.text(ExtensionMetaChanged, o.Meta, n.Meta, at)
	c.calls()
	c.batches()
	c.envelope()
	c.http()
	c.gates()
}

// envelope compares what messages look like.
func (c *comparer) envelope() {
	old, new := c.old.Envelope, c.new.Envelope
	const jsonRPC, own = "that of JSON-RPC 2.0", "one of its own"
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.add(EnvelopeChanged, jsonRPC, own, spot{subject: "envelope", new: new.Pos})
	case new == nil:
		c.add(EnvelopeChanged, own, jsonRPC, spot{subject: "envelope", old: old.Pos})
	default:
		was, is := envelope(old), envelope(new)
		for i, part := range []string{"request", "result", "error", "notification", "with ids that are texts", "codes", "behind headers"} {
			if was[i] != is[i] {
				c.add(EnvelopeChanged, was[i], is[i], spot{"envelope " + part, old.Pos, new.Pos, Place{}})
			}
		}
	}
}

// envelope returns what there is to compare.
func envelope(e *protocol.Envelope) []string {
	codes := ""
	for _, code := range e.Codes {
		codes += fmt.Sprintf(" %s is %d", code.Name, code.Code)
	}
	return []string{e.Request, e.Result, e.Error, e.Notification, strconv.FormatBool(e.TextIDs), strings.TrimSpace(codes), strconv.FormatBool(e.Headers)}
}

// calls compares cancellation and progress. The change of the notification itself covers its addition or removal.
func (c *comparer) calls() {
	old, new := cmp.Or(c.old.Calls, &protocol.Calls{}), cmp.Or(c.new.Calls, &protocol.Calls{})
	note := func(rule Rule, what string, o, n *protocol.Method, before, after string) {
		if o != nil && c.new.Method(o.Name) == nil || n != nil && c.old.Method(n.Name) == nil {
			return
		}
		c.text(rule, before, after, spot{what, old.Pos, new.Pos, Place{}})
	}
	note(CancellingChanged, "cancelling", old.Cancel, new.Cancel, cancelling(old), cancelling(new))
	c.text(CancellingChanged, endings(old), endings(new), spot{"notifications that cancel", old.Pos, new.Pos, Place{}})
	c.text(RequestIDsChanged, strings.Join(old.NotIDs, ", "), strings.Join(new.NotIDs, ", "), spot{"what ids of requests are not", old.Pos, new.Pos, Place{}})
	note(PingChanged, "sign of life", old.Ping, new.Ping, ping(old), ping(new))
	note(ProgressChanged, "progress", old.Progress, new.Progress, progress(old), progress(new))
}

func cancelling(c *protocol.Calls) string {
	if c.Cancel == nil {
		return ""
	}
	text := c.Cancel.Name + " with " + c.CancelID
	if c.CancelError != 0 {
		text += ", answered with " + strconv.FormatInt(c.CancelError, 10)
	}
	if c.Unanswered {
		text += ", not answered"
	}
	if c.NotHandshake {
		text += ", never for the handshake"
	}
	return text
}

// endings lists the notifications that cancel by a member, and what is answered then.
func endings(c *protocol.Calls) string {
	var list []string
	for _, e := range c.Ends {
		one := e.Method.Name + " for " + e.Request.Name + " by " + e.Member
		if e.Result != "" {
			one += ", answered with " + e.Result
		}
		list = append(list, one)
	}
	return strings.Join(list, "; ")
}

func ping(c *protocol.Calls) string {
	if c.Ping == nil {
		return ""
	}
	return strings.TrimSpace(c.Ping.Name + " " + c.PingParams)
}

func progress(c *protocol.Calls) string {
	if c.Progress == nil {
		return ""
	}
	text := c.Progress.Name + " with " + c.Token + ", asked for in " + strings.Join(c.RequestPath, ".")
	if c.Rising != "" {
		text += ", with rising " + c.Rising
	}
	return text
}

// batches compares which messages may be batched.
func (c *comparer) batches() {
	old, new := c.old.Batches, c.new.Batches
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.add(BatchesAdded, "", "", spot{subject: "batches", new: new.Pos})
	case new == nil:
		c.add(BatchesRemoved, "", "", spot{subject: "batches", old: old.Pos})
	default:
		at := func(m *protocol.Method) spot { return spot{"batches with " + m.Name, old.Pos, new.Pos, Place{}} }
		gone := func(m *protocol.Method) { c.add(BatchesAdded, "", "", at(m)) } // gone from the list of requests not allowed in batches
		came := func(m *protocol.Method) { c.add(BatchesRemoved, "", "", at(m)) }
		join(old.Alone, new.Alone, func(m *protocol.Method) string { return m.Name }, gone, came, func(*protocol.Method, *protocol.Method) {})
	}
}

// steps returns the handshake as words, or nothing if there is none.
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
