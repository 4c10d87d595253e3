// The vocabulary: vendor keywords that state in a schema what profiles state from outside. They are
// described in schemas/README.md and in schemas/vocabulary.schema.json.

package schema

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Keywords at the root of a file.
const (
	KeywordProtocol    = "x-protocol"
	KeywordInitialisms = "x-initialisms"
	KeywordChannels    = "x-channels"
	KeywordHandshake   = "x-handshake"
	KeywordCalls       = "x-calls"
	KeywordExtensions  = "x-extensions"
	KeywordReplication = "x-replication"

	KeywordCapabilities = "x-capabilities"
	KeywordObjects      = "x-objects"
)

// Keywords inside schemas.
const (
	KeywordTag          = "x-tag"                 // on a union: the enum of its tags
	KeywordUntagged     = "x-untagged"            // on a union: the tag of the variant that an object without one is
	KeywordOtherwise    = "x-otherwise"           // on a union: the variants that an object without the members of the others is
	KeywordUnknown      = "x-unknown"             // on an alternative: stands for unknown variants
	KeywordEnumNames    = "x-enum-names"          // beside enum: the names of its values
	KeywordEnumDocs     = "x-enum-descriptions"   // beside enum or x-bitset: what the values mean
	KeywordBitset       = "x-bitset"              // on an integer: its flags by name
	KeywordAbstract     = "x-abstract"            // on an object: a base only, no type of its own
	KeywordPartialOf    = "x-partial-of"          // on an object: repeats another, all members optional
	KeywordChannel      = "x-channel"             // on a state type: its channel
	KeywordActions      = "x-actions"             // on a union: these are the actions
	KeywordDispatchable = "x-client-dispatchable" // on an action: clients may dispatch it
	KeywordEffects      = "x-effects"             // on an action: what it does to the state
	KeywordLifecycle    = "x-lifecycle"           // on a type with a status: which actions change it
	KeywordDispatched   = "x-dispatched"          // on a member: holds what a client dispatches
	KeywordThreeStates  = "x-three-states"        // on a member: null means something else than being left out
	KeywordLenient      = "x-lenient"             // on a member: it, or items of it, may be malformed
	KeywordSince        = "x-since"               // on an action or method: version it came in
	KeywordMethod       = "x-method"              // on parameters: the method's name
	KeywordSide         = "x-side"                // on parameters: who receives the method
	KeywordNotification = "x-notification"        // on parameters: the method has no answer
	KeywordResult       = "x-result"              // on parameters: the definition of the result, or null
	KeywordErrorCodes   = "x-error-codes"         // on an enum of integers: these are error codes
	KeywordErrorData    = "x-error-data"          // beside x-error-codes: data definitions by code
	KeywordGoName       = "x-go-name"             // on a definition: its name in Go
)

// Stand says on which schemas a keyword counts.
type Stand int

// Stands of keywords.
const (
	AtRoot       Stand = iota + 1 // of a file
	OnDefinition                  // elsewhere nobody reads it
	OnMember                      // of an object
	OnNamed                       // on a definition or a member, which have names
	Anywhere                      // beside the keywords that it is about
)

// vocabulary are the keywords, in the order in which a misspelt one is held against them.
var vocabulary = []struct {
	name  string
	stand Stand
}{
	{KeywordTag, OnDefinition}, {KeywordUntagged, OnDefinition}, {KeywordOtherwise, OnDefinition}, {KeywordUnknown, Anywhere}, {KeywordEnumNames, Anywhere}, {KeywordEnumDocs, Anywhere},
	{KeywordBitset, Anywhere}, {KeywordAbstract, OnDefinition}, {KeywordPartialOf, OnDefinition}, {KeywordChannel, OnDefinition},
	{KeywordActions, OnDefinition}, {KeywordDispatchable, OnDefinition}, {KeywordDispatched, OnMember}, {KeywordThreeStates, OnMember},
	{KeywordLenient, OnMember}, {KeywordEffects, OnDefinition}, {KeywordLifecycle, OnDefinition},
	{KeywordSince, OnDefinition}, {KeywordMethod, OnDefinition}, {KeywordSide, OnDefinition}, {KeywordNotification, OnDefinition},
	{KeywordResult, OnDefinition}, {KeywordErrorCodes, OnDefinition}, {KeywordErrorData, OnDefinition}, {KeywordGoName, OnNamed},

	{KeywordProtocol, AtRoot}, {KeywordInitialisms, AtRoot}, {KeywordChannels, AtRoot}, {KeywordHandshake, AtRoot}, {KeywordCalls, AtRoot},
	{KeywordCapabilities, AtRoot}, {KeywordObjects, AtRoot}, {KeywordExtensions, AtRoot}, {KeywordReplication, AtRoot},
}

// StandOf is where a keyword of the vocabulary counts, 0 for any other keyword.
func StandOf(keyword string) Stand {
	for _, k := range vocabulary {
		if k.name == keyword {
			return k.stand
		}
	}
	return 0
}

// keywords lists those of the vocabulary at the root of a file, or the others.
func keywords(root bool) []string {
	var out []string
	for _, k := range vocabulary {
		if root == (k.stand == AtRoot) {
			out = append(out, k.name)
		}
	}
	return out
}

// checkRoot reports keywords at the root of a file that nobody reads. Those of a root that is a
// schema itself are checked with the other definitions.
func (s *Set) checkRoot(doc *Document, opts Options, diags *diag.List) {
	if hasStructure(doc.Root) {
		return
	}
	known := slices.Concat([]string{"$defs", "definitions", "title", "description", "deprecated"}, annotations, keywords(true))
	for _, m := range doc.Root.Members {
		if !slices.Contains(known, m.Key) && !s.isForeign(m.Key) && !s.passVendor(m, diags) {
			diags.Errorf(m.KeyPos, "unknown-keyword", opts.unknown(),
				"unknown keyword %q at the root of the file", m.Key)
		}
	}
}

// Protocol is the protocol that the files say they describe, "" if they do not say.
func (s *Set) Protocol() string {
	if n := s.RootKeyword(KeywordProtocol).Get("name"); n != nil && n.Kind == String {
		return n.Text
	}
	return ""
}

// RepeatedRootKeywords reports keywords that a second file has at its root: only the first is read.
func (s *Set) RepeatedRootKeywords(diags *diag.List) {
	for _, keyword := range keywords(true) {
		var first *Document
		for _, doc := range s.Docs {
			m, ok := doc.Root.keyword(keyword)
			switch {
			case !ok:
			case first == nil:
				first = doc
			default:
				diags.Errorf(m.KeyPos, "duplicate-keyword", "keep one of the two", "%s stands in %s already", keyword, first.Name)
			}
		}
	}
}

// RootKeyword returns the value of a vocabulary keyword at the root of the first file that has it,
// nil if none does.
func (s *Set) RootKeyword(keyword string) *Node {
	if s.isForeign(keyword) {
		return nil
	}
	for _, doc := range s.Docs {
		if n := doc.Root.Get(keyword); n != nil {
			return n
		}
	}
	return nil
}
