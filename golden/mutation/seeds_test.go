// Seeds: the golden cases, cuts of the embedded schemas and, where there is a corpus, of that.

package mutation

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/schemas"
)

// maxDefinitions is how large a cut may be: a run has to stay cheap.
const maxDefinitions = 9

// loadSeeds returns every seed, always in the same order. The folder is used to try them out in; the
// current folder has to be it. The module's folder holds the goldens.
func loadSeeds(module, corpus string) ([]*input, error) {
	var out []*input
	for _, pattern := range []string{"types", "errors", "run"} {
		cases, err := filepath.Glob(filepath.Join(module, "golden", pattern, "*.txtar"))
		if err != nil {
			return nil, err
		}
		for _, name := range cases {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				return nil, err
			}
			in := fromArchive(pattern+"/"+strings.TrimSuffix(filepath.Base(name), ".txtar"), archive)
			if len(in.schemas()) > 0 && in.size() < 20_000 {
				out = append(out, in.withConfig())
			}
		}
	}
	if len(out) < 50 {
		return nil, fmt.Errorf("only %d golden cases in %s", len(out), module)
	}
	for _, p := range schemas.Protocols() {
		folder, _, err := schemas.Protocol(p)
		if err != nil {
			return nil, err
		}
		cuts, err := cutFolder(p, folder, nil, false)
		if err != nil {
			return nil, err
		}
		out = append(out, cuts...)
	}
	if corpus != "" {
		cuts, err := corpusSeeds(corpus)
		if err != nil {
			return nil, err
		}
		out = append(out, cuts...)
	}
	d := &folder{dir: "."}
	for _, in := range out {
		if err := addLock(d, in); err != nil {
			return nil, fmt.Errorf("%s: %w", in.seed, err)
		}
	}
	return out, nil
}

// corpusSeeds cuts published schemas, those of AHP with the profile for them.
func corpusSeeds(corpus string) ([]*input, error) {
	var out []*input
	data, _, err := schemas.Profile("ahp")
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		dir     string
		profile []byte
	}{
		{"ahp/0.7.0/schema", data}, {"ahp/0.4.0/schema", data},
		{"acp/v1", nil}, {"acp/v1-unstable", nil}, {"acp/v2", nil},
		{"mcp/2024-11-05", nil}, {"mcp/2025-11-25", nil},
	} {
		cuts, err := cutFolder(c.dir, os.DirFS(filepath.Join(corpus, filepath.FromSlash(c.dir))), c.profile, true)
		if err != nil {
			return nil, err
		}
		if len(cuts) == 0 {
			return nil, fmt.Errorf("nothing to cut out of %s", c.dir)
		}
		out = append(out, cuts...)
	}
	return out, nil
}

// cutFolder takes single definitions out of schemas, each with all that it needs, as long as that is
// little. At most 40 are taken, evenly.
func cutFolder(name string, dir fs.FS, profile []byte, published bool) ([]*input, error) {
	matches, err := fs.Glob(dir, "*schema.json")
	if err != nil {
		return nil, err
	}
	whole := &collection{defs: map[string]*inside.Node{}}
	for _, m := range matches {
		data, err := fs.ReadFile(dir, m)
		if err != nil {
			return nil, err
		}
		tree := newFile(m, data).tree
		if published {
			dropVendor(tree)
		}
		whole.add(tree)
	}
	var cuts []*input
	for _, root := range slices.Sorted(maps.Keys(whole.defs)) {
		names := whole.closure(root)
		if names == nil || len(names) > maxDefinitions {
			continue
		}
		in := &input{seed: name + "#" + root}
		in.set(&file{name: path.Join(schemaFolder, "cut.schema.json"), tree: whole.cut(names)})
		if profile != nil {
			f := newFile(profileName, profile)
			cutProfile(f.tree, names)
			in.set(f)
		}
		if in.size() < 8_000 {
			cuts = append(cuts, in.withConfig())
		}
	}
	var out []*input
	if !published {
		out = whole.channels(name)
	}
	const most = 40
	if len(cuts) <= most {
		return append(out, cuts...), nil
	}
	for i := range most {
		out = append(out, cuts[i*len(cuts)/most])
	}
	return out, nil
}

