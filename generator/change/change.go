// Package change compares two analysed protocols. It sees what is on the wire: names, presence,
// types, tags, tables. Wording, order, and whether a shape is written inline, copied or shared
// do not count.
package change

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Change is one difference.
type Change struct {
	Rule    string // stable identifier, such as "field-removed"
	Subject string // what changed, such as "ChatState.workingDirectory" or "action chat/delta"
	Detail  string // what it was and what it is
	Old     diag.Pos
	New     diag.Pos
}

// String renders the change on one line.
func (c Change) String() string {
	line := fmt.Sprintf("%s: %s", c.Rule, c.Subject)
	if c.Detail != "" {
		line += ": " + c.Detail
	}
	return line
}

// Compare lists how new differs from old, sorted by subject and rule.
func Compare(old, new *protocol.Protocol) []Change {
	c := &comparer{
		old: old, new: new, done: map[[2]protocol.Type]bool{},
		pairedOld: map[protocol.Type]bool{}, pairedNew: map[protocol.Type]bool{},
	}
	c.channels()
	c.actions()
	c.methods()
	c.errors()
	c.conversation()
	c.definitions()
	slices.SortFunc(c.out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Detail, b.Detail))
	})
	return slices.Compact(c.out)
}

type comparer struct {
	old, new             *protocol.Protocol
	out                  []Change
	done                 map[[2]protocol.Type]bool
	pairedOld, pairedNew map[protocol.Type]bool // types that stand for each other on the two sides
}

func (c *comparer) add(rule, subject string, old, new diag.Pos, format string, args ...any) {
	c.out = append(c.out, Change{Rule: rule, Subject: subject, Detail: fmt.Sprintf(format, args...), Old: old, New: new})
}

// join calls both for what is on both sides, and gone or came for what is on one only.
func join[E any](old, new []E, key func(E) string, gone, came func(E), both func(E, E)) {
	for _, o := range old {
		i := slices.IndexFunc(new, func(n E) bool { return key(n) == key(o) })
		if i < 0 {
			gone(o)
			continue
		}
		both(o, new[i])
	}
	for _, n := range new {
		if !slices.ContainsFunc(old, func(o E) bool { return key(o) == key(n) }) {
			came(n)
		}
	}
}

func (c *comparer) channels() {
	join(c.old.Channels, c.new.Channels, func(ch *protocol.Channel) string { return ch.Name },
		func(o *protocol.Channel) { c.add("channel-removed", "channel "+o.Name, o.Pos, diag.Pos{}, "") },
		func(n *protocol.Channel) { c.add("channel-added", "channel "+n.Name, diag.Pos{}, n.Pos, "") },
		func(o, n *protocol.Channel) {
			subject := "channel " + o.Name
			c.text("channel-uri-changed", subject, o.URI, n.URI, o.Pos, n.Pos)
			c.text("channel-prefix-changed", subject, o.Prefix, n.Prefix, o.Pos, n.Pos)
			c.text("channel-pass-through-changed", subject, o.PassThrough, n.PassThrough, o.Pos, n.Pos)
			c.optional("channel-state-changed", subject, structType(o.State), structType(n.State), o.Pos, n.Pos)
		})
}

func structType(s *protocol.Struct) protocol.Type {
	if s == nil {
		return nil
	}
	return s
}

// text compares two words.
func (c *comparer) text(rule, subject, old, new string, oldPos, newPos diag.Pos) {
	if old != new {
		c.add(rule, subject, oldPos, newPos, "%q → %q", old, new)
	}
}

// optional compares two types that may be absent.
func (c *comparer) optional(rule, subject string, old, new protocol.Type, oldPos, newPos diag.Pos) {
	switch {
	case old == nil && new == nil:
	case old == nil || new == nil:
		c.add(rule, subject, oldPos, newPos, "%s → %s", name(old), name(new))
	default:
		c.expr(subject, protocol.Ref{Type: old}, protocol.Ref{Type: new}, oldPos, newPos)
	}
}

func name(t protocol.Type) string {
	if t == nil {
		return "nothing"
	}
	return t.Head().Name
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
	join(old, new, key,
		func(o *protocol.Action) { c.add("action-removed", "action "+o.Type, o.Pos, diag.Pos{}, "") },
		func(n *protocol.Action) { c.add("action-added", "action "+n.Type, diag.Pos{}, n.Pos, "") },
		func(o, n *protocol.Action) {
			subject := "action " + o.Type
			if o.Client != n.Client {
				c.add("action-dispatch-changed", subject, o.Pos, n.Pos, "clients may dispatch it: %v → %v", o.Client, n.Client)
			}
			c.text("action-since-changed", subject, o.Since, n.Since, o.Pos, n.Pos)
			c.text("action-channel-changed", subject, channelName(o), channelName(n), o.Pos, n.Pos)
			c.pair(subject, o.Struct, n.Struct)
		})
}

