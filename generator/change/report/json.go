// JSON: the report for scripts.

package report

import (
	"fmt"
	"io"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/accept"
	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// The JSON form is described by schemas/diff.schema.json.
type (
	jsonDiff struct {
		Protocol string       `json:"protocol"`
		Sides    *jsonSides   `json:"sides,omitempty"`
		Old      Version      `json:"old"`
		New      Version      `json:"new"`
		As       string       `json:"as"`
		Changes  []jsonChange `json:"changes"`
		Summary  jsonSummary  `json:"summary"`
		Left     *jsonLeft    `json:"left,omitempty"`
	}
	jsonSides struct {
		Client string `json:"client"`
		Host   string `json:"host"`
	}
	jsonChange struct {
		accept.Fingerprint
		Cause    string    `json:"cause"`
		Category string    `json:"category"`
		OnWire   bool      `json:"onWire"`
		From     string    `json:"from"`
		To       string    `json:"to"`
		OldPos   *diag.Pos `json:"oldPosition,omitempty"`
		NewPos   *diag.Pos `json:"newPosition,omitempty"`
		Advice   bool      `json:"advice"`
		Hinders  bool      `json:"hinders"`
		Unstable string    `json:"unstable,omitempty"`
		Same     int       `json:"same,omitempty"`

		Proof *behave.Counterexample `json:"proof,omitempty"`

		Client  jsonVerdict     `json:"client"`
		Host    jsonVerdict     `json:"host"`
		Disk    verdict.Verdict `json:"disk"`
		Effects []jsonEffect    `json:"effects"`
		Go      jsonGo          `json:"go"`
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
		Effect  verdict.GoEffect `json:"effect"`
		Else    verdict.GoEffect `json:"else"`
		Unequal string           `json:"unequal,omitempty"`
		Todo    string           `json:"todo"`
		Names   []string         `json:"names"`
	}
	jsonSummary struct {
		Breaks     int    `json:"breaks"`
		Tolerated  int    `json:"tolerated"`
		Fine       int    `json:"fine"`
		OffWire    int    `json:"offWire"`
		GoBreaks   int    `json:"goBreaks"`
		GoAdditive int    `json:"goAdditive"`
		Accepted   int    `json:"accepted"`
		Causes     Causes `json:"causes"`
		Text       string `json:"text"`
	}
	jsonLeft struct {
		Changes   []jsonTask `json:"changes"`
		Looks     []jsonTask `json:"looks"`
		Stubs     []jsonTask `json:"stubs"`
		Skips     []jsonTask `json:"skips"`
		Before    []jsonTask `json:"before"`
		Unchecked string     `json:"unchecked"`
		Settings  []string   `json:"settings"`
	}
	jsonTask struct {
		Pos     diag.Pos `json:"position"`
		Code    string   `json:"code"`
		Message string   `json:"message"`
	}
)

func (d *Diff) json(w io.Writer, as protocol.Side) error {
	out := jsonDiff{
		Protocol: d.Protocol, Old: d.Old, New: d.New, As: string(as), Changes: []jsonChange{}, Summary: d.jsonSummary(as),
	}
	opens, serves := d.Sides.Name(protocol.FromClient), d.Sides.Name(protocol.FromHost)
	if opens != string(protocol.FromClient) || serves != string(protocol.FromHost) {
		out.Sides = &jsonSides{opens, serves}
	}
	if l := d.Left; l != nil {
		out.Left = &jsonLeft{tasks(l.Changes), tasks(l.Looks), tasks(l.Stubs), tasks(l.Skips), tasks(l.Before), l.Unchecked, append([]string{}, l.Settings...)}
	}
	leads := map[accept.Fingerprint]string{}
	for _, c := range causes(d.Findings) {
		for _, f := range c.all() {
			leads[accept.Of(f.Change)] = fmt.Sprintf("%s: %s", c.Change.Rule, c.Subject)
		}
	}
	for _, f := range d.Findings {
		c := toJSON(f)
		c.Cause = leads[c.Fingerprint]
		out.Changes = append(out.Changes, c)
	}
	if err := jsontext.Write(w, out); err != nil {
		return fmt.Errorf("print the comparison: %w", err)
	}
	return nil
}

// jsonSummary counts the changes by verdict.
func (d *Diff) jsonSummary(as protocol.Side) jsonSummary {
	s := jsonSummary{Accepted: d.Accepted, Causes: d.Causes(as), Text: d.Summary(as)}
	for _, f := range d.Findings {
		switch {
		case !f.Rule.OnWire():
			s.OffWire++
		case f.Side(as) == verdict.Breaks:
			s.Breaks++
		case f.Side(as) == verdict.Tolerated:
			s.Tolerated++
		default:
			s.Fine++
		}
		switch f.Go {
		case verdict.GoBreak:
			s.GoBreaks++
		case verdict.GoAdditive:
			s.GoAdditive++
		}
	}
	return s
}

func tasks(list []diag.Diagnostic) []jsonTask {
	out := []jsonTask{}
	for _, item := range list {
		out = append(out, jsonTask{item.Pos, item.Code, item.Message})
	}
	return out
}

func toJSON(f verdict.Finding) jsonChange {
	c := jsonChange{
		Fingerprint: accept.Of(f.Change), Category: f.Rule.Category, OnWire: f.Rule.OnWire(), From: f.From, To: f.To, Advice: f.Rule.Advice, Hinders: f.Hinders(), Unstable: f.Unstable, Same: f.Same, Proof: f.Proof,
		Client: jsonVerdict{f.Client, f.Why(protocol.FromClient)}, Host: jsonVerdict{f.Host, f.Why(protocol.FromHost)}, Disk: f.Disk,
		Effects: []jsonEffect{}, Go: jsonGo{f.Go, f.Else, f.Unequal, joinClauses(f.Todo, unequal(f)), append([]string{}, f.GoNames...)},
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
	return c
}
