// Timeline: which entities were added and removed across several versions.

package report

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Timeline is a list of protocol versions, oldest first.
type Timeline struct{ Versions []*protocol.Protocol }

// timelineTable is the data of the timeline page.
type timelineTable struct {
	Versions []string
	Groups   []timelineGroup
}

type timelineGroup struct {
	Title, Anchor string
	Rows          []timelineRow
}

// timelineRow is an entity with the versions that have it. Entities in all versions are omitted.
type timelineRow struct {
	Name string
	Has  []bool
	Text string
}

// thing is an entity that a version may have.
type thing struct{ kind, name string }

// timelineKinds are the kinds of entities in display order.
var timelineKinds = []string{"Actions", "Methods", "Channels", "Errors", "Types", "Members"}

// table returns the entities that were added or removed, or nil for a single version.
func (t *Timeline) table() *timelineTable {
	if t == nil || len(t.Versions) < 2 {
		return nil
	}
	out := &timelineTable{}
	has := map[thing][]bool{}
	since := map[thing]string{}
	for i, p := range t.Versions {
		out.Versions = append(out.Versions, visible.Name(p.Version))
		for th, from := range things(p) {
			if has[th] == nil {
				has[th] = make([]bool, len(t.Versions))
			}
			has[th][i] = true
			if from != "" {
				since[th] = from
			}
		}
	}
	for _, kind := range timelineKinds {
		g := timelineGroup{Title: kind, Anchor: "timeline-" + strings.ToLower(kind)}
		for th, in := range has {
			if th.kind != kind || !slices.Contains(in, false) || kind == "Members" && !wasAlways(has, th) {
				continue
			}
			g.Rows = append(g.Rows, timelineRow{Name: visible.Name(th.name), Has: in, Text: out.story(in, since[th])})
		}
		slices.SortFunc(g.Rows, func(a, b timelineRow) int { return strings.Compare(a.Name, b.Name) })
		if len(g.Rows) > 0 {
			out.Groups = append(out.Groups, g)
		}
	}
	return out
}

// wasAlways reports whether all versions have the type of a member. Otherwise the row of the type suffices.
func wasAlways(has map[thing][]bool, member thing) bool {
	owner, _, _ := strings.Cut(member.name, ".")
	return !slices.Contains(has[thing{"Types", owner}], false)
}

// story describes when something was added and removed.
func (t *timelineTable) story(in []bool, since string) string {
	var out []string
	for i, is := range in {
		switch {
		case i > 0 && is && !in[i-1]:
			when := t.Versions[i]
			if since != "" {
				when = visible.Name(since)
			}
			out = append(out, "came in "+when)
		case i > 0 && !is && in[i-1]:
			out = append(out, "gone in "+t.Versions[i])
		}
	}
	return strings.Join(out, ", ")
}

// things returns the entities of a version, with the stated version of introduction.
func things(p *protocol.Protocol) map[thing]string {
	out := map[thing]string{}
	for _, a := range p.AllActions() {
		out[thing{"Actions", a.Type}] = a.Since
	}
	for _, m := range p.Methods {
		out[thing{"Methods", m.Name}] = m.Since
	}
	for _, c := range p.Channels {
		out[thing{"Channels", c.Name}] = ""
	}
	for _, e := range p.Errors {
		out[thing{"Errors", e.Name}] = ""
	}
	for _, t := range p.Types {
		h := t.Head()
		if u, ok := t.(*protocol.Union); h.Inline || ok && u.Scope != protocol.Declared {
			continue
		}
		out[thing{"Types", h.Name}] = ""
		if s, ok := t.(*protocol.Struct); ok {
			for _, f := range s.Fields {
				out[thing{"Members", s.Name + "." + f.Name}] = ""
			}
		}
	}
	return out
}
