// Speaks: the older versions that a package speaks, and what translates for peers of them.

package generator

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/translation"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// isFolder reports whether an entry of "speaks" names a folder, and not a version.
func isFolder(entry string) bool { return version.Check(entry) != nil && !source.IsGit(entry) }

// placeSpeaks notes where the entries are, and makes folders relative to the working directory.
func (c *Config) placeSpeaks(root *schema.Node, dir string) {
	for _, item := range root.Get("speaks").List() {
		c.speaksAt = append(c.speaksAt, item.Pos)
	}
	for i, named := range c.Speaks {
		if isFolder(named) && !filepath.IsAbs(named) {
			if c.Speaks[i] = filepath.Join(dir, named); !strings.HasPrefix(c.Speaks[i], "..") { // or it could look like a version
				c.Speaks[i] = "." + string(filepath.Separator) + c.Speaks[i]
			}
		}
	}
}

// spoken are the older versions that a package speaks.
type spoken struct {
	pairs  []*translation.Pair // newest first
	inputs map[string]string   // digests of their schemas, unless they come with the command

	finished *finished.Translations // functions that come with the protocol; nil if none are needed
	yours    []translation.Need     // functions that the user writes
}

// versions returns what translates for them.
func (s *spoken) versions() []*table.Version {
	return each.Map(s.pairs, func(p *translation.Pair) *table.Version { return p.Version })
}

// Translation is what converts messages between the version of a package and an older one, and the list of what is not the
// same there.
type Translation = translation.Pair

// Translations derives what translates for the configured older versions, newest first. With ErrFindings it returns those of which
// messages could be converted, though no package can speak them.
func (g *Generator) Translations() (_ []*Translation, err error) {
	defer finish(g.diags, &err)
	r, err := g.read()
	if err != nil {
		return nil, err
	}
	s, err := g.spoken(r)
	if s == nil {
		return nil, err
	}
	return s.pairs, err
}

// spoken derives the translators of the configured older versions. It returns ErrFindings if no package can speak one; those whose
// messages could be converted are returned all the same.
func (g *Generator) spoken(r reading) (*spoken, error) {
	out := &spoken{inputs: map[string]string{}}
	if len(g.config.Speaks) == 0 {
		return out, nil
	}
	g.diags.Stage("comparing versions")
	stated, err := g.translations(r)
	if err != nil {
		return nil, err
	}
	wrong := false
	for i, entry := range g.config.Speaks {
		pair, ok, err := g.pair(r.protocol, i, entry, stated, out)
		if err != nil {
			return nil, err
		}
		wrong = wrong || !ok
		if pair != nil {
			out.pairs = append(out.pairs, pair)
		}
	}
	slices.SortStableFunc(out.pairs, func(a, b *translation.Pair) int { return compareVersions(b.Older, a.Older) })
	if wrong {
		return out, ErrFindings
	}
	return out, out.settleFunctions(r.protocol.Name)
}

// translates reports whether messages can be translated between two versions.
func (g *Generator) translates(old, new *protocol.Protocol) bool {
	stated, err := g.translations(reading{protocol: new})
	if err != nil {
		return false
	}
	_, found := translation.Derive(new, old, stated)
	return len(found) == 0
}

// bumpedSpeaks returns the older versions that the package speaks after a bump: those of now, and if the schemas are embedded, so
// that they stay, their version.
func (c Config) bumpedSpeaks() []string {
	name, ok := source.Whole(c.Schemas)
	_, at, _ := strings.Cut(name, "@")
	if len(c.Speaks) == 0 || !ok || slices.Contains(c.Speaks, at) {
		return c.Speaks
	}
	return append([]string{at}, c.Speaks...)
}

// settleSpeaks leaves in a configuration what the package speaks after a bump: older versions than the new one, and the former
// version if messages can be translated.
func (b *Bump) settleSpeaks(old Config, next *Config) {
	next.Speaks = slices.DeleteFunc(slices.Clone(next.Speaks), func(entry string) bool {
		isNew := !slices.Contains(old.Speaks, entry)
		return isNew && b.Diff.Speaks == "" || !isFolder(entry) && !source.IsGit(entry) && !precedes(entry, b.Diff.New.Version)
	})
}