// dropVendor removes the keywords that other tools have a use for.
func dropVendor(n *inside.Node) {
	if n == nil {
		return
	}
	n.Members = slices.DeleteFunc(n.Members, func(m inside.Member) bool { return strings.HasPrefix(m.Key, "x-") })
	for _, m := range n.Members {
		dropVendor(m.Value)
	}
	for _, item := range n.Items {
		dropVendor(item)
	}
}

// collection is the definitions of several files.
type collection struct {
	root []inside.Member // vendor keywords at the roots
	defs map[string]*inside.Node
}

func (c *collection) add(root *inside.Node) {
	if root == nil {
		return
	}
	for _, m := range root.Members {
		switch {
		case m.Key == "$defs" || m.Key == "definitions":
			for _, d := range m.Value.Members {
				c.defs[d.Key] = d.Value
			}
		case m.Key == "x-protocol" || m.Key == "x-initialisms" || m.Key == "x-channels":
			c.root = append(c.root, m)
		}
	}
}

// closure lists a definition and all that it refers to; nil where something is not there.
func (c *collection) closure(root string) map[string]bool {
	out := map[string]bool{root: true}
	complete := true
	var walk func(n *inside.Node)
	walk = func(n *inside.Node) {
		for _, item := range n.Items {
			walk(item)
		}
		for _, m := range n.Members {
			target := ""
			switch {
			case m.Key == "$ref" && m.Value.Kind == inside.String:
				target = m.Value.Text[strings.LastIndexByte(m.Value.Text, '/')+1:]
			case (m.Key == "x-result" || m.Key == "x-partial-of") && m.Value.Kind == inside.String:
				target = m.Value.Text
			}
			if target == "" {
				walk(m.Value)
				continue
			}
			if c.defs[target] == nil {
				complete = false
			} else if !out[target] && len(out) <= maxDefinitions {
				out[target] = true
				walk(c.defs[target])
			}
		}
	}
	walk(c.defs[root])
	if !complete {
		return nil
	}
	return out
}

// channelActions is how large a channel may be that is cut out.
const channelActions = 12

// channels cuts out channels: each is a state, and the union of those actions that are about it. These
// are what finished reducers are for.
func (c *collection) channels(name string) []*input {
	var out []*input
	for _, state := range slices.Sorted(maps.Keys(c.defs)) {
		channel := c.defs[state].Get("x-channel")
		if channel == nil {
			continue
		}
		defs := maps.Clone(c.defs)
		names := map[string]bool{state: true}
		actions := 0
		for union, d := range c.defs {
			if d.Get("x-actions") == nil {
				continue
			}
			d = d.Clone()
			alternatives := d.Get("oneOf")
			alternatives.Items = slices.DeleteFunc(alternatives.Items, func(n *inside.Node) bool { return !c.isAbout(n, channel.Get("prefix").Text) })
			actions += len(alternatives.Items)
			defs[union], names[union] = d, true
		}
		cut := &collection{root: c.root, defs: defs}
		for more := true; more; {
			more = false
			for _, n := range slices.Sorted(maps.Keys(names)) {
				for _, need := range cut.needs(defs[n]) {
					more = more || !names[need]
					names[need] = true
				}
			}
		}
		if actions <= 2 || actions > channelActions { // one and the unknown are no union
			continue
		}
		in := &input{seed: name + "#" + state + " and its actions"}
		in.set(&file{name: path.Join(schemaFolder, "cut.schema.json"), tree: cut.cut(names)})
		if in.size() < 20_000 {
			out = append(out, in.withConfig())
		}
	}
	return out
}

