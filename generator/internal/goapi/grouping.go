// Grouping: the unions that are made from the action table, one for each channel and one for what a
// client may dispatch. An action that comes, goes or moves can change what they are made of.

package goapi

import (
	"fmt"
	"slices"

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
