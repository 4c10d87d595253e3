// States: the reducers that actions have, and what keeps states: the store, the connection and the server.

package goapi

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// reducer: who writes the reducer of an action, and whether one that was written follows the rule.
func (j *judge) reducer(c change.Change) result {
	if j.newPackage.Reducers == nil {
		return none("")
	}
	switch c.Rule {
	case change.RuleAdded:
		return none("ahpgen bump puts those that you wrote under reducers.own; take them out again to have ahpgen's")
	case change.RuleRemoved:
		return none("their reducers are yours to write")
	case change.RuleRestated:
		return none("")
	}
	return none("compare a reducer of your own, and what you do beside reducers, with the new rule")
}

// stateNames are what a package has to keep states, by what it needs for them.
var (
	storeNames   = []string{"Store", "NewStore", "Reconnection"}
	sessionNames = []string{"Broadcaster", "Conn", "ConnOptions", "Connect", "Server", "ServerOptions", "NewServer"}
)

// replicated: what keeps states is there or not.
func (j *judge) replicated(c change.Change) result {
	old, now := kept(j.oldPackage), kept(j.newPackage)
	var gone, came []string
	for _, name := range append(append([]string{}, storeNames...), sessionNames...) {
		was, is := old[name], now[name]
		switch {
		case was != "" && is == "":
			gone = append(gone, was)
		case was == "" && is != "":
			came = append(came, is)
		}
	}
	switch {
	case len(gone) > 0:
		return sourceBreak("stop using "+strings.Join(gone, ", "), gone...)
	case len(came) > 0:
		return additive("there are "+strings.Join(came, ", "), came...)
	case c.Rule == change.ReplicationChanged && slices.Contains(typeRoles, c.Subject) && now["Store"] != "":
		return sourceBreak("the store takes or returns the other type", now["Store"])
	}
	return none("")
}

// typeRoles are the roles of the types that a store takes and returns.
var typeRoles = []string{"replication envelope", "replication snapshot", "replication dispatch"}

// kept returns what a package calls what it has to keep states.
func kept(pkg *golang.Package) map[string]string {
	out := map[string]string{}
	if pkg.Store != nil {
		for _, name := range storeNames {
			out[name] = pkg.Own(name)
		}
	}
	if pkg.Session != nil {
		for _, name := range sessionNames {
			out[name] = pkg.Own(name)
		}
	}
	return out
}
