// Package profile reads profiles: data that states what a protocol's schemas leave out, and
// repairs what they get wrong. A profile decides; no Go code knows a protocol by name.
package profile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/schema"
	"github.com/ahpgen/ahpgen/generator/version"
	"github.com/ahpgen/ahpgen/schemas"
)

// Profile is one profile file. The JSON member names are documented in profile.schema.json.
type Profile struct {
	Schema  string   `json:"$schema"`
	Extends string   `json:"-"` // embedded profile that a draft builds on, "" for none
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Package string   `json:"package"`
	Files   []string `json:"files"`
	// SharedDefinitions is the range of versions in which a reference inside a file may name a
	// definition that only another file has; "" is none.
	SharedDefinitions string   `json:"sharedDefinitions"`
	IgnoreKeywords    []string `json:"ignoreKeywords"`
	Versions          Versions `json:"versions"`
	Naming            Naming   `json:"naming"`
	Numbers           Numbers  `json:"numbers"`
	Unions            Unions   `json:"unions"`
	Enums             Enums    `json:"enums"`
	Partials          []Partial
	Omit              []Omission
	Channels          []Channel
	Actions           Actions
	// Replication names the types and members that carry states; package analyze reads it.
	Replication json.RawMessage
	Methods     []Method
	Errors      Errors
	Handshake   *Handshake
	Calls       *Calls
	Extensions  *Extensions
	Overlay     []Overlay

	// Version is the version at hand, set by Select.
	Version version.Version `json:"-"`
	// fixed are the files that come with ahpgen, so that whoever generates cannot correct them.
	fixed map[string]bool

	root *schema.Node
	used map[string]bool
	from map[string]diag.Pos        // where entries come from that schemas state themselves
	keys map[string]map[string]bool // by list, what its entries are for, once a schema adds one

	applies map[string]bool // by range, for the version in applied
	applied version.Version
	marks   []string // definitions that the version was recognised by
}

// Entry is what every entry can have.
type Entry struct {
	Versions string `json:"versions"` // range of versions it is for, "" for all
	Why      string `json:"why"`
}

func (e Entry) limits() (string, string) { return e.Versions, "" }

// Versions says which versions there are and how to recognise one.
type Versions struct {
	Supported []string  `json:"supported"` // offered by implementations that are as new or newer, preferred first
	Breaking  []string  `json:"breaking"`  // what is as new as one of these cannot speak what is older than it
	Confirmed string    `json:"confirmed"` // newest for which the rules of actions were compared with the protocol's words
	Recognise []Marking `json:"recognise"` // newest first
}

// Marking recognises a version by definitions that no older one has.
type Marking struct {
	Version     string   `json:"version"`
	Definitions []string `json:"definitions"`
}

// Naming holds what Go names need beyond the rules.
type Naming struct {
	Initialisms []string `json:"initialisms"`
	Names       []Name   `json:"names"`
}

// Name pins a Go name.
type Name struct {
	Entry
	At   string `json:"at"` // Definition, Definition.member, the path of an inline type, or method()
	Name string `json:"name"`
}

// Numbers says what "type": "number" means.
type Numbers struct {
	Default string  `json:"default"` // "integer" or "float"
	Floats  []Place `json:"floats"`
	Ints    []Place `json:"integers"`
}

// Place names a definition or one of its members.
type Place struct {
	Entry
	At string `json:"at"`
}

// Unions says how unions behave.
type Unions struct {
	Open           bool     `json:"open"` // tagged unions keep unknown variants unless a rule says otherwise
	Discriminators []string `json:"discriminators"`
	Rules          []Union  `json:"rules"`
}

// Union is a rule for one union.
type Union struct {
	Entry
	Union         string `json:"union"`
	Discriminator string `json:"discriminator"`
	Open          *bool  `json:"open"`
	Tag           string `json:"tag"`      // name of the type of the discriminator's values
	Untagged      string `json:"untagged"` // value of the discriminator that is meant where there is none
}

// Enums says how enums behave.
type Enums struct {
	Open  bool   `json:"open"`
	Rules []Enum `json:"rules"`
}

// Enum is a rule for one enum.
type Enum struct {
	Entry
	Enum   string            `json:"enum"`
	Open   *bool             `json:"open"`
	Bitset bool              `json:"bitset"`
	Names  map[string]string `json:"names"` // value → member name
}

