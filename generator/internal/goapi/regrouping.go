// Regrouping: equal inline types are one Go type, and the union of all states is one if a schema
// declares it. If one of them changes, or another comes or goes, the
// rest may be called something else though nothing of theirs has changed.

package goapi

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// regrouping says which inline types are called something else, and who holds them.
func regrouping(old, new Side, oldNames, newNames *names) result {
	var r result
	told := map[string]bool{}
	for _, t := range old.Protocol.Types {
		now := new.Protocol.Lookup(t.Head().Name)
		if !t.Head().Inline || now == nil || !shareable(t) || !shareable(now) {
			continue
		}
		was, is := oldNames.typ(t), newNames.typ(now)
		if was == is || told[was+" "+is] {
			continue
		}
		told[was+" "+is] = true
		r.worse(fmt.Sprintf("%s is called %s where it is %q", was, is, t.Head().Name))
		r.names = append(r.names, oldNames.declared(t)...)
		r.names = append(r.names, oldNames.users(was)...)
	}
	if was, is := anyState(old), anyState(new); was != is && was != "" && is != "" {
		r.worse(fmt.Sprintf("the state of any channel is a %s, no longer a %s", is, was))
		r.names = append(r.names, was, is, old.Package.Own("Reducer"), old.Package.Own("Store"))
	}
	return r
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

// anyState is what the state of any channel is called, "" if there are no reducers.
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
	case *protocol.Struct, *protocol.Enum:
		return true
	}
	return false
}

// regroup adds to what becomes of a type what becomes of others that were equal to it, or are now.
func (j *judge) regroup(r result, c change.Change) result {
	p := c.Place
	if j.regrouping.todo == "" || p.OldType == nil && p.NewType == nil && p.OldRow == nil && p.NewRow == nil {
		return r
	}
	r.worse(j.regrouping.todo)
	r.names = append(r.names, j.regrouping.names...)
	j.regrouping = result{} // said once
	return r
}
