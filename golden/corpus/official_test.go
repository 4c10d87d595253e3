// Tests of the profile on schema files in the manner of the publisher of AHP, for versions whose files the corpus lacks.

package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// official is a plan for a package from schema files, which are not to be found fault with.
func official(t *testing.T, folder, out string) *generator.Plan {
	t.Helper()
	plan, diags := planned(t, generator.Config{Schemas: folder, Profile: "ahp", Out: out})
	require.Empty(t, diags)
	return plan
}

func planned(t *testing.T, config generator.Config) (*generator.Plan, []diag.Diagnostic) {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoErrorf(t, err, "%v", diags.Sorted())
	return plan, diags.Sorted()
}

// named is the one Go name that depends on the order of the definitions, which is the publisher's: types that are alike
// are named after the first.
var named = strings.NewReplacer("CreateResourceWatchParamsExcludesOrIncludes", "ResourceWatchStateExcludesOrIncludes")

// declarations are those of the package in a plan, by their names, without comments and space.
func declarations(t *testing.T, plan *generator.Plan) map[string]string {
	t.Helper()
	return declared(t, plan, func(*ast.FuncDecl) {})
}

// heads are the declarations without what functions do.
func heads(t *testing.T, plan *generator.Plan) map[string]string {
	t.Helper()
	return declared(t, plan, func(f *ast.FuncDecl) { f.Body = nil })
}

func declared(t *testing.T, plan *generator.Plan, edit func(*ast.FuncDecl)) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range plan.Files {
		if path.Ext(f.Name) != ".go" || strings.Contains(f.Name, "/") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f.Name, f.New, 0)
		require.NoError(t, err)
		add := func(name string, node any) {
			var text bytes.Buffer
			require.NoError(t, printer.Fprint(&text, fset, node))
			name = named.Replace(name)
			require.NotContains(t, out, name)
			out[name] = strings.Join(strings.Fields(named.Replace(text.String())), " ")
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = types(d.Recv.List[0].Type) + "." + name
				}
				edit(d)
				add(name, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						add(spec.Name.Name, spec)
					case *ast.ValueSpec:
						add(spec.Names[0].Name, spec)
					}
				}
			}
		}
	}
	return out
}

func types(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	return fmt.Sprint(e)
}

// TestOfficialSchemasGiveTheSamePackage compares the package for 1.0.0 from the publisher's schemas with that from
// ours, declaration by declaration.
func TestOfficialSchemasGiveTheSamePackage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ahp")
	own, diags := planned(t, generator.Config{Schemas: "ahp@1.0.0", Out: out})
	require.Empty(t, diags)
	plan := official(t, publish(t, "1.0.0").write(t, t.TempDir()), out)
	require.Equal(t, "1.0.0", plan.Protocol.Version)
	samePackage(t, own, plan)
}

// changesBetween returns what differs, but for limits: the embedded schemas say of counts that they are not negative. Which do is
// listed in golden/diff.
func changesBetween(old, new *protocol.Protocol) (out []string) {
	for _, c := range change.Compare(old, new) {
		if !c.Rule.IsLimit() {
			out = append(out, c.String())
		}
	}
	return out
}

// TestOlderVersionsSayTheSame compares the versions that are embedded as differences from another with the published
// ones: everything but the order of members, and which of two equal types gives both its name.
func TestOlderVersionsSayTheSame(t *testing.T) {
	for _, version := range []string{"0.8.0", "0.6.0", "0.5.2"} {
		t.Run(version, func(t *testing.T) {
			folder := filepath.Join(kit.Corpus(t), "ahp", version, "schema")
			if version == "0.8.0" {
				folder = publishBetween(t, version).write(t, t.TempDir())
			}
			out := filepath.Join(t.TempDir(), "ahp")
			own, diags := planned(t, generator.Config{Schemas: "ahp@" + version, Out: out})
			require.Empty(t, diags)
			published := official(t, folder, out)
			require.Equal(t, published.Protocol.Supported, own.Protocol.Supported)
			require.Equal(t, published.Finished, own.Finished, "their reducers are the same")
			require.Empty(t, changesBetween(published.Protocol, own.Protocol))
		})
	}
}

