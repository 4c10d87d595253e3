// Details: all that is known of one action, method, channel or type, with what it is called in Go.

package inspect

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Detail is the output of inspect for one entity. Its JSON form is stable; inapplicable members are omitted.
type Detail struct {
	Kind       string `json:"kind"` // "action", "method", "notification", "channel", "object", "union", "enum", "bitset", "alias" or "error code"
	Name       string `json:"name"` // on the wire, or of the definition
	Go         string `json:"go"`   // type or, for methods, Go method
	Constant   string `json:"constant,omitempty"`
	Doc        string `json:"doc,omitempty"`
	Deprecated bool   `json:"deprecated,omitempty"`
	Stability  string `json:"stability,omitempty"` // such as "experimental (1.2)"
	Instead    string `json:"instead,omitempty"`   // definition, or Definition.member, to use if it is deprecated
	Pos        string `json:"pos,omitempty"`

	Channel string   `json:"channel,omitempty"` // of an action
	From    string   `json:"from,omitempty"`    // who sends it: a side, or "both"
	Senders []string `json:"-"`                 // the sides that send it
	Since   string   `json:"since,omitempty"`
	Reducer string   `json:"reducer,omitempty"` // Go method that applies an action
	Params  string   `json:"params,omitempty"`  // Go types
	Result  string   `json:"result,omitempty"`
	Null    bool     `json:"nullResult,omitempty"` // beside the result
	URI     string   `json:"uri,omitempty"`
	State   string   `json:"state,omitempty"`
	By      string   `json:"by,omitempty"`    // the discriminator of a union
	Apart   []string `json:"apart,omitempty"` // its alternatives that are kept like unknown ones
	Code    *int64   `json:"code,omitempty"`

	Members []DetailMember `json:"members,omitempty"` // of an object; variants, values or actions of other things

	Lifecycle *DetailLifecycle `json:"lifecycle,omitempty"` // of a type whose values have a status

	// Uses are what needs a type, if that was asked for: nil if it was not, or the thing is no type.
	Uses *[]DetailUse `json:"uses,omitempty"`

	of protocol.Type // nil for what is no type
}

// DetailUse is a place that uses a type.
type DetailUse struct {
	By string `json:"by"` // definition, Definition.member, or the name of a method, a channel or an error code
	As string `json:"as"`
}

// DetailMember is a member of an object, a variant of a union, a value of an enum, or an action of a channel.
type DetailMember struct {
	Name     string `json:"name"` // on the wire
	Go       string `json:"go"`   // field or constant; "" for what the codec writes by itself
	Type     string `json:"type,omitempty"`
	Required bool   `json:"required,omitempty"`
	Constant string `json:"constant,omitempty"` // the only value that it can have
	Doc      string `json:"doc,omitempty"`

	Deprecated bool   `json:"deprecated,omitempty"`
	Instead    string `json:"instead,omitempty"`
	Stability  string `json:"stability,omitempty"` // such as "experimental (1.2)"
	Time       string `json:"time,omitempty"`      // what a number counts, such as milliseconds
}

