// Timeline: which things came and went when, over several versions.

package report

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Timeline is versions of a protocol, the oldest first.
type Timeline struct{ Versions []*protocol.Protocol }

// timelineTable is what a page shows of it.
type timelineTable struct {
	Versions []string
	Groups   []timelineGroup
}

type timelineGroup struct {
	Title, Anchor string
	Rows          []timelineRow
}

// timelineRow is a thing with the versions that have it. What all of them have is left out.
type timelineRow struct {
	Name string
	Has  []bool
	Text string
}

// thing is something that a version may have.
type thing struct{ kind, name string }

// timelineKinds are the kinds of things, in the order in which a page shows them.
var timelineKinds = []string{"Actions", "Methods", "Channels", "Errors", "Types", "Members"}

// table says which things came and went; nil if there is but one version.
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

// wasAlways reports whether the type of a member is there in all versions: otherwise the type says it.
func wasAlways(has map[thing][]bool, member thing) bool {
	owner, _, _ := strings.Cut(member.name, ".")
	return !slices.Contains(has[thing{"Types", owner}], false)
}

// story says in words when something came and went.
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

// things lists what a version has, with the version in which it came if that is stated.
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
