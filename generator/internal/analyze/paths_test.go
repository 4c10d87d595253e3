package analyze_test

import "testing"

// What is known by its name, in a lock or a profile, has to be the only thing of that name.
func TestNoTwoTypesHaveOneName(t *testing.T) {
	inner := `{"type": "object", "properties": {"n": {"type": "integer"}}}`
	a, b := object("A", `"type": {"const": "a"}`), object("B", `"type": {"const": "b"}`)
	runAll(t, []facts{
		{
			name: "a member called value, and the members that are not declared", defs: []string{
				`"A": {"type": "object", "properties": {"value": {"enum": ["x", "y"]}}, "additionalProperties": {"enum": [1, 2]}}`,
			},
			want: []string{"struct A: value? A.value, others A.value#2", "enum A.value string: x, y", "enum A.value#2 integer: 1, 2"},
		},
		{
			name: "members with dots", defs: []string{
				`"A": {"type": "object", "properties": {"b.c": ` + inner + `, "b": {"type": "object", "properties": {"c": ` + inner + `}}, "d": ` + inner + `}}`,
				`"A.d": {"type": "object", "properties": {"s": {"type": "string"}}}`,
			},
			want: []string{
				"struct A: b.c? A.b.c, b? A.b, d? A.d#2", "struct A.b.c: n? integer", "struct A.b: c? A.b.c#2", "struct A.d#2: n? integer", "struct A.b.c#2: n? integer",
				"struct A.d: s? string",
			},
		},
		{
			name: "alternatives with one title", defs: []string{
				`"U": {"oneOf": [{"title": "T", "type": "object", "properties": {"a": {}}, "required": ["a"]}, {"title": "T", "type": "object", "properties": {"b": {}}, "required": ["b"]},
				 {"title": "T", "type": "object", "properties": {"c": {}}, "required": ["c"]}]}`,
			},
			want: []string{"union U shaped: has a → U.T, has b → U.T#2, has c → U.T#3"},
		},
		{
			name: "an alternative called like the member that tells", defs: []string{
				`"U": {"oneOf": [{"type": "object", "properties": {"type": {"const": "type"}}, "required": ["type"]}, {"type": "object", "properties": {"type": {"const": "b"}}, "required": ["type"]}]}`,
			},
			want: []string{"union U tagged tag U.type#2: type type → U.type, b → U.b", "enum U.type#2 string: type, b"},
		},
		{
			name: "the actions of a channel that is called like a definition", defs: []string{
				a, b, union("U", []string{"A", "B"}), `"chat": {"type": "object", "properties": {"action": ` + inner + `}}`,
			},
			profile: `"channels": [{"name": "chat", "prefix": "a"}], "actions": {"union": "U", "rules": [{"type": "a", "since": "1"}, {"type": "b", "since": "1"}]}`,
			want:    []string{"struct A: type=a", "struct B: type=b", "struct chat: action? chat.action", "struct chat.action: n? integer", "scope chat.action#2"},
			said:    []string{`s.schema.json:3:1: warning: no channel claims the action "b"`},
		},
		{
			name: "stated ones are refused", defs: []string{a, b, union("U", []string{"A", "B"}, `"x-tag": "A"`)},
			profile: `"channels": [{"name": "chat", "prefix": "a"}], "actions": {"union": "U", "client": "B", "rules": [{"type": "a", "since": "1", "client": true}, {"type": "b", "since": "1"}]}`,
			said: []string{
				`p.json:1:118: the union of what a client may dispatch is to be called B, and so is what stands at s.schema.json:3:1`,
				`s.schema.json:3:1: warning: no channel claims the action "b"`,
				`s.schema.json:4:16: the tags of U are to be A, which is no enum of strings`,
			},
		},
	})
}
