// Coverage: which methods of a package are generated, finished or hand-written.

package reference

import (
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/markup"
	"github.com/ahpgen/ahpgen/generator/internal/page"
)

// Coverage lists who provides the reducers and handlers of a package.
type Coverage struct {
	Folder string
	Items  []Covered
}

// Covered is one method of a package.
type Covered struct {
	Kind   string // "action" or "method"; "" if it is no longer part of the protocol
	Name   string // wire name
	Method string // Go name
	Status Status
	Pos    diag.Pos // position in the package, or zero
	Note   string
}

// Status is who provides a method.
type Status string

// The statuses in display order.
const (
	Unfinished Status = "unfinished" // a stub to be implemented
	Retired    Status = "retired"    // written by the user, no longer needed
	Yours      Status = "yours"      // written by the user
	Finished   Status = "finished"   // shipped with the protocol
	Generated  Status = "generated"  // generated from stated effects
)

// statuses lists them.
var statuses = []struct {
	Status Status
	Means  string
}{
	{Unfinished, "A stub, not written yet."},
	{Retired, "Hand-written, and no longer needed by the protocol."},
	{Yours, "Hand-written. ahpgen does not change it."},
	{Finished, "It comes with the protocol, written and tested."},
	{Generated, "It is generated from what the protocol states."},
}

type coveragePage struct {
	Folder string
	Counts []coverageCount
	Groups []coverageGroup
}

type coverageCount struct {
	Status Status
	N      int
	Means  string
}

type coverageGroup struct {
	Title, Anchor string
	Rows          []coverageRow
}

type coverageRow struct {
	Covered
	Href string
	Text string
	At   position
}

// coverage adds the page about a package.
func (s *site) coverage() {
	if s.Coverage == nil {
		return
	}
	const name = "coverage.html"
	p := s.from(name)
	out := &coveragePage{Folder: s.Coverage.Folder}
	count := map[Status]int{}
	index := map[string]int{}
	for _, c := range s.Coverage.Items {
		count[c.Status]++
		r := coverageRow{Covered: c, At: position{Text: c.Pos.String()}}
		title := "What nothing wants any more"
		if a := s.actionOf(c.Name); a != nil && c.Kind == "action" {
			r.Href, r.Text = p.to(s.actionHref(a)), markup.First(s.docOf(a))
			title = "No channel"
			if a.channel() != nil {
				title = a.channel().Name
			}
		}
		if c.Kind == "method" {
			title = s.p.Sides.In("Handlers of the host")
			for _, m := range s.p.Methods {
				if m.Name == c.Name {
					r.Href, r.Text = p.to(s.methodHref(m)), markup.First(s.methodDoc(m))
				}
			}
		}
		g, ok := index[title]
		if !ok {
			g = len(out.Groups)
			index[title] = g
			out.Groups = append(out.Groups, coverageGroup{Title: title, Anchor: page.Slug(title)})
		}
		out.Groups[g].Rows = append(out.Groups[g].Rows, r)
	}
	for _, st := range statuses {
		if n := count[st.Status]; n > 0 {
			out.Counts = append(out.Counts, coverageCount{st.Status, n, st.Means})
		}
	}
	s.add(name, "coverage", "Your package", out, func(f *page.Frame) {
		for _, g := range out.Groups {
			f.Contents = append(f.Contents, page.Link{Text: g.Title, Href: "#" + g.Anchor})
		}
	})
}
