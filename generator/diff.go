// Diff: comparing two versions of a protocol.

package generator

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/accept"
	"github.com/ahpgen/ahpgen/generator/internal/apply"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/goapi"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// DiffOptions configures a comparison.
type DiffOptions struct {
	Profile  string // profile of sides that are folders; embedded schemas have their own
	Accepted string // file of accepted changes, or ""
	// OldVersion and NewVersion are the versions of the sides, or "" to detect them.
	OldVersion, NewVersion string
	// Names are Go names from a configuration, applied where they have a subject.
	Names       map[string]string
	Types       []TypeEntry  // types of values, likewise
	speaks      []string     // older versions that the package speaks, and perhaps the old one from now on
	kept        golang.Names // names that a lock keeps
	versionFlag string       // flag that states the version of the new side, if it is not --new-version
	generates   bool         // a package of the new side follows
	// Accept adds the remaining changes to the accepted ones with this reason, unless it is "".
	Accept string
	// AcceptOnly says which changes are added, if it is not nil.
	AcceptOnly func(d *report.Diff, f verdict.Finding) bool
}

// oldVersion is the flag that states the version of the older side, from which nothing is generated.
const oldVersion = "old-version"

// Compare says what changed between two sets of schemas: folders, embedded ones, or git:REV:PATH.
// What is wrong with them, or with the file of accepted changes, goes to diags with ErrFindings.
func Compare(old, new string, opts DiffOptions, diags *diag.List) (_ *report.Diff, err error) {
	diags = cmp.Or(diags, &diag.List{})
	defer finish(diags, &err)
	c := comparing{opts, diags}
	o, err := c.side(old, opts.OldVersion, oldVersion, opts.kept)
	if err != nil {
		return nil, err
	}
	n, err := c.side(new, opts.NewVersion, "new-version", o.Package.Names)
	if err != nil {
		return nil, err
	}
	diags.Stage("comparing")
	d := compareSides(old, new, o, n)
	c.translated(o.Protocol, n.Protocol, d)
	d.Timeline = func() *report.Timeline { return timeline(o.Protocol, n.Protocol) }
	if opts.Accepted != "" {
		return d, c.applyAccepted(o.Protocol, d)
	}
	return d, nil
}

// compareSides judges the changes between two versions. The names are displayed if the versions are unknown.
func compareSides(old, new string, o, n goapi.Side) *report.Diff {
	d := &report.Diff{
		Protocol: n.Protocol.Name, Sides: n.Protocol.Sides,
		Old: report.Version{Name: old, Version: o.Protocol.Version}, New: report.Version{Name: new, Version: n.Protocol.Version},
	}
	d.Findings = verdict.Judge(o.Protocol, n.Protocol, change.Compare(o.Protocol, n.Protocol))
	goapi.Judge(o, n, d.Findings)
	return d
}

// translated takes what is translated for no break, if the package speaks the old version.
func (c comparing) translated(old, new *protocol.Protocol, d *report.Diff) {
	spoken := slices.ContainsFunc(c.speaks, func(entry string) bool {
		return entry == old.Version || entry == old.Spoken() || isFolder(entry) && !IsEmbedded(d.Old.Name) && sameFolder(entry, d.Old.Name)
	})
	if !spoken || wrongOlder(new, old) != "" {
		return
	}
	if !(&Generator{config: Config{Profile: c.Profile}, diags: &diag.List{}}).translates(old, new) {
		return
	}
	d.Speaks = old.Version
	for i := range d.Findings {
		d.Findings[i].Translate(old.Version)
	}
}

// timeline returns versions of a protocol including all embedded ones, oldest first.
func timeline(given ...*protocol.Protocol) *report.Timeline {
	known := map[string]*protocol.Protocol{}
	for _, p := range given {
		known[p.Version] = p
	}
	for _, at := range embeddedVersions(given[0].Name) {
		if known[at] != nil {
			continue
		}
		if side, err := embeddedSide(given[0].Name + "@" + at); err == nil { // embedded schemas are readable
			known[at] = side.Protocol
		}
	}
	return &report.Timeline{Versions: slices.SortedFunc(maps.Values(known), compareVersions)}
}

// embeddedVersions returns the versions of a protocol that are embedded, newest first.
func embeddedVersions(protocol string) (out []string) {
	for _, name := range schemas.Protocols() {
		if at, ok := strings.CutPrefix(name, protocol+"@"); ok {
			out = append(out, at)
		}
	}
	return out
}

// compareVersions orders versions, unknown ones last.
func compareVersions(a, b *protocol.Protocol) int {
	va, errA := version.Order(a.Order).Parse(a.Version)
	vb, errB := version.Order(b.Order).Parse(b.Version)
	switch {
	case errA != nil && errB != nil:
		return cmp.Compare(a.Version, b.Version)
	case errA != nil:
		return 1
	case errB != nil:
		return -1
	}
	return va.Compare(vb)
}

// comparing is a comparison in progress, with what is wrong so far.
type comparing struct {
	DiffOptions
	diags *diag.List
}

