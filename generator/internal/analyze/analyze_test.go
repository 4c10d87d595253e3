package analyze_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	stated "github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// facts is one case: schemas and a profile, and what the protocol says then.
type facts struct {
	name    string
	root    string   // members of the file beside $defs
	defs    []string // members of $defs, one on each line from line 2 on
	profile string   // members of the profile beside name and title
	version string

	// want holds every fact of the kinds that it mentions, a kind being the first word: where it
	// holds a union it holds all of them. It is nil if the schemas are refused.
	want []string
	said []string // diagnostics without their hints, in order of their positions
}

func (c facts) run(t *testing.T) {
	t.Helper()
	root := ""
	if c.root != "" {
		root = c.root + ", "
	}
	var diags diag.List
	text := "{" + root + "\"$defs\": {\n" + strings.Join(c.defs, ",\n") + "}}"
	set, loaded, err := schema.Load(fstest.MapFS{"s.schema.json": {Data: []byte(text)}}, ".", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	prof := profile.Empty()
	if c.profile != "" {
		stated, parsed := profile.Parse("p.json", []byte(`{"name": "test", "title": "Test", `+c.profile+`}`))
		diags.Add(parsed...)
		prof = stated
		require.NotNil(t, prof, "%v", diags.Sorted())
	}
	understood := understand.Run(set, prof, stated.Text{Text: c.version}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	var said []string
	for _, d := range diags.Sorted() {
		require.NotEmpty(t, d.Code)
		require.NotZero(t, d.Pos.Line, "%v", d)
		d.Hint = ""
		said = append(said, d.String())
	}
	require.Equal(t, c.said, said)
	require.Equal(t, c.want == nil, p == nil, "%v", said)
	if p == nil {
		require.True(t, diags.HasErrors())
		return
	}
	require.Equal(t, c.want, told(p, c.want))
}

func runAll(t *testing.T, cases []facts) {
	for _, c := range cases {
		t.Run(c.name, c.run)
	}
}

// told renders the parts of a protocol whose kinds occur in want.
func told(p *protocol.Protocol, want []string) []string {
	var out []string
	say := func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		kind, _, _ := strings.Cut(line, " ")
		if slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(w, kind+" ") }) {
			out = append(out, line)
		}
	}
	say("protocol %s %q version %q supported %v", p.Name, p.Title, p.Version, p.Supported)
	for _, t := range p.Types {
		switch t := t.(type) {
		case *protocol.Struct:
			say("struct %s", structText(t))
		case *protocol.Enum:
			say("enum %s", enumText(t))
		case *protocol.Union:
			say("union %s", unionText(t))
		case *protocol.Alias:
			say("alias %s = %s%s", named(t), exprText(t.Target), word(t.Nullable, "|null"))
		}
	}
	for _, c := range p.Channels {
		state := ""
		if c.State != nil {
			state = " of " + c.State.Name
		}
		say("channel %s%s uri %q prefix %q doc %q", c.Name, state, c.URI, c.Prefix, c.Doc)
	}
	if p.Actions != nil {
		for _, a := range p.Actions.Actions {
			channel := "none"
			if a.Channel != nil {
				channel = a.Channel.Name
			}
			say("action %s %s channel %s since %q%s", a.Type, a.Struct.Name, channel, a.Since, word(a.Client, " client"))
		}
		for _, u := range p.Actions.Channels {
			say("scope %s", u.Name)
		}
		if p.Actions.Client != nil {
			say("scope %s of clients", p.Actions.Client.Name)
		}
	}
	for _, m := range p.Methods {
		say("method %s from %s%s(%s) %s since %q", m.Name, m.From, word(m.Notification, " notification"), typeName(m.Params), typeName(m.Result), m.Since)
	}
	for _, e := range p.Errors {
		say("error %d %s data %s", e.Code, e.Name, typeName(e.Data))
	}
	for _, c := range p.Channels {
		if c.PassThrough != "" {
			say("pass-through %s by %s", c.Name, c.PassThrough)
		}
	}
	if h := p.Handshake; h != nil && h.Error == nil {
		say("handshake %s: %s, %s%s", h.Method.Name, h.Offer, h.Answer, word(h.Number, "; number"))
	} else if h != nil {
		say("handshake %s: %s, %s; %s: %s", h.Method.Name, h.Offer, h.Answer, h.Error.Name, h.Supported)
	}
	if c := p.Capabilities; c != nil {
		for _, g := range c.Gates {
			say("gate %s from %s needs %s%s%s%s", g.Method.Name, g.From, word(g.Own, "own "), g.Needs, word(g.Member != "", " for "+g.Member), word(g.Is != "", " is "+g.Is))
		}
	}
	if e := p.Extensions; e != nil {
		say("extensions prefix %q meta %q", e.Prefix, e.Meta)
	}
	return out
}

