// Unprofiled: schemas used without the profile that ahpgen has for them.

package generator

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
)

// fittingProfile returns the embedded profile for the schemas, or nil. Schemas that state their facts need none.
func (g *Generator) fittingProfile(set *schema.Set) (*profile.Selected, error) {
	if g.config.Profile != "" || set.Protocol() != "" {
		return nil, nil
	}
	return source.Fitting(set.Has, set.Mentions)
}

// reportUnprofiled reports the missing profile in place of its consequences.
func (g *Generator) reportUnprofiled(fitting *profile.Selected, display string) {
	p := fitting.Profile
	pos := diag.Pos{File: display}
	hint := "add --profile " + p.Name
	if g.config.dir != "" {
		pos.File = filepath.ToSlash(filepath.Join(g.config.dir, ConfigName))
		hint = fmt.Sprintf("add this line to %s: \"profile\": %q,", pos.File, p.Name)
	}
	g.diags.Errorf(pos, "no-profile", hint, "these are the schemas of %s, which mean what they should only with its profile",
		strings.TrimSpace(p.Title+" "+fitting.Version.String()))
}
