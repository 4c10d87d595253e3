// Random values, made from the protocol's schemas. All ids come from one small pool and all URIs from another, so
// that actions hit what is there, and so that ids of different things collide. Beyond the schemas it knows only
// what makes runs worthwhile and which values the rules say nothing about.

package ahp_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/schemas"
)

// definitions holds the schemas of all types by name; the protocol uses no name twice.
var definitions = sync.OnceValues(func() (jsonObject, error) {
	folder, _, err := schemas.Protocol("ahp@" + protocolVersion)
	if err != nil {
		return nil, err
	}
	all := jsonObject{}
	for _, name := range []string{"state.schema.json", "actions.schema.json"} {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		var schema struct {
			Defs jsonObject `json:"$defs"`
		}
		if err := json.Unmarshal(data, &schema); err != nil {
			return nil, err
		}
		maps.Copy(all, schema.Defs)
	}
	return all, nil
})

// random makes values out of the choices of its source: the same source gives the same values.
type random struct {
	*rand.Rand
	tb          testing.TB
	definitions jsonObject
	actions     map[string][]string // schemas of a channel's actions
}

func newRandom(tb testing.TB, source rand.Source) *random {
	tb.Helper()
	all, err := definitions()
	require.NoError(tb, err)
	r := &random{Rand: rand.New(source), tb: tb, definitions: all, actions: map[string][]string{}}
	for _, v := range elements(inner(all, "StateAction"), "oneOf") {
		name := refName(v.(jsonObject))
		if name == "" {
			continue // unknown types of actions are made by hand
		}
		prefix, _, _ := strings.Cut(r.actionType(name), "/")
		r.actions[prefix] = append(r.actions[prefix], name)
	}
	return r
}

func (r *random) actionType(definition string) string {
	schema := inner(r.definitions, definition)
	if variants := elements(schema, "oneOf"); variants != nil {
		return r.actionType(refName(variants[0].(jsonObject)))
	}
	return text(inner(inner(schema, "properties"), "type"), "const")
}

func refName(schema jsonObject) string {
	if ref := text(schema, "$ref"); ref != "" {
		return path.Base(ref)
	}
	return ""
}

func (r *random) chance(percent int) bool { return r.IntN(100) < percent }

func oneOf[T any](r *random, choices ...T) T { return choices[r.IntN(len(choices))] }

func (r *random) definition(name string, depth int) any {
	schema := inner(r.definitions, name)
	require.NotNil(r.tb, schema, "no schema %s", name)
	return r.value(schema, name, depth)
}

var (
	idPool   = []string{"a", "b", "c", "d"}
	uriPool  = []string{"x:/a", "x:/b", "x:/c"}
	textPool = []string{"", "x", "two words", "“ü\u2028\"\\\n", "<&>"}
)

// value makes a value of a schema; name is that of the member it is for, or of its type.
func (r *random) value(schema jsonObject, name string, depth int) any {
	if v := r.instead(name); v != nil {
		return v
	}
	if constant, ok := schema["const"]; ok {
		return constant
	}
	switch ref := refName(schema); ref {
	case "":
	case "URI":
		return oneOf(r, uriPool...)
	case "PendingMessageKind":
		return oneOf(r, "steering", "queued") // what to do with another kind, no rule tells
	default:
		return r.definition(ref, depth)
	}
	switch {
	case schema["x-bitset"] != nil:
		return r.statusBits()
	case schema["oneOf"] != nil:
		return r.variant(elements(schema, "oneOf"), name, depth)
	case schema["anyOf"] != nil: // a list of known values, or any text
		if r.chance(10) {
			return "future"
		}
		return r.value(elements(schema, "anyOf")[0].(jsonObject), name, depth)
	case schema["enum"] != nil:
		return oneOf(r, elements(schema, "enum")...)
	}
	switch schema["type"] {
	case "string":
		if name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Ids") || name == "order" || name == "files" {
			return oneOf(r, idPool...)
		}
		return oneOf(r, textPool...)
	case "integer":
		if _, bounded := schema["minimum"]; !bounded && r.chance(20) {
			return json.Number("-7")
		}
		return json.Number(oneOf(r, "0", "1", "42", "9007199254740993"))
	case "number":
		return json.Number(oneOf(r, "0", "1", "-2.5", "1e21"))
	case "boolean":
		return r.chance(50)
	case "null":
		return nil
	case "array":
		l := jsonList{}
		for range r.length(name, depth) {
			l = append(l, r.value(inner(schema, "items"), name, depth+1))
		}
		return l
	case "object":
		return r.object(schema, depth)
	}
	return r.freeForm()
}