// TestOfficialSchemasMayDiffer changes what the publisher may have done otherwise, or does in the next version. None of it
// keeps a package from being made; what is lost is said.
func TestOfficialSchemasMayDiffer(t *testing.T) {
	own := kit.Analyse(t, generator.Config{Schemas: "ahp@1.0.0"})
	for _, c := range []struct {
		name     string
		edit     func(p *publication)
		warnings []string
		changes  []string // what the model then has otherwise
	}{
		{"an action that refers to nothing", func(p *publication) {
			p.defs["StateAction"].Get("oneOf").Items = append([]*inside.Node{node(t, `{"$ref": "#/$defs/"}`)}, p.defs["StateAction"].Get("oneOf").Items...)
		}, nil, nil},
		{"a base of actions, and a union of some", func(p *publication) {
			p.define("ToolCallActionBase", "actions", node(t, `{"type": "object", "properties": {"turnId": {"type": "string"}}, "required": ["turnId"]}`))
			p.define("ChatAction", "actions", node(t, `{"oneOf": [{"$ref": "#/$defs/ChatDeltaAction"}, {"$ref": "#/$defs/ChatToolCallConfirmedAction"}]}`))
		}, nil, []string{"type-added: ChatAction: union"}},
		{"definitions in another order", func(p *publication) { slices.Reverse(p.order) }, nil, nil},
		{"no limits on lists and numbers", func(p *publication) {
			set(p, "AutomationDefinition", "disableConditions", node(t, `{"type": "array", "items": {"$ref": "#/$defs/AutomationDisableCondition"}}`))
			set(p, "AuthenticateParams", "expiresIn", node(t, `{"type": "number"}`))
		}, nil, nil},
		{"a definition that stands in another file only", func(p *publication) { p.apart = "Icon" }, nil, nil},
		{"a defect that is repaired", func(p *publication) {
			set(p, "ChatToolCallApprovedAction", "approved", node(t, `{"const": true}`))
		}, []string{"the profile's overlay of ChatToolCallApprovedAction/properties/approved matches nothing in these schemas"}, nil},
		{"a method that is gone", func(p *publication) {
			delete(p.defs, "MoveChatParams")
			delete(p.defs, "BackgroundWorkBase")
			p.order = slices.DeleteFunc(p.order, func(name string) bool { return p.defs[name] == nil })
		}, []string{
			"the profile's omission of BackgroundWorkBase matches nothing in these schemas", "the profile's method moveChat matches nothing in these schemas",
		}, []string{"type-removed: MoveChatParams: object", "method-removed: method moveChat"}},
		{"a value that is gone", func(p *publication) {
			values := p.defs["SessionLifecycle"].Get("enum")
			values.Items = values.Items[:2]
		}, []string{
			`these schemas do not fit the profile's effects of session/creationFailed, and the package does without: SessionLifecycle has no value "failed"`,
			`these schemas do not fit the profile's lifecycle of SessionState, and the package does without: SessionState has no status "failed"`,
		}, []string{
			`enum-value-removed: SessionLifecycle: "failed"`, "lifecycle-removed: lifecycles: SessionState", "action-rule-removed: rules of actions: session/creationFailed",
		}},
		{"an action that the union does not list", func(p *publication) {
			list := p.defs["StateAction"].Get("oneOf")
			list.Items = slices.DeleteFunc(list.Items, func(n *inside.Node) bool { return strings.HasSuffix(n.Get("$ref").Str(), "/ChatUsageAction") })
		}, []string{
			`ChatUsageAction has the type of an action, "chat/usage", and is no alternative of StateAction`,
			"the profile's action chat/usage matches nothing in these schemas", "the profile's effects of chat/usage matches nothing in these schemas",
		}, []string{`variant-removed: StateAction: "chat/usage"`, "action-removed: action chat/usage"}},
		{"a member that was repaired is gone", func(p *publication) {
			p.defs["AhpMcpUiHostCapabilities"].Get("properties").Members = slices.DeleteFunc(p.defs["AhpMcpUiHostCapabilities"].Get("properties").Members,
				func(m inside.Member) bool { return m.Key == "logging" })
		}, []string{"the profile's overlay of AhpMcpUiHostCapabilities/properties/logging matches nothing in these schemas"},
			[]string{"field-removed: MCPUIHostCapabilities.logging: optional object"}},
		{"a member of a request for what was missed", rename("ReconnectReplayResult", "missing"), []string{
			`these schemas do not fit the profile's replication, and the package does without: ReconnectReplayResult has no member "missing"`,
		}, []string{
			"rename-candidate: ReconnectReplayResult: missing → missingNext", "field-removed: ReconnectReplayResult.missing: required list of string",
			"field-added: ReconnectReplayResult.missingNext: required list of string", "replication-removed: replication",
		}},
		{"a member of the answer to a subscription", rename("SubscribeResult", "snapshot"), []string{
			`these schemas do not fit the profile's session, and the package does without: SubscribeResult has no member "snapshot"`,
		}, []string{
			"rename-candidate: SubscribeResult: snapshot → snapshotNext", "field-removed: SubscribeResult.snapshot: optional Snapshot",
			"field-added: SubscribeResult.snapshotNext: optional Snapshot", "session-removed: session",
		}},
		{"a member of the handshake", rename("InitializeParams", "protocolVersions"), []string{
			`these schemas do not fit the profile's handshake, and the package does without: "protocolVersions" is no such member of the parameters of initialize`,
		}, []string{
			"rename-candidate: InitializeParams: protocolVersions → protocolVersionsNext", "field-removed: InitializeParams.protocolVersions: required list of string",
			"field-added: InitializeParams.protocolVersionsNext: required list of string", `handshake-changed: handshake answer: "protocolVersion" → ""`,
			`handshake-changed: handshake error: "-32005" → ""`, `handshake-changed: handshake method: "initialize" → ""`,
			`handshake-changed: handshake offer: "protocolVersions" → ""`, `handshake-changed: handshake supported: "supportedVersions" → ""`, "session-removed: session",
		}},
		{"a member of reports on progress", rename("ProgressParams", "progressToken"), []string{
			`these schemas do not fit the profile's statement about progress, and the package does without: ` +
				`calls: progress: the parameters of root/progress have no member "progressToken"`,
		}, []string{
			"rename-candidate: ProgressParams: progressToken → progressTokenNext", "field-removed: ProgressParams.progressToken: required string",
			"field-added: ProgressParams.progressTokenNext: required string",
			`progress-changed: progress: "root/progress with progressToken, asked for in progressToken" → ""`,
		}},
		{"the name of a result", func(p *publication) {
			p.define("ResourceResolveAnswer", "commands", p.defs["ResourceResolveResult"])
			delete(p.defs, "ResourceResolveResult")
			p.order = slices.DeleteFunc(p.order, func(name string) bool { return p.defs[name] == nil })
		}, []string{
			"the profile's name for ResourceResolveResult.etag matches nothing in these schemas",
			`method "resourceResolve": the schemas define no ResourceResolveResult`,
		}, []string{
			"type-added: ResourceResolveAnswer: object", "type-removed: ResourceResolveResult: object", "method-removed: method resourceResolve",
			"rename-candidate: types: ResourceResolveResult → ResourceResolveAnswer",
		}},
		{"an action of the next version", func(p *publication) {
			p.define("ChatSparkledAction", "actions", node(t, `{"type": "object", "properties": {"type": {"const": "chat/sparkled"}}, "required": ["type"]}`))
			list := p.defs["StateAction"].Get("oneOf")
			list.Items = append(list.Items, node(t, `{"$ref": "#/$defs/ChatSparkledAction"}`))
		}, []string{`nothing says who may dispatch "chat/sparkled" and since when: taken as host only, since 1.0.0`},
			[]string{"type-added: ChatSparkledAction: object", `variant-added: StateAction: "chat/sparkled"`, "action-added: action chat/sparkled"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := publish(t, "1.0.0")
			c.edit(p)
			var diags diag.List
			g, err := generator.New(generator.Config{Schemas: p.write(t, t.TempDir()), Profile: "ahp", ProtocolVersion: "1.0.0"}, &diags)
			require.NoError(t, err)
			model, err := g.Analyze()
			require.NoErrorf(t, err, "%v", diags.Sorted())
			var got []string
			for _, d := range diags.Sorted() {
				got = append(got, d.Message)
			}
			require.Equal(t, c.warnings, got)
			require.Equal(t, c.changes, changesBetween(own, model))
		})
	}
}

