// Replication: stated roles of types and members, checked against them.

package behaviour

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// replication reads the stated replication.
func (b *builder) replication(stated *facts.Replication) {
	n, r := stated.Statement, &roleReader{b: b}
	if b.out.Actions == nil {
		if b.HasErrors() {
			return // actions may be missing because of reported errors
		}
		r.errorf(n.Pos, "name the union of actions, or take the roles away", "states are replicated by actions, and there are none")
		return
	}
	out := r.read(n)
	if !r.failed {
		b.out.Replication = out
	}
}

// roleReader reads roles. It continues after errors.
type roleReader struct {
	b      *builder
	failed bool
}

func (r *roleReader) errorf(pos diag.Pos, hint, format string, args ...any) {
	r.failed = true
	r.b.Errorf(pos, "bad-role", cmp.Or(hint, "name another, or correct the definition"), r.b.Say(format), args...)
}

func (r *roleReader) read(n *schema.Node) *protocol.Replication {
	out := &protocol.Replication{
		Pos: n.Pos, Envelope: r.envelope(n.Get("envelope")), Snapshot: r.snapshot(n.Get("snapshot")), Dispatch: r.dispatch(n.Get("dispatch")),
	}
	out.Reconnect = r.reconnect(n.Get("reconnect"), out.Envelope.Type, out.Snapshot.Type)
	return out
}

// lacks reports whether a text is missing, which has been reported: each is required by the vocabulary.
func (r *roleReader) lacks(n *schema.Node) bool {
	lacks := n.Str() == ""
	r.failed = r.failed || lacks
	return lacks
}

func (r *roleReader) envelope(n *schema.Node) protocol.EnvelopeRoles {
	s := r.structAt(n.Get("type"))
	return protocol.EnvelopeRoles{
		Type:           s,
		Channel:        r.text(n.Get("channel"), s),
		Action:         r.action(n.Get("action"), s),
		Sequence:       r.number(n.Get("sequence"), s),
		Client:         r.path(n.Get("client"), s, protocol.String),
		ClientSequence: r.path(n.Get("clientSequence"), s, protocol.Integer),
		Rejection:      r.reason(n.Get("rejection"), s),
	}
}

func (r *roleReader) snapshot(n *schema.Node) protocol.SnapshotRoles {
	s := r.structAt(n.Get("type"))
	return protocol.SnapshotRoles{
		Type:     s,
		Channel:  r.text(n.Get("channel"), s),
		State:    r.state(n.Get("state"), s),
		Sequence: r.number(n.Get("sequence"), s),
	}
}

func (r *roleReader) dispatch(n *schema.Node) protocol.DispatchRoles {
	s := r.structAt(n.Get("type"))
	return protocol.DispatchRoles{
		Type:           s,
		Channel:        r.text(n.Get("channel"), s),
		Action:         r.action(n.Get("action"), s),
		ClientSequence: r.number(n.Get("clientSequence"), s),
	}
}

func (r *roleReader) reconnect(n *schema.Node, envelope, snapshot *protocol.Struct) protocol.ReconnectRoles {
	out := protocol.ReconnectRoles{}
	out.Type, _ = r.typeAt(n.Get("type"), "a union").(*protocol.Union)
	replay, restart := n.Get("replay"), n.Get("restart")
	out.Replay = r.variant(replay.Get("type"), out.Type)
	out.Envelopes = r.list(replay.Get("envelopes"), out.Replay, envelope)
	out.Missing = r.texts(replay.Get("missing"), out.Replay)
	out.Restart = r.variant(restart.Get("type"), out.Type)
	out.Snapshots = r.list(restart.Get("snapshots"), out.Restart, snapshot)
	return out
}

// typeAt returns the named definition, or nil if there is none of that kind.
func (r *roleReader) typeAt(n *schema.Node, kind string) protocol.Type {
	if r.lacks(n) {
		return nil
	}
	t := r.b.out.Lookup(n.Text)
	isKind := false
	switch t.(type) {
	case *protocol.Struct:
		isKind = kind == "an object"
	case *protocol.Union:
		isKind = kind == "a union"
	case nil:
		r.errorf(n.Pos, "name a definition that is "+kind, "the schemas define no %s", n.Compact())
		return nil
	}
	if !isKind {
		r.errorf(n.Pos, "name a definition that is "+kind, "%s is not %s", t.Head().Name, kind)
		return nil
	}
	return t
}

func (r *roleReader) structAt(n *schema.Node) *protocol.Struct {
	s, _ := r.typeAt(n, "an object").(*protocol.Struct)
	return s
}

// variant returns the named object, which must be a variant of a union.
func (r *roleReader) variant(n *schema.Node, of *protocol.Union) *protocol.Struct {
	s := r.structAt(n)
	if s != nil && of != nil && !slices.Contains(of.Leaves(), s) {
		names := each.Map(of.Leaves(), func(leaf *protocol.Struct) string { return leaf.Name })
		r.errorf(n.Pos, "its variants are "+strings.Join(names, ", "), "%s is no variant of %s", s.Name, of.Name)
	}
	return s
}

// member returns the named member. Its absence is an error.
func (r *roleReader) member(n *schema.Node, s *protocol.Struct) *protocol.Field {
	if r.lacks(n) || s == nil || r.b.of.Types.Broken[s] {
		return nil // reported
	}
	f := s.Field(n.Text)
	switch {
	case f == nil:
		r.errorf(n.Pos, phase.MemberHint(s), "%s has no member %s", s.Name, n.Compact())
	case f.Const != nil:
		r.errorf(n.Pos, "", "%s of %s always is %q", f.Name, s.Name, f.Const.String())
	case f.Nullable:
		r.errorf(n.Pos, "", "%s of %s may be null", f.Name, s.Name)
	default:
		return f
	}
	return nil
}

