// Package understand turns schemas and a profile into the protocol they describe: it determines the version, repairs
// and resolves the schemas, collects facts, analyses them, and reports unused facts.
package understand

import (
	"cmp"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/keyword"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Result is the outcome of Run.
type Result struct {
	Protocol *protocol.Protocol // nil on error
	Facts    *facts.Facts
	Profile  *profile.Selected
}

// Run reads schemas, which it repairs and parses. The version is the one stated by the user, "" to take it from the schemas.
// There is no protocol if diags holds errors.
func Run(set *schema.Set, prof *profile.Profile, version facts.Text, diags *diag.List) Result {
	set.Foreign(prof.Keywords, prof.IgnoreKeywords)
	whole := keyword.Protocol(set, prof.Order(), diags)
	version.Text = cmp.Or(version.Text, whole.Versions.At.String())
	selected := prof.Select(whole.Versions.Order, version, set.Has, diags)
	entries, used := ready(set, selected, diags)
	out := Result{Facts: gather(set, selected, whole, diags), Profile: selected}
	p, matched, found := analyze.Run(set, out.Facts, diags.Items())
	diags.Add(found...)
	if p == nil {
		return out
	}
	diags.Add(fit.Unused(out.Facts.All(), matched, set, selected.Version)...)
	diags.Add(fit.Unused(entries, used, set, selected.Version)...)
	if !diags.HasErrors() {
		out.Protocol = p
	}
	return out
}

// ready repairs schemas, adds stated keywords, joins and parses the files. It returns the repairs and statements, and
// which of them were used.
func ready(set *schema.Set, selected *profile.Selected, diags *diag.List) ([]facts.Fact, fit.Used) {
	var entries []facts.Fact
	used := fit.Used{}
	for _, e := range selected.Edits() {
		entries = append(entries, e.Origin)
		definitions, excepted := e.In(set)
		for _, name := range definitions {
			e.Definition = name
			if set.Apply(e.Edit) > 0 {
				used.Add(e.Origin)
			}
		}
		for _, x := range excepted {
			used.Add(x)
		}
		for i := range e.Except {
			if used[e.Origin] { // without the repair, that is the error
				entries = append(entries, &e.Except[i])
			}
		}
	}
	for _, st := range selected.Statements() {
		entries = append(entries, st)
		if set.State(st.At, st.Keywords) {
			used.Add(st)
		}
	}
	set.CheckStatements(diags)
	set.Merge(selected.Shared(), diags)
	set.Parse(schema.Options{Profile: selected.Profile.Stated(), Unknown: selected.Profile.Unions.Unknown}, diags)
	return entries, used
}

// gather merges the facts of the profile, which take precedence, with those of the schemas.
func gather(set *schema.Set, selected *profile.Selected, whole *facts.Facts, diags *diag.List) *facts.Facts {
	stated := selected.Facts()
	omitted := map[*schema.Definition]bool{}
	for _, o := range stated.Omissions {
		omitted[set.Lookup(o.Definition)] = true
	}
	for _, e := range stated.ErrorEnums { // read here, and not as types
		delete(omitted, set.Lookup(e.At))
	}
	out := facts.Merge(stated, whole)
	leftOut := func(def *schema.Definition) bool { return omitted[def] }
	for _, read := range []*facts.Facts{keyword.Read(set, out.Sides, leftOut, diags), keyword.Foreign(set, out, leftOut, diags), keyword.Sent(set, out, diags)} {
		out = facts.Merge(out, read)
	}
	if whole.Name != "" && out.Package.Text == "" {
		out.Package.Text = gotext.PackageName(out.Name)
	}
	return out
}
