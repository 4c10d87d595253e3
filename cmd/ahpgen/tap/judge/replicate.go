// Replicate: subscriptions, actions and envelopes.

package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// roles returns the roles of replication with those of the session, or nil.
func (c *conn) roles() (*protocol.Replication, *protocol.SessionRoles) {
	s := c.session()
	if s == nil {
		return nil, nil
	}
	return c.p.Replication, s
}

// actionTag is the member that has the type of an action.
func (c *conn) actionTag() string {
	if a := c.p.Actions; a != nil && a.Union != nil && a.Union.Dispatch != nil {
		return a.Union.Dispatch.Member
	}
	return ""
}

// actionOf returns the action in the parameters of a method, and the member that names its channel. It is nil if the method
// carries none.
func (c *conn) actionOf(method *protocol.Method, params map[string]any) (action map[string]any, channel string) {
	r, s := c.roles()
	switch {
	case s == nil:
		return nil, ""
	case method == s.Action:
		action, _ = params[r.Envelope.Action.Name].(map[string]any)
		return action, r.Envelope.Channel.Name
	case method == s.Dispatch:
		action, _ = params[r.Dispatch.Action.Name].(map[string]any)
		return action, r.Dispatch.Channel.Name
	}
	return nil, ""
}

// channelMember is the parameter of a method that names a channel, "" if it is not known.
func (c *conn) channelMember(method *protocol.Method) string {
	r, s := c.roles()
	switch {
	case s == nil:
		return ""
	case method == s.Subscribe.Method:
		return s.Subscribe.Channel.Name
	case method == s.Unsubscribe.Method:
		return s.Unsubscribe.Channel.Name
	}
	if in, ok := method.Params.(*protocol.Struct); ok && in.Field(r.Envelope.Channel.Name) != nil {
		return r.Envelope.Channel.Name
	}
	return ""
}

// replicate follows what a message does to subscriptions and states.
func (c *conn) replicate(m *Message, method *protocol.Method, params map[string]any, path string) {
	r, s := c.roles()
	if s == nil {
		return
	}
	if m.From == protocol.FromHost && method != s.Action || m.From == protocol.FromClient && method == s.Action {
		return // about a channel that the client holds: hosts keep copies of these, and they are not followed
	}
	switch method {
	case s.Open.Method:
		c.copies, c.client = newCopies(), textOf(params, s.Open.Client)
		if client := c.client; client != "" {
			if len(c.Judge.copies) >= maxClients {
				clear(c.Judge.copies)
			}
			c.Judge.copies[client] = c.copies
		}
		for _, channel := range textsOf(params, s.Open.Subscriptions) {
			c.copies.await(channel)
		}
	case s.Resume.Method:
		c.client = textOf(params, s.Resume.Client)
		if before := c.Judge.copies[c.client]; before != nil {
			c.copies = before
		}
		for _, channel := range textsOf(params, s.Resume.Subscriptions) {
			if c.copies.channels[channel] == nil {
				c.copies.await(channel)
			}
		}
	case s.Subscribe.Method:
		c.copies.await(textOf(params, s.Subscribe.Channel))
	case s.Unsubscribe.Method:
		c.copies.leave(textOf(params, s.Unsubscribe.Channel))
	case s.Dispatch:
		c.dispatched(m, params, r, path)
	case s.Action:
		c.enveloped(m, params, path, len(m.Body))
	}
}

// refused follows what an error does to subscriptions.
func (c *conn) refused(r *request) {
	if _, s := c.roles(); s != nil && r.method.Name == s.Subscribe.Method.Name {
		c.copies.forget(textOf(r.params, s.Subscribe.Channel))
	}
}

// received applies the states in the result of a request.
func (c *conn) received(m *Message, r *request, result map[string]any) {
	roles, s := c.roles()
	if s == nil || result == nil || m.From != protocol.FromHost {
		return
	}
	switch r.method.Name {
	case s.Open.Method.Name:
		for _, snapshot := range listOf(result, s.Open.Snapshots) {
			c.snapshot(m, snapshot, false)
		}
		for _, channel := range textsOf(r.params, s.Open.Subscriptions) {
			if of := c.copies.channels[channel]; of != nil && of.awaited {
				of.awaited = false
			}
		}
	case s.Subscribe.Method.Name:
		channel := textOf(r.params, s.Subscribe.Channel)
		if snapshot, ok := result[s.Subscribe.Snapshot.Name].(map[string]any); ok {
			c.snapshot(m, snapshot, false)
		} else if of := c.copies.channels[channel]; of != nil {
			of.awaited = false // it has no state
		}
	case s.Resume.Method.Name:
		c.resumed(m, &roles.Reconnect, result)
	}
}

