// Package phase holds what the phases of an analysis have in common: what they are given, what is known to be wrong before
// they begin, and what they report themselves.
package phase

import (
	"maps"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Given is what an analysis starts from. No phase changes it.
type Given struct {
	Set   *schema.Set
	Facts *facts.Facts
	Rules *Rules
	Omit  map[*schema.Definition]bool // definitions that become no types
	Shaky bool                        // a schema was malformed, so nothing is compared with it
}

// Broken is what is known to be wrong. A phase passes over it instead of reporting it in other words.
type Broken struct {
	places diag.Places
	Errors bool // something is an error
	Unread bool // some schemas could not be read as what they are

	Repeated int // see Work.Repeat
}

// With is b together with what a phase found.
func (b Broken) With(n Notes) Broken {
	out := b
	out.places, out.Repeated = maps.Clone(b.places), max(b.Repeated, n.Repeated)
	if out.places == nil {
		out.places = diag.Places{}
	}
	for _, d := range n.Found {
		out.places.Note(d)
		out.Errors = out.Errors || d.Severity == diag.Error
		out.Unread = out.Unread || d.Unread
	}
	return out
}

// Notes are what a phase returns beside its value.
type Notes struct {
	Found    []diag.Diagnostic
	Used     fit.Used // facts that matched something
	Repeated int      // see Repeat

	Undecided []string // unions that the facts make raw JSON, since their alternatives cannot be told apart
}

// Work is what a phase has at hand while it works.
type Work struct {
	Given
	diag.List
	Used     fit.Used
	Repeated int // see Repeat
	known    Broken

	undecided []string
	toBeRaw   map[string]bool // the same
}

// Begin returns what a phase begins with.
func Begin(given Given, known Broken) *Work {
	return &Work{Given: given, Used: fit.Used{}, Repeated: known.Repeated, known: known}
}

// Notes returns what the phase has found out so far.
func (w *Work) Notes() Notes { return Notes{w.Items(), w.Used, w.Repeated, w.undecided} }

// Undecided reports a union whose alternatives cannot be told apart, unless such unions are raw JSON. One that was to be raw
// from the beginning and still is a union has no place of its own that could hold raw JSON, such as a choice beside members.
func (w *Work) Undecided(union string, pos diag.Pos, code, hint, format string, args ...any) {
	raw, _ := w.Rules.Raw.At(union)
	switch {
	case !w.Facts.UndecidedRaw:
		hint += w.Hint(`; "undecided": "raw" under unions in the profile keeps all such as raw JSON`, "")
	case len(raw) == 0:
		w.undecided = append(w.undecided, union)
		if w.toBeRaw == nil {
			w.toBeRaw = map[string]bool{}
		}
		w.toBeRaw[union] = true
		return
	}
	w.Errorf(pos, code, hint, format, args...)
}

// ToBeRaw reports whether a union will be raw JSON because of what this phase has found out.
func (w *Work) ToBeRaw(union string) bool { return w.toBeRaw[union] }

// Known returns what is known to be wrong by now.
func (w *Work) Known() Broken { return w.known.With(w.Notes()) }

// At reports whether something is known to be wrong at a place.
func (w *Work) At(pos diag.Pos) bool { return w.known.places[pos] || w.List.At(pos) }

// HasErrors reports whether any error is known.
func (w *Work) HasErrors() bool { return w.known.Errors || w.List.HasErrors() }

// Said reports whether something is wrong with the keywords of a schema.
func (w *Work) Said(s *schema.Schema) bool {
	return slices.ContainsFunc(s.Node.Members, func(m schema.Member) bool { return w.At(m.KeyPos) || w.At(m.Value.Pos) })
}

// Reported reports whether something is wrong with a node, or with anything inside it.
func (w *Work) Reported(n *schema.Node) bool {
	return w.At(n.Pos) || slices.ContainsFunc(n.Items, w.Reported) ||
		slices.ContainsFunc(n.Members, func(m schema.Member) bool { return w.At(m.KeyPos) || w.Reported(m.Value) })
}

// Say puts a text about clients and hosts in the words of the protocol.
func (w *Work) Say(text string) string { return SidesOf(w.Facts.Sides).In(text) }

// SidesOf returns the sides as the protocol calls them.
func SidesOf(s facts.Sides) protocol.Sides {
	opens, serves := s.Names()
	return protocol.Sides{Client: opens, Host: serves}
}

// Hint chooses by whether there is a profile to add to.
func (w *Work) Hint(profile, without string) string {
	if w.Facts.Profile != "" {
		return profile
	}
	return without
}
