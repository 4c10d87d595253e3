// Report: results as text, JSON and JUnit.

package conform

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator/inside"
)

// Report is what a run has found.
type Report struct {
	Protocol string   `json:"protocol"`
	Version  string   `json:"version"`
	Program  []string `json:"program,omitempty"`
	Address  string   `json:"address,omitempty"`
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
	Skipped  int      `json:"skipped"`
	Findings int      `json:"findings"` // without notes and those that are expected
	Expected int      `json:"expected"`
	// Rules are the numbers of findings by their rules, without notes and those that are expected.
	Rules map[string]int `json:"rules,omitempty"`
	// Unmet are expected findings that have not occurred.
	Unmet     []*Expected `json:"unmet,omitempty"`
	Scenarios []Result    `json:"scenarios"`
}

// Add adds the result of a scenario.
func (r *Report) Add(result Result) {
	r.Scenarios = append(r.Scenarios, result)
	switch {
	case result.Failed():
		r.Failed++
	case result.Skipped != "":
		r.Skipped++
	default:
		r.Passed++
	}
	for _, f := range result.Findings {
		switch {
		case f.Expected != "":
			r.Expected++
		case !f.Note:
			if r.Findings++; r.Rules == nil {
				r.Rules = map[string]int{}
			}
			r.Rules[f.Rule]++
		}
	}
}

// Summary prints the numbers, and those of findings by their rules.
func (r *Report) Summary(to io.Writer) {
	plural := func(n int, word string) string {
		if n != 1 {
			word += "s"
		}
		return fmt.Sprintf("%d %s", n, word)
	}
	fmt.Fprintf(to, "%s %s: %s, %d passed, %d failed, %d skipped; %s, and %d expected\n", r.Protocol, r.Version,
		plural(len(r.Scenarios), "scenario"), r.Passed, r.Failed, r.Skipped, plural(r.Findings, "finding"), r.Expected)
	var rules []string
	for _, rule := range slices.Sorted(maps.Keys(r.Rules)) {
		rules = append(rules, fmt.Sprintf("%s %d", rule, r.Rules[rule]))
	}
	if len(rules) > 0 {
		fmt.Fprintf(to, "by rule: %s\n", strings.Join(rules, ", "))
	}
}

// Print prints a result: a line, and one for each finding. Scenarios without are left out if only failures are wanted, and
// notes unless they are.
func (r *Result) Print(to io.Writer, failures, notes bool) {
	word := "ok"
	switch {
	case r.Failed():
		word = "FAIL"
	case failures:
		return
	case r.Skipped != "":
		word = "skip"
	}
	line := fmt.Sprintf("%-4s  %s", word, r.Name)
	if r.Skipped != "" {
		line += ": " + inside.VisibleLine(r.Skipped)
	}
	if r.At != "" {
		line += "  (" + r.Schema + ", " + r.At + ")"
	}
	fmt.Fprintln(to, line)
	for _, f := range r.Findings {
		if f.Note && !notes || f.Expected != "" && failures {
			continue
		}
		fmt.Fprintf(to, "      %s\n", f.line(r))
	}
}

// line is a finding in a text.
func (f *Finding) line(of *Result) string {
	var b strings.Builder
	switch {
	case f.Expected != "":
		b.WriteString("expected: ")
	case f.Note:
		b.WriteString("note: ")
	}
	b.WriteString(f.Rule + ": ")
	if f.Subject != "" {
		b.WriteString(inside.VisibleLine(f.Subject) + ": ")
	}
	if f.Path != "" {
		b.WriteString(inside.VisibleLine(f.Path) + ": ")
	}
	b.WriteString(inside.VisibleLine(f.Text))
	if f.At != "" && f.At != of.At {
		fmt.Fprintf(&b, "  (%s, %s)", f.Schema, f.At)
	}
	if f.Expected != "" {
		b.WriteString("; " + inside.VisibleLine(f.Expected))
	}
	return b.String()
}

// The elements of a file of JUnit.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   suite    `xml:"testsuite"`
	}
	suite struct {
		Name     string  `xml:"name,attr"`
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Time     string  `xml:"time,attr"`
		Cases    []tcase `xml:"testcase"`
	}
	tcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    string   `xml:"time,attr"`
		Failure *failure `xml:"failure,omitempty"`
		Skipped *skip    `xml:"skipped,omitempty"`
		Output  string   `xml:"system-out,omitempty"`
	}
	failure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	skip struct {
		Message string `xml:"message,attr"`
	}
)

// JUnit writes the report as XML that CI systems read.
func (r *Report) JUnit(to io.Writer) error {
	out := suites{Suite: suite{Name: "ahpgen conform " + r.Protocol + " " + r.Version, Failures: r.Failed, Skipped: r.Skipped}}
	total := 0.0
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		total += s.Took.Seconds()
		group, name := path.Split(s.Name)
		c := tcase{Class: "conform." + strings.ReplaceAll(strings.TrimSuffix(group, "/"), "/", "."), Name: name, Time: seconds(s.Took.Seconds())}
		var lines, others []string
		for _, f := range s.Findings {
			if line := valid(f.line(s)); f.Note || f.Expected != "" {
				others = append(others, line)
			} else {
				if c.Failure == nil {
					c.Failure = &failure{Type: f.Rule, Message: line}
				}
				lines = append(lines, line)
			}
		}
		if c.Failure != nil {
			c.Failure.Text = strings.Join(lines, "\n")
		} else if s.Skipped != "" {
			c.Skipped = &skip{valid(s.Skipped)}
		}
		c.Output = strings.Join(others, "\n")
		out.Suite.Cases = append(out.Suite.Cases, c)
	}
	for _, e := range r.Unmet {
		out.Suite.Failures++
		text := valid(fmt.Sprintf("%s is expected in %s and has not occurred", e.Rule, e.Scenario))
		out.Suite.Cases = append(out.Suite.Cases, tcase{Class: "conform.expected", Name: e.Scenario, Time: "0.000", Failure: &failure{"unmet", text, text}})
	}
	out.Suite.Tests, out.Suite.Time = len(out.Suite.Cases), seconds(total)
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(to)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(to, "\n")
	return err
}

func seconds(n float64) string { return fmt.Sprintf("%.3f", n) }

// valid returns text that XML can have.
func valid(text string) string {
	return strings.Map(func(c rune) rune {
		if c == utf8.RuneError || c < ' ' && c != '\n' && c != '\t' || c == 0xFFFE || c == 0xFFFF {
			return '?'
		}
		return c
	}, text)
}