func node(t *testing.T, text string) *inside.Node { return parseNode(t, []byte(text)) }

func set(p *publication, definition, member string, v *inside.Node) {
	for i, m := range p.defs[definition].Get("properties").Members {
		if m.Key == member {
			p.defs[definition].Get("properties").Members[i].Value = v
		}
	}
}

// rename gives a member another name.
func rename(definition, member string) func(p *publication) {
	return func(p *publication) {
		properties := p.defs[definition].Get("properties")
		for i, m := range properties.Members {
			if m.Key == member {
				properties.Members[i].Key += "Next"
			}
		}
		for _, name := range p.defs[definition].Get("required").List() {
			if name.Text == member {
				name.Text += "Next"
			}
		}
	}
}

// inOrder are declarations whose cases, conditions and entries are in the order of the definitions.
var inOrder = []string{
	"ActionType.IsKnown", "ClientHandlers", "ClientHandlers.ServeRPC", "CustomizationType.IsKnown", "HostHandlers", "HostHandlers.ServeRPC",
	"Reducer.Apply", "actsOn", "channelTable", "decodeNotification", "methodTable",
}

func samePackage(t *testing.T, own, official *generator.Plan) {
	t.Helper()
	require.Equal(t, own.Finished, official.Finished)
	got, want := declarations(t, official), declarations(t, own)
	for _, name := range inOrder {
		got[name], want[name] = sorted(got[name]), sorted(want[name])
	}
	require.Equal(t, want, got)
}

