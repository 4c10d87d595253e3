// Shaped: variants distinguished by required members, with a proof that none is mistaken for another.

package dispatch

import (
	"container/heap"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// byShape orders structs so that each has a required member that no later one declares. A decoder that tests them in
// this order never mistakes one for another.
//
// A malformed value of another kind may only resemble the named variants. If there is no such order, the structs are returned
// that none of these members is left for.
func byShape(leaves []*protocol.Struct, named []string) (*protocol.Dispatch, []*protocol.Struct) {
	m := newMarkers(leaves, named)
	d := &protocol.Dispatch{}
	left := make([]bool, len(leaves))
	for i := range left {
		left[i] = true
	}
	for m.ready.Len() > 0 {
		i := heap.Pop(&m.ready).(int) //nolint:forcetypeassert // the heap contains only numbers
		marker := m.of(leaves[i])
		d.Cases = append(d.Cases, &protocol.Case{Marker: marker, Struct: leaves[i]})
		left[i] = false
		m.remove(i)
	}
	if len(d.Cases) == len(leaves) {
		return d, nil
	}
	if last := slices.Index(left, true); len(d.Cases) == len(leaves)-1 && slices.Contains(named, leaves[last].Name) {
		d.Cases = append(d.Cases, &protocol.Case{Struct: leaves[last]}) // it requires nothing
		return d, nil
	}
	var rest []*protocol.Struct
	for i, s := range leaves {
		if left[i] {
			rest = append(rest, s)
		}
	}
	return nil, rest
}

// byRest distinguishes structs by required members where a single one is left that has none of its own, and forbids those of all
// others: no valid value is taken for another. A malformed one may be, which is no worse than to keep all as raw JSON.
func (b *builder) byRest(leaves []*protocol.Struct) *protocol.Dispatch {
	_, rest := byShape(leaves, nil)
	if len(rest) != 1 {
		return nil
	}
	d, _ := byShape(leaves, []string{rest[0].Name})
	written := b.types.Written[rest[0]]
	if d == nil || written == nil {
		return nil
	}
	for _, c := range d.Cases {
		if c.Struct != rest[0] && !written.Forbids(c.Marker) {
			return nil
		}
	}
	return d
}

// markers tracks the remaining structs and those with a required member that no other remaining one declares.
type markers struct {
	leaves   []*protocol.Struct
	declared map[string]int // number of remaining structs declaring each member
	places   map[string]int // sum of their indexes; the index if one remains
	required map[string]int // number of all structs requiring each member
	named    []string       // variants that malformed values of others may resemble
	waits    []bool         // is or was ready
	ready    places
}

func newMarkers(leaves []*protocol.Struct, named []string) *markers {
	m := &markers{leaves: leaves, named: named, declared: map[string]int{}, places: map[string]int{}, required: map[string]int{}, waits: make([]bool, len(leaves))}
	for i, s := range leaves {
		for _, f := range s.Fields {
			m.declared[f.Name]++
			m.places[f.Name] += i
			if f.Required {
				m.required[f.Name]++
			}
		}
	}
	for i := range leaves {
		m.look(i)
	}
	return m
}

// look marks a struct as ready if it is.
func (m *markers) look(i int) {
	if !m.waits[i] && m.of(m.leaves[i]) != "" {
		m.waits[i] = true
		heap.Push(&m.ready, i)
	}
}

// of returns a required member of s that no other remaining struct declares, or "". A constant required by others is
// not evidence, nor is another member if such a struct has all that s requires, since a malformed value of it would
// be taken for s.
func (m *markers) of(s *protocol.Struct) string {
	for _, f := range s.Fields {
		if m.marks(s, f) {
			return f.Name
		}
	}
	return ""
}

// marks reports whether a member distinguishes its struct from the others.
func (m *markers) marks(s *protocol.Struct, f *protocol.Field) bool {
	if f.Name == "" || !f.Required || m.declared[f.Name] != 1 {
		return false
	}
	if m.required[f.Name] == 1 {
		return true
	}
	return f.Const == nil && (slices.Contains(m.named, s.Name) || !slices.ContainsFunc(m.leaves, func(o *protocol.Struct) bool { return o != s && requiresAll(o, s) }))
}

// requiresAll reports whether a struct requires everything another does.
func requiresAll(s, of *protocol.Struct) bool {
	return !slices.ContainsFunc(of.Fields, func(f *protocol.Field) bool {
		own := s.Field(f.Name)
		return f.Required && (own == nil || !own.Required)
	})
}

// remove removes a struct from the remaining ones, which may make another ready.
func (m *markers) remove(i int) {
	for _, f := range m.leaves[i].Fields {
		m.declared[f.Name]--
		m.places[f.Name] -= i
		if m.declared[f.Name] == 1 {
			if last := m.leaves[m.places[f.Name]]; m.marks(last, last.Field(f.Name)) && !m.waits[m.places[f.Name]] {
				m.waits[m.places[f.Name]] = true
				heap.Push(&m.ready, m.places[f.Name])
			}
		}
	}
}

// places is a min-heap of indexes.
type places []int

func (p places) Len() int           { return len(p) }
func (p places) Less(i, j int) bool { return p[i] < p[j] }
func (p places) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *places) Push(i any)        { *p = append(*p, i.(int)) } //nolint:forcetypeassert // see byShape
func (p *places) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

func describeClash(rest []*protocol.Struct) string {
	names := each.Map(rest, func(s *protocol.Struct) string { return s.Name })
	if len(names) == 1 {
		return "a malformed one of the others would pass for " + names[0]
	}
	const most = 4
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return "no constant member has values of its own in each, and " + strings.Join(names, ", ") + " have no required member that the others lack"
}
