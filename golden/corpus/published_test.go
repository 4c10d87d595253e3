// Schema files in the manner of the publisher of AHP, for versions whose files the corpus lacks: the embedded schemas
// without any vendor keyword, one file for each part with copies of all that it refers to, and with the publisher's
// habits and defects.

package corpus

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/schemas"
)

// publishedParts are the files of a release.
var publishedParts = []string{"state", "actions", "commands", "notifications", "errors"}

// publication is the definitions of a version as its publisher would write them.
type publication struct {
	defs  map[string]*inside.Node
	home  map[string]string // the file that a definition belongs to
	order []string
	apart string // a definition that only its own file has, where the others refer to it nevertheless
}

// Members that the publisher writes as whole numbers; everywhere else there are only numbers.
var publishedWhole = []string{
	"ConfigPropertySchema.minItems", "ConfigPropertySchema.maxItems", "AutomationAfterRunsCondition.max", "AuthenticateParams.expiresIn",
}

// Constants that the publisher's tools lose.
var publishedWithout = []string{"ChatToolCallApprovedAction.approved", "ChatToolCallDeniedAction.approved"}

// Values that the publisher writes as a choice of constants.
var publishedChoices = []string{
	"ChildCustomizationType", "ChatInputAnswered.state", "ChatInputNumberQuestion.kind", "ChatToolCallDeniedAction.reason",
}

// publish restates embedded schemas.
func publish(t testing.TB, version string) *publication {
	t.Helper()
	own := &publication{defs: map[string]*inside.Node{}, home: map[string]string{}}
	folder, _, err := schemas.Protocol("ahp@" + version)
	require.NoError(t, err)
	for _, part := range publishedParts {
		data, err := fs.ReadFile(folder, part+".schema.json")
		require.NoError(t, err)
		for _, m := range parseNode(t, data).Get("$defs").Members {
			own.defs[m.Key], own.home[m.Key] = m.Value, part
			own.order = append(own.order, m.Key)
		}
	}
	out := &publication{defs: map[string]*inside.Node{}, home: own.home}
	for _, name := range own.order {
		if !own.isOurs(name) {
			out.define(name, own.home[name], own.restate(own.defs[name], name))
		}
	}
	out.defects(t)
	return out
}

func parseNode(t testing.TB, data []byte) *inside.Node {
	t.Helper()
	var diags diag.List
	n, parsed := inside.ParseJSON("published.json", data)
	diags.Add(parsed...)
	require.False(t, diags.HasErrors(), "%v", diags.Sorted())
	return n
}

func (p *publication) define(name, part string, def *inside.Node) {
	p.defs[name], p.home[name] = def, part
	p.order = append(p.order, name)
}

// isOurs reports whether only our schemas give something a name: the values that tell variants apart, inline objects
// that repeat another, bases of actions, and what every method travels in.
func (p *publication) isOurs(name string) bool {
	for _, def := range p.defs {
		if tag := def.Get("x-tag"); tag != nil && tag.Text == name {
			return true
		}
	}
	return strings.HasPrefix(name, "JsonRpc") && name != "JsonRpcErrorCode" || strings.HasPrefix(name, "Partial") ||
		name == "ReconnectResult" || name == "ToolCallActionBase"
}

