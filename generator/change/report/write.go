// Writing the report in each format.

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ahpgen/ahpgen/generator/change/accept"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Write prints the comparison in a format, for one side or for both.
func (d *Diff) Write(w io.Writer, format string, as protocol.Side) error {
	switch format {
	case "json":
		return d.json(w, as)
	case "github":
		return d.github(w, as)
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

// text is for a person at a terminal or reading a log.
func (d *Diff) text(as protocol.Side) string {
	var b strings.Builder
	if len(d.Findings) == 0 {
		b.WriteString("no differences")
		if d.Accepted > 0 {
			fmt.Fprintf(&b, " but %d accepted ones", d.Accepted)
		}
		b.WriteString("\n")
	}
	for s := range sections {
		groups := d.groups(s, as)
		if len(groups) == 0 {
			continue
		}
		n := 0
		for _, g := range groups {
			n += len(g)
		}
		fmt.Fprintf(&b, "%s (%d)\n\n", s.heading(as), n)
		for _, g := range groups {
			textGroup(&b, g, as)
		}
	}
	if d.API != nil {
		title, lines := d.apiLines()
		fmt.Fprintf(&b, "%s\n", title)
		for _, line := range lines {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		b.WriteString("\n")
	}
	if len(d.Findings) > 0 {
		b.WriteString(d.Summary(as) + "\n")
	}
	return b.String()
}

func textGroup(b *strings.Builder, g group, as protocol.Side) {
	fmt.Fprintf(b, "  %s\n", g.title())
	if v := g.verdicts(as); v != "" {
		fmt.Fprintf(b, "      %s\n", v)
	}
	if len(g) == 1 {
		f := g[0]
		if text := goText(f); text != "" {
			fmt.Fprintf(b, "      %s\n", text)
		}
		if pos := f.Pos(); !pos.IsZero() {
			fmt.Fprintf(b, "      %s\n", plain(pos.String()))
		}
	} else {
		if !g[0].Rule.Advice {
			fmt.Fprintf(b, "      Go: %s\n", g[0].Go)
		}
		places(b, g)
	}
	b.WriteString("\n")
}

// places lists the places of a group, one line each.
func places(b *strings.Builder, g group) {
	t := tabwriter.NewWriter(b, 0, 4, 2, ' ', 0)
	for _, f := range g {
		line := "        " + place(f) + "\t" + plain(f.Pos().String())
		if f.Todo != "" {
			line += "\t" + f.Todo
		}
		fmt.Fprintln(t, line)
	}
	_ = t.Flush() // a string builder takes everything
}

// markdown is for a review.
func (d *Diff) markdown(as protocol.Side) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", escape(d.Name()))
	if len(d.Findings) == 0 {
		b.WriteString("No differences.\n")
	}
	for s := range sections {
		groups := d.groups(s, as)
		if len(groups) == 0 {
			continue
		}
		columns := []string{"client", "host"}
		if as != protocol.FromBoth {
			columns = []string{string(as)}
		}
		fmt.Fprintf(&b, "### %s\n\n| change | %s | Go | where |\n|---|%s---|---|\n", s.heading(as), strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
		for _, g := range groups {
			for _, f := range g {
				row := []string{plain(f.Change.String())}
				for _, side := range columns {
					row = append(row, markdownVerdict(f, protocol.Side(side)))
				}
				row = append(row, strings.TrimPrefix(goText(f), "Go: "), f.Pos().String())
				for i := range row {
					row[i] = escape(row[i])
				}
				fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
			}
		}
		b.WriteString("\n")
	}
	if d.API != nil {
		title, lines := d.apiLines()
		fmt.Fprintf(&b, "### %s\n\n", escape(title))
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", escape(line))
		}
		b.WriteString("\n")
	}
	if len(d.Findings) > 0 {
		b.WriteString(escape(d.Summary(as)) + "\n")
	}
	return b.String()
}

func markdownVerdict(f verdict.Finding, side protocol.Side) string {
	if !f.Rule.OnWire() {
		return ""
	}
	return because(f.Side(side).String(), f.Why(side))
}

// escape keeps text from being taken for Markdown or HTML: what schemas say is only text.
func escape(text string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]",
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "#", "\\#", "@", "&#64;", "\n", " ", "\r", " ").Replace(text)
}

// github is annotations for a workflow: one line for each finding.
func (d *Diff) github(w io.Writer, as protocol.Side) error {
	var b strings.Builder
	for s := range sections {
		for _, g := range d.groups(s, as) {
			for _, f := range g {
				b.WriteString(annotation(f, s, as))
			}
		}
	}
	if d.API != nil {
		for _, m := range d.API.Unexplained {
			fmt.Fprintf(&b, "::warning title=%s::%s\n", property("go-api"), message(m))
		}
	}
	fmt.Fprintf(&b, "::notice title=%s::%s\n", property("ahpgen diff"), message(d.Summary(as)))
	return emit(w, b.String())
}

