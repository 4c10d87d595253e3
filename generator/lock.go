// The lock: what a package was generated from and which Go names it has, in a file beside the
// configuration. It makes drift explainable, and names lasting.

package generator

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/disk"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/source"
)

// LockName is the name of the lock file.
const LockName = lock.Name

// readLock reads the lock beside the configuration; nil if there is none or nothing to keep it
// beside.
func (g *Generator) readLock() (*lock.Lock, []byte, error) {
	if g.config.dir == "" {
		return nil, nil, nil
	}
	path := g.lockPath()
	data, err := disk.ReadFile(path)
	if disk.IsMissing(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read lock: %w", err)
	}
	l := lock.Parse(filepath.ToSlash(path), data, g.diags)
	if l == nil {
		return nil, nil, ErrFindings
	}
	return l, data, nil
}

func (g *Generator) lockPath() string { return filepath.Join(g.config.dir, LockName) }

// lockFor is the lock of a package.
func (g *Generator) lockFor(plan *Plan, pkg *golang.Package) *lock.Lock {
	l := &lock.Lock{
		Generator: lock.Release(), Protocol: plan.Protocol.Name, Version: plan.Protocol.Version,
		Options: map[string]any{"package": pkg.Name, "schemas": g.config.relative(cmp.Or(g.config.as, g.config.Schemas), IsEmbedded(g.config.Schemas))},
		Inputs:  map[string]string{}, Stubs: plan.stubs, Names: lock.NamesOf(pkg),
	}
	if g.config.Profile != "" {
		l.Options["profile"] = g.config.relative(g.config.Profile, !source.IsPath(g.config.Profile))
	}
	version := g.config.ProtocolVersion
	if g.config.moves {
		version = plan.Protocol.Version
	}
	if version != "" {
		l.Options["protocolVersion"] = version
	}
	if g.config.Runtime != "" {
		l.Options["runtime"] = g.config.relative(g.config.Runtime, false)
	}
	if g.config.Reducers.Omit {
		l.Options["reducersOmit"] = true
	}
	if len(g.config.Reducers.Own) > 0 {
		l.Options["reducersOwn"] = g.config.Reducers.Own
	}
	if g.config.Host.Skeleton {
		l.Options["hostSkeleton"] = true
	}
	for at, name := range g.config.Names {
		l.Options["names."+at] = name
	}
	if len(g.config.Transports) > 0 {
		l.Options["transports"] = g.config.Transports
	}
	if len(g.config.Logs) > 0 {
		l.Options["logs"] = g.config.Logs
	}
	for _, doc := range g.set.Docs {
		l.Inputs[doc.Name] = lock.Digest(doc.Data)
	}
	for i, text := range g.profileTexts {
		key := "profile"
		if i > 0 {
			key += " " + g.config.relative(text.Name, strings.HasPrefix(text.Name, "embedded:"))
		}
		l.Inputs[key] = lock.Digest(text.Data)
	}
	return l
}

// planLock adds the lock to a plan, and says what it tells about drift.
func (g *Generator) planLock(plan *Plan, pkg *golang.Package, old *lock.Lock, oldText []byte) error {
	if g.config.dir == "" {
		return nil
	}
	l := g.lockFor(plan, pkg)
	text, err := l.Text()
	if err != nil {
		return err
	}
	if old != nil && old.Generator != l.Generator {
		// Another build that makes the same of the same is none that anybody has to hear of: the lock stays.
		now := *l
		now.Generator = old.Generator
		same, err := now.Text()
		if err != nil {
			return err
		}
		if bytes.Equal(same, oldText) {
			text = oldText
		}
	}
	f := PlannedFile{Name: LockName, Dir: g.config.dir, in: inConfig, New: text, Old: oldText, Aside: true}
	switch {
	case old == nil:
		f.State = Missing
	case !bytes.Equal(oldText, text):
		f.State = Stale
		plan.Drift = old.Drift(l)
	}
	plan.Files = append(plan.Files, f)
	plan.sort()
	return nil
}
