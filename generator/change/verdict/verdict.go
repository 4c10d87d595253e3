// Package verdict determines whom a change breaks. A change is in a type, types travel in messages between two
// parties, and either party may be older.
package verdict

import (
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/flow"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Verdict is the effect on a reader, mildest first.
type Verdict int

// The verdicts.
const (
	Fine      Verdict = iota // everything is understood
	Tolerated                // an unknown part is ignored
	Breaks                   // the message is refused, or something relied upon is missing
)

var verdicts = [...]string{"fine", "tolerated", "breaks"}

// String returns the name of the verdict.
func (v Verdict) String() string { return verdicts[v] }

// MarshalText returns the name of the verdict.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Skew is which party is older.
type Skew int

// The skews.
const (
	OldClient Skew = iota // old client, new host
	OldHost               // new client, old host
)

// String returns the name of the skew.
func (s Skew) String() string { return [...]string{"old client, new host", "new client, old host"}[s] }

// MarshalText returns the name of the skew.
func (s Skew) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// age returns whether a party is older or newer under the skew.
func (s Skew) age(side protocol.Side) string {
	if (s == OldClient) == (side == protocol.FromClient) {
		return "old"
	}
	return "new"
}

// Effect is the effect of a change in one direction under one skew.
type Effect struct {
	Direction flow.Direction
	Skew      Skew
	Verdict   Verdict
	Why       string // reason as a clause, or "" if there is no effect
	Via       string // a message that carries the type, such as "params of ping", or ""
}

// concerns reports whether the effect concerns a party: it reads the message, or it sends it and is the older one. A
// newer sender knows what an older reader accepts from the agreed version.
func (e Effect) concerns(side protocol.Side) bool {
	return e.Direction.Consumer() == side || e.Skew.age(side) == "old"
}

// GoEffect is the effect of a change on Go programs that use the package.
type GoEffect int

// The effects on Go programs.
const (
	GoNone     GoEffect = iota // not visible to programs
	GoAdditive                 // programs compile with the same meaning
	GoBreak                    // some programs must change
)

// String returns the name of the effect.
func (g GoEffect) String() string { return [...]string{"none", "additive", "source break"}[g] }

// MarshalText returns the name of the effect.
func (g GoEffect) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// Finding is a change with its verdicts.
type Finding struct {
	change.Change
	Rule    *Rule
	Effects []Effect
	Client  Verdict // worst effect that concerns a client
	Host    Verdict // worst effect that concerns a host
	Disk    Verdict // effect on a new host that reads what an old one has written
	Go      GoEffect
	Else    GoEffect // effect on programs that do not compare with ==
	Todo    string   // required change of Go code, or ""
	Unequal string   // struct that is no longer comparable, or ""
	GoNames []string // affected identifiers, each once

	// Unstable says what is experimental about it, such as "CanvasState is experimental (1)", or is "".
	Unstable string

	asked bool // a new writer sends it only to a reader that knows it
}

// Side returns the verdict for a party, or the worst of both for any other argument.
func (f *Finding) Side(side protocol.Side) Verdict {
	switch side {
	case protocol.FromClient:
		return f.Client
	case protocol.FromHost:
		return f.Host
	}
	return max(f.Client, f.Host)
}

// Why returns the reason for the verdict of a party as a clause, or "".
func (f *Finding) Why(side protocol.Side) string {
	worst := f.Side(side)
	for _, e := range f.Effects {
		if e.Verdict == worst && worst > Fine && (side == protocol.FromBoth || e.concerns(side)) {
			return e.Why
		}
	}
	return ""
}
