// Package profile reads profiles: data that states what schemas leave out, and repairs their defects. No Go code
// depends on a protocol's name; profiles decide.
package profile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

// Profile is a profile file with all profiles it extends. The members are documented in profile.schema.json. It is
// immutable; Select returns the facts for one version.
type Profile struct {
	Extends string   `json:"-"` // embedded profile that a draft extends, or ""
	Other   bool     `json:"-"` // the schemas may be of another version than the profile is for, as those of one side of a comparison
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Package string   `json:"package"`
	Files   []string `json:"files"`
	// SharedDefinitions is the version range in which a reference may resolve to a definition in another file, or "".
	SharedDefinitions string   `json:"sharedDefinitions"`
	IgnoreKeywords    []string `json:"ignoreKeywords"`
	// Keywords maps vendor keywords of the schemas to their meaning. They take precedence over the vocabulary.
	Keywords map[string]schema.Meaning `json:"keywords"`
	Sides    []string                  `json:"sides"` // none or two
	Synonyms [][]string                `json:"synonyms"`
	Messages facts.Messages            `json:"messages"`
	Versions Versions                  `json:"versions"`
	Renamed  map[string]string         `json:"renamed"` // old names in the protocol → new ones
	Naming   struct{ Initialisms []string }
	Numbers  struct{ Default string } // "integer" or "float"
	Unions   struct {
		Open           bool
		Untagged       bool
		Undecided      string        // "raw" or ""
		Unknown        []schema.Mark // alternatives that stand for unknown variants
		Discriminators []string
	}
	Enums   struct{ Open bool }
	Objects struct {
		Undeclared string // "keep" or "drop"
		Null       string // "absent" or "value"
	}
	Actions      struct{ Union, Client string }
	Handshake    *facts.Handshake
	Calls        *facts.Calls
	Batches      *facts.Batches
	Envelope     *facts.Envelope
	HTTP         []*facts.HTTP // one for each range of versions
	Handles      []*facts.Handle
	Constructors []*facts.Constructor
	Extensions   *facts.Extensions

	Capabilities struct{ Method string }

	entries []stated        // entries of all lists in order
	fixed   map[string]bool // embedded files, which the user cannot edit
	root    *schema.Node
}

// Versions lists the versions and how they are recognised.
type Versions struct {
	facts.Versions
	Recognise Marks // newest first
}

// Marking recognises a version by definitions that older versions lack.
type Marking struct {
	Version     string   `json:"version"`
	Definitions []string `json:"definitions"`
}

var validator = sync.OnceValues(func() (*schema.Validator, error) {
	return schema.NewValidator("profile.schema.json", schemas.ProfileSchema, schema.Text{Name: "vocabulary.schema.json", Data: schemas.VocabularySchema})
})

// Parse reads a profile that does not extend another. There is none if it is unusable.
func Parse(name string, data []byte) (*Profile, []diag.Diagnostic) {
	r, _ := ParseAll(Text{Name: name, Key: name, Data: data}, nil)
	return r.Profile, r.Found
}

// parse reads a profile after extension. What was found in its text is given and returned with the rest; after an error
// there is no profile.
func parse(root *schema.Node, found []diag.Diagnostic) (*Profile, []diag.Diagnostic) {
	v, err := validator()
	if err != nil {
		panic(err) // the embedded schema is invalid, which a test rules out
	}
	var diags diag.List
	diags.Add(found...)
	diags.Add(v.Check(root, "bad-profile", diags.Places())...)
	for _, check := range []func(*schema.Node) []diag.Diagnostic{checkWhole, checkGaps, checkPatterns, checkSides, checkStatements} {
		diags.Add(check(root)...)
	}
	if diags.HasErrors() {
		return nil, diags.Items()
	}
	p := &Profile{root: root}
	if err := json.Unmarshal([]byte(root.Compact()), p); err != nil {
		diags.Errorf(root.Pos, "bad-profile", "", "%s", err)
		return nil, diags.Items()
	}
	diags.Add(p.readEntries()...)
	diags.AddNew(p.checkVersions()...)
	if diags.HasErrors() {
		return nil, diags.Items()
	}
	return p, diags.Items()
}

// checkWhole requires what a profile may omit only if it extends another.
func checkWhole(root *schema.Node) (found []diag.Diagnostic) {
	if root.Kind != schema.Object {
		return nil
	}
	want := func(object *schema.Node, what string, keys ...string) {
		there := each.Map(object.Members, func(m schema.Member) string { return m.Key })
		for _, key := range keys {
			if similar.Nearest(key, there) == "" { // misspelt keys are reported elsewhere
				found = append(found, diag.Errorf(object.Pos, "bad-profile", "add it", "%s lacks %q", what, key))
			}
		}
	}
	want(root, "the file", "name", "title")
	if actions := root.Get("actions"); actions != nil && actions.Kind == schema.Object {
		want(actions, "actions", "union")
	}
	return found
}

// Empty returns the profile of an unknown protocol.
func Empty() *Profile { return &Profile{root: &schema.Node{Kind: schema.Object}} }

// Stated reports whether the user has a profile to add to.
func (p *Profile) Stated() bool { return p.root.Pos.File != "" }

// pos returns the position at a JSON pointer.
func (p *Profile) pos(pointer string) diag.Pos {
	if n := p.root.At(pointer); n != nil {
		return n.Pos
	}
	return p.root.Pos
}

// checkSides requires that the senders of methods are sides of the protocol.
func checkSides(root *schema.Node) (found []diag.Diagnostic) {
	sides := facts.Sides(each.Map(root.Get("sides").List(), (*schema.Node).Str))
	opens, serves := sides.Names()
	for _, n := range slices.Concat(root.Get("methods").List(), root.At("/messages/sent").List()) {
		if from := n.Get("from"); from.Str() != "" && sides.Peer(from.Text) == "" {
			found = append(found, diag.Errorf(from.Pos, "bad-profile", fmt.Sprintf("write %q, %q or %q", opens, serves, facts.Both),
				"from: %q is none of %q, %q and %q", from.Text, opens, serves, facts.Both))
		}
	}
	return found
}

// Order returns the stated order of versions, or "" without a profile.
func (p *Profile) Order() version.Order {
	if !p.Stated() {
		return ""
	}
	return cmp.Or(p.Versions.Order, version.Numbers)
}

func (p *Profile) checkVersions() []diag.Diagnostic {
	var diags diag.List
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
	return diags.Items()
}