// Partial says that an inline object repeats a definition with every member optional.
type Partial struct {
	Entry
	At   string `json:"at"`
	Of   string `json:"of"`
	Name string `json:"name"`
}

// Omission leaves a definition out that is never on the wire.
type Omission struct {
	Entry
	Definition string `json:"definition"`
	AddedIn    string `json:"addedIn"`   // from this version on the schemas are sure to have it
	RemovedIn  string `json:"removedIn"` // from this version on they may be without it
}

// mayLack reports whether schemas of a version may be without the definition.
func (o Omission) mayLack(v version.Version) bool {
	if v.IsZero() {
		return false
	}
	added, err := version.Parse(o.AddedIn)
	if o.AddedIn != "" && err == nil && v.Compare(added) < 0 {
		return true
	}
	removed, err := version.Parse(o.RemovedIn)
	return o.RemovedIn != "" && err == nil && v.Compare(removed) >= 0
}

// Channel is a stream of actions or notifications.
type Channel struct {
	Entry
	Name   string `json:"name"`
	URI    string `json:"uri"`
	Prefix string `json:"prefix"`
	State  string `json:"state"`
	// PassThrough is the member of parameters that names the channel, where it carries methods of another protocol.
	PassThrough string `json:"passThrough"`
	Shared      bool   `json:"shared"` // a client may hold it as well
	Doc         string `json:"doc"`
}

// Actions names the union of actions and states what is known of each.
type Actions struct {
	Union      string   `json:"union"`
	Client     string   `json:"client"`     // name of the interface of what clients may dispatch
	Dispatched []Place  `json:"dispatched"` // members that hold such an action
	Rules      []Action `json:"rules"`
	// Effects state what actions do; package analyze reads them.
	Effects []Effects `json:"effects"`
}

// Effects states what one action does to the state of its channel.
type Effects struct {
	Entry
	Action  string          `json:"action"` // its type
	Effects json.RawMessage `json:"effects"`
}

// Action states facts about one action.
type Action struct {
	Type   string `json:"type"`
	Since  string `json:"since"`
	Until  string `json:"until"` // first version without it
	Client bool   `json:"client"`
}

func (a Action) limits() (string, string) { return between(a.Since, a.Until), "" }

// Method is one request or notification.
type Method struct {
	Name   string `json:"name"`
	From   string `json:"from"` // "client", "host" or "both"
	Kind   string `json:"kind"` // "request" or "notification"
	Params string `json:"params"`
	Result string `json:"result"` // "" is null
	Since  string `json:"since"`
	Until  string `json:"until"`
	Doc    string `json:"doc"`
}

func (m Method) limits() (string, string) { return between(m.Since, m.Until), "" }

// Errors says where error codes come from.
type Errors struct {
	Enums []string `json:"enums"` // definitions that list codes; they become no types of their own
	Codes []Code   `json:"codes"`
}

// Code names one error code.
type Code struct {
	Entry
	Code int64  `json:"code"`
	Name string `json:"name"`
	Data string `json:"data"`
	Doc  string `json:"doc"`
}

// Overlay is one repair of a schema.
type Overlay struct {
	Entry
	Definition string          `json:"definition"`
	At         string          `json:"at"`
	Was        json.RawMessage `json:"was"`
	Define     json.RawMessage `json:"define"`
	Enum       json.RawMessage `json:"enumeration"` // member name → value
	Patch      json.RawMessage `json:"patch"`
	Append     json.RawMessage `json:"append"`
	Remove     json.RawMessage `json:"remove"`
	Drop       bool            `json:"drop"`
	RepairedIn string          `json:"repairedIn"` // from this version on the schema is right by itself
}

func (o Overlay) limits() (string, string) { return o.Versions, o.RepairedIn }

func between(since, until string) string {
	text := ""
	if since != "" {
		text = ">=" + since
	}
	if until != "" {
		text += " <" + until
	}
	return text
}

var validator = sync.OnceValues(func() (*schema.Validator, error) {
	return schema.NewValidator("profile.schema.json", schemas.ProfileSchema)
})

