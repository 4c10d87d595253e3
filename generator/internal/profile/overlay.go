// Overlay: repairs of schemas.

package profile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Edit is a schema edit with its overlay entry. The definition may be a pattern.
type Edit struct {
	schema.Edit
	Origin *facts.Origin
	Except []Exception
}

// Exception is a definition excluded from a pattern.
type Exception struct {
	facts.Origin
	Definition string
}

// In returns the edit for each place that it applies to, and the exceptions that were used.
func (e Edit) In(set *schema.Set) (edits []schema.Edit, used []*Exception) {
	inside := e.Op == schema.Patch || e.Op == schema.Append || e.Op == schema.Remove
	if !schema.IsPattern(e.Definition) && (set.Has(e.Definition) || !inside) {
		return []schema.Edit{e.Edit}, nil
	}
	for _, place := range e.places(set, inside) {
		i := slices.IndexFunc(e.Except, func(x Exception) bool { return x.Definition == place.Path })
		if i >= 0 {
			used = append(used, &e.Except[i])
			continue
		}
		edit := e.Edit
		edit.Definition, edit.At = place.Definition, place.At+e.At
		edits = append(edits, edit)
	}
	return edits, used
}

// places returns the definitions that an edit names, and if it is for what is inside them, the places in them.
func (e Edit) places(set *schema.Set, inside bool) (out []schema.Place) {
	for _, name := range set.Names() {
		if schema.Wild(e.Definition, name) {
			out = append(out, schema.Place{Definition: name, Path: name})
		}
	}
	if inside && strings.Contains(e.Definition, ".") {
		out = append(out, each.Where(set.Locate(e.Definition), func(place schema.Place) bool { return place.At != "" })...)
	}
	return out
}

// checkPatterns requires patterns where several definitions are possible, and allows exceptions only for patterns.
func checkPatterns(root *schema.Node) (found []diag.Diagnostic) {
	for _, e := range root.Get("overlay").List() {
		definition := e.Get("definition")
		if file, rename := e.Get("file"), e.Get("rename"); (file == nil) != (rename == nil) {
			found = append(found, diag.Errorf(e.Pos, "bad-profile", "write both, or neither", "file and rename: a definition is renamed in one file"))
		}
		if schema.IsPattern(definition.Str()) {
			for _, key := range []string{"define", "enumeration", "rename"} {
				if e.Get(key) != nil {
					found = append(found, diag.Errorf(definition.Pos, "bad-profile", "write its name", "definition: %q may be several, and %q is for one", definition.Text, key))
				}
			}
		} else if except := e.Get("except"); except != nil && definition.Str() != "" {
			found = append(found, diag.Errorf(except.Pos, "bad-profile", "leave it out, or put an asterisk into definition", "except: %q names a single definition", definition.Text))
		}
	}
	for _, rule := range root.At("/enums/rules").List() {
		if names := rule.Get("names"); names != nil && schema.IsPattern(rule.Get("enum").Str()) {
			found = append(found, diag.Errorf(names.Pos, "bad-profile", "name the values of each enum in an entry of its own", "enum: %q may be several, and names are for one", rule.Get("enum").Str()))
		}
	}
	return found
}

// repair is an overlay entry.
type repair struct {
	facts.Origin   `json:"-"`
	Definition, At string
	File, Rename   string
	Drop           bool
	Except         []string
	node           *schema.Node
}

func readRepair(n *schema.Node) (repair, error) {
	r, err := facts.Decode[repair](n)
	r.node = n
	return r, err
}

// Edits returns the edits for the version: unions for requests with several results, and the overlay's.
func (s *Selected) Edits() []Edit {
	var out []Edit
	for _, o := range s.facts.Outcomes {
		out = append(out, Edit{Edit: schema.Edit{Pos: o.Pos, Op: schema.Define, Definition: o.Name, Value: union(o)}, Origin: &o.Origin})
	}
	for _, r := range s.repairs {
		e := Edit{Edit: schema.Edit{Pos: r.Pos, Definition: r.Definition, At: r.At, Was: r.node.Get("was")}, Origin: &r.Origin}
		for i, name := range r.Except {
			x := Exception{Origin: r.Origin, Definition: name}
			x.Pos, x.What = r.node.Get("except").Items[i].Pos, fmt.Sprintf("exception of %s from the %s", name, r.What)
			e.Except = append(e.Except, x)
		}
		for _, op := range []struct {
			key string
			op  schema.Op
		}{{"define", schema.Define}, {"patch", schema.Patch}, {"append", schema.Append}, {"remove", schema.Remove}} {
			if n := r.node.Get(op.key); n != nil {
				e.Op, e.Value = op.op, n
			}
		}
		switch {
		case r.Drop:
			e.Op = schema.Drop
		case r.Rename != "":
			e.Op, e.File, e.To = schema.Rename, r.File, r.Rename
		}
		if members := r.node.Get("enumeration"); members != nil {
			out = append(out, enumeration(e, members)...)
			continue
		}
		out = append(out, e)
	}
	return out
}

// union is the definition of a request's results.
func union(o *facts.Outcome) *schema.Node {
	text := func(text string) *schema.Node { return &schema.Node{Kind: schema.String, Text: text, Pos: o.Pos} }
	results := &schema.Node{Kind: schema.Array, Pos: o.Pos}
	for _, name := range o.Results {
		ref := schema.Member{Key: "$ref", KeyPos: o.Pos, Value: text("#/$defs/" + name)}
		results.Items = append(results.Items, &schema.Node{Kind: schema.Object, Pos: o.Pos, Members: []schema.Member{ref}})
	}
	return &schema.Node{Kind: schema.Object, Pos: o.Pos, Members: []schema.Member{{Key: "anyOf", KeyPos: o.Pos, Value: results}}}
}

// enumeration defines a missing enum and a constant for each member, for generators that refer to Enum.Member.
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
		{Key: "x-enum-names", KeyPos: members.Pos, Value: names},
	}}
	return append(out, e)
}
