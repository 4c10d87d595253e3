// Grouping: the unions that are made from the action table, one for each channel and one for what a
// client may dispatch. An action that comes, goes or moves can change what they are made of.
//
// Regrouping: equal inline types are one Go type, a union keeps what it does not know in the type of a wider one, and the
// union of all states is one if a schema declares it. If one of them changes, or another comes or goes, the rest may be
// called something else though nothing of theirs has changed.

package goapi

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// made lists the unions of the action table that stand in no schema.
func made(p *protocol.Protocol) []*protocol.Union {
	if p.Actions == nil {
		return nil
	}
	out := slices.Clone(p.Actions.Channels)
	if p.Actions.Client != nil {
		out = append(out, p.Actions.Client)
	}
	return out
}

// grouping says what these unions lose: one of them goes, is no longer part of another, or has
// another type for its tags.
func grouping(old, new Side, oldNames, newNames *names) result {
	var r result
	byName := map[string]*golang.Union{}
	for _, u := range made(new.Protocol) {
		byName[newNames.typ(u)] = newNames.unionOf(u)
	}
	for _, in := range made(old.Protocol) {
		u := oldNames.unionOf(in)
		now := byName[u.Name]
		switch {
		case now == nil:
			r.worse(fmt.Sprintf("%s is gone", u.Name))
		case u.Tag != nil && (now.Tag == nil || now.Tag.Name != u.Tag.Name):
			r.worse(fmt.Sprintf("%s has no %s", u.Name, u.Tag.Name))
		case slices.ContainsFunc(family(u), func(name string) bool { return !slices.Contains(family(now), name) }):
			r.worse(fmt.Sprintf("%s belongs to other unions", u.Name))
		default:
			continue
		}
		r.names = append(r.names, oldNames.declared(in)...)
	}
	return r
}

// family names all unions that a union is part of.
func family(u *golang.Union) []string {
	return each.Map(u.Family()[1:], func(p *golang.Union) string { return p.Name })
}

// groups adds the changes of the unions to those of an action.
func (j *judge) groups(r result) result {
	if j.grouping.todo != "" {
		r.worse(j.grouping.todo)
		r.names = append(r.names, j.grouping.names...)
	}
	return r
}

// newName is what something is called though nothing of it has changed.
type newName struct {
	todo  string
	names []string
	users []string // structs that have members of it
}

// regrouping says which types are called something else.
func regrouping(old, new Side, oldNames, newNames *names) []newName {
	var out []newName
	told := map[string]bool{}
	add := func(n newName) {
		if !told[n.todo] {
			told[n.todo] = true
			out = append(out, n)
		}
	}
	renamed := func(t protocol.Type, was, todo string) {
		users := oldNames.users(was)
		add(newName{todo, append(oldNames.declared(t), users...), users})
	}
	for _, t := range old.Protocol.Types {
		now := new.Protocol.Lookup(t.Head().Name)
		if was, is := oldNames.unknown(t), newNames.unknown(now); was != is && was != "" && is != "" {
			add(newName{fmt.Sprintf("%s is called %s", was, is), []string{was}, oldNames.users(oldNames.typ(t))})
		}
		if !t.Head().Inline || now == nil || !shareable(t) || !shareable(now) {
			continue
		}
		if was, is := oldNames.typ(t), newNames.typ(now); was != is {
			renamed(t, was, fmt.Sprintf("%s is called %s where it is %q", was, is, t.Head().Name))
		}
	}
	if was, is := anyState(old), anyState(new); was != is && was != "" && is != "" {
		add(newName{
			todo:  fmt.Sprintf("the state of any channel is a %s, no longer a %s", is, was),
			names: []string{was, is, old.Package.Own("Reducer"), old.Package.Own("Store"), old.Package.Own("Server"), old.Package.Own("ServerOptions")},
		})
	}
	return out
}

// users lists the structs that have a field of a type.
func (n *names) users(typ string) []string {
	var out []string
	for _, s := range n.pkg.Structs {
		if slices.ContainsFunc(s.Fields, func(f *golang.Field) bool { return typeName(f.Type) == typ }) {
			out = append(out, s.Name)
		}
	}
	slices.Sort(out)
	return out
}

// anyState returns what the state of any channel is called, "" if there are no reducers.
func anyState(s Side) string {
	switch set := s.Package.Reducers; {
	case set == nil:
		return ""
	case set.State != nil:
		return set.State.Name
	}
	return s.Package.Own("ChannelState")
}

func shareable(t protocol.Type) bool {
	switch t.(type) {
	case *protocol.Struct, *protocol.Enum, *protocol.Union:
		return true
	}
	return false
}

// nearest returns the finding that is to say it: one about a struct that has members of it, or the first about
// anything that is declared; -1 if there is none.
func (j *judge) nearest(findings []verdict.Finding, n newName) int {
	i := slices.IndexFunc(findings, func(f verdict.Finding) bool {
		return f.Change.Place.OldType != nil && slices.Contains(n.users, j.old.typ(f.Change.Place.OldType))
	})
	if i >= 0 {
		return i
	}
	return slices.IndexFunc(findings, func(f verdict.Finding) bool {
		p := f.Change.Place
		return p.OldType != nil || p.NewType != nil || p.OldRow != nil || p.NewRow != nil
	})
}
