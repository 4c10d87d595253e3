// Package report formats a comparison as text, Markdown, JSON, HTML and workflow annotations.
package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Version is one side of a comparison.
type Version struct {
	Name    string `json:"name"`    // as given by the user
	Version string `json:"version"` // "" if unknown
}

// Diff is a comparison.
type Diff struct {
	Protocol string
	Sides    protocol.Sides
	Old, New Version
	Findings []verdict.Finding
	Accepted int              // findings hidden by accepted changes
	Added    int              // findings accepted in this run
	Left     *Left            // the remaining work of a bump, or nil for a comparison
	Speaks   string           // the old version, if messages are translated for its peers
	Timeline func() *Timeline // builds the timeline of known versions; may be nil
	Paths    Paths            // the reader's location
}

// Formats lists the formats of Write.
var Formats = []string{"text", "markdown", "json", "github", "html"}

// Level is a threshold for findings.
type Level string

// The levels.
const (
	Any      Level = "any"      // any change except informational ones
	Breaking Level = "breaking" // a change that breaks the given side
	Never    Level = "none"
)

// Stable returns the comparison without the changes of what is experimental.
func (d *Diff) Stable() *Diff {
	out := *d
	out.Findings = slices.DeleteFunc(slices.Clone(d.Findings), func(f verdict.Finding) bool { return f.Unstable != "" })
	return &out
}

// Fails reports whether there are findings at the given level. Changes of what is experimental break nothing that was
// promised.
func (d *Diff) Fails(level Level, as protocol.Side) bool {
	return slices.ContainsFunc(d.Findings, func(f verdict.Finding) bool {
		switch level {
		case Any:
			return !f.Rule.Advice
		case Breaking:
			return f.Side(as) == verdict.Breaks && f.Unstable == ""
		}
		return false
	})
}

// section is a part of the report, in order of severity.
type section int

const (
	breaksSection   section = iota
	goSection               // compatible on the wire, but source-breaking
	unequalSection          // only == comparisons are affected
	unstableSection         // breaks something, which is experimental
	toleratedSection
	fineSection
	offWireSection
	sections
)

// heading returns the title of a section.
func (s section) heading(sides protocol.Sides, as protocol.Side) string {
	party := sides.A(as)
	if as == protocol.FromBoth {
		party = sides.A(protocol.FromClient) + " or " + sides.A(protocol.FromHost)
	}
	return [...]string{"Breaks " + party, "Breaks Go source", "No longer compares with ==", "Breaks what is experimental", "Tolerated", "Fine on the wire", "Not on the wire"}[s]
}

// harmless reports whether a section requires no action.
func (s section) harmless() bool { return s > unstableSection }

func sectionOf(c *cause, as protocol.Side) section {
	broken := c.Rule.OnWire() && c.Side(as) == verdict.Breaks
	switch {
	case c.Unstable != "" && (broken || c.Else == verdict.GoBreak || c.Unequal != ""):
		return unstableSection
	case broken:
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

// bySection groups the causes by section, sorted by position.
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

// Causes counts changes by whom they break. Grouped findings count once.
type Causes struct {
	Client   int `json:"client"`             // break a client
	Host     int `json:"host"`               // break a host
	Go       int `json:"go"`                 // break Go source
	Unequal  int `json:"unequal"`            // structs that no longer compare with ==
	Unstable int `json:"unstable,omitempty"` // break what is experimental
	Rest     int `json:"rest"`               // break nothing
}

// Causes returns the counts.
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
		stable := c.Unstable == ""
		one(&n.Client, stable && c.Client == verdict.Breaks)
		one(&n.Host, stable && c.Host == verdict.Breaks)
		one(&n.Go, stable && c.Else == verdict.GoBreak)
		one(&n.Unstable, sectionOf(&c, as) == unstableSection)
		one(&n.Rest, sectionOf(&c, as).harmless())
	}
	n.Unequal = len(unequal)
	return n
}

