package example_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/example"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/yard"
	"github.com/ahpgen/ahpgen/schemas"
)

// read analyses embedded schemas.
func read(t *testing.T, name string) (*schema.Set, *protocol.Protocol) {
	t.Helper()
	folder, display, err := schemas.Protocol(name)
	require.NoError(t, err)
	var diags diag.List
	set, loaded, err := schema.Load(folder, display, nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	result := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(result.Found...)
	require.NotNil(t, result.Protocol, "%v", diags.Sorted())
	return set, result.Protocol
}

// pack decides what Go calls a protocol.
func pack(t *testing.T, p *protocol.Protocol) *golang.Package {
	t.Helper()
	pkg, found := golang.Build(p, golang.Options{
		Package: p.Name, Wire: "github.com/ahpgen/ahpgen/generated/wire", Initialisms: []string{"ACP", "AHP", "CWD", "FS", "JWKS", "LLM", "NES", "MCP", "OTLP", "PTY", "SSE", "TOS"},
	})
	require.NotNil(t, pkg, "%v", found)
	return pkg
}

// all makes an example of each declared type, and of each action.
func all(p *protocol.Protocol) map[string]*example.Value {
	out := map[string]*example.Value{}
	m := example.New(p)
	for _, t := range p.Types {
		out[t.Head().Name] = m.Of(t)
	}
	if p.Actions == nil {
		return out
	}
	for _, a := range p.Actions.Actions {
		out["action "+a.Type+" "+a.Struct.Name] = m.Tagged(a.Struct, p.Actions.Union.Dispatch.Member, a.Type)
	}
	return out
}

// TestEveryExampleIsValid holds the examples of every definition against the schemas themselves.
func TestEveryExampleIsValid(t *testing.T) {
	for _, name := range schemas.Protocols() {
		t.Run(name, func(t *testing.T) {
			set, p := read(t, name)
			compiler := jsonschema.NewCompiler()
			for _, doc := range set.Docs {
				require.NoError(t, compiler.AddResource("mem:///"+doc.Name, bytes.NewReader(doc.Data)))
			}
			where := map[string]string{}
			for _, def := range set.Definitions() {
				where[def.Name] = "mem:///" + def.Doc.Name + "#/$defs/" + def.Name
			}
			checked := 0
			for name, value := range all(p) {
				require.NotNil(t, value, name)
				at := where[value.Types[0].Head().Name]
				if at == "" {
					continue // a type inside another one
				}
				checked++
				compiled, err := compiler.Compile(at)
				require.NoError(t, err)
				var decoded any
				decoder := json.NewDecoder(strings.NewReader(value.JSON()))
				decoder.UseNumber()
				require.NoError(t, decoder.Decode(&decoded), "%s: %s", name, value.JSON())
				require.NoError(t, compiled.Validate(decoded), "%s: %s", name, value.JSON())
			}
			require.Greater(t, checked, 70)
		})
	}
}

func TestExamplesAreTheSameEveryTime(t *testing.T) {
	_, first := read(t, schemas.Default())
	_, second := read(t, schemas.Default())
	again := all(second)
	for name, value := range all(first) {
		require.Equal(t, value.JSON(), again[name].JSON(), name)
	}
}

// TestTheGoOfExamplesMakesThem compiles the Go of every example with the committed package, and compares what it
// encodes to with the example. The package decodes the example, too, and encodes it to the same.
func TestTheGoOfExamplesMakesThem(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	dir := programs(t)
	for _, name := range []string{"acp", "ahp"} {
		t.Run(name, func(t *testing.T) { goMakesExamples(t, name, filepath.Join(dir, name)) })
	}
}

func goMakesExamples(t *testing.T, protocolName, dir string) {
	_, p := read(t, protocolName)
	pkg := pack(t, p)
	var body strings.Builder
	imports := map[string]bool{"encoding/json": true}
	n := 0
	values := all(p)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		text := value.Go(pkg)
		require.NotEmpty(t, text, name)
		_, err := format.Source([]byte(text))
		require.NoError(t, err, "%s: %s", name, text)
		if strings.Contains(text, "wire.") {
			imports[pkg.Wire] = true
		}
		decode := "nil"
		switch of := value.Types[0].(type) {
		case *protocol.Struct:
			if s := pkg.StructOf(of); !s.Floor {
				decode = fmt.Sprintf("func(data []byte) (any, error) { return %s.Decode[%[1]s.%s](data) }", pkg.Name, s.Name)
			}
		case *protocol.Union:
			if u := pkg.UnionOf(of); u.Decode != "" {
				decode = fmt.Sprintf("func(data []byte) (any, error) { return %s.%s(data) }", pkg.Name, u.Decode)
			}
		}
		fmt.Fprintf(&body, "\tcheck(%q, %s, `%s`, %s)\n", name, text, value.JSON(), decode)
		n++
	}
	var list strings.Builder
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&list, "\t%q\n", path)
	}
	file := filepath.Join(dir, "main.go")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	source := fmt.Sprintf(program, list.String(), protocolName, body.String())
	require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
	out, err := exec.Command("go", "run", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, fmt.Sprintf("%d the same\n", n), string(out))
}

