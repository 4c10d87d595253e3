// What is said beside what was asked for: less with -q, more with -v.

package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ahpgen/ahpgen/generator"
)

// say prints a note or a summary, which -q leaves out.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stdout, format, args...)
	}
}

// tell prints a detail, which only -v asks for.
func (a *app) tell(format string, args ...any) {
	if a.verbose {
		fmt.Fprintf(a.stderr, format, args...)
	}
}

// tellConfig says what is about to be read and where it goes, once for each configuration.
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

// tellFiles lists what was written.
func (a *app) tellFiles(plan *generator.Plan) {
	if line := a.diags.Context(); line != "" {
		a.tell("%s\n", line)
	}
	if a.verbose {
		unchanged := func(f generator.PlannedFile) bool { return f.State == generator.Unchanged }
		printFiles(a.stderr, plan, slices.DeleteFunc(slices.Clone(plan.Files), unchanged))
	}
}
