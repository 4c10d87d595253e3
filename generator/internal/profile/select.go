// Select: the part of a profile that applies to one version.

package profile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// Selected is a profile restricted to one version.
type Selected struct {
	Profile *Profile
	Version version.Version // zero if unknown
	order   version.Order
	has     func(definition string) bool
	marks   []string // definitions that identified the version
	facts   *facts.Facts
	repairs []*repair

	statements []*Statement
}

// Select determines the version, which is the given one or the newest whose marks are present, and returns the facts
// for it. Without a profile, versions have the given order.
func (p *Profile) Select(order version.Order, stated facts.Text, has func(definition string) bool) (*Selected, []diag.Diagnostic) {
	s := &Selected{Profile: p, order: cmp.Or(p.Order(), order), has: has}
	if stated.Text == "" {
		if m := p.Versions.Recognise.find(has); m != nil {
			stated.Text, s.marks = m.Version, m.Definitions
		}
	}
	var found []diag.Diagnostic
	if v, err := s.order.Parse(stated.Text); err == nil {
		s.Version = v
	} else if stated.Text != "" {
		found = append(found, diag.Errorf(stated.Pos, "bad-version", s.order.Hint(stated.Text), "%s", err))
	}
	s.fill()
	return s, found
}

// fill collects the entries for the version.
func (s *Selected) fill() {
	p := s.Profile
	s.facts = &facts.Facts{
		Name: p.Name, Title: p.Title, Profile: p.root.Pos.File, Initialisms: p.Naming.Initialisms,
		Sides: p.Sides, Synonyms: p.Synonyms, Messages: p.Messages,
		Versions: p.Versions.Versions, Whole: p.Numbers.Default == "integer", OpenUnions: p.Unions.Open, Untagged: p.Unions.Untagged, UndecidedRaw: p.Unions.Undecided == "raw", Discriminators: p.Unions.Discriminators, OpenEnums: p.Enums.Open,
		Keep: p.Objects.Undeclared == "keep", NullAbsent: p.Objects.Null == "absent",
	}
	v := &s.facts.Versions
	v.Order, v.At, v.WirePos = s.order, s.Version, p.pos("/versions/wire")
	s.facts.Introduction = p.Capabilities.Method
	if p.Package != "" {
		s.facts.Package = facts.Text{Text: p.Package, Pos: p.pos("/package")}
	}
	if p.Actions.Union != "" {
		s.facts.Actions = &facts.Actions{
			Union: p.Actions.Union, Client: p.Actions.Client, UnionPos: p.pos("/actions/union"), ClientPos: p.pos("/actions/client"),
			Source: p.origin(p.pos("/actions/union")).Source,
		}
	}
	s.facts.ErrorEnums = each.Map(p.root.At("/errors/enums").List(), func(n *schema.Node) *facts.Place {
		return &facts.Place{Origin: p.origin(n.Pos), At: n.Text}
	})
	if n := p.root.Get("replication"); n != nil {
		s.facts.Replication = &facts.Replication{Origin: p.origin(n.Pos), Statement: n}
	}
	s.fillConversation()
	for _, e := range p.entries {
		if !e.holds(s.order, s.Version) {
			continue
		}
		o := p.origin(e.node.Pos)
		o.What, o.Unneeded = e.what, e.absence(s.order, s.Version)
		for _, key := range []string{"params", "state"} {
			if name := e.node.Get(key).Str(); name != "" {
				o.Needs = append(o.Needs, name)
			}
		}
		e.add(s, o)
	}
}

// origin returns the origin of a fact at a place in the profile or one it extends.
func (p *Profile) origin(pos diag.Pos) facts.Origin {
	o := facts.Origin{Pos: pos, Other: p.Other}
	if p.fixed[pos.File] {
		o.Source = facts.Embedded
	}
	if pos.File != p.root.Pos.File {
		o.Extends = p.root.Pos.File
	}
	return o
}