// isAbout reports whether an alternative is an action with a prefix, or stands for unknown ones.
func (c *collection) isAbout(alternative *inside.Node, prefix string) bool {
	needs := c.needs(alternative)
	if len(needs) == 0 || c.defs[needs[0]] == nil {
		return true
	}
	tag := c.defs[needs[0]].Get("properties").Get("type")
	return tag != nil && tag.Get("const") != nil && strings.HasPrefix(tag.Get("const").Text, prefix)
}

// needs lists what a definition refers to and is there.
func (c *collection) needs(n *inside.Node) []string {
	var out []string
	for _, item := range n.Items {
		out = append(out, c.needs(item)...)
	}
	for _, m := range n.Members {
		if m.Value.Kind == inside.String && (m.Key == "$ref" || m.Key == "x-result" || m.Key == "x-partial-of") {
			if target := m.Value.Text[strings.LastIndexByte(m.Value.Text, '/')+1:]; c.defs[target] != nil {
				out = append(out, target)
			}
			continue
		}
		out = append(out, c.needs(m.Value)...)
	}
	return out
}

// cut is one file with just these definitions.
func (c *collection) cut(names map[string]bool) *inside.Node {
	defs := object()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d := c.defs[name].Clone()
		localRefs(d)
		defs.Members = append(defs.Members, member(name, d))
	}
	root := object()
	for _, m := range c.root {
		root.Members = append(root.Members, member(m.Key, m.Value.Clone()))
	}
	root.Members = append(root.Members, member("$defs", defs))
	return root
}

// localRefs points every reference at the file it is in.
func localRefs(n *inside.Node) {
	for _, item := range n.Items {
		localRefs(item)
	}
	for _, m := range n.Members {
		if m.Key == "$ref" && m.Value.Kind == inside.String {
			m.Value.Text = "#/$defs/" + m.Value.Text[strings.LastIndexByte(m.Value.Text, '/')+1:]
		}
		localRefs(m.Value)
	}
}

// cutProfile removes entries about definitions that a cut has not, and what names them by the way.
func cutProfile(profile *inside.Node, names map[string]bool) {
	about := func(n *inside.Node) bool {
		for _, key := range []string{"at", "union", "enum", "definition", "state", "params", "of"} {
			if v := n.Get(key); v != nil && v.Kind == inside.String {
				name, _, _ := strings.Cut(strings.TrimSuffix(v.Text, "()"), ".")
				return names[name]
			}
		}
		return n.Kind != inside.Object
	}
	var walk func(n *inside.Node)
	walk = func(n *inside.Node) {
		n.Items = slices.DeleteFunc(n.Items, func(item *inside.Node) bool { return !about(item) })
		for _, m := range n.Members {
			walk(m.Value)
		}
	}
	profile.Members = slices.DeleteFunc(profile.Members, func(m inside.Member) bool {
		switch m.Key {
		case "name", "title", "naming", "numbers", "unions", "enums", "partials", "overlay", "ignoreKeywords":
			walk(m.Value)
			return false
		}
		return true
	})
	if overlay := profile.Get("overlay"); overlay != nil {
		overlay.Items = slices.DeleteFunc(overlay.Items, func(n *inside.Node) bool {
			d := n.Get("definition")
			return d == nil || !names[d.Text]
		})
	}
}

// addLock gives an input that is accepted the lock that its package comes with.
func addLock(d *folder, in *input) error {
	if in.file(generator.LockName) != nil {
		return nil
	}
	if err := d.write(in); err != nil {
		return err
	}
	var diags diag.List
	config, err := generator.ReadConfig(generator.ConfigName, &diags)
	if err != nil {
		return nil // made to be refused
	}
	g, err := generator.New(config, &diags)
	if err != nil {
		return nil
	}
	plan, err := g.Plan()
	if err != nil {
		return nil
	}
	for _, f := range plan.Files {
		if f.Name == generator.LockName {
			in.set(newFile(f.Name, f.New))
		}
	}
	return nil
}
