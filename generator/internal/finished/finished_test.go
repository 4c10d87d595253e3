// Tests of which finished reducers a package gets: whatever its schemas change, all that is emitted compiles.

package finished_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/golden/exported"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/schemas"
)

// Heaps may grow before they are collected, which takes a third of the time otherwise: little in them lives long.
func init() { debug.SetGCPercent(800) }

var every = flag.Bool("all", false, "make every change, which takes minutes, and not a sample")

type object = map[string]any

// change is one thing that a version of a protocol could do differently.
type change struct {
	name string
	make func(definitions map[string]object) bool // false if there is nothing to change
}

// changes lists what could be different about the definitions that finished reducers are for.
func changes(t *testing.T) []change {
	t.Helper()
	var out []change
	add := func(name, how string, change_ func(definition object) bool) {
		out = append(out, change{how + " " + name, func(d map[string]object) bool { return d[name] != nil && change_(d[name]) }})
	}
	all := read(t).all
	for _, name := range slices.Sorted(maps.Keys(all)) {
		properties, _ := all[name]["properties"].(object)
		for _, member := range slices.Sorted(maps.Keys(properties)) {
			add(name, "rename "+member, func(d object) bool { return rename(d, member) })
			add(name, "retype "+member, func(d object) bool { return retype(d, member) })
			add(name, "require or not "+member, func(d object) bool { return toggle(d, member) })
		}
		add(name, "shrink", shrink)
		values, _ := all[name]["enum"].([]any)
		for _, value := range values {
			if text, ok := value.(string); ok {
				add(name, "revalue "+text, func(d object) bool { return revalue(d, text) })
			}
		}
	}
	return out
}

func rename(d object, member string) bool {
	properties, _ := d["properties"].(object)
	if properties[member] == nil {
		return false
	}
	properties[member+"Too"] = properties[member]
	delete(properties, member)
	if toggle(d, member) && !slices.Contains(required(d), any(member)) {
		d["required"] = append(required(d), member+"Too")
	} else {
		toggle(d, member)
	}
	return true
}

func retype(d object, member string) bool {
	properties, _ := d["properties"].(object)
	p, _ := properties[member].(object)
	if p == nil || p["const"] != nil {
		return false
	}
	properties[member] = object{"type": "integer"}
	if p["type"] == "integer" {
		properties[member] = object{"type": "boolean"}
	}
	return true
}

func required(d object) []any {
	list, _ := d["required"].([]any)
	return list
}

func toggle(d object, member string) bool {
	list := required(d)
	if i := slices.Index(list, any(member)); i >= 0 {
		d["required"] = slices.Delete(slices.Clone(list), i, i+1)
		return true
	}
	d["required"] = append(slices.Clone(list), member)
	return true
}

func grow(d object) bool {
	properties, _ := d["properties"].(object)
	if properties == nil {
		return false
	}
	properties["somethingNew"] = object{"type": "string"}
	return true
}

func require_(d object) bool {
	return grow(d) && toggle(d, "somethingNew")
}

// another gives a union that may grow one more variant, which is like one that it has.
func another(d map[string]object, union, like string) bool {
	data, err := json.Marshal(d[like])
	var variant object
	if err != nil || json.Unmarshal(data, &variant) != nil {
		return false
	}
	variant["properties"].(object)["type"] = object{"const": "another"}
	d["Another"+like] = variant
	list := d[union]["oneOf"].([]any)
	last := len(list) - 1 // what is for unknown ones
	not := list[last].(object)["properties"].(object)["type"].(object)["not"].(object)
	not["enum"] = append(not["enum"].([]any), "another")
	d[union]["oneOf"] = slices.Insert(list, last, any(object{"$ref": "#/$defs/Another" + like}))
	return true
}

// chatReducers are those that work out the status of a chat.
var chatReducers = []string{
	"chatError", "chatInputCompleted", "chatInputRequested", "chatToolCallApproved", "chatToolCallAuthRequired", "chatToolCallAuthResolved",
	"chatToolCallComplete", "chatToolCallDenied", "chatToolCallReady", "chatToolCallResultConfirmed", "chatTruncated", "chatTurnCancelled",
	"chatTurnComplete", "chatTurnStarted",
}