// resumed follows the answer to a reconnect.
func (c *conn) resumed(m *Message, r *protocol.ReconnectRoles, result map[string]any) {
	if c.agreed == "" {
		c.agreed = c.p.Spoken()
	}
	variant, _ := choose(r.Type.Dispatch, result)
	switch variant {
	case r.Replay:
		for i, e := range listOf(result, r.Envelopes) {
			c.enveloped(m, e, fmt.Sprintf("result.%s[%d]", r.Envelopes.Name, i), 0)
		}
		for _, channel := range textsOf(result, r.Missing) {
			c.copies.leave(channel)
		}
	case r.Restart:
		before := c.copies.channels
		c.copies.channels = map[string]*copied{}
		for _, snapshot := range listOf(result, r.Snapshots) {
			c.snapshot(m, snapshot, true)
		}
		for channel := range before {
			if c.copies.channels[channel] == nil {
				c.copies.leave(channel)
			}
		}
		c.seen = 0 // a restarted host may number anew
	}
}

// snapshot takes a state over.
func (c *conn) snapshot(m *Message, snapshot map[string]any, restart bool) {
	r := c.p.Replication.Snapshot
	channel := textOf(snapshot, r.Channel)
	state, _ := snapshot[r.State.Name].(map[string]any)
	sequence, _ := snapshot[r.Sequence.Name].(int64)
	m.lost(channel, c.copies.take(channel, state, sequence, len(m.Body), restart))
	c.touch(m, channel)
}

func (c *conn) touch(m *Message, channel string) {
	if c.Follow {
		m.Touched = append(m.Touched, channel)
	}
}

// enveloped judges an action that a host sends, and applies it.
func (c *conn) enveloped(m *Message, params map[string]any, path string, size int) {
	r := c.p.Replication.Envelope
	e := envelope{channel: textOf(params, r.Channel), size: size}
	e.action, _ = params[r.Action.Name].(map[string]any)
	e.sequence, _ = params[r.Sequence.Name].(int64)
	e.rejected = r.Rejection != nil && params[r.Rejection.Name] != nil
	e.rule = c.action(m, e.action, e.channel, join(path, r.Action.Name))
	if e.rejected { // what is wrong with it is the sender's mistake, and was found there
		wrong := join(path, r.Action.Name)
		m.Findings = slices.DeleteFunc(m.Findings, func(f Finding) bool { return f.Path == wrong || strings.HasPrefix(f.Path, wrong+".") })
	}
	if e.sequence <= c.seen && !e.rejected {
		m.find(Finding{Rule: SequenceBack, Path: join(path, r.Sequence.Name), Text: fmt.Sprintf("%d follows %d", e.sequence, c.seen), Schema: r.Type.Name + "." + r.Sequence.Name, At: r.Sequence.Pos.String()})
	}
	c.seen = max(c.seen, e.sequence)
	of := c.copies.channels[e.channel]
	switch {
	case of != nil:
		var before map[string]any
		if c.Follow && of.state != nil {
			before = inside.CloneState(of.state)
		}
		m.lost(e.channel, of.deliver(e))
		if before != nil {
			c.touch(m, e.channel)
		}
		if before != nil && of.state != nil {
			m.Changes = append(m.Changes, inside.StateParts(before, of.state)...)
		}
	case !c.copies.left[e.channel] && !e.rejected && !c.isOwn(r, params):
		m.find(Finding{Rule: NotSubscribed, Path: join(path, r.Channel.Name), Text: "the client has not subscribed to " + short(e.channel), Schema: r.Type.Name + "." + r.Channel.Name, At: r.Channel.Pos.String()})
	}
}

