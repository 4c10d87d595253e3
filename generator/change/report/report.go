// Package report shows a comparison: as text for a person, as Markdown for a review, as JSON for a
// script, and as annotations for a workflow.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/apicheck"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/visible"
)

// Version is one side of a comparison.
type Version struct {
	Name    string `json:"name"`    // as it was given
	Version string `json:"version"` // "" where unknown
}

// Diff is a comparison.
type Diff struct {
	Protocol string
	Old, New Version
	Findings []verdict.Finding
	Accepted int              // findings that a file of accepted changes takes out
	Added    int              // those of them that the file was given just now
	API      *apicheck.Result // nil where the emitted packages were not compared
}

// Formats lists what Write can do.
var Formats = []string{"text", "markdown", "json", "github"}

// Level is from when on findings count.
type Level string

// The levels.
const (
	Any      Level = "any"      // any change that is not mere information
	Breaking Level = "breaking" // a change that breaks the side at hand
	Never    Level = "none"
)

// Fails reports whether the comparison has findings of the level for a side.
func (d *Diff) Fails(level Level, as protocol.Side) bool {
	return slices.ContainsFunc(d.Findings, func(f verdict.Finding) bool {
		switch level {
		case Any:
			return !f.Rule.Advice
		case Breaking:
			return f.Side(as) == verdict.Breaks
		}
		return false
	})
}

// Counts are the findings by verdict.
type Counts struct {
	Breaks, Tolerated, Fine, OffWire int // for the side at hand
	Client, Host                     int // that break a client, a host
	GoBreak, GoAdditive              int
}

// Count counts the findings for a side.
func (d *Diff) Count(as protocol.Side) Counts {
	var c Counts
	for _, f := range d.Findings {
		switch sectionOf(f, as) {
		case breaksSection:
			c.Breaks++
		case toleratedSection:
			c.Tolerated++
		case fineSection:
			c.Fine++
		default:
			c.OffWire++
		}
		if f.Client == verdict.Breaks {
			c.Client++
		}
		if f.Host == verdict.Breaks {
			c.Host++
		}
		switch f.Go {
		case verdict.GoBreak:
			c.GoBreak++
		case verdict.GoAdditive:
			c.GoAdditive++
		}
	}
	return c
}

// section is a part of the report.
type section int

const (
	breaksSection section = iota
	toleratedSection
	fineSection
	offWireSection
	sections
)

// heading says in a few words what a section holds.
func (s section) heading(as protocol.Side) string {
	party := "a side"
	if as != protocol.FromBoth {
		party = "a " + string(as)
	}
	return [...]string{"Breaks " + party, "Tolerated", "Fine on the wire", "Not on the wire"}[s]
}

func sectionOf(f verdict.Finding, as protocol.Side) section {
	if !f.Rule.OnWire() {
		return offWireSection
	}
	return fineSection - section(f.Side(as))
}

// groups gathers what belongs into a section. Findings of one rule that say the same are one group;
// source breaks come first.
func (d *Diff) groups(s section, as protocol.Side) []group {
	var out []group
	index := map[string]int{}
	for _, f := range d.Findings {
		if sectionOf(f, as) != s {
			continue
		}
		key := fmt.Sprint(f.Change.Rule, f.Client, f.Host, f.Go, f.Why(protocol.FromClient), f.Why(protocol.FromHost))
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	slices.SortStableFunc(out, func(a, b group) int {
		return cmp.Or(-cmp.Compare(a[0].Go, b[0].Go), cmp.Compare(a[0].Rule.Category, b[0].Rule.Category), cmp.Compare(a[0].Change.Rule, b[0].Change.Rule))
	})
	return out
}

// group is findings of one rule with the same verdicts for the same reasons.
type group []verdict.Finding

// maxLine is how much of one statement a report for people shows.
const maxLine = 1_000

// plain keeps a line a line: names in schemas may hold line breaks and characters that turn text round.
func plain(text string) string { return visible.Line(visible.Cut(text, maxLine)) }

// title is the first line of a group.
func (g group) title() string {
	if len(g) == 1 {
		return plain(g[0].Change.String())
	}
	return fmt.Sprintf("%s: %d of them", g[0].Change.Rule, len(g))
}

// place is what a line of a group with several findings says first.
func place(f verdict.Finding) string {
	if detail := f.Detail(); detail != "" {
		return plain(f.Subject + ": " + detail)
	}
	return plain(f.Subject)
}

// verdicts says what a group means for the sides at hand, with the reasons.
func (g group) verdicts(as protocol.Side) string {
	f := g[0]
	if !f.Rule.OnWire() {
		return ""
	}
	side := func(who string, v verdict.Verdict, why string) string {
		if why == "" {
			return who + ": " + v.String()
		}
		return fmt.Sprintf("%s: %s (%s)", who, v, plain(why))
	}
	whyClient, whyHost := f.Why(protocol.FromClient), f.Why(protocol.FromHost)
	client, host := side("client", f.Client, whyClient), side("host", f.Host, whyHost)
	switch {
	case as == protocol.FromClient:
		return client
	case as == protocol.FromHost:
		return host
	case f.Client == f.Host && whyClient == whyHost:
		return side("client and host", f.Client, whyClient)
	}
	return client + "; " + host
}

func because(what, why string) string {
	if why == "" {
		return what
	}
	return what + "; " + plain(why)
}

// goText says what a finding means for a Go program.
func goText(f verdict.Finding) string {
	if f.Rule.Advice {
		return plain(f.Todo)
	}
	return because("Go: "+f.Go.String(), f.Todo)
}

// Name is what was compared, such as "ahp 0.6.0 → 0.7.0".
func (d *Diff) Name() string {
	old, new := cmp.Or(d.Old.Version, d.Old.Name), cmp.Or(d.New.Version, d.New.Name)
	return plain(strings.TrimSpace(d.Protocol + " " + old + " → " + new))
}

// Summary is one paragraph with all counts.
func (d *Diff) Summary(as protocol.Side) string {
	c := d.Count(as)
	var b strings.Builder
	sides := fmt.Sprintf("break a %s", as)
	if as == protocol.FromBoth {
		sides = fmt.Sprintf("break a side (client %d, host %d)", c.Client, c.Host)
	}
	fmt.Fprintf(&b, "%s: %s. On the wire %d %s, %d tolerated, %d fine; %d not on the wire. In Go %s, %d additive.",
		d.Name(), plural(len(d.Findings), "change"), c.Breaks, sides, c.Tolerated, c.Fine, c.OffWire, plural(c.GoBreak, "source break"), c.GoAdditive)
	if d.Accepted > 0 {
		fmt.Fprintf(&b, " Accepted and not shown: %d.", d.Accepted)
	}
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// apiLines says what apidiff found, and where it and the verdicts disagree.
func (d *Diff) apiLines() (title string, lines []string) {
	r := d.API
	title = fmt.Sprintf("Go API: apidiff sees %d incompatible and %d compatible changes", len(r.Incompatible), r.Compatible)
	for _, m := range r.Unexplained {
		lines = append(lines, "no change above accounts for: "+plain(m))
	}
	for _, m := range r.Unconfirmed {
		lines = append(lines, "compiles all the same: "+plain(m))
	}
	if len(lines) == 0 {
		title += ", and the changes above account for them all"
	}
	return title, lines
}
