// Values made from schema.ts, which come back the same through the generated packages.

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// each is how many values there are of a definition.
const each = 200

// instancesProgram reads lines, each the name of a definition, a tab and a value, and writes the values as they come back.
const instancesProgram = `package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"ours/mcp"
)

func back[T any](text []byte) ([]byte, error) {
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func through[T any](decode func([]byte) (T, error)) func([]byte) ([]byte, error) {
	return func(text []byte) ([]byte, error) {
		v, err := decode(text)
		if err != nil {
			return nil, err
		}
		return json.Marshal(v)
	}
}

func list[T any](decode func([]byte) (T, error)) func([]byte) ([]byte, error) {
	return through(func(text []byte) (out []T, err error) {
		var parts []json.RawMessage
		if err := json.Unmarshal(text, &parts); err != nil {
			return nil, err
		}
		for _, part := range parts {
			v, err := decode(part)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return append([]T{}, out...), nil
	})
}

func table[T any](decode func([]byte) (T, error)) func([]byte) ([]byte, error) {
	return through(func(text []byte) (map[string]T, error) {
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(text, &parts); err != nil {
			return nil, err
		}
		out := map[string]T{}
		for name, part := range parts {
			v, err := decode(part)
			if err != nil {
				return nil, err
			}
			out[name] = v
		}
		return out, nil
	})
}

var definitions = map[string]func([]byte) ([]byte, error){
%s}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		name, text, _ := bytes.Cut(in.Bytes(), []byte("\t"))
		out, err := definitions[string(name)](text)
		if err != nil {
			out = []byte("error: " + err.Error())
		}
		fmt.Printf("%%s\n", out)
	}
}
`

// TestInstancesOfTheSourceComeBackTheSame has values with all that TypeScript allows: fractions, large numbers and null where
// there may be any JSON, undeclared members.
func TestInstancesOfTheSourceComeBackTheSame(t *testing.T) {
	for _, date := range dates {
		t.Run(date, func(t *testing.T) {
			types := source(t, date)
			program, missing := throughOurs(t, fmt.Sprintf(`"schemas": %q, "profile": "mcp"`, published(t, date)), types)
			for _, name := range missing {
				require.Contains(t, withoutType, name)
			}
			comeBack(t, date, program, types, missing)
		})
	}
}

// TestInstancesComeBackTheSameThroughOurSchemas has what the embedded schemas define. They define no whole messages.
func TestInstancesComeBackTheSameThroughOurSchemas(t *testing.T) {
	messages := regexp.MustCompile(`^JSON|(Request|Notification|ResultResponse|Error)$|^(Paginated|Cacheable)Re`)
	for _, date := range embedded {
		t.Run(date, func(t *testing.T) {
			types := source(t, date)
			program, missing := throughOurs(t, fmt.Sprintf(`"schemas": %q`, "mcp@"+date), types)
			for _, name := range missing {
				if !messages.MatchString(name) {
					require.Contains(t, []string{"BaseMetadata", "ClientResult", "Icons", "JSONValue", "MetaObject", "NotificationParams", "RequestParams", "ResourceRequestParams", "Result", "ServerResult", "TaskAugmentedRequestParams",
						"InputResponseRequestParams"}, name)
				}
			}
			comeBack(t, date, program, types, missing)
		})
	}
}

// comeBack sends values of all definitions but some through a program.
func comeBack(t *testing.T, date, program string, types map[string]*shape, missing []string) {
	var names, texts []string
	var in bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if slices.Contains(missing, name) {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(date + name))
		m := &maker{types: types, r: rand.New(rand.NewSource(int64(h.Sum64())))}
		for range each {
			names, texts = append(names, name), append(texts, m.value(types[name], name, 0))
			fmt.Fprintf(&in, "%s\t%s\n", name, texts[len(texts)-1])
		}
	}
	command := exec.CommandContext(limited(t), program)
	command.Stdin = &in
	out, err := command.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, lines, len(texts))
	for i, line := range lines {
		require.True(t, same(texts[i], line), "%s: %s\ncame back as\n%s", names[i], texts[i], line)
	}
	t.Logf("%d values of %d definitions", len(texts), len(types)-len(missing))
}

// withoutType are definitions that may be without a type in Go: unions of messages and results, each of which has one.
var withoutType = []string{"ClientRequest", "ClientResult", "JSONRPCMessage", "ServerRequest", "ServerResult"}

