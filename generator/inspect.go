// Inspect: all that is known of one action, method, channel or type, with what it is called in Go.

package generator

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/inspect"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Report is what inspect shows of a protocol. Its JSON form is stable.
type Report = inspect.Report

// Detail is what inspect shows of one thing. Its JSON form is stable; what a kind of thing does not have is
// left out.
type Detail = inspect.Detail

// DetailLifecycle is which actions lead the values of a type from status to status.
type DetailLifecycle = inspect.DetailLifecycle

// DetailTransition is what one action does to the status of a value.
type DetailTransition = inspect.DetailTransition

// DetailUse is one place that needs a type.
type DetailUse = inspect.DetailUse

// InspectOptions says what else Inspect is to find out.
type InspectOptions struct {
	Uses bool // what needs a type
}

// Describe tabulates a protocol.
func Describe(p *protocol.Protocol) *Report { return inspect.Describe(p) }

// Inspect returns everything that has a name, on the wire or in Go. It fails with a *UsageError if there is
// nothing of that name, which says what is called alike.
func (g *Generator) Inspect(name string, o InspectOptions) (_ []Detail, err error) {
	defer finish(g.diags, &err)
	r, d, err := g.build()
	if err != nil {
		return nil, err
	}
	out, like := inspect.Find(name, r.protocol, d.pkg)
	if len(out) == 0 {
		return nil, &UnknownNameError{name, like}
	}
	if o.Uses {
		inspect.WithUses(out, r.protocol)
	}
	return out, nil
}

// UnknownNameError says that nothing has a name, and which names are like it.
type UnknownNameError struct {
	Name  string
	Alike []string
}

func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("there is no action, type, method or channel %q", e.Name)
}

// Unwrap makes it a mistake in how ahpgen was called.
func (e *UnknownNameError) Unwrap() error { return &UsageError{Message: e.Error()} }

// Names lists the names that Inspect knows, sorted.
func (g *Generator) Names() (_ []string, err error) {
	defer finish(g.diags, &err)
	r, d, err := g.build()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, detail := range inspect.Details(r.protocol, d.pkg) {
		out = append(out, detail.Name)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// build analyses the schemas and decides on the Go declarations, with the names that the lock keeps. What it returns together
// with an error is what it got to.
func (g *Generator) build() (reading, *declarations, error) {
	r, err := g.read()
	if err != nil {
		return r, nil, err
	}
	old, _, err := g.readLock()
	if err != nil {
		return r, nil, err
	}
	d, err := g.declare(r, old, nil)
	return r, d, err
}
