// Findings: problems that only the user can resolve.

package userfile

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Kind is the kind of a finding.
type Kind string

// The kinds of findings, which are also the codes of their diagnostics.
const (
	WrongSignature Kind = "wrong-signature"  // a method whose signature differs from the wanted one
	Retired        Kind = "retired-method"   // a method that is no longer wanted
	Unfinished     Kind = "unfinished-stub"  // a method whose body is still the inserted one
	TestOnly       Kind = "test-only-method" // a wanted method that is declared in tests only
	CannotExtend   Kind = "cannot-extend"    // no file can take the stub
	Misspelt       Kind = "misspelt-method"  // a method that is wanted under almost the same name
	Twice          Kind = "declared-twice"   // a method that is also declared in a generated file
)

// Finding is a problem that only the user can resolve.
type Finding struct {
	Kind     Kind
	Pos      diag.Pos
	Receiver string
	Method   string
	Message  string
	Hint     string
}

// Diagnostic returns the finding as a diagnostic. It is a warning if the package still compiles.
func (f Finding) Diagnostic() diag.Diagnostic {
	severity := diag.Error
	if f.Kind == Retired || f.Kind == Unfinished {
		severity = diag.Warning
	}
	return diag.Diagnostic{Pos: f.Pos, Severity: severity, Code: string(f.Kind), Message: f.Message, Hint: f.Hint}
}

// Findings is a list of findings, sorted by position.
type Findings []Finding

func (pl *planner) find(m *method, kind Kind, at ast.Node, message, hint string) {
	pl.findings = append(pl.findings, Finding{kind, pl.position(m.file, at.Pos()), m.key.base, m.key.name, message, hint})
}

func (pl *planner) wrongSignature(m *method, w *wanted) {
	have, want := signatureText(m.decl.Type), strings.Join(strings.Fields(w.Signature), " ")
	hint := fmt.Sprintf("make it func (%s) %s%s", w.Receiver, w.Name, want)
	if len(w.Imports) > 0 {
		clauses := each.Map(slices.Sorted(maps.Keys(w.Imports)), func(name string) string { return importClause(name, w.Imports[name]) })
		hint += "\nwith import " + strings.Join(clauses, ", ")
	}
	pl.find(m, WrongSignature, m.decl.Name, fmt.Sprintf("wrong signature of %s: have %s, want %s", w, have, want), hint)
}

// findTwice reports the user's methods that are also declared in a generated file.
func (pl *planner) findTwice() {
	advice := pl.options.Twice
	if advice == nil {
		advice = func(string) string { return "" }
	}
	for _, m := range pl.all {
		if m.file.role == owned && pl.isGenerated(m.key) {
			pl.find(m, Twice, m.decl.Name, fmt.Sprintf("%s.%s is generated too", m.key.base, m.key.name), advice(m.key.base))
		}
	}
}

func (pl *planner) isGenerated(key methodKey) bool {
	return slices.ContainsFunc(pl.methods[key], func(m *method) bool { return m.file.role == generated })
}

// findRetired reports the user's methods that are no longer wanted.
func (pl *planner) findRetired() {
	if pl.options.Retired == nil {
		return
	}
	for _, m := range pl.all {
		if m.file.role == owned && pl.wanted[m.key] == nil && !pl.misspelt[m] && !pl.isGenerated(m.key) && pl.options.Retired(m.key.base, m.key.name, signatureText(m.decl.Type)) {
			pl.find(m, Retired, m.decl.Name, fmt.Sprintf("%s.%s is no longer wanted", m.key.base, m.key.name),
				"nothing calls it any more: remove it, or rename it if you use it yourself")
		}
	}
}

// findUnfinished reports methods whose body is still the inserted one.
func (pl *planner) findUnfinished(m *method) {
	if m.decl.Body == nil || m.file.role == generated || pl.options.UnfinishedComment == "" {
		return
	}
	for _, group := range m.file.syntax.Comments {
		for _, comment := range group.List {
			text := strings.TrimSpace(strings.TrimLeft(comment.Text, "/*"))
			if m.decl.Body.Pos() < comment.Pos() && comment.Pos() < m.decl.Body.End() &&
				strings.HasPrefix(text, pl.options.UnfinishedComment) {
				pl.find(m, Unfinished, comment, fmt.Sprintf("%s.%s is unfinished", m.key.base, m.key.name), "write its body")
				return
			}
		}
	}
}
