// Inspect: details of actions, methods, channels and types with their Go names.

package generator

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/inspect"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Report is the output of inspect for a protocol. Its JSON form is stable.
type Report = inspect.Report

// Detail is the output of inspect for one entity. Its JSON form is stable; inapplicable members are omitted.
type Detail = inspect.Detail

// DetailLifecycle lists the actions that change the status of a type's values.
type DetailLifecycle = inspect.DetailLifecycle

// DetailTransition is the effect of one action on a status.
type DetailTransition = inspect.DetailTransition

// DetailUse is a place that uses a type.
type DetailUse = inspect.DetailUse

// InspectOptions configures Inspect.
type InspectOptions struct {
	Uses bool // include uses of types
}

// Describe tabulates a protocol.
func Describe(p *protocol.Protocol) *Report { return inspect.Describe(p) }

// Inspect returns all entities with a wire or Go name. If there are none it returns a *UsageError with similar names.
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

// UnknownNameError reports an unknown name with similar ones.
type UnknownNameError struct {
	Name  string
	Alike []string
}

func (e *UnknownNameError) Error() string {
	return fmt.Sprintf("there is no action, type, method or channel %q", e.Name)
}

// Unwrap marks it as a usage error.
func (e *UnknownNameError) Unwrap() error { return &UsageError{Message: e.Error()} }

// Names returns the names known to Inspect, sorted.
func (g *Generator) Names() (_ []string, err error) {
	defer finish(g.diags, &err)
	r, d, err := g.build()
	if err != nil {
		return nil, err
	}
	out := each.Map(inspect.Details(r.protocol, d.pkg), func(detail inspect.Detail) string { return detail.Name })
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
