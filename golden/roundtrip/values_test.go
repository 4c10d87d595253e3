// Random values: what a schema seems to allow, of which a validator takes those that it does.

package roundtrip

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// writer makes values for schemas.
type writer struct {
	*rand.Rand
	defs  object
	small bool // integers are none below zero and fit into an int32, as descriptions may ask for
}

// valid returns values of a definition that a validator accepts.
func (w *writer) valid(t *testing.T, schema []byte, key, name string) (out []any) {
	t.Helper()
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("p.json", bytes.NewReader(schema)))
	s, err := c.Compile("p.json#/" + key + "/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name)))
	require.NoError(t, err)
	seen := map[string]bool{}
	for range 200 {
		data := kit.ToJSON(t, w.value(w.defs[name], 12))
		if v := parse(t, data); !seen[string(data)] && s.Validate(v) == nil {
			out, seen[string(data)] = append(out, v), true
		}
	}
	return out[:min(len(out), 25)]
}

// one returns one of the values.
func one[T any](w *writer, of ...T) T { return of[w.IntN(len(of))] }

// anything returns a value that no schema has asked for.
func (w *writer) anything() any {
	low := -3
	if w.small {
		low = 3
	}
	return one[any](w, "a", "x-1", "", 0, 1, low, 2.5, true, false, nil, object{}, object{"a": 1}, []any{}, []any{"a"}, []any{1, nil})
}

// value returns one that the schema might allow.
func (w *writer) value(schema any, depth int) any {
	s, ok := schema.(object)
	if !ok || depth == 0 || w.IntN(25) == 0 {
		return w.anything()
	}
	if ref, ok := s["$ref"].(string); ok {
		return w.value(w.defs[path.Base(ref)], depth-1)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if list := asList(s["enum"]); list != nil {
		return one(w, list...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := asList(s[keyword]); list != nil {
			return w.value(one(w, list...), depth-1)
		}
	}
	if list := asList(s["allOf"]); list != nil {
		all := object{}
		for _, part := range list {
			members, _ := w.value(part, depth-1).(object)
			for name, v := range members {
				all[name] = v
			}
		}
		return all
	}
	switch kind := s["type"].(type) {
	case string:
		return w.kind(kind, s, depth)
	case []any:
		return w.kind(one(w, kind...).(string), s, depth)
	}
	return w.anything()
}

func (w *writer) kind(kind string, s object, depth int) any {
	switch kind {
	case "string":
		return one(w, "a", "abc", "q r", "ünï\n", "x-a", "", "2026-11-27", "2026-11-27T10:00:00Z", "2026-11-27T10:00:00.25+01:00", "https://example.org/a?b#c",
			"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "YWI=", "a@example.org", "127.0.0.1", "::1", "one", "b")
	case "integer":
		if s["maximum"] == uint64(math.MaxUint64) && w.IntN(2) == 0 {
			return s["maximum"] // others are an int64
		}
		if w.small {
			return json.Number(one(w, "0", "1", "7", "127", "2147483647"))
		}
		return json.Number(one(w, "0", "1", "-1", "7", "127", "-128", "255", "65535", "-32768", "2147483647", "4294967295", "9007199254740993",
			"9223372036854775807", "-9223372036854775808"))
	case "number":
		return json.Number(one(w, "0", "1", "-1", "0.5", "2.5", "-0.125", "1e3", "123456789.25", "9007199254740991"))
	case "boolean":
		return w.IntN(2) == 0
	case "null":
		return nil
	case "object":
		return w.object(s, depth)
	}
	return w.list(s, depth)
}

func (w *writer) object(s object, depth int) object {
	out := object{}
	properties, _ := s["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		of := properties[name]
		if slices.Contains(asList(s["required"]), any(name)) || w.IntN(3) > 0 {
			out[name] = w.value(of, depth-1)
		}
	}
	// Members that nothing declares may be left out by what is emitted, so there are none.
	if more, ok := s["additionalProperties"]; ok {
		for range w.IntN(3) {
			out[one(w, "y", "z", "", "a b")] = w.value(more, depth-1)
		}
	} else if properties == nil && s["patternProperties"] == nil && w.IntN(2) == 0 {
		out[one(w, "y", "z")] = w.anything()
	}
	patterns, _ := s["patternProperties"].(object)
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		of := patterns[pattern]
		if w.IntN(2) == 0 {
			out[one(w, "x-a", "x-b")] = w.value(of, depth-1)
		}
	}
	return out
}

func (w *writer) list(s object, depth int) []any {
	out := []any{}
	for _, of := range asList(s["prefixItems"]) {
		out = append(out, w.value(of, depth-1))
	}
	if items, ok := s["items"]; ok {
		for range w.IntN(4) {
			out = append(out, w.value(items, depth-1))
		}
	} else if len(out) == 0 && w.IntN(2) == 0 {
		out = append(out, w.anything(), w.anything())
	}
	return out
}

// strict returns definitions that allow no object to have a member by which others are told, unless it declares that itself.
func strict(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = strict(item)
		}
		return out
	case object:
		out := object{}
		for name, item := range v {
			out[name] = strict(item)
		}
		for i, part := range asList(v["allOf"]) {
			asList(out["allOf"])[i] = part // declares some of the members only
		}
		properties, _ := v["properties"].(object)
		if _, tagged := properties["kind"]; !tagged && v["type"] == "object" {
			out["allOf"] = append(asList(out["allOf"]), object{"propertyNames": object{"not": object{"enum": []any{"kind", "more"}}}})
		}
		return out
	}
	return v
}

// same reports whether two JSON values are equal, numbers by their value. The constant by which alternatives are told may be in the
// second alone, since encoders write it.
func same(a, b any) bool {
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		if !ok {
			return false
		}
		for name, v := range a {
			if other, ok := b[name]; !ok || !same(v, other) {
				return false
			}
		}
		for name, v := range b {
			_, ok := a[name]
			_, isText := v.(string)
			if !ok && !(name == "kind" && isText) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case json.Number:
		b, ok := b.(json.Number)
		x, ok1 := new(big.Rat).SetString(a.String())
		y, ok2 := new(big.Rat).SetString(b.String())
		return ok && ok1 && ok2 && x.Cmp(y) == 0
	}
	return a == b
}
