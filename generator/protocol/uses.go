// Uses: where each type is used.

package protocol

// Use is a place that uses a type: a part of a type, a method, a channel or an error code.
type Use struct {
	As string // role, such as "member" or "parameters"

	Type    Type   // nil for other places
	Field   *Field // the member, or nil for other parts
	Method  *Method
	Channel *Channel
	Error   *ErrorCode
}

// By names the place: Definition, Definition.member, or the name of a method, channel or error code.
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

// Uses returns the places that use each type, in protocol order without duplicates. References of a type to itself
// are omitted except in members, as is the place an inline type belongs to.
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

// inside records what a type uses.
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

// in records the types used in an expression.
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
		return // an inline type is named after its place
	}
	if list := all[t]; len(list) == 0 || list[len(list)-1] != u { // an alternative may already be recorded as a variant
		all[t] = append(list, u)
	}
}
