// Schemas of the releases between the development before AHP 0.8.0 and 1.0.0, of which nobody kept the files: what changed
// is known with its release, so a version in between has the older shape of what came later, and the newer of the rest.

package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// dated is a change with the release it came in.
type dated struct{ ReleasedIn any }

func (d dated) release() string {
	text, _ := d.ReleasedIn.(string)
	release, _, _ := strings.Cut(text, " ")
	return release
}

type datedMembers struct {
	Def                     string
	Added, Removed, Changed map[string]dated
	ChangesMember           *datedMembers
}

func (m *datedMembers) collect(at string, out map[string]string) {
	if m == nil {
		return
	}
	for _, members := range []map[string]dated{m.Added, m.Removed, m.Changed} {
		for name, d := range members {
			out[at+"."+name] = d.release()
		}
	}
	m.ChangesMember.collect(at+".changes", out)
}

// releasesOf tells by definition, and by member, in which release it came, went or changed.
func releasesOf(t testing.TB) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(kit.Corpus(t), "ahp", "1.0.0", "changes.json"))
	require.NoError(t, err)
	var c struct {
		Actions struct {
			New []struct {
				dated
				Def string
			}
			Changed map[string]*datedMembers
		}
		Types struct {
			New, Removed map[string]dated
			Changed      map[string]*datedMembers
		}
		Enums   struct{ New, Changed map[string]dated }
		Unions  struct{ New, Changed map[string]dated }
		Methods struct {
			New []struct {
				dated
				Params, Result string
			}
		}
	}
	require.NoError(t, json.Unmarshal(data, &c))
	out := map[string]string{"AhpErrorCode": "0.9.0"} // each value has its own date, and they agree
	for _, a := range c.Actions.New {
		out[a.Def] = a.release()
	}
	for _, m := range c.Methods.New {
		out[m.Params], out[m.Result] = m.release(), m.release()
	}
	for _, list := range []map[string]dated{c.Types.New, c.Types.Removed, c.Enums.New, c.Enums.Changed, c.Unions.New, c.Unions.Changed} {
		for name, d := range list {
			if d.release() != "" {
				out[name] = d.release()
			}
		}
	}
	for name, m := range c.Types.Changed {
		m.collect(name, out)
	}
	for _, m := range c.Actions.Changed {
		m.collect(m.Def, out)
	}
	return out
}

// between makes schemas of a version: of what has changed since, as it was in the development before 0.8.0.
type between struct {
	t        testing.TB
	version  string
	releases map[string]string
}

// publishBetween makes the files of 0.8.0 or 0.9.0.
func publishBetween(t testing.TB, version string) *publication {
	t.Helper()
	b := between{t, version, releasesOf(t)}
	older, newer := readPublication(t, filepath.Join(kit.Corpus(t), "ahp", "0.8.0-dev", "schema")), publish(t, "1.0.0")
	out := &publication{defs: map[string]*inside.Node{}, home: map[string]string{}}
	for _, name := range newer.order {
		switch old := older.defs[name]; {
		case old != nil:
			out.define(name, newer.home[name], b.choose(name, old, newer.defs[name]))
		case !b.later(name):
			out.define(name, newer.home[name], newer.defs[name])
		}
	}
	for _, name := range older.order {
		if newer.defs[name] == nil && b.later(name) {
			out.define(name, older.home[name], older.defs[name])
		}
	}
	for _, name := range out.order {
		out.defs[name] = out.prune(out.defs[name])
	}
	return out
}

// readPublication reads files as they were published. A definition belongs to the first file that has it.
func readPublication(t testing.TB, folder string) *publication {
	t.Helper()
	out := &publication{defs: map[string]*inside.Node{}, home: map[string]string{}}
	for _, part := range publishedParts {
		data, err := os.ReadFile(filepath.Join(folder, part+".schema.json"))
		require.NoError(t, err)
		for _, m := range parseNode(t, data).Get("$defs").Members {
			if out.defs[m.Key] == nil {
				out.define(m.Key, part, m.Value)
			}
		}
	}
	return out
}

// later reports whether something came, went or changed after the version.
func (b between) later(at string) bool { return b.releases[at] > b.version }

