// Tests of the table of rules: it is complete, and its mirror images are true.

package verdict_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/flow"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// TestTableIsComplete wants a row for every constant, and nothing more.
func TestTableIsComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "rules.go"), nil, 0)
	require.NoError(t, err)
	named := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			id, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			named[id] = true
		}
		return true
	})
	rows := map[string]bool{}
	for _, r := range verdict.Rules {
		require.False(t, rows[string(r.ID)], "two rows for %s", r.ID)
		rows[string(r.ID)] = true
		require.NotEmpty(t, r.Category, r.ID)
		require.NotEmpty(t, r.Meaning, r.ID)
	}
	require.Equal(t, named, rows)
}

func TestMirrorsOfMirrors(t *testing.T) {
	for _, r := range verdict.Rules {
		if r.Mirror == "" {
			require.False(t, r.OnWire(), "%s: what is on the wire looks the same from the other side", r.ID)
			continue
		}
		mirror := verdict.Lookup(r.Mirror)
		require.NotNil(t, mirror, r.ID)
		require.Equal(t, r.ID, mirror.Mirror, r.Mirror)
		require.Equal(t, r.Category, mirror.Category, r.ID)
		require.Equal(t, r.Advice, mirror.Advice, r.ID)
	}
}

// stricter are rules that break where their mirror image does not: what is new is used by those who
// know that it is, but what is gone may still be used by those who do not.
var stricter = map[change.Rule]bool{
	change.EnumValueRemoved: true, change.VariantRemoved: true, change.ActionRemoved: true, change.ActionDispatchLost: true,
	change.MethodRemoved: true, change.MethodDirectionLost: true, change.ChannelRemoved: true,
}

// requireMirror wants two comparisons, one each way, to be mirror images.
func requireMirror(t *testing.T, there, back []verdict.Finding) {
	t.Helper()
	type key struct {
		rule              change.Rule
		subject, from, to string
		old, new          diag.Pos
	}
	index := map[key]verdict.Finding{}
	count := 0
	for _, f := range back {
		if f.Rule.Mirror != "" {
			count++
		}
		index[key{f.Change.Rule, f.Subject, f.From, f.To, f.Old, f.New}] = f
	}
	for _, f := range there {
		if f.Rule.Mirror == "" {
			continue
		}
		count--
		m, ok := index[key{f.Rule.Mirror, f.Subject, f.To, f.From, f.New, f.Old}]
		require.True(t, ok, "%s has no mirror image", f)
		require.Len(t, m.Effects, len(f.Effects), "%s", f)
		for _, e := range f.Effects {
			o := opposite(t, m, e)
			if stricter[f.Change.Rule] != stricter[m.Change.Rule] {
				mild, strict := e, o
				if stricter[f.Change.Rule] {
					mild, strict = o, e
				}
				require.LessOrEqual(t, mild.Verdict, strict.Verdict, "%s, %s", f, e.Skew)
				continue
			}
			require.Equal(t, e.Verdict == verdict.Breaks, o.Verdict == verdict.Breaks, "%s: %s %s: %s and %s", f, e.Direction, e.Skew, e.Verdict, o.Verdict)
		}
	}
	require.Zero(t, count, "one way reports more than the other")
}

// opposite returns the effect in the same direction with the same writer and reader, if what was new is old.
func opposite(t *testing.T, f verdict.Finding, e verdict.Effect) verdict.Effect {
	t.Helper()
	for _, o := range f.Effects {
		if o.Direction == e.Direction && o.Skew != e.Skew {
			return o
		}
	}
	require.Fail(t, "no such effect", "%s: %s", f, e.Direction)
	return verdict.Effect{}
}

func requireSymmetry(t *testing.T, a, b *protocol.Protocol) []verdict.Finding {
	t.Helper()
	there := verdict.Judge(a, b, change.Compare(a, b))
	requireMirror(t, there, verdict.Judge(b, a, change.Compare(b, a)))
	return there
}

// TestMinimalPairsAreSymmetric compares the pairs of the golden tests both ways; together they make
// every rule speak.
func TestMinimalPairsAreSymmetric(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "golden", "diff", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	spoken := map[change.Rule]bool{}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			old, new := fstest.MapFS{}, fstest.MapFS{}
			var profileText []byte
			for _, f := range archive.Files {
				dir, name, _ := strings.Cut(f.Name, "/")
				switch dir {
				case "old":
					old[name] = &fstest.MapFile{Data: f.Data}
				case "new":
					new[name] = &fstest.MapFile{Data: f.Data}
				case "profile.json":
					profileText = f.Data
				}
			}
			for _, f := range requireSymmetry(t, load(t, old, "old", profileText), load(t, new, "new", profileText)) {
				spoken[f.Change.Rule], spoken[f.Rule.Mirror] = true, true
			}
		})
	}
	for _, r := range verdict.Rules {
		require.True(t, spoken[r.ID], "no pair for %s", r.ID)
	}
}

