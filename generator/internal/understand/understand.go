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
	Found    []diag.Diagnostic // what is wrong, with what was known before
}

// Run reads schemas, which it repairs and parses. The version is the one stated by the user, "" to take it from the schemas.
// There is no protocol after an error, one known before included. Schemas of which files are missing are only parsed.
func Run(set *schema.Set, prof *profile.Profile, version facts.Text, known ...diag.Diagnostic) Result {
	var r run
	r.Add(known...)
	defer r.Mark()
	set.Foreign(prof.Keywords, prof.IgnoreKeywords)
	whole, found := keyword.Protocol(set, prof.Order())
	r.AddNew(found...)
	version.Text = cmp.Or(version.Text, whole.Versions.At.String())
	selected, found := prof.Select(whole.Versions.Order, version, set.Has)
	r.Add(found...)
	entries, used := r.ready(set, selected)
	if set.Partial { // what is missing could be in the files that are
		return Result{Facts: selected.Facts(), Profile: selected, Found: r.Items()}
	}
	out := Result{Facts: r.gather(set, selected, whole), Profile: selected}
	p, matched, found := analyze.Run(set, out.Facts, r.Items())
	r.Add(found...)
	if p != nil {
		r.Add(fit.Unused(out.Facts.All(), matched, set, selected.Version)...)
		r.Add(fit.Unused(entries, used, set, selected.Version)...)
		if !r.HasErrors() {
			out.Protocol = p
		}
	}
	out.Found = r.Items()
	return out
}

// run is a run, with what is wrong so far.
type run struct{ diag.List }

// ready repairs schemas, adds stated keywords, joins and parses the files. It returns the repairs and statements, and
// which of them were used.
func (r *run) ready(set *schema.Set, selected *profile.Selected) ([]facts.Fact, fit.Used) {
	var entries []facts.Fact
	used := fit.Used{}
	for _, e := range selected.Edits() {
		entries = append(entries, e.Origin)
		edits, excepted := e.In(set)
		for _, edit := range edits {
			if set.Apply(edit) > 0 || set.Differs(edit) {
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
	statements := selected.Statements()
	r.Add(state(set, statements, used)...)
	for _, st := range statements {
		entries = append(entries, st)
	}
	r.Add(set.CheckStatements(r.Places())...)
	r.Add(set.Merge(selected.Shared())...)
	r.Add(set.Parse(schema.Options{Profile: selected.Profile.Stated(), Unknown: selected.Profile.Unions.Unknown}, r.Places())...)
	return entries, used
}

// gather merges the facts of the profile, which take precedence, with those of the schemas.
func (r *run) gather(set *schema.Set, selected *profile.Selected, whole *facts.Facts) *facts.Facts {
	stated := selected.Facts()
	omitted := map[*schema.Definition]bool{}
	for _, o := range stated.Omissions {
		for _, def := range o.In(set) {
			omitted[def] = true
		}
	}
	for _, e := range stated.ErrorEnums { // read here, and not as types
		delete(omitted, set.Lookup(e.At))
	}
	out := facts.Merge(stated, whole)
	leftOut := func(def *schema.Definition) bool { return omitted[def] }
	stands, found := keyword.Read(set, out.Sides, leftOut, r.Places())
	r.Add(found...)
	foreign, found := keyword.Foreign(set, out, leftOut)
	r.Add(found...)
	sent, found := keyword.Sent(set, facts.Merge(out, stands))
	r.Add(found...)
	for _, read := range []*facts.Facts{stands, foreign, sent} {
		out = facts.Merge(out, read)
	}
	if whole.Name != "" && out.Package.Text == "" {
		out.Package.Text = gotext.PackageName(out.Name)
	}
	return out
}
