// Made-up bumps of the example protocol and of AHP, with programs that use all of the packages. What a bump lists is held
// to the compiler, and to what the programs print before and after.

package upgrade

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	sides "github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// trial is a module that goes to made-up versions of its protocol.
type trial struct {
	dir, pkg        string // the module, and the folder of its package
	config, schemas string // the configuration, and the folder of the schemas
	users           []string
	options         generator.BumpOptions
	files           protocolFiles

	consumer []string // lines of the program
	before   string   // the program as it is
	counted  map[string]int
}

// TestMadeUpBumpsOfTheExample goes from the example protocol, as init --example copies it, to made-up versions.
func TestMadeUpBumpsOfTheExample(t *testing.T) {
	flags.SkipUnlessAll(t)
	kit.Long(t)
	dir := kit.Place(t)
	t.Chdir(dir)
	kit.WriteFile(t, "go.mod", "module example.com/m\n\ngo 1.24\n")
	printed, code := kit.Ahpgen("init", "--example")
	require.Zero(t, code, printed)
	tr := &trial{
		dir: dir, config: "notes/ahpgen.json", schemas: "notes/schema", pkg: "notes", users: []string{"notes/demo"},
		files: readProtocol(t, "notes/schema"),
	}
	tr.all(t, 3, cmp.Or(*bumps, 50), 6)
}

// TestMadeUpBumpsOfAHP goes from AHP 1.0.0 to made-up versions.
func TestMadeUpBumpsOfAHP(t *testing.T) {
	kit.Wide(t)
	dir := kit.Place(t)
	t.Chdir(dir)
	kit.WriteFile(t, "go.mod", "module example.com/m\n\ngo 1.24\n")
	folder, _, err := schemas.Protocol("ahp@1.0.0")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS("original", folder))
	kit.WriteFile(t, "ahpgen.json", `{
  "schemas": "schema", "profile": "ahp", "protocolVersion": "1.0.0", "out": "ahp",
  "reducers": {"own": ["chat/turnComplete", "chat/toolCallReady", "terminal/exited"]}
}`)
	tr := &trial{
		dir: dir, config: "ahpgen.json", schemas: "schema", pkg: "ahp", options: generator.BumpOptions{ProtocolVersion: "1.1.0"},
		files: readProtocol(t, "original"),
	}
	tr.all(t, 1, cmp.Or(*bumps, 15), 1)
}

// bumps is how many are tried with -thorough. Those of a whole protocol take seconds each.
var bumps = flag.Int("bumps", 0, "with -thorough: how many made-up bumps of each protocol to try; 0 for some")

// all tries a sample of bumps, or all that there are with -thorough, so many of them by running the program.
func (tr *trial) all(t *testing.T, sample, all, runs int) {
	t.Helper()
	tr.prepare(t)
	if *kit.Thorough {
		sample = all
		tr.before = program(t, tr.dir, "use", nil)
	} else {
		runs = 0
	}
	tr.counted = map[string]int{}
	base := compact(tr.files)
	kinds := slices.Sorted(maps.Keys(madeUp))
	for try, judged := 0, 0; judged < sample; try++ {
		m := &made{files: protocolFiles{}, r: rand.New(rand.NewPCG(uint64(try), 2))}
		m.parse(base)
		kind := kinds[try%len(kinds)]
		if !*kit.Thorough {
			kind = pick(m.r, kinds)
		}
		did := madeUp[kind](m)
		what := fmt.Sprintf("%d: %s: %s", try, kind, did)
		m.version("1.2.0", "1.1.0")
		m.files.write(t, "next")
		tr.options.To = "next"
		var diags diag.List
		b, err := generator.PlanBump(tr.config, tr.options, &diags)
		if did == "" || err != nil {
			tr.counted["refused: "+kind]++
			require.False(t, err != nil && diags.Len() == 0, "%s: %v", what, err)
			t.Log("refused ", what, err)
			continue
		}
		t.Log(what)
		judged++
		tr.counted[kind]++
		if compiles := tr.judge(t, what, b); compiles && tr.counted["run"] < runs && kind != "other words" {
			tr.counted["run"]++
			tr.run(t, what, b, slices.Concat(tr.files.samples(), m.files.samples()))
		}
	}
	t.Log(tr.counted)
}

