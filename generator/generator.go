// Package generator is the public API of ahpgen: it reads schemas, plans the files of a Go package,
// compares the plan with what is there, and writes it. Nothing is written but by Apply.
package generator

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// Generator turns the schemas of one configuration into a plan.
type Generator struct {
	config Config
	diags  *diag.List

	set     *schema.Set
	profile *profile.Profile
	facts   *facts.Facts // what the schemas leave out, once they are analysed
	// profileTexts are the profile and those that it extends, nil for none.
	profileTexts []profile.Text
	finished     []*finished.Set // reducers that come with the protocol, those of its version first
	former       *former         // the package before a bump, nil if this is none
	parsed       bool            // every file could be read, and references were followed
	display      string          // where the schemas are, as positions show it
	unprofiled   bool            // the schemas lack a profile that there is
}

// New checks a configuration and returns a generator for it, from the newest embedded schemas if
// it names none. What is found on the way goes to diags.
func New(config Config, diags *diag.List) (_ *Generator, err error) {
	defer diags.Catch(&err)
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

// statedVersion is the version that the schemas are said to be of, and where that is said, if a file does.
func (g *Generator) statedVersion() facts.Text {
	stated := facts.Text{Text: g.config.ProtocolVersion}
	if stated.Text == g.config.versionIn.Text {
		stated.Pos = g.config.versionIn.Pos
	}
	return stated
}

// needlessProfile refuses a profile for embedded schemas, where it is stated.
func (g *Generator) needlessProfile() error {
	const message = "the embedded schemas state everything themselves"
	if in := g.config.profileIn; in.Text == g.config.Profile {
		g.diags.Errorf(in.Pos, "needless-profile", "take the profile away, or name a folder of schemas", message)
		return ErrFindings
	}
	return &FlagError{Message: message + ": leave out the profile, or name a folder with --schemas", Without: []string{"profile"}}
}

// Analyze reads the schemas and returns what they mean. It fails with ErrFindings if diags says
// why, and with another error if something could not be read.
func (g *Generator) Analyze() (_ *protocol.Protocol, err error) {
	defer g.diags.Catch(&err)
	g.diags.Stage("reading")
	prof, texts, err := source.Profile(g.config.Profile, g.diags)
	if err != nil {
		return nil, err
	}
	g.profile, g.profileTexts = prof, texts
	if g.config.Profile != "" && IsEmbedded(g.config.Schemas) {
		return nil, g.needlessProfile()
	}
	folder, display, closeFolder, err := source.Open(g.config.Schemas)
	if err != nil {
		return nil, err
	}
	defer closeFolder()
	g.display = display
	g.set, err = schema.Load(folder, display, prof.Files, g.diags)
	if err != nil {
		return nil, err
	}
	if g.diags.HasErrors() {
		return nil, ErrFindings
	}
	g.set.Foreign(prof.Keywords, prof.IgnoreKeywords)
	fitting, err := g.fittingProfile()
	if err != nil {
		return nil, err
	}
	into := g.diags
	if fitting != nil { // nobody is made to use a profile as long as nothing is wrong without it
		into = &diag.List{}
	}
	if !IsEmbedded(g.config.Schemas) { // these are held against it by a test
		g.set.CheckVocabulary(into)
	}
	if g.set.Protocol() != "" && g.set.Protocol() == prof.Name {
		// The schemas state the facts themselves; the profile is for those that do not.
		prof = profile.Empty()
		g.profile = prof
	}
	g.parsed = true
	g.diags.Stage("analysing")
	r := understand.Run(g.set, prof, g.statedVersion(), into)
	g.facts = r.Facts
	switch {
	case fitting == nil:
		g.diags.SetContext(r.Profile.TakenFor())
	case r.Protocol == nil:
		g.reportUnprofiled(fitting)
	default:
		g.diags.Merge(into)
	}
	if r.Protocol == nil {
		return nil, ErrFindings
	}
	return r.Protocol, nil
}

// IsEmbedded reports whether a name stands for embedded schemas. A folder of that name is meant
// if it is written as a path, such as ./ahp.
func IsEmbedded(name string) bool { return source.IsEmbedded(name) }

// DefaultSchemas names the schemas that are read if nothing says which.
func DefaultSchemas() string { return schemas.Default() }

// DefaultFolder is where a package goes if nothing says where: a folder named after the protocol.
func DefaultFolder() string {
	name, _, _ := strings.Cut(DefaultSchemas(), "@")
	return name
}

// Lint reads everything and reports whatever is wrong, down to what the meta-schema says.
func (g *Generator) Lint() (err error) {
	defer g.diags.Catch(&err)
	p, err := g.Analyze()
	if g.unprofiled || err != nil && !errors.Is(err, ErrFindings) {
		return err
	}
	if g.set != nil {
		for _, doc := range g.set.Docs {
			meta, err := schema.MetaValidator(doc.Dialect())
			if err != nil {
				return err
			}
			meta.Check(doc.Root, "meta-schema", g.diags)
		}
	}
	if p != nil {
		if err := g.lintPackage(p); err != nil {
			return err
		}
	}
	if g.diags.Len() > 0 {
		return ErrFindings
	}
	return nil
}

// lintPackage reports what Go makes hard about a protocol and, if the output folder is known,
// what the user has to settle there.
func (g *Generator) lintPackage(p *protocol.Protocol) error {
	if g.config.Out == "" {
		_, err := g.declare(p, nil)
		return err
	}
	plan, err := g.planProtocol(p)
	if plan == nil {
		if errors.Is(err, ErrFindings) {
			return nil // said in diags
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
	defer g.diags.Catch(&err)
	if err := g.Lint(); err != nil && !errors.Is(err, ErrFindings) {
		return nil, err
	}
	if !g.parsed || g.unprofiled {
		return nil, ErrFindings
	}
	text, err := profile.Draft(g.set, g.facts, g.profile.Extends)
	if err == nil && g.diags.HasErrors() {
		err = ErrFindings
	}
	return text, err
}

func (g *Generator) options(p *protocol.Protocol) (golang.Options, error) {
	there := existingPackage(g.config.Out)
	name := cmp.Or(g.config.Package, there, g.facts.Package.Text, packageOf(g.config.Out))
	switch {
	case gotext.IsIdentifier(name):
	case there == "":
		g.diags.Errorf(g.facts.Package.Pos, "bad-package", "take one that is no keyword of Go", "%q cannot be the name of a package", name)
		return golang.Options{}, ErrFindings
	default:
		return golang.Options{}, &FlagError{
			Message: fmt.Sprintf("the package cannot be called %q, as the files in %s are: rename it there, or generate elsewhere", name, g.config.Out), Flag: "out", Value: "DIR",
		}
	}
	var wire, wireDir string
	if g.config.Out != "" {
		var err error
		if wire, wireDir, err = gomod.RuntimePlace(g.config.Out, g.config.Runtime); err != nil {
			return golang.Options{}, g.misplaced(err)
		}
	}
	var err error
	if g.finished, err = finished.Sets(p.Name, version.Order(p.Order), p.Version); err != nil {
		return golang.Options{}, err
	}
	return golang.Options{
		Pins: g.pins(p), InConfig: g.namesIn(),
		Package: name, Wire: wire, WireDir: wireDir, Initialisms: g.facts.Initialisms, InSchemas: g.facts.Profile == "",
		NoReducers: g.config.Reducers.Omit, Own: g.config.Reducers.own(), Finished: hasFinished(g.finished),
		Transports: g.config.Transports, TransportsAt: g.config.transportsAt,
		Logs: g.config.Logs, LogsAt: g.config.logsAt,
		HostSkeleton: g.config.Host.Skeleton, HostSkeletonAt: g.config.Host.at,
	}, nil
}

// badPackage refuses what cannot be the name of a package, and says what could be instead.
func badPackage(name string) error {
	return &FlagError{
		Message: fmt.Sprintf("%q cannot be a package name: use lower-case letters, digits and underscores", name), Flag: "package", Value: packageOf(name),
	}
}

// packageOf makes a package name of a folder's.
func packageOf(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "protocol"
	}
	return cmp.Or(gotext.PackageName(filepath.Base(abs)), "protocol")
}

// Plan decides on every file of the package and compares it with what is in the output folder.
func (g *Generator) Plan() (_ *Plan, err error) {
	defer g.diags.Catch(&err)
	if g.config.Out == "" {
		return nil, &FlagError{Message: "no output folder: say where the package goes with --out DIR, or in ahpgen.json", Flag: "out", Value: "./" + DefaultFolder()}
	}
	if err := g.config.checkOwner(); err != nil {
		return nil, err
	}
	if err := g.config.checkFolders(g.config.as != ""); err != nil {
		return nil, err
	}
	if err := g.checkRuntime(); err != nil {
		return nil, err
	}
	p, err := g.Analyze()
	if err != nil {
		return nil, err
	}
	g.set.Release() // what it says is in the protocol
	plan, err := g.planProtocol(p)
	if err != nil {
		return nil, err
	}
	if g.diags.HasErrors() {
		return nil, ErrFindings
	}
	return plan, nil
}

// planProtocol decides on the package for a protocol and sets it against the output folder. The
// error is ErrFindings if there can be no package.
func (g *Generator) planProtocol(p *protocol.Protocol) (*Plan, error) {
	old, oldText, err := g.readLock()
	if err != nil {
		return nil, err
	}
	pkg, err := g.declare(p, old)
	if err != nil {
		return nil, err
	}
	plan, err := g.planPackage(p, pkg, old)
	if err != nil {
		return nil, err
	}
	if err := g.planSchema(plan); err != nil {
		return nil, err
	}
	return plan, g.planLock(plan, pkg, old, oldText)
}

// declare decides on the Go declarations, with the names that a lock keeps. The error is ErrFindings if there can be none.
func (g *Generator) declare(p *protocol.Protocol, old *lock.Lock) (*golang.Package, error) {
	options, err := g.options(p)
	if err != nil {
		return nil, err
	}
	options.Names = old.GoNames()
	if g.former != nil {
		if err := g.settleOwn(p, &options, old); err != nil {
			return nil, err
		}
	}
	pkg := golang.Build(p, options, g.diags)
	if pkg == nil {
		return nil, ErrFindings
	}
	return pkg, nil
}

// newPlan is a plan without files yet.
func (g *Generator) newPlan(p *protocol.Protocol, pkg *golang.Package, old *lock.Lock) *Plan {
	plan := &Plan{
		Protocol: p, Out: g.config.Out, Package: pkg.Name, wireDir: pkg.WireDir,
		SchemaFiles: len(g.set.Docs), SchemaBytes: g.set.Bytes(), own: g.config.Reducers.Own, names: g.config.Names,
		written: map[string][]string{}, started: map[string]string{}, starts: map[string]bool{},
	}
	if old != nil {
		plan.claimed = old.Stubs
	}
	if g.former != nil {
		for method, digest := range g.former.stubs {
			if g.former.starts[method] {
				plan.started[method] = digest
				continue
			}
			plan.written[method] = append(plan.written[method], digest)
		}
	}
	return plan
}

// planPackage sets a package against the output folder. What stands in the way goes to diags.
func (g *Generator) planPackage(p *protocol.Protocol, pkg *golang.Package, old *lock.Lock) (*Plan, error) {
	g.diags.Stage("emitting")
	files, err := emit.Files(pkg)
	if err != nil {
		return nil, err
	}
	g.diags.Stage("comparing with what is there")
	plan := g.newPlan(p, pkg, old)
	w := &writers{pkg: pkg, server: serverOf(pkg)}
	if g.former != nil {
		w.former = g.former.pkg
	}
	if err := plan.knowOwnStubs(w); err != nil {
		return nil, err
	}
	if w.hand, err = plan.readHand(pkg, files, g.diags); err != nil {
		return nil, err
	}
	if files, err = plan.finish(w, g.finished, files); err != nil {
		return nil, err
	}
	if err := plan.compare(files, g.diags); err != nil {
		return nil, err
	}
	checkPackageClause(g.config.Out, pkg.Name, g.diags)
	if err := plan.extend(w, g.diags); err != nil {
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

// checkRuntime refuses to put a runtime where another package has its own.
func (g *Generator) checkRuntime() error {
	if g.config.Runtime == "" {
		return nil
	}
	other := wireOf(g.config.Runtime)
	if other == "" || g.config.dir != "" && sameFolder(filepath.Dir(other), g.config.dir) {
		return nil
	}
	name := filepath.ToSlash(DisplayPath(other))
	g.diags.Errorf(g.config.runtimeAt, "bad-runtime",
		"share a folder that is in neither package: name the same one as \"runtime\" in both, such as \"../wire\"",
		"the runtime would go where the package of %s has its own, and go away when that one is generated", name)
	return ErrFindings
}

// misplaced says where the runtime can go instead: a configuration says where it goes, or else the package
// decides.
func (g *Generator) misplaced(err error) error {
	var usage *UsageError
	switch {
	case !errors.As(err, &usage):
		return err
	case g.config.runtimeAt.IsZero():
		return &FlagError{Message: usage.Message, Flag: "out", Value: "./" + DefaultFolder()}
	}
	place := g.config.relative(filepath.Join(g.config.Out, gomod.RuntimeFolder))
	g.diags.Errorf(g.config.runtimeAt, "bad-runtime", fmt.Sprintf("write \"runtime\": %q, or leave it out", place), "%s", usage.Message)
	return ErrFindings
}
