// Tests of translators between the pairs of schemas that show the rules of diff.

package speaks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// TestPairsOfEachRule derives the translators of each pair of diff/, whichever side is the newer one: what they make of an
// example, which the schemas of the other side have to describe. Where something is refused, the entry of the profile that
// the hint proposes has to settle it. Members that seem to be renamed are also tried with an entry that says so. Every rule has to be
// what some pair differs in.
func TestPairsOfEachRule(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	files, err := filepath.Glob("../diff/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var out strings.Builder
	shown := map[change.Rule]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(filepath.Join(here, file))
		require.NoError(t, err)
		dir := t.TempDir()
		t.Chdir(dir)
		profile := ""
		for _, f := range archive.Files {
			kit.WriteFile(t, filepath.Join(dir, f.Name), string(f.Data))
			if f.Name == "profile.json" {
				profile = "./profile.json"
			}
		}
		for _, way := range [][2]string{{"new", "old"}, {"old", "new"}} {
			p := pair{t: t, names: way, profile: profile, out: &out}
			rules, renamed := p.changes()
			for _, r := range rules {
				shown[r] = true
			}
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			fmt.Fprintf(&out, "%s, %s for peers of %s: %s\n", name, way[0], way[1], cmp.Or(strings.Join(texts(rules), ", "), "no differences"))
			p.sides = [2]*protocol.Protocol{p.read(0, "2.0.0"), p.read(1, "1.0.0")}
			p.describe()
			for _, e := range renamed {
				fmt.Fprintf(&out, "  renamed: %s: %s\n", e.At, kit.ToJSON(t, e.Renamed))
				for _, d := range p.derived([]*inside.Translation{e}) {
					fmt.Fprintf(&out, "  still refused: %s\n", d.Message)
				}
			}
		}
	}
	t.Chdir(here)
	for _, r := range verdict.Rules {
		require.True(t, shown[r.ID], "no pair in diff/ differs in what the rule %s is about", r.ID)
	}
	golden := filepath.Join("testdata", "rules.txt")
	if *kit.Update {
		require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String())
}

// pair is a pair of schemas, of which the first one is the newer.
type pair struct {
	t       *testing.T
	names   [2]string
	profile string
	sides   [2]*protocol.Protocol
	out     *strings.Builder
}

// changes returns the rules of what the sides differ in, and entries for members that seem to be renamed.
func (p *pair) changes() (rules []change.Rule, renamed []*inside.Translation) {
	p.t.Helper()
	args := []string{"diff", p.names[1], p.names[0], "--format", "json"}
	if p.profile != "" {
		args = append(args, "--profile", p.profile)
	}
	var stdout, stderr bytes.Buffer
	require.LessOrEqual(p.t, cli.Run(args, &stdout, &stderr), 1, stderr.String())
	var found struct {
		Changes []struct {
			Rule                     change.Rule
			Subject, Cause, From, To string
		}
	}
	require.NoError(p.t, json.Unmarshal(stdout.Bytes(), &found))
	for _, c := range found.Changes {
		if !slices.Contains(rules, c.Rule) {
			rules = append(rules, c.Rule)
		}
		if c.Rule == change.RenameCandidate && strings.HasPrefix(c.Cause, string(change.FieldRemoved)) {
			renamed = append(renamed, &inside.Translation{At: c.Subject, Since: "2.0.0", Renamed: map[string]string{c.From: c.To}})
		}
	}
	slices.Sort(rules)
	return rules, renamed
}

func texts(rules []change.Rule) (out []string) {
	for _, r := range rules {
		out = append(out, string(r))
	}
	return out
}

// read analyses one side, whose version is given here: most pairs have none.
func (p *pair) read(side int, version string) *protocol.Protocol {
	p.t.Helper()
	own := *kit.Analyse(p.t, generator.Config{Schemas: p.names[side], Profile: p.profile})
	own.Version, own.Order, own.Wire = version, "", nil
	return &own
}

// describe derives the translator and says what it does.
func (p *pair) describe() {
	found := p.derived(nil)
	var entries []*inside.Translation
	for _, d := range found {
		fmt.Fprintf(p.out, "  refused: %s\n", d.Message)
		if e := p.entry(d); e != nil && !slices.ContainsFunc(entries, func(o *inside.Translation) bool { return o.At == e.At }) {
			entries = append(entries, e)
		}
	}
	if len(found) == 0 {
		return
	}
	for _, d := range p.derived(entries) {
		fmt.Fprintf(p.out, "  still refused: %s\n", d.Message)
	}
}