func channelName(a *protocol.Action) string {
	if a.Channel == nil {
		return ""
	}
	return a.Channel.Name
}

func (c *comparer) methods() {
	join(c.old.Methods, c.new.Methods, func(m *protocol.Method) string { return m.Name },
		func(o *protocol.Method) { c.add("method-removed", "method "+o.Name, o.Pos, diag.Pos{}, "") },
		func(n *protocol.Method) { c.add("method-added", "method "+n.Name, diag.Pos{}, n.Pos, "") },
		func(o, n *protocol.Method) {
			subject := "method " + o.Name
			c.text("method-direction-changed", subject, string(o.From), string(n.From), o.Pos, n.Pos)
			if o.Notification != n.Notification {
				c.add("method-kind-changed", subject, o.Pos, n.Pos, "notification: %v → %v", o.Notification, n.Notification)
			}
			c.text("method-since-changed", subject, o.Since, n.Since, o.Pos, n.Pos)
			c.optional("method-params-changed", subject+" params", o.Params, n.Params, o.Pos, n.Pos)
			c.optional("method-result-changed", subject+" result", o.Result, n.Result, o.Pos, n.Pos)
		})
}

func (c *comparer) errors() {
	join(c.old.Errors, c.new.Errors, func(e *protocol.ErrorCode) string { return fmt.Sprint(e.Code) },
		func(o *protocol.ErrorCode) {
			c.add("error-removed", fmt.Sprintf("error %d", o.Code), o.Pos, diag.Pos{}, "%s", o.Name)
		},
		func(n *protocol.ErrorCode) {
			c.add("error-added", fmt.Sprintf("error %d", n.Code), diag.Pos{}, n.Pos, "%s", n.Name)
		},
		func(o, n *protocol.ErrorCode) {
			subject := fmt.Sprintf("error %d", o.Code)
			c.text("error-name-changed", subject, o.Name, n.Name, o.Pos, n.Pos)
			c.optional("error-data-changed", subject+" data", o.Data, n.Data, o.Pos, n.Pos)
		})
}

// definitions compares types by name, and then reports those that have no counterpart: neither
// one of their name nor one that stands where they stood.
func (c *comparer) definitions() {
	oldTags, newTags := derived(c.old), derived(c.new)
	byName := map[string]protocol.Type{}
	for _, t := range c.new.Types {
		byName[publicName(t)] = t
	}
	for _, o := range c.old.Types {
		if n, ok := byName[publicName(o)]; ok && !(oldTags[o] && newTags[n] && !declared(o, n)) {
			c.expr(publicName(o), protocol.Ref{Type: o}, protocol.Ref{Type: n}, o.Head().Pos, n.Head().Pos)
			c.compare(publicName(o), o, n)
		}
	}
	for _, o := range c.old.Types {
		if !c.pairedOld[o] && isOwn(o, oldTags) {
			c.add("type-removed", publicName(o), o.Head().Pos, diag.Pos{}, "%s", kind(o))
		}
	}
	for _, n := range c.new.Types {
		if !c.pairedNew[n] && isOwn(n, newTags) {
			c.add("type-added", publicName(n), diag.Pos{}, n.Head().Pos, "%s", kind(n))
		}
	}
}

// publicName is the stated name of a type, so that an inline shape and a definition of the same
// name are the same thing.
func publicName(t protocol.Type) string { return cmp.Or(t.Head().GoName, t.Head().Name) }

// derived lists the types that follow from others: the tags of unions, and the unions of one
// channel's actions. What changes in them is a change of the union or the action table already.
func derived(p *protocol.Protocol) map[protocol.Type]bool {
	out := map[protocol.Type]bool{}
	for _, t := range p.Types {
		if u, ok := t.(*protocol.Union); ok && u.Tag != nil {
			out[u.Tag] = true
		}
	}
	if p.Actions == nil {
		return out
	}
	for _, u := range p.Actions.Channels {
		out[u] = true
	}
	if p.Actions.Client != nil {
		out[p.Actions.Client] = true
	}
	return out
}

// declared reports whether both are unions that stand in the schemas.
func declared(old, new protocol.Type) bool {
	o, ok1 := old.(*protocol.Union)
	n, ok2 := new.(*protocol.Union)
	return ok1 && ok2 && o.Scope == protocol.Declared && n.Scope == protocol.Declared
}

// isOwn reports whether a type without a counterpart is a change of its own. Inline types are part
// of what they stand in, and aliases are another way to write their target.
func isOwn(t protocol.Type, derived map[protocol.Type]bool) bool {
	if t.Head().Inline || derived[t] {
		return false
	}
	_, alias := t.(*protocol.Alias)
	return !alias
}