func load(t *testing.T, folder fstest.MapFS, dir string, profileText []byte) *protocol.Protocol {
	t.Helper()
	var diags diag.List
	prof := profile.Empty()
	if profileText != nil {
		stated, parsed := profile.Parse("profile.json", profileText)
		diags.Add(parsed...)
		prof = stated
	}
	set, loaded, err := schema.Load(folder, dir, nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	understood := understand.Run(set, prof, facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.NotNil(t, p, "%v", diags.Sorted())
	sets, err := finished.Sets(p.Name, version.Order(p.Order), p.Version)
	require.NoError(t, err)
	if len(sets) > 0 {
		for _, a := range p.Actions.Actions {
			a.Finished = sets[0].Rules(p.Version).Of(a.Type)
		}
	}
	return p
}

// TestReleasesAreSymmetric compares every two releases of the corpus both ways.
func TestReleasesAreSymmetric(t *testing.T) {
	dir := os.Getenv("AHPGEN_CORPUS")
	if dir == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("..", "..", "..", dir)
	}
	text, display, err := schemas.Profile("ahp")
	require.NoError(t, err)
	var releases []*protocol.Protocol
	for _, release := range []string{"0.4.0", "0.5.2", "0.6.0", "0.7.0", "0.8.0-dev"} {
		var diags diag.List
		prof, parsed := profile.Parse(display, text)
		diags.Add(parsed...)
		set, loaded, err := schema.Load(os.DirFS(filepath.Join(dir, "ahp", release, "schema")), release, prof.Files)
		diags.Add(loaded...)
		require.NoError(t, err)
		understood := understand.Run(set, prof, facts.Text{}, diags.Items()...)
		diags.Add(understood.Found...)
		p := understood.Protocol
		require.NotNil(t, p, "%v", diags.Sorted())
		releases = append(releases, p)
	}
	for i, a := range releases {
		for _, b := range releases[i+1:] {
			require.NotEmpty(t, requireSymmetry(t, a, b))
		}
	}
}

// TestConcerns: a side is concerned where it reads, and where it sends and is the older one.
func TestConcerns(t *testing.T) {
	a := load(t, fstest.MapFS{"p.schema.json": {Data: []byte(`{"$defs":{"Ask":{"x-method":"ask","x-side":"host","x-result":null,"type":"object","properties":{"id":{"type":"string"}}}}}`)}}, "a", nil)
	b := load(t, fstest.MapFS{"p.schema.json": {Data: []byte(`{"$defs":{"Ask":{"x-method":"ask","x-side":"host","x-result":null,"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}}`)}}, "b", nil)
	stricter, milder := verdict.Judge(a, b, change.Compare(a, b)), verdict.Judge(b, a, change.Compare(b, a))
	require.Len(t, stricter, 1)
	require.Equal(t, verdict.Breaks, stricter[0].Client, "an old client cannot know that a new host wants more")
	require.Equal(t, verdict.Breaks, stricter[0].Host)
	require.Equal(t, "an old client may leave it out; a new host requires it", stricter[0].Why(protocol.FromClient))
	require.Equal(t, verdict.Fine, milder[0].Client, "a new client knows from the version what an old host wants")
	require.Equal(t, verdict.Breaks, milder[0].Host)
	require.Equal(t, []verdict.Effect{
		{Direction: flow.ClientToHost, Skew: verdict.OldClient, Via: "params of ask"},
		{Direction: flow.ClientToHost, Skew: verdict.OldHost, Verdict: verdict.Breaks, Why: "a new client may leave it out; an old host requires it", Via: "params of ask"},
	}, milder[0].Effects)
}

// TestVersionBumps: how far a version has to move for what changed.
func TestVersionBumps(t *testing.T) {
	method := func(required string) *protocol.Protocol {
		return load(t, fstest.MapFS{"p.schema.json": {Data: []byte(`{"$defs":{"Ask":{"x-method":"ask","x-side":"host","x-result":null,"type":"object","properties":{"id":{"type":"string"}` + required)}}, "p", nil)
	}
	plain, breaking, additive := method(`}}}}`), method(`},"required":["id"]}}}`), method(`,"note":{"type":"string"}}}}}`)
	advice := method(`}, "deprecated": true}}}`)
	for _, c := range []struct {
		old, new string
		to       *protocol.Protocol
		want     string
	}{
		{"0.7.0", "0.8.0", breaking, ""},
		{"0.7.0", "1.0.0", breaking, ""},
		{"0.7.0", "0.7.1", breaking, "0.7.1; breaking changes call for 0.8.0"},
		{"0.7.0", "0.7.0", breaking, "0.7.0; breaking changes call for 0.8.0"},
		{"0.7.0", "0.8.0-dev", breaking, ""},
		{"0.8.0-dev", "0.8.0", breaking, ""},
		{"0.8.0-dev", "0.8.0-dev", breaking, ""},
		{"0.8.0-dev", "0.8.1", breaking, "0.8.1; breaking changes call for 0.9.0"},
		{"0.7.0", "0.7.1", additive, ""},
		{"0.7.0", "0.7.0", additive, "0.7.0; changes call for 0.7.1"},
		{"0.7.0", "0.7.0", plain, ""},
		{"0.7.0", "0.7.0", advice, ""},
		{"1.2.0", "1.3.0", breaking, "1.3.0; breaking changes call for 2.0.0"},
		{"1.2.0", "2.0.0", breaking, ""},
		{"1.2.0", "1.2.1", additive, "1.2.1; changes call for 1.3.0"},
		{"1.2.0", "1.3.0", additive, ""},
		{"0.8.0", "0.7.0", breaking, ""},
		{"", "0.7.0", breaking, ""},
		{"0.7.0", "next", breaking, ""},
	} {
		old, new := *plain, *c.to
		old.Version, new.Version = c.old, c.new
		got := ""
		for _, f := range verdict.Judge(&old, &new, change.Compare(&old, &new)) {
			if f.Change.Rule == change.VersionTooSmall {
				got = f.To
			}
		}
		require.Equal(t, c.want, got, "%s to %s", c.old, c.new)
	}
}
