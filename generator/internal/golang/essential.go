// Essential members: those that emitted code works with itself, so that their types cannot be the user's.

package golang

import (
	"reflect"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// essentials returns what each member is needed for whose type emitted code relies on, and for members that effects assign
// as they are, where they come from.
func essentials(p *protocol.Protocol) (needed map[*protocol.Field]string, copies []copied) {
	e := &essential{needed: map[*protocol.Field]string{}, seen: map[any]bool{}}
	e.names(p)
	for _, part := range []struct {
		why string
		of  any
	}{
		{"the store and the server use it", p.Replication}, {"a lifecycle uses it", p.Lifecycles},
		{"the opening request uses it", p.Handshake}, {"calls use it", p.Calls}, {"capabilities use it", p.Capabilities},
		{"extensions use it", p.Extensions}, {"batches use it", p.Batches}, {"HTTP uses it", p.HTTP},
		{"a channel uses it", p.Channels}, {"an effect uses it", p.Actions},
	} {
		e.why = part.why
		e.walk(reflect.ValueOf(part.of))
	}
	return e.needed, e.copies
}

// copied is a member that an effect assigns to another.
type copied struct{ to, from *protocol.Field }

type essential struct {
	needed map[*protocol.Field]string
	copies []copied
	seen   map[any]bool
	why    string
}

// names notes members that are named by text.
func (e *essential) names(p *protocol.Protocol) {
	e.why = "the opening request uses it"
	if h := p.Handshake; h != nil {
		e.member(h.Method.Params, h.Offer)
		e.member(h.Method.Result, h.Answer)
		if h.Error != nil {
			e.member(h.Error.Data, h.Supported)
		}
	}
	e.why = "calls use it"
	if c := p.Calls; c != nil {
		if c.Cancel != nil {
			e.member(c.Cancel.Params, c.CancelID)
		}
		if c.Progress != nil {
			e.member(c.Progress.Params, c.Token)
		}
		for _, end := range c.Ends {
			e.member(end.Method.Params, end.Member)
			e.member(end.Request.Params, end.Member)
		}
	}
	e.why = "a lifecycle uses it"
	for _, l := range p.Lifecycles {
		if len(l.Key) > 0 {
			e.member(l.Type, l.Key[0])
		}
	}
	e.why = "it tells the variants of a union apart"
	for u := range protocol.Each[*protocol.Union](p.Types) {
		e.dispatch(u.Dispatch)
		e.dispatch(u.Elements)
	}
}

func (e *essential) dispatch(d *protocol.Dispatch) {
	if d == nil {
		return
	}
	for _, c := range d.Cases {
		if c.Struct != nil {
			e.member(c.Struct, d.Member)
		}
		e.dispatch(c.Next)
	}
}

func (e *essential) member(t protocol.Type, name string) {
	if s, ok := t.(*protocol.Struct); ok && s.Field(name) != nil {
		e.needed[s.Field(name)] = e.why
	}
}

// walk notes all members that a description refers to. It does not look into types.
func (e *essential) walk(v reflect.Value) {
	if !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || e.seen[v.Interface()] {
			return
		}
		switch x := v.Interface().(type) {
		case *protocol.Field:
			e.needed[x] = e.why
			return
		case protocol.Type:
			return
		case *protocol.Effect:
			e.effect(x)
			return
		case *protocol.MergedMember:
			e.copies = append(e.copies, copied{x.To, x.From})
			return
		}
		e.seen[v.Interface()] = true
		e.walk(v.Elem())
	case reflect.Interface:
		e.walk(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			e.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				e.walk(v.Field(i))
			}
		}
	}
}

// effect notes the members of an effect, apart from values that it assigns as they are or takes away, and those that only
// have to be there.
func (e *essential) effect(effect *protocol.Effect) {
	for _, c := range effect.When {
		if len(c.Present) > 0 {
			e.way(c.Present)
			continue
		}
		e.walk(reflect.ValueOf(c))
	}
	switch do := effect.Do.(type) {
	case *protocol.Set:
		if len(do.From) > 0 {
			e.way(effect.Target)
			e.way(do.From)
			e.copies = append(e.copies, copied{effect.Target.Last(), do.From.Last()})
			return
		}
	case *protocol.Clear:
		e.way(effect.Target)
		return
	}
	e.walk(reflect.ValueOf(effect.Target))
	e.walk(reflect.ValueOf(effect.Do))
	if key := keyOf(effect.Do); effect.Target.Last() != nil {
		e.key(effect.Target.Last().Type, key)
	}
}

// keyOf returns what identifies the items that an operation changes.
func keyOf(do protocol.Operation) protocol.Key {
	switch do := do.(type) {
	case *protocol.Upsert:
		return do.Key
	case *protocol.Remove:
		return do.Key
	case *protocol.Patch:
		return do.Key
	case *protocol.Reorder:
		return do.Key
	case *protocol.Exchange:
		return do.Key
	}
	return protocol.Key{}
}

// key notes the members of items that identify them.
func (e *essential) key(items protocol.Expr, key protocol.Key) {
	if list, ok := protocol.Underlying(items).(protocol.List); ok {
		items = list.Elem
	}
	var owners []*protocol.Struct
	if s := protocol.As[*protocol.Struct](items); s != nil {
		owners = append(owners, s)
	}
	if u := protocol.As[*protocol.Union](items); u != nil {
		owners = append(owners, u.Leaves()...)
	}
	for _, s := range owners {
		for _, path := range key.Paths {
			at := s
			for _, name := range path {
				if at == nil || at.Field(name) == nil {
					break
				}
				e.needed[at.Field(name)] = e.why
				at = protocol.As[*protocol.Struct](at.Field(name).Type)
			}
		}
	}
}

// way notes all members of a path but the last.
func (e *essential) way(path protocol.Path) {
	if len(path) > 0 {
		e.walk(reflect.ValueOf(path[:len(path)-1]))
	}
}