// defects adds what the publisher has beside our definitions.
func (p *publication) defects(t testing.TB) {
	p.define("AhpErrorDetailsMap", "errors", parseNode(t, []byte(`{"type": "object", "properties": {
		"[AhpErrorCodes.AuthRequired]": {"$ref": "#/$defs/AuthRequiredErrorData"},
		"[AhpErrorCodes.PermissionDenied]": {"$ref": "#/$defs/PermissionDeniedErrorData"},
		"[AhpErrorCodes.UnsupportedProtocolVersion]": {"$ref": "#/$defs/UnsupportedProtocolVersionErrorData"}},
		"required": ["[AhpErrorCodes.AuthRequired]", "[AhpErrorCodes.PermissionDenied]", "[AhpErrorCodes.UnsupportedProtocolVersion]"]}`)))
	notifications := object(inside.Member{Key: "oneOf", Value: &inside.Node{Kind: inside.Array}})
	for _, name := range p.order {
		if p.home[name] == "notifications" && strings.HasSuffix(name, "Params") {
			list := notifications.Get("oneOf")
			list.Items = append(list.Items, object(inside.Member{Key: "$ref", Value: text("#/$defs/" + name)}))
		}
	}
	p.define("ProtocolNotification", "notifications", notifications)
	for _, name := range []string{"AutomationDefinition", "AutomationDefinitionPatch"} {
		if def := p.defs[name]; def != nil {
			list := def.At("/properties/disableConditions")
			list.Members = append(list.Members, inside.Member{Key: "allOf", Value: parseNode(t, []byte(`[
				{"contains": {"type": "object", "properties": {"kind": {"const": "afterRuns"}}, "required": ["kind"]}, "minContains": 0, "maxContains": 1},
				{"contains": {"type": "object", "properties": {"kind": {"const": "afterDate"}}, "required": ["kind"]}, "minContains": 0, "maxContains": 1}]`))})
		}
	}
}

func object(members ...inside.Member) *inside.Node {
	return &inside.Node{Kind: inside.Object, Members: members}
}

func text(s string) *inside.Node { return &inside.Node{Kind: inside.String, Text: s} }

// restate writes a schema in the publisher's manner. At is the definition, with the member inside.
func (p *publication) restate(n *inside.Node, at string) *inside.Node {
	if n.Kind != inside.Object {
		return object() // true: anything
	}
	if slices.Contains(publishedWithout, at) {
		return object()
	}
	out := object()
	set := func(key string, v *inside.Node) { out.Members = append(out.Members, inside.Member{Key: key, Value: v}) }
	known := n
	if closed := closedBeside(n); closed != nil {
		known = closed
	}
	if bits := n.Get("x-bitset"); bits != nil {
		values := &inside.Node{Kind: inside.Array}
		for _, b := range bits.Members {
			values.Items = append(values.Items, b.Value)
		}
		set("enum", values)
	}
	if d := n.Get("description"); d != nil {
		set("description", d)
	}
	if n.Get("allOf") != nil {
		properties, required := &inside.Node{Kind: inside.Object}, &inside.Node{Kind: inside.Array}
		p.flatten(n, at, properties, required)
		set("type", text("object"))
		set("properties", properties)
		if len(required.Items) > 0 {
			set("required", required)
		}
		return out
	}
	if values := known.Get("enum"); values != nil && slices.Contains(publishedChoices, at) {
		choice := &inside.Node{Kind: inside.Array}
		for _, v := range values.Items {
			choice.Items = append(choice.Items, object(inside.Member{Key: "const", Value: v}))
		}
		set("oneOf", choice)
		return out
	}
	for _, m := range known.Members {
		p.restateKeyword(m, at, set)
	}
	if known != n {
		set("type", text("string"))
	}
	return out
}

// restateKeyword sets a keyword of ours as the publisher has it, if he has it.
func (p *publication) restateKeyword(m inside.Member, at string, set func(string, *inside.Node)) {
	v := m.Value
	switch m.Key {
	case "type":
		if v.Text == "integer" && !slices.Contains(publishedWhole, at) {
			v = text("number")
		}
		set(m.Key, v)
	case "minimum":
		if slices.Contains(publishedWhole, at) {
			set(m.Key, v)
		}
	case "$ref":
		name := path.Base(v.Text)
		if def := p.defs[name]; p.isOurs(name) && def.Get("x-partial-of") != nil {
			inline := p.restate(def, name)
			for _, m := range inline.Members {
				if m.Key != "description" {
					set(m.Key, m.Value)
				}
			}
			return
		}
		set(m.Key, text("#/$defs/"+name))
	case "properties":
		if len(v.Members) == 0 && strings.Contains(at, ".") { // a flag that is there or not
			set("additionalProperties", object())
			return
		}
		set(m.Key, p.properties(v, at))
	case "items":
		set(m.Key, p.restate(v, at+"[]"))
	case "additionalProperties":
		set(m.Key, p.restate(v, at+"{}"))
	case "oneOf", "anyOf":
		list := &inside.Node{Kind: inside.Array}
		for _, item := range v.Items {
			if item.Get("x-unknown") == nil {
				list.Items = append(list.Items, p.restate(item, at))
			}
		}
		set("oneOf", list)
	case "const", "enum", "required":
		set(m.Key, v)
	}
}