func (r *random) length(name string, depth int) int {
	switch {
	case name == "responseParts" && depth < 3:
		return r.IntN(7)
	case depth < 4:
		return r.IntN(4)
	default:
		return r.IntN(2)
	}
}

// statusBits mixes an activity, known flags and bits that nobody knows, among them such as 32 bits do not hold.
func (r *random) statusBits() any {
	bits := oneOf[uint64](r, bitIdle, bitError, bitInProgress, bitsNeedInput, bitIdle|bitsNeedInput, 0)
	for _, flag := range []uint64{bitRead, bitArchived, 1 << 7, 1 << 31, 1 << 40} {
		if r.chance(30) {
			bits |= flag
		}
	}
	return number(bits)
}

// sharedMembers names what all variants of a union have: a variant from the future has it as well.
var sharedMembers = map[string]string{
	"Customization":       "ContainerCustomizationBase",
	"ChildCustomization":  "ChildCustomizationBase",
	"SessionInputRequest": "SessionInputRequestBase",
	"ToolCallState":       "ToolCallBase",
}

func (r *random) variant(variants jsonList, union string, depth int) any {
	variant := oneOf(r, variants...).(jsonObject)
	if union == "ResponsePart" && r.chance(50) {
		variant = jsonObject{"$ref": oneOf(r, "ToolCallResponsePart", "InputRequestResponsePart")}
	}
	if isTrue(variant["x-unknown"]) {
		return r.unknown(inner(variant, "properties"), union, depth)
	}
	return r.value(variant, "", depth)
}

func (r *random) unknown(tags jsonObject, union string, depth int) jsonObject {
	o := jsonObject{"id": oneOf(r, idPool...), "future": r.freeForm()}
	if base, ok := sharedMembers[union]; ok {
		o = spread(o, r.definition(base, depth).(jsonObject))
	}
	for tag := range tags {
		o[tag] = "future"
	}
	return o
}

func (r *random) object(schema jsonObject, depth int) any {
	o := jsonObject{}
	switch additional := schema["additionalProperties"].(type) {
	case bool:
		return r.freeFormObject()
	case jsonObject:
		for range r.length("", depth) {
			o[oneOf(r, idPool...)] = r.value(additional, "", depth+1)
		}
	}
	for _, base := range elements(schema, "allOf") {
		o = spread(o, r.definition(refName(base.(jsonObject)), depth).(jsonObject))
	}
	properties := inner(schema, "properties")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		_, narrowed := o[name] // a type may say more about a member that its base has
		if narrowed || slices.Contains(elements(schema, "required"), any(name)) || r.present(name, depth) {
			o[name] = r.value(inner(properties, name), name, depth+1)
		}
	}
	return o
}

// present decides whether there is an optional member: fewer of them the deeper, or states grow without end.
func (r *random) present(name string, depth int) bool {
	switch {
	case name == "activeTurn" || name == "customizations" && depth == 0 || name == "children":
		return r.chance(85)
	case depth < 4 || name == "contributor" || name == "toolInput" || name == "options" || name == "content":
		return r.chance(50)
	default:
		return depth < 9 && r.chance(12)
	}
}

// freeForm is JSON that the protocol does not look into; its nulls are data.
func (r *random) freeForm() any {
	return oneOf[any](r, nil, "x", true, json.Number("1.50"), jsonList{nil, "y"}, jsonObject{"n": nil, "m": jsonObject{}})
}

func (r *random) freeFormObject() jsonObject {
	o := jsonObject{}
	for range r.IntN(3) {
		o[oneOf(r, idPool...)] = r.freeForm()
	}
	return o
}
