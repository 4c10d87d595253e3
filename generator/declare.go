// Declare: the Go declarations of a package, as the configuration, the lock and the schemas want them.

package generator

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// declarations are the Go declarations of a package.
type declarations struct {
	pkg      *golang.Package
	finished []*finished.Set // reducers that come with the protocol, those of its version first
	spoken   *spoken         // older versions
	config   Config          // the configuration without what is for nothing any more, as it is after a bump
}

// declare builds the Go declarations, keeping the names in the lock. It returns ErrFindings if there can be none.
func (g *Generator) declare(r reading, old *lock.Lock, f *former) (*declarations, error) {
	return g.declareNamed(r, old.GoNames(), old, f)
}

// declareNamed is declare with names to keep that may be others than those in the lock.
func (g *Generator) declareNamed(r reading, kept golang.Names, old *lock.Lock, f *former) (*declarations, error) {
	d := &declarations{config: g.config}
	options, err := g.options(r, d, f)
	if err != nil {
		return nil, err
	}
	options.Names = kept
	if f != nil {
		if err := g.settleOwn(r, d, &options, old, f); err != nil {
			return nil, err
		}
	}
	pkg, found := golang.Build(r.protocol, options)
	if g.diags.Add(newer(found)...); g.diags.HasErrors() {
		return d, ErrFindings
	}
	d.pkg = pkg
	return d, nil
}

// missingReport is the setting for decoders that report missing members.
const missingReport = "report"

// options says how the declarations are made, and notes in d what that takes.
func (g *Generator) options(r reading, d *declarations, f *former) (golang.Options, error) {
	there := existingPackage(g.config.Out)
	name := cmp.Or(g.config.Package, there, r.facts.Package.Text, packageOf(g.config.Out))
	switch {
	case gotext.IsIdentifier(name):
	case there == "":
		g.diags.Errorf(r.facts.Package.Pos, "bad-package", "take one that is no keyword of Go", "%q cannot be the name of a package", name)
		return golang.Options{}, ErrFindings
	default:
		return golang.Options{}, &FlagError{
			Message: fmt.Sprintf("the package cannot be called %q, as the files in %s are: rename it there, or generate elsewhere", name, g.config.Out), Flag: "out", Value: "DIR",
		}
	}
	var own, wire, wireDir string
	var err error
	if g.config.Out != "" {
		if wire, wireDir, err = gomod.RuntimePlace(g.config.Out, g.config.Runtime); err != nil {
			return golang.Options{}, g.misplaced(err)
		}
		if own, err = gomod.PackagePath(g.config.Out); err != nil {
			return golang.Options{}, err
		}
	}
	p := r.protocol
	if d.finished, err = finished.Sets(p.Name, version.Order(p.Order), p.Version); err != nil {
		return golang.Options{}, err
	}
	var pins []golang.Pin
	pins, d.config.Names = g.pins(p, f != nil && f.pkg != nil)
	custom, tags := g.custom(own)
	if d.spoken, err = g.spoken(r); err != nil {
		return golang.Options{}, err
	}
	return golang.Options{
		Pins: pins, InConfig: g.namesIn(),
		Package: name, ImportPath: own, Wire: wire, WireDir: wireDir, Initialisms: r.facts.Initialisms, InSchemas: r.facts.Profile == "",
		TakesMissing: g.config.Missing == missingReport, Parts: g.config.Parts, PartsAt: g.config.position("/parts"),
		NoReducers: g.config.Reducers.Omit, Own: g.config.ownReducers(), Finished: hasFinished(d.finished),
		Transports: g.config.Transports, TransportsAt: g.config.position("/transports"),
		Logs: g.config.Logs, LogsAt: g.config.position("/logs"),
		Observers: g.config.Observers, ObserversAt: g.config.position("/observers"),
		Custom: custom, Tags: tags, Matches: schema.Matches, LenientCustom: g.config.lenient, Compared: g.config.compared,
		Speaks: d.spoken.versions(), OwnTranslations: d.spoken.own(), HostSkeleton: g.config.Host.Skeleton, HostSkeletonAt: g.config.position("/host/skeleton"),
	}, nil
}

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
		if now := golang.Current(p, at); !known[at] && known[now] {
			pin.At = now
		}
		switch {
		case !known[pin.At] && (bumping || g.config.lenient): // before the bump they were for something
			continue
		case !known[pin.At]:
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
