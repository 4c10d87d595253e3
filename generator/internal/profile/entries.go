// Entries: the lists of a profile, whose entries say what they are for and may be for some versions only.

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
	what    string   // an entry in words, before what it is for
	keys    []string // members that say what an entry is for
	// read decodes an entry. What it returns adds the entry to those of a version.
	read func(*schema.Node) (func(*Selected, facts.Origin), error)
}

// lists are those whose entries have to match something in the schemas.
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
	entries("/capabilities/gates", "gate for ", facts.Decode, func(s *Selected) *[]*facts.Gate { return &s.facts.Gates }, "method", "member", "is"),
	entries("/errors/codes", "error code ", facts.Decode, func(s *Selected) *[]*facts.Code { return &s.facts.Codes }, "code"),
	entries("/stated", "statement about ", readStatement, func(s *Selected) *[]*Statement { return &s.statements }, "at"),
	entries("/overlay", "overlay of ", readRepair, func(s *Selected) *[]*repair { return &s.repairs }, "definition", "at"),
}

// entries describes a list of which read decodes each entry, and where these go.
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

// readEffects keeps the steps as they are written: what they mean depends on types.
func readEffects(n *schema.Node) (facts.Effects, error) {
	return facts.Effects{Action: n.Get("action").Text, Steps: n.Get("effects")}, nil
}

// readLifecycle keeps the statement as it is written: what it means depends on types.
func readLifecycle(n *schema.Node) (facts.Lifecycle, error) {
	return facts.Lifecycle{Type: n.Get("type").Text, Statement: n.Get("lifecycle")}, nil
}

// keysOf are the members that say what an entry of a list is for, none if it is no such list.
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

// stated is one entry of a list.
type stated struct {
	limits
	node *schema.Node
	what string
	add  func(*Selected, facts.Origin)
}

// limits say which versions an entry is for, and in which of them it may match nothing.
type limits struct {
	Versions     string // range of versions it is for, "" for all
	Since, Until string // first version with it, and first without it
	RepairedIn   string // from this version on the schema is right by itself
	AddedIn      string // from this version on the schemas are sure to have it
	RemovedIn    string // from this version on they may be without it
}

// versions is the range of versions that the entry is for.
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

// absence says what it means that the entry matches nothing in schemas of a version. What came in with the release that a
// development snapshot precedes may not be there yet.
func (l limits) absence(order version.Order, v version.Version) facts.Absence {
	from := func(text string) bool { // v is known, and as new as that
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

// readEntries decodes the entries of all lists.
func (p *Profile) readEntries(diags *diag.List) {
	for _, l := range lists {
		for _, n := range p.root.At(l.pointer).List() {
			e := stated{node: n, what: l.what}
			for i, key := range l.keys {
				if name := n.Get(key); name != nil {
					if i > 0 && !strings.HasPrefix(name.Text, "/") {
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
				diags.Errorf(n.Pos, "bad-profile", "", "%s", err)
				continue
			}
			p.entries = append(p.entries, e)
		}
	}
}
