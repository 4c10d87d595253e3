// Entries: the lists of a profile. Entries have keys and may be limited to versions.

package profile

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// list is one list of entries.
type list struct {
	pointer string
	what    string   // the kind of entry in words
	keys    []string // members that identify an entry
	// read decodes an entry. It returns a function that adds the entry to a selection.
	read func(*schema.Node) (func(*Selected, facts.Origin), error)
}

// lists are the lists whose entries must match something in the schemas.
var lists = []list{
	entries("/naming/names", "name for ", facts.Decode, func(s *Selected) *[]*facts.Name { return &s.facts.Names }, "at"),
	entries("/numbers/floats", "float ", facts.Decode, func(s *Selected) *[]*facts.Place { return &s.facts.Floats }, "at"),
	entries("/numbers/integers", "integer ", facts.Decode, func(s *Selected) *[]*facts.Place { return &s.facts.Integers }, "at"),
	entries("/objects/threeStates", "three states of ", facts.Decode, func(s *Selected) *[]*facts.Members { return &s.facts.ThreeStates }, "at"),
	entries("/raw", "raw ", facts.Decode, func(s *Selected) *[]*facts.Place { return &s.facts.Raw }, "at"),
	entries("/unions/rules", "union rule for ", facts.Decode, func(s *Selected) *[]*facts.Union { return &s.facts.Unions }, "union"),
	entries("/enums/rules", "enum rule for ", facts.Decode, func(s *Selected) *[]*facts.Enum { return &s.facts.Enums }, "enum"),
	entries("/partials", "partial ", facts.Decode, func(s *Selected) *[]*facts.Partial { return &s.facts.Partials }, "at"),
	entries("/omit", "omission of ", facts.Decode, func(s *Selected) *[]*facts.Omission { return &s.facts.Omissions }, "definition"),
	entries("/channels", "channel ", facts.Decode, func(s *Selected) *[]*facts.Channel { return &s.facts.Channels }, "name"),
	entries("/actions/dispatched", "dispatched action ", facts.Decode, func(s *Selected) *[]*facts.Place { return &s.facts.Dispatched }, "at"),
	entries("/actions/rules", "action ", facts.Decode, func(s *Selected) *[]*facts.Action { return &s.facts.Rules }, "type"),
	entries("/actions/effects", "effects of ", readEffects, func(s *Selected) *[]*facts.Effects { return &s.facts.Effects }, "action"),
	entries("/lifecycles", "lifecycle of ", readLifecycle, func(s *Selected) *[]*facts.Lifecycle { return &s.facts.Lifecycles }, "type"),
	entries("/methods", "method ", facts.Decode, func(s *Selected) *[]*facts.Method { return &s.facts.Methods }, "name"),
	entries("/messages/sent", "messages of ", facts.Decode, func(s *Selected) *[]*facts.Sent { return &s.facts.Sent }, "definition"),
	entries("/messages/outcomes", "results of ", facts.Decode, func(s *Selected) *[]*facts.Outcome { return &s.facts.Outcomes }, "method"),
	entries("/capabilities/gates", "gate for ", facts.Decode, func(s *Selected) *[]*facts.Gate { return &s.facts.Gates }, "method", "member", "is", "of"),
	entries("/errors/codes", "error code ", facts.Decode, func(s *Selected) *[]*facts.Code { return &s.facts.Codes }, "code", "definition"),
	entries("/stated", "statement about ", readStatement, func(s *Selected) *[]*Statement { return &s.statements }, "at"),
	entries("/translations", "translation of ", facts.Decode, func(s *Selected) *[]*facts.Translation { return &s.facts.Translations }, "at", "since"),
	entries("/overlay", "overlay of ", readRepair, func(s *Selected) *[]*repair { return &s.repairs }, "definition", "at"),
}

// entries describes a list by how its entries are decoded and where they are added.
func entries[F any, P interface {
	*F
	facts.Fact
}](pointer, what string, read func(*schema.Node) (F, error), into func(*Selected) *[]P, keys ...string) list {
	return list{pointer, what, keys, func(n *schema.Node) (func(*Selected, facts.Origin), error) {
		fact, err := read(n)
		return func(s *Selected, o facts.Origin) {
			own := fact
			*P(&own).Where() = o
			*into(s) = append(*into(s), &own)
		}, err
	}}
}

// readEffects keeps the steps undecoded, since their meaning depends on types.
func readEffects(n *schema.Node) (facts.Effects, error) {
	return facts.Effects{Action: n.Get("action").Text, Steps: n.Get("effects")}, nil
}

// readLifecycle keeps the statement undecoded, since its meaning depends on types.
func readLifecycle(n *schema.Node) (facts.Lifecycle, error) {
	return facts.Lifecycle{Type: n.Get("type").Text, Statement: n.Get("lifecycle")}, nil
}

// keysOf returns the identifying members of a list's entries, or nil for other members.
func keysOf(pointer string) []string {
	if pointer == "/versions/recognise" {
		return []string{"version"}
	}
	for _, l := range lists {
		if l.pointer == pointer {
			return l.keys
		}
	}
	return nil
}

// stated is an entry of a list.
type stated struct {
	limits
	node *schema.Node
	what string
	add  func(*Selected, facts.Origin)
}

// limits are the versions an entry applies to, and those in which it may be unused.
type limits struct {
	Versions     string // version range, or "" for all
	Since, Until string // first version with it, and first version without it
	RepairedIn   string // first version in which the schema is correct
	AddedIn      string // first version in which the schemas must have it
	RemovedIn    string // first version in which the schemas may lack it
}

// versions returns the version range of the entry.
func (l limits) versions() string {
	text := l.Versions
	if l.Since != "" {
		text += " >=" + l.Since
	}
	if l.Until != "" {
		text += " <" + l.Until
	}
	return strings.TrimSpace(text)
}

func (l limits) holds(order version.Order, v version.Version) bool {
	r, err := order.ParseRange(l.versions())
	return err == nil && r.Holds(v)
}

// absence returns how to treat an entry without a match in the given version. A development snapshot may lack what
// its release adds.
func (l limits) absence(order version.Order, v version.Version) facts.Absence {
	from := func(text string) bool { // v is known and at least the given version
		first, err := order.Parse(text)
		return text != "" && err == nil && !v.IsZero() && v.Compare(first) >= 0
	}
	before := l.AddedIn != "" && !v.IsZero() && !from(l.AddedIn)
	r, err := order.ParseRange(l.versions())
	switch {
	case err == nil && r.Opens(v) || before || from(l.RemovedIn) || from(l.RepairedIn):
		return facts.Expected
	case l.versions() != "" || l.AddedIn != "" || l.RepairedIn != "":
		return facts.Doubtful
	}
	return facts.Wrong
}

// readEntries decodes all entries.
func (p *Profile) readEntries() (found []diag.Diagnostic) {
	for _, l := range lists {
		for _, n := range p.root.At(l.pointer).List() {
			e := stated{node: n, what: l.what}
			for i, key := range l.keys {
				if name := n.Get(key); name != nil {
					if i > 0 && !strings.HasPrefix(name.Text, "/") && !strings.HasSuffix(e.what, " ") {
						e.what += " "
					}
					e.what += name.Text
				}
			}
			var err error
			if e.limits, err = facts.Decode[limits](n); err == nil {
				e.add, err = l.read(n)
			}
			if err != nil {
				found = append(found, diag.Errorf(n.Pos, "bad-profile", "", "%s", err))
				continue
			}
			p.entries = append(p.entries, e)
		}
	}
	return found
}
