// OpenRPC: documents that list the methods of a protocol with the schemas of their parameters and results.

package schema

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Call is a method that a document of OpenRPC describes. Params and Result are names of definitions, or "" for none.
type Call struct {
	Name           string
	Params, Result string
	Answered       bool // it is a request
	ByPosition     bool // its parameters are a list, and no object
	Errors         []*Node
}

// openRPC makes a document of OpenRPC a schema file: with the schemas of its components, and a definition for the parameters and one for
// the result of each method, unless that is a component.
type openRPC struct {
	root  *Node
	defs  *Node
	calls []Call
}

// isOpenRPC reports whether a file is a document of OpenRPC.
func isOpenRPC(root *Node) bool { return root.Get("openrpc").Str() != "" && root.Get("methods") != nil }

// componentSchemas begins references to what a document of OpenRPC defines.
const componentSchemas = "#/components/schemas/"

// ofOpenRPC returns a document as a schema file, and its methods.
func ofOpenRPC(root *Node) (*Node, []Call) {
	o := &openRPC{root: root, defs: &Node{Kind: Object, Pos: root.Pos}}
	o.defs.Members = append(o.defs.Members, root.Get("components").Get("schemas").members()...)
	for _, method := range root.Get("methods").List() {
		if method = o.deref(method); method.Get("name").Str() != "" {
			o.method(method)
		}
	}
	o.descriptors(o.defs, map[string]string{})
	out := &Node{Kind: Object, Pos: root.Pos}
	out.Members = each.Where(root.Get("info").members(), func(m Member) bool { return m.Key == "title" || m.Key == "description" })
	out.Members = append(out.Members, Member{Key: "$schema", KeyPos: root.Pos, Value: textAt(root.Pos, "http://json-schema.org/draft-07/schema#")},
		Member{Key: "definitions", KeyPos: root.Pos, Value: o.defs})
	return out, o.calls
}

// members returns the members of an object, or nil.
func (n *Node) members() []Member {
	if n == nil {
		return nil
	}
	return n.Members
}

func textAt(pos diag.Pos, text string) *Node { return &Node{Kind: String, Pos: pos, Text: text} }

// deref returns what a reference in the document leads to, or the node itself.
func (o *openRPC) deref(n *Node) *Node {
	const most = 8 // references in a row
	for range most {
		pointer, ok := strings.CutPrefix(n.Get("$ref").Str(), "#")
		target := o.root.At(pointer)
		if !ok || target == nil {
			break
		}
		n = target
	}
	return n
}

// define adds a definition, and returns its name.
func (o *openRPC) define(name string, n *Node) string {
	for o.defs.Get(name) != nil {
		name += "_"
	}
	o.defs.Members = append(o.defs.Members, Member{Key: name, KeyPos: n.Pos, Value: n})
	return name
}

// contentDescriptors begins references to parameters and results that a document of OpenRPC describes.
const contentDescriptors = "#/components/contentDescriptors/"

// descriptors makes definitions of the schemas of described parameters and results that schemas refer to, and leads references there.
func (o *openRPC) descriptors(n *Node, defined map[string]string) {
	for i, m := range n.Members {
		pointer, ok := strings.CutPrefix(m.Value.Str(), contentDescriptors)
		if m.Key != "$ref" || !ok {
			o.descriptors(m.Value, defined)
			continue
		}
		key, rest, _ := strings.Cut(pointer, "/")
		rest = strings.TrimPrefix("/"+rest, "/schema")
		target := o.deref(o.root.Get("components").Get("contentDescriptors").Get(SplitPointer("/" + key)[0])).Get("schema")
		if target == nil {
			continue // it is reported where it is read
		}
		name, known := defined[key]
		if !known {
			name = o.define(SplitPointer("/" + key)[0], target)
			defined[key] = name
			o.descriptors(target, defined)
		}
		n.Members[i].Value = textAt(m.Value.Pos, "#/definitions/"+PointerToken(name)+strings.TrimSuffix(rest, "/"))
	}
	for _, item := range n.Items {
		o.descriptors(item, defined)
	}
}

func (o *openRPC) method(method *Node) {
	call := Call{Name: method.Get("name").Text, ByPosition: method.Get("paramStructure").Str() == "by-position"}
	if params := method.Get("params").List(); len(params) > 0 {
		call.Params = o.define(call.Name+"Params", o.params(method.Get("params").Pos, params, call.ByPosition))
	}
	if result := method.Get("result"); result != nil {
		call.Answered = true
		switch s := o.deref(result).Get("schema"); {
		case s == nil || isNullOnly(s):
		case o.isComponent(s.Get("$ref").Str()):
			call.Result = SplitPointer(strings.TrimPrefix(s.Get("$ref").Text, componentSchemas))[0]
		default:
			call.Result = o.define(call.Name+"Result", s)
		}
	}
	call.Errors = each.Map(method.Get("errors").List(), o.deref)
	o.calls = append(o.calls, call)
}

// isComponent reports whether a reference leads to one of the schemas that the document defines.
func (o *openRPC) isComponent(ref string) bool {
	name, ok := strings.CutPrefix(ref, componentSchemas)
	return ok && name != "" && !strings.Contains(name, "/") && o.root.At(ref[1:]) != nil
}

func isNullOnly(n *Node) bool { return n.Get("type").Str() == "null" }

// params returns the schema of parameters: of an object by their names, or of a list.
func (o *openRPC) params(pos diag.Pos, params []*Node, byPosition bool) *Node {
	properties, required, items := &Node{Kind: Object, Pos: pos}, &Node{Kind: Array, Pos: pos}, &Node{Kind: Array, Pos: pos}
	for _, p := range params {
		p = o.deref(p)
		name, s := p.Get("name"), p.Get("schema")
		if name.Str() == "" || properties.Get(name.Text) != nil {
			continue
		}
		if s == nil {
			s = &Node{Kind: Object, Pos: p.Pos}
		}
		items.Items = append(items.Items, s)
		properties.Members = append(properties.Members, Member{Key: name.Text, KeyPos: name.Pos, Value: described(s, p.Get("description"))})
		if p.Get("required").True() {
			required.Items = append(required.Items, name)
		}
	}
	out := &Node{Kind: Object, Pos: pos}
	add := func(key string, value *Node) {
		out.Members = append(out.Members, Member{Key: key, KeyPos: pos, Value: value})
	}
	if byPosition {
		add("type", textAt(pos, "array"))
		if add("items", items); len(items.Items) == 1 {
			out.Members[1].Value = items.Items[0]
		}
		return out
	}
	add("type", textAt(pos, "object"))
	add("properties", properties)
	if len(required.Items) > 0 {
		add("required", required)
	}
	return out
}

// described returns a schema with the description of the parameter that it is of, unless it has one or is a reference.
func described(s, description *Node) *Node {
	if description.Str() == "" || s.Kind != Object || s.Get("description") != nil || s.Get("$ref") != nil {
		return s
	}
	out := *s
	out.Members = append([]Member{{Key: "description", KeyPos: description.Pos, Value: description}}, s.Members...)
	return &out
}

// ownPointer returns where a reference into a document of OpenRPC leads in the schema file that it is read as.
func ownPointer(pointer string) string {
	if name, ok := strings.CutPrefix("#"+pointer, componentSchemas); ok {
		return "/definitions/" + name
	}
	return pointer
}