// Parse reads a profile that extends no other one. The name is used in positions. It returns nil when the profile cannot be
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
	if own.HasErrors() {
		return nil
	}
	p := &Profile{root: root, used: map[string]bool{}}
	if err := json.Unmarshal([]byte(root.Compact()), p); err != nil {
		own.Errorf(root.Pos, "bad-profile", "", "%s", err)
		return nil
	}
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
func Empty() *Profile {
	return &Profile{root: &schema.Node{Kind: schema.Object}, used: map[string]bool{}}
}

// Stated reports whether there is a profile: whoever has none cannot add to it.
func (p *Profile) Stated() bool { return p.root.Pos.File != "" }

// Pos is where the entry at the JSON pointer stands.
func (p *Profile) Pos(pointer string) diag.Pos {
	if pos, ok := p.from[pointer]; ok {
		return pos
	}
	if n := p.root.At(pointer); n != nil {
		return n.Pos
	}
	return p.root.Pos
}

// Node returns the profile's text below the JSON pointer, nil where there is none.
func (p *Profile) Node(pointer string) *schema.Node { return p.root.At(pointer) }

// add appends an entry that a schema states about itself. It matches by its nature.
func add[E any](p *Profile, list string, entries []E, e E, pos diag.Pos) []E {
	pointer := fmt.Sprintf("%s/%d", list, len(entries))
	if p.from == nil {
		p.from = map[string]diag.Pos{}
	}
	p.from[pointer] = pos
	p.used[pointer] = true
	return append(entries, e)
}

// taken reports whether one of the entries of a list that count is for the same as another, which is
// about to be added.
func taken[E any](p *Profile, list string, entries []E, e E, of func(E) string, counts func(E) bool) bool {
	keys := p.keys[list]
	if keys == nil {
		keys = map[string]bool{}
		for _, o := range entries {
			if counts(o) {
				keys[of(o)] = true
			}
		}
		if p.keys == nil {
			p.keys = map[string]map[string]bool{}
		}
		p.keys[list] = keys
	}
	key := of(e)
	there := keys[key]
	if counts(e) {
		keys[key] = true
	}
	return there
}

func always[E any](E) bool { return true }

// AddName adds a pinned name that stands in a schema.
func (p *Profile) AddName(n Name, pos diag.Pos) {
	if taken(p, "/naming/names", p.Naming.Names, n, func(n Name) string { return n.At }, always) {
		return // the profile comes first
	}
	p.Naming.Names = add(p, "/naming/names", p.Naming.Names, n, pos)
}

// AddUnion adds a rule for a union that stands in a schema.
func (p *Profile) AddUnion(u Union, pos diag.Pos) {
	p.Unions.Rules = add(p, "/unions/rules", p.Unions.Rules, u, pos)
}

// AddPartial adds a partial object that stands in a schema.
func (p *Profile) AddPartial(e Partial, pos diag.Pos) {
	if taken(p, "/partials", p.Partials, e, func(e Partial) string { return e.At }, always) {
		return
	}
	p.Partials = add(p, "/partials", p.Partials, e, pos)
}

// AddChannel adds a channel that stands in a schema.
func (p *Profile) AddChannel(c Channel, pos diag.Pos) {
	if taken(p, "/channels", p.Channels, c, func(c Channel) string { return c.Name }, always) {
		return
	}
	p.Channels = add(p, "/channels", p.Channels, c, pos)
}

// SetActions names the union of actions where a schema does.
func (p *Profile) SetActions(union, client string, pos diag.Pos) {
	p.Actions.Union, p.Actions.Client = union, client
	if p.from == nil {
		p.from = map[string]diag.Pos{}
	}
	p.from["/actions/union"], p.from["/actions/client"] = pos, pos
}

// AddMethod adds a method that stands in a schema.
func (p *Profile) AddMethod(m Method, pos diag.Pos) {
	if taken(p, "/methods", p.Methods, m, func(m Method) string { return m.Name }, func(m Method) bool { return p.Applies(m) }) {
		return
	}
	p.Methods = add(p, "/methods", p.Methods, m, pos)
}

// AddCode adds an error code that stands in a schema.
func (p *Profile) AddCode(c Code, pos diag.Pos) {
	if taken(p, "/errors/codes", p.Errors.Codes, c, func(c Code) string { return strconv.FormatInt(c.Code, 10) }, func(c Code) bool { return p.Applies(c) }) {
		return
	}
	p.Errors.Codes = add(p, "/errors/codes", p.Errors.Codes, c, pos)
}

