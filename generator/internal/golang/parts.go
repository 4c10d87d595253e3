// Parts: what of a package is emitted beside types and codecs.

package golang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// The parts of a package beside types, tables and codecs.
const (
	PartReducers   = "reducers"
	PartStore      = "store"
	PartClient     = "client"
	PartHost       = "host"
	PartConnection = "connection"
	PartServer     = "server"
	PartValidate   = "validate"
	PartRandom     = "random"
	PartHelpers    = "helpers"
)

// RandomFolder returns the folder of random values of a package, which is the name of theirs.
func RandomFolder(pkg string) string { return pkg + "random" }

// PartNames lists all parts. Each stands behind those that it needs.
var PartNames = []string{PartReducers, PartStore, PartClient, PartHost, PartConnection, PartServer, PartHelpers, PartValidate, PartRandom}

// onRequest are the parts that a package has only if they are asked for.
var onRequest = []string{PartValidate, PartRandom}

// partNeeds are the parts that a part needs.
var partNeeds = map[string][]string{
	PartStore: {PartReducers}, PartConnection: {PartClient, PartStore}, PartServer: {PartHost, PartStore}, PartRandom: {PartValidate},
}

// Parts are the parts that are emitted.
type Parts map[string]bool

// RPC reports whether messages are sent or received.
func (p Parts) RPC() bool { return p[PartClient] || p[PartHost] }

// Side reports whether what a side sends and receives is emitted.
func (p Parts) Side(s *Party) bool {
	if s.Side == protocol.FromHost {
		return p[PartHost]
	}
	return p[PartClient]
}

// wantedParts returns the parts that are asked for, by default all but those on request, with those that they need.
func wantedParts(names []string) Parts {
	if names == nil {
		names = each.Without(PartNames, onRequest)
	}
	out := Parts{}
	var add func(string)
	add = func(name string) {
		out[name] = true
		for _, needed := range partNeeds[name] {
			add(needed)
		}
	}
	for _, name := range names {
		add(name)
	}
	return out
}

// parts determines the parts of the package, and reports those that are asked for and cannot be there.
func (b *builder) parts(want Parts) {
	out := b.out
	why := map[string]string{}
	if out.Reducers == nil {
		why[PartReducers] = "no channel of the protocol has a state and actions"
	}
	if b.opts.NoReducers {
		why[PartReducers] = "reducers.omit leaves reducers out"
	}
	if out.Store == nil {
		why[PartStore] = "the protocol states no replication"
	}
	if out.RPC == nil {
		why[PartClient], why[PartHost] = "the protocol has no methods", "the protocol has no methods"
	}
	if out.Session == nil {
		why[PartConnection], why[PartServer] = "the protocol states no sessions", "the protocol states no sessions"
	}
	if len(b.in.Handles)+len(b.in.Constructors) == 0 {
		why[PartHelpers] = "the protocol states no handles or constructors"
	}
	out.Parts = Parts{}
	for _, name := range PartNames {
		out.Parts[name] = want[name] && why[name] == ""
		if slices.Contains(b.opts.Parts, name) && why[name] != "" {
			b.Errorf(b.opts.PartsAt, "no-part", "leave "+strconv.Quote(name)+" out of parts", "the package cannot have the part %q: %s", name, b.in.Sides.In(b.missingPart(name, why)))
		}
	}
}

// missingPart returns why there is no part: of its own, or that of the first part that it needs.
func (b *builder) missingPart(name string, why map[string]string) string {
	for _, needed := range partNeeds[name] {
		if why[needed] != "" {
			return b.missingPart(needed, why)
		}
	}
	return why[name]
}

// lacks reports a setting that needs parts of which none is there.
func (b *builder) lacks(at diag.Pos, setting string, parts ...string) bool {
	if slices.ContainsFunc(parts, func(name string) bool { return b.out.Parts[name] }) {
		return false
	}
	b.Errorf(at, "no-part", "add it to parts, or leave "+setting+" out", "%s needs the part %s, which parts leaves out", setting, strings.Join(parts, " or "))
	return true
}
