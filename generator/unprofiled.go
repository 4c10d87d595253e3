// Unprofiled: schemas that lack a profile which ahpgen has.

package generator

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/schemas"
)

// fittingProfile is the embedded profile that the schemas are those of, nil for none. Schemas that state
// their facts themselves need none.
func (g *Generator) fittingProfile() (*profile.Selected, error) {
	if g.config.Profile != "" || g.set.Protocol() != "" {
		return nil, nil
	}
	all, err := embeddedProfiles()
	if err != nil {
		return nil, err
	}
	for _, known := range all {
		if fitting := known.Fits(g.set.Has, g.set.Mentions); fitting != nil {
			return fitting, nil
		}
	}
	return nil, nil
}

// embeddedProfiles reads every embedded profile once.
var embeddedProfiles = sync.OnceValues(func() ([]*profile.Profile, error) {
	var out []*profile.Profile
	for _, name := range schemas.Profiles() {
		data, display, err := schemas.Profile(name)
		if err != nil {
			return nil, err
		}
		p := profile.Parse(display, data, &diag.List{})
		if p == nil {
			return nil, fmt.Errorf("%s cannot be used", display) // a defect, which a test rules out
		}
		p.Name = name
		out = append(out, p)
	}
	return out, nil
})

// reportUnprofiled says that the profile is missing, instead of everything that goes wrong without it.
func (g *Generator) reportUnprofiled(fitting *profile.Selected) {
	g.unprofiled = true
	p := fitting.Profile
	pos := diag.Pos{File: g.display}
	hint := "add --profile " + p.Name
	if g.config.dir != "" {
		pos.File = filepath.ToSlash(filepath.Join(g.config.dir, ConfigName))
		hint = fmt.Sprintf("add this line to %s: \"profile\": %q,", pos.File, p.Name)
	}
	g.diags.Errorf(pos, "no-profile", hint, "these are the schemas of %s, which mean what they should only with its profile",
		strings.TrimSpace(p.Title+" "+fitting.Version.String()))
}
