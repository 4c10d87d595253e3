// Former: what a package was like before a bump. It tells what the user found from what the step brings,
// and stubs that nobody touched from the user's work.

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

// former is the package before a bump, as far as there could be one.
type former struct {
	set      *schema.Set
	pkg      *golang.Package
	stubs    map[string]string // digests of what is inserted for the user, by method
	starts   map[string]bool   // which of these are bodies of finished reducers
	findings []diag.Diagnostic // what was open
}

// formerOf plans the package of the configuration as it is. What is wrong with it is no matter here:
// the step may well be what mends it.
func formerOf(config Config) *former {
	f := &former{}
	g, err := New(config, &diag.List{})
	if err != nil {
		return f // the same is found on the way to the new one
	}
	plan, r, err := g.plan(nil)
	f.set = r.set
	if err != nil || plan == nil {
		return f // likewise
	}
	f.pkg, f.stubs, f.starts, f.findings = plan.pkg, plan.stubs, plan.starts, plan.Findings
	return f
}

// settleOwn brings the list of reducers that the user takes over up to date for a bump: entries that
// would take over nothing go, and reducers that the user wrote for actions whose effects are stated by now
// are put in, since a second one would not compile.
func (g *Generator) settleOwn(r reading, d *declarations, options *golang.Options, old *lock.Lock, f *former) error {
	trial := *options
	trial.Own = fitting(r.protocol, options)
	pkg, _ := golang.Build(r.protocol, trial)
	if pkg == nil || pkg.Reducers == nil {
		options.Own = trial.Own
		return nil // what is wrong is said when it is built in earnest
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
		d.config.Reducers.Own, d.config.Reducers.at = own, nil
	}
	return err
}

// fitting are the entries that still take over something.
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
