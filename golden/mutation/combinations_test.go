// Combinations: every option of a configuration with every other one, for small protocols and for what is
// left of them without some of their facts.

package mutation

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// switches are the options that are either there or not.
var switches = []struct {
	name  string
	value *inside.Node
}{
	{"host", object(member("skeleton", truth(true)))},
	{"transports", texts("websocket")},
	{"logs", texts("bolt")},
	{"runtime", text(outFolder + "/below/runtime")},
}

// facts are what a protocol may state or not, by their keys in a profile; schemas put x- before them.
var facts = [][]string{{"handshake"}, {"replication", "session"}, {"replication"}, {"channels"}}

// TestEveryCombinationOfOptionsIsInOrder: the oracle has nothing against what comes of any of them. Whether an
// option is accepted depends on the protocol and its reducers, and not on the other options.
func TestEveryCombinationOfOptionsIsInOrder(t *testing.T) {
	if !*combined {
		t.Skip("thousands of packages are emitted: -combinations asks for it, as .ci/run does")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(300)) // as workers do
	checks := newChecker(exports(t), func(name string) (io.ReadCloser, error) { return os.Open(name) })
	tried := &combinations{t: t, oracle: newOracle(checks), accepted: map[string]int{}, without: map[string]int{}}
	inputs := examples(t)
	t.Chdir(t.TempDir())
	for _, in := range inputs {
		require.True(t, tried.try(in, in.seed, true), "%s is refused", in.seed)
		if !statesAny(in) {
			continue
		}
		for left := 1; left < 1<<len(facts); left++ {
			less, name := without(in, left)
			if less != nil && tried.try(less, in.seed+" without "+name, false) {
				tried.without[name]++
			}
		}
	}
	t.Logf("%d packages, accepted with %v, without %v", tried.runs, tried.accepted, tried.without)
	for set := range 1 << len(switches) {
		for _, reducers := range []string{asTheyCome, none, own} {
			name := called(set, reducers)
			if reducers == none && strings.Contains(name, "logs") {
				require.Zero(t, tried.accepted[name], "a log is of a server, which has reducers")
				continue
			}
			require.NotZero(t, tried.accepted[name], "no protocol is accepted with %s", name)
		}
	}
	for _, fact := range facts {
		require.NotZero(t, tried.without[strings.Join(fact, ".")], "no protocol can do without it: %v", fact)
	}
}