// Shared reports whether the files of the version at hand share their definitions.
func (p *Profile) Shared() bool {
	if p.SharedDefinitions == "" {
		return false
	}
	r, err := version.ParseRange(p.SharedDefinitions)
	return err == nil && r.Holds(p.Version)
}

// Spoken lists the versions that an implementation of the one at hand can speak: that one, then
// those that are supported and older, down to the latest that broke with what was before it.
func (p *Profile) Spoken() []string {
	var out []string
	if !p.Version.IsZero() {
		out = append(out, p.Version.String())
	}
	for _, text := range p.Versions.Supported {
		if v, err := version.Parse(text); err == nil && (p.Version.IsZero() || v.Compare(p.Version) < 0) && !p.broken(v) {
			out = append(out, text)
		}
	}
	return out
}

// Unconfirmed returns the version up to which the rules of actions were confirmed, where the one at hand is
// newer: nobody has compared them with it yet. It is "" where they were, and where nothing is said.
func (p *Profile) Unconfirmed() string {
	confirmed, err := version.Parse(p.Versions.Confirmed)
	if p.Versions.Confirmed == "" || err != nil || p.Version.Compare(confirmed) <= 0 {
		return ""
	}
	return p.Versions.Confirmed
}

// broken reports whether a version lies behind one that broke with it, seen from the version at hand or,
// where that is unknown, from the newest.
func (p *Profile) broken(v version.Version) bool {
	return slices.ContainsFunc(p.Versions.Breaking, func(text string) bool {
		b, err := version.Parse(text)
		return err == nil && v.Compare(b) < 0 && (p.Version.IsZero() || b.Compare(p.Version) <= 0 && !p.Version.Precedes(b))
	})
}

// Use notes that the entry at the pointer matched something.
func (p *Profile) Use(pointer string) { p.used[pointer] = true }

// Limited is an entry that may be for some versions only.
type Limited interface {
	// limits returns the range of versions, and the version from which the entry is not needed.
	limits() (versions, repairedIn string)
}

// Applies reports whether an entry is for the version at hand.
func (p *Profile) Applies(e Limited) bool {
	text, _ := e.limits()
	applies, ok := p.applies[text]
	if !ok || p.applied != p.Version {
		if p.applied != p.Version || p.applies == nil {
			p.applies, p.applied = map[string]bool{}, p.Version
		}
		r, err := version.ParseRange(text)
		applies = err == nil && r.Holds(p.Version)
		p.applies[text] = applies
	}
	return applies
}

func visit[E Limited](p *Profile, list string, entries []E, what func(E) string, f func(pointer string, e Limited, what string)) {
	for i, e := range entries {
		f(fmt.Sprintf("%s/%d", list, i), e, what(e))
	}
}

// each calls f for every entry that has to match something.
func (p *Profile) each(f func(pointer string, e Limited, what string)) {
	visit(p, "/naming/names", p.Naming.Names, func(e Name) string { return "name for " + e.At }, f)
	visit(p, "/numbers/floats", p.Numbers.Floats, func(e Place) string { return "float " + e.At }, f)
	visit(p, "/numbers/integers", p.Numbers.Ints, func(e Place) string { return "integer " + e.At }, f)
	visit(p, "/unions/rules", p.Unions.Rules, func(e Union) string { return "union rule for " + e.Union }, f)
	visit(p, "/enums/rules", p.Enums.Rules, func(e Enum) string { return "enum rule for " + e.Enum }, f)
	visit(p, "/partials", p.Partials, func(e Partial) string { return "partial " + e.At }, f)
	visit(p, "/omit", p.Omit, func(e Omission) string { return "omission of " + e.Definition }, f)
	visit(p, "/channels", p.Channels, func(e Channel) string { return "channel " + e.Name }, f)
	visit(p, "/actions/dispatched", p.Actions.Dispatched, func(e Place) string { return "dispatched action " + e.At }, f)
	visit(p, "/actions/rules", p.Actions.Rules, func(e Action) string { return "action " + e.Type }, f)
	visit(p, "/actions/effects", p.Actions.Effects, func(e Effects) string { return "effects of " + e.Action }, f)
	visit(p, "/methods", p.Methods, func(e Method) string { return "method " + e.Name }, f)
	visit(p, "/errors/codes", p.Errors.Codes, func(e Code) string { return fmt.Sprintf("error code %d", e.Code) }, f)
	visit(p, "/overlay", p.Overlay, func(e Overlay) string { return "overlay of " + e.Definition + e.At }, f)
}

