// Tests of the schemas of AHP 1.0.0 against what is known about that version: its structure, of which the corpus
// holds every definition without prose, and what is new since the version before.

package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type definitions map[string]map[string]any

// embedded reads the definitions of a version, and the keywords at the root of its files.
func embedded(t testing.TB, version string) (defs definitions, root map[string]any) {
	t.Helper()
	defs, root = definitions{}, map[string]any{}
	for name, data := range files(t) {
		if path.Dir(name) != "ahp/"+version {
			continue
		}
		var file map[string]any
		require.NoError(t, json.Unmarshal(data, &file))
		for def, s := range file["$defs"].(map[string]any) {
			require.NotContains(t, defs, def)
			defs[def] = s.(map[string]any)
		}
		maps.DeleteFunc(file, func(key string, _ any) bool { return !strings.HasPrefix(key, "x-") })
		maps.Copy(root, file)
	}
	require.NotEmpty(t, defs)
	return defs, root
}

// knownAbout reads a file of the corpus about AHP 1.0.0.
func knownAbout(t testing.TB, file string, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(read(t, filepath.Join(corpus(t), "ahp", "1.0.0", file)), v))
}

// shape says what a schema lets through, in a way that does not depend on how it is written: what is taken in by allOf is
// written out, values that may grow are those that are known, unions are their known variants, and numbers are numbers.
func (d definitions) shape(s map[string]any) string {
	if ref, ok := s["$ref"].(string); ok {
		return path.Base(ref)
	}
	if c, ok := s["const"]; ok {
		return values([]any{c})
	}
	if e, ok := s["enum"].([]any); ok {
		return values(e)
	}
	if bits, ok := s["x-bitset"].(map[string]any); ok {
		return values(slices.Collect(maps.Values(bits)))
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if list, ok := s[keyword].([]any); ok {
			return d.choice(list)
		}
	}
	switch s["type"] {
	case "integer":
		return "number"
	case "array":
		return d.shape(s["items"].(map[string]any)) + "[]"
	case "object", nil:
		if members := d.members(s); len(members) > 0 {
			var out []string
			for name, m := range members {
				out = append(out, name+": "+m)
			}
			slices.Sort(out)
			return "{" + strings.Join(out, ", ") + "}"
		}
		switch more := s["additionalProperties"].(type) {
		case nil:
			if s["type"] == nil {
				return "any"
			}
			return "{}"
		case bool:
			return "map of any"
		default:
			return "map of " + d.shape(more.(map[string]any))
		}
	}
	return s["type"].(string)
}

// choice is the shape of alternatives. An enum beside any string is its values, and so are constants side by side.
func (d definitions) choice(list []any) string {
	var constants []any
	var out []string
	for _, item := range list {
		s := item.(map[string]any)
		if s["x-unknown"] == true {
			continue
		}
		if e, ok := s["enum"].([]any); ok && len(list) == 2 {
			return values(e)
		}
		if c, ok := s["const"]; ok {
			constants = append(constants, c)
		}
		out = append(out, d.shape(s))
	}
	if len(constants) == len(out) {
		return values(constants)
	}
	slices.Sort(out)
	return strings.Join(out, " | ")
}

func values(list []any) string {
	var out []string
	for _, v := range list {
		text, _ := json.Marshal(v)
		out = append(out, string(text))
	}
	slices.Sort(out)
	return "one of " + strings.Join(out, " ")
}

// members are those of an object with what it takes in: their shapes, with a question mark where they may be missing.
func (d definitions) members(s map[string]any) map[string]string {
	out := map[string]string{}
	required := map[string]bool{}
	d.collect(s, out, required)
	for name, m := range out {
		if !required[name] {
			out[name] = "? " + m
		}
	}
	return out
}

