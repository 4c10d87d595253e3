// Tables: channels, actions, methods and error codes.

package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// channels reads the channels. One of a profile whose state type the schemas lack is left out.
func (b *builder) channels() {
	first := map[string]*facts.Channel{} // of those that schemas state
	for _, c := range b.facts.Channels {
		if c.Source == facts.Schema {
			if other := first[c.Name]; other != nil {
				b.twice("channel", c.Name, c.Pos, other.Pos)
				b.clashing = true // nothing is said about actions that lose their channel by it
				continue
			}
			first[c.Name] = c
			if c.State != "" && !b.isObject(c.State) {
				b.badState(c)
				continue
			}
		}
		ch := &protocol.Channel{Name: c.Name, URI: c.URI, Prefix: c.Prefix, Doc: c.Doc, PassThrough: c.PassThrough, Shared: c.Shared, Pos: c.Pos}
		if c.State != "" {
			state, ok := b.out.Lookup(c.State).(*protocol.Struct)
			if !ok {
				b.lost = append(b.lost, c.Prefix)
				continue // reported as an entry that matches nothing
			}
			ch.State = state
		}
		b.used.Add(c)
		b.out.Channels = append(b.out.Channels, ch)
	}
	b.uniquePrefixes()
}

// badState reports a channel whose state is no object: actions change its members.
func (b *builder) badState(c *facts.Channel) {
	b.clashing = true
	if !b.shaky {
		b.diags.Errorf(c.Pos, "bad-channel", "describe the channel on the definition of an object, or under x-channels where it has no state",
			"%s is to be the state of the channel %s, and is no object", c.State, c.Name)
	}
}

// twice reports what schemas declare a second time.
func (b *builder) twice(what, name string, pos, first diag.Pos) {
	b.diags.Errorf(pos, "duplicate-"+what, fmt.Sprintf("rename one of the two; the other stands at %s", first), "the %s %q is declared twice", what, name)
}

// isObject reports whether a definition is an object, perhaps by another name.
func (b *builder) isObject(name string) bool {
	def := b.set.Lookup(name)
	if def == nil {
		return false
	}
	s := def.Schema.Follow()
	return s != nil && b.shapeOf(s) == shapeStruct
}

// said reports whether something is wrong with the keywords of a schema, which has been said then.
func (b *builder) said(s *schema.Schema) bool {
	return slices.ContainsFunc(s.Node.Members, func(m schema.Member) bool { return b.diags.At(m.KeyPos) || b.diags.At(m.Value.Pos) })
}

// actions makes the action table from the union that the profile names.
func (b *builder) actions() {
	b.channels()
	stated := b.facts.Actions
	if stated == nil {
		return
	}
	name := stated.Union
	u, ok := b.out.Lookup(name).(*protocol.Union)
	if !ok {
		b.diags.Errorf(stated.UnionPos, "unused-entry", "name a union of all actions; one alternative alone is no union", "the schemas define no union %s", name)
		return
	}
	if b.bad[u] || u.Kind == protocol.Tagged && u.Dispatch == nil {
		return // reported by settle
	}
	if u.Kind != protocol.Tagged || u.Dispatch.Kind != protocol.String {
		b.diags.Errorf(u.Pos, "untyped-actions", "give each action a required constant string of its own, such as its type",
			"%s: actions are told apart by a constant string, and these are not", u.Name)
		return
	}
	b.repeatedTypes(u)
	set := &protocol.ActionSet{Union: u}
	b.out.Actions = set
	rules := map[string]*facts.Action{}
	for _, rule := range b.facts.Rules {
		if rule.Type != "" {
			rules[rule.Type] = rule
		}
	}
	claim := claims(b.out.Channels)
	for _, c := range u.Dispatch.Cases {
		b.diags.Working(u.Pos)
		for _, v := range c.Values {
			for _, s := range c.Structs() {
				set.Actions = append(set.Actions, b.action(v.Str, s, claim(v.Str), rules))
			}
		}
	}
	b.reportUnclaimed()
	scope := newScoper(b, u)
	own := ownStructs(set.Actions)
	for _, ch := range b.out.Channels {
		if len(own[ch]) > 0 {
			set.Channels = append(set.Channels, scope.union(ch.Name+".action", protocol.ChannelScope, ch, own[ch]))
		}
	}
	if client := set.Structs(func(a *protocol.Action) bool { return a.Client }); len(client) > 0 && stated.Client != "" {
		set.Client = scope.union(stated.Client, protocol.DispatchScope, nil, client)
	}
	if !b.shaky {
		b.dispatched(set)
	}
}

