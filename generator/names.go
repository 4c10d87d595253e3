// Names: Go names from ahpgen.json.

package generator

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// pins returns the names that the configuration states, and the entries that stay in it. One for something that the
// protocol does not have is reported, unless other schemas than the configured ones are looked at. A bump lets go of
// it.
func (g *Generator) pins(p *protocol.Protocol, bumping bool) (pins []golang.Pin, kept map[string]string) {
	if len(g.config.Names) == 0 {
		return nil, g.config.Names
	}
	nameable := golang.Nameable(p)
	known := each.Set(nameable)
	kept = map[string]string{}
	stated := map[string]diag.Pos{}
	if names := g.config.file.Get("names"); names != nil {
		for _, m := range names.Members {
			stated[m.Key] = m.KeyPos
		}
	}
	for _, at := range slices.Sorted(maps.Keys(g.config.Names)) {
		pin := golang.Pin{At: at, Name: g.config.Names[at], Pos: stated[at]}
		switch {
		case !known[at] && (bumping || g.config.lenient): // before the bump they were for something
			continue
		case !known[at]:
			hint := similar.DidYouMean(at, nameable, "correct it, or remove the entry")
			g.diags.Errorf(pin.Pos, "unknown-name", hint, "there is no type, member, value or method %q to be called %s", at, pin.Name)
		case !gotext.IsExported(pin.Name):
			g.diags.Errorf(pin.Pos, "bad-name", "names start with an upper-case letter and hold letters and digits only",
				"%q cannot be the name of a Go declaration", pin.Name)
		default:
			pins = append(pins, pin)
		}
		kept[at] = pin.Name
	}
	return pins, kept
}

// namesIn returns the file for stating names if the user can edit neither schemas nor profile, or "".
func (g *Generator) namesIn() string {
	if g.config.dir == "" {
		return ""
	}
	foreign := IsEmbedded(g.config.Schemas) || source.IsGit(g.config.Schemas)
	if g.config.Profile != "" {
		foreign = !source.IsPath(g.config.Profile)
	}
	if !foreign {
		return ""
	}
	return filepath.ToSlash(filepath.Join(g.config.dir, ConfigName))
}