func word(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

func typeName(t protocol.Type) string {
	if t == nil {
		return "none"
	}
	return t.Head().Name
}

// named returns the name of a type, with its Go name if one is stated.
func named(t protocol.Type) string {
	if goName := t.Head().GoName; goName != "" {
		return t.Head().Name + " as " + goName
	}
	return t.Head().Name
}

func exprText(e protocol.Expr) string {
	switch e := e.(type) {
	case protocol.Scalar:
		if e == protocol.Float {
			return "float"
		}
		return e.String()
	case protocol.Ref:
		return e.Type.Head().Name
	case protocol.List:
		return "[]" + exprText(e.Elem)
	case protocol.Map:
		return "map[]" + exprText(e.Elem)
	}
	return "nothing"
}

func valueText(v protocol.Value) string {
	switch v.Kind {
	case protocol.Integer:
		return strconv.FormatInt(v.Int, 10)
	case protocol.Bool:
		return strconv.FormatBool(v.Bool)
	}
	return v.Str
}

func valuesText(list []protocol.Value) string {
	var out []string
	for _, v := range list {
		out = append(out, valueText(v))
	}
	return strings.Join(out, "|")
}

func structText(s *protocol.Struct) string {
	var out []string
	for _, f := range s.Fields {
		text := f.Name + word(!f.Required, "?")
		if f.GoName != "" {
			text += " as " + f.GoName
		}
		switch {
		case f.Const != nil:
			text += "=" + valueText(*f.Const)
		case f.Values != nil:
			text += " " + exprText(f.Type) + " of " + valuesText(f.Values)
		default:
			text += " " + exprText(f.Type) + word(f.Nullable, "|null")
		}
		out = append(out, text)
	}
	if s.Extra != nil {
		out = append(out, "others "+exprText(s.Extra))
	}
	if s.Partial != nil {
		out = append(out, "partial of "+s.Partial.Name)
	}
	return named(s) + ": " + strings.Join(out, ", ")
}

func enumText(e *protocol.Enum) string {
	var out []string
	for _, m := range e.Members {
		text := valueText(m.Value)
		if m.Name != "" {
			text = m.Name + "=" + text
		}
		if m.Doc != "" {
			text += fmt.Sprintf(" %q", m.Doc)
		}
		out = append(out, text)
	}
	return fmt.Sprintf("%s %s%s%s: %s", named(e), e.Kind, word(e.Open, " open"), word(e.Bitset, " bitset"), strings.Join(out, ", "))
}

func unionText(u *protocol.Union) string {
	kind := [...]string{"tagged", "shaped", "by token"}[u.Kind]
	text := named(u) + " " + kind + word(u.Open, " open")
	if u.Tag != nil {
		text += " tag " + u.Tag.Name
	}
	for _, p := range u.Parents {
		text += " in " + p.Name
	}
	if u.Dispatch != nil {
		return text + ": " + dispatchText(u.Dispatch)
	}
	var out []string
	for _, v := range u.Variants {
		out = append(out, v.Name+" "+exprText(v.Type))
	}
	return text + ": " + strings.Join(out, ", ")
}

func dispatchText(d *protocol.Dispatch) string {
	var out []string
	for _, c := range d.Cases {
		text := valuesText(c.Values)
		if c.Marker != "" {
			text = "has " + c.Marker
		}
		if c.Next != nil {
			out = append(out, text+" → ("+dispatchText(c.Next)+")")
			continue
		}
		out = append(out, text+" → "+c.Struct.Name)
	}
	if d.Member != "" {
		return d.Member + " " + strings.Join(out, ", ")
	}
	return strings.Join(out, ", ")
}

// object returns the definition of an object with all its members required. Keywords come first.
func object(name, members string, keywords ...string) string {
	var required []string
	for _, m := range schemaMembers(members) {
		required = append(required, strconv.Quote(m))
	}
	head := ""
	for _, k := range keywords {
		head += k + ", "
	}
	return fmt.Sprintf(`%q: {%s"type": "object", "required": [%s], "properties": {%s}}`, name, head, strings.Join(required, ", "), members)
}

func schemaMembers(members string) []string {
	var out []string
	if n, _ := schema.ParseJSON("members", []byte("{"+members+"}")); n != nil {
		for _, m := range n.Members {
			out = append(out, m.Key)
		}
	}
	return out
}

// union returns the definition of a choice between definitions. Keywords come first.
func union(name string, of []string, keywords ...string) string {
	head := ""
	for _, k := range keywords {
		head += k + ", "
	}
	var refs []string
	for _, o := range of {
		if strings.HasPrefix(o, "{") {
			refs = append(refs, o)
			continue
		}
		refs = append(refs, fmt.Sprintf(`{"$ref": "#/$defs/%s"}`, o))
	}
	return fmt.Sprintf(`%q: {%s"oneOf": [%s]}`, name, head, strings.Join(refs, ", "))
}

const unknownVariant = `{"x-unknown": true, "not": {}}`

func TestUnionsAreToldApart(t *testing.T) {
	a, b, c := object("A", `"type": {"const": "a"}`), object("B", `"type": {"const": "b"}`), object("C", `"type": {"const": "c"}`)
	runAll(t, []facts{
		{
			name: "by a constant", defs: []string{a, b, union("U", []string{"A", "B"})},
			want: []string{"union U tagged tag U.type: type a → A, b → B", "enum U.type string: a, b"},
		},
		{
			name: "by an enum of one value", defs: []string{a, object("B", `"type": {"enum": ["b"]}`), union("U", []string{"A", "B"})},
			want: []string{"union U tagged tag U.type: type a → A, b → B"},
		},
		{
			name: "by the values of an enum", defs: []string{a, object("B", `"type": {"enum": ["b", "c"]}`), union("U", []string{"A", "B"})},
			want: []string{
				"struct A: type=a", "struct B: type U.type of b|c",
				"union U tagged tag U.type: type a → A, b|c → B", "enum U.type string: a, b, c",
			},
		},
		{
			name: "by integers", defs: []string{object("A", `"v": {"const": 1}`), object("B", `"v": {"const": -2}`), union("U", []string{"A", "B"})},
			want: []string{"union U tagged: v 1 → A, -2 → B"},
		},
		{
			name: "by a boolean, which leaves nothing open", defs: []string{object("A", `"ok": {"const": true}`), object("B", `"ok": {"const": false}`), union("U", []string{"A", "B"})},
			profile: `"unions": {"open": true}`,
			want:    []string{"union U tagged: ok true → A, false → B"},
		},
		{
			name: "by two constants", defs: []string{
				object("A", `"type": {"const": "x"}, "state": {"const": "on"}`), object("B", `"type": {"const": "x"}, "state": {"const": "off"}`),
				object("C", `"type": {"const": "y"}`), union("U", []string{"A", "B", "C"}),
			},
			want: []string{"union U tagged tag U.type: type x → (state on → A, off → B), y → C", "enum U.type string: x, y"},
		},
		{
			name: "by a constant and then by shape", defs: []string{
				object("A", `"type": {"const": "x"}, "a": {}`), object("B", `"type": {"const": "x"}, "b": {}`),
				object("C", `"type": {"const": "y"}`), union("U", []string{"A", "B", "C"}),
			},
			want: []string{"union U tagged tag U.type: type x → (has a → A, has b → B), y → C"},
		},
		{
			name: "by the constant that most differ in", defs: []string{
				object("A", `"group": {"const": "x"}, "type": {"const": "a"}`), object("B", `"group": {"const": "x"}, "type": {"const": "b"}`),
				object("C", `"group": {"const": "y"}, "type": {"const": "c"}`), union("U", []string{"A", "B", "C"}),
			},
			want: []string{"union U tagged tag U.type: type a → A, b → B, c → C"},
		},
		{
			name: "by the constant that the profile prefers", defs: []string{
				object("A", `"kind": {"const": "x"}, "type": {"const": "a"}`), object("B", `"kind": {"const": "y"}, "type": {"const": "b"}`), union("U", []string{"A", "B"}),
			},
			profile: `"unions": {"discriminators": ["type", "kind"]}`,
			want:    []string{"union U tagged tag U.type: type a → A, b → B"},
		},
		{
			name: "by the discriminator of the schema", defs: []string{
				object("A", `"kind": {"const": "x"}, "type": {"const": "a"}`), object("B", `"kind": {"const": "y"}, "type": {"const": "b"}`),
				union("U", []string{"A", "B"}, `"discriminator": {"propertyName": "kind"}`),
			},
			want: []string{"union U tagged tag U.kind: kind x → A, y → B"},
		},
		{
			name: "by the discriminator of the profile's rule, which comes before the schema's", defs: []string{
				object("A", `"kind": {"const": "x"}, "type": {"const": "a"}`), object("B", `"kind": {"const": "y"}, "type": {"const": "b"}`),
				union("U", []string{"A", "B"}, `"discriminator": {"propertyName": "kind"}`),
			},
			profile: `"unions": {"rules": [{"union": "U", "discriminator": "type", "open": true, "tag": "Types"}]}`,
			want:    []string{"union U tagged open tag Types: type a → A, b → B", "enum Types string open: a, b"},
		},
		{
			name: "by members that exclude each other, in an order that matters", defs: []string{object("A", `"x": {}, "a": {}`), object("B", `"x": {}, "b": {}`), union("U", []string{"A", "B"})},
			profile: `"unions": {"open": true}`,
			want:    []string{"union U shaped: has a → A, has x → B"},
		},
		{
			name: "by members, the one with fewer last", defs: []string{
				object("A", `"x": {}`), object("B", `"x": {}, "b": {}`), object("C", `"x": {}, "b": {}, "c": {}`), union("U", []string{"A", "B", "C"}, `"x-otherwise": ["B", "A"]`),
			},
			want: []string{"union U shaped: has c → C, has b → B, has x → A"},
		},
		{
			name: "an alternative of two types is two", defs: []string{`"U": {"oneOf": [{"type": "boolean"}, {"type": ["string", "array"]}]}`},
			want: []string{"union U by token: boolean boolean, string string, array []any"},
		},
		{
			name: "by token", defs: []string{
				a, `"U": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/A"}, {"type": "array", "items": {"type": "integer"}}, {"type": "boolean"}, {"type": "null"}]}`,
			},
			want: []string{"union U by token: string string, object A, array []integer, boolean boolean"},
		},
		{
			name: "by token, a list of types", defs: []string{`"U": {"type": ["string", "number", "boolean", "null"]}`},
			want: []string{"union U by token: string string, number number, boolean boolean, null null"},
		},
		{
			name: "by token, an enum and an integer", defs: []string{`"U": {"oneOf": [{"enum": ["a", "b"]}, {"type": "integer"}]}`},
			want: []string{"union U by token: string U.string, number integer", "enum U.string string: a, b"},
		},
		{
			name: "where alternatives of a union inside go by other names, whichever stands first", defs: []string{
				a, b, c, `"D": {"$ref": "#/$defs/E"}`, `"E": {"$ref": "#/$defs/B"}`,
				union("U", []string{"A", `{"oneOf": [{"$ref": "#/$defs/C"}, {"$ref": "#/$defs/D"}]}`}), union("V", []string{"A", "W"}), `"W": {"$ref": "#/$defs/X"}`, union("X", []string{"C", "D"}),
			},
			want: []string{
				"union U tagged tag U.type: type a → A, c → C, b → B", "union U.variant2 tagged tag U.type in U in V: type c → C, b → B",
				"union V tagged tag V.type: type a → A, c → C, b → B", "union X tagged tag U.type in U in V: type c → C, b → B",
			},
		},
		{
			name: "by shape, where an alternative of a union inside goes by another name", defs: []string{
				object("A", `"x": {}, "a": {}`), object("B", `"x": {}, "b": {}`), object("C", `"x": {}, "c": {}`), `"D": {"$ref": "#/$defs/C"}`,
				union("U", []string{"A", "V"}), union("V", []string{"B", "D"}),
			},
			want: []string{"union U shaped: has a → A, has b → B, has x → C", "union V shaped: has b → B, has x → C"},
		},
		{
			name: "inline alternatives are named by their constant", defs: []string{
				`"U": {"oneOf": [{"type": "object", "required": ["type"], "properties": {"type": {"const": "a"}}},
				  {"type": "object", "required": ["type"], "properties": {"type": {"const": "b"}}}]}`,
			},
			want: []string{"union U tagged tag U.type: type a → U.a, b → U.b"},
		},
		{
			name: "inline alternatives are named by their title or what tells them apart", defs: []string{
				`"U": {"oneOf": [{"type": "object", "title": "First", "required": ["a"], "properties": {"a": {}}}, {"type": "object", "required": ["b"], "properties": {"b": {}}}]}`,
			},
			want: []string{"union U shaped: has a → U.First, has b → U.with-b"},
		},
		{
			name: "through aliases", defs: []string{a, b, `"Other": {"$ref": "#/$defs/B"}`, union("U", []string{"A", "Other"})},
			want: []string{"union U tagged tag U.type: type a → A, b → B"},
		},
		{
			name: "a union in a member", defs: []string{a, b, `"T": {"type": "object", "properties": {"u": {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}}}`},
			want: []string{"struct A: type=a", "struct B: type=b", "struct T: u? T.u", "union T.u tagged tag T.u.type: type a → A, b → B"},
		},
		{
			name: "one alternative is no union", defs: []string{a, union("U", []string{"A"})},
			want: []string{"alias U = A"},
		},
		{
			name: "sub-unions and their parents", defs: []string{
				a, b, c, union("AB", []string{"A", "B"}), union("All", []string{"AB", "C"}), union("Wide", []string{"All", "D"}), object("D", `"type": {"const": "d"}`),
				union("BC", []string{"C", "B"}),
			},
			want: []string{
				"union AB tagged tag Wide.type in All: type a → A, b → B",
				"union All tagged tag Wide.type in Wide: type a → A, b → B, c → C",
				"union Wide tagged tag Wide.type: type a → A, b → B, c → C, d → D",
				"enum Wide.type string: a, b, c, d",
				"union BC tagged tag Wide.type in All: type c → C, b → B",
			},
		},
		{
			name: "the same variants are no parents of each other", defs: []string{a, b, union("U", []string{"A", "B"}), union("V", []string{"B", "A"})},
			want: []string{"union U tagged tag U.type: type a → A, b → B", "union V tagged tag V.type: type b → B, a → A"},
		},
	})
}

func TestUnionsThatCannotBeToldApart(t *testing.T) {
	const apart = "its alternatives cannot be told apart: "
	const noConstant = "no constant member has values of its own in each, and "
	runAll(t, []facts{
		{
			name: "two constants that would do", defs: []string{
				object("A", `"kind": {"const": "x"}, "type": {"const": "a"}`), object("B", `"kind": {"const": "y"}, "type": {"const": "b"}`), union("U", []string{"A", "B"}),
			},
			said: []string{"s.schema.json:4:1: U: " + apart + `both "kind" and "type" would do`},
		},
		{
			name: "the same constant", defs: []string{object("A", `"type": {"const": "a"}`), object("B", `"type": {"const": "a"}`), union("U", []string{"A", "B"})},
			said: []string{"s.schema.json:4:1: U: " + apart + noConstant + "A, B have no required member that the others lack"},
		},
		{
			name: "an optional constant that only one has", defs: []string{
				`"A": {"type": "object", "properties": {"type": {"const": "a"}}}`, `"B": {"type": "object", "properties": {"x": {"const": "b"}}}`, union("U", []string{"A", "B"}),
			},
			said: []string{"s.schema.json:4:1: U: " + apart + noConstant + "A, B have no required member that the others lack"},
		},
		{
			name: "two optional constants that would do", defs: []string{
				`"A": {"type": "object", "properties": {"kind": {"const": "x"}, "type": {"const": "a"}}}`,
				`"B": {"type": "object", "properties": {"kind": {"const": "y"}, "type": {"const": "b"}}}`, union("U", []string{"A", "B"}),
			},
			said: []string{"s.schema.json:4:1: U: " + apart + `both "kind" and "type" would do`},
		},
		{
			name: "optional constants with the empty text", defs: []string{
				`"A": {"type": "object", "properties": {"type": {"const": ""}}}`, `"B": {"type": "object", "properties": {"type": {"const": "b"}}}`, union("U", []string{"A", "B"}),
			},
			said: []string{"s.schema.json:4:1: U: " + apart + noConstant + "A, B have no required member that the others lack"},
		},
		{
			name: "constants of different kinds", defs: []string{object("A", `"v": {"const": 1}`), object("B", `"v": {"const": "1"}`), union("U", []string{"A", "B"})},
			said: []string{"s.schema.json:4:1: U: " + apart + noConstant + "A, B have no required member that the others lack"},
		},
		{
			name: "values that overlap in part", defs: []string{object("A", `"v": {"enum": ["a", "b"]}`), object("B", `"v": {"enum": ["b", "c"]}`), union("U", []string{"A", "B"})},
			said: []string{"s.schema.json:4:1: U: " + apart + noConstant + "A, B have no required member that the others lack"},
		},
		{
			name: "only those that clash are named", defs: []string{
				object("A", `"a": {}`), object("B", `"x": {}`), object("C", `"x": {}`), union("U", []string{"A", "B", "C"}),
			},
			said: []string{"s.schema.json:5:1: U: " + apart + noConstant + "B, C have no required member that the others lack"},
		},
		{
			name: "many that clash", defs: []string{
				object("A", `"x": {}`), object("B", `"x": {}`), object("C", `"x": {}`), object("D", `"x": {}`), object("E", `"x": {}`), union("U", []string{"A", "B", "C", "D", "E"}),
			},
			said: []string{"s.schema.json:7:1: U: " + apart + noConstant + "A, B, C, D, … have no required member that the others lack"},
		},
		{
			name: "a marker that another may have", defs: []string{
				object("A", `"a": {}`), `"B": {"type": "object", "required": ["b"], "properties": {"a": {}, "b": {}}}`,
				`"C": {"type": "object", "required": ["a"], "properties": {"a": {}, "b": {}}}`, union("U", []string{"B", "C"}), union("V", []string{"A", "B"}),
			},
			said: []string{"s.schema.json:5:1: U: " + apart + noConstant + "B, C have no required member that the others lack"},
		},
		{
			name: "a discriminator that is no constant", defs: []string{
				object("A", `"type": {"const": "a"}, "kind": {"type": "string"}`), object("B", `"type": {"const": "b"}, "kind": {"const": "b"}`),
				union("U", []string{"A", "B"}, `"discriminator": {"propertyName": "kind"}`),
			},
			said: []string{`s.schema.json:2:94: A cannot be told from the other alternatives of U: "kind" is no constant`},
		},
		{
			name: "a discriminator of a rule that is not there", defs: []string{object("A", `"type": {"const": "a"}`), object("B", `"type": {"const": "b"}`), union("U", []string{"A", "B"})},
			profile: `"unions": {"rules": [{"union": "U", "discriminator": "typ"}]}`,
			said:    []string{"s.schema.json:4:1: U: " + apart + `member "typ" is not a required constant of each, or its values repeat`},
		},
		{
			name: "what holds an ambiguous union is not reported again", defs: []string{
				object("A", `"x": {}`), object("B", `"x": {}`), object("C", `"c": {}`), union("U", []string{"A", "B"}), union("V", []string{"U", "C"}),
			},
			said: []string{"s.schema.json:5:1: U: " + apart + noConstant + "A, B have no required member that the others lack"},
		},
		{
			name: "by members, where what is malformed would pass for the one with fewer", defs: []string{
				object("A", `"x": {}`), object("B", `"x": {}, "b": {}`), union("U", []string{"A", "B"}),
			},
			said: []string{"s.schema.json:4:1: U: " + apart + "a malformed one of the others would pass for A"},
		},
		{
			name: "two alternatives of one token", defs: []string{`"U": {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "string", "contentEncoding": "base64"}]}`},
			said: []string{"s.schema.json:2:58: U: two alternatives are a JSON string"},
		},
		{
			name: "an alternative that says nothing", defs: []string{object("A", `"a": {}`), union("U", []string{"A", "{}"})},
			said: []string{"s.schema.json:3:40: U: alternative 2 says nothing about its values, so everything would match it"},
		},
		{
			name: "a map beside an object", defs: []string{object("A", `"a": {}`), union("U", []string{"A", `{"type": "object", "additionalProperties": {"type": "string"}}`})},
			said: []string{"s.schema.json:3:40: U: an alternative without named members cannot be told from the others"},
		},
	})
}

func TestKeywordsOfUnions(t *testing.T) {
	a, b, c := object("A", `"type": {"const": "a"}`), object("B", `"type": {"const": "b"}`), object("C", `"type": {"const": "c"}`)
	const byType = `"discriminator": {"propertyName": "type"}`
	runAll(t, []facts{
		{
			name: "x-tag names the enum of the tags", defs: []string{a, b, union("U", []string{"A", "B"}, `"x-tag": "Kind"`), `"Kind": {"enum": ["a", "b"]}`},
			want: []string{"union U tagged tag Kind: type a → A, b → B", "enum Kind string: a, b"},
		},
		{
			name: "x-tag names a definition", defs: []string{
				a, b, union("U", []string{"A", "B"}, `"x-tag": "Kind"`), `"Kind": {"enum": ["b", "z", "a"], "x-enum-names": ["Bee", "Zed", "Ay"]}`,
			},
			want: []string{"union U tagged tag Kind: type a → A, b → B", "enum Kind string: Bee=b, Zed=z, Ay=a"},
		},
		{
			name: "x-tag is shared", defs: []string{a, b, c, union("U", []string{"A", "B"}, `"x-tag": "Kind"`), union("V", []string{"B", "C"}, `"x-tag": "Kind"`), `"Kind": {"enum": ["a", "b", "c"]}`},
			want: []string{"union U tagged tag Kind: type a → A, b → B", "union V tagged tag Kind: type b → B, c → C", "enum Kind string: a, b, c"},
		},
		{
			name: "x-tag names nothing", defs: []string{a, b, union("U", []string{"A", "B"}, `"x-tag": "Kind"`)},
			said: []string{"s.schema.json:4:16: the tags of U are to be Kind, which no file defines"},
		},
		{
			name: "x-unknown opens a union", defs: []string{a, b, union("U", []string{"A", "B", unknownVariant}, byType)},
			want: []string{"union U tagged open tag U.type: type a → A, b → B", "enum U.type string open: a, b"},
		},
		{
			name: "x-unknown needs no discriminator", defs: []string{a, b, union("U", []string{"A", "B", unknownVariant})},
			want: []string{"union U tagged open tag U.type: type a → A, b → B"},
		},
		{
			name: "x-unknown beside one alternative", defs: []string{a, union("U", []string{"A", unknownVariant})},
			want: []string{"union U tagged open tag U.type: type a → A"},
		},
		{
			name: "x-tag without x-unknown closes a union, and a discriminator does not", defs: []string{a, b, union("U", []string{"A", "B"}, byType, `"x-tag": "T"`), union("V", []string{"A", "B"}, byType), `"T": {"enum": ["a", "b"]}`},
			profile: `"unions": {"open": true}`,
			want: []string{
				"union U tagged tag T: type a → A, b → B",
				"union V tagged open tag V.type: type a → A, b → B", "enum V.type string open: a, b", "enum T string: a, b",
			},
		},
		{
			name: "the profile's rule comes first", defs: []string{a, b, union("U", []string{"A", "B", unknownVariant}, byType)},
			profile: `"unions": {"rules": [{"union": "U", "open": false}]}`,
			want:    []string{"union U tagged tag U.type: type a → A, b → B"},
		},
		{
			name: "x-unknown in a union that is held by another", defs: []string{a, b, c, union("U", []string{"A", "B", unknownVariant}), union("V", []string{"U", "C"})},
			want: []string{"union U tagged open tag V.type in V: type a → A, b → B", "union V tagged tag V.type: type a → A, b → B, c → C"},
		},
	})
}

func TestKeywordsOfTypes(t *testing.T) {
	runAll(t, []facts{
		{
			name: "x-enum-names and descriptions", defs: []string{`"E": {"enum": ["a", "b"], "x-enum-names": ["First", "Second"], "x-enum-descriptions": ["One.", "Two."]}`},
			want: []string{`enum E string: First=a "One.", Second=b "Two."`},
		},
		{
			name: "x-enum-names of integers, with a name from the profile", defs: []string{`"E": {"type": "integer", "enum": [1, -1], "x-enum-names": ["Up", "Down"]}`},
			profile: `"enums": {"open": true, "rules": [{"enum": "E", "names": {"-1": "Fall"}}]}`,
			want:    []string{"enum E integer open: Up=1, Fall=-1"},
		},
		{
			name: "x-enum-names that do not fit", defs: []string{`"E": {"enum": ["a", "b"], "x-enum-names": ["First"]}`},
			said: []string{"s.schema.json:2:43: x-enum-names has 1 items for 2 values"},
		},
		{
			name: "x-bitset", defs: []string{`"E": {"type": "integer", "x-bitset": {"Read": 1, "Write": 2}, "x-enum-descriptions": ["May read.", "May write."]}`},
			want: []string{`enum E integer open bitset: Read=1 "May read.", Write=2 "May write."`},
		},
		{
			name: "x-bitset inline", defs: []string{`"T": {"type": "object", "properties": {"flags": {"type": "integer", "x-bitset": {"Read": 1}}}}`},
			want: []string{"struct T: flags? T.flags", "enum T.flags integer open bitset: Read=1"},
		},
		{
			name: "x-bitset with a negative flag", defs: []string{`"E": {"type": "integer", "x-bitset": {"Read": -1}}`},
			said: []string{"s.schema.json:2:47: flag Read of E is negative"},
		},
		{
			name: "x-abstract is a base and no type", defs: []string{
				object("Base", `"id": {"type": "string"}`, `"x-abstract": true`), `"T": {"allOf": [{"$ref": "#/$defs/Base"}], "properties": {"n": {"type": "boolean"}}}`,
			},
			want: []string{"struct T: id string, n? boolean"},
		},
		{
			name: "x-abstract that is false", defs: []string{object("Base", `"id": {"type": "string"}`, `"x-abstract": false`)},
			want: []string{"struct Base: id string"},
		},
		{
			name: "x-partial-of", defs: []string{
				object("T", `"a": {"type": "string"}, "b": {"type": "boolean"}`),
				`"Patch": {"x-partial-of": "T", "x-go-name": "TPatch", "type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}}}`,
			},
			want: []string{"struct T: a string, b boolean", "struct Patch as TPatch: a? string, b? boolean, partial of T"},
		},
		{
			name: "x-partial-of what is no object", defs: []string{`"Patch": {"x-partial-of": "T", "type": "object", "properties": {}}`, `"T": {"type": "string"}`},
			said: []string{`s.schema.json:2:27: Patch repeats T, and there is no such object`},
		},
		{
			name: "a partial of the profile", defs: []string{object("T", `"a": {"type": "string"}`), `"U": {"type": "object", "properties": {"t": {"type": "object", "properties": {"a": {"type": "string"}}}}}`},
			profile: `"partials": [{"at": "U.t", "of": "T", "name": "TChange"}]`,
			want:    []string{"struct T: a string", "struct U: t? U.t", "struct U.t as TChange: a? string, partial of T"},
		},
		{
			name: "x-go-name of a definition and a member", defs: []string{
				`"T": {"x-go-name": "Thing", "type": "object", "properties": {"a": {"type": "string", "x-go-name": "Alpha"}}}`, `"E": {"enum": ["a"], "x-go-name": "Letter"}`,
			},
			want: []string{"struct T as Thing: a? as Alpha string", "enum E as Letter string: a"},
		},
		{
			name: "names of the profile", defs: []string{`"T": {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}`},
			profile: `"naming": {"names": [{"at": "T", "name": "Thing"}, {"at": "T.a", "name": "Inner"}, {"at": "T.a.b", "name": "Bee"}]}`,
			want:    []string{"struct T as Thing: a? as Inner T.a", "struct T.a as Inner: b? as Bee string"},
		},
		{
			name: "an omitted definition that is used", defs: []string{`"A": {"type": "string"}`, `"T": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}`},
			profile: `"omit": [{"definition": "A"}]`,
			said:    []string{"s.schema.json:3:54: A is used here, but the profile omits it"},
		},
	})
}

func TestNumbersAreWhatTheProfileSays(t *testing.T) {
	defs := []string{
		`"T": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "integer"}, "c": {"type": "number", "format": "double"}, "d": {"type": "array", "items": {"type": "number"}}}}`,
		`"N": {"type": "number"}`,
	}
	runAll(t, []facts{
		{name: "floats without a word", defs: defs, want: []string{"struct T: a? float, b? integer, c? float, d? []float", "alias N = float"}},
		{
			name: "integers by default", defs: defs, profile: `"numbers": {"default": "integer"}`,
			want: []string{"struct T: a? integer, b? integer, c? float, d? []integer", "alias N = integer"},
		},
		{
			name: "integers by default, with floats", defs: defs, profile: `"numbers": {"default": "integer", "floats": [{"at": "T.a"}, {"at": "N"}]}`,
			want: []string{"struct T: a? float, b? integer, c? float, d? []integer", "alias N = float"},
		},
		{
			name: "floats by default, with integers", defs: defs, profile: `"numbers": {"default": "float", "integers": [{"at": "T.c"}, {"at": "T.d.item"}]}`,
			want: []string{"struct T: a? float, b? integer, c? integer, d? []integer", "alias N = float"},
		},
		{
			name: "an entry for another version", defs: defs, profile: `"numbers": {"integers": [{"at": "T.a", "versions": "<0.5.0"}]}`, version: "0.5.0",
			want: []string{"struct T: a? float, b? integer, c? float, d? []float"},
		},
		{
			name: "an entry that matches nothing", defs: defs, profile: `"numbers": {"integers": [{"at": "T.b"}]}`,
			said: []string{"p.json:1:60: the profile's integer T.b matches nothing in these schemas"},
		},
	})
}

func TestWaysToAllowNull(t *testing.T) {
	const str = `{"type": "string"}`
	for _, c := range []struct{ name, member, want string }{
		{"a list of types", `{"type": ["string", "null"]}`, "string|null"},
		{"a list of types, null first", `{"type": ["null", "integer"]}`, "integer|null"},
		{"anyOf", `{"anyOf": [` + str + `, {"type": "null"}]}`, "string|null"},
		{"oneOf, null first", `{"oneOf": [{"type": "null"}, ` + str + `]}`, "string|null"},
		{"a constant", `{"anyOf": [` + str + `, {"const": null}]}`, "string|null"},
		{"a reference", `{"anyOf": [{"$ref": "#/$defs/O"}, {"type": "null"}]}`, "O|null"},
		{"a reference to what may be null", `{"$ref": "#/$defs/M"}`, "M|null"},
		{"both", `{"anyOf": [{"$ref": "#/$defs/M"}, {"type": "null"}]}`, "M|null"},
		{"a reference to an alias of what may be null", `{"$ref": "#/$defs/Also"}`, "Also|null"},
		{"a reference beside a description", `{"description": "x", "allOf": [{"$ref": "#/$defs/M"}]}`, "M|null"},
		{"among the values of an enum", `{"enum": ["a", "b", null]}`, "T.m|null"},
		{"beside an enum", `{"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}`, "T.m|null"},
		{"an inline object", `{"anyOf": [{"type": "object", "properties": {"x": {}}}, {"type": "null"}]}`, "T.m|null"},
		{"a list", `{"type": ["array", "null"], "items": ` + str + `}`, "[]string|null"},
		{"a map", `{"type": ["object", "null"], "additionalProperties": ` + str + `}`, "map[]string|null"},
		{"a union of objects", `{"oneOf": [{"$ref": "#/$defs/O"}, {"$ref": "#/$defs/P"}, {"type": "null"}]}`, "T.m|null"},
		{"a union of primitives has it as a variant", `{"type": ["string", "integer", "null"]}`, "T.m"},
		{"nothing else does", `{"anyOf": [` + str + `]}`, "string"},
		{"anything", `{}`, "any"},
	} {
		facts{
			name: c.name,
			defs: []string{
				`"M": {"type": ["string", "null"]}`, `"Also": {"$ref": "#/$defs/M"}`, object("O", `"o": {}`), object("P", `"p": {}`),
				`"T": {"type": "object", "properties": {"m": ` + c.member + `}}`,
			},
		}.runMember(t, c.want)
	}
	runAll(t, []facts{
		{name: "a definition", defs: []string{`"M": {"type": ["string", "null"]}`, `"Also": {"$ref": "#/$defs/M"}`}, want: []string{"alias M = string|null", "alias Also = M|null"}},
		{
			name: "the items of a list", defs: []string{`"L": {"type": "array", "items": {"type": ["string", "null"]}}`},
			want: []string{"alias L = []any"}, said: []string{"s.schema.json:2:33: warning: items of L may be null, so that each is raw JSON in Go"},
		},
		{
			name: "the values of a map, through a reference", defs: []string{`"M": {"type": ["string", "null"]}`, `"T": {"type": "object", "properties": {"m": {"additionalProperties": {"$ref": "#/$defs/M"}}}}`},
			want: []string{"alias M = string|null"}, said: []string{"s.schema.json:3:70: warning: items of T.m may be null, so that each is raw JSON in Go"},
		},
		{
			name: "never", defs: []string{`"T": {"type": "object", "properties": {"m": false}}`},
			said: []string{"s.schema.json:2:45: no value fits the schema false"},
		},
	})
}

// runMember looks at the only member of struct T.
func (c facts) runMember(t *testing.T, want string) {
	t.Helper()
	c.want = []string{"struct O: o any", "struct P: p any", "struct T: m? " + want}
	if strings.Contains(c.defs[len(c.defs)-1], `{"x": {}}`) {
		c.want = append(c.want, "struct T.m: x? any")
	}
	t.Run(c.name, c.run)
}