// side reads one side and builds its Go declarations, with the names that a lock keeps as far as they are free.
func (c comparing) side(schemas, version, flag string, kept golang.Names) (goapi.Side, error) {
	profile := c.Profile
	if IsEmbedded(schemas) {
		profile = ""
	}
	g, err := New(Config{Schemas: schemas, Profile: profile, ProtocolVersion: version, versionFlag: cmp.Or(c.versionFlag, flag), Names: c.Names, Types: c.Types, lenient: true, compared: flag == oldVersion, generated: c.generates && flag != oldVersion}, c.diags)
	if err != nil {
		return goapi.Side{}, err
	}
	r, err := g.read()
	if err != nil {
		return goapi.Side{}, err
	}
	g.diags = &diag.List{}
	d, err := g.declareNamed(r, kept, nil, nil)
	if err == nil {
		c.diags.Add(g.diags.Items()...)
	} else {
		g.diags = c.diags
		d, err = g.declareNamed(r, nil, nil, nil)
	}
	if err != nil {
		return goapi.Side{}, err
	}
	noteFinished(r.protocol, d.finished)
	return goapi.Side{Protocol: r.protocol, Package: d.pkg}, nil
}

// configs compares the schemas of two configurations. Those of a bump that was killed may contradict each other, some
// of them being replaced: then what changed is not known, and the new ones are compared with themselves.
func (c comparing) configs(old, new Config) (*report.Diff, error) {
	options := DiffOptions{
		Profile: cmp.Or(new.Profile, old.Profile), Names: old.Names, Types: old.Types, OldVersion: old.ProtocolVersion, NewVersion: new.ProtocolVersion,
		versionFlag: "protocol-version", speaks: new.Speaks, generates: true,
		kept: (&Generator{config: old}).lockedQuietly().GoNames(),
	}
	var found diag.List
	found.OnStage(c.diags.Stage)
	d, err := Compare(old.Schemas, new.Schemas, options, &found)
	if !errors.Is(err, ErrFindings) || !replacedPartly(old, new) {
		c.diags.Add(found.Items()...)
		return d, err
	}
	c.diags.Warnf(diag.Pos{File: filepath.ToSlash(old.Schemas)}, "cut-short", "",
		"some of these schemas are the new ones already, for an earlier bump was cut short: this one ends it, and what changed is not listed")
	options.OldVersion = options.NewVersion
	return Compare(new.Schemas, new.Schemas, options, c.diags)
}

// embeddedSide returns a version that is embedded, by name@version.
func embeddedSide(name string) (goapi.Side, error) {
	return comparing{diags: &diag.List{}}.side(name, "", "", nil)
}

// noteFinished records the finished reducer of each action, so that they can be compared.
func noteFinished(p *protocol.Protocol, sets []*finished.Set) {
	if len(sets) == 0 {
		return
	}
	rules := sets[0].Rules(p.Version) // the first set is for this version
	performer := sets[0].Perform(p)
	for _, a := range p.AllActions() {
		if a.Finished = rules.Of(a.Type); a.Finished != "" {
			a.Apply = func(state, action map[string]any) (map[string]any, bool) {
				return performer.Apply(a.Type, state, action)
			}
		}
	}
}

// applyAccepted removes accepted changes from the findings, and accepts the rest if requested.
func (c comparing) applyAccepted(base *protocol.Protocol, d *report.Diff) error {
	if c.Accept != "" {
		release, err := apply.Lock([]string{filepath.Dir(c.Accepted)}, acceptWait, nil)
		if err != nil {
			return err
		}
		defer release()
	}
	list := &accept.List{}
	data, err := disk.ReadFile(c.Accepted)
	switch {
	case disk.IsMissing(err) && c.Accept != "":
	case err != nil:
		return fmt.Errorf("read accepted changes: %w", err)
	default:
		var found []diag.Diagnostic
		list, found, err = accept.Parse(DisplayPath(c.Accepted), data)
		c.diags.Add(found...)
		if err != nil {
			return err
		}
		if list == nil {
			return ErrFindings
		}
	}
	var stale []diag.Diagnostic
	d.Findings, d.Accepted, stale = list.Apply(base, d.Findings)
	if c.diags.Add(stale...); len(stale) > 0 {
		return ErrFindings
	}
	if c.Accept == "" {
		return nil
	}
	failing := slices.DeleteFunc(slices.Clone(d.Findings), func(f verdict.Finding) bool { return c.AcceptOnly != nil && !c.AcceptOnly(d, f) })
	d.Added = list.Add(base, failing, c.Accept)
	d.Findings, d.Accepted, _ = list.Apply(base, d.Findings)
	text, err := list.Format()
	if err != nil {
		return err
	}
	file := apply.File{Path: c.Accepted, Owned: true, Old: data, New: text}
	if err := apply.Write(apply.Change{Rest: []apply.File{file}}); err != nil {
		return fmt.Errorf("write accepted changes: %w", err)
	}
	return nil
}

// acceptWait is how long to wait for another process that accepts changes.
const acceptWait = time.Minute