func kind(t protocol.Type) string {
	switch t.(type) {
	case *protocol.Struct:
		return "object"
	case *protocol.Union:
		return "union"
	case *protocol.Enum:
		return "enum"
	}
	return "alias"
}

// describe says what an expression allows, for messages.
func describe(e protocol.Expr) string {
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return e.String()
	case protocol.List:
		return "list of " + describe(e.Elem)
	case protocol.Map:
		return "map of " + describe(e.Elem)
	case protocol.Ref:
		if e.Type.Head().Inline {
			return kind(e.Type)
		}
		return e.Type.Head().Name
	}
	return "nothing"
}

// expr compares what two places allow.
func (c *comparer) expr(subject string, old, new protocol.Expr, oldPos, newPos diag.Pos) {
	o, n := protocol.Underlying(old), protocol.Underlying(new)
	changed := func() {
		c.add("type-changed", subject, oldPos, newPos, "%s → %s", describe(o), describe(n))
	}
	switch o := o.(type) {
	case protocol.Scalar:
		if o != n {
			changed()
		}
	case protocol.List:
		if n, ok := n.(protocol.List); ok {
			c.expr(subject+"[]", o.Elem, n.Elem, oldPos, newPos)
			return
		}
		changed()
	case protocol.Map:
		if n, ok := n.(protocol.Map); ok {
			c.expr(subject+"{}", o.Elem, n.Elem, oldPos, newPos)
			return
		}
		changed()
	case protocol.Ref:
		n, ok := n.(protocol.Ref)
		if !ok || kind(o.Type) != kind(n.Type) {
			changed()
			return
		}
		c.pair(subject, o.Type, n.Type)
	}
}

// pair compares two types that stand for each other. Types of one name are compared under that
// name, once; others at the place where they meet.
func (c *comparer) pair(subject string, old, new protocol.Type) {
	c.pairedOld[old], c.pairedNew[new] = true, true
	if publicName(old) == publicName(new) {
		return
	}
	c.compare(subject, old, new)
}

func (c *comparer) compare(subject string, old, new protocol.Type) {
	key := [2]protocol.Type{old, new}
	if c.done[key] {
		return
	}
	c.done[key] = true
	switch o := old.(type) {
	case *protocol.Struct:
		if n, ok := new.(*protocol.Struct); ok {
			c.structs(subject, o, n)
		}
	case *protocol.Union:
		if n, ok := new.(*protocol.Union); ok {
			c.unions(subject, o, n)
		}
	case *protocol.Enum:
		if n, ok := new.(*protocol.Enum); ok {
			c.enums(subject, o, n)
		}
	}
}

func presence(f *protocol.Field) string {
	if f.Required {
		return "required"
	}
	return "optional"
}

func (c *comparer) structs(subject string, old, new *protocol.Struct) {
	join(old.Fields, new.Fields, func(f *protocol.Field) string { return f.Name },
		func(o *protocol.Field) {
			c.add("field-removed", subject+"."+o.Name, o.Pos, new.Pos, "%s %s", presence(o), describeField(o))
		},
		func(n *protocol.Field) {
			c.add("field-added", subject+"."+n.Name, old.Pos, n.Pos, "%s %s", presence(n), describeField(n))
		},
		func(o, n *protocol.Field) { c.field(subject+"."+o.Name, o, n) })
	switch {
	case old.Extra == nil && new.Extra == nil:
	case old.Extra == nil || new.Extra == nil:
		c.add("extra-changed", subject, old.Pos, new.Pos, "undeclared members kept: %v → %v", old.Extra != nil, new.Extra != nil)
	default:
		c.expr(subject+"{}", old.Extra, new.Extra, old.Pos, new.Pos)
	}
}

func describeField(f *protocol.Field) string {
	if values := valuesOf(f); values != nil {
		return strings.Join(values, " | ")
	}
	return describe(f.Type)
}

// valuesOf lists the values a field is limited to where it is a constant or a discriminator; nil
// for ordinary fields. A constant and a required enum with one value are the same.
func valuesOf(f *protocol.Field) []string {
	var list []protocol.Value
	switch {
	case f.Const != nil:
		list = []protocol.Value{*f.Const}
	case f.Values != nil:
		list = f.Values
	default:
		ref, ok := protocol.Underlying(f.Type).(protocol.Ref)
		if !ok {
			return nil
		}
		e, ok := ref.Type.(*protocol.Enum)
		if !ok || len(e.Members) != 1 || !e.Inline || !f.Required {
			return nil
		}
		list = []protocol.Value{e.Members[0].Value}
	}
	var out []string
	for _, v := range list {
		out = append(out, valueText(v))
	}
	slices.Sort(out)
	return out
}

// valueText is a value as it stands in JSON.
func valueText(v protocol.Value) string {
	if v.Kind == protocol.String {
		return strconv.Quote(v.Str)
	}
	return v.String()
}