// always is member for a required one.
func (r *roleReader) always(n *schema.Node, s *protocol.Struct) *protocol.Field {
	f := r.member(n, s)
	if f != nil && !f.Required {
		r.errorf(n.Pos, "add it to required", "%s of %s may be missing", f.Name, s.Name)
		return nil
	}
	return f
}

// is checks the type of a member.
func (r *roleReader) is(n *schema.Node, f *protocol.Field, want string, ok bool) *protocol.Field {
	if f == nil {
		return nil
	}
	if !ok && r.b.At(f.Pos) {
		r.failed = true // reported at the member
		return nil
	}
	if !ok {
		r.errorf(n.Pos, "name a member that is "+want+", or give it that type", "%s has to be %s, not %s", f.Name, want, phase.Describe(f.Type))
		return nil
	}
	return f
}

func isScalar(f *protocol.Field, want protocol.Scalar) bool {
	return f != nil && protocol.Underlying(f.Type) == protocol.Expr(want)
}

// scalar is is for a scalar.
func (r *roleReader) scalar(n *schema.Node, f *protocol.Field, want protocol.Scalar) *protocol.Field {
	return r.is(n, f, protocol.A(want.String()), isScalar(f, want))
}

func (r *roleReader) text(n *schema.Node, s *protocol.Struct) *protocol.Field {
	return r.scalar(n, r.always(n, s), protocol.String)
}

func (r *roleReader) number(n *schema.Node, s *protocol.Struct) *protocol.Field {
	return r.scalar(n, r.always(n, s), protocol.Integer)
}

// reason reads the member with the reason of a rejection.
func (r *roleReader) reason(n *schema.Node, s *protocol.Struct) *protocol.Field {
	f := r.member(n, s)
	if f != nil && f.Required {
		r.errorf(n.Pos, "take it out of required", "%s of %s is always there, so it does not tell a refusal", f.Name, s.Name)
		return nil
	}
	return r.scalar(n, f, protocol.String)
}

// action reads a member that holds any action, or any dispatchable one.
func (r *roleReader) action(n *schema.Node, s *protocol.Struct) *protocol.Field {
	f, set := r.always(n, s), r.b.out.Actions
	if f == nil {
		return nil
	}
	u := protocol.As[*protocol.Union](f.Type)
	return r.is(n, f, set.Union.Name, u != nil && (u == set.Union || u == set.Client))
}

// state reads a member that holds the state of any channel.
func (r *roleReader) state(n *schema.Node, s *protocol.Struct) *protocol.Field {
	f := r.always(n, s)
	if f == nil {
		return nil
	}
	u := protocol.As[*protocol.Union](f.Type)
	if one := phase.StructOf(f.Type); one != nil && !r.b.of.Types.Broken[one] && slices.Contains(r.b.out.States(), one) {
		r.errorf(f.Pos, unionOf(r.b.out.States()), "%s has to be a union of states, and is %s", f.Name, one.Name)
		return nil
	}
	if f = r.is(n, f, "a union of states", u != nil); f == nil {
		return nil
	}
	leaves := u.Leaves()
	for _, ch := range r.b.out.Channels {
		if ch.State != nil && !slices.Contains(leaves, ch.State) {
			r.b.Warnf(n.Pos, "bad-role", fmt.Sprintf("add %s to the union", ch.State.Name),
				"%s of %s cannot hold the state of channel %s, which cannot be subscribed to", f.Name, s.Name, ch.Name)
		}
	}
	return f
}

// unionOf returns the remedy for a union of states. A union of one must be declared open.
func unionOf(states []*protocol.Struct) string {
	if len(states) == 1 {
		return fmt.Sprintf(`make it a union that may grow: {"oneOf": [{"$ref": "#/$defs/%[1]s"}, {"type": "object", "not": {"$ref": "#/$defs/%[1]s"}, "x-unknown": true}]}`, states[0].Name)
	}
	return "make it a union of " + strings.Join(each.Map(states, func(s *protocol.Struct) string { return s.Name }), " and ")
}

func (r *roleReader) list(n *schema.Node, s, of *protocol.Struct) *protocol.Field {
	f := r.always(n, s)
	if f == nil || of == nil {
		return nil
	}
	list, ok := protocol.Underlying(f.Type).(protocol.List)
	return r.is(n, f, "a list of "+of.Name, ok && phase.StructOf(list.Elem) == of)
}

func (r *roleReader) texts(n *schema.Node, s *protocol.Struct) *protocol.Field {
	return r.strings(n, r.always(n, s))
}

// strings requires a list of strings.
func (r *roleReader) strings(n *schema.Node, f *protocol.Field) *protocol.Field {
	if f == nil {
		return nil
	}
	list, ok := protocol.Underlying(f.Type).(protocol.List)
	return r.is(n, f, "a list of strings", ok && protocol.Underlying(list.Elem) == protocol.Expr(protocol.String))
}

// path reads a dotted path. If a member on it is absent, no client dispatched the action.
func (r *roleReader) path(n *schema.Node, s *protocol.Struct, want protocol.Scalar) protocol.Path {
	if r.lacks(n) || s == nil {
		return nil // reported
	}
	var out protocol.Path
	for _, name := range strings.Split(n.Text, ".") {
		if len(out) > 0 {
			if s = phase.StructOf(out.Last().Type); s == nil {
				r.errorf(n.Pos, "", "%s is no object, so %s cannot be inside it", out.Last().Name, name)
				return nil
			}
		}
		step := *n
		step.Text = name
		f := r.member(&step, s)
		if f == nil {
			return nil
		}
		out = append(out, f)
	}
	if r.scalar(n, out.Last(), want) == nil {
		return nil
	}
	return out
}
