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
		if !known.marks.On(g.set.Has) {
			continue
		}
		p, err := known.read()
		if err != nil {
			return nil, err
		}
		if fitting := p.Fits(g.set.Has, g.set.Mentions); fitting != nil {
			return fitting, nil
		}
	}
	return nil, nil
}

// embeddedProfile is read as a whole only for schemas with its marks: most runs are about other protocols.
type embeddedProfile struct {
	marks profile.Marks
	read  func() (*profile.Profile, error)
}

// embeddedProfiles are all of them.
var embeddedProfiles = sync.OnceValues(func() ([]embeddedProfile, error) {
	var out []embeddedProfile
	for _, name := range schemas.Profiles() {
		data, display, err := schemas.Profile(name)
		if err != nil {
			return nil, err
		}
		marks, err := profile.ReadMarks(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", display, err)
		}
		out = append(out, embeddedProfile{marks, sync.OnceValues(func() (*profile.Profile, error) {
			p := profile.Parse(display, data, &diag.List{})
			if p == nil {
				return nil, fmt.Errorf("%s cannot be used", display) // a defect, which a test rules out
			}
			p.Name = name
			return p, nil
		})})
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