// reportUnclaimed reports actions that no channel claims, once for all that begin alike: it is one prefix that is wrong, or
// one channel that is missing.
func (b *builder) reportUnclaimed() {
	hint := b.hint("add the channel to the profile, with its state and prefix", "describe the channel with x-channel on its state, or correct its prefix or the action's type")
	prefix := func(a *protocol.Action) string { return a.Type[:strings.LastIndexByte(a.Type, '/')+1] }
	alike := map[string]int{}
	for _, a := range b.unclaimed {
		alike[prefix(a)]++
	}
	said := map[string]bool{}
	for _, a := range b.unclaimed {
		own := prefix(a)
		what := fmt.Sprintf("the action %q", a.Type)
		if own != "" && alike[own] > 1 {
			what = fmt.Sprintf("the %d actions whose types begin with %q", alike[own], own)
		}
		if !said[what] {
			b.diags.Warnf(a.Pos, "no-channel", hint, "no channel claims %s", what)
		}
		said[what] = true
	}
}

// claims returns which channel claims a type of action: of several whose prefix it has, the last.
func claims(channels []*protocol.Channel) func(typ string) *protocol.Channel {
	places := map[string]int{}
	longest := 0
	for i, ch := range channels {
		places[ch.Prefix] = i
		longest = max(longest, len(ch.Prefix))
	}
	return func(typ string) *protocol.Channel {
		last := -1
		for end := 1; end <= min(len(typ), longest); end++ {
			if i, ok := places[typ[:end]]; ok {
				last = max(last, i)
			}
		}
		if last < 0 {
			return nil
		}
		return channels[last]
	}
}

// ownStructs lists the structs of each channel's actions in table order, each once.
func ownStructs(actions []*protocol.Action) map[*protocol.Channel][]*protocol.Struct {
	type place struct {
		channel *protocol.Channel
		s       *protocol.Struct
	}
	seen := map[place]bool{}
	out := map[*protocol.Channel][]*protocol.Struct{}
	for _, a := range actions {
		if at := (place{a.Channel, a.Struct}); a.Channel != nil && !seen[at] {
			seen[at] = true
			out[a.Channel] = append(out[a.Channel], a.Struct)
		}
	}
	return out
}

func (b *builder) action(typ string, s *protocol.Struct, ch *protocol.Channel, rules map[string]*facts.Action) *protocol.Action {
	a := &protocol.Action{Type: typ, Struct: s, Channel: ch, Pos: s.Pos}
	if a.Channel == nil && !b.clashing && !b.shaky && !slices.ContainsFunc(b.lost, func(prefix string) bool { return prefix != "" && strings.HasPrefix(typ, prefix) }) {
		b.unclaimed = append(b.unclaimed, a)
	}
	rule := rules[typ]
	if rule == nil {
		rule = b.statement(s)
	}
	if rule == nil {
		a.Since = b.facts.Versions.At.String()
		if b.shaky {
			return a
		}
		b.diags.Warnf(s.Pos, "unstated-action", b.hint("state since and client for it under actions.rules in the profile", "write x-since beside it, and \"x-client-dispatchable\": true where a client may dispatch it"),
			b.say("nothing says who may dispatch %q and since when: taken as host only, since %s"), typ, cmp.Or(a.Since, "an unknown version"))
		return a
	}
	b.used.Add(rule)
	if rule.Source == facts.Schema {
		b.notYet(rule.Since, rule.SincePos)
	}
	a.Since, a.Client = rule.Since, rule.Client
	return a
}

// hint chooses by whether there is a profile to add to.
func (b *builder) hint(profile, without string) string {
	if b.facts.Profile != "" {
		return profile
	}
	return without
}