// prepare writes the package as it is before, and the program.
func (tr *trial) prepare(t *testing.T) {
	t.Helper()
	tr.files.write(t, tr.schemas)
	printed, code := kit.Ahpgen("generate", path.Dir(tr.config))
	require.Zero(t, code, printed)
	tests, _ := filepath.Glob(filepath.Join(tr.pkg, "*_test.go"))
	without := map[string][]byte{}
	for _, name := range tests {
		without[filepath.ToSlash(name)] = nil
	}
	j := newJudge(t, tr.dir, "example.com/m", without)
	pkg, err := j.Import("example.com/m/" + tr.pkg)
	require.NoError(t, err)
	require.Empty(t, j.messages)
	text := consume(pkg)
	tr.consumer = strings.Split(text, "\n")
	kit.WriteFile(t, "use/use.go", text)
	require.Empty(t, tr.compile(t, nil).messages)
}

// overlay returns the files of the module that a bump would write.
func (tr *trial) overlay(b *generator.Bump) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range b.Plan.Files {
		if !f.Aside && f.State != generator.Unchanged {
			out[path.Join(tr.pkg, f.Name)] = f.New
		}
	}
	return out
}

// compile type-checks the module.
func (tr *trial) compile(t *testing.T, overlay map[string][]byte) *judge {
	t.Helper()
	j := newJudge(t, tr.dir, "example.com/m", overlay)
	for _, pkg := range append([]string{tr.pkg, "use"}, tr.users...) {
		_, err := j.Import("example.com/m/" + pkg)
		require.NoError(t, err)
	}
	return j
}

func place(d diag.Diagnostic) string { return d.Pos.File + ":" + strconv.Itoa(d.Pos.Line) }

// judge holds what a bump lists to the compiler, and tells whether all compiles.
func (tr *trial) judge(t *testing.T, what string, b *generator.Bump) bool {
	t.Helper()
	j := tr.compile(t, tr.overlay(b))
	listed := map[string]bool{}
	for _, d := range b.Todo {
		listed[place(d)] = true
		tr.counted["listed: "+d.Code]++
		if d.Code == "compile" && !slices.Contains(j.refused, place(d)) {
			t.Errorf("%s: it compiles: %s %s", what, place(d), d.Message)
		}
	}
	for i, at := range j.refused {
		if !listed[at] {
			t.Errorf("%s: not listed: %s", what, j.messages[i])
		}
	}
	if len(j.refused) > 0 {
		tr.counted["does not compile"]++
	}
	return len(j.refused) == 0
}

// run compares what the program prints before and after: where nothing is listed it is the same for all values that there
// were, and it differs in each function of the program that is listed.
func (tr *trial) run(t *testing.T, what string, b *generator.Bump, lines []string) {
	t.Helper()
	after := program(t, tr.dir, "use", tr.overlay(b))
	was, is := outcomes(t, tr.before, tr.files.samples()), outcomes(t, after, tr.files.samples())
	causes := b.Diff.Causes(sides.FromBoth)
	if len(b.Todo)+len(b.Looks)+len(b.Skips)+causes.Client+causes.Host+causes.Go == 0 {
		tr.counted["quiet"]++
		for _, name := range slices.Sorted(maps.Keys(was)) {
			if !slices.Equal(was[name], is[name]) {
				t.Errorf("%s: silently, %s gives\n%s\nand gave\n%s", what, name, strings.Join(is[name], "\n"), strings.Join(was[name], "\n"))
			}
		}
		return
	}
	handled := was
	was, is = outcomes(t, tr.before, lines), outcomes(t, after, lines)
	for _, d := range slices.Concat(b.Todo, b.Looks) {
		name := tr.runOf(d)
		if name == "" || len(was[name]) == 0 {
			tr.counted["not run: "+d.Code]++
			continue
		}
		tr.counted["run: "+d.Code]++
		differs := !slices.Equal(was[name], is[name])
		if strings.Contains(d.Message, "no case of this switch") {
			// What was no value of the protocol is one, and there it ends as it does for what is unknown.
			differs = slices.ContainsFunc(is[name], func(said string) bool { return lacksCase(said) }) &&
				!slices.ContainsFunc(handled[name], lacksCase)
		}
		if !differs {
			t.Errorf("%s: it does what it did: %s %s\n%s", what, place(d), d.Message, strings.Join(is[name], "\n"))
		}
	}
}

// lacksCase tells whether a switch of the program has no case for a value.
func lacksCase(said string) bool { return strings.Contains(said, "no case") || said == " <nil>" }

// runOf names the run of the function of the program that a diagnostic is in, or "".
func (tr *trial) runOf(d diag.Diagnostic) string {
	if d.Pos.File != "use/use.go" {
		return ""
	}
	for line := d.Pos.Line - 1; line >= 0; line-- {
		if name, ok := strings.CutPrefix(tr.consumer[line], "func "); ok {
			name, _, _ = strings.Cut(name, "(")
			return strings.TrimPrefix(name, "tell")
		}
	}
	return ""
}
