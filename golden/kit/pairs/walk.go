// Walks: where a value differs from what it was, as the lists of translators name places.

package pairs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// site is a place as a list may name it: a definition, and what of it.
type site struct{ at, what string }

// spot is where a walk is.
type spot struct {
	path   string // as messages print it
	around []site // the objects around, from the innermost, with the way to here
}

// under returns the spot of a member.
func (s spot) under(owner, member string) spot {
	around := []site{{owner, member}}
	for _, o := range s.around {
		around = append(around, site{o.at, o.what + "." + member})
	}
	return spot{s.path + "." + member, around}
}

// inner returns the spot of what is inside of a list or a map.
func (s spot) inner(name string) spot { return spot{s.path + "." + name, s.around} }

// walk goes through a value and what it has become.
type walk struct {
	*maker
	differs func(sites []site, a, b any) // a value differs
	met     func(sites []site)           // something is there, whether it differs or not
}

// named returns the spot of a declared type.
func (s spot) named(t protocol.Type) spot {
	if name := t.Head().Name; name != "" {
		s.path = name
	}
	return s
}

func (w *walk) value(e protocol.Expr, at spot, a, b any) {
	switch e := protocol.Underlying(e).(type) {
	case protocol.List:
		if a, ok := a.([]any); ok {
			w.list(e.Elem, at, a, b)
			return
		}
	case protocol.Map:
		if a, ok := a.(map[string]any); ok {
			w.entries(e.Elem, at, a, b)
			return
		}
	case protocol.Ref:
		inline := at.path
		at = at.named(e.Type)
		if u, ok := e.Type.(*protocol.Union); ok && u.Kind == protocol.Token {
			w.alternative(u, at, inline, a, b)
			return
		}
		if s := w.structOf(a); s != nil {
			w.object(s, at, a.(map[string]any), b)
			return
		}
		if enum, ok := e.Type.(*protocol.Enum); ok && !enum.Bitset {
			at.around = append([]site{{at.path, "value " + string(compact(a))}}, at.around...)
		}
	}
	w.met(at.around)
	if string(compact(a)) != string(compact(b)) {
		w.differs(at.around, a, b)
	}
}