func sorted(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,|", r) })
	slices.Sort(words)
	return strings.Join(words, " ")
}

// TestPublicationIsWhatIsKnown compares the definitions of the publication of 1.0.0 with what the corpus knows of the
// published ones.
func TestPublicationIsWhatIsKnown(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(kit.Corpus(t), "ahp", "1.0.0", "structure.json"))
	require.NoError(t, err)
	var structure struct {
		Defs map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(data, &structure))
	published := publish(t, "1.0.0")
	require.Len(t, published.defs, len(structure.Defs))
	for name, known := range structure.Defs {
		require.Contains(t, published.defs, name)
		assert.Equal(t, unordered(known, false), unordered(decoded(t, published.defs[name]), false), name)
	}
}

// decoded is a schema as encoding/json reads it.
func decoded(t *testing.T, n *inside.Node) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(n.Compact()), &v))
	return v
}

// unordered takes away what a schema says to people, and the order of required members and of variants.
func unordered(v any, members bool) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = unordered(item, false)
		}
		slices.SortFunc(out, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return out
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			if members || key != "description" {
				out[key] = unordered(item, !members && key == "properties")
			}
		}
		if values, ok := out["enum"].([]any); ok && len(values) == 1 {
			delete(out, "enum")
			delete(out, "type")
			out["const"] = values[0]
		}
		return out
	}
	return v
}