// throughOurs builds the program for schemas, and returns the definitions that have no type in Go.
func throughOurs(t *testing.T, schemas string, types map[string]*shape) (program string, missing []string) {
	module := t.TempDir()
	config := fmt.Sprintf(`{%s, "out": "mcp", "package": "mcp", "parts": []}`, schemas)
	require.NoError(t, os.WriteFile(filepath.Join(module, "go.mod"), []byte("module ours\n\ngo 1.24\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(module, "ahpgen.json"), []byte(config), 0o600))
	command(t, "go", "run", "-C", filepath.Join("..", "..", ".."), "./cmd/ahpgen", "-C", module, "generate", "-q")
	var lock struct {
		Names map[string]map[string]string
	}
	text, err := os.ReadFile(filepath.Join(module, "ahpgen.lock.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &lock))
	files, err := filepath.Glob(filepath.Join(module, "mcp", "*_gen.go"))
	require.NoError(t, err)
	var code []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		code = append(code, text...)
	}
	var entries strings.Builder
	for _, name := range slices.Sorted(maps.Keys(types)) {
		entry := through(code, lock.Names[name][""])
		if entry == "" {
			missing = append(missing, name)
			continue
		}
		fmt.Fprintf(&entries, "\t%q: %s,\n", name, entry)
	}
	require.NoError(t, os.WriteFile(filepath.Join(module, "main.go"), fmt.Appendf(nil, instancesProgram, entries.String()), 0o600))
	program = filepath.Join(module, "ours.exe")
	command(t, "go", "build", "-C", module, "-o", program, ".")
	return program, missing
}

// through returns the function of the program that decodes and encodes a type, "" if there is none. Lists and maps of a union
// have no decoder of their own.
func through(code []byte, name string) string {
	found := regexp.MustCompile(`\ntype ` + name + ` (?:= (\[\]|map\[string\])?)?(\S+)`).FindSubmatch(code)
	switch {
	case name == "" || found == nil:
		return ""
	case string(found[2]) == "interface":
		return "through(mcp.Decode" + name + ")"
	case len(found[1]) == 0 || !bytes.Contains(code, []byte("\nfunc Decode"+string(found[2])+"(")):
		return "back[mcp." + name + "]"
	case found[1][0] == '[':
		return "list(mcp.Decode" + string(found[2]) + ")"
	}
	return "table(mcp.Decode" + string(found[2]) + ")"
}

// same compares JSON; numbers by value, since a fraction may be written in several ways.
func same(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// maker makes random values as texts.
type maker struct {
	types map[string]*shape
	r     *rand.Rand
}

const deep = 5

var (
	numbers = []string{"0", "1", "-1", "7", "42", "1.5", "-0.25", "1e21", "9007199254740993", "1180591620717411303424", "0.1", "1e-7"}
	strange = []string{`null`, `true`, `""`, `"a\u0000\n\ud83d\ude00"`, `[]`, `{}`, `{"ratio":0.5,"n":null}`, `[null,1.5,{"":""}]`, `1180591620717411303424`, `-1.5e-9`}
)

func (m *maker) pick(from []string) string { return from[m.r.Intn(len(from))] }

func (m *maker) value(s *shape, at string, depth int) string {
	switch {
	case at == "InputRequiredResult.resultType": // by the specification's text, and of no other result
		return `"input_required"`
	case strings.HasSuffix(at, ".resultType"):
		return m.pick([]string{`"complete"`, `"of an extension"`})
	case s.Ref != "":
		name := refersTo(s.Ref)
		return m.value(m.types[name], name, depth)
	case s.Const != nil:
		return string(s.Const)
	case s.AnyOf != nil:
		return m.alternative(s, at, depth)
	case len(s.Type) == 0:
		return m.pick(strange)
	}
	switch s.Type[0] {
	case "null":
		return "null"
	case "boolean":
		return m.pick([]string{"true", "false"})
	case "number":
		return m.number(s, at)
	case "string":
		return m.word(s)
	case "array":
		return m.list(s, at, depth)
	}
	return m.object(s, at, depth)
}

// alternative prefers what ends if a value is deep already.
func (m *maker) alternative(s *shape, at string, depth int) string {
	all := s.AnyOf
	if depth >= deep {
		if flat := slices.DeleteFunc(slices.Clone(all), func(a *shape) bool { return a.Ref != "" }); len(flat) > 0 {
			all = flat
		}
	}
	return m.value(all[m.r.Intn(len(all))], at, depth)
}

func (m *maker) number(s *shape, at string) string {
	if strings.HasSuffix(at, "rror.code") { // an integer in JSON-RPC
		return strconv.Itoa(-32000 - m.r.Intn(800))
	}
	for {
		text := m.pick(numbers)
		n, err := strconv.ParseFloat(text, 64)
		if err == nil && (s.Minimum == nil || n >= *s.Minimum) && (s.Maximum == nil || n <= *s.Maximum) {
			return text
		}
	}
}

func (m *maker) word(s *shape) string {
	switch s.Format {
	case "byte":
		return `"aGVsbG8="`
	case "uri", "uri-template":
		return `"file:///a%20b"`
	}
	return m.pick([]string{`""`, `"a"`, `"two words"`, `"\"quoted\" \\ \u2028 <&> \u00e9"`, `"form"`, `"string"`})
}

func (m *maker) list(s *shape, at string, depth int) string {
	n := m.r.Intn(4)
	if depth >= deep {
		n = 0
	}
	var items []string
	for range n {
		items = append(items, m.value(s.Items, at+"[]", depth+1))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (m *maker) object(s *shape, at string, depth int) string {
	var members []string
	add := func(name, value string) { members = append(members, strconv.Quote(name)+":"+value) }
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || depth < deep && m.r.Intn(2) == 0 {
			add(name, m.value(s.Properties[name], at+"."+name, depth+1))
		}
	}
	if more := s.others(); depth < deep && m.r.Intn(3) == 0 {
		for i := range 1 + m.r.Intn(2) {
			add(fmt.Sprintf("com.example/more%d", i), m.value(more, at+".*", depth+1))
		}
	}
	m.r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}