// fillConversation collects the facts that can only be stated once.
func (s *Selected) fillConversation() {
	p := s.Profile
	holds := func(pointer string) bool {
		n := p.root.At(pointer)
		if n == nil {
			return false
		}
		l, err := facts.Decode[limits](n)
		return err == nil && l.holds(s.order, s.Version)
	}
	if holds("/handshake") {
		s.facts.Handshake = stand(p, p.Handshake, "/handshake")
	}
	if s.facts.Calls = stand(p, p.Calls, "/calls"); s.facts.Calls != nil {
		if !holds("/calls/cancel") {
			s.facts.Calls.Cancel = nil
		}
		if !holds("/calls/progress") {
			s.facts.Calls.Progress = nil
		}
		if !holds("/calls/ping") {
			s.facts.Calls.Ping = nil
		}
		if !holds("/calls/metadata") {
			s.facts.Calls.Metadata = nil
		}
		s.facts.Calls.Ends = those(s.facts.Calls.Ends, "/calls/ends/", holds)
		s.facts.Calls.IDs = those(s.facts.Calls.IDs, "/calls/ids/", holds)
	}
	if holds("/batches") && (p.Batches.Definition == "" || s.has(p.Batches.Definition)) {
		s.facts.Batches = stand(p, p.Batches, "/batches")
	}
	if holds("/envelope") {
		s.facts.Envelope = stand(p, p.Envelope, "/envelope")
		s.facts.Envelope.Written = p.root.At("/envelope")
	}
	for i, http := range p.HTTP {
		if at := "/http/" + strconv.Itoa(i); s.facts.HTTP == nil && holds(at) {
			s.facts.HTTP = stand(p, http, at)
		}
	}
	for i, handle := range p.Handles {
		if at := "/handles/" + strconv.Itoa(i); holds(at) {
			s.facts.Handles = append(s.facts.Handles, stand(p, handle, at))
		}
	}
	for i, constructor := range p.Constructors {
		if at := "/constructors/" + strconv.Itoa(i); holds(at) {
			s.facts.Constructors = append(s.facts.Constructors, stand(p, constructor, at))
		}
	}
	s.facts.Extensions = stand(p, p.Extensions, "/extensions")
}

// those returns the entries of a list at a pointer that hold.
func those[E any](list []E, pointer string, holds func(string) bool) (out []E) {
	for i, e := range list {
		if holds(pointer + strconv.Itoa(i)) {
			out = append(out, e)
		}
	}
	return out
}

// stand returns a copy of a fact with its origin, or nil.
func stand[F any, P interface {
	*F
	facts.Fact
}](p *Profile, stated P, pointer string) P {
	if stated == nil {
		return nil
	}
	own := *stated
	*P(&own).Where() = p.origin(p.pos(pointer))
	return &own
}

// Facts returns the stated facts, which must not be modified.
func (s *Selected) Facts() *facts.Facts { return s.facts }

// Shared reports whether the files of the version share definitions.
func (s *Selected) Shared() bool {
	return s.Profile.SharedDefinitions != "" && limits{Versions: s.Profile.SharedDefinitions}.holds(s.order, s.Version)
}

// Recognised reports whether the version was not stated but told by definitions.
func (s *Selected) Recognised() bool { return s.marks != nil }

// TakenFor explains in one line which version was detected and why. It is "" if the profile has no marks. The flag is the one that
// states the version.
func (s *Selected) TakenFor(flag string) string {
	switch {
	case len(s.Profile.Versions.Recognise) == 0:
		return ""
	case s.Version.IsZero():
		return "the schemas were taken for no version that the profile recognises, so entries for any were used; --" + flag + " names one"
	case s.marks == nil:
		return fmt.Sprintf("the schemas were taken for version %s, as stated", s.Version)
	}
	return fmt.Sprintf("the schemas were taken for version %s, because they define %s; --%s names another",
		s.Version, strings.Join(s.marks, " and "), flag)
}

// Resembles reports whether schemas have most of the definitions that a profile names which recognises no versions.
func (p *Profile) Resembles(has func(name string) bool) bool {
	const least = 4 // fewer could coincide
	if len(p.Versions.Recognise) > 0 {
		return false
	}
	named, there := map[string]bool{}, 0
	for _, e := range p.entries {
		for _, key := range []string{"at", "definition", "union", "enum", "params", "result"} {
			name, _, _ := strings.Cut(e.node.Get(key).Str(), ".")
			if name == "" || schema.IsPattern(name) || named[name] {
				continue
			}
			if named[name] = true; has(name) {
				there++
			}
		}
	}
	return there >= least && 4*there >= 3*len(named)
}

// Fits returns the profile for the version that the schemas appear to be, or nil. They must have its marks and most
// of the definitions that the profile names for that version, since marks alone could coincide. If a profile names no
// definitions, vendor keywords decide.
func (p *Profile) Fits(has, mentions func(name string) bool) *Selected {
	s, _ := p.Select("", facts.Text{}, has)
	if s.marks == nil {
		return nil
	}
	named := map[string]bool{p.Actions.Union: true}
	for _, m := range s.facts.Methods {
		named[m.Params], named[m.Result] = true, true
	}
	for _, m := range s.facts.Sent {
		named[m.Definition] = true
	}
	for _, c := range s.facts.Channels {
		named[c.State] = true
	}
	delete(named, "")
	if len(named) == 0 {
		has = mentions
		for keyword := range p.Keywords {
			named[keyword] = true
		}
	}
	there := 0
	for name := range named {
		if has(name) {
			there++
		}
	}
	if there == 0 || 4*there < 3*len(named) {
		return nil
	}
	return s
}
