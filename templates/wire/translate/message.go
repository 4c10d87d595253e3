// Messages: parameters, results, snapshots and envelopes.

package translate

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// method returns the row of a method, or nil.
func (d *Direction) method(name string) *Method {
	i, ok := slices.BinarySearchFunc(d.Methods, name, func(m Method, name string) int { return cmp.Compare(m.Name, name) })
	if !ok {
		return nil
	}
	return &d.Methods[i]
}

// Name returns the name of a method in the other version.
func (d *Direction) Name(method string) string {
	if m := d.method(method); m != nil && m.To != "" {
		return m.To
	}
	return method
}

// Params converts the parameters of a method. There may be several messages in place of one, or none.
func (d *Direction) Params(method string, data json.RawMessage, c *Context) ([]json.RawMessage, error) {
	m := d.method(method)
	if m == nil || m.Params == 0 || len(data) == 0 {
		return []json.RawMessage{data}, nil
	}
	return d.several(m.Params, data, c)
}

// Result converts the result of a method.
func (d *Direction) Result(method string, data json.RawMessage, c *Context) (json.RawMessage, error) {
	m := d.method(method)
	if m == nil || m.Result == 0 {
		return data, nil
	}
	return d.one(m.Result, data, c)
}

// State converts a snapshot, as a log has it.
func (d *Direction) State(data json.RawMessage, c *Context) (json.RawMessage, error) {
	return d.one(d.Snapshot, data, c)
}

// Actions converts an envelope. There may be several in place of one, or none.
func (d *Direction) Actions(data json.RawMessage, c *Context) ([]json.RawMessage, error) {
	return d.several(d.Envelope, data, c)
}

// Code returns the code of an error in the other version.
func (d *Direction) Code(code int64) int64 {
	if row := d.code(code); row != nil {
		return row.To
	}
	return code
}

// code returns the row of an error, or nil.
func (d *Direction) code(code int64) *Code {
	i := slices.IndexFunc(d.Codes, func(c Code) bool { return c.From == code })
	if i < 0 {
		return nil
	}
	return &d.Codes[i]
}

// one converts a value that cannot become several. It returns nil if it was left out.
func (d *Direction) one(n Number, data json.RawMessage, c *Context) (json.RawMessage, error) {
	if n == 0 {
		return data, nil
	}
	own := *c
	out, err := d.convert(n, data, &own)
	if err == nil && (own.several || len(own.before) > 0) {
		err = ErrNeedsState // several actions in an answer, which only a message of its own can carry
	}
	return out, err
}

// several converts an envelope, or parameters with an action.
func (d *Direction) several(n Number, data json.RawMessage, c *Context) ([]json.RawMessage, error) {
	if n == 0 || n == d.Envelope && d.isSame(data) {
		return []json.RawMessage{data}, nil
	}
	own := *c
	out, err := d.convert(n, data, &own)
	switch {
	case err != nil:
		return nil, err
	case own.again:
		actions, err := d.again(n, data, own.instead, c)
		if err != nil {
			return nil, err
		}
		return d.each(data, actions)
	case own.several:
		return d.each(data, own.instead)
	case out == nil:
		return nil, nil
	case len(own.before) > 0:
		return d.after(n, data, own.before, out, c)
	}
	return []json.RawMessage{out}, nil
}

// after returns copies of an envelope for actions that are sent before its own, and the converted envelope.
func (d *Direction) after(n Number, data json.RawMessage, before []json.RawMessage, out json.RawMessage, c *Context) ([]json.RawMessage, error) {
	actions, err := d.again(n, data, before, c)
	if err != nil {
		return nil, err
	}
	last, err := Parse(out)
	if err != nil {
		return nil, err
	}
	return d.each(out, append(actions, last.Get(d.Action)))
}

// again converts actions that stand in the place of the one in an envelope.
func (d *Direction) again(n Number, data json.RawMessage, actions []json.RawMessage, c *Context) ([]json.RawMessage, error) {
	envelope, err := Parse(data)
	if err != nil {
		return nil, err
	}
	var out []json.RawMessage
	for _, a := range actions {
		envelope.Set(d.Action, a)
		own := *c
		own.resent = true
		converted, err := d.convert(n, envelope.JSON(), &own)
		switch {
		case err != nil:
			return nil, err
		case own.again || len(own.before) > 0:
			return nil, c.Impossible("an action stands for several that stand for several themselves")
		case own.several:
			out = append(out, own.instead...)
		case converted != nil:
			o, err := Parse(converted)
			if err != nil {
				return nil, err
			}
			out = append(out, o.Get(d.Action))
		}
	}
	return out, nil
}

// each returns a copy of an envelope for each action. The last has the number and the origin of the envelope, so its sender
// has an answer only when all of it is there.
func (d *Direction) each(data json.RawMessage, actions []json.RawMessage) ([]json.RawMessage, error) {
	o, err := Parse(data)
	if err != nil {
		return nil, err
	}
	number, origin := o.Int(d.Sequence), o.Get(d.Origin)
	var out []json.RawMessage
	for i, a := range actions {
		last := len(actions) - 1 - i
		if o.Set(d.Action, a); o.Has(d.Sequence) {
			o.Set(d.Sequence, strconv.AppendInt(nil, number-int64(last), 10))
		}
		if o.Take(d.Origin); last == 0 && origin != nil {
			o.Set(d.Origin, origin)
		}
		out = append(out, o.JSON())
	}
	return out, nil
}

// isSame reports whether an envelope is one of those, most of all, whose action is the same in both versions. It looks no further
// than the tag of the action.
func (d *Direction) isSame(envelope json.RawMessage) bool {
	if d.Envelope == 0 {
		return true
	}
	t := &d.Types[d.Envelope]
	if t.Kind != Struct || len(t.Funcs) > 0 || len(t.Add) > 0 || len(t.Members) != 1 {
		return false
	}
	m := t.Members[0]
	of := &d.Types[m.Type]
	if m.Drop || m.To != "" || of.Kind != Tagged || len(of.Funcs) > 0 {
		return false
	}
	in := newCursor(envelope)
	if in.Kind() != '{' {
		return false
	}
	for key := in.Object(); key != nil; key = in.NextKey() {
		if string(key) == m.Name {
			if in.Kind() != '{' {
				return false
			}
			v := of.find(&in)
			return v == nil || v.Type == 0 && !v.Drop
		}
	}
	return false
}
