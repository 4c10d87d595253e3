// Random values of the types of a version.

package pairs

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maker makes values of types, and notes which type each object is of. Texts come from a few words, so that ids meet.
type maker struct {
	*rand.Rand
	full int // how likely a member is there that may be missing, in percent
	made map[uintptr]*protocol.Struct
}

// deepest is the depth from which on members that may be missing are.
const deepest = 8

var words = []string{"a", "b", "é\n\"", "form", "tools", "type", "content", "x-y"}

func newMaker(seed uint64) *maker {
	r := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // the same values each time
	return &maker{r, 20 + r.IntN(60), map[uintptr]*protocol.Struct{}}
}

// structOf returns the type of an object that was made, nil for others.
func (m *maker) structOf(v any) *protocol.Struct {
	if o, ok := v.(map[string]any); ok {
		return m.made[reflect.ValueOf(o).Pointer()]
	}
	return nil
}

func (m *maker) of(e protocol.Expr, name string, depth int) any {
	switch e := e.(type) {
	case protocol.List:
		out := make([]any, m.length(depth))
		for i := range out {
			out[i] = m.of(e.Elem, name, depth+1)
		}
		return out
	case protocol.Map:
		out := map[string]any{}
		for range m.length(depth) {
			out[m.word("")] = m.of(e.Elem, "", depth+1)
		}
		return out
	case protocol.Scalar:
		return m.scalar(e, name, depth)
	case protocol.Ref:
		return m.declared(e.Type, name, depth)
	}
	panic(fmt.Sprintf("%T", e))
}

func (m *maker) length(depth int) int {
	if depth > deepest {
		return 0
	}
	return m.IntN(4)
}

func (m *maker) word(name string) string {
	switch {
	case strings.HasSuffix(name, "At"):
		return []string{"2026-01-02T03:04:05.000Z", "2026-02-03T04:05:06.000Z"}[m.IntN(2)]
	case name == "id" || strings.HasSuffix(name, "Id"):
		return words[m.IntN(2)]
	}
	return words[m.IntN(len(words))]
}

func (m *maker) scalar(s protocol.Scalar, name string, depth int) any {
	switch s {
	case protocol.String:
		return m.word(name)
	case protocol.Bool:
		return m.IntN(2) == 0
	case protocol.Null:
		return nil
	case protocol.Any:
		if strings.HasSuffix(name, "Schema") {
			return map[string]any{"type": "object"}
		}
		if depth > deepest {
			return 1
		}
		return []any{1, "x", true, []any{1}, map[string]any{m.word(""): m.of(protocol.Any, "", depth+1)}}[m.IntN(5)]
	case protocol.Float, protocol.Number:
		return float64(m.IntN(8)) / 8
	}
	return m.IntN(250)
}

func (m *maker) declared(of protocol.Type, name string, depth int) any {
	switch of := of.(type) {
	case *protocol.Alias:
		return m.of(of.Target, name, depth)
	case *protocol.Enum:
		if of.Bitset {
			bits := int64(0)
			for _, v := range of.Members {
				bits |= v.Value.Int * int64(m.IntN(2))
			}
			return bits
		}
		return of.Members[m.IntN(len(of.Members))].Value.Plain()
	case *protocol.Union:
		if leaves := of.Leaves(); of.Kind != protocol.Token {
			return m.object(leaves[m.IntN(len(leaves))], depth)
		}
		return m.of(of.Variants[m.IntN(len(of.Variants))].Type, name, depth)
	case *protocol.Struct:
		return m.object(of, depth)
	}
	panic(fmt.Sprintf("%T", of))
}

func (m *maker) object(s *protocol.Struct, depth int) map[string]any {
	out := map[string]any{}
	m.made[reflect.ValueOf(out).Pointer()] = s
	for _, f := range s.Fields {
		switch {
		case !f.Required && (depth > deepest || m.IntN(100) >= m.full):
		case f.Const != nil:
			out[f.Name] = f.Const.Plain()
		case len(f.Values) > 0:
			out[f.Name] = f.Values[m.IntN(len(f.Values))].Plain()
		default:
			out[f.Name] = m.of(f.Type, f.Name, depth+1)
		}
	}
	for _, c := range s.Choices {
		beside, _ := m.declared(c.Type, "", depth).(map[string]any)
		for name, v := range beside {
			out[name] = v
		}
	}
	return out
}
