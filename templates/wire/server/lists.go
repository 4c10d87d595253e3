// Lists of channels derived from their states: notifications of changes, and counts.

package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// List describes a list of channels whose entries are derived from the states.
type List[S comparable, A any] struct {
	// At is the channel whose subscribers are notified of changes.
	At string
	// Is reports whether a state belongs to a channel of the list.
	Is func(S) bool
	// Entry returns a channel's entry, and when it last changed.
	Entry func(channel string, opened time.Time, state S) (entry wire.Appender, changed time.Time)
	// Added, Removed and Updated are the notifications of changes. Partial lists the members that an update may
	// contain.
	Added, Removed, Updated Telling
	Partial                 []string
	// Count returns the action that states the number of channels, or false if the state of At already does. It may
	// be nil.
	Count func(channels int64, at S) (A, bool)
}

// Telling is a notification with the names of its parameters, which are "" if missing.
type Telling struct {
	Method                string
	At, Channel, Contents string
}

// kept is a list maintained by a server.
type kept[S comparable, A any] struct {
	*List[S, A]
	channels int64
}

// entry is a channel's entry.
type entry struct {
	opened  time.Time
	changed time.Time
	data    []byte // as JSON; nil if there is none
}

// startLists builds the lists from the log.
func (s *Server[S, A]) startLists() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.OwnLists {
		return
	}
	for i := range s.protocol.Lists {
		s.lists = append(s.lists, &kept[S, A]{List: &s.protocol.Lists[i]})
	}
	if s.replica != nil {
		for _, c := range s.channels { // which others have opened meanwhile
			if !c.copied.stub {
				s.enterList(c)
			}
		}
		s.background(s.warmLists)
		return
	}
	for _, c := range s.channels {
		if l := s.listOf(c); l != nil {
			l.channels++
			_, _ = s.enter(l, c)
		}
	}
	for _, l := range s.lists {
		s.count(l)
	}
}

// listOf returns the list a channel belongs to, or nil.
func (s *Server[S, A]) listOf(c *channel[S]) *kept[S, A] {
	if c.copied.list > 0 {
		return s.lists[c.copied.list-1] // the state may be elsewhere
	}
	for _, l := range s.lists {
		if c.hasState && l.Is(c.state) {
			return l
		}
	}
	return nil
}

// enter updates the entry of a channel from its state and returns the previous one.
func (s *Server[S, A]) enter(l *kept[S, A], c *channel[S]) (before []byte, ok bool) {
	now, changed := l.Entry(c.name, c.entry.opened, c.state)
	data, err := now.AppendJSON(nil)
	if err != nil {
		s.report(fmt.Errorf("list %s: %w", c.name, err))
		return nil, false
	}
	before = c.entry.data
	c.entry.data, c.entry.changed = data, changed
	return before, true
}

// listAdded, listChanged and listRemoved update the lists after a change of a channel. The caller must hold the lock.
func (s *Server[S, A]) listAdded(c *channel[S]) {
	for _, l := range s.lists {
		if l.At == c.name {
			s.count(l)
		}
	}
	if l := s.listOf(c); l != nil {
		l.channels++
		s.count(l)
		s.listChanged(c)
	}
}

func (s *Server[S, A]) listChanged(c *channel[S]) {
	l := s.listOf(c)
	if l == nil {
		return
	}
	before, ok := s.enter(l, c)
	switch {
	case !ok || bytes.Equal(before, c.entry.data):
	case before == nil:
		s.tellOf(l, l.Added, c, c.entry.data)
	default:
		if part := l.difference(before, c.entry.data); part != nil {
			s.tellOf(l, l.Updated, c, part)
		}
	}
}

func (s *Server[S, A]) listRemoved(c *channel[S]) {
	l := s.listOf(c)
	if l == nil {
		return
	}
	l.channels--
	s.count(l)
	if c.entry.data != nil {
		s.tellOf(l, l.Removed, c, nil)
	}
	if s.asks() { // those who have not been told do not need to know any more that they have seen it
		s.tell(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			for client := range s.served {
				client.unlist(c.name, &c.entry)
			}
		})
	}
}

// count publishes the number of channels in a list if it has changed.
func (s *Server[S, A]) count(l *kept[S, A]) {
	at := s.channels[l.At]
	if s.replica != nil {
		s.countShared(l)
		return
	}
	if l.Count == nil || at == nil || !at.hasState {
		return
	}
	if action, differs := l.Count(l.channels, at.state); differs {
		if err := s.emit(at, Envelope[A]{Channel: l.At, Action: action}, nil); err != nil {
			s.report(fmt.Errorf("count at %s: %w", l.At, err))
		}
	}
}

