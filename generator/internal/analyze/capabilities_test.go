package analyze_test

import "testing"

func TestCapabilities(t *testing.T) {
	method := func(name, side, more string) string {
		return `"` + name + `Params": {"x-method": "` + name + `", "x-side": "` + side + `", "type": "object", "properties": {"n": {"type": "string"}}` + more + `}`
	}
	base := func(more ...string) []string {
		return append([]string{
			`"openParams": {"x-method": "open", "x-side": "host", "x-result": "Opened", "type": "object", "properties": {"mine": {"$ref": "#/$defs/Can"}}}`,
			`"Opened": {"type": "object", "properties": {"yours": {"$ref": "#/$defs/Can"}}}`,
			`"Can": {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"$ref": "#/$defs/Can"}}}`,
		}, more...)
	}
	gates := func(list string) string { return `"x-capabilities": {"method": "open", "gates": [` + list + `]}` }
	runAll(t, []facts{
		{
			name: "of the receiver, whichever side that is", defs: base(method("ask", "host", ""), method("tell", "client", ""), method("any", "both", "")),
			root: gates(`{"method": "ask", "needs": "yours.a"}, {"method": "tell", "needs": "mine.b.a"}, {"method": "any", "needs": "yours.b"}`),
			want: []string{"gate ask from client needs yours.a", "gate tell from host needs mine.b.a", "gate any from client needs yours.b"},
		},
		{
			name: "the gate that says most of a name counts", defs: base(method("f/a", "host", ""), method("f/b", "host", ""), method("f/c", "client", ""), method("g", "host", "")),
			root: gates(`{"method": "f/b", "needs": "yours.b.a"}, {"method": "f/*", "needs": "yours.b"}, {"method": "*", "needs": "yours"}`),
			want: []string{"gate f/a from client needs yours.b", "gate f/b from client needs yours.b.a", "gate g from client needs yours"},
		},
		{
			name: "of values", defs: base(method("ask", "host", ""), `"sayParams": {"x-method": "say", "x-side": "host", "type": "object", "properties": {"parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}}}}`,
				`"Part": {"discriminator": {"propertyName": "k"}, "oneOf": [{"$ref": "#/$defs/P"}, {"$ref": "#/$defs/Q"}]}`,
				`"P": {"type": "object", "properties": {"k": {"const": "p"}}, "required": ["k"]}`, `"Q": {"type": "object", "properties": {"k": {"const": "q"}}, "required": ["k"]}`),
			root: gates(`{"method": "*", "member": "parts[].k", "is": "q", "needs": "yours.a"}, {"method": "ask", "member": "n", "needs": "yours.b"}`),
			want: []string{"gate ask from client needs yours.b for n", "gate say from client needs yours.a for parts[].k is q"},
		},
		{
			name: "of the sender, whichever side that is", defs: base(method("ask", "host", ""), method("tell", "client", ""), method("any", "both", "")),
			root: gates(`{"method": "ask", "of": "sender", "needs": "mine.a"}, {"method": "ask", "needs": "yours.a"}, {"method": "tell", "of": "sender", "needs": "yours.b.a"}, {"method": "any", "of": "sender", "needs": "yours.b"}`),
			want: []string{
				"gate ask from client needs own mine.a", "gate ask from client needs yours.a", "gate tell from host needs own yours.b.a", "gate any from host needs own yours.b",
			},
		},
		{
			name: "a capability that no sender has", defs: base(method("ask", "host", "")), root: gates(`{"method": "ask", "of": "sender", "needs": "yours.a"}`),
			said: []string{`s.schema.json:1:49: the gate for ask fits nothing: the capabilities of its sender have no "yours.a"`},
		},
		{
			name: "in a profile", defs: base(method("ask", "host", "")), profile: `"capabilities": {"method": "open", "gates": [{"method": "ask", "needs": "yours.a", "versions": ">=2"}, {"method": "*", "needs": "yours.b"}]}`, version: "1.0.0",
			want: []string{"gate ask from client needs yours.b"},
		},
		{
			name: "of a method that is not there", defs: base(), profile: `"capabilities": {"method": "open", "gates": [{"method": "gone", "needs": "yours.a"}, {"method": "x/*", "needs": "yours.a"}]}`,
			said: []string{
				"p.json:1:80: the profile's gate for gone matches nothing in these schemas", "p.json:1:120: the profile's gate for x/* matches nothing in these schemas",
			},
		},
		{
			name: "a capability that nobody has", defs: base(method("ask", "host", ""), method("tell", "client", "")), root: gates(`{"method": "ask", "needs": "mine.a"}, {"method": "tell", "needs": "mine.c"}`),
			said: []string{
				`s.schema.json:1:49: the gate for ask fits nothing: the capabilities of its receiver have no "mine.a"`,
				`s.schema.json:1:87: the gate for tell fits nothing: the capabilities of its receiver have no "mine.c"`,
			},
		},
		{
			name: "a member that is not there", defs: base(method("ask", "host", "")), root: gates(`{"method": "ask", "member": "n[].m", "needs": "yours.a"}`),
			said: []string{`s.schema.json:1:49: the gate for ask fits nothing: its parameters have no "n[].m"`},
		},
		{
			name: "without an introduction", defs: base(method("ask", "host", "")), root: `"x-capabilities": {"method": "ask2", "gates": [{"method": "ask", "needs": "yours.a"}]}`,
			said: []string{`s.schema.json:1:49: capabilities: there is no request "ask2" of the side that opens a connection, in which the two say what they can`},
		},
	})
}