// examples are the golden cases and the example, each with the plainest configuration.
func examples(t *testing.T) []*input {
	t.Helper()
	var out []*input
	for _, pattern := range []string{"types/*.txtar", "run/*.txtar"} {
		cases, err := filepath.Glob(filepath.Join(moduleDir, "golden", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.NotEmpty(t, cases)
		for _, name := range cases {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			in := fromArchive(filepath.Base(name), archive)
			in.drop(generator.ConfigName)
			in.drop(generator.LockName)
			out = append(out, in.withConfig())
		}
	}
	in := &input{seed: "the example"}
	files, err := filepath.Glob(filepath.Join(moduleDir, "schemas", "example", "*.schema.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		in.set(newFile(schemaFolder+"/"+filepath.Base(name), data))
	}
	return append(out, in.withConfig())
}

// combinations tries them.
type combinations struct {
	t        *testing.T
	oracle   *oracle
	runs     int
	accepted map[string]int // by the options that are there
	without  map[string]int // by what was left out, protocols that are accepted like that
}

// try tries options alone and together, and reports whether the plainest configuration is accepted. All
// combinations are tried of whole protocols with methods, which have most to do with options.
func (c *combinations) try(in *input, name string, whole bool) bool {
	c.t.Helper()
	if !c.run(in, name, 0, nil, "") {
		return false
	}
	for reducers, value := range c.reducers(in, name) {
		results := map[int]bool{0: c.run(in, name, 0, value, reducers)}
		var alone, methods int // the options that are accepted with these reducers
		for i, s := range switches {
			if results[1<<i] = c.run(in, name, 1<<i, value, reducers); results[1<<i] {
				alone |= 1 << i
			}
			if s.name == "transports" {
				methods = 1 << i
			}
		}
		for set := range 1 << len(switches) {
			if all := whole && alone&methods != 0; !all && set != alone {
				continue
			}
			ok, known := results[set]
			if !known {
				ok = c.run(in, name, set, value, reducers)
			}
			if want := set&^alone == 0; ok != want {
				c.t.Errorf("%s: %s is accepted: %t, although its options alone are: %t", name, called(set, reducers), ok, want)
			}
			if ok {
				c.accepted[called(set, reducers)]++
			}
		}
	}
	return true
}

// run tries one combination, and reports whether it is accepted.
func (c *combinations) run(in *input, name string, set int, reducers *inside.Node, which string) bool {
	c.t.Helper()
	c.runs++
	in = in.clone()
	config := in.file(generator.ConfigName).tree
	for i, s := range switches {
		if set&(1<<i) != 0 {
			put(config, s.name, s.value)
		}
	}
	if reducers != nil {
		put(config, "reducers", reducers)
	}
	res := c.oracle.run(in, nil, set == 1<<len(switches)-1)
	if res.failure != nil {
		c.t.Errorf("%s: %s: %s: %s\n%s", name, called(set, which), res.failure.Class, res.failure.Sign, res.failure.Detail)
	}
	return res.accepted
}

// called names a combination.
func called(set int, reducers string) string {
	var out []string
	for i, s := range switches {
		if set&(1<<i) != 0 {
			out = append(out, s.name)
		}
	}
	return strings.TrimSpace(strings.Join(append(out, reducers), " "))
}

// The ways to have reducers.
const (
	asTheyCome = "reducers as they come"
	none       = "no reducers"
	own        = "reducers of one's own"
)

// reducers are the options for each of the ways; there may be none to take over.
func (c *combinations) reducers(in *input, name string) map[string]*inside.Node {
	c.t.Helper()
	taken := array()
	for _, typ := range slices.Sorted(maps.Keys(constants(in))) {
		if c.run(in, name, 0, object(member("own", texts(typ))), "own "+typ) {
			taken.Items = append(taken.Items, text(typ))
		}
	}
	out := map[string]*inside.Node{asTheyCome: nil, none: object(member("omit", truth(true)))}
	if len(taken.Items) > 0 {
		out[own] = object(member("own", taken))
	}
	return out
}

// constants are the texts that actions may have for a type, where any effects are stated.
func constants(in *input) map[string]bool {
	out := map[string]bool{}
	var walk func(n *inside.Node)
	walk = func(n *inside.Node) {
		for _, item := range n.Items {
			walk(item)
		}
		for _, m := range n.Members {
			if m.Key == "const" && m.Value.Kind == inside.String {
				out[m.Value.Text] = true
			}
			walk(m.Value)
		}
	}
	stated := func(f *file) bool { return strings.Contains(string(f.bytes()), `effects":`) }
	if !slices.ContainsFunc(in.files, stated) {
		return out
	}
	for _, f := range in.schemas() {
		if f.tree != nil {
			walk(f.tree)
		}
	}
	return out
}

// statesAny reports whether a protocol states a fact that can be left out.
func statesAny(in *input) bool {
	return slices.ContainsFunc(facts, func(fact []string) bool { return leaveOut(in.clone(), fact) })
}

// without is a protocol without some of the facts, which are bits in their order, and what they are called. It is
// nil where the protocol does not state all of them, or one goes with another.
func without(in *input, left int) (*input, string) {
	out := in.clone()
	var names []string
	for i := len(facts) - 1; i >= 0; i-- { // what is part of another fact is gone with that
		if left&(1<<i) == 0 {
			continue
		}
		if !leaveOut(out, facts[i]) {
			return nil, ""
		}
		names = append(names, strings.Join(facts[i], "."))
	}
	return out, strings.Join(names, " and ")
}

// leaveOut removes a fact from schemas and profile, and reports whether it was there.
func leaveOut(in *input, fact []string) bool {
	removed := false
	for _, f := range in.files {
		if f.name == profileName {
			removed = removeAt(f.tree, fact) || removed
		}
		if !f.isSchema() || f.tree == nil {
			continue
		}
		removed = removeAt(f.tree, append([]string{"x-" + fact[0]}, fact[1:]...)) || removed
		for _, defs := range []string{"$defs", "definitions"} {
			if all := f.tree.Get(defs); all != nil && fact[0] == "channels" {
				for _, d := range all.Members {
					removed = removeAt(d.Value, []string{"x-channel"}) || removed
				}
			}
		}
	}
	return removed
}

// removeAt removes a member below an object, and reports whether it was there.
func removeAt(n *inside.Node, path []string) bool {
	for ; n != nil && len(path) > 1; path = path[1:] {
		n = n.Get(path[0])
	}
	if n == nil || n.Get(path[0]) == nil {
		return false
	}
	n.Members = slices.DeleteFunc(n.Members, func(m inside.Member) bool { return m.Key == path[0] })
	return true
}
