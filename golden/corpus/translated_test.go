// Tests of the package for AHP 1.0.0 on instances of the development before it, of which the corpus has none itself. They
// are brought into the shapes of 1.0.0; the rules of most reducers are the same.

package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// otherRules are fixtures for rules that 1.0.0 has changed.
var otherRules = map[string]string{
	"159-changeset-contentchanged-updates-error.json":     "the action has no error any more",
	"060-session-customizationtoggled-toggles-by-id.json": "plugins keep decisions in place of a switch",
}

func TestReductionsOfTheDevelopmentBefore100(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(kit.Corpus(t), "ahp", "0.8.0-dev", "fixtures", "reducers", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	plan := kit.Generate(t, generator.Config{Schemas: "ahp@1.0.0", Out: filepath.Join(module, "ahp")})
	for _, name := range names {
		if otherRules[filepath.Base(name)] != "" {
			continue
		}
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		var f map[string]any
		require.NoError(t, json.Unmarshal(data, &f))
		translate(f)
		translateTime(f)
		kit.WriteFile(t, filepath.Join(module, "fixtures", "reducers", filepath.Base(name)), string(kit.ToJSON(t, f)))
	}
	tests, err := os.ReadFile(filepath.Join("testdata", "corpus", "finished_test.go"))
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(module, "finished_test.go"), string(tests))
	t.Setenv("FIXTURES", filepath.Join(module, "fixtures"))
	t.Setenv("FINISHED", strings.Join(withoutAPerson(plan), " "))
	printed := kit.TestEmitted(t, module, "-v", "-run", "TestFinished", "./...")
	require.Contains(t, printed, "81 of 106 types of actions ran")
}

// withoutAPerson lists the types of actions whose reducers are there: stated, or finished.
func withoutAPerson(plan *generator.Plan) []string {
	stubs := map[string]bool{}
	for _, f := range plan.Files {
		for _, name := range f.Stubs {
			stubs[strings.ToLower(strings.TrimPrefix(name, "Reducer."))] = true
		}
	}
	var out []string
	for _, a := range plan.Protocol.Actions.Actions {
		if !stubs[strings.ToLower(strings.TrimSuffix(a.Struct.Name, "Action"))] {
			out = append(out, a.Type)
		}
	}
	return out
}

// translateTime lets the chat that is expected have changed when its actions say, where before the clock had.
func translateTime(f map[string]any) {
	initial, expected := f["initial"].(map[string]any), f["expected"].(map[string]any)
	if f["reducer"] != "chat" {
		return
	}
	expected["modifiedAt"] = initial["modifiedAt"]
	turn, _ := initial["activeTurn"].(map[string]any)
	for _, v := range f["actions"].([]any) {
		action := v.(map[string]any)
		switch action["type"] {
		case "chat/turnStarted":
			turn = map[string]any{"id": action["turnId"], "startedAt": action["startedAt"]}
			expected["modifiedAt"] = action["startedAt"]
		case "chat/turnComplete", "chat/turnCancelled", "chat/error":
			if turn == nil || turn["id"] != action["turnId"] {
				continue
			}
			if start, err := time.Parse(time.RFC3339, turn["startedAt"].(string)); err == nil {
				took := time.Duration(max(0, action["duration"].(float64))) * time.Millisecond
				expected["modifiedAt"] = start.Add(took).UTC().Format("2006-01-02T15:04:05.000Z")
			}
			turn = nil
		}
	}
}

// translate brings a value into the shape that it has in 1.0.0.
func translate(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			translate(item)
		}
	case map[string]any:
		for _, member := range v {
			translate(member)
		}
		translateObject(v)
	}
}

func translateObject(o map[string]any) {
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := o[name]; !ok {
				return false
			}
		}
		return true
	}
	asPart := func() any { return map[string]any{"kind": "error", "error": o["error"]} }
	switch typ, _ := o["type"].(string); {
	case (typ == "plugin" || typ == "mcpServer") && has("uri"):
		delete(o, "enabled")
	case typ == "session/customizationToggled":
		o["enablement"] = []any{map[string]any{"kind": "session", "enabled": o["enabled"]}}
		delete(o, "enabled")
	case typ == "chat/error":
		o["part"] = asPart()
		delete(o, "error")
	case typ == "annotations/updated" && has("turnId"), has("turnId", "resource", "entries"):
		o["origin"] = map[string]any{"session": "s", "turnId": o["turnId"]}
		delete(o, "turnId")
	case has("state", "responseParts") && o["error"] != nil: // a turn that failed
		o["responseParts"] = append(o["responseParts"].([]any), asPart())
		delete(o, "error")
	case o["kind"] == "session" && has("session"): // a claim on a terminal
		o["chat"] = "c"
	case has("title", "claim"): // a terminal
		o["lifecycle"] = map[string]any{"status": "running"}
		if o["exitCode"] != nil {
			o["lifecycle"] = map[string]any{"status": "exited", "exitCode": o["exitCode"]}
		}
		delete(o, "exitCode")
	case o["lifecycle"] == "creationFailed":
		o["lifecycle"] = "failed"
	}
}