func annotation(f verdict.Finding, s section, as protocol.Side) string {
	command := [...]string{"error", "warning", "notice", "notice"}[s]
	var at []string
	if pos := checkedOut(f); !pos.IsZero() {
		at = append(at, "file="+property(pos.File), fmt.Sprintf("line=%d", max(pos.Line, 1)))
		if pos.Col > 0 {
			at = append(at, fmt.Sprintf("col=%d", pos.Col))
		}
	}
	at = append(at, "title="+property(string(f.Change.Rule)))
	parts := []string{f.Change.String()}
	for _, text := range []string{group{f}.verdicts(as), goText(f)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return fmt.Sprintf("::%s %s::%s\n", command, strings.Join(at, ","), message(strings.Join(parts, "\n")))
}

// checkedOut is where an annotation goes: into a file of the working folder, the new one if there is a
// choice. For what went that is where it would have stood.
func checkedOut(f verdict.Finding) diag.Pos {
	for _, pos := range []diag.Pos{f.New, f.Old} {
		if !pos.IsZero() && !strings.HasPrefix(pos.File, "git:") && !strings.HasPrefix(pos.File, "embedded:") {
			return pos
		}
	}
	return diag.Pos{}
}

// message escapes the text of a workflow command, so that none of it can be a command.
func message(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// property escapes the value of a parameter of a workflow command.
func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}

// The JSON form. schemas/diff.schema.json describes it.
type (
	jsonDiff struct {
		Protocol string       `json:"protocol"`
		Old      Version      `json:"old"`
		New      Version      `json:"new"`
		As       string       `json:"as"`
		Changes  []jsonChange `json:"changes"`
		Summary  jsonSummary  `json:"summary"`
		API      any          `json:"api,omitempty"`
	}
	jsonChange struct {
		accept.Fingerprint
		Category string       `json:"category"`
		OnWire   bool         `json:"onWire"`
		From     string       `json:"from"`
		To       string       `json:"to"`
		OldPos   *diag.Pos    `json:"oldPosition,omitempty"`
		NewPos   *diag.Pos    `json:"newPosition,omitempty"`
		Advice   bool         `json:"advice"`
		Client   jsonVerdict  `json:"client"`
		Host     jsonVerdict  `json:"host"`
		Effects  []jsonEffect `json:"effects"`
		Go       jsonGo       `json:"go"`
	}
	jsonVerdict struct {
		Verdict verdict.Verdict `json:"verdict"`
		Why     string          `json:"why"`
	}
	jsonEffect struct {
		From    protocol.Side   `json:"from"`
		To      protocol.Side   `json:"to"`
		Skew    verdict.Skew    `json:"skew"`
		Verdict verdict.Verdict `json:"verdict"`
		Why     string          `json:"why"`
		Via     string          `json:"via"`
	}
	jsonGo struct {
		Effect verdict.GoEffect `json:"effect"`
		Todo   string           `json:"todo"`
		Names  []string         `json:"names"`
	}
	jsonSummary struct {
		Breaks     int    `json:"breaks"`
		Tolerated  int    `json:"tolerated"`
		Fine       int    `json:"fine"`
		OffWire    int    `json:"offWire"`
		GoBreaks   int    `json:"goBreaks"`
		GoAdditive int    `json:"goAdditive"`
		Accepted   int    `json:"accepted"`
		Text       string `json:"text"`
	}
)

func (d *Diff) json(w io.Writer, as protocol.Side) error {
	c := d.Count(as)
	out := jsonDiff{
		Protocol: d.Protocol, Old: d.Old, New: d.New, As: string(as), Changes: []jsonChange{},
		Summary: jsonSummary{c.Breaks, c.Tolerated, c.Fine, c.OffWire, c.GoBreak, c.GoAdditive, d.Accepted, d.Summary(as)},
	}
	if d.API != nil {
		out.API = d.API
	}
	for _, f := range d.Findings {
		out.Changes = append(out.Changes, toJSON(f))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("print the comparison: %w", err)
	}
	return nil
}

func toJSON(f verdict.Finding) jsonChange {
	c := jsonChange{
		Fingerprint: accept.Of(f.Change), Category: f.Rule.Category, OnWire: f.Rule.OnWire(), From: f.From, To: f.To, Advice: f.Rule.Advice,
		Client: jsonVerdict{f.Client, f.Why(protocol.FromClient)}, Host: jsonVerdict{f.Host, f.Why(protocol.FromHost)},
		Effects: []jsonEffect{}, Go: jsonGo{f.Go, f.Todo, []string{}},
	}
	if !f.Old.IsZero() {
		c.OldPos = &f.Old
	}
	if !f.New.IsZero() {
		c.NewPos = &f.New
	}
	for _, e := range f.Effects {
		c.Effects = append(c.Effects, jsonEffect{e.Direction.Producer(), e.Direction.Consumer(), e.Skew, e.Verdict, e.Why, e.Via})
	}
	for _, name := range f.GoNames {
		if name != "" && !slices.Contains(c.Go.Names, name) {
			c.Go.Names = append(c.Go.Names, name)
		}
	}
	return c
}