// difference returns the changed members of an entry, or nil.
func (l *List[S, A]) difference(before, now []byte) []byte {
	var had, has map[string]json.RawMessage
	if json.Unmarshal(before, &had) != nil || json.Unmarshal(now, &has) != nil {
		return nil
	}
	var out []byte
	for _, name := range l.Partial {
		if value, ok := has[name]; ok && !bytes.Equal(value, had[name]) {
			out = append(member(out, name), value...)
		}
	}
	if out == nil {
		return nil
	}
	return append(out, '}')
}

// member appends a member name to an object under construction.
func member(object []byte, name string) []byte {
	if len(object) == 0 {
		object = append(object, '{')
	} else {
		object = append(object, ',')
	}
	return append(wire.AppendString(object, name), ':')
}

// listNotice returns the notification of a changed entry, without recipients.
func (s *Server[S, A]) listNotice(l *kept[S, A], how Telling, name string, contents []byte) (d delivery, ok bool) {
	if how.Method == "" {
		return d, false
	}
	var params []byte
	if how.At != "" {
		params = wire.AppendString(member(params, how.At), l.At)
	}
	if how.Channel != "" {
		params = wire.AppendString(member(params, how.Channel), name)
	}
	if how.Contents != "" {
		params = append(member(params, how.Contents), contents...)
	}
	d, err := s.notification(how.Method, append(params, '}'))
	if err != nil {
		s.report(fmt.Errorf("list %s: %w", name, err))
	}
	return d, err == nil
}

// tellOf notifies the clients that see a channel of its changed entry.
func (s *Server[S, A]) tellOf(l *kept[S, A], how Telling, c *channel[S], contents []byte) {
	at := s.channels[l.At]
	if at == nil || len(at.subscribers) == 0 {
		return
	}
	d, ok := s.listNotice(l, how, c.name, contents)
	if !ok {
		return
	}
	if !s.asks() {
		d.to = at.subscribers
		s.put(d)
		return
	}
	to, gone := at.subscribers, contents == nil
	s.tell(func() {
		for _, client := range to {
			if gone && s.forgets(client, c.name, &c.entry) || !gone && s.shows(unlessGone{context.Background(), client}, client, c.name, &c.entry) {
				d.to = append(d.to, client)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.put(d)
	})
}

// put queues a delivery. The caller must hold the lock.
func (s *Server[S, A]) put(d delivery) {
	s.out.list = append(s.out.list, d)
	s.out.bytes += int64(len(d.data))
	s.kick()
}

// notification returns a delivery to clients whose version includes the notification.
func (s *Server[S, A]) notification(method string, params json.RawMessage) (d delivery, err error) {
	d.data, err = (&rpc.Message{Kind: rpc.Notification, Method: method, Params: params}).AppendJSON(nil)
	if d.since, d.known = s.table.Since(method); !d.known {
		d.since, d.known = s.table.Extended(method)
	}
	d.method, d.params = method, params
	d.gated = d.known // methods of other protocols have no version here
	return d, err
}

// asks reports whether a hook decides which clients see which entries.
func (s *Server[S, A]) asks() bool { return s.options.Listed != nil || s.options.Admit != nil }

// shows reports whether a client may see an entry, and records that it has seen it. The caller must not hold the
// lock.
func (s *Server[S, A]) shows(ctx context.Context, c *Client, name string, of *entry) bool {
	switch {
	case s.options.Listed != nil && !s.options.Listed(ctx, c, name):
		return false
	case s.options.Listed == nil && s.options.Admit != nil && s.options.Admit(ctx, c, name) != nil:
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asks() && !c.gone {
		if c.listed == nil {
			c.listed = map[string]*entry{}
		}
		c.listed[name] = of
	}
	return true
}

// forgets reports whether a client has seen the entry of a removed channel.
func (s *Server[S, A]) forgets(c *Client, name string, of *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.unlist(name, of)
}

// unlist forgets that a client has seen an entry, and reports whether it had. There may be another one of that name by now. The
// caller must hold the server's lock.
func (c *Client) unlist(name string, of *entry) bool {
	was := c.listed[name] == of
	if was {
		delete(c.listed, name)
	}
	return was
}

// unlessGone returns a context that is cancelled when the client disconnects.
type unlessGone struct {
	context.Context
	client *Client
}

func (u unlessGone) Done() <-chan struct{} { return u.client.Done() }

func (u unlessGone) Err() error {
	select {
	case <-u.client.Done():
		return context.Canceled
	default:
		return nil
	}
}

// listed returns the channels of a list, most recently changed first.
func (s *Server[S, A]) listed(nth int) []place {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []place
	if nth < len(s.lists) {
		for _, c := range s.channels {
			if c.entry.data != nil && s.listOf(c) == s.lists[nth] {
				out = append(out, place{c.entry.changed.UnixMilli(), c.name, c.entry.data, &c.entry})
			}
		}
	}
	slices.SortFunc(out, place.compare)
	return out
}
