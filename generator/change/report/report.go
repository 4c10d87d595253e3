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
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Version is one side of a comparison.
type Version struct {
	Name    string `json:"name"`    // as it was given
	Version string `json:"version"` // "" if unknown
}

// Diff is a comparison.
type Diff struct {
	Protocol string
	Sides    protocol.Sides
	Old, New Version
	Findings []verdict.Finding
	Accepted int              // findings that a file of accepted changes takes out
	Added    int              // those of them that the file was given just now
	API      *apicheck.Result // nil if the emitted packages were not compared
	Left     *Left            // what a bump leaves to do; nil for a mere comparison
	Timeline func() *Timeline // has the versions at hand, for the form that shows them; nil for none
	Paths    Paths            // where the reader stands
}

// Formats lists what Write can do.
var Formats = []string{"text", "markdown", "json", "github", "html"}

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

// section is a part of the report, the most pressing first.
type section int

const (
	breaksSection  section = iota
	goSection              // messages are understood, programs have to change
	unequalSection         // only programs that compare with == have to change
	toleratedSection
	fineSection
	offWireSection
	sections
)

// heading says in a few words what a section holds.
func (s section) heading(sides protocol.Sides, as protocol.Side) string {
	party := sides.A(as)
	if as == protocol.FromBoth {
		party = sides.A(protocol.FromClient) + " or " + sides.A(protocol.FromHost)
	}
	return [...]string{"Breaks " + party, "Breaks Go source", "No longer compares with ==", "Tolerated", "Fine on the wire", "Not on the wire"}[s]
}

// harmless reports whether nobody has to do anything about what a section holds.
func (s section) harmless() bool { return s > unequalSection }

func sectionOf(c *cause, as protocol.Side) section {
	switch {
	case c.Rule.OnWire() && c.Side(as) == verdict.Breaks:
		return breaksSection
	case c.Else == verdict.GoBreak:
		return goSection
	case c.Unequal != "":
		return unequalSection
	case !c.Rule.OnWire():
		return offWireSection
	}
	return fineSection - section(c.Side(as))
}

// bySection parts the causes, each section sorted by the place to look at.
func (d *Diff) bySection(as protocol.Side) [sections][]cause {
	var out [sections][]cause
	for _, c := range causes(d.Findings) {
		s := sectionOf(&c, as)
		out[s] = append(out[s], c)
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b cause) int { return a.Pos().Compare(b.Pos()) })
	}
	return out
}

// Causes counts what changed by whom it breaks: one that shows in many places, or took other things
// along, counts once.
type Causes struct {
	Client  int `json:"client"`  // break a client
	Host    int `json:"host"`    // break a host
	Go      int `json:"go"`      // break Go source
	Unequal int `json:"unequal"` // structs that no longer compare with ==
	Rest    int `json:"rest"`    // break nothing
}

// Causes counts the causes.
func (d *Diff) Causes(as protocol.Side) Causes {
	var n Causes
	unequal := map[string]bool{}
	for _, c := range causes(d.Findings) {
		for _, f := range c.all() {
			if f.Unequal != "" {
				unequal[f.Unequal] = true
			}
		}
		one := func(count *int, is bool) {
			if is {
				*count++
			}
		}
		one(&n.Client, c.Client == verdict.Breaks)
		one(&n.Host, c.Host == verdict.Breaks)
		one(&n.Go, c.Else == verdict.GoBreak)
		one(&n.Rest, sectionOf(&c, as).harmless())
	}
	n.Unequal = len(unequal)
	return n
}

// maxLine is how much of one statement a report for people shows.
const maxLine = 1_000

// plain keeps a line a line: names in schemas may hold line breaks and characters that turn text round.
func plain(text string) string { return visible.Line(visible.Cut(text, maxLine)) }

// title says what changed.
func (c *cause) title() string {
	subject := c.Subject
	if len(c.alike) > 0 {
		name := member(c.Subject)
		subject = fmt.Sprintf("%s in %d types", name, 1+len(c.alike))
	}
	if detail := excerpt(c.From, c.To); detail != "" {
		subject += ": " + detail
	}
	if c.renamed != "" {
		subject += "; " + c.renamed
	}
	return plain(subject)
}

// statement says what a cause means for the sides at hand, with the reasons.
func (c *cause) statement(sides protocol.Sides, as protocol.Side) string {
	if !c.Rule.OnWire() {
		return ""
	}
	side := func(who string, v verdict.Verdict, why string) string {
		if why == "" {
			return who + ": " + v.String()
		}
		return fmt.Sprintf("%s: %s (%s)", who, v, plain(why))
	}
	whyClient, whyHost := c.Why(protocol.FromClient), c.Why(protocol.FromHost)
	opens, serves := sides.Name(protocol.FromClient), sides.Name(protocol.FromHost)
	client, host := side(opens, c.Client, whyClient), side(serves, c.Host, whyHost)
	switch {
	case as == protocol.FromClient:
		return client
	case as == protocol.FromHost:
		return host
	case c.Client == c.Host && whyClient == whyHost:
		return side(opens+" and "+serves, c.Client, whyClient)
	}
	return client + "; " + host
}

// todo says what a cause means for a Go program, "" if it means nothing.
func (c *cause) todo() string {
	if c.Unequal != "" && c.Else != verdict.GoBreak {
		return plain(unequal(c.Finding))
	}
	return plain(joinClauses(c.Todo, unequal(c.Finding)))
}

// unequal says which struct no longer compares with ==, "" for none.
func unequal(f verdict.Finding) string {
	if f.Unequal == "" {
		return ""
	}
	return f.Unequal + " no longer compares with =="
}

func joinClauses(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// Name is what was compared, such as "ahp 0.6.0 → 0.7.0".
func (d *Diff) Name() string {
	old, new := cmp.Or(d.Old.Version, d.Old.Name), cmp.Or(d.New.Version, d.New.Name)
	return plain(strings.TrimSpace(d.Protocol + " " + old + " → " + new))
}

// Summary is one line: how much there is to do.
func (d *Diff) Summary(as protocol.Side) string {
	if d.Left != nil {
		return d.Name() + ": " + d.Left.summary()
	}
	return d.Name() + ": " + d.counted(as)
}

// Counted says in a sentence how many changes break whom.
func (d *Diff) Counted() string { return d.counted(protocol.FromBoth) + "." }

// counted says how many changes break whom.
func (d *Diff) counted(as protocol.Side) string {
	n := d.Causes(as)
	var text string
	switch as {
	case protocol.FromClient:
		text = breaks(n.Client) + " " + d.Sides.A(as)
	case protocol.FromHost:
		text = breaks(n.Host) + " " + d.Sides.A(as)
	default:
		text = fmt.Sprintf("%s %s, %d %s", breaks(n.Client), d.Sides.A(protocol.FromClient), n.Host, d.Sides.A(protocol.FromHost))
	}
	text += fmt.Sprintf(", %d Go source", n.Go)
	switch n.Unequal {
	case 0:
	case 1:
		text += "; 1 type loses =="
	default:
		text += fmt.Sprintf("; %d types lose ==", n.Unequal)
	}
	if n.Rest > 0 {
		text += fmt.Sprintf("; %d break%s nothing", n.Rest, map[bool]string{true: "s"}[n.Rest == 1])
	}
	if d.Accepted > 0 {
		text += fmt.Sprintf("; %d accepted and not shown", d.Accepted)
	}
	return text
}

func breaks(n int) string {
	if n == 1 {
		return "1 change breaks"
	}
	return fmt.Sprintf("%d changes break", n)
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
