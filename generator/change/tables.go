// Tables: channels, actions, methods and error codes.

package change

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// text compares two strings of a row.
func (c *comparer) text(rule Rule, old, new string, at spot) {
	if old != new {
		c.add(rule, fmt.Sprintf("%q", old), fmt.Sprintf("%q", new), at)
	}
}

// attached compares two optional types of a row.
func (c *comparer) attached(added, removed Rule, old, new protocol.Type, at spot) {
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.add(added, "", publicName(new), at)
	case new == nil:
		c.add(removed, publicName(old), "", at)
	default:
		at.OldType, at.NewType = old, new
		c.expr(protocol.Ref{Type: old}, protocol.Ref{Type: new}, at)
	}
}

func structType(s *protocol.Struct) protocol.Type {
	if s == nil {
		return nil
	}
	return s
}

func (c *comparer) channels() {
	join(c.old.Channels, c.new.Channels, func(ch *protocol.Channel) string { return ch.Name },
		func(o *protocol.Channel) {
			c.add(ChannelRemoved, "", "", spot{"channel " + o.Name, o.Pos, diag.Pos{}, Place{OldRow: o}})
		},
		func(n *protocol.Channel) {
			c.add(ChannelAdded, "", "", spot{"channel " + n.Name, diag.Pos{}, n.Pos, Place{NewRow: n}})
		},
		func(o, n *protocol.Channel) {
			at := spot{"channel " + o.Name, o.Pos, n.Pos, Place{OldRow: o, NewRow: n}}
			c.text(ChannelURIChanged, o.URI, n.URI, at)
			c.text(ChannelPassThroughChanged, o.PassThrough, n.PassThrough, at)
			c.text(ChannelPrefixChanged, o.Prefix, n.Prefix, at)
			c.attached(ChannelStateAdded, ChannelStateRemoved, structType(o.State), structType(n.State), at.inside(" state"))
		})
}

// actionKey distinguishes structs with the same action type by their index.
func actionKey(list []*protocol.Action) func(*protocol.Action) string {
	keys := map[*protocol.Action]string{}
	count := map[string]int{}
	for _, a := range list {
		keys[a] = fmt.Sprintf("%s#%d", a.Type, count[a.Type])
		count[a.Type]++
	}
	return func(a *protocol.Action) string { return keys[a] }
}

func (c *comparer) actions() {
	old, new := c.old.AllActions(), c.new.AllActions()
	oldKey, newKey := actionKey(old), actionKey(new)
	key := func(a *protocol.Action) string { return cmp.Or(oldKey(a), newKey(a)) }
	dated := dated(c.new)
	var both [][2]*protocol.Action
	join(old, new, key,
		func(o *protocol.Action) {
			c.add(ActionRemoved, "", "", spot{"action " + o.Type, o.Pos, diag.Pos{}, Place{OldRow: o}})
		},
		func(n *protocol.Action) {
			at := spot{"action " + n.Type, diag.Pos{}, n.Pos, Place{OldType: actionUnion(c.old), NewRow: n}}
			c.add(ActionAdded, "", "", at)
			c.since(dated, n.Since, at)
		},
		func(o, n *protocol.Action) {
			at := spot{"action " + o.Type, o.Pos, n.Pos, Place{OldRow: o, NewRow: n}}
			c.either(ActionDispatchGained, ActionDispatchLost, o.Client, n.Client, at)
			c.text(SinceChanged, o.Since, n.Since, at)
			c.text(ActionChannelChanged, channelName(o), channelName(n), at)
			c.pair(o.Struct, n.Struct, at)
			both = append(both, [2]*protocol.Action{o, n})
		})
	c.rules(both)
}

// actionUnion returns the union that an action is a variant of.
func actionUnion(p *protocol.Protocol) protocol.Type {
	if p.Actions == nil {
		return nil
	}
	return p.Actions.Union
}

// dated reports whether a protocol states when its actions and methods were introduced.
func dated(p *protocol.Protocol) bool {
	return slices.ContainsFunc(p.AllActions(), func(a *protocol.Action) bool { return a.Since != "" }) ||
		slices.ContainsFunc(p.Methods, func(m *protocol.Method) bool { return m.Since != "" })
}