// precedes reports whether a version is older than another one, in the first order that both have.
func precedes(a, b string) bool {
	for _, order := range []version.Order{version.Numbers, version.Dates, version.Integers} {
		v, err := order.Parse(a)
		w, err2 := order.Parse(b)
		if err == nil && err2 == nil {
			return v.Compare(w) < 0
		}
	}
	return false
}

// pair derives the translator for an entry of the configuration. It reports false after an error in diags.
func (g *Generator) pair(p *protocol.Protocol, i int, entry string, stated []*facts.Translation, all *spoken) (*translation.Pair, bool, error) {
	older, err := g.older(p, i, entry, all)
	switch {
	case err != nil || older == nil:
		return nil, false, err
	case older.Types == nil: // it is known to need nothing, and nothing else is known of it
		return &translation.Pair{Newer: p, Older: older, Version: &table.Version{Name: older.Spoken()}}, true, nil
	case slices.ContainsFunc(all.pairs, func(o *translation.Pair) bool { return o.Version.Name == older.Spoken() }):
		g.diags.Errorf(g.speaksPos(i), "bad-speaks", "leave one of them out", "version %s is named twice", older.Spoken())
		return nil, false, nil
	}
	pair, found := translation.Derive(p, older, stated)
	g.diags.Add(found...)
	return pair, len(found) == 0, nil
}

// translations returns what the profile says about differences between versions: that of the configuration, or the embedded
// one of the protocol.
func (g *Generator) translations(r reading) ([]*facts.Translation, error) {
	name := g.translationProfile(r.protocol)
	read, err := source.Profile(name)
	if err != nil {
		g.diags.Add(read.Found...)
		return nil, err
	}
	none := func(string) bool { return false }
	selected, _ := read.Profile.Select(version.Order(r.protocol.Order), facts.Text{Text: r.protocol.Version}, none)
	return selected.Facts().Translations, nil
}

// translationProfile returns the name of that profile, or "".
func (g *Generator) translationProfile(p *protocol.Protocol) string {
	if g.config.Profile == "" && slices.Contains(schemas.Profiles(), p.Name) {
		return p.Name
	}
	return g.config.Profile
}

