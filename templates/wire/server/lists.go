// Lists of channels that follow from their states: what clients are told of them, and how many there are.

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

// List is what a protocol says of a list of channels whose entries follow from the states.
type List[S comparable, A any] struct {
	// At is the channel whose subscribers are told how the list changes.
	At string
	// Is reports whether a state is that of a channel of the list.
	Is func(S) bool
	// Entry is what the list has of a channel, and when that has changed last.
	Entry func(channel string, opened time.Time, state S) (entry wire.Appender, changed time.Time)
	// Added, Removed and Updated are the notifications that tell of a change, and Partial the members that one may have
	// which tells of new values.
	Added, Removed, Updated Telling
	Partial                 []string
	// Count is the action that says how many channels there are, and false if the state of At says so. It may be nil.
	Count func(channels int64, at S) (A, bool)
}

// Telling is a notification, by the members of its parameters. A member that it does not have is "".
type Telling struct {
	Method                string
	At, Channel, Contents string
}

// kept is a list that a server keeps.
type kept[S comparable, A any] struct {
	*List[S, A]
	channels int64
}

// entry is what a list has of a channel.
type entry struct {
	opened  time.Time
	changed time.Time
	data    []byte // as JSON; nil if there is none
}

// startLists fills the lists with what the log has kept.
func (s *Server[S, A]) startLists() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.OwnLists {
		return
	}
	for i := range s.protocol.Lists {
		s.lists = append(s.lists, &kept[S, A]{List: &s.protocol.Lists[i]})
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

// listOf returns the list that a channel stands in, or nil.
func (s *Server[S, A]) listOf(c *channel[S]) *kept[S, A] {
	for _, l := range s.lists {
		if c.hasState && l.Is(c.state) {
			return l
		}
	}
	return nil
}

// enter makes the entry of a channel what its state says, and returns the one before.
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

// listAdded, listChanged and listRemoved keep the lists after a change of a channel. The caller holds the lock.
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
}

// count publishes how many channels a list has, unless the state of its channel says so.
func (s *Server[S, A]) count(l *kept[S, A]) {
	at := s.channels[l.At]
	if l.Count == nil || at == nil || !at.hasState {
		return
	}
	if action, differs := l.Count(l.channels, at.state); differs {
		if err := s.emit(at, Envelope[A]{Channel: l.At, Action: action}, nil); err != nil {
			s.report(fmt.Errorf("count at %s: %w", l.At, err))
		}
	}
}

// difference has the members of an entry that are not as before; nil if no notification may have them.
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

// member appends the name of a member to an object that is begun, or begins it.
func member(object []byte, name string) []byte {
	if len(object) == 0 {
		object = append(object, '{')
	} else {
		object = append(object, ',')
	}
	return append(wire.AppendString(object, name), ':')
}

// tellOf tells those who see a channel how its entry has changed.
func (s *Server[S, A]) tellOf(l *kept[S, A], how Telling, c *channel[S], contents []byte) {
	at := s.channels[l.At]
	if how.Method == "" || at == nil || len(at.subscribers) == 0 {
		return
	}
	var params []byte
	if how.At != "" {
		params = wire.AppendString(member(params, how.At), l.At)
	}
	if how.Channel != "" {
		params = wire.AppendString(member(params, how.Channel), c.name)
	}
	if how.Contents != "" {
		params = append(member(params, how.Contents), contents...)
	}
	d, err := s.notification(how.Method, append(params, '}'))
	if err != nil {
		s.report(fmt.Errorf("list %s: %w", c.name, err))
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
			if gone && s.forgets(client, c.name) || !gone && s.shows(unlessGone{context.Background(), client}, client, c.name) {
				d.to = append(d.to, client)
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.put(d)
	})
}

// put puts a delivery on its way. The caller holds the lock.
func (s *Server[S, A]) put(d delivery) {
	s.out.list = append(s.out.list, d)
	s.out.bytes += int64(len(d.data))
	s.kick()
}

// notification returns one that is left out where the version of a client does not know it.
func (s *Server[S, A]) notification(method string, params json.RawMessage) (d delivery, err error) {
	d.data, err = (&rpc.Message{Kind: rpc.Notification, Method: method, Params: params}).AppendJSON(nil)
	if d.since, d.known = s.table.Since(method); !d.known {
		d.since, d.known = s.table.Extended(method)
	}
	d.gated = d.known // methods of other protocols have no version here
	return d, err
}

// asks reports whether somebody has to be asked which clients see what.
func (s *Server[S, A]) asks() bool { return s.options.Listed != nil || s.options.Admit != nil }

// shows reports whether a client may see the entry of a channel, and takes it for seen then. The caller does not
// hold the lock.
func (s *Server[S, A]) shows(ctx context.Context, c *Client, name string) bool {
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
			c.listed = map[string]bool{}
		}
		c.listed[name] = true
	}
	return true
}

// forgets reports whether a client has seen the entry of a channel that has ended.
func (s *Server[S, A]) forgets(c *Client, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := c.listed[name]
	delete(c.listed, name)
	return was
}

// unlessGone is a context that ends with the connection of a client.
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

// listed returns the channels of a list as they are now, those first that have changed last.
func (s *Server[S, A]) listed(nth int) []place {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []place
	if nth < len(s.lists) {
		for _, c := range s.channels {
			if c.entry.data != nil && s.listOf(c) == s.lists[nth] {
				out = append(out, place{c.entry.changed.UnixMilli(), c.name, c.entry.data})
			}
		}
	}
	slices.SortFunc(out, place.compare)
	return out
}
