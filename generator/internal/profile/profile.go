// Package profile reads profiles: data that states what a protocol's schemas leave out, and
// repairs what they get wrong. A profile decides; no Go code knows a protocol by name.
package profile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

// Profile is one profile file with all that it extends. The JSON member names are documented in profile.schema.json.
// Nothing changes it; Select gives what it states for one version.
type Profile struct {
	Extends string   `json:"-"` // embedded profile that a draft builds on, "" for none
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Package string   `json:"package"`
	Files   []string `json:"files"`
	// SharedDefinitions is the range of versions in which a reference inside a file may name a
	// definition that only another file has; "" is none.
	SharedDefinitions string   `json:"sharedDefinitions"`
	IgnoreKeywords    []string `json:"ignoreKeywords"`
	// Keywords are vendor keywords of the schemas with what they mean, whatever the vocabulary has under these names.
	Keywords map[string]schema.Meaning `json:"keywords"`
	Sides    []string                  `json:"sides"` // two, or none stated
	Messages facts.Messages            `json:"messages"`
	Versions Versions                  `json:"versions"`
	Naming   struct{ Initialisms []string }
	Numbers  struct{ Default string } // "integer" or "float"
	Unions   struct {
		Open           bool
		Untagged       bool
		Unknown        []schema.Mark // alternatives that stand for variants of newer versions
		Discriminators []string
	}
	Enums   struct{ Open bool }
	Objects struct {
		Undeclared string // "keep" or "drop"
		Null       string // "absent" or "value"
	}
	Actions    struct{ Union, Client string }
	Handshake  *facts.Handshake
	Calls      *facts.Calls
	Batches    *facts.Batches
	Extensions *facts.Extensions

	Capabilities struct{ Method string }

	entries []stated        // of all lists, in their order
	fixed   map[string]bool // the files that come with ahpgen, so that whoever generates cannot correct them
	root    *schema.Node
}

// Versions says which versions there are and how to recognise one.
type Versions struct {
	facts.Versions
	Recognise Marks // newest first
}

// Marking recognises a version by definitions that no older one has.
type Marking struct {
	Version     string   `json:"version"`
	Definitions []string `json:"definitions"`
}

var validator = sync.OnceValues(func() (*schema.Validator, error) {
	return schema.NewValidator("profile.schema.json", schemas.ProfileSchema, schema.Text{Name: "vocabulary.schema.json", Data: schemas.VocabularySchema})
})

// Parse reads a profile that extends no other one. The name is used in positions. It returns nil if the profile cannot be
// used; what is wrong with it is in diags.
func Parse(name string, data []byte, diags *diag.List) *Profile {
	p, _, _ := ParseAll(Text{Name: name, Key: name, Data: data}, nil, diags)
	return p
}

// parse reads a profile that extends no other one any more. It gives none if anything is wrong, before or now.
func parse(root *schema.Node, own *diag.List) *Profile {
	v, err := validator()
	if err != nil {
		panic(err) // the embedded schema does not compile: a defect of ahpgen itself, held by a test
	}
	v.Check(root, "bad-profile", own)
	checkWhole(root, own)
	checkGaps(root, own)
	checkPatterns(root, own)
	checkSides(root, own)
	checkStatements(root, own)
	if own.HasErrors() {
		return nil
	}
	p := &Profile{root: root}
	if err := json.Unmarshal([]byte(root.Compact()), p); err != nil {
		own.Errorf(root.Pos, "bad-profile", "", "%s", err)
		return nil
	}
	p.readEntries(own)
	p.checkVersions(own)
	if own.HasErrors() {
		return nil
	}
	return p
}

// checkWhole wants what a profile can only leave to one that it extends.
func checkWhole(root *schema.Node, diags *diag.List) {
	if root.Kind != schema.Object {
		return
	}
	want := func(object *schema.Node, what string, keys ...string) {
		var there []string
		for _, m := range object.Members {
			there = append(there, m.Key)
		}
		for _, key := range keys {
			if schema.NearestOf(key, there) == "" { // one that is misspelt is reported as it is
				diags.Errorf(object.Pos, "bad-profile", "add it", "%s lacks %q", what, key)
			}
		}
	}
	want(root, "the file", "name", "title")
	if actions := root.Get("actions"); actions != nil && actions.Kind == schema.Object {
		want(actions, "actions", "union")
	}
}

// Empty is the profile of a protocol about which nothing is known.
func Empty() *Profile { return &Profile{root: &schema.Node{Kind: schema.Object}} }

// Stated reports whether there is a profile: whoever has none cannot add to it.
func (p *Profile) Stated() bool { return p.root.Pos.File != "" }

// pos is where the text at a JSON pointer stands.
func (p *Profile) pos(pointer string) diag.Pos {
	if n := p.root.At(pointer); n != nil {
		return n.Pos
	}
	return p.root.Pos
}

// checkSides wants methods to come from sides that there are.
func checkSides(root *schema.Node, diags *diag.List) {
	var sides facts.Sides
	for _, n := range root.Get("sides").List() {
		sides = append(sides, n.Str())
	}
	opens, serves := sides.Names()
	for _, n := range slices.Concat(root.Get("methods").List(), root.At("/messages/sent").List()) {
		if from := n.Get("from"); from.Str() != "" && sides.Peer(from.Text) == "" {
			diags.Errorf(from.Pos, "bad-profile", fmt.Sprintf("write %q, %q or %q", opens, serves, facts.Both),
				"from: %q is none of %q, %q and %q", from.Text, opens, serves, facts.Both)
		}
	}
}

// Order is the order of versions that the profile states, "" if there is no profile.
func (p *Profile) Order() version.Order {
	if !p.Stated() {
		return ""
	}
	return cmp.Or(p.Versions.Order, version.Numbers)
}

func (p *Profile) checkVersions(diags *diag.List) {
	order := p.Versions.Order
	check := func(pos diag.Pos, texts ...string) {
		for _, text := range texts {
			diags.AddNew(facts.CheckVersion(order, text, pos)...)
		}
	}
	for _, n := range p.root.At("/versions/recognise").List() {
		check(n.Pos, n.Get("version").Text)
	}
	diags.AddNew(p.Versions.Check(p.root.Get("versions"))...)
	check(p.pos("/versions/confirmed"), p.Versions.Confirmed)
	if p.Extensions != nil {
		check(p.pos("/extensions"), p.Extensions.Since)
	}
	diags.AddNew(facts.CheckRange(order, p.SharedDefinitions, p.pos("/sharedDefinitions"))...)
	for _, e := range p.entries {
		diags.AddNew(facts.CheckRange(order, e.limits.versions(), e.node.Pos)...)
		check(e.node.Pos, e.limits.RepairedIn, e.limits.AddedIn, e.limits.RemovedIn)
	}
}