// renumber gives a flag another value.
func renumber(d object, name string, to float64) bool {
	flags, _ := d["x-bitset"].(object)
	if flags[name] == nil {
		return false
	}
	flags[name] = to
	return true
}

func shrink(d object) bool {
	list, _ := d["oneOf"].([]any)
	if len(list) < 3 {
		return false
	}
	d["oneOf"] = list[1:]
	return true
}

func revalue(d object, value string) bool {
	list, _ := d["enum"].([]any)
	i := slices.Index(list, any(value))
	if i < 0 {
		return false
	}
	list[i] = value + "-too"
	return true
}

// TestFinishedReducersCompileWhateverChanges changes one thing at a time that finished reducers use. Reducers that use it
// become stubs, and everything compiles.
func TestFinishedReducersCompileWhateverChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this test tries often")
	}
	all := changes(t)
	step := 1
	all = slices.DeleteFunc(all, func(c change) bool {
		return !strings.Contains(c.name, " ToolCall") && !strings.Contains(c.name, " Terminal") && !strings.Contains(c.name, "Turn")
	})
	switch { // samples; all of them take minutes
	case *every:
	case flags.All(t):
		step = len(all) / 20
	default:
		step = len(all) / 6
	}
	c := newChecker(t)
	fewer, refused := 0, 0
	for i := 0; i < len(all); i += step {
		definitions := read(t)
		if !all[i].make(definitions.all) {
			continue
		}
		plan, err := definitions.plan(t)
		if errors.Is(err, generator.ErrFindings) {
			refused++ // no protocol can say that
			continue
		}
		require.NoError(t, err, all[i].name)
		if err := c.check(plan); err != nil {
			t.Errorf("%s: %v", all[i].name, err)
		}
		if len(plan.Finished) < 27 {
			fewer++
		}
	}
	t.Logf("%d changes of %d, %d refused, %d with fewer finished reducers", len(all)/step, len(all), refused, fewer)
	require.Greater(t, fewer, 1, "the changes change nothing")
}

// TestReducersAreChosenOneByOne changes a single thing, and says which reducers go.
func TestReducersAreChosenOneByOne(t *testing.T) {
	for name, c := range map[string]struct {
		change func(map[string]object) bool
		gone   []string
	}{
		"nothing":                          {func(map[string]object) bool { return true }, nil},
		"a member nobody uses":             {func(d map[string]object) bool { return grow(d["TerminalState"]) }, nil},
		"a member more in an action":       {func(d map[string]object) bool { return grow(d["TerminalDataAction"]) }, nil},
		"a member more in what is made":    {func(d map[string]object) bool { return grow(d["TerminalCommandPart"]) }, nil},
		"a required member more in action": {func(d map[string]object) bool { return require_(d["TerminalDataAction"]) }, []string{"terminalData"}},
		"a required member more in what is made": {
			func(d map[string]object) bool { return require_(d["TerminalCommandPart"]) }, []string{"terminalCommandExecuted"},
		},
		"a member that may not be left out any more": {
			func(d map[string]object) bool { return toggle(d["ChatInputRequest"], "answers") }, []string{"chatInputAnswerChanged", "chatInputCompleted"},
		},
		"a variant more": {
			func(d map[string]object) bool { return another(d, "TerminalContentPart", "TerminalUnclassifiedPart") }, []string{"terminalData"},
		},
		"an activity among the flags": {func(d map[string]object) bool { return renumber(d["SessionStatus"], "Error", 128) }, chatReducers},
		"a variant less": {
			func(d map[string]object) bool { return shrink(d["TerminalContentPart"]) }, []string{"terminalData"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			definitions := read(t)
			require.True(t, c.change(definitions.all))
			plan, err := definitions.plan(t)
			require.NoError(t, err)
			var gone []string
			for _, f := range plan.Files {
				for _, stub := range f.Stubs {
					gone = append(gone, strings.TrimPrefix(stub, "Reducer."))
				}
			}
			require.ElementsMatch(t, c.gone, gone)
			require.Len(t, plan.Finished, 27-len(gone))
		})
	}
}

