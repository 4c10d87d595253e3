// Uses: what needs each type.

package protocol

// Use is one place that needs a type: a member or another part of a type, or a method, a channel or an error code.
type Use struct {
	As string // such as "member" or "parameters"

	Type    Type   // nil if it is none
	Field   *Field // the member of Type; nil if it is another part
	Method  *Method
	Channel *Channel
	Error   *ErrorCode
}

// By is what needs the type: a definition, or Definition.member, or the name of a method, a channel or an error code.
func (u Use) By() string {
	switch {
	case u.Field != nil:
		return u.Type.Head().Name + "." + u.Field.Name
	case u.Type != nil:
		return u.Type.Head().Name
	case u.Method != nil:
		return u.Method.Name
	case u.Channel != nil:
		return u.Channel.Name
	}
	return u.Error.Name
}

// Uses lists what needs each type, each place once and in the order of the protocol. What a type says of itself is no use,
// but for its members, nor is the place that an inline type is for.
func (p *Protocol) Uses() map[Type][]Use {
	all := uses{}
	for _, t := range p.Types {
		all.inside(t)
	}
	for _, m := range p.Methods {
		all.of(m.Params, Use{As: "parameters", Method: m})
		all.of(m.Result, Use{As: "result", Method: m})
	}
	for _, c := range p.Channels {
		if c.State != nil {
			all.of(c.State, Use{As: "state of the channel", Channel: c})
		}
	}
	for _, e := range p.Errors {
		all.of(e.Data, Use{As: "data of the error", Error: e})
	}
	return all
}

type uses map[Type][]Use

// inside notes what a type needs.
func (all uses) inside(t Type) {
	switch t := t.(type) {
	case *Struct:
		for _, f := range t.Fields {
			all.in(f.Type, Use{As: "member", Type: t, Field: f})
		}
		all.in(t.Extra, Use{As: "other members", Type: t})
	case *Union:
		for _, v := range t.Variants {
			all.in(v.Type, Use{As: "variant", Type: t})
		}
		if t.Scope == Declared {
			return
		}
		for _, l := range t.Leaves() {
			all.of(l, Use{As: "variant", Type: t})
		}
	case *Alias:
		all.in(t.Target, Use{As: "another name", Type: t})
	}
}

// in notes a use of what an expression is made of.
func (all uses) in(e Expr, u Use) {
	switch e := e.(type) {
	case Ref:
		all.of(e.Type, u)
	case List:
		all.in(e.Elem, u)
	case Map:
		all.in(e.Elem, u)
	}
}

func (all uses) of(t Type, u Use) {
	if t == nil || u.Type != nil && t.Head().Name == u.By() {
		return // an inline type bears the name of the place that it is for
	}
	if list := all[t]; len(list) == 0 || list[len(list)-1] != u { // an alternative may be met as a variant before
		all[t] = append(list, u)
	}
}
