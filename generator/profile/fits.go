// Fits: whether schemas are those that a profile is for.

package profile

import "github.com/ahpgen/ahpgen/generator/diag"

// Fits reports whether schemas look like those that the profile is for: they bear the marks of one of its
// versions, which becomes the version at hand, and have most of the definitions that it names for that
// version. Marks alone would not do: other people give their types the same names.
func (p *Profile) Fits(has func(definition string) bool) bool {
	p.Select("", has, &diag.List{})
	if p.marks == nil {
		return false
	}
	named := map[string]bool{}
	for _, m := range p.Methods {
		if p.Applies(m) {
			named[m.Params], named[m.Result] = true, true
		}
	}
	for _, c := range p.Channels {
		if p.Applies(c) {
			named[c.State] = true
		}
	}
	named[p.Actions.Union] = true
	delete(named, "")
	there := 0
	for name := range named {
		if has(name) {
			there++
		}
	}
	return there > 0 && 4*there >= 3*len(named)
}