func (p *Profile) checkVersions(diags *diag.List) {
	check := func(pointer, text string) {
		if _, err := version.Parse(text); text != "" && err != nil {
			diags.Errorf(p.Pos(pointer), "bad-version", "versions look like 0.7.0", "%s", err)
		}
	}
	for i, m := range p.Versions.Recognise {
		check(fmt.Sprintf("/versions/recognise/%d", i), m.Version)
	}
	for i, v := range p.Versions.Supported {
		check(fmt.Sprintf("/versions/supported/%d", i), v)
	}
	for i, v := range p.Versions.Breaking {
		check(fmt.Sprintf("/versions/breaking/%d", i), v)
	}
	check("/versions/confirmed", p.Versions.Confirmed)
	if p.Extensions != nil {
		check("/extensions", p.Extensions.Since)
	}
	if _, err := version.ParseRange(p.SharedDefinitions); err != nil {
		diags.Errorf(p.Pos("/sharedDefinitions"), "bad-version", `ranges look like ">=0.5.0 <0.7.0"`, "%s", err)
	}
	p.each(func(pointer string, e Limited, _ string) {
		text, repairedIn := e.limits()
		if _, err := version.ParseRange(text); err != nil {
			diags.Errorf(p.Pos(pointer), "bad-version", `ranges look like ">=0.5.0 <0.7.0"`, "%s", err)
		}
		check(pointer, repairedIn)
		if o, ok := e.(Omission); ok {
			check(pointer, o.AddedIn)
			check(pointer, o.RemovedIn)
		}
	})
}

// ReportUnused reports every entry that matched nothing. An entry for some versions only is a
// warning where the version at hand is among them. What came in with the release that a development
// snapshot precedes may not be there yet. An entry for all versions that matches nothing is a mistake in
// the profile; where it comes with ahpgen, the schemas are more likely to be newer than it.
func (p *Profile) ReportUnused(diags *diag.List) {
	p.each(func(pointer string, e Limited, what string) {
		if p.used[pointer] || !p.Applies(e) || p.mayComeYet(e) {
			return
		}
		text, repairedIn := e.limits()
		if o, ok := e.(Omission); ok {
			if o.mayLack(p.Version) {
				return
			}
			text = cmp.Or(text, o.AddedIn)
		}
		if fixed, err := version.Parse(repairedIn); repairedIn != "" && err == nil && !p.Version.IsZero() && p.Version.Compare(fixed) >= 0 {
			return
		}
		if text != "" || repairedIn != "" {
			diags.Warnf(p.Pos(pointer), "unused-entry",
				fmt.Sprintf("these schemas were taken for version %s: limit the entry with versions, or say with --protocol-version which version they are", cmp.Or(p.Version.String(), "unknown")),
				"the profile's %s matches nothing in these schemas", what)
			return
		}
		p.Mismatch(diags, pointer, "unused-entry", "correct it, or limit it to the versions it is for with versions",
			"the profile's %s matches nothing in these schemas", what)
	})
}

// Mismatch reports that an entry does not fit the schemas. In a profile that comes with ahpgen it is a warning:
// the schemas may be of a version that nobody knew when it was written, and what is left out goes on without it.
func (p *Profile) Mismatch(diags *diag.List, pointer, code, hint, format string, args ...any) {
	pos := p.Pos(pointer)
	if p.root.Pos.File != pos.File {
		hint = "state it in " + p.root.Pos.File + " as it should be; with \"versions\": \"<0\" it is for none"
	}
	if p.Fixed(pointer) {
		if p.root.Pos.File == pos.File {
			hint = "the schemas may be newer than ahpgen's profile; a profile file of your own that extends it can say otherwise"
		}
		diags.Warnf(pos, code, hint, format, args...)
		return
	}
	diags.Errorf(pos, code, hint, format, args...)
}

