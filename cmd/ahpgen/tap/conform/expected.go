// Expected: findings that are known, with reasons, in a file.

package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Expected is a finding, or several of a rule, that are expected. The other members are patterns, in which * is any text; those
// that are absent fit everything.
type Expected struct {
	Scenario string `json:"scenario"`
	Rule     string `json:"rule"`
	Subject  string `json:"subject,omitempty"`
	Path     string `json:"path,omitempty"`
	Why      string `json:"why"`
	met      bool
	played   bool
}

// expectations is the file.
type expectations struct {
	Expected []*Expected `json:"expected"`
}

// ReadExpected reads a file of expected findings. A file that is not there has none.
func ReadExpected(name string) ([]*Expected, error) {
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file expectations
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, 1+bytes.Count(data[:min(int(d.InputOffset()), len(data))], []byte("\n")), err)
	}
	for i, e := range file.Expected {
		if e.Scenario == "" || e.Rule == "" || e.Why == "" {
			return nil, fmt.Errorf("%s: entry %d needs a scenario, a rule and why", name, i+1)
		}
	}
	return file.Expected, nil
}

// WriteExpected writes a file of expected findings.
func WriteExpected(name string, list []*Expected) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(expectations{list}); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

func (e *Expected) fits(r *Result, f *Finding) bool {
	is := func(pattern, text string) bool { return pattern == "" || pattern == text || Matches(pattern, text) }
	return is(e.Scenario, r.Name) && is(e.Rule, f.Rule) && is(e.Subject, f.Subject) && is(e.Path, f.Path)
}

// Expect marks the findings of a result that are expected.
func Expect(list []*Expected, r *Result) {
	for _, e := range list {
		e.played = e.played || Matches(e.Scenario, r.Name) && r.Skipped == ""
		for i := range r.Findings {
			f := &r.Findings[i]
			if !f.Note && e.fits(r, f) {
				f.Expected, e.met = e.Why, true
			}
		}
	}
}

// Unmet returns expected findings that have not occurred, of scenarios that were played.
func Unmet(list []*Expected) []*Expected {
	return slices.DeleteFunc(slices.Clone(list), func(e *Expected) bool { return e.met || !e.played })
}

// Accept returns the list with what has occurred alone: without entries that are unmet, and with one for each finding that
// is not expected yet.
func Accept(list []*Expected, results []Result, why string) []*Expected {
	out := slices.DeleteFunc(slices.Clone(list), func(e *Expected) bool { return !e.met && e.played })
	for _, r := range results {
		for _, f := range r.Findings {
			if !f.Note && f.Expected == "" {
				out = append(out, &Expected{Scenario: r.Name, Rule: f.Rule, Subject: f.Subject, Path: f.Path, Why: why})
			}
		}
	}
	return out
}