// statement returns what schemas state about an action: its own definition, or that of a union that
// holds it among others of the same type. It is nil if none does.
func (b *builder) statement(s *protocol.Struct) *facts.Action {
	if own := b.rules.actions[s.Name]; own != nil {
		return own
	}
	if b.statements == nil {
		b.statements = map[*protocol.Struct]*facts.Action{}
		for u := range protocol.Each[*protocol.Union](b.out.Types) {
			if b.rules.actions[u.Name] == nil {
				continue
			}
			for _, leaf := range u.Leaves() {
				if b.statements[leaf] == nil {
					b.statements[leaf] = b.rules.actions[u.Name]
				}
			}
		}
	}
	return b.statements[s]
}

// methods reads the methods. One whose parameters the schemas lack is left out, and
// reported as an entry that matches nothing.
func (b *builder) methods() {
	for _, s := range b.facts.Sent {
		if b.set.Has(s.Definition) {
			b.used.Add(s)
		}
	}
	type message struct{ kind, name string }
	seen := map[message]diag.Pos{}
	for _, m := range b.facts.Methods {
		if !b.received(m) {
			continue
		}
		pos, at := m.Pos, message{m.Kind, m.Name}
		if first, ok := seen[at]; ok && m.Source == facts.Schema {
			b.twice("method", m.Name, pos, first)
			continue
		} else if ok {
			b.diags.Errorf(pos, "duplicate-method", fmt.Sprintf("the other stands at %s", first), "method %q is stated twice", m.Name)
			continue
		}
		seen[at] = pos
		if m.Source == facts.Schema {
			b.notYet(m.Since, m.SincePos)
		}
		method := &protocol.Method{
			Name: m.Name, From: b.side(m.From), Notification: m.Kind == "notification", Since: m.Since, Doc: m.Doc, Pos: pos,
		}
		if m.Params != "" {
			if method.Params = b.out.Lookup(m.Params); method.Params == nil {
				if m.Source == facts.Schema && strings.Contains(m.Params, ".") {
					b.diags.Errorf(pos, "missing-params", "make it an object", "method %q: %s is no object that could have a type", m.Name, m.Params)
				}
				continue
			}
		}
		if m.Result != "" {
			if method.Result = b.out.Lookup(m.Result); method.Result == nil {
				b.used.Add(m)
				fit.Mismatch(m, b.diags, "missing-result", b.undefined(m.Result, "define it, or correct the method's result"), "method %q: the schemas define no %s", m.Name, m.Result)
				continue
			}
			if def := b.set.Lookup(m.Result); def != nil {
				method.NullResult = allowsNull(def.Schema.Follow())
			}
		}
		b.used.Add(m)
		b.out.Methods = append(b.out.Methods, method)
	}
}

// side is that of a name.
func (b *builder) side(name string) protocol.Side {
	switch opens, serves := b.facts.Sides.Names(); name {
	case opens:
		return protocol.FromClient
	case serves:
		return protocol.FromHost
	}
	return protocol.FromBoth
}

// namedTwice reports an error code that has a name already, unless it is one that a schema lists twice.
func (b *builder) namedTwice(c, first *facts.Code) {
	if !b.diags.At(c.Pos) {
		b.diags.Errorf(c.Pos, "duplicate-code", fmt.Sprintf("take one away, or correct its code; the other stands at %s", first.Pos), "the error code %d is named twice", c.Code)
	}
	b.codesSaid = true
}

// noErrorData reports data of an error that the schemas do not define.
func (b *builder) noErrorData(c *facts.Code) {
	at := c.Origin
	if !c.DataPos.IsZero() {
		at.Pos = c.DataPos
	}
	fit.Mismatch(&at, b.diags, "missing-error-data", b.undefined(c.Data, "define it, or correct data"), "error %s: the schemas define no %s", c.Name, c.Data)
}

// undefined is what to do about the name of a definition that there is not.
func (b *builder) undefined(name, hint string) string {
	if near := b.set.Near(name); near != "" {
		return fmt.Sprintf("did you mean %q? Otherwise define it", near)
	}
	return hint
}

