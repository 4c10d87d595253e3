// Random values from the schemas of a version, steered so that actions hit what is in states.

package ahp_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

type object = map[string]any

// schemas are the definitions of a version, with its channels.
type schemas struct {
	*rand.Rand
	defs    object
	states  []string            // definitions of states
	prefix  map[string]string   // of actions, by the definition of the state
	actions map[string][]string // definitions of actions by prefix
	client  map[string]bool     // those that a client may dispatch
	count   int                 // for ids that differ
	counts  bool                // a session that waits for clients to run tools needs input
}

func load(dir string, r *rand.Rand) *schemas {
	s := &schemas{Rand: r, defs: object{}, prefix: map[string]string{}, actions: map[string][]string{}, client: map[string]bool{}}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		maps.Copy(s.defs, parsed(data).(object)["$defs"].(object))
	}
	for _, name := range slices.Sorted(maps.Keys(s.defs)) {
		if channel, ok := s.defs[name].(object)["x-channel"].(object); ok && channel["prefix"] != nil {
			s.states, s.prefix[name] = append(s.states, name), channel["prefix"].(string)
		}
	}
	for _, v := range s.defs["StateAction"].(object)["oneOf"].([]any) {
		name := refOf(v.(object))
		if name == "" {
			continue
		}
		kind := s.actionType(name)
		prefix := kind[:strings.Index(kind, "/")+1]
		s.actions[prefix] = append(s.actions[prefix], name)
		s.client[name] = s.defs[name].(object)["x-client-dispatchable"] == true
	}
	return s
}

func (s *schemas) actionType(name string) string {
	def := s.defs[name].(object)
	if list, ok := def["oneOf"].([]any); ok {
		return s.actionType(refOf(list[0].(object)))
	}
	return def["properties"].(object)["type"].(object)["const"].(string)
}

func refOf(schema object) string {
	ref, _ := schema["$ref"].(string)
	if ref == "" {
		return ""
	}
	return path.Base(ref)
}

func (s *schemas) chance(percent int) bool { return s.IntN(100) < percent }

func pick[T any](s *schemas, of ...T) T { return of[s.IntN(len(of))] }

// state is a random state of a channel, in which nothing has the id of something of its kind.
func (s *schemas) state(name string) object {
	v := s.value(object{"$ref": "#/" + name}, name, "", 0).(object)
	tidy(v)
	if waiting := items(v["inputNeeded"]); name == "SessionState" && len(waiting) > 0 { // a session that waits is at work
		v["status"] = json.Number("24")
		if !s.counts && !slices.ContainsFunc(waiting, func(r any) bool { return r.(object)["kind"] != "toolClientExecution" }) {
			v["status"] = json.Number("8")
		}
	}
	return v
}

// identities are the members that tell the items of a list apart.
var identities = map[string]string{
	"turns": "id", "chats": "resource", "annotations": "id", "entries": "id", "customizations": "id", "children": "id", "activeClients": "clientId",
	"inputNeeded": "id", "files": "id", "operations": "id", "queuedMessages": "id", "content": "commandId", "terminals": "resource", "inputRequests": "id",
}

func tidy(v any) {
	switch v := v.(type) {
	case object:
		for name, m := range v {
			tidy(m)
			list, ok := m.([]any)
			if !ok {
				continue
			}
			seen := map[string]bool{}
			kept := []any{}
			for _, item := range list {
				key := ""
				switch item := item.(type) {
				case string:
					if name == "workingDirectories" || name == "sessions" {
						key = item
					}
				case object:
					key, _ = item[identities[name]].(string)
					if name == "responseParts" {
						key = partKey(item)
					}
				}
				if key == "" || !seen[key] {
					kept = append(kept, item)
				}
				seen[key] = true
			}
			v[name] = kept
		}
	case []any:
		for _, item := range v {
			tidy(item)
		}
	}
}

func partKey(part object) string {
	if call, ok := part["toolCall"].(object); ok {
		id, _ := call["toolCallId"].(string)
		return "tool " + id
	}
	if request, ok := part["request"].(object); ok {
		id, _ := request["id"].(string)
		return "request " + id
	}
	id, _ := part["id"].(string)
	return id
}

