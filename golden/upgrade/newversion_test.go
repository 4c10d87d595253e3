// A version that the profile has never seen.

package upgrade

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestANewVersionNeedsNoNewProfile adds an action, a type, a field, an enum value, a variant and an
// error code to the newest schemas, and generates with the profile as it is.
func TestANewVersionNeedsNoNewProfile(t *testing.T) {
	schemas := newVersion(t)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	out := filepath.Join(module, "ahp")
	var stdout, stderr bytes.Buffer
	code := cli.Run([]string{"generate", "--schemas", schemas, "--profile", "ahp", "--protocol-version", "0.8.1", "--out", out}, &stdout, &stderr)
	require.Zero(t, code, stderr.String())
	require.Contains(t, stderr.String(), `warning: nothing says who may dispatch "chat/sparkled" and since when: taken as host only, since 0.8.1`)
	require.Contains(t, stderr.String(), "warning: error code -32012 has no name")
	kit.WriteFile(t, filepath.Join(module, "new_test.go"), `package corpus

import (
	"testing"

	"corpus/ahp"
)

func TestNew(t *testing.T) {
	var a ahp.ChatAction = &ahp.ChatSparkledAction{Sparkle: ahp.Sparkle{Color: "blue"}, TurnID: "t"}
	if _, ok := a.(ahp.ClientAction); ok || ahp.ProtocolVersion() != "0.8.1" {
		t.Fatal("a new action is the host's")
	}
	if info, ok := ahp.ActionType("chat/sparkled").Info(); !ok || info.Since != "0.8.1" || info.Channel != ahp.ChannelChat {
		t.Fatal(info)
	}
	var _ ahp.ResponsePart = &ahp.SparkleResponsePart{}
	_ = ahp.TurnStateSparkling
	_ = ahp.Turn{Sparkles: new(int64)}
	_ = ahp.ErrorCodeCode32012
}
`)
	kit.TestEmitted(t, module, "./...")
}

// newVersion makes a folder of schemas that are newer than any published ones.
func newVersion(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	names, err := filepath.Glob(filepath.Join(kit.Corpus(t), "ahp", "0.8.0-dev", "schema", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		var doc map[string]any
		require.NoError(t, json.Unmarshal(data, &doc))
		evolve(doc["$defs"].(map[string]any))
		data, err = json.Marshal(doc)
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, filepath.Base(name)), string(data))
	}
	return dir
}

// evolve adds something of each kind to the definitions of one file.
func evolve(defs map[string]any) {
	object := func(required []any, properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required}
	}
	ref := func(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }
	text := map[string]any{"type": "string"}
	add := func(union, variant string) {
		if u, ok := defs[union].(map[string]any); ok {
			u["oneOf"] = append(u["oneOf"].([]any), ref(variant))
		}
	}
	if _, ok := defs["StateAction"]; ok {
		defs["ChatSparkledAction"] = object([]any{"type", "turnId", "sparkle"}, map[string]any{
			"type": map[string]any{"const": "chat/sparkled"}, "turnId": text, "sparkle": ref("Sparkle"),
		})
		add("StateAction", "ChatSparkledAction")
		add("ChatAction", "ChatSparkledAction")
	}
	if turn, ok := defs["Turn"].(map[string]any); ok {
		turn["properties"].(map[string]any)["sparkles"] = map[string]any{"type": "number"}
		defs["Sparkle"] = object([]any{"color"}, map[string]any{"color": text})
		defs["SparkleResponsePart"] = object([]any{"kind", "sparkle"}, map[string]any{
			"kind": map[string]any{"const": "sparkle"}, "sparkle": ref("Sparkle"),
		})
		add("ResponsePart", "SparkleResponsePart")
		state := defs["TurnState"].(map[string]any)
		state["enum"] = append(state["enum"].([]any), "sparkling")
	}
	if codes, ok := defs["AhpErrorCode"].(map[string]any); ok {
		codes["enum"] = append(codes["enum"].([]any), -32012)
	}
}

// TestVersionsAreRecognised reads the version of each folder from its schemas.
func TestVersionsAreRecognised(t *testing.T) {
	for folder, version := range map[string]string{
		"0.4.0/schema": "0.4.0", "0.5.2/schema": "0.5.2", "0.6.0/schema": "0.6.0", "0.7.0/schema": "0.7.0", "0.8.0-dev/schema": "0.8.0-dev",
		"history/149-0.4.0-2abd787ae": "0.4.0", "history/176-0.5.1-a845ffaff": "0.5.1", "history/192-0.5.2-d4ba5f052": "0.5.2",
		"history/222-0.6.0-70749f3eb": "0.6.0", "history/246-0.7.0-743be152d": "0.7.0",
	} {
		var diags diag.List
		g, err := generator.New(generator.Config{Schemas: filepath.Join(kit.Corpus(t), "ahp", folder), Profile: "ahp"}, &diags)
		require.NoError(t, err)
		p, err := g.Analyze()
		require.NoError(t, err, folder)
		require.Equal(t, version, p.Version, folder)
	}
}
