// Package inspect says what is in a protocol, for people and scripts: as plain tables, and one thing with all that is known
// of it.
package inspect

import (
	"cmp"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Report is what inspect shows. Its JSON form is stable.
type Report struct {
	Name    string         `json:"name"`
	Version string         `json:"version"`
	Actions []ReportAction `json:"actions"`
	Methods []ReportMethod `json:"methods"`
	Unions  []ReportUnion  `json:"unions"`
	Enums   []ReportEnum   `json:"enums"`
	Types   []ReportType   `json:"types"`
	Errors  []ReportError  `json:"errors"`

	HTTP      []ReportHTTP `json:"http,omitempty"`
	Undecided []string     `json:"undecided,omitempty"` // paths of unions that are raw JSON, since nothing tells their alternatives apart

	Sides protocol.Sides `json:"-"`
}

// ReportAction is one action.
type ReportAction struct {
	Action  string `json:"action"`
	Type    string `json:"type"`
	Channel string `json:"channel"`
	Client  bool   `json:"client"`
	Since   string `json:"since"`
}

// ReportMethod is one method.
type ReportMethod struct {
	Method string `json:"method"`
	From   string `json:"from"`
	Kind   string `json:"kind"`
	Params string `json:"params"`
	Result string `json:"result"`
	Since  string `json:"since"`
}

// ReportUnion is one union.
type ReportUnion struct {
	Name     string   `json:"name"`
	By       string   `json:"by"` // a member's name, or path, "shape" or "token"
	Open     bool     `json:"open"`
	Variants []string `json:"variants"`
	Apart    []string `json:"apart,omitempty"` // alternatives that cannot be told apart, which are kept like unknown ones
	Pos      string   `json:"pos"`
}

// ReportEnum is one enum.
type ReportEnum struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // "string", "integer" or "bitset"
	Open   bool     `json:"open"`
	Values []string `json:"values"`
	Pos    string   `json:"pos"`
}

// ReportType is one object type.
type ReportType struct {
	Name     string `json:"name"`
	Members  int    `json:"members"`
	Required int    `json:"required"`
	Pos      string `json:"pos"`
}

// ReportError is one error code.
type ReportError struct {
	Name string `json:"name"`
	Code int64  `json:"code"`
	Data string `json:"data"`
}

func typeName(t protocol.Type) string {
	if t == nil {
		return ""
	}
	return t.Head().Name
}

// Describe tabulates a protocol.
func Describe(p *protocol.Protocol) *Report {
	r := &Report{
		Name: p.Name, Version: p.Version, Sides: p.Sides, Actions: []ReportAction{}, Methods: []ReportMethod{}, Unions: []ReportUnion{},
		Enums: []ReportEnum{}, Types: []ReportType{}, Errors: []ReportError{}, HTTP: reportHTTP(p.HTTP), Undecided: p.Undecided,
	}
	for _, a := range p.AllActions() {
		row := ReportAction{Action: a.Type, Type: a.Struct.Name, Client: a.Client, Since: a.Since}
		if a.Channel != nil {
			row.Channel = a.Channel.Name
		}
		r.Actions = append(r.Actions, row)
	}
	for _, m := range p.Methods {
		r.Methods = append(r.Methods, ReportMethod{m.Name, p.Sides.Name(m.From), m.Kind(), typeName(m.Params), typeName(m.Result), m.Since})
	}
	for _, t := range p.Types {
		switch t := t.(type) {
		case *protocol.Union:
			r.Unions = append(r.Unions, reportUnion(t))
		case *protocol.Enum:
			r.Enums = append(r.Enums, reportEnum(t))
		case *protocol.Struct:
			row := ReportType{Name: t.Name, Members: len(t.Fields), Pos: t.Pos.String()}
			for _, f := range t.Fields {
				if f.Required {
					row.Required++
				}
			}
			r.Types = append(r.Types, row)
		}
	}
	for _, e := range p.Errors {
		r.Errors = append(r.Errors, ReportError{e.Name, e.Code, typeName(e.Data)})
	}
	return r
}

func reportUnion(u *protocol.Union) ReportUnion {
	row := ReportUnion{Name: u.Name, By: "token", Open: u.Open, Variants: []string{}, Apart: u.Apart, Pos: u.Pos.String()}
	switch u.Kind {
	case protocol.Tagged:
		row.By = strings.Join(members(u.Dispatch), ", ")
		if general := u.Dispatch.General(); general != nil {
			row.By += ", else " + general.Name
		}
	case protocol.Shaped:
		row.By = cmp.Or(u.Dispatch.Inside(), "shape")
	}
	if u.Kind == protocol.Token {
		for _, v := range u.Variants {
			row.Variants = append(row.Variants, v.Name)
		}
	} else {
		for _, s := range u.Leaves() {
			row.Variants = append(row.Variants, s.Name)
		}
	}
	return row
}

// members lists the discriminators of a decision, the first one first, each once.
func members(d *protocol.Dispatch) []string {
	out := []string{d.Member}
	for _, c := range d.Cases {
		if c.Next == nil {
			continue
		}
		for _, m := range members(c.Next) {
			out = each.With(out, m)
		}
	}
	return out
}

func reportEnum(e *protocol.Enum) ReportEnum {
	row := ReportEnum{Name: e.Name, Kind: e.Kind.String(), Open: e.Open, Values: []string{}, Pos: e.Pos.String()}
	if e.Bitset {
		row.Kind = "bitset"
	}
	for _, m := range e.Members {
		row.Values = append(row.Values, m.Value.String())
	}
	return row
}