func compact(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// alternative goes through a value of a union of different JSON types. Lists name it by its definition, or by where it is.
func (w *walk) alternative(u *protocol.Union, at spot, inline string, a, b any) {
	token := compact(a)[0]
	for _, v := range u.Variants {
		fits := false
		switch e := protocol.Underlying(v.Type).(type) {
		case protocol.List:
			fits = token == '['
		case protocol.Map:
			fits = token == '{'
		case protocol.Ref:
			_, isEnum := e.Type.(*protocol.Enum)
			fits = isEnum && token == '"' || w.structOf(a) != nil
		case protocol.Scalar:
			fits = e == protocol.Any || token != '[' && token != '{'
		}
		if fits {
			in := spot{at.path + "." + v.Name, slices.Concat([]site{{at.path, v.Name}, {inline, v.Name}}, at.around)}
			for _, o := range at.around {
				in.around = append(in.around, site{o.at, o.what + "." + v.Name})
			}
			w.value(v.Type, in, a, b)
			return
		}
	}
	if string(compact(a)) != string(compact(b)) {
		w.differs(at.around, a, b)
	}
}

// object goes through an object, of a union or alone.
func (w *walk) object(s *protocol.Struct, at spot, a map[string]any, b any) {
	own := at.named(s)
	sites := slices.Concat([]site{{own.path, "*"}}, tagsOf(s, at.path, a), at.around)
	w.met(sites)
	o, ok := b.(map[string]any)
	if !ok {
		w.differs(sites, a, b)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(merged(a, o))) {
		f := s.Field(name)
		in := own.under(own.path, name)
		in.around = append(in.around, site{at.path, s.Name + "." + name})
		was, had := a[name]
		is, has := o[name]
		switch {
		case had != has:
			if had && f != nil {
				in.around = append(in.around, w.inside(f.Type, in, was)...)
			}
			w.differs(in.around, was, is)
		case f == nil:
			w.value(protocol.Any, in, was, is)
		case f.Const != nil || len(f.Values) > 0:
			in.around = append(in.around, sites...)
			w.value(protocol.Any, in, was, is)
		default:
			w.value(f.Type, in, was, is)
		}
	}
}

// inside returns what a list may report for a value that is dropped as a whole.
func (w *walk) inside(e protocol.Expr, at spot, v any) (out []site) {
	inner := &walk{maker: w.maker, met: func([]site) {}, differs: func(sites []site, _, _ any) { out = append(out, sites...) }}
	inner.value(e, at, v, missingValue{})
	if s := w.structOf(v); s != nil { // a member that it needs may have taken it along
		for _, f := range s.Fields {
			if member, ok := v.(map[string]any)[f.Name]; ok && f.Required && f.Const == nil && len(f.Values) == 0 {
				out = append(out, w.inside(f.Type, at.named(s).under(s.Name, f.Name), member)...)
			}
		}
	}
	return out
}

// missingValue is no value of JSON.
type missingValue struct{}

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// tagsOf returns how lists name a variant: by its tag, or by its definition.
func tagsOf(s *protocol.Struct, union string, v map[string]any) []site {
	out := []site{{union, s.Name}}
	for _, f := range s.Fields {
		if f.Const != nil || len(f.Values) > 0 {
			out = append(out, site{union, string(compact(v[f.Name]))}, site{union, strings.Trim(string(compact(v[f.Name])), `"`)})
		}
	}
	return out
}

func (w *walk) entries(elem protocol.Expr, at spot, a map[string]any, b any) {
	w.met(at.around)
	o, ok := b.(map[string]any)
	if !ok {
		w.differs(at.around, a, b)
		return
	}
	for name := range merged(a, o) {
		was, had := a[name]
		is, has := o[name]
		if had != has {
			sites := at.around
			if had {
				sites = append(w.inside(elem, at.inner("value"), was), sites...)
			}
			w.differs(sites, was, is)
			continue
		}
		w.value(elem, at.inner("value"), was, is)
	}
}

// list goes through the items, of which some may be gone, and others new.
func (w *walk) list(elem protocol.Expr, at spot, a []any, b any) {
	w.met(at.around)
	items, ok := b.([]any)
	if !ok {
		w.differs(at.around, a, b)
		return
	}
	for _, p := range w.aligned(a, items) {
		switch in := at.inner("item"); {
		case p[0] < 0:
			w.differs(at.around, nil, items[p[1]])
		case p[1] < 0:
			w.differs(append(w.inside(elem, in, a[p[0]]), at.around...), a[p[0]], nil)
		default:
			w.value(elem, in, a[p[0]], items[p[1]])
		}
	}
}

// aligned pairs the items of two lists in order, so that what is alike is paired: -1 stands for none.
func (w *walk) aligned(a, b []any) (out [][2]int) {
	best := make([][]float64, len(a)+1)
	for i := len(a); i >= 0; i-- {
		best[i] = make([]float64, len(b)+1)
		for j := len(b) - 1; j >= 0 && i < len(a); j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+w.alike(a[i], b[j]))
		}
	}
	pair := func(i, j int) bool {
		like := w.alike(a[i], b[j])
		return like > 0 && best[i][j] == best[i+1][j+1]+like
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && pair(i, j):
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && best[i][j] == best[i+1][j]:
			out = append(out, [2]int{i, -1})
			i++
		default:
			out = append(out, [2]int{-1, j})
			j++
		}
	}
	return out
}

// alike returns how much of two values is the same, more than 0 if both are objects of one variant, or neither is one.
func (w *walk) alike(a, b any) float64 {
	x, isObject := a.(map[string]any)
	y, isObject2 := b.(map[string]any)
	switch {
	case isObject != isObject2:
		return 0
	case !isObject:
		if string(compact(a)) == string(compact(b)) {
			return 1
		}
		return 0.01
	}
	if s := w.structOf(a); s != nil && !slices.Equal(tagsOf(s, "", x), tagsOf(s, "", y)) {
		return 0
	}
	same := 0.0
	for name := range x {
		if v, ok := y[name]; ok && string(compact(v)) == string(compact(x[name])) {
			same++
		}
	}
	return 0.1 + same/float64(len(merged(x, y))+1)
}