func (p *publication) properties(n *inside.Node, at string) *inside.Node {
	out := &inside.Node{Kind: inside.Object}
	for _, m := range n.Members {
		out.Members = append(out.Members, inside.Member{Key: m.Key, Value: p.restate(m.Value, at+"."+m.Key)})
	}
	return out
}

// flatten gathers the members of an object with those of its bases, which come first.
func (p *publication) flatten(n *inside.Node, at string, properties, required *inside.Node) {
	if bases := n.Get("allOf"); bases != nil {
		for _, base := range bases.Items {
			name := at
			if ref := base.Get("$ref"); ref != nil {
				name = path.Base(ref.Text)
				base = p.defs[name]
			}
			p.flatten(base, name, properties, required)
		}
	}
	if own := n.Get("properties"); own != nil {
		for _, m := range p.properties(own, at).Members {
			if i := slices.IndexFunc(properties.Members, func(o inside.Member) bool { return o.Key == m.Key }); i >= 0 {
				properties.Members[i] = m // it says more of what the base has
				continue
			}
			properties.Members = append(properties.Members, m)
		}
	}
	if own := n.Get("required"); own != nil {
		for _, name := range own.Items {
			if !slices.ContainsFunc(required.Items, name.Equal) {
				required.Items = append(required.Items, name)
			}
		}
	}
}

// closedBeside is the known values of a set that may grow, where n is one: those beside any string.
func closedBeside(n *inside.Node) *inside.Node {
	list := n.Get("anyOf")
	if list == nil || len(list.Items) != 2 || list.Items[0].Get("enum") == nil {
		return nil
	}
	return list.Items[0]
}

// references are the definitions that a schema names, in the order of the text.
func references(n *inside.Node) []string {
	var out []string
	for _, m := range n.Members {
		if m.Key == "$ref" {
			out = append(out, path.Base(m.Value.Text))
			continue
		}
		out = append(out, references(m.Value)...)
	}
	for _, item := range n.Items {
		out = append(out, references(item)...)
	}
	return out
}

// write lays the files out: each has its own definitions and then copies of all that they refer to.
func (p *publication) write(t testing.TB, dir string) string {
	t.Helper()
	for _, part := range publishedParts {
		var names []string
		for _, name := range p.order {
			if p.home[name] == part {
				names = append(names, name)
			}
		}
		for i := 0; i < len(names); i++ {
			for _, name := range references(p.defs[names[i]]) {
				if p.defs[name] != nil && name != p.apart && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		defs := object()
		for _, name := range names {
			defs.Members = append(defs.Members, inside.Member{Key: name, Value: p.defs[name]})
		}
		file := object(
			inside.Member{Key: "$schema", Value: text("https://json-schema.org/draft/2020-12/schema")},
			inside.Member{Key: "$id", Value: text("https://example.com/schema/" + part + ".schema.json")},
			inside.Member{Key: "$defs", Value: defs},
		)
		var indented bytes.Buffer
		require.NoError(t, json.Indent(&indented, []byte(file.Compact()), "", "  "))
		writeFileTB(t, filepath.Join(dir, part+".schema.json"), indented.String()+"\n")
	}
	return dir
}
