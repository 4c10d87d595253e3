// Tests of which finished reducers a package gets: whatever its schemas change, all that is emitted compiles.

package finished_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/golden/exported"
	"github.com/ahpgen/ahpgen/schemas"
)

// Heaps may grow before they are collected, which takes a third of the time otherwise: little in them lives long.
func init() { debug.SetGCPercent(800) }

type object = map[string]any

// change is one thing that a version of a protocol could do differently.
type change struct {
	name string
	make func(definitions map[string]object) bool // false if there is nothing to change
}

// changes lists what could be different about the things that finished reducers use.
func changes(t *testing.T) []change {
	t.Helper()
	editions := schemas.Reducers("ahp", "")
	require.Len(t, editions, 1)
	data, err := fs.ReadFile(editions[0].Folder, finished.UsesName)
	require.NoError(t, err)
	var uses finished.Uses
	require.NoError(t, json.Unmarshal(data, &uses))
	var out []change
	for _, s := range uses.Symbols {
		add := func(how string, change_ func(definition object) bool) {
			out = append(out, change{how + " " + s.Type + " " + s.Member, func(d map[string]object) bool {
				return d[s.Type] != nil && change_(d[s.Type])
			}})
		}
		switch s.Kind {
		case finished.Field:
			add("rename", func(d object) bool { return rename(d, s.Member) })
			add("retype", func(d object) bool { return retype(d, s.Member) })
			add("require or not", func(d object) bool { return toggle(d, s.Member) })
		case finished.Whole:
			add("grow", grow)
		case finished.Variants:
			add("shrink", shrink)
		case finished.Const:
			add("revalue", func(d object) bool { return revalue(d, s.Member) })
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
	if os.Getenv("AHPGEN_ALL_CHANGES") == "" {
		step = len(all) / 20 // a sample; all of them take minutes
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
		if len(plan.Finished) < 29 {
			fewer++
		}
	}
	t.Logf("%d changes of %d, %d refused, %d with fewer finished reducers", len(all)/step, len(all), refused, fewer)
	require.Greater(t, fewer, 5, "the changes change nothing")
}

// TestReducersAreChosenOneByOne changes a single thing, and says which reducers go.
func TestReducersAreChosenOneByOne(t *testing.T) {
	for name, c := range map[string]struct {
		change func(map[string]object) bool
		gone   []string
	}{
		"nothing":                    {func(map[string]object) bool { return true }, nil},
		"a member nobody uses":       {func(d map[string]object) bool { return grow(d["TerminalState"]) }, nil},
		"a member more in an action": {func(d map[string]object) bool { return grow(d["TerminalDataAction"]) }, []string{"terminalData"}},
		"a member more in what is made": {
			func(d map[string]object) bool { return grow(d["TerminalCommandPart"]) }, []string{"terminalCommandExecuted"},
		},
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
			require.Len(t, plan.Finished, 29-len(gone))
		})
	}
}

// definitions are schemas that can be changed.
type definitions struct {
	files map[string]object
	all   map[string]object
}

func read(t *testing.T) *definitions {
	t.Helper()
	folder, _, err := schemas.Protocol("ahp@0.7.0")
	require.NoError(t, err)
	names, err := fs.Glob(folder, "*.schema.json")
	require.NoError(t, err)
	d := &definitions{map[string]object{}, map[string]object{}}
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
	for name, file := range d.files {
		data, err := json.Marshal(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: dir, Out: filepath.Join(dir, "ahp"), Package: "ahp"}, &diags)
	require.NoError(t, err)
	return g.Plan()
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
	for _, dir := range []string{"wire", "wire/rpc", "wire/meta", "wire/state", "wire/conn", "wire/server", "."} {
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