func (c *comparer) field(subject string, o, n *protocol.Field) {
	if o.Required != n.Required {
		rule := "field-became-optional"
		if n.Required {
			rule = "field-became-required"
		}
		c.add(rule, subject, o.Pos, n.Pos, "")
	}
	if o.Nullable != n.Nullable {
		c.add("field-null-changed", subject, o.Pos, n.Pos, "null allowed: %v → %v", o.Nullable, n.Nullable)
	}
	oldValues, newValues := valuesOf(o), valuesOf(n)
	if oldValues != nil && newValues != nil {
		if !slices.Equal(oldValues, newValues) {
			c.add("constant-changed", subject, o.Pos, n.Pos, "%s → %s", strings.Join(oldValues, " | "), strings.Join(newValues, " | "))
		}
		return
	}
	if oldValues != nil || newValues != nil {
		c.add("type-changed", subject, o.Pos, n.Pos, "%s → %s", describeField(o), describeField(n))
		return
	}
	c.expr(subject, o.Type, n.Type, o.Pos, n.Pos)
}

func (c *comparer) enums(subject string, old, new *protocol.Enum) {
	if old.Bitset != new.Bitset || old.Kind != new.Kind {
		c.add("enum-kind-changed", subject, old.Pos, new.Pos, "%s → %s", enumKind(old), enumKind(new))
		return
	}
	if old.Open != new.Open {
		c.add("enum-openness-changed", subject, old.Pos, new.Pos, "open: %v → %v", old.Open, new.Open)
	}
	join(old.Members, new.Members, func(m *protocol.EnumMember) string { return valueText(m.Value) },
		func(o *protocol.EnumMember) {
			c.add("enum-value-removed", subject, o.Pos, new.Pos, "%s", valueText(o.Value))
		},
		func(n *protocol.EnumMember) {
			c.add("enum-value-added", subject, old.Pos, n.Pos, "%s", valueText(n.Value))
		},
		func(_, _ *protocol.EnumMember) {})
}

func enumKind(e *protocol.Enum) string {
	if e.Bitset {
		return "bitset"
	}
	return e.Kind.String()
}

// outcome is one variant with all that leads a decoder to it.
type outcome struct {
	key   string
	label string
	typ   protocol.Expr
	pos   diag.Pos
}

// outcomes lists the variants of a union by how they are recognised, never by their place. A
// variant with several tags is listed under each.
func outcomes(u *protocol.Union) []outcome {
	var out []outcome
	if u.Kind == protocol.Token || u.Dispatch == nil {
		for _, v := range u.Variants {
			out = append(out, outcome{v.Name, v.Name, v.Type, v.Pos})
		}
		return out
	}
	var walk func(d *protocol.Dispatch, prefix string)
	walk = func(d *protocol.Dispatch, prefix string) {
		for _, cs := range d.Cases {
			keys := []string{prefix + publicName(structOrNil(cs.Struct))}
			if d.Member != "" {
				keys = nil
				for _, v := range cs.Values {
					keys = append(keys, prefix+valueText(v))
				}
			}
			for _, k := range keys {
				if cs.Next != nil {
					walk(cs.Next, k+" and "+cs.Next.Member+" ")
					continue
				}
				out = append(out, outcome{k, k, protocol.Ref{Type: cs.Struct}, cs.Struct.Pos})
			}
		}
	}
	walk(u.Dispatch, "")
	return out
}

// structOrNil lets a case without a struct be asked for its name.
func structOrNil(s *protocol.Struct) protocol.Type {
	if s == nil {
		return &protocol.Struct{}
	}
	return s
}

func (c *comparer) unions(subject string, old, new *protocol.Union) {
	if o, n := unionKind(old), unionKind(new); o != n {
		c.add("discriminator-changed", subject, old.Pos, new.Pos, "%s → %s", o, n)
	}
	if old.Open != new.Open {
		c.add("union-openness-changed", subject, old.Pos, new.Pos, "open: %v → %v", old.Open, new.Open)
	}
	join(outcomes(old), outcomes(new), func(o outcome) string { return o.key },
		func(o outcome) { c.add("variant-removed", subject, o.pos, new.Pos, "%s", o.label) },
		func(n outcome) { c.add("variant-added", subject, old.Pos, n.pos, "%s", n.label) },
		func(o, n outcome) { c.expr(subject+" "+o.label, o.typ, n.typ, o.pos, n.pos) })
}

func unionKind(u *protocol.Union) string {
	switch u.Kind {
	case protocol.Token:
		return "by JSON type"
	case protocol.Shaped:
		return "by required members"
	}
	if u.Dispatch == nil {
		return "nothing"
	}
	return "by " + u.Dispatch.Member
}