// Fixed reports whether the entry at the pointer stands in a file that comes with ahpgen.
func (p *Profile) Fixed(pointer string) bool { return p.fixed[p.Pos(pointer).File] }

// mayComeYet reports whether an entry is for what came in with the release that the version at hand precedes.
func (p *Profile) mayComeYet(e Limited) bool {
	text, _ := e.limits()
	r, err := version.ParseRange(text)
	return err == nil && r.Opens(p.Version)
}

// Select settles the version at hand: the stated one, or the newest whose marks the schemas bear.
// An unusable stated version is reported in diags.
func (p *Profile) Select(stated string, has func(definition string) bool, diags *diag.List) {
	if stated != "" {
		v, err := version.Parse(stated)
		if err != nil {
			diags.Errorf(diag.Pos{}, "bad-version", "versions look like 0.7.0", "%s", err)
			return
		}
		p.Version = v
		return
	}
	for _, m := range p.Versions.Recognise {
		all := true
		for _, name := range m.Definitions {
			all = all && has(name)
		}
		if all {
			p.Version, _ = version.Parse(m.Version) // checked by Parse
			p.marks = m.Definitions
			return
		}
	}
}

// TakenFor says in one line which version the schemas were taken for and why, "" where the profile
// knows no versions to take them for: then they say so themselves, or it makes no difference.
func (p *Profile) TakenFor() string {
	switch {
	case len(p.Versions.Recognise) == 0:
		return ""
	case p.Version.IsZero():
		return "the schemas were taken for no version that the profile recognises, so entries for any were used; --protocol-version names one"
	case p.marks == nil:
		return fmt.Sprintf("the schemas were taken for version %s, as stated", p.Version)
	}
	return fmt.Sprintf("the schemas were taken for version %s, because they define %s; --protocol-version names another",
		p.Version, strings.Join(p.marks, " and "))
}

// Edits returns the overlay's entries for the version at hand as edits of the schemas.
func (p *Profile) Edits() []Edit {
	var out []Edit
	for i, o := range p.Overlay {
		if !p.Applies(o) {
			continue
		}
		pointer := fmt.Sprintf("/overlay/%d", i)
		e := schema.Edit{Pos: p.Pos(pointer), Definition: o.Definition, At: o.At, Was: p.Node(pointer + "/was")}
		for _, op := range []struct {
			key string
			op  schema.Op
		}{{"define", schema.Define}, {"patch", schema.Patch}, {"append", schema.Append}, {"remove", schema.Remove}} {
			if n := p.Node(pointer + "/" + op.key); n != nil {
				e.Op, e.Value = op.op, n
			}
		}
		if o.Drop {
			e.Op = schema.Drop
		}
		if members := p.Node(pointer + "/enumeration"); members != nil {
			out = append(out, enumeration(e, members, pointer)...)
			continue
		}
		out = append(out, Edit{Edit: e, Pointer: pointer})
	}
	return out
}

// enumeration defines an enum that the schemas lack, and a constant for each of its members, which
// some generators refer to as Enum.Member.
func enumeration(e schema.Edit, members *schema.Node, pointer string) []Edit {
	values := &schema.Node{Kind: schema.Array, Pos: members.Pos}
	names := &schema.Node{Kind: schema.Array, Pos: members.Pos}
	var out []Edit
	for _, m := range members.Members {
		values.Items = append(values.Items, m.Value)
		names.Items = append(names.Items, &schema.Node{Kind: schema.String, Text: m.Key, Pos: m.KeyPos})
		constant := schema.Edit{Pos: m.KeyPos, Op: schema.DefineConstant, Definition: e.Definition + "." + m.Key, Value: m.Value}
		out = append(out, Edit{Edit: constant, Pointer: pointer})
	}
	e.Op, e.Supplied = schema.Define, true
	e.Value = &schema.Node{Kind: schema.Object, Pos: members.Pos, Members: []schema.Member{
		{Key: "enum", KeyPos: members.Pos, Value: values},
		{Key: schema.KeywordEnumNames, KeyPos: members.Pos, Value: names},
	}}
	return append(out, Edit{Edit: e, Pointer: pointer})
}

// Edit is an edit together with the entry it comes from.
type Edit struct {
	schema.Edit
	Pointer string
}
