// Package verdict says whom a change breaks. A change stands in types; types travel in messages
// between two parties; and either party may be older than the other.
package verdict

import (
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/flow"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Verdict is how a reader takes what it gets, mildest first.
type Verdict int

// The verdicts.
const (
	Fine      Verdict = iota // it understands everything
	Tolerated                // it goes on without a part that it does not know
	Breaks                   // it refuses the message, or lacks what it relies on
)

var verdicts = [...]string{"fine", "tolerated", "breaks"}

// String names the verdict.
func (v Verdict) String() string { return verdicts[v] }

// MarshalText writes the verdict's name into JSON.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Skew says which party is the older one.
type Skew int

// The skews.
const (
	OldClient Skew = iota // old client, new host
	OldHost               // new client, old host
)

// String names the skew.
func (s Skew) String() string { return [...]string{"old client, new host", "new client, old host"}[s] }

// MarshalText writes the skew's name into JSON.
func (s Skew) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// age says how old a party is under the skew.
func (s Skew) age(side protocol.Side) string {
	if (s == OldClient) == (side == protocol.FromClient) {
		return "old"
	}
	return "new"
}

// Effect is what a change does in one direction under one skew.
type Effect struct {
	Direction flow.Direction
	Skew      Skew
	Verdict   Verdict
	Why       string // one clause, "" if it is fine
	Via       string // a message that carries the type, such as "params of ping"; "" for rows of tables
}

// concerns reports whether a party has to care: it reads the message, or it sends it and was there
// first. A new sender knows from the version what an old reader takes; an old one cannot know.
func (e Effect) concerns(side protocol.Side) bool {
	return e.Direction.Consumer() == side || e.Skew.age(side) == "old"
}

// GoEffect is what a change does to programs that use the emitted package.
type GoEffect int

// The effects on Go programs.
const (
	GoNone     GoEffect = iota // nothing that a program can see
	GoAdditive                 // programs compile and mean the same
	GoBreak                    // some programs have to change
)

// String names the effect.
func (g GoEffect) String() string { return [...]string{"none", "additive", "source break"}[g] }

// MarshalText writes the effect's name into JSON.
func (g GoEffect) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// Finding is a change with its verdicts.
type Finding struct {
	change.Change
	Rule    *Rule
	Effects []Effect
	Client  Verdict // worst of what concerns a client
	Host    Verdict // worst of what concerns a host
	Go      GoEffect
	Else    GoEffect // what is left of Go in programs that compare nothing with ==
	Todo    string   // what to do in Go, "" if there is nothing
	Unequal string   // struct that no longer compares with ==, "" for none
	GoNames []string // identifiers of the package that are concerned
}

// Side returns the verdict for a party, and the worst of both for any other word.
func (f *Finding) Side(side protocol.Side) Verdict {
	switch side {
	case protocol.FromClient:
		return f.Client
	case protocol.FromHost:
		return f.Host
	}
	return max(f.Client, f.Host)
}

// Why explains the verdict for a party in a clause, "" if there is nothing to explain.
func (f *Finding) Why(side protocol.Side) string {
	worst := f.Side(side)
	for _, e := range f.Effects {
		if e.Verdict == worst && worst > Fine && (side == protocol.FromBoth || e.concerns(side)) {
			return e.Why
		}
	}
	return ""
}
