// Former: the package before a bump, to distinguish earlier findings from new ones, and unchanged stubs from the
// user's work.

package generator

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// former describes the package before a bump.
type former struct {
	set      *schema.Set
	protocol *protocol.Protocol
	pkg      *golang.Package
	stubs    map[string]string // digests of inserted methods
	starts   map[string]bool   // which of these are finished bodies
	finished []string          // methods that were finished
	findings []diag.Diagnostic // earlier findings
	fixes    fixes
}

// formerOf plans the current package. Errors are ignored, since the step may resolve them.
func formerOf(config Config) *former {
	f := &former{}
	g, err := New(config, &diag.List{})
	if err != nil {
		return f // reported for the new version
	}
	plan, r, err := g.plan(nil)
	f.set, f.protocol = r.set, r.protocol
	if err != nil || plan == nil {
		return f // likewise
	}
	f.pkg, f.stubs, f.starts, f.finished, f.findings = plan.pkg, plan.stubs, plan.starts, plan.Finished, plan.Findings
	return f
}

// settleOwn updates the list of the user's own reducers for a bump: it removes entries without effect, and adds
// reducers for actions whose effects are now stated, since a second one would not compile.
func (g *Generator) settleOwn(r reading, d *declarations, options *golang.Options, old *lock.Lock, f *former) error {
	trial := *options
	trial.Own = fitting(r.protocol, options)
	pkg, _ := golang.Build(r.protocol, trial)
	if pkg == nil || pkg.Reducers == nil {
		options.Own = trial.Own
		return nil // errors are reported by the actual build
	}
	plan := g.newPlan(r, &declarations{pkg: pkg, config: d.config}, old, f)
	w := &writers{pkg: pkg, server: serverOf(pkg)}
	if err := plan.knowOwnStubs(w); err != nil {
		return err
	}
	hand, _, err := plan.readHand(pkg, []emit.Output{})
	if hand != nil {
		for _, c := range pkg.Reducers.Channels {
			for _, a := range c.Actions {
				if a.Stated && hand.HasMethod(pkg.Own("Reducer"), a.Method) {
					trial.Own = append(trial.Own, golang.Own{Type: a.Type})
				}
			}
		}
	}
	options.Own = trial.Own
	own := []string{}
	for _, o := range options.Own {
		own = append(own, o.Type)
	}
	if !slices.Equal(own, g.config.Reducers.Own) {
		d.config.Reducers.Own = own
	}
	return err
}

// fitting returns the entries that still have an effect.
func fitting(p *protocol.Protocol, options *golang.Options) []golang.Own {
	var out []golang.Own
	for _, o := range options.Own {
		for _, a := range p.AllActions() {
			if a.Type == o.Type && (a.Stated || options.Finished != nil && options.Finished(a.Type)) {
				out = append(out, o)
				break
			}
		}
	}
	return out
}
