// The lock: what a package was generated from and its Go names, in a file beside the configuration. It explains drift
// and keeps names stable.

package generator

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/source"
)

// LockName is the name of the lock file.
const LockName = lock.Name

// readLock reads the lock beside the configuration, or returns nil.
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
	l, found := lock.Parse(filepath.ToSlash(path), data)
	g.diags.Add(found...)
	if l == nil {
		return nil, nil, ErrFindings
	}
	return l, data, nil
}

// lockedQuietly returns the lock, nil if there is none that can be used. What is wrong with it is reported where it is needed.
func (g *Generator) lockedQuietly() *lock.Lock {
	quiet := &Generator{config: g.config, diags: &diag.List{}}
	l, _, _ := quiet.readLock()
	return l
}

func (g *Generator) lockPath() string { return filepath.Join(g.config.dir, LockName) }

// lockFor returns the lock of a package.
func (g *Generator) lockFor(plan *Plan, r reading, d *declarations) *lock.Lock {
	l := &lock.Lock{
		Generator: lock.Release(), Protocol: plan.Protocol.Name, Version: plan.Protocol.Version,
		Options: d.lockedOptions(plan.Protocol.Version), Inputs: map[string]string{}, Stubs: plan.stubs, Names: lock.NamesOf(d.pkg),
	}
	if g.isNews(r.protocol) {
		l.Supported, l.Refused = r.protocol.Supported[1:], r.refused
	}
	for _, doc := range r.set.Docs {
		l.Inputs[doc.Name] = lock.Digest(doc.Data)
	}
	maps.Copy(l.Inputs, d.spoken.inputs)
	for i, text := range r.texts {
		key := "profile"
		if i > 0 {
			key += " " + g.config.named(text.Name, strings.HasPrefix(text.Name, "embedded:"))
		}
		l.Inputs[key] = lock.Digest(text.Data)
	}
	return l
}

// lockedOptions returns the non-default options, with paths relative to the configuration.
func (d *declarations) lockedOptions(version string) map[string]any {
	c := d.config
	c.Schema, c.Out, c.Package = "", "", d.pkg.Name // these do not affect the output, or are recorded elsewhere
	c.Schemas = c.named(cmp.Or(c.as, c.Schemas), IsEmbedded(c.Schemas))
	c.Profile = c.named(c.Profile, !source.IsPath(c.Profile))
	c.Runtime = c.relative(c.Runtime)
	c.Speaks = each.Map(c.Speaks, func(entry string) string { return c.named(entry, !isFolder(entry)) })
	if c.moves {
		c.ProtocolVersion = version
	}
	return lock.Options(c)
}

// planLock adds the lock to a plan and records drift.
func (g *Generator) planLock(plan *Plan, r reading, d *declarations, old *lock.Lock, oldText []byte) error {
	if g.config.dir == "" {
		return nil
	}
	l := g.lockFor(plan, r, d)
	text, err := l.Text()
	if err != nil {
		return err
	}
	if old != nil && old.Generator != l.Generator {
		// The same inputs and outputs from another build of ahpgen leave the lock unchanged.
		now := *l
		now.Generator = old.Generator
		same, err := now.Text()
		if err != nil {
			return err
		}
		if sameLines(oldText, same) {
			text = oldText
		}
	}
	if sameLines(oldText, text) {
		text = oldText
	}
	f := PlannedFile{Name: LockName, Dir: g.config.dir, New: text, Old: oldText, Aside: true}
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