// action is a random action on a state, which may change so that something comes of it.
func (s *schemas) action(name string, state object) object {
	a := s.value(object{"$ref": "#/" + name}, name, "", 1).(object)
	tidy(a)
	if open, ok := state["activeTurn"].(object); ok && s.chance(85) && a["turnId"] != nil && a["type"] != "chat/truncated" && a["type"] != "chat/turnResume" {
		a["turnId"] = open["id"]
	}
	if turns, ok := state["turns"].([]any); ok && len(turns) > 0 && s.chance(85) && (a["type"] == "chat/truncated" || a["type"] == "chat/turnResume") {
		a["turnId"] = turns[len(turns)-1].(object)["id"]
	}
	if turns, ok := state["turns"].([]any); ok && len(turns) > 0 && a["type"] == "chat/turnResume" && s.chance(85) {
		delete(state, "activeTurn")
		last := turns[len(turns)-1].(object)
		last["state"] = "error"
		failed := object{"kind": "error", "error": object{"errorType": "x", "message": "y"}, "resumable": true}
		parts := slices.DeleteFunc(items(last["responseParts"]), func(part any) bool { // calls have come to an end with the turn
			call, ok := part.(object)["toolCall"].(object)
			return ok && call["status"] != "completed" && call["status"] != "cancelled"
		})
		last["responseParts"] = append(parts, failed)
	}
	if chats, ok := state["chats"].([]any); ok && a["type"] == "session/chatsReordered" && s.chance(85) {
		order := []any{}
		for _, i := range s.Perm(len(chats)) {
			order = append(order, chats[i].(object)["resource"])
		}
		a["chats"] = order
	}
	return a
}

func (s *schemas) value(schema object, name, owner string, depth int) any {
	if c, ok := schema["const"]; ok {
		return c
	}
	switch ref := refOf(schema); ref {
	case "":
	case "URI":
		return pick(s, "x:/a", "x:/b", "x:/c")
	case "PendingMessageKind":
		return pick(s, "steering", "queued")
	default:
		return s.value(s.defs[ref].(object), name, ref, depth)
	}
	switch {
	case schema["x-bitset"] != nil:
		return s.status()
	case schema["oneOf"] != nil:
		return s.variant(schema["oneOf"].([]any), name, owner, depth)
	case schema["anyOf"] != nil:
		return s.value(schema["anyOf"].([]any)[0].(object), name, owner, depth)
	case schema["enum"] != nil:
		return pick(s, schema["enum"].([]any)...)
	}
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok {
		kind = pick(s, kinds...)
	}
	switch kind {
	case "null":
		return nil
	case "string":
		if strings.HasSuffix(name, "At") {
			return pick(s, "2026-01-02T03:04:05.000Z", "2026-02-03T04:05:06.000Z")
		}
		if name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Ids") || name == "order" || name == "files" {
			return pick(s, "a", "b", "c", "d")
		}
		return pick(s, "", "x", "two words", "<&>\n")
	case "integer", "number":
		return json.Number(pick(s, "0", "1", "42"))
	case "boolean":
		return s.chance(50)
	case "array":
		list := []any{}
		for range s.length(name, depth) {
			list = append(list, s.value(schema["items"].(object), name, owner, depth+1))
		}
		return list
	case "object":
		return s.object(schema, owner, depth)
	}
	return pick[any](s, "x", true, json.Number("1.5"), []any{nil, "y"}, object{"n": nil})
}

func (s *schemas) length(name string, depth int) int {
	switch {
	case name == "responseParts" && depth < 5:
		return s.IntN(5)
	case depth < 4:
		return s.IntN(4)
	default:
		return s.IntN(2)
	}
}

func (s *schemas) status() any {
	bits := pick(s, 1, 2, 8, 24)
	for _, flag := range []int{32, 64} {
		if s.chance(30) {
			bits |= flag
		}
	}
	text, _ := json.Marshal(bits)
	return json.Number(text)
}

func (s *schemas) variant(list []any, name, owner string, depth int) any {
	v := pick(s, list...).(object)
	if owner == "ResponsePart" && s.chance(40) {
		v = object{"$ref": "#/" + pick(s, "ToolCallResponsePart", "InputRequestResponsePart")}
	}
	for v["x-unknown"] == true {
		v = pick(s, list...).(object)
	}
	return s.value(v, name, owner, depth)
}

func (s *schemas) object(schema object, owner string, depth int) any {
	o := object{}
	switch more := schema["additionalProperties"].(type) {
	case bool:
		if schema["properties"] == nil {
			return object{pick(s, "a", "b"): "x"}
		}
	case object:
		for range s.length("", depth) {
			o[pick(s, "a", "b", "c")] = s.value(more, "", "", depth+1)
		}
	}
	for _, base := range items(schema["allOf"]) {
		maps.Copy(o, s.value(base.(object), "", "", depth).(object))
	}
	properties, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		_, narrowed := o[name]
		if narrowed || slices.Contains(items(schema["required"]), any(name)) || s.present(name, depth) {
			o[name] = s.value(properties[name].(object), name, "", depth+1)
		}
	}
	return o
}

func items(v any) []any {
	list, _ := v.([]any)
	return list
}

func (s *schemas) present(name string, depth int) bool {
	switch {
	case name == "activeTurn" || name == "children":
		return s.chance(70)
	case depth < 4 || name == "contributor" || name == "toolInput" || name == "options" || name == "resumable":
		return s.chance(50)
	}
	return depth < 9 && s.chance(12)
}