// maxLine is the maximum length of a statement.
const maxLine = 1_000

// maxProof is the maximum length of a state or action in a proof. In JSON they are whole.
const maxProof = 110

// plain replaces line breaks and bidirectional control characters in names.
func plain(text string) string { return visible.Line(visible.Cut(text, maxLine)) }

// subject returns what changed: a member in several types, or one thing.
func (c *cause) subject() string {
	if len(c.alike) == 0 {
		return c.Subject
	}
	return fmt.Sprintf("%s in %d types", member(c.Subject), 1+len(c.alike))
}

// title returns the subject of a change, and what became of it.
func (c *cause) title() string {
	subject := c.subject()
	if detail := excerpt(c.From, c.To); detail != "" {
		subject += ": " + detail
	}
	if c.renamed != "" {
		subject += "; " + c.renamed
	}
	if c.Same > 0 {
		subject += fmt.Sprintf("; the same on %d random states", c.Same)
	}
	return plain(subject)
}

// proof describes a state in which two rules differ, or returns "".
func (c *cause) proof() string {
	p := c.Proof
	if p == nil {
		return ""
	}
	cut := func(text string) string { return visible.Cut(text, maxProof) }
	return plain(fmt.Sprintf("on the state %s, %s leads to %s by the old rule and to %s by the new one",
		cut(string(p.State)), cut(string(p.Action)), cut(p.OldPart), cut(p.NewPart)))
}

// statement describes the meaning of a cause for the given sides.
func (c *cause) statement(sides protocol.Sides, as protocol.Side) string {
	if sectionOf(c, as) != unstableSection {
		return c.verdicts(sides, as)
	}
	return joinClauses(c.verdicts(sides, as), plain(c.Unstable))
}

// verdicts describes what a cause means on the wire, or returns "".
func (c *cause) verdicts(sides protocol.Sides, as protocol.Side) string {
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
	disk := ""
	if c.Disk == verdict.Breaks {
		disk = "; data on disk: breaks"
	}
	switch {
	case as == protocol.FromClient:
		return client
	case as == protocol.FromHost:
		return host + disk
	case c.Client == c.Host && whyClient == whyHost:
		return side(opens+" and "+serves, c.Client, whyClient) + disk
	}
	return client + "; " + host + disk
}

// todo describes the required change of Go code, or returns "".
func (c *cause) todo() string {
	if c.Unequal != "" && c.Else != verdict.GoBreak {
		return plain(unequal(c.Finding))
	}
	return plain(joinClauses(c.Todo, unequal(c.Finding)))
}

// unequal describes the loss of comparability with ==, or returns "".
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

// Name returns the title of the comparison, such as "ahp 0.6.0 → 0.7.0".
func (d *Diff) Name() string {
	old, new := cmp.Or(d.Old.Version, d.Old.Name), cmp.Or(d.New.Version, d.New.Name)
	return plain(strings.TrimSpace(d.Protocol + " " + old + " → " + new))
}

// Summary returns the required work in one line.
func (d *Diff) Summary(as protocol.Side) string {
	if d.Left != nil {
		return d.Name() + ": " + d.Left.summary()
	}
	return d.Name() + ": " + d.counted(as)
}

// Counted returns a sentence with the counts of changes by whom they break.
func (d *Diff) Counted() string { return d.counted(protocol.FromBoth) + "." }

// counted formats the counts of changes by whom they break.
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
	if n.Unstable > 0 {
		text += fmt.Sprintf("; %d unstable", n.Unstable)
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

// Write writes the comparison in the given format, for one side or both.
func (d *Diff) Write(w io.Writer, format string, as protocol.Side) error {
	switch format {
	case "json":
		return d.json(w, as)
	case "github":
		return d.github(w, as)
	case "html":
		return d.html(w, as)
	case "markdown":
		return emit(w, d.markdown(as))
	}
	return emit(w, d.text(as))
}

func emit(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("print the comparison: %w", err)
	}
	return nil
}