// definitions are schemas that can be changed.
type definitions struct {
	files map[string]object
	all   map[string]object
	dir   string // where they were last written
}

func read(t *testing.T) *definitions { return readVersion(t, "0.7.0") }

func readVersion(t *testing.T, version string) *definitions {
	t.Helper()
	folder, _, err := schemas.Protocol("ahp@" + version)
	require.NoError(t, err)
	names, err := fs.Glob(folder, "*.schema.json")
	require.NoError(t, err)
	d := &definitions{files: map[string]object{}, all: map[string]object{}}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		var file object
		require.NoError(t, json.Unmarshal(data, &file))
		d.files[name] = file
		for definition, v := range file["$defs"].(object) {
			d.all[definition] = v.(object)
		}
	}
	return d
}

func (d *definitions) plan(t *testing.T) (*generator.Plan, error) {
	t.Helper()
	dir := t.TempDir()
	d.dir = dir
	state := d.files["state.schema.json"]["$defs"].(object)
	for name, definition := range d.all { // what is new
		if strings.HasPrefix(name, "Another") {
			state[name] = definition
		}
	}
	for name, file := range d.files {
		data, err := json.Marshal(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: dir, Out: filepath.Join(dir, "ahp"), Package: "ahp"}, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	if err != nil {
		t.Log(diags.Sorted())
	}
	return plan, err
}

// TestOptionalMembersLoseNoReducer adds an optional member to every type of AHP 1.0.0: first to all of them, then to one
// after the other. Reducers that copy such a type have to copy the member.
func TestOptionalMembersLoseNoReducer(t *testing.T) {
	kept := func(d *definitions, what string) *generator.Plan {
		plan, err := d.plan(t)
		require.NoError(t, err, what)
		require.Len(t, plan.Finished, 31, what)
		require.Empty(t, plan.Unfit, what)
		diff, err := generator.Compare("ahp@1.0.0", d.dir, generator.DiffOptions{}, &diag.List{})
		require.NoError(t, err, what)
		for _, f := range diff.Findings {
			breaks := max(f.Client, f.Host) == verdict.Breaks || f.Else == verdict.GoBreak
			require.False(t, breaks, "%s: %s: %s", what, f.Change, f.Todo)
		}
		return plan
	}
	d := readVersion(t, "1.0.0")
	var names []string
	for _, name := range slices.Sorted(maps.Keys(d.all)) {
		if grow(d.all[name]) {
			names = append(names, name)
		}
	}
	require.Greater(t, len(names), 200)
	plan := kept(d, "all")
	require.NoError(t, newChecker(t).check(plan))
	step := 1
	switch {
	case *every:
	case !flags.All(t):
		step = len(names)
	default:
		step = len(names) / 6 // the others are covered by all at once: nothing asks for a member that another type has
	}
	for i := 0; i < len(names); i += step {
		one := readVersion(t, "1.0.0")
		grow(one.all[names[i]])
		if whole, ok := one.all[names[i]]["x-partial-of"].(string); ok {
			grow(one.all[whole]) // of which it carries changes
		}
		kept(one, names[i])
	}
}

// TestWhatIsCopiedIsCarriedAlong adds an optional member to what all states of a tool call have, to one state, and to a turn
// that is open and one that is over.
func TestWhatIsCopiedIsCarriedAlong(t *testing.T) {
	text := func(plan *generator.Plan, name string) string {
		for _, f := range plan.Files {
			if f.Name == name {
				return string(f.New)
			}
		}
		t.Fatalf("no file %s", name)
		return ""
	}
	d := readVersion(t, "1.0.0")
	require.True(t, grow(d.all["ToolCallBase"]))
	plan, err := d.plan(t)
	require.NoError(t, err)
	require.NoError(t, newChecker(t).check(plan))
	calls := text(plan, "reducers_toolcall_state_gen.go")
	require.Contains(t, calls, "\tSomethingNew      *string\n}\n", "what goes from one state to the next")
	require.Contains(t, calls, "s.Confirmed, s.SelectedOption, s.Content, s.SomethingNew,\n")
	require.Equal(t, 6, strings.Count(calls, "SomethingNew: "), "each state that a call goes to")

	d = readVersion(t, "1.0.0")
	require.True(t, grow(d.all["ToolCallRunningState"]))
	plan, err = d.plan(t)
	require.NoError(t, err)
	require.NoError(t, newChecker(t).check(plan))
	require.Equal(t, 1, strings.Count(text(plan, "reducers_toolcall_state_gen.go"), "SomethingNew: "), "no other state has a place for it")

	d = readVersion(t, "1.0.0")
	require.True(t, grow(d.all["ActiveTurn"]) && grow(d.all["Turn"]))
	plan, err = d.plan(t)
	require.NoError(t, err)
	require.NoError(t, newChecker(t).check(plan))
	turns := text(plan, "reducers_turns_gen.go")
	require.Contains(t, turns, "SomethingNew:  open.SomethingNew,\n")
	require.Contains(t, turns, "SomethingNew:  turn.SomethingNew,\n")
}

// TestAReducerThatDoesNotFitStartsFromItsBody: as it is where it still compiles, and as a comment where it does not.
func TestAReducerThatDoesNotFitStartsFromItsBody(t *testing.T) {
	stub := func(change func(d map[string]object) bool) string {
		d := read(t)
		require.True(t, change(d.all))
		plan, err := d.plan(t)
		require.NoError(t, err)
		require.NoError(t, newChecker(t).check(plan))
		for _, f := range plan.Files {
			if f.Name == "reducers_terminal.go" {
				return string(f.New)
			}
		}
		return ""
	}
	whole := stub(func(d map[string]object) bool { return require_(d["TerminalDataAction"]) })
	require.Contains(t, whole, "TODO(ahpgen): the finished reducer does not fit: it does nothing with somethingNew of TerminalDataAction.\n\tnext := *s\n")
	commented := stub(func(d map[string]object) bool { return rename(d["TerminalCommandExecutedAction"], "commandLine") })
	require.Contains(t, commented, "does not fit: a.CommandLine undefined")
	require.Contains(t, commented, "//\t\tCommandLine: a.CommandLine,\n")
	require.Contains(t, commented, "\n\treturn s\n}\n")
}

// checker type-checks planned packages in memory.
type checker struct {
	fset     *token.FileSet
	standard types.Importer
	packages map[string]*types.Package
	texts    map[string]string // of what was checked last, by folder
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	files, err := exported.Files(".", finished.FloorPath+"/...")
	require.NoError(t, err)
	return &checker{token.NewFileSet(), exported.Importer(files), map[string]*types.Package{}, map[string]string{}}
}

func (c *checker) Import(name string) (*types.Package, error) {
	if p := c.packages[name]; p != nil {
		return p, nil
	}
	return c.standard.Import(name)
}

func (c *checker) check(plan *generator.Plan) error {
	files := map[string][]generator.PlannedFile{}
	texts := map[string]string{}
	for _, f := range plan.Files {
		if strings.HasSuffix(f.Name, ".go") && !strings.Contains(string(f.New), "\n//go:build purego\n") {
			files[path.Dir(f.Name)] = append(files[path.Dir(f.Name)], f)
			texts[path.Dir(f.Name)] += string(f.New)
		}
	}
	same := true
	for _, dir := range []string{"wire", "wire/codec", "wire/rpc/spec", "wire/internal/hooks", "wire/rpc", "wire/rpc/typed", "wire/meta", "wire/state", "wire/conn", "wire/shared", "wire/server", "."} {
		if same = same && c.packages[path.Join("ahp", dir)] != nil && c.texts[dir] == texts[dir]; same {
			continue // and so is what it imports: that comes before it
		}
		p, err := c.typeCheck(path.Join("ahp", dir), files[dir])
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		c.packages[path.Join("ahp", dir)], c.texts[dir] = p, texts[dir]
	}
	return nil
}

func (c *checker) typeCheck(name string, files []generator.PlannedFile) (*types.Package, error) {
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(c.fset, f.Name, f.New, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: c}
	return config.Check(name, c.fset, parsed, nil)
}