// Find returns everything that has a name, on the wire or in Go, and if nothing has it the names that are like it.
func Find(name string, p *protocol.Protocol, pkg *golang.Package) (out []Detail, like []string) {
	all := Details(p, pkg)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, d := range all {
			isCarrier := d.Kind == "object" && slices.ContainsFunc(out, func(a Detail) bool { return a.Kind == "action" && a.Go == d.Go })
			if isCarrier {
				continue // the action says all of it
			}
			if same(d.Name, name) || same(d.Go, name) || d.Constant != "" && same(d.Constant, name) || d.Reducer != "" && same(d.Reducer, name) || d.URI != "" && same(d.URI, name) {
				out = append(out, d)
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, alike(name, all)
}

// WithUses adds what needs each of the types among some things.
func WithUses(list []Detail, p *protocol.Protocol) {
	all := p.Uses()
	for i := range list {
		if list[i].of == nil {
			continue
		}
		uses := []DetailUse{}
		for _, u := range all[list[i].of] {
			uses = append(uses, DetailUse{u.By(), u.As})
		}
		if head := list[i].of.Head(); head.Inline && len(uses) == 0 { // it is named after its place
			uses = append(uses, DetailUse{head.Name, "inline"})
		}
		list[i].Uses = &uses
	}
}

const maxAlike = 5

// alike lists a few names: the nearest by spelling, then those that contain what was asked for, or its last part.
func alike(name string, all []Detail) []string {
	var out []string
	names := make([]string, 0, 2*len(all))
	for _, d := range all {
		names = append(names, d.Name, d.Go)
	}
	if near := similar.Nearest(name, names); near != "" {
		out = append(out, near)
	}
	last := name[strings.LastIndexAny(name, "/.:")+1:]
	for _, part := range []string{name, last} {
		for _, d := range all {
			if part != "" && len(out) < maxAlike && strings.Contains(strings.ToLower(d.Name), strings.ToLower(part)) && !slices.Contains(out, d.Name) {
				out = append(out, d.Name)
			}
		}
	}
	return out
}

// Details describes everything in a protocol: actions, methods, channels, error codes, then types.
func Details(p *protocol.Protocol, pkg *golang.Package) []Detail {
	out := actionDetails(p, pkg)
	for _, m := range p.Methods {
		out = append(out, methodDetail(p, m, pkg))
	}
	for _, c := range p.Channels {
		out = append(out, channelDetail(p, c, pkg))
	}
	for _, e := range p.Errors {
		d := Detail{Kind: "error code", Name: e.Name, Doc: e.Doc, Pos: e.Pos.String(), Code: &e.Code}
		for _, in := range pkg.Errors {
			if in.Name == e.Name && in.Code == e.Code {
				d.Go, d.Constant = in.Const, in.Const
			}
		}
		out = append(out, d)
	}
	for _, t := range p.Types {
		if d, ok := typeDetail(t, pkg); ok {
			d.Lifecycle = lifecycleDetail(p.Lifecycle(t))
			out = append(out, d)
		}
	}
	return out
}

func actionDetails(p *protocol.Protocol, pkg *golang.Package) (out []Detail) {
	for i, a := range p.AllActions() {
		d := structDetail(a.Struct, pkg)
		d.Kind, d.Name, d.Since, d.Pos = "action", a.Type, a.Since, a.Pos.String()
		d.Stability = a.Stability().String()
		from := protocol.FromHost
		if a.Client {
			from = protocol.FromBoth
		}
		d.sentBy(p, from)
		if a.Channel != nil {
			d.Channel = a.Channel.Name
		}
		if pkg.Actions != nil && i < len(pkg.Actions.Rows) && pkg.Actions.Rows[i].Struct == pkg.StructOf(a.Struct) { // in the same order
			d.Constant = pkg.Actions.Rows[i].Const
		}
		d.Reducer = reducerOf(a.Type, pkg)
		out = append(out, d)
	}
	return out
}

// sentBy notes who sends something.
func (d *Detail) sentBy(p *protocol.Protocol, from protocol.Side) {
	d.From, d.Senders = p.Sides.Name(from), []string{p.Sides.Name(from)}
	if from == protocol.FromBoth {
		d.Senders = []string{p.Sides.Name(protocol.FromClient), p.Sides.Name(protocol.FromHost)}
	}
}

func methodDetail(p *protocol.Protocol, m *protocol.Method, pkg *golang.Package) Detail {
	d := Detail{Kind: "method", Name: m.Name, Doc: m.Doc, Pos: m.Pos.String(), Since: m.Since, Stability: m.Stability().String()}
	d.sentBy(p, m.From)
	if m.Notification {
		d.Kind = "notification"
	}
	for _, in := range pkg.Methods {
		if in.Wire == m.Name && in.Notification == m.Notification && in.From == m.From {
			d.Go, d.Params, d.Result, d.Null = in.Name, golang.TypeText(in.Params), golang.TypeText(in.Result), in.NullResult
		}
	}
	if s, ok := m.Params.(*protocol.Struct); ok {
		d.Members = structDetail(s, pkg).Members
	}
	return d
}

func channelDetail(p *protocol.Protocol, c *protocol.Channel, pkg *golang.Package) Detail {
	d := Detail{Kind: "channel", Name: c.Name, Doc: c.Doc, Pos: c.Pos.String(), URI: c.URI, Stability: c.Stability.String()}
	for _, in := range pkg.Channels {
		if in.Name == c.Name {
			d.Go, d.Constant = in.Const, in.Const
		}
	}
	if c.State != nil {
		d.State = pkg.StructOf(c.State).Name
	}
	for _, a := range p.AllActions() {
		if a.Channel == c {
			d.Members = append(d.Members, DetailMember{Name: a.Type, Go: pkg.StructOf(a.Struct).Name})
		}
	}
	return d
}

func typeDetail(t protocol.Type, pkg *golang.Package) (Detail, bool) {
	head := t.Head()
	d := Detail{of: t, Name: head.Name, Doc: head.Doc, Deprecated: head.Deprecated, Stability: head.Stability.String(), Instead: head.Instead.String(), Pos: head.Pos.String()}
	switch t := t.(type) {
	case *protocol.Struct:
		if pkg.StructOf(t) == nil {
			return d, false
		}
		return structDetail(t, pkg), true
	case *protocol.Union:
		u := pkg.UnionOf(t)
		if u == nil {
			return d, false
		}
		d.Kind, d.Go, d.By, d.Apart = "union", u.Name, reportUnion(t).By, t.Apart
		for _, s := range u.Structs {
			m := DetailMember{Name: s.Label, Go: "*" + s.Name}
			if general := t.Dispatch.General(); general != nil && pkg.StructOf(general) == s {
				m.Name = "any other"
			}
			d.Members = append(d.Members, m)
		}
		for _, v := range t.Variants {
			if t.Kind == protocol.Token && len(u.Structs) == 0 {
				d.Members = append(d.Members, DetailMember{Name: v.Name})
			}
		}
		if u.Unknown != nil {
			d.Members = append(d.Members, DetailMember{Name: "any other", Go: "*" + u.Unknown.Name})
		}
	case *protocol.Enum:
		e := pkg.EnumOf(t)
		if e == nil {
			return d, false
		}
		d.Kind, d.Go = "enum", e.Name
		if t.Bitset {
			d.Kind = "bitset"
		}
		for i, m := range e.Members {
			member := DetailMember{Name: m.Value.String(), Go: m.Name}
			if i < len(t.Members) {
				member.Doc = t.Members[i].Doc
			}
			d.Members = append(d.Members, member)
		}
	case *protocol.Alias:
		a := pkg.AliasOf(t)
		if a == nil {
			return d, false
		}
		d.Kind, d.Go = "alias", a.Name
		d.Members = []DetailMember{{Name: "is", Type: golang.TypeText(a.Target)}}
	}
	return d, true
}

// structDetail describes an object with its members in the order of the schema.
func structDetail(t *protocol.Struct, pkg *golang.Package) Detail {
	d := Detail{of: t, Kind: "object", Name: t.Name, Doc: t.Doc, Deprecated: t.Deprecated, Stability: t.Stability.String(), Instead: t.Instead.String(), Pos: t.Pos.String()}
	s := pkg.StructOf(t)
	if s == nil {
		return d
	}
	d.Go = s.Name
	for _, f := range t.Fields {
		m := DetailMember{Name: f.Name, Required: f.Required, Doc: f.Doc, Deprecated: f.Deprecated, Stability: f.Stability.String(), Instead: f.Instead.String(), Time: f.Reading.Time()}
		if f.Const != nil {
			m.Constant = f.Const.String()
		}
		if field := s.Field(f.Name); field != nil {
			m.Go, m.Type = field.Name, golang.FieldText(field)
		}
		d.Members = append(d.Members, m)
	}
	return d
}

// reducerOf returns the Go method that applies an action, or "".
func reducerOf(action string, pkg *golang.Package) string {
	if pkg.Reducers == nil {
		return ""
	}
	for _, c := range pkg.Reducers.Channels {
		for _, a := range c.Actions {
			if a.Type == action {
				return a.Method
			}
		}
	}
	return ""
}
