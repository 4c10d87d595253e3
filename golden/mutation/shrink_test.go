// Shrinking: the smallest input that still fails the same way.

package mutation

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// shrinkJob says what to shrink. A process that dies at an edit has shown that the edit keeps the
// failure; the parent then goes on behind it.
type shrinkJob struct {
	Best  string // file with the smallest input so far
	From  int    // edit to go on with
	Moved bool   // whether this pass has found something
	Class string
	Sign  string
}

// same reports whether a failure is the one that is looked for. Where a run is stopped, the place is
// a matter of chance.
func (s *shrinkJob) same(f *failure) bool {
	return f != nil && f.Class == s.Class && (f.Sign == s.Sign || f.Class == "hang" || f.Class == "memory")
}

// shrink tries edit after edit, and keeps those that keep the failure.
func (w *worker) shrink() error {
	s := w.job.Shrink
	best, err := readInput(s.Best)
	if err != nil {
		return err
	}
	moved := s.Moved
	for k := s.From; ; {
		list := edits(best)
		if k >= len(list) {
			if !moved {
				return w.out.Encode(report{Shrunk: true})
			}
			k, moved = 0, false
			continue
		}
		small := best.clone()
		edits(small)[k]()
		w.begin(uint64(k))
		res := w.oracle.run(small, small, true)
		w.started.Store(0)
		if !s.same(res.failure) {
			k++
			continue
		}
		best, moved = small, true
		if err := os.WriteFile(s.Best, best.archive(best.seed+"\n"), 0o644); err != nil {
			return err
		}
	}
}

// edits lists the changes that make an input smaller or plainer, those that take most away first.
func edits(in *input) []func() {
	var out []func()
	for _, f := range in.files {
		if f.name != generator.ConfigName {
			out = append(out, func() {
				in.drop(f.name)
				if config := in.file(generator.ConfigName); f.name == profileName && config != nil && config.tree != nil {
					config.tree.Members = slices.DeleteFunc(config.tree.Members, func(m inside.Member) bool { return m.Key == "profile" })
				}
			})
		}
	}
	type sized struct {
		slot
		size int
	}
	var places []sized
	for _, f := range in.files {
		if f.tree == nil {
			continue
		}
		for _, s := range slots(f.tree, nil) {
			places = append(places, sized{s, len(s.get().Compact())})
		}
	}
	slices.SortStableFunc(places, func(a, b sized) int { return cmp.Compare(b.size, a.size) })
	for _, p := range places {
		out = append(out, p.remove)
	}
	for _, p := range places {
		for _, plain := range plainer(p.get()) {
			out = append(out, func() { p.set(plain) })
		}
		if key := p.key(); len(key) > 12 {
			out = append(out, func() { p.parent.Members[p.index].Key = half(key) })
		}
	}
	return out
}

// plainer lists what a value can be replaced by that is plainer.
func plainer(n *inside.Node) []*inside.Node {
	switch n.Kind {
	case inside.String:
		if len(n.Text) > 12 {
			return []*inside.Node{text("a"), text(half(n.Text))}
		}
	case inside.Object, inside.Array:
		var out []*inside.Node
		for _, m := range n.Members {
			if m.Value.Kind == inside.Object {
				out = append(out, m.Value)
			}
		}
		for _, item := range n.Items {
			if item.Kind == inside.Object || len(n.Items) == 1 {
				out = append(out, item)
			}
		}
		return out[:min(len(out), 3)]
	}
	return nil
}

func half(s string) string { return strings.ToValidUTF8(s[:len(s)/2], "") }
