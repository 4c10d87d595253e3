// Package generator is the public API of ahpgen: it reads schemas, plans the files of a Go package, compares the plan
// with existing files, and writes them. Only Apply writes.
package generator

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

// Generator turns the schemas of one configuration into a plan. It does not change: what a method reads and makes, it
// returns.
type Generator struct {
	config Config
	diags  *diag.List
}

// New checks a configuration and returns a generator for it, from the newest embedded schemas if
// it names none. What is found on the way goes to diags.
func New(config Config, diags *diag.List) (_ *Generator, err error) {
	diags = cmp.Or(diags, &diag.List{})
	defer finish(diags, &err)
	config = config.withDefaults()
	if config.Schemas == "" {
		return nil, &FlagError{Message: "no schemas: a profile goes with a folder of schemas, name it with --schemas DIR or in ahpgen.json", Flag: "schemas", Value: "DIR"}
	}
	if config.Package != "" && !gotext.IsPackageName(config.Package) {
		return nil, badPackage(config.Package)
	}
	if config.ProtocolVersion != "" {
		if err := version.Check(config.ProtocolVersion); err != nil {
			return nil, &FlagError{Message: err.Error() + "; versions look like 0.7.0", Flag: "protocol-version", Value: "0.7.0"}
		}
	}
	return &Generator{config: config, diags: diags}, nil
}

// IsEmbedded reports whether a name refers to embedded schemas. A folder of the same name must be written as a path,
// such as ./ahp.
func IsEmbedded(name string) bool { return source.IsEmbedded(name) }

// DefaultSchemas returns the name of the default schemas.
func DefaultSchemas() string { return schemas.Default() }

// DefaultFolder returns the default output folder, named after the protocol.
func DefaultFolder() string {
	name, _, _ := strings.Cut(DefaultSchemas(), "@")
	return name
}

// Lint reports all problems, including violations of the meta-schema.
func (g *Generator) Lint() (err error) {
	defer finish(g.diags, &err)
	_, err = g.lint()
	return err
}

func (g *Generator) lint() (reading, error) {
	r, err := g.read()
	if r.unprofiled || err != nil && !errors.Is(err, ErrFindings) {
		return r, err
	}
	if r.set != nil {
		for _, doc := range r.set.Docs {
			meta, err := schema.MetaValidator(doc.Dialect())
			if err != nil {
				return r, err
			}
			g.diags.Add(meta.Check(r.set.Repaired(doc), "meta-schema", g.diags.Places())...)
		}
	}
	if r.protocol != nil {
		if err := g.lintPackage(r); err != nil {
			return r, err
		}
	}
	if g.diags.Len() > 0 {
		return r, ErrFindings
	}
	return r, nil
}

// lintPackage reports problems with Go names and, if the output folder is known, findings there.
func (g *Generator) lintPackage(r reading) error {
	if g.config.Out == "" {
		_, err := g.declare(r, nil, nil)
		return err
	}
	plan, err := g.planProtocol(r, nil)
	if plan == nil {
		if errors.Is(err, ErrFindings) {
			return nil // reported in diags
		}
		return err
	}
	for _, f := range plan.Findings {
		g.diags.Add(f)
	}
	return err
}

// Overlay does what Lint does, and returns the text of a profile that repairs what the schemas refer
// to and do not have, for the user to fill in. It fails with ErrFindings if diags holds errors,
// still with a text; there is none if something could not be read.
func (g *Generator) Overlay() (_ []byte, err error) {
	defer finish(g.diags, &err)
	r, err := g.lint()
	if err != nil && !errors.Is(err, ErrFindings) {
		return nil, err
	}
	if !r.parsed || r.unprofiled {
		return nil, ErrFindings
	}
	text, err := profile.Draft(r.set, r.facts, r.profile.Extends)
	if err == nil && g.diags.HasErrors() {
		err = ErrFindings
	}
	return text, err
}

// badPackage rejects an invalid package name and suggests another.
func badPackage(name string) error {
	return &FlagError{
		Message: fmt.Sprintf("%q cannot be a package name: use lower-case letters, digits and underscores", name), Flag: "package", Value: packageOf(name),
	}
}

// packageOf derives a package name from a folder's.
func packageOf(dir string) string {
	return cmp.Or(gotext.PackageName(filepath.Base(disk.Absolute(dir))), "protocol")
}

// Plan plans all files of the package and compares them with the output folder.
func (g *Generator) Plan() (_ *Plan, err error) {
	defer finish(g.diags, &err)
	plan, _, err := g.plan(nil)
	return plan, err
}

// plan makes a plan, of a step from a former package unless that is nil, and returns what it read as well.
func (g *Generator) plan(f *former) (*Plan, reading, error) {
	if g.config.Out == "" {
		return nil, reading{}, &FlagError{Message: "no output folder: say where the package goes with --out DIR, or in ahpgen.json", Flag: "out", Value: "./" + DefaultFolder()}
	}
	for _, check := range []func() error{g.config.checkOwner, func() error { return g.config.checkFolders(g.config.as != "") }, g.checkRuntime} {
		if err := check(); err != nil {
			return nil, reading{}, err
		}
	}
	r, err := g.read()
	if err != nil {
		return nil, r, err
	}
	r.set.Release() // the protocol has all that is needed
	plan, err := g.planProtocol(r, f)
	if err == nil && g.diags.HasErrors() {
		err = ErrFindings
	}
	if err != nil {
		return nil, r, err
	}
	return plan, r, nil
}