// isOwn reports whether an envelope has an action of this client, which learns what has become of it wherever it has subscribed.
func (c *conn) isOwn(r protocol.EnvelopeRoles, params map[string]any) bool {
	var client any = params
	for _, f := range r.Client {
		client = at(client, f.Name)
	}
	return c.client != "" && client == c.client
}

// dispatched judges an action that a client dispatches.
func (c *conn) dispatched(m *Message, params map[string]any, r *protocol.Replication, path string) {
	action, _ := params[r.Dispatch.Action.Name].(map[string]any)
	at := join(path, r.Dispatch.Action.Name)
	rule := c.action(m, action, textOf(params, r.Dispatch.Channel), at)
	if rule != nil && !rule.Client && !rule.Unsaid {
		m.find(Finding{Rule: NotDispatchable, Path: join(at, c.actionTag()), Text: short(rule.Type) + " is sent by " + c.p.Sides.A(protocol.FromHost) + " alone", Schema: rule.Struct.Name, At: rule.Pos.String()})
	}
	s := c.sides[m.From]
	n, ok := params[r.Dispatch.ClientSequence.Name].(int64)
	if !ok {
		return
	}
	if n <= s.actions {
		f := r.Dispatch.ClientSequence
		m.find(Finding{Rule: SequenceBack, Path: join(path, f.Name), Text: fmt.Sprintf("%d follows %d", n, s.actions), Schema: r.Dispatch.Type.Name + "." + f.Name, At: f.Pos.String()})
	}
	s.actions = max(s.actions, n)
}

// action returns the rule of an action, or nil if there is none, and judges whether it fits the channel.
func (c *conn) action(m *Message, action map[string]any, channel, path string) *protocol.Action {
	typ, _ := action[c.actionTag()].(string)
	path = join(path, c.actionTag())
	rule := c.rule(action, typ)
	if rule == nil {
		if e := c.p.Extensions; typ != "" && !(e != nil && e.Values && e.Prefix != "" && len(typ) > len(e.Prefix) && typ[:len(e.Prefix)] == e.Prefix) {
			m.find(Finding{Rule: UnknownAction, Path: path, Text: fmt.Sprintf("%s has no action %s", c.p.Title, short(typ))})
		}
		return nil
	}
	f := Finding{Path: path, Schema: rule.Struct.Name, At: rule.Pos.String()}
	if since := c.p.OnWire(rule.Since); c.agreed != "" && !orders[c.p.SpokenOrder()].KnownIn(c.agreed, since) {
		f.Rule, f.Text = UnknownAction, fmt.Sprintf("%s is new in %s, and %s was agreed on", short(typ), since, c.agreed)
		m.find(f)
	}
	if kinds := c.kindOf(channel); rule.Channel != nil && len(kinds) > 0 && !slices.Contains(kinds, rule.Channel) {
		f.Rule, f.Text = WrongChannel, fmt.Sprintf("%s is an action of %s channels, and %s is one of %s", short(typ), rule.Channel.Name, short(channel), kinds[0].Name)
		m.find(f)
		return nil
	}
	return rule
}

// rule returns the row of the table for an action. Several structs may have one type.
func (c *conn) rule(action map[string]any, typ string) *protocol.Action {
	var found *protocol.Action
	for _, a := range c.p.AllActions() {
		if a.Type != typ {
			continue
		}
		if found == nil {
			found = a
		}
		if variant, _ := choose(c.p.Actions.Union.Dispatch, action); variant == a.Struct {
			return a
		}
	}
	return found
}

func textOf(object map[string]any, f *protocol.Field) string {
	if f == nil {
		return ""
	}
	text, _ := object[f.Name].(string)
	return text
}

func textsOf(object map[string]any, f *protocol.Field) (out []string) {
	if f == nil {
		return nil
	}
	list, _ := object[f.Name].([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

func listOf(object map[string]any, f *protocol.Field) (out []map[string]any) {
	if f == nil {
		return nil
	}
	list, _ := object[f.Name].([]any)
	for _, item := range list {
		if object, ok := item.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}

// JSON returns a state as text, with its members in order.
func JSON(state map[string]any) []byte {
	data, err := json.Marshal(state)
	if err != nil {
		return nil // it was decoded
	}
	return data
}
