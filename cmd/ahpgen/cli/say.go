// Messages beside the result: fewer with -q, more with -v.

package cli

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/ahpgen/ahpgen/generator"
)

// say prints a note or summary unless -q is given.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stdout, format, args...)
	}
}

// tell prints a detail if -v is given.
func (a *app) tell(format string, args ...any) {
	if a.verbose {
		fmt.Fprintf(a.stderr, format, args...)
	}
}

// tellConfig prints inputs and outputs of a configuration, once for each.
func (a *app) tellConfig(c generator.Config) {
	what := [...]string{filepath.ToSlash(c.Schemas), filepath.ToSlash(c.Profile), c.ProtocolVersion, filepath.ToSlash(c.Out)}
	if a.told == what {
		return
	}
	a.told = what
	a.tell("schemas: %s\n", cmp.Or(what[0], generator.DefaultSchemas()))
	a.tell("profile: %s\n", cmp.Or(what[1], "none"))
	a.tell("version: %s\n", cmp.Or(what[2], "as recognised"))
	if what[3] != "" {
		a.tell("package: in %s\n", what[3])
	}
}

// tellFiles lists the written files.
func (a *app) tellFiles(plan *generator.Plan) {
	if line := a.diags.Context(); line != "" {
		a.tell("%s\n", line)
	}
	if a.verbose {
		printFiles(a.stderr, plan, pending(plan.Files))
	}
}