// programs returns a folder with the same path in each run: there the go command compiles a program only if it is
// another one.
func programs(t *testing.T) string {
	t.Helper()
	dir, err := yard.Folder("example")
	require.NoError(t, err)
	if dir == "" {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

const program = `//go:build go1.21

package main

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
%s
	"github.com/ahpgen/ahpgen/generated/%s"
)

var same int

func normal(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		fmt.Println(string(data), err)
		os.Exit(1)
	}
	return v
}

func check(name string, value any, want string, decode func([]byte) (any, error)) {
	got, err := json.Marshal(value)
	if err != nil || !reflect.DeepEqual(normal(got), normal([]byte(want))) {
		fmt.Println(name, err, "\n", string(got), "\n", want)
		os.Exit(1)
	}
	if decode != nil {
		v, err := decode([]byte(want))
		if err != nil {
			fmt.Println(name, err, want)
			os.Exit(1)
		}
		again, err := json.Marshal(v)
		if err != nil || !reflect.DeepEqual(normal(again), normal([]byte(want))) {
			fmt.Println(name, err, "\n", string(again), "\n", want)
			os.Exit(1)
		}
	}
	same++
}

func main() {
%s
	fmt.Println(same, "the same")
}
`

// TestExamplesAreOfTheirProtocol looks at values that a host would not accept if they were any.
func TestExamplesAreOfTheirProtocol(t *testing.T) {
	_, p := read(t, "ahp@1.0.0")
	maker := example.New(p)
	value := func(typ, path string) string {
		var decoded any
		i := slices.IndexFunc(p.Types, func(t protocol.Type) bool { return t.Head().Name == typ })
		require.GreaterOrEqual(t, i, 0, typ)
		require.NoError(t, json.Unmarshal([]byte(maker.Of(p.Types[i]).JSON()), &decoded))
		for key := range strings.SplitSeq(path, ".") {
			if list, ok := decoded.([]any); ok {
				decoded = list[0]
			}
			decoded = decoded.(map[string]any)[key]
		}
		return fmt.Sprint(decoded)
	}
	session, chat := "ahp-session:/7c9e6679-7425-40de-944b-e07fc1f90ae7", "ahp-chat:/1"
	for _, c := range []struct{ typ, path, want string }{
		{"CreateSessionParams", "channel", session}, {"CreateSessionParams", "provider", "demo"}, {"AgentInfo", "provider", "demo"},
		{"CreateTerminalParams", "channel", "ahp-terminal:/1"}, {"CreateTerminalParams", "cols", "80"}, {"CreateChatParams", "chat", chat}, {"CreateChatParams", "channel", session},
		{"FetchTurnsParams", "channel", chat}, {"InitializeParams", "protocolVersions", "[1.0.0]"}, {"InitializeResult", "protocolVersion", "1.0.0"},
		{"InitializeParams", "initialSubscriptions", "[" + session + "]"}, {"SessionSummary", "resource", session}, {"ChatSummary", "resource", chat}, {"ChatState", "resource", chat},
		{"Turn", "id", "turn-1"}, {"ChatTurnStartedAction", "turnId", "turn-1"}, {"MarkdownResponsePart", "id", "part-1"}, {"ChatDeltaAction", "partId", "part-1"},
		{"ToolCallStreamingState", "toolCallId", "call-1"}, {"ChatToolCallStartAction", "toolCallId", "call-1"}, {"DispatchActionParams", "channel", "ahp-root://"},
		{"ActionEnvelope", "channel", "ahp-root://"}, {"RunAutomationParams", "automation", "ahp-automation:/1"}, {"AutomationEntry", "resource", "ahp-automation:/1"},
	} {
		require.Equal(t, c.want, value(c.typ, c.path), c.typ+"."+c.path)
	}
}