func (d definitions) collect(s map[string]any, out map[string]string, required map[string]bool) {
	for _, base := range list(s["allOf"]) {
		b := base.(map[string]any)
		if ref, ok := b["$ref"].(string); ok {
			b = d[path.Base(ref)]
		}
		d.collect(b, out, required)
	}
	if members, ok := s["properties"].(map[string]any); ok {
		for name, m := range members {
			out[name] = d.shape(m.(map[string]any))
		}
	}
	for _, name := range list(s["required"]) {
		required[name.(string)] = true
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// isObject reports whether a definition has members of its own, and is not one of several things.
func isObject(s map[string]any) bool {
	return s["oneOf"] == nil && s["anyOf"] == nil && (s["type"] == "object" || s["allOf"] != nil)
}

// differences lists what two definitions say otherwise: by the definition, or by the member.
func differences(name string, theirs, ours definitions) map[string]string {
	out := map[string]string{}
	if !isObject(theirs[name]) || !isObject(ours[name]) {
		if a, b := theirs.shape(theirs[name]), ours.shape(ours[name]); a != b {
			out[name] = a + " → " + b
		}
		return out
	}
	a, b := theirs.members(theirs[name]), ours.members(ours[name])
	for member, shape := range a {
		if b[member] != shape {
			out[name+"."+member] = shape + " → " + b[member]
		}
	}
	for member, shape := range b {
		if a[member] == "" {
			out[name+"."+member] = " → " + shape
		}
	}
	return out
}

// Definitions of AHP 1.0.0 that there are on one side only, with the reason.
var (
	notOurs = map[string]string{
		"AhpErrorDetailsMap":   "It maps codes to types and is no value of its own; x-error-data says the same.",
		"ProtocolNotification": "Nothing in the parameters says which variant they are; the method does.",
	}
	onlyOurs = map[string]string{
		"ReconnectResult":        "The result of reconnect, which is otherwise a choice without a name.",
		"ToolCallActionBase":     "What actions on tool calls share; it is taken in and never sent.",
		"PartialChatSummary":     "The changes of SessionChatUpdatedAction, which stand inline there.",
		"PartialSessionSummary":  "The changes of SessionSummaryChangedParams, which stand inline there.",
		"JsonRpcMessage":         "The messages that everything travels in.",
		"JsonRpcRequest":         "The messages that everything travels in.",
		"JsonRpcNotification":    "The messages that everything travels in.",
		"JsonRpcSuccessResponse": "The messages that everything travels in.",
		"JsonRpcErrorResponse":   "The messages that everything travels in.",
	}
	// onPurpose is what is said otherwise.
	onPurpose = map[string]struct{ is, why string }{
		"AhpMcpUiHostCapabilities.logging":    {"? map of any → ? {}", "A flag that is there or not, and not a map that could hold anything."},
		"AhpMcpUiHostCapabilities.sampling":   {"? {tools: ? map of any} → ? {tools: ? {}}", "A flag that is there or not, and not a map that could hold anything."},
		"ChangesetCapabilities.review":        {"? map of any → ? {}", "A flag that is there or not, and not a map that could hold anything."},
		"ClientCapabilities.mcpApps":          {"? map of any → ? {}", "A flag that is there or not, and not a map that could hold anything."},
		"ChatToolCallApprovedAction.approved": {"any → one of true", "The constant that tells the two answers apart is lost."},
		"ChatToolCallDeniedAction.approved":   {"any → one of false", "The constant that tells the two answers apart is lost."},
	}
	// notStated is what only words say here: ahpgen refuses contains, which is of use to validators alone.
	notStated = []string{"AutomationDefinition.disableConditions", "AutomationDefinitionPatch.disableConditions"}
	// named are objects and enums that stand inline there and have names here.
	named = map[string]string{
		"SessionChatUpdatedAction.changes":    "PartialChatSummary",
		"SessionSummaryChangedParams.changes": "PartialSessionSummary",
	}
)

// TestEveryDefinition compares every definition of AHP 1.0.0, with its members, their types and presence, the values of
// enums and constants, and the variants of unions.
func TestEveryDefinition(t *testing.T) {
	var structure struct {
		Defs definitions `json:"$defs"`
	}
	knownAbout(t, "structure.json", &structure)
	theirs := structure.Defs
	ours, _ := embedded(t, "1.0.0")
	require.Len(t, theirs, 436)

	tags := map[string]bool{}
	for _, s := range ours {
		if tag, ok := s["x-tag"].(string); ok {
			tags[tag] = true
		}
	}
	for name := range theirs {
		if notOurs[name] != "" {
			require.NotContains(t, ours, name)
			continue
		}
		require.Contains(t, ours, name)
	}
	for name := range ours {
		if theirs[name] == nil && !tags[name] { // the values that tell variants apart stand in these alone there
			require.Contains(t, onlyOurs, name)
		}
	}
	for name := range onlyOurs {
		require.Contains(t, ours, name)
		require.NotContains(t, theirs, name)
	}

	for name, s := range theirs {
		members, _ := s["properties"].(map[string]any)
		for m, v := range members {
			text, err := json.Marshal(v)
			require.NoError(t, err)
			at := name + "." + m
			require.Equal(t, slices.Contains(notStated, at), strings.Contains(string(text), `"contains":`), at)
		}
	}

	got, want := map[string]string{}, map[string]string{}
	for name := range theirs {
		if notOurs[name] == "" {
			maps.Copy(got, differences(name, theirs, ours))
		}
	}
	for at, d := range onPurpose {
		want[at] = d.is
	}
	for at, name := range named {
		definition, member, _ := strings.Cut(at, ".")
		inline := theirs.members(theirs[definition])[member]
		require.Equal(t, ours.shape(ours[name]), inline, at)
		want[at] = inline + " → " + name
	}
	require.Equal(t, want, got)
}

// TestEveryTag reads out of both sides which value stands for which variant of each union.
func TestEveryTag(t *testing.T) {
	var structure struct {
		Defs definitions `json:"$defs"`
	}
	knownAbout(t, "structure.json", &structure)
	ours, _ := embedded(t, "1.0.0")
	variants := func(d definitions, s map[string]any, member string) []string {
		var out []string
		for _, item := range list(s["oneOf"]) {
			v := item.(map[string]any)
			if v["x-unknown"] == true {
				continue
			}
			if ref, ok := v["$ref"].(string); ok {
				v = d[path.Base(ref)]
			}
			if tag := d.members(v)[member]; tag != "" {
				out = append(out, strings.TrimPrefix(tag, "one of "))
				continue
			}
			for _, inner := range list(v["oneOf"]) { // a union in a union
				ref, _ := inner.(map[string]any)["$ref"].(string)
				if ref != "" {
					out = append(out, strings.TrimPrefix(d.members(d[path.Base(ref)])[member], "one of "))
				}
			}
		}
		sort.Strings(out)
		return out
	}
	unions := 0
	for name, s := range ours {
		d, ok := s["discriminator"].(map[string]any)
		if !ok || structure.Defs[name] == nil || name == "ChatToolCallConfirmedAction" {
			continue // there the constants are lost, see onPurpose
		}
		unions++
		member := d["propertyName"].(string)
		got := variants(ours, s, member)
		require.NotEmpty(t, got, name)
		require.Equal(t, variants(structure.Defs, structure.Defs[name], member), got, name)
		if tag, ok := s["x-tag"].(string); ok && ours[tag]["enum"] != nil {
			for _, v := range got {
				for _, one := range strings.Fields(v) {
					require.Contains(t, strings.Fields(values(ours[tag]["enum"].([]any))), one, "%s of %s", tag, name)
				}
			}
		}
	}
	require.Equal(t, 29, unions)
}

// TestWholeNumbers wants everything to be whole that is known to be, with the least number allowed, and fractions
// nowhere but where they make sense.
func TestWholeNumbers(t *testing.T) {
	var structure struct {
		Defs definitions `json:"$defs"`
	}
	knownAbout(t, "structure.json", &structure)
	ours, _ := embedded(t, "1.0.0")
	member := func(d definitions, name, member string) map[string]any {
		members, _ := d[name]["properties"].(map[string]any)
		m, _ := members[member].(map[string]any)
		return m
	}
	whole := 0
	for name, s := range structure.Defs {
		members, _ := s["properties"].(map[string]any)
		for m := range members {
			want := member(structure.Defs, name, m)
			own := member(ours, name, m)
			if want["type"] != "integer" || own == nil { // absent: taken in from a base, which is looked at too
				continue
			}
			whole++
			require.Equal(t, "integer", own["type"], "%s.%s", name, m)
			require.Equal(t, want["minimum"], own["minimum"], "%s.%s", name, m)
		}
	}
	require.Equal(t, 4, whole)
	var fractions []string
	for name, s := range ours {
		members, _ := s["properties"].(map[string]any)
		for m, v := range members {
			if v.(map[string]any)["type"] == "number" {
				fractions = append(fractions, name+"."+m)
			}
		}
	}
	require.ElementsMatch(t, []string{
		"ChatInputNumberQuestion.min", "ChatInputNumberQuestion.max", "ChatInputNumberQuestion.defaultValue",
		"ChatInputNumberAnswerValue.value", "ToolCallRiskAssessmentCompleteState.safety",
	}, fractions)
}

// changes is what is new in AHP 1.0.0.
type changes struct {
	Channels struct {
		New []struct{ Name, URI, State, ReleasedIn string }
	}
	Actions struct {
		New []struct {
			Type, Def, Channel, ReleasedIn string
			ClientMayDispatch              bool
			Members                        map[string]struct{ Optional bool }
			Reducer                        string
		}
		Removed []any
	}
	Methods struct {
		New []struct {
			Name, Direction, Params, Result, ReleasedIn string
		}
		Removed []any
	}
	Notifications struct{ New, Removed []any }
	ErrorCodes    struct {
		Removed []struct{ Code float64 }
	}
}

// TestEveryActionAndMethod wants the table of actions and that of methods to be those of 0.7.0 with what is new.
func TestEveryActionAndMethod(t *testing.T) {
	var new changes
	knownAbout(t, "changes.json", &new)
	older, _ := embedded(t, "0.7.0")
	ours, _ := embedded(t, "1.0.0")
	// The version is that of the release. The label in the registry of the protocol differs for some: it may name
	// the version that was being worked on, such as 0.10.0, which never came out.
	actions := func(d definitions) map[string]string {
		out := map[string]string{}
		for name, s := range d {
			if s["x-since"] == nil || s["x-method"] != nil {
				continue
			}
			tag := d.members(s)["type"]
			if union := list(s["oneOf"]); union != nil { // one type with several definitions
				tag = d.members(d[path.Base(union[0].(map[string]any)["$ref"].(string))])["type"]
			}
			out[name] = fmt.Sprintf("%s since %s, client %t", strings.TrimPrefix(tag, "one of "), s["x-since"], s["x-client-dispatchable"] == true)
		}
		return out
	}
	methods := func(d definitions) map[string]string {
		out := map[string]string{}
		for name, s := range d {
			if s["x-method"] != nil {
				out[name] = fmt.Sprint(s["x-method"], " to ", s["x-side"], ", result ", s["x-result"], ", notification ", s["x-notification"] == true, ", since ", s["x-since"])
			}
		}
		return out
	}
	wantActions, wantMethods := actions(older), methods(older)
	require.Empty(t, new.Actions.Removed)
	require.Empty(t, new.Methods.Removed)
	require.Empty(t, new.Notifications.New)
	require.Empty(t, new.Notifications.Removed)
	for _, a := range new.Actions.New {
		require.NotContains(t, wantActions, a.Def)
		wantActions[a.Def] = fmt.Sprintf("%q since %s, client %t", a.Type, a.ReleasedIn, a.ClientMayDispatch)
		members := ours.members(ours[a.Def])
		delete(members, "type")
		require.Len(t, members, len(a.Members), a.Def)
		for name, m := range a.Members {
			require.Equal(t, m.Optional, strings.HasPrefix(members[name], "? "), "%s.%s", a.Def, name)
		}
	}
	for _, m := range new.Methods.New {
		require.Equal(t, "client to server", m.Direction)
		wantMethods[m.Params] = fmt.Sprint(m.Name, " to host, result ", m.Result, ", notification false, since ", m.ReleasedIn)
	}
	require.Equal(t, wantActions, actions(ours))
	require.Equal(t, wantMethods, methods(ours))
	require.Len(t, wantActions, 106+2, "the answer to a tool call is one type with three definitions")
	require.Len(t, wantMethods, 42)
}

// TestEveryChannelAndErrorCode wants the channels and the error codes to be those of 0.7.0 with what changed, and all else
// that is said about the protocol as a whole to be the same.
func TestEveryChannelAndErrorCode(t *testing.T) {
	var new changes
	knownAbout(t, "changes.json", &new)
	older, olderRoot := embedded(t, "0.7.0")
	ours, root := embedded(t, "1.0.0")
	channels := func(d definitions) map[string]string {
		out := map[string]string{}
		for name, s := range d {
			if c, ok := s["x-channel"].(map[string]any); ok {
				out[name] = fmt.Sprint(c["uri"], " ", c["prefix"], " ", c["shared"] == true)
			}
		}
		return out
	}
	want := channels(older)
	for _, c := range new.Channels.New {
		prefix := ""
		for _, a := range new.Actions.New {
			if strings.HasPrefix(a.Channel, c.Name+" (") {
				prefix, _, _ = strings.Cut(a.Type, "/")
			}
		}
		want[c.State] = fmt.Sprint(c.URI, " ", prefix, "/ false")
	}
	require.Equal(t, want, channels(ours))
	require.Len(t, want, 10)
	states := ours["Snapshot"]["properties"].(map[string]any)["state"].(map[string]any)
	require.Equal(t, strings.Join(slices.Sorted(maps.Keys(want)), " | "), ours.shape(states))

	codes := func(d definitions) map[string]string {
		out := map[string]string{}
		for _, name := range []string{"JsonRpcErrorCode", "AhpErrorCode"} {
			names, data := list(d[name]["x-enum-names"]), d[name]["x-error-data"]
			for i, code := range list(d[name]["enum"]) {
				key := fmt.Sprint(code)
				out[key] = fmt.Sprint(names[i])
				if m, ok := data.(map[string]any); ok && m[key] != nil {
					out[key] += " " + m[key].(string)
				}
			}
		}
		return out
	}
	want = codes(older)
	for _, c := range new.ErrorCodes.Removed {
		require.Contains(t, want, fmt.Sprint(c.Code))
		delete(want, fmt.Sprint(c.Code))
	}
	require.Equal(t, want, codes(ours))

	// Synonyms and stability came with the newest version alone, and are no part of its structure.
	delete(root["x-protocol"].(map[string]any), "synonyms")
	for _, c := range root["x-channels"].([]any) {
		delete(c.(map[string]any), "stability")
	}
	olderRoot["x-protocol"].(map[string]any)["version"] = "1.0.0"
	olderRoot["x-protocol"].(map[string]any)["supported"] = []any{"1.0.0", "0.9.0"}
	olderRoot["x-extensions"] = map[string]any{"prefix": "x-", "since": "0.8.0", "meta": "_meta"}
	require.Equal(t, olderRoot, root)
}