var proposed = regexp.MustCompile(`profile: (\{.*\})$`)

// entry returns the entry that a hint proposes. A stand-in is the first value of the other version.
func (p *pair) entry(d diag.Diagnostic) *inside.Translation {
	m := proposed.FindStringSubmatch(d.Hint)
	if m == nil {
		return nil
	}
	e := &inside.Translation{}
	require.NoError(p.t, json.Unmarshal([]byte(m[1]), e), d.Hint)
	for value := range e.Values {
		for _, side := range p.sides {
			if enum, ok := side.Lookup(e.At).(*protocol.Enum); ok {
				texts := []string{}
				for _, m := range enum.Members {
					texts = append(texts, m.Value.String())
				}
				if !slices.Contains(texts, value) {
					e.Values[value] = texts[0]
				}
			}
		}
	}
	return e
}

// derived derives the translator, and writes what it does. It returns what is refused.
func (p *pair) derived(entries []*inside.Translation) []diag.Diagnostic {
	derived, found := inside.Derive(p.sides[0], p.sides[1], entries)
	if len(found) > 0 {
		return found
	}
	losses := append(derived.Losses, derived.Rules()...)
	if derived.Version.Empty() && len(losses) == 0 {
		fmt.Fprintln(p.out, "  nothing to do")
		return nil
	}
	for _, l := range losses {
		fmt.Fprintf(p.out, "  %s\n", l)
	}
	if len(derived.Needs) > 0 {
		for _, n := range derived.Needs {
			fmt.Fprintf(p.out, "  stub: %s\n", n.Name)
		}
		return nil
	}
	v, err := derived.Version.Translator(nil)
	require.NoError(p.t, err)
	p.examples(&v.Lower, "lower", 0)
	p.examples(&v.Lift, "lift", 1)
	return nil
}

// examples converts an example of everything that a table is about. The side is the one that it comes from.
func (p *pair) examples(d *translate.Direction, verb string, side int) {
	other := compiled(p.t, p.names[1-side])
	for _, m := range d.Methods {
		params, result := protocol.Type(nil), protocol.Type(nil)
		if method := p.sides[side].Method(m.Name); method != nil {
			params, result = method.Params, method.Result
		} else {
			params = p.sides[side].Lookup(m.Name)
		}
		if m.Params != 0 && params != nil {
			out, err := d.Params(m.Name, json.RawMessage(inside.Example(p.sides[side], params)), &translate.Context{})
			require.NoError(p.t, err)
			p.write(verb, params, out, other)
		}
		if m.Result != 0 && result != nil {
			out, err := d.Result(m.Name, json.RawMessage(inside.Example(p.sides[side], result)), &translate.Context{})
			require.NoError(p.t, err)
			p.write(verb, result, []json.RawMessage{out}, other)
		}
	}
}

// write writes a converted example, which the schemas of the other side describe.
func (p *pair) write(verb string, t protocol.Type, out []json.RawMessage, other map[string]*jsonschema.Schema) {
	name := t.Head().Name
	if len(out) == 0 || out[0] == nil {
		fmt.Fprintf(p.out, "  %s %s: left out\n", verb, name)
		return
	}
	var value any
	require.NoError(p.t, json.Unmarshal(out[0], &value), "%s", out[0])
	line, err := json.Marshal(value)
	require.NoError(p.t, err)
	fmt.Fprintf(p.out, "  %s %s: %s\n", verb, name, line)
	if s := other[name]; s != nil {
		require.NoError(p.t, s.Validate(value), "%s", line)
	}
}

// compiled returns the definitions in a folder of schemas as validators.
func compiled(t *testing.T, folder string) map[string]*jsonschema.Schema {
	t.Helper()
	out := map[string]*jsonschema.Schema{}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var schema struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		require.NoError(t, json.Unmarshal(data, &schema))
		for name := range schema.Defs {
			absolute, err := filepath.Abs(file)
			require.NoError(t, err)
			if s, err := jsonschema.Compile("file://" + filepath.ToSlash(absolute) + "#/$defs/" + name); err == nil {
				out[name] = s
			}
		}
	}
	return out
}