// received reports whether it is stated who receives a method. A schema may have left it out.
func (b *builder) received(m *facts.Method) bool {
	if m.From != "" {
		return true
	}
	if b.facts.Sides.Whole() && !b.said(b.set.Lookup(m.Params).Schema) {
		opens, serves := b.facts.Sides.Names()
		b.diags.Errorf(m.Pos, "bad-keyword", fmt.Sprintf(`write "x-side": %q, %q or %q beside it`, serves, opens, facts.Both), "nothing says who receives the method %q", m.Name)
	}
	return false
}

// unnamed makes a name for an error code without one. Codes are negative as a rule.
func unnamed(code int64) string {
	if code < 0 {
		return fmt.Sprintf("code %d", -code)
	}
	return fmt.Sprintf("code plus %d", code)
}

// errorCode is one that a schema lists.
type errorCode struct {
	value     *schema.Node
	name, doc string // "" if the schema does not say
}

// codesOf lists the codes that a definition has: the values of an enum, or constants among alternatives, which may have titles.
func codesOf(s *schema.Schema) []*errorCode {
	var out []*errorCode
	for _, n := range s.Enum {
		out = append(out, &errorCode{value: n})
	}
	for _, choice := range s.Choices() {
		if choice.Const != nil {
			out = append(out, &errorCode{choice.Const, choice.Title, choice.Description})
		}
	}
	return out
}

// errorCodes joins the codes that the schemas list with the names that are stated for them.
func (b *builder) errorCodes() {
	listed, order := b.listedCodes()
	named := map[int64]*facts.Code{}
	for _, c := range b.facts.Codes {
		if first := named[c.Code]; first != nil {
			b.used.Add(c)
			b.namedTwice(c, first)
			continue
		}
		if len(b.facts.ErrorEnums) > 0 && listed[c.Code] == nil {
			continue // reported as an entry that matches nothing
		}
		named[c.Code] = c
		b.used.Add(c)
		delete(listed, c.Code)
		e := &protocol.ErrorCode{Name: c.Name, Code: c.Code, Doc: c.Doc, Pos: c.Pos}
		if c.Data != "" {
			if e.Data = b.out.Lookup(c.Data); e.Data == nil {
				b.noErrorData(c)
			}
		}
		b.out.Errors = append(b.out.Errors, e)
	}
	for _, code := range order {
		n := listed[code]
		if n == nil {
			continue
		}
		if n.name != "" {
			b.out.Errors = append(b.out.Errors, &protocol.ErrorCode{Name: n.name, Code: code, Doc: n.doc, Pos: n.value.Pos})
			continue
		}
		if !b.codesSaid {
			b.diags.Warnf(n.value.Pos, "unnamed-error", b.hint("name it under errors.codes in the profile", "name all codes of the enum with x-enum-names"), "error code %d has no name", code)
		}
		b.out.Errors = append(b.out.Errors, &protocol.ErrorCode{Name: unnamed(code), Code: code, Pos: n.value.Pos})
	}
}

// listedCodes are the codes of the enums of errors, and their order.
func (b *builder) listedCodes() (map[int64]*errorCode, []int64) {
	listed := map[int64]*errorCode{}
	var order []int64
	for _, enum := range b.facts.ErrorEnums {
		def := b.set.Lookup(enum.At)
		if def == nil {
			continue
		}
		if b.said(def.Schema) {
			b.codesSaid = true
		}
		for _, n := range codesOf(def.Schema) {
			code, err := strconv.ParseInt(n.value.Text, 10, 64)
			if err != nil {
				b.diags.Errorf(n.value.Pos, "bad-error-code", "write an integer such as -32001", "error code %s is not an integer", n.value.Compact())
				continue
			}
			if first := listed[code]; first != nil {
				b.diags.Errorf(n.value.Pos, "duplicate-code", fmt.Sprintf("give it a code of its own; the other stands at %s", first.value.Pos), "the error code %d is listed twice", code)
				continue
			}
			order = append(order, code)
			listed[code] = n
		}
	}
	return listed, order
}