// older reads an older version. It is nil after an error in diags, and without types if nothing but its name is known.
func (g *Generator) older(p *protocol.Protocol, i int, entry string, all *spoken) (*protocol.Protocol, error) {
	pos := g.speaksPos(i)
	name, profile, known := entry, "", embeddedVersions(p.Name)
	switch {
	case isFolder(entry), source.IsGit(entry):
		profile = g.translationProfile(p)
	case slices.Contains(known, entry):
		name = p.Name + "@" + entry
	case slices.Contains(p.Supported, entry) && entry != p.Spoken():
		return &protocol.Protocol{Name: p.Name, Version: entry, Order: p.SpokenOrder()}, nil
	default:
		hint := "name a folder with the schemas of that version, such as ./older"
		if known := embeddedBefore(p); len(known) > 0 {
			hint = "those of " + strings.Join(known, ", ") + " are embedded; for another version, name a folder with its schemas, such as ./older"
		}
		g.diags.Errorf(pos, "bad-speaks", hint, "there are no schemas of version %s of %s", entry, p.Name)
		return nil, nil
	}
	side := Generator{config: Config{Schemas: name, Profile: profile, lenient: true}, diags: g.diags}
	read, err := side.read()
	if err != nil && !errors.Is(err, ErrFindings) && profile != "" {
		g.diags.Errorf(pos, "bad-speaks", "name a folder with the schemas of an older version, such as ./older", "%v", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if text := wrongOlder(p, read.protocol); text != "" {
		g.diags.Errorf(pos, "bad-speaks", "name an older version of the same protocol, or leave the entry out", "%s", text)
		return nil, nil
	}
	for _, doc := range read.set.Docs {
		if profile != "" || name == entry {
			all.inputs["speaks "+g.config.named(name, source.IsGit(name))+"/"+doc.Name] = lock.Digest(doc.Data)
		}
	}
	return read.protocol, nil
}

// embeddedBefore lists the embedded versions of a protocol that are older than it.
func embeddedBefore(p *protocol.Protocol) (out []string) {
	for _, v := range embeddedVersions(p.Name) {
		if compareVersions(&protocol.Protocol{Version: v, Order: p.Order}, p) < 0 {
			out = append(out, v)
		}
	}
	return out
}

// wrongOlder says why a protocol is no older version of another one, or returns "".
func wrongOlder(p, older *protocol.Protocol) string {
	switch {
	case older.Name != p.Name:
		return fmt.Sprintf("these schemas are of %s, and the package is of %s", older.Name, p.Name)
	case compareVersions(older, p) >= 0:
		return fmt.Sprintf("these schemas are of version %s, which is not older than %s", older.Version, p.Version)
	case older.Spoken() == p.Spoken():
		return fmt.Sprintf("peers of %s agree on version %s, as those of %s do", older.Version, older.Spoken(), p.Version)
	}
	return ""
}

func (g *Generator) speaksPos(i int) diag.Pos {
	if i < len(g.config.speaksAt) {
		return g.config.speaksAt[i]
	}
	return diag.Pos{}
}

// SpeaksReport is the list of what is not the same for peers of an older version. Its JSON form is stable.
type SpeaksReport struct {
	Protocol string       `json:"protocol"`
	Version  string       `json:"version"`
	Older    string       `json:"older"`
	Lowered  int          `json:"lowered"` // types that differ on the way to it
	Lifted   int          `json:"lifted"`  // types that differ on the way from it
	Yours    []string     `json:"yours"`   // functions that the user writes
	Losses   []SpeaksLoss `json:"losses"`
}

// SpeaksLoss is something that is not the same there.
type SpeaksLoss struct {
	Direction string `json:"direction"` // "lower" or "lift"
	Kind      string `json:"kind"`      // "dropped", "kept", "restated", "lost", "otherwise", "other rule", "snapshot", "not sent", "impossible" or "never"
	At        string `json:"at"`        // definition, method or error
	What      string `json:"what"`      // member, variant or value; or a sentence
	// Members are what of a definition it is about, by name: members, variants or values. In others a point is between the names.
	Members []string `json:"members"`
}

// InspectSpeaks returns these lists for an older version or a folder, or for all configured ones if that is "", newest first. With
// ErrFindings it returns those of versions that no package can speak, as far as messages could be converted.
func (g *Generator) InspectSpeaks(older string) (_ []SpeaksReport, err error) {
	defer finish(g.diags, &err)
	if older != "" {
		own := *g
		own.config.Speaks, own.config.speaksAt = []string{older}, nil
		g = &own
	}
	if len(g.config.Speaks) == 0 {
		return nil, &UsageError{Message: "no older version: name one behind --speaks, or in \"speaks\" of " + ConfigName}
	}
	r, err := g.read()
	if err != nil {
		return nil, err
	}
	s, err := g.spoken(r)
	if s == nil {
		return nil, err
	}
	var out []SpeaksReport
	for _, p := range s.pairs {
		report := SpeaksReport{
			Protocol: r.protocol.Name, Version: r.protocol.Version, Older: p.Older.Version,
			Lowered: max(0, len(p.Version.Lower.Types)-1), Lifted: max(0, len(p.Version.Lift.Types)-1), Yours: []string{}, Losses: []SpeaksLoss{},
		}
		for _, n := range p.Needs {
			if slices.Contains(s.own(), n.Name) {
				report.Yours = append(report.Yours, n.Name)
			}
		}
		for _, l := range append(p.Losses, p.Rules()...) {
			members := append([]string{}, slices.Concat(l.Members, l.Alters)...)
			report.Losses = append(report.Losses, SpeaksLoss{[...]string{"lower", "lift"}[l.Direction], string(l.Kind), l.At, l.What, members})
		}
		out = append(out, report)
	}
	return out, err
}