// planProtocol plans the package of a protocol. It returns ErrFindings if there can be none.
func (g *Generator) planProtocol(r reading, f *former) (*Plan, error) {
	old, oldText, err := g.readLock()
	if err != nil {
		return nil, err
	}
	if f != nil {
		r.refused = g.settleSupported(r.protocol, r.against, old, f.protocol)
	}
	d, err := g.declare(r, old, f)
	if err != nil {
		return nil, err
	}
	plan, err := g.planPackage(r, d, old, f)
	if err != nil {
		return nil, err
	}
	plan.Refused = r.refused
	if err := g.planSchema(plan); err != nil {
		return nil, err
	}
	return plan, g.planLock(plan, r, d, old, oldText)
}

// newPlan returns an empty plan.
func (g *Generator) newPlan(r reading, d *declarations, old *lock.Lock, f *former) *Plan {
	plan := &Plan{
		Protocol: r.protocol, Out: g.config.Out, Package: d.pkg.Name, wireDir: d.pkg.WireDir,
		SchemaFiles: len(r.set.Docs), SchemaBytes: r.set.Bytes(), own: d.config.Reducers.Own, names: d.config.Names,
		written: map[string][]string{}, started: map[string]string{}, starts: map[string]bool{},
		libraries: Libraries(g.config.Transports, g.config.Logs, g.config.Observers),
	}
	if old != nil {
		plan.claimed = old.Stubs
	}
	if f == nil {
		return plan
	}
	plan.fixed = f.fixes.edited(plan.Out)
	for method, digest := range f.stubs {
		if f.starts[method] {
			plan.started[method] = digest
			continue
		}
		plan.written[method] = append(plan.written[method], digest)
	}
	return plan
}

// planPackage compares a package with the output folder. Obstacles are reported in diags.
func (g *Generator) planPackage(r reading, d *declarations, old *lock.Lock, f *former) (*Plan, error) {
	g.diags.Stage("emitting")
	pkg := d.pkg
	files, err := emit.Files(pkg)
	if err != nil {
		return nil, err
	}
	g.diags.Stage("comparing with what is there")
	plan := g.newPlan(r, d, old, f)
	w := &writers{pkg: pkg, server: serverOf(pkg), translations: d.spoken.yours}
	if f != nil {
		w.former = f.pkg
	}
	if err := plan.knowOwnStubs(w); err != nil {
		return nil, err
	}
	files = append(files, d.spoken.files(pkg)...)
	hand, found, err := plan.readHand(pkg, files)
	g.diags.Add(found...)
	if err != nil {
		return nil, err
	}
	w.hand = hand
	if files, err = plan.finish(w, d.finished, files); err != nil {
		return nil, err
	}
	found, err = plan.compare(files)
	g.diags.Add(found...)
	if err != nil {
		return nil, err
	}
	g.diags.Add(checkPackageClause(g.config.Out, pkg.Name)...)
	if err := plan.findClashes(pkg, files); err != nil {
		return nil, err
	}
	found, err = plan.extend(w)
	g.diags.Add(found...)
	if err != nil {
		return nil, err
	}
	if w.hand != nil {
		if plan.stubs, err = stubDigests(w.hand, w.stubs()); err != nil {
			return nil, err
		}
		for method := range plan.stubs {
			plan.starts[method] = w.starts(method) != nil
		}
	}
	plan.pkg, plan.writers = pkg, w
	return plan, nil
}

// checkRuntime rejects a runtime folder inside another package's.
func (g *Generator) checkRuntime() error {
	if g.config.Runtime == "" {
		return nil
	}
	other := wireOf(g.config.Runtime)
	if other == "" || g.config.dir != "" && sameFolder(filepath.Dir(other), g.config.dir) {
		return nil
	}
	name := filepath.ToSlash(DisplayPath(other))
	g.diags.Errorf(g.config.position("/runtime"), "bad-runtime",
		"share a folder that is in neither package: name the same one as \"runtime\" in both, such as \"../wire\"",
		"the runtime would go where the package of %s has its own, and go away when that one is generated", name)
	return ErrFindings
}

// misplaced returns where the runtime can go instead.
func (g *Generator) misplaced(err error) error {
	var usage *UsageError
	switch {
	case !errors.As(err, &usage):
		return err
	case g.config.position("/runtime").IsZero():
		return &FlagError{Message: usage.Message, Flag: "out", Value: "./" + DefaultFolder()}
	}
	place := g.config.relative(filepath.Join(g.config.Out, gomod.RuntimeFolder))
	g.diags.Errorf(g.config.position("/runtime"), "bad-runtime", fmt.Sprintf("write \"runtime\": %q, or leave it out", place), "%s", usage.Message)
	return ErrFindings
}

const (
	// Suffix ends the names of all emitted files.
	Suffix = emit.Suffix
	// Marker is the beginning of their first line.
	Marker = emit.Marker
	// Unfinished is the code of diagnostics about unchanged stubs.
	Unfinished = string(userfile.Unfinished)
)

// RuntimeFolders returns the subfolders of the runtime, which is emitted below a package or in the configured folder.
func RuntimeFolders() []string { return emit.Folders() }