// choose is one of two shapes of a definition, or of an object with some members of each.
func (b between) choose(at string, old, next *inside.Node) *inside.Node {
	if release := b.releases[at]; release != "" && (old.Get("properties") == nil || !strings.HasSuffix(at, ".changes")) {
		if release > b.version {
			return old
		}
		return next
	}
	if old.Get("properties") == nil || next.Get("properties") == nil {
		return next
	}
	properties, required := &inside.Node{Kind: inside.Object}, &inside.Node{Kind: inside.Array}
	add := func(side *inside.Node, m inside.Member) {
		properties.Members = append(properties.Members, m)
		if list := side.Get("required"); list != nil && slices.ContainsFunc(list.Items, func(n *inside.Node) bool { return n.Text == m.Key }) {
			required.Items = append(required.Items, text(m.Key))
		}
	}
	for _, m := range next.Get("properties").Members {
		member := at + "." + m.Key
		was := old.Get("properties").Get(m.Key)
		switch {
		case was != nil && b.later(member):
			add(old, inside.Member{Key: m.Key, Value: was})
		case was != nil:
			add(next, inside.Member{Key: m.Key, Value: b.choose(member, was, m.Value)})
		case !b.later(member):
			add(next, m)
		}
	}
	for _, m := range old.Get("properties").Members {
		if next.Get("properties").Get(m.Key) == nil && b.later(at+"."+m.Key) {
			add(old, m)
		}
	}
	out := object(inside.Member{Key: "type", Value: text("object")}, inside.Member{Key: "properties", Value: properties})
	if d := next.Get("description"); d != nil {
		out.Members = append(out.Members, inside.Member{Key: "description", Value: d})
	}
	if len(required.Items) > 0 {
		out.Members = append(out.Members, inside.Member{Key: "required", Value: required})
	}
	return out
}

// prune takes away members and alternatives that refer to what the version does not have.
func (p *publication) prune(n *inside.Node) *inside.Node {
	out := *n
	out.Members, out.Items = nil, nil
	lacks := func(n *inside.Node) bool {
		return slices.ContainsFunc(references(n), func(name string) bool { return p.defs[name] == nil })
	}
	for _, m := range n.Members {
		switch {
		case m.Key == "properties" && m.Value.Kind == inside.Object:
			kept := &inside.Node{Kind: inside.Object}
			for _, property := range m.Value.Members {
				if !lacks(property.Value) || property.Value.Get("oneOf") != nil {
					kept.Members = append(kept.Members, inside.Member{Key: property.Key, Value: p.prune(property.Value)})
				}
			}
			m.Value = kept
		case m.Key == "oneOf":
			kept := &inside.Node{Kind: inside.Array}
			for _, item := range m.Value.Items {
				if !lacks(item) {
					kept.Items = append(kept.Items, item)
				}
			}
			m.Value = kept
		}
		out.Members = append(out.Members, m)
	}
	out.Items = n.Items
	return &out
}

// TestReleasesBetween makes packages of 0.8.0 and 0.9.0, and tells their models apart by what came in with each.
func TestReleasesBetween(t *testing.T) {
	own := kit.Analyse(t, generator.Config{Schemas: "ahp@1.0.0"})
	since := map[string]string{}
	for _, a := range own.Actions.Actions {
		since[a.Type] = a.Since
	}
	for _, m := range own.Methods {
		since[m.Name] = m.Since
	}
	for _, version := range []string{"0.8.0", "0.9.0"} {
		t.Run(version, func(t *testing.T) {
			plan := official(t, publishBetween(t, version).write(t, t.TempDir()), filepath.Join(t.TempDir(), "ahp"))
			model := plan.Protocol
			require.Equal(t, version, model.Version)
			require.Equal(t, []string{version}, model.Supported, "both broke with what was before them")
			got, want := map[string]string{}, map[string]string{}
			for _, a := range model.Actions.Actions {
				got[a.Type] = a.Since
			}
			for _, m := range model.Methods {
				got[m.Name] = m.Since
			}
			for name, release := range since {
				if release <= version {
					want[name] = release
				}
			}
			require.Equal(t, want, got)
		})
	}
}
