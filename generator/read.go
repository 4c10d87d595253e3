// Read: the schemas of a configuration, and what they mean.

package generator

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// reading is what was read for a configuration, as far as it got.
type reading struct {
	texts    []profile.Text // the profile and those that it extends, nil for none
	set      *schema.Set    // nil if a file could not be read
	parsed   bool           // every file could be read, and references were followed
	profile  *profile.Profile
	facts    *facts.Facts       // what the schemas leave out
	protocol *protocol.Protocol // nil if something is wrong with the schemas

	against    []*protocol.Protocol // older versions that a bump compares with, beside the former one
	refused    []string             // older versions that the profile lists, and that comparisons are against
	unprofiled bool                 // the schemas lack a profile that there is
}

// Analyze reads the schemas and returns the protocol. It returns ErrFindings if there are errors in diags, and
// another error if something could not be read.
func (g *Generator) Analyze() (_ *protocol.Protocol, err error) {
	defer finish(g.diags, &err)
	r, err := g.read()
	if err != nil {
		return nil, err
	}
	return r.protocol, nil
}

// AnalyzeReducers is Analyze for a protocol whose finished reducers can be applied: the actions that have one have an Apply.
func (g *Generator) AnalyzeReducers() (_ *protocol.Protocol, err error) {
	defer finish(g.diags, &err)
	r, d, err := g.build()
	if err != nil {
		return nil, err
	}
	noteFinished(r.protocol, d.finished)
	return r.protocol, nil
}

// read reads and analyses the schemas. What it returns together with an error is what it got to.
func (g *Generator) read() (r reading, err error) {
	g.diags.Stage("reading")
	stated, err := source.Profile(g.config.Profile)
	g.diags.Add(stated.Found...)
	if r.profile, r.texts = stated.Profile, stated.Texts; err != nil {
		return r, err
	}
	if g.config.Profile != "" && !source.IsPath(g.config.Profile) && IsEmbedded(g.config.Schemas) {
		return r, g.needlessProfile()
	}
	folder, err := source.Open(g.config.Schemas)
	if err != nil {
		return r, err
	}
	defer folder.Close()
	set, found, err := folder.Load(r.profile.Files)
	g.diags.Add(found...)
	if r.set = set; err != nil {
		return r, err
	}
	if r.profile == nil || len(r.set.Docs) == 0 {
		return r, ErrFindings
	}
	r.set.Other, r.profile.Other = g.config.lenient && !g.config.generated, g.config.lenient
	r.set.Foreign(r.profile.Keywords, r.profile.IgnoreKeywords)
	fitting, err := g.fittingWhole(r.set)
	if err != nil {
		return r, err
	}
	known := g.diags.Items()
	if fitting != nil { // a profile is optional if there are no errors without it
		known = nil
	}
	known = slices.Concat(known, g.checkVocabulary(r.set, known))
	if r.set.Protocol() != "" && r.set.Protocol() == r.profile.Name && !IsEmbedded(g.config.Schemas) {
		r.profile = profile.Empty() // these schemas state their facts themselves
	}
	r.parsed = !r.set.Partial
	g.diags.Stage("analysing")
	u := understand.Run(r.set, r.profile, g.statedVersion(), known...)
	r.facts, r.protocol = u.Facts, u.Protocol
	if r.unprofiled = fitting != nil && u.Protocol == nil; r.unprofiled {
		g.reportUnprofiled(fitting, folder.Name)
		return r, ErrFindings
	}
	g.diags.Add(newer(u.Found)...)
	if fitting == nil {
		g.diags.SetContext(u.Profile.TakenFor(g.config.stating()))
	}
	if asked := g.tell(r, u.Profile); len(asked) > 0 {
		g.diags.Add(asked...)
		r.protocol = nil
	}
	if r.protocol = g.unlessEmpty(r); r.protocol == nil {
		return r, ErrFindings
	}
	err = g.settleAlone(&r)
	return r, err
}

// newer gives the errors that an embedded profile makes the remedy that its users have, who cannot correct it.
func newer(found []diag.Diagnostic) []diag.Diagnostic {
	return each.Map(found, func(d diag.Diagnostic) diag.Diagnostic {
		if d.Severity == diag.Error && strings.HasPrefix(d.Pos.File, "embedded:") && path.Base(d.Pos.File) == "profile.json" {
			d.Hint = "the schemas may be newer or older than ahpgen's profile; a profile file of your own that extends it can say otherwise"
		}
		return d
	})
}

// unlessEmpty returns the protocol, or nil after reporting that there is nothing in it.
func (g *Generator) unlessEmpty(r reading) *protocol.Protocol {
	if r.protocol != nil && isEmpty(r.protocol) {
		g.diags.Add(noTypes(r.set))
		return nil
	}
	return r.protocol
}

// isEmpty reports whether there is nothing to make a package of.
func isEmpty(p *protocol.Protocol) bool {
	return len(p.Types) == 0 && len(p.Methods) == 0 && len(p.Errors) == 0
}

// noTypes reports schemas of which nothing can be made.
func noTypes(set *schema.Set) diag.Diagnostic {
	return diag.Errorf(set.Docs[0].Root.Pos, "no-types", `put them under "$defs" or "definitions", or make them the members of a file that has nothing else`,
		"there are no definitions to make types of")
}

// checkVocabulary checks the vendor keywords of schemas that are not embedded: a test validates these.
func (g *Generator) checkVocabulary(set *schema.Set, known []diag.Diagnostic) []diag.Diagnostic {
	if IsEmbedded(g.config.Schemas) {
		return nil
	}
	return set.CheckVocabulary(diag.PlacesOf(known))
}

// fittingWhole is fittingProfile for schemas of which all files could be read, and nil for others.
func (g *Generator) fittingWhole(set *schema.Set) (*profile.Selected, error) {
	if set.Partial {
		return nil, nil //nolint:nilnil // none is no error
	}
	return g.fittingProfile(set)
}

// statedVersion returns the version stated for the schemas, with its position if it is from a file.
func (g *Generator) statedVersion() facts.Text {
	stated := facts.Text{Text: g.config.ProtocolVersion}
	if g.config.file.Get("protocolVersion").Str() == stated.Text {
		stated.Pos = g.config.position("/protocolVersion")
	}
	return stated
}

// needlessProfile rejects a profile for embedded schemas.
func (g *Generator) needlessProfile() error {
	const message = "the embedded schemas state everything themselves"
	if g.config.file.Get("profile").Str() == g.config.Profile {
		g.diags.Errorf(g.config.position("/profile"), "needless-profile", "take the profile away, or name a folder of schemas", message)
		return ErrFindings
	}
	return &FlagError{Message: message + ": leave out the profile, or name a folder with --schemas", Without: []string{"profile"}}
}

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
