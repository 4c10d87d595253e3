// Nodes: pairs of types, one of each version, and how the values of one become values of the other.

package translation

import (
	"cmp"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// node is a pair of types.
type node struct {
	sides  [2]protocol.Expr // of the newer and of the older version; one may be nil
	named  bool             // both sides are declared and of one kind, so that there is one node for them
	of     string           // path, for people
	half   [2]half          // by direction
	beside []beside         // alternatives beside members, compared
}

// beside is a pair of alternatives beside members.
type beside struct {
	at    place
	child *node
}

// half is one direction of a node.
type half struct {
	kind    translate.Kind
	alias   *node // the values are those of this pair
	funcs   []string
	edges   []edge
	add     []table.Added
	channel string
	item    *node
	tag     string
	arms    []arm
	values  []table.Value
	signs   bool // a variant is told by what the tables cannot look for
	differs bool // something has to be done
	mayDrop bool // a value may be left out
	number  table.Number
}

// edge is a member.
type edge struct {
	name, to string // to is "" if the name is the same
	child    *node  // nil if the values are the same
	drop     bool
	required bool // in the other version
}

// arm is a variant.
type arm struct {
	tag   string
	has   []string
	sole  string // a required member that no other variant has
	child *node
	drop  bool
}

// place is where the walk is, for messages.
type place struct {
	path  string
	pos   diag.Pos
	value string // the value of an enum, or the tag of a variant
	owner string // the definition that an entry of the profile would be about
	newer string // the member of it, by version
	older string
	fixed bool    // no entry can settle it
	depth int     // how many types without names are around it
	skip  [2]bool // directions in which functions account for it
	node  *node   // the pair that it is in, nil at a root
}

// under returns the place of what is inside.
func (p place) under(name string) place {
	p.path += "." + name
	p.depth++
	return p
}

// nullable reports whether a type allows null.
func nullable(e protocol.Expr) bool {
	for range 8 {
		ref, _ := e.(protocol.Ref)
		a, _ := ref.Type.(*protocol.Alias)
		if a == nil {
			return false
		}
		if a.Nullable {
			return true
		}
		e = a.Target
	}
	return false
}

// deepest is how many types without names may be inside each other.
const deepest = 64

// compare compares two types. The result is the same for the same declared types of one kind.
func (d *deriver) compare(at place, newer, older protocol.Expr) *node {
	if nullable(newer) != nullable(older) {
		to := Lower
		if nullable(older) {
			to = Lift
		}
		at := at
		at.fixed = at.newer == "" && at.older == ""
		d.refuse(at, to, "null is allowed in %s alone", d.from(to).Version)
	}
	key := [2]protocol.Expr{protocol.Underlying(newer), protocol.Underlying(older)}
	if n := d.memo[key]; n != nil {
		return n
	}
	n := d.node(at, key)
	if n.named = sameKind(n.declared()); n.named {
		d.memo[key] = n
		head := key[0].(protocol.Ref).Type.Head()
		if n.of = cmp.Or(head.Name, nameOf(key[1].(protocol.Ref).Type)); n.of != "" {
			at = place{path: n.of, owner: n.of, pos: head.Pos}
		}
	}
	at.node = n
	if at.depth > deepest {
		for _, to := range both {
			d.refuse(at, to, "too many types are inside each other")
		}
		return n
	}
	d.fill(at, n)
	return n
}

// sameKind reports whether both sides are objects, unions or enums.
func sameKind(newer, older protocol.Type) bool {
	switch newer := newer.(type) {
	case *protocol.Struct:
		_, ok := older.(*protocol.Struct)
		return ok
	case *protocol.Union:
		_, ok := older.(*protocol.Union)
		return ok
	case *protocol.Enum:
		o, ok := older.(*protocol.Enum)
		return ok && o.Kind == newer.Kind && o.Bitset == newer.Bitset
	}
	return false
}

// node returns a new node.
func (d *deriver) node(at place, sides [2]protocol.Expr) *node {
	n := &node{sides: sides, of: at.path}
	d.nodes = append(d.nodes, n)
	return n
}

// declared returns the declared types of both sides, nil for others.
func (n *node) declared() (newer, older protocol.Type) {
	return protocol.As[protocol.Type](n.sides[0]), protocol.As[protocol.Type](n.sides[1])
}

// fill decides how the values of a pair become each other.
func (d *deriver) fill(at place, n *node) {
	ns, os := protocol.As[*protocol.Struct](n.sides[0]), protocol.As[*protocol.Struct](n.sides[1])
	switch {
	case protocol.As[*protocol.Union](n.sides[0]) != nil, protocol.As[*protocol.Union](n.sides[1]) != nil:
		d.unions(at, n)
	case ns != nil && os != nil:
		d.structs(at, n, ns, os)
	case listOf(n, translate.List), listOf(n, translate.Map):
		item := d.compare(at.under("item"), protocol.Elem(n.sides[0]), protocol.Elem(n.sides[1]))
		for _, to := range both {
			n.half[to].kind, n.half[to].item = kindOf(n.sides[0]), item
		}
	default:
		for _, to := range both {
			d.plain(at, to, n)
		}
	}
}

// kindOf returns the kind of a container.
func kindOf(e protocol.Expr) translate.Kind {
	if _, ok := e.(protocol.List); ok {
		return translate.List
	}
	return translate.Map
}

// listOf reports whether both sides are containers of a kind.
func listOf(n *node, kind translate.Kind) bool {
	for _, side := range n.sides {
		if protocol.Elem(side) == nil || kindOf(side) != kind {
			return false
		}
	}
	return true
}

// plain settles one direction between values of which at most one is an enum and none has members.
func (d *deriver) plain(at place, to Direction, n *node) {
	from, into := n.sides[to], n.sides[1-to]
	fromEnum, toEnum := protocol.As[*protocol.Enum](from), protocol.As[*protocol.Enum](into)
	switch {
	case into == protocol.Expr(protocol.Any):
		return
	case fromEnum != nil && toEnum != nil:
		d.enums(at, to, n, fromEnum, toEnum)
	case fromEnum != nil && covers(into, fromEnum.Kind), toEnum != nil && toEnum.Open && from == protocol.Expr(toEnum.Kind):
	case toEnum == nil && fromEnum == nil && covers(into, from):
	default:
		d.unlike(at, to, n)
	}
}

// covers reports whether a type without a declaration takes all values of another one.
func covers(into, from protocol.Expr) bool {
	a, ok := into.(protocol.Scalar)
	b, ok2 := from.(protocol.Scalar)
	if ok && ok2 {
		return a.Covers(b)
	}
	m, isMap := into.(protocol.Map)
	return isMap && protocol.As[*protocol.Struct](from) != nil && protocol.Underlying(m.Elem) == protocol.Expr(protocol.Any)
}

// enums settles one direction between two enums.
func (d *deriver) enums(at place, to Direction, n *node, from, into *protocol.Enum) {
	if from.Kind != into.Kind || from.Bitset != into.Bitset {
		d.unlike(at, to, n)
		return
	}
	standIns := d.values(to, n)
	h := &n.half[to]
	h.kind = translate.Text
	for _, m := range from.Members {
		stand, stated := standIns[m.Value.String()]
		switch {
		case stated && from.Kind == protocol.String && (into.Open || hasText(into, stand)):
			h.values = append(h.values, table.Value{From: m.Value.Str, To: stand})
			d.standIn(n, to, "value ", m.Value.Str, stand, cmp.Or(d.values(1-to, n)[stand], stand))
		case into.Has(m.Value), at.skip[to]:
		case into.Open:
			d.lose(n, Loss{Direction: to, At: n.of, Kind: Kept, What: "value " + m.Value.JSON()})
		default:
			at.value = m.Value.String()
			d.refuse(at, to, "%s has no value %s", d.to(to).Version, m.Value.JSON())
		}
	}
}
