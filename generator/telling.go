// Telling: schemas whose version is not stated. Things that no known version has are not taken for the newest one, and
// schemas that are wrong for the version that they seem to have may be right for another.

package generator

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// tell returns diagnostics about a version that was recognised and not stated.
func (g *Generator) tell(r reading, taken *profile.Selected) []diag.Diagnostic {
	known := each.Map(taken.Profile.Versions.Recognise, func(m profile.Marking) string { return m.Version })
	known = slices.Compact(known)
	if g.config.ProtocolVersion != "" || !taken.Recognised() || len(known) == 0 {
		return nil
	}
	if r.protocol != nil {
		if taken.Version.String() == known[0] {
			return g.tellNews(r.protocol, known[0])
		}
		return nil
	}
	at := slices.Index(known, taken.Version.String())
	slices.SortStableFunc(known, func(a, b string) int { return distance(known, at, a) - distance(known, at, b) })
	for _, other := range known {
		trial := &Generator{config: g.config, diags: &diag.List{}}
		trial.config.ProtocolVersion = other
		if s, err := trial.read(); err == nil && s.protocol != nil {
			return []diag.Diagnostic{diag.Errorf(diag.Pos{File: r.set.Docs[0].Display, Line: 1, Col: 1}, "other-version", g.sayVersion(other),
				"these schemas are wrong for version %s, which they were taken for, and right for version %s", taken.Version, other)}
		}
	}
	return nil
}

// distance returns how far a version is from the one at a place. Of two that are as far, the newer comes first.
func distance(known []string, at int, text string) int {
	i := slices.Index(known, text)
	return 2*max(i-at, at-i) + min(1, max(0, i-at))
}

// sayVersion returns the line to type that states the version of the schemas.
func (g *Generator) sayVersion(version string) string {
	if g.config.dir != "" && g.config.versionFlag == "" {
		return fmt.Sprintf("say which version they are: add this line to %s: \"protocolVersion\": %q,", filepath.ToSlash(DisplayPath(filepath.Join(g.config.dir, ConfigName))), version)
	}
	return fmt.Sprintf("say which version they are: --%s %s", g.config.stating(), version)
}

// stating returns the flag that states the version of the schemas.
func (c *Config) stating() string { return cmp.Or(c.versionFlag, "protocol-version") }

// tellNews asks for the version of schemas that have what the newest known version has not.
func (g *Generator) tellNews(p *protocol.Protocol, newest string) []diag.Diagnostic {
	side, err := embeddedSide(p.Name + "@" + newest)
	if err != nil {
		return nil // it is not embedded
	}
	news, first := newIn(side.Protocol, p)
	if len(news) == 0 {
		return nil
	}
	const most = 3
	names := strings.Join(news[:min(most, len(news))], ", ")
	if n := len(news) - most; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	next := "VERSION"
	if at, err := version.Order(p.Order).Parse(newest); err == nil && at.Numbered() {
		next = at.Raised(1)
	}
	return []diag.Diagnostic{diag.Errorf(first, "unknown-version", g.sayVersion(next),
		"these schemas have what version %s has not, the newest that ahpgen knows: %s", newest, names)}
}

// familiar returns the types of a protocol that are nothing new: those of parameters and results of methods that the old one has, which
// may be named otherwise, names of other types, and whole messages and the like, to which no method, channel or error leads.
func familiar(old, now *protocol.Protocol) map[protocol.Type]bool {
	out := map[protocol.Type]bool{}
	if len(now.Methods) == 0 {
		return out
	}
	var roots []protocol.Type
	for _, m := range now.Methods {
		roots = append(roots, m.Params, m.Result)
		if old.Method(m.Name) != nil {
			out[m.Params], out[m.Result] = true, true
		}
	}
	for _, e := range now.Errors {
		roots = append(roots, e.Data)
	}
	for _, state := range now.States() {
		roots = append(roots, state)
	}
	for _, a := range now.AllActions() {
		if a.Struct != nil {
			roots = append(roots, a.Struct)
		}
	}
	reached := graph.Reached(each.Where(roots, func(t protocol.Type) bool { return t != nil }), protocol.Inner)
	for _, t := range now.Types {
		_, names := t.(*protocol.Alias)
		out[t] = out[t] || names || !reached[t]
	}
	return out
}

// newIn returns the definitions, and the members of others, that only the second protocol has, and where the first of them is.
func newIn(old, now *protocol.Protocol) (news []string, first diag.Pos) {
	had := map[string]*protocol.Struct{}
	names := map[string]bool{}
	for _, t := range old.Types {
		names[t.Head().Name] = true
		if s, ok := t.(*protocol.Struct); ok {
			had[s.Name] = s
		}
	}
	note := func(name string, pos diag.Pos) {
		if len(news) == 0 {
			first = pos
		}
		news = append(news, name)
	}
	known := familiar(old, now)
	for _, t := range now.Types {
		head := t.Head()
		if head.Inline || !names[head.Name] && known[t] {
			continue
		}
		if !names[head.Name] {
			note(head.Name, head.Pos)
			continue
		}
		s, ok := t.(*protocol.Struct)
		if was := had[head.Name]; ok && was != nil {
			for _, f := range s.Whole() {
				if was.Extra == nil && !slices.ContainsFunc(was.Whole(), func(g *protocol.Field) bool { return g.Name == f.Name }) {
					note(head.Name+"."+f.Name, f.Pos)
				}
			}
		}
	}
	return news, first
}
