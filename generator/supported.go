// Supported: the older versions that a package of a version newer than all known ones offers, from comparisons with them.

package generator

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// isNews reports whether the version of a protocol is newer than all that the embedded profiles and schemas know. For the
// others, the versions that they offer are stated, and tests compare them.
func (g *Generator) isNews(p *protocol.Protocol) bool {
	if p.Wire != nil || IsEmbedded(g.config.Schemas) {
		return false
	}
	order := version.Order(p.Order)
	at, err := order.Parse(p.Version)
	known := slices.Concat(source.Recognised(p.Name), embeddedVersions(p.Name))
	return err == nil && !slices.ContainsFunc(known, func(text string) bool {
		v, err := order.Parse(text)
		return err == nil && at.Compare(v) <= 0
	})
}

// settleSupported sets the versions that the protocol offers, if it is a new one: those of the lock of the same version and
// those that the newest embedded version and the former one bear out. What a profile lists beside them counts as far as no
// comparison is against it; it returns the versions that one is against, if the profile lists what they keep out.
func (g *Generator) settleSupported(p *protocol.Protocol, against []*protocol.Protocol, old *lock.Lock, former *protocol.Protocol) (refused []string) {
	if p == nil || !g.isNews(p) {
		return nil
	}
	s := supported{of: p, at: map[string]bool{}}
	if known := embeddedVersions(p.Name); len(known) > 0 {
		if side, err := embeddedSide(p.Name + "@" + known[0]); err == nil {
			s.compare(side.Protocol)
		}
	}
	for _, older := range against {
		s.compare(older)
	}
	before := old != nil && old.Protocol == p.Name && len(old.Refused) > 0
	if before {
		s.refuse(old.Refused)
	}
	switch {
	case old != nil && old.Protocol == p.Name && old.Version == p.Version:
		s.take(old.Supported) // also where a run was cut short, after which the former schemas may be half replaced
	case former != nil && former.Name == p.Name:
		s.compare(former)
	}
	s.chain(p.Supported)
	stated := p.Supported
	p.Supported = s.list()
	if before || len(each.Without(stated, p.Supported)) > 0 {
		return s.refused()
	}
	return nil
}

// readAgainst reads the older versions that a bump compares with beside the former one. Each is named by its schemas, or as
// VERSION=SCHEMAS where these do not say it.
func (g *Generator) readAgainst(new string) (out []*protocol.Protocol, err error) {
	for _, named := range g.config.against {
		at, name, stated := strings.Cut(named, "=")
		if !stated || version.Check(at) != nil {
			at, name = "", named // a folder may have such a name
		}
		older, err := (comparing{DiffOptions: DiffOptions{Profile: g.config.ProfileForOthers(), versionFlag: "against"}, diags: g.diags}).side(name, at, "", nil)
		if err != nil {
			return nil, err
		}
		if p := older.Protocol; !precedes(p.Version, new) {
			return nil, &FlagError{
				Message: fmt.Sprintf("%s has version %s: --against names schemas of versions before %s", filepath.ToSlash(name), cmp.Or(p.Version, "none"), new), Flag: "against", Value: "DIR",
			}
		}
		out = append(out, older.Protocol)
	}
	return out, nil
}

// settleAlone is settleSupported without a former version.
func (g *Generator) settleAlone(r *reading) (err error) {
	if r.against, err = g.readAgainst(r.protocol.Version); err == nil {
		r.refused = g.settleSupported(r.protocol, r.against, g.lockedQuietly(), nil)
	}
	return err
}

// supported collects versions and whether peers of them are understood.
type supported struct {
	of *protocol.Protocol
	at map[string]bool
}

// compare judges an older version, and those that it offers itself.
func (s *supported) compare(old *protocol.Protocol) {
	findings := verdict.Judge(old, s.of, change.Compare(old, s.of))
	clean := !slices.ContainsFunc(findings, func(f verdict.Finding) bool { return f.Hinders() })
	s.at[old.Version] = clean
	if clean {
		s.take(old.Supported)
	}
}

// refuse takes note of versions that comparisons were against before, unless they were judged anew.
func (s *supported) refuse(versions []string) {
	for _, text := range versions {
		if _, judged := s.at[text]; !judged {
			s.at[text] = false
		}
	}
}

// take adds versions that are known to be understood, unless they were judged.
func (s *supported) take(versions []string) {
	for _, text := range versions {
		if _, judged := s.at[text]; !judged {
			s.at[text] = true
		}
	}
}

// chain adds versions unless they were judged, or are older than one that is not understood.
func (s *supported) chain(versions []string) {
	for _, text := range versions {
		if _, judged := s.at[text]; !judged && !s.isBehind(text) {
			s.at[text] = true
		}
	}
}

// isBehind reports whether a version that is not understood is newer.
func (s *supported) isBehind(text string) bool {
	for other, clean := range s.at {
		if !clean && s.compareText(text, other) < 0 {
			return true
		}
	}
	return false
}

// refused returns the versions that are not understood, newest first.
func (s *supported) refused() []string {
	return s.newestFirst(func(text string) bool { return !s.at[text] })
}

// newestFirst returns the versions for which a function holds.
func (s *supported) newestFirst(holds func(text string) bool) []string {
	out := each.Where(slices.Collect(maps.Keys(s.at)), holds)
	slices.SortFunc(out, func(a, b string) int { return s.compareText(b, a) })
	return out
}

func (s *supported) compareText(a, b string) int { return version.Order(s.of.Order).Compare(a, b) }

// list returns the version itself and the older ones that are understood, newest first.
func (s *supported) list() []string {
	older := s.newestFirst(func(text string) bool { return s.at[text] && s.compareText(text, s.of.Version) < 0 })
	return append([]string{s.of.Version}, older...)
}
