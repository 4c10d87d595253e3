// Tables: channels, actions, methods and error codes.

package change

import (
	"cmp"
	"fmt"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// text compares two words of a row.
func (c *comparer) text(rule Rule, subject, old, new string, oldPos, newPos diag.Pos, place Place) {
	if old != new {
		c.add(rule, subject, fmt.Sprintf("%q", old), fmt.Sprintf("%q", new), oldPos, newPos, place)
	}
}

// attached compares types that a row may have or not.
func (c *comparer) attached(added, removed Rule, subject string, old, new protocol.Type, oldPos, newPos diag.Pos, place Place) {
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.add(added, subject, "", publicName(new), oldPos, newPos, place)
	case new == nil:
		c.add(removed, subject, publicName(old), "", oldPos, newPos, place)
	default:
		place.OldType, place.NewType = old, new
		c.expr(subject, protocol.Ref{Type: old}, protocol.Ref{Type: new}, oldPos, newPos, place)
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
			c.add(ChannelRemoved, "channel "+o.Name, "", "", o.Pos, diag.Pos{}, Place{OldRow: o})
		},
		func(n *protocol.Channel) {
			c.add(ChannelAdded, "channel "+n.Name, "", "", diag.Pos{}, n.Pos, Place{NewRow: n})
		},
		func(o, n *protocol.Channel) {
			subject, place := "channel "+o.Name, Place{OldRow: o, NewRow: n}
			c.text(ChannelURIChanged, subject, o.URI, n.URI, o.Pos, n.Pos, place)
			c.text(ChannelPassThroughChanged, subject, o.PassThrough, n.PassThrough, o.Pos, n.Pos, place)
			c.text(ChannelPrefixChanged, subject, o.Prefix, n.Prefix, o.Pos, n.Pos, place)
			c.attached(ChannelStateAdded, ChannelStateRemoved, subject+" state", structType(o.State), structType(n.State), o.Pos, n.Pos, place)
		})
}

func actionsOf(p *protocol.Protocol) []*protocol.Action {
	if p.Actions == nil {
		return nil
	}
	return p.Actions.Actions
}

// actionKey tells apart the structs that share a wire type by their place among them.
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
	old, new := actionsOf(c.old), actionsOf(c.new)
	oldKey, newKey := actionKey(old), actionKey(new)
	key := func(a *protocol.Action) string { return cmp.Or(oldKey(a), newKey(a)) }
	dated := dated(c.new)
	var both [][2]*protocol.Action
	join(old, new, key,
		func(o *protocol.Action) {
			c.add(ActionRemoved, "action "+o.Type, "", "", o.Pos, diag.Pos{}, Place{OldRow: o})
		},
		func(n *protocol.Action) {
			place := Place{OldType: actionUnion(c.old), NewRow: n}
			c.add(ActionAdded, "action "+n.Type, "", "", diag.Pos{}, n.Pos, place)
			c.since(dated, "action "+n.Type, n.Since, n.Pos, place)
		},
		func(o, n *protocol.Action) {
			subject, place := "action "+o.Type, Place{OldRow: o, NewRow: n}
			switch {
			case n.Client && !o.Client:
				c.add(ActionDispatchGained, subject, "", "", o.Pos, n.Pos, place)
			case o.Client && !n.Client:
				c.add(ActionDispatchLost, subject, "", "", o.Pos, n.Pos, place)
			}
			c.text(SinceChanged, subject, o.Since, n.Since, o.Pos, n.Pos, place)
			c.text(ActionChannelChanged, subject, channelName(o), channelName(n), o.Pos, n.Pos, place)
			c.pair(subject, o.Struct, n.Struct)
			both = append(both, [2]*protocol.Action{o, n})
		})
	c.rules(both)
}

// actionUnion is the union that an action is a variant of.
func actionUnion(p *protocol.Protocol) protocol.Type {
	if p.Actions == nil {
		return nil
	}
	return p.Actions.Union
}

// dated reports whether a protocol says when its actions and methods came in. Where it never does,
// there is nothing to miss in a new one.
func dated(p *protocol.Protocol) bool {
	for _, a := range actionsOf(p) {
		if a.Since != "" {
			return true
		}
	}
	for _, m := range p.Methods {
		if m.Since != "" {
			return true
		}
	}
	return false
}

// since reports something new that does not say in which version it came.
func (c *comparer) since(dated bool, subject, since string, pos diag.Pos, place Place) {
	if dated && since == "" {
		c.add(SinceMissing, subject, "", "", diag.Pos{}, pos, place)
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
			c.add(rule, "method "+o.Name, "", "", o.Pos, diag.Pos{}, Place{OldRow: o})
		},
		func(n *protocol.Method) {
			rule, place := MethodAdded, Place{NewRow: n}
			if n.Notification {
				rule = NotificationAdded
			}
			c.add(rule, "method "+n.Name, "", "", diag.Pos{}, n.Pos, place)
			c.since(dated, "method "+n.Name, n.Since, n.Pos, place)
		},
		c.method)
}

// methodKey tells methods apart: by name, and by kind where a request and a notification share one.
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
			return m.Name + " " + methodKind(m)
		}
		return m.Name
	}
}

func (c *comparer) method(o, n *protocol.Method) {
	subject, place := "method "+o.Name, Place{OldRow: o, NewRow: n}
	for _, side := range []protocol.Side{protocol.FromClient, protocol.FromHost} {
		was, is, name := sends(o, side), sends(n, side), c.new.Sides.Name(side)
		switch {
		case is && !was:
			c.add(MethodDirectionGained, subject, "", name, o.Pos, n.Pos, place)
		case was && !is:
			c.add(MethodDirectionLost, subject, name, "", o.Pos, n.Pos, place)
		}
	}
	if o.Notification != n.Notification {
		c.add(MethodKindChanged, subject, methodKind(o), methodKind(n), o.Pos, n.Pos, place)
	}
	c.text(SinceChanged, subject, o.Since, n.Since, o.Pos, n.Pos, place)
	c.attached(ParamsAdded, ParamsRemoved, subject+" params", o.Params, n.Params, o.Pos, n.Pos, place)
	c.attached(ResultAdded, ResultRemoved, subject+" result", o.Result, n.Result, o.Pos, n.Pos, place)
}

// sends reports whether a side sends the method.
func sends(m *protocol.Method, side protocol.Side) bool {
	return m.From == side || m.From == protocol.FromBoth
}

func methodKind(m *protocol.Method) string {
	if m.Notification {
		return "notification"
	}
	return "request"
}

func (c *comparer) errors() {
	subject := func(e *protocol.ErrorCode) string { return fmt.Sprintf("error %d", e.Code) }
	join(c.old.Errors, c.new.Errors, subject,
		func(o *protocol.ErrorCode) {
			c.add(ErrorRemoved, subject(o), o.Name, "", o.Pos, diag.Pos{}, Place{OldRow: o})
		},
		func(n *protocol.ErrorCode) {
			c.add(ErrorAdded, subject(n), "", n.Name, diag.Pos{}, n.Pos, Place{NewRow: n})
		},
		func(o, n *protocol.ErrorCode) {
			place := Place{OldRow: o, NewRow: n}
			if o.Name != n.Name {
				c.add(ErrorRenamed, subject(o), o.Name, n.Name, o.Pos, n.Pos, place)
			}
			c.attached(ErrorDataAdded, ErrorDataRemoved, subject(o)+" data", o.Data, n.Data, o.Pos, n.Pos, place)
		})
}
