// Overlay: repairs of schemas.

package profile

import (
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// Edit is an edit of the schemas together with the entry of the overlay that it comes from.
type Edit struct {
	schema.Edit
	Origin *facts.Origin
}

// repair is an entry of the overlay.
type repair struct {
	facts.Origin   `json:"-"`
	Definition, At string
	Drop           bool
	node           *schema.Node
}

func readRepair(n *schema.Node) (repair, error) {
	r, err := facts.Decode[repair](n)
	r.node = n
	return r, err
}

// Edits returns the overlay's entries for the version as edits of the schemas.
func (s *Selected) Edits() []Edit {
	var out []Edit
	for _, r := range s.repairs {
		e := Edit{Edit: schema.Edit{Pos: r.Pos, Definition: r.Definition, At: r.At, Was: r.node.Get("was")}, Origin: &r.Origin}
		for _, op := range []struct {
			key string
			op  schema.Op
		}{{"define", schema.Define}, {"patch", schema.Patch}, {"append", schema.Append}, {"remove", schema.Remove}} {
			if n := r.node.Get(op.key); n != nil {
				e.Op, e.Value = op.op, n
			}
		}
		if r.Drop {
			e.Op = schema.Drop
		}
		if members := r.node.Get("enumeration"); members != nil {
			out = append(out, enumeration(e, members)...)
			continue
		}
		out = append(out, e)
	}
	return out
}

// enumeration defines an enum that the schemas lack, and a constant for each of its members, which
// some generators refer to as Enum.Member.
func enumeration(e Edit, members *schema.Node) []Edit {
	values := &schema.Node{Kind: schema.Array, Pos: members.Pos}
	names := &schema.Node{Kind: schema.Array, Pos: members.Pos}
	var out []Edit
	for _, m := range members.Members {
		values.Items = append(values.Items, m.Value)
		names.Items = append(names.Items, &schema.Node{Kind: schema.String, Text: m.Key, Pos: m.KeyPos})
		constant := schema.Edit{Pos: m.KeyPos, Op: schema.DefineConstant, Definition: e.Definition + "." + m.Key, Value: m.Value}
		out = append(out, Edit{Edit: constant, Origin: e.Origin})
	}
	e.Op, e.Supplied = schema.Define, true
	e.Value = &schema.Node{Kind: schema.Object, Pos: members.Pos, Members: []schema.Member{
		{Key: "enum", KeyPos: members.Pos, Value: values},
		{Key: schema.KeywordEnumNames, KeyPos: members.Pos, Value: names},
	}}
	return append(out, e)
}