// since reports an addition without a version.
func (c *comparer) since(dated bool, since string, at spot) {
	if dated && since == "" {
		c.add(SinceMissing, "", "", at)
	}
}

func channelName(a *protocol.Action) string {
	if a.Channel == nil {
		return ""
	}
	return a.Channel.Name
}

func (c *comparer) methods() {
	dated := dated(c.new)
	join(c.old.Methods, c.new.Methods, c.methodKey(),
		func(o *protocol.Method) {
			rule := MethodRemoved
			if o.Notification {
				rule = NotificationRemoved
			}
			c.add(rule, "", "", spot{"method " + o.Name, o.Pos, diag.Pos{}, Place{OldRow: o}})
		},
		func(n *protocol.Method) {
			rule, at := MethodAdded, spot{"method " + n.Name, diag.Pos{}, n.Pos, Place{NewRow: n}}
			if n.Notification {
				rule = NotificationAdded
			}
			c.add(rule, "", "", at)
			c.since(dated, n.Since, at)
		},
		c.method)
}

// methodKey identifies methods by name, and by kind if a request and a notification share the name.
func (c *comparer) methodKey() func(*protocol.Method) string {
	shared := map[string]bool{}
	for _, list := range [][]*protocol.Method{c.old.Methods, c.new.Methods} {
		kind := map[string]bool{}
		for _, m := range list {
			if was, ok := kind[m.Name]; ok && was != m.Notification {
				shared[m.Name] = true
			}
			kind[m.Name] = m.Notification
		}
	}
	return func(m *protocol.Method) string {
		if shared[m.Name] {
			return m.Name + " " + m.Kind()
		}
		return m.Name
	}
}

func (c *comparer) method(o, n *protocol.Method) {
	at := spot{"method " + o.Name, o.Pos, n.Pos, Place{OldRow: o, NewRow: n}}
	for _, side := range []protocol.Side{protocol.FromClient, protocol.FromHost} {
		was, is, name := sends(o, side), sends(n, side), c.new.Sides.Name(side)
		switch {
		case is && !was:
			c.add(MethodDirectionGained, "", name, at)
		case was && !is:
			c.add(MethodDirectionLost, name, "", at)
		}
	}
	if o.Notification != n.Notification {
		c.add(MethodKindChanged, o.Kind(), n.Kind(), at)
	} else if o.Stream != n.Stream {
		c.add(MethodKindChanged, results(o), results(n), at)
	}
	c.text(SinceChanged, o.Since, n.Since, at)
	c.attached(ParamsAdded, ParamsRemoved, o.Params, n.Params, at.inside(" params"))
	c.attached(ResultAdded, ResultRemoved, o.Result, n.Result, at.inside(" result"))
	if o.Result != nil && n.Result != nil {
		c.either(ResultNullAllowed, ResultNullRefused, o.NullResult, n.NullResult, at)
	}
}

// results says how many results a request has.
func results(m *protocol.Method) string {
	if m.Stream {
		return "request with several results"
	}
	return "request with one result"
}

// sends reports whether a side sends the method.
func sends(m *protocol.Method, side protocol.Side) bool {
	return m.From == side || m.From == protocol.FromBoth
}

func (c *comparer) errors() {
	subject := func(e *protocol.ErrorCode) string { return fmt.Sprintf("error %d", e.Code) }
	join(c.old.Errors, c.new.Errors, subject,
		func(o *protocol.ErrorCode) {
			c.add(ErrorRemoved, o.Name, "", spot{subject(o), o.Pos, diag.Pos{}, Place{OldRow: o}})
		},
		func(n *protocol.ErrorCode) {
			c.add(ErrorAdded, "", n.Name, spot{subject(n), diag.Pos{}, n.Pos, Place{NewRow: n}})
		},
		func(o, n *protocol.ErrorCode) {
			at := spot{subject(o), o.Pos, n.Pos, Place{OldRow: o, NewRow: n}}
			if o.Name != n.Name {
				c.add(ErrorRenamed, o.Name, n.Name, at)
			}
			c.attached(ErrorDataAdded, ErrorDataRemoved, o.Data, n.Data, at.inside(" data"))
		})
}
