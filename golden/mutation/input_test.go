// Inputs: all the files that a run of ahpgen reads, as trees that can be mutated.

package mutation

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
)

const (
	schemaFolder = "schema"
	profileName  = "profile.json"
	outFolder    = "out"
)

// input is what one run of ahpgen reads.
type input struct {
	seed  string   // name of the seed it was made from
	steps []string // mutations it has gone through
	files []*file

	refused bool // a seed that is
	rich    int  // how many kinds of things a seed states
}

// file is one file of an input: a tree, or bytes where they are no JSON any more.
type file struct {
	name string // below the folder of the configuration, with slashes
	tree *inside.Node
	raw  []byte
}

func (f *file) bytes() []byte {
	if f.tree == nil {
		return f.raw
	}
	return []byte(f.tree.Compact())
}

func (f *file) isSchema() bool { return strings.HasPrefix(f.name, schemaFolder+"/") }

// newFile reads a file, as a tree where it is JSON.
func newFile(name string, data []byte) *file {
	if tree, _ := inside.ParseJSON(name, data); tree != nil {
		return &file{name: name, tree: tree}
	}
	return &file{name: name, raw: data}
}

func (in *input) file(name string) *file {
	i := slices.IndexFunc(in.files, func(f *file) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return in.files[i]
}

func (in *input) drop(name string) {
	in.files = slices.DeleteFunc(in.files, func(f *file) bool { return f.name == name })
}

// set adds a file, or gives one that is there another content.
func (in *input) set(f *file) {
	in.drop(f.name)
	in.files = append(in.files, f)
	slices.SortFunc(in.files, func(a, b *file) int { return strings.Compare(a.name, b.name) })
}

func (in *input) schemas() []*file {
	var out []*file
	for _, f := range in.files {
		if f.isSchema() {
			out = append(out, f)
		}
	}
	return out
}

func (in *input) size() int {
	n := 0
	for _, f := range in.files {
		n += len(f.bytes())
	}
	return n
}

func (in *input) clone() *input {
	out := &input{seed: in.seed, steps: slices.Clone(in.steps)}
	for _, f := range in.files {
		c := *f
		if f.tree != nil {
			c.tree = f.tree.Clone()
		}
		out.files = append(out.files, &c)
	}
	return out
}

// fromArchive takes the inputs out of a golden case: schemas, profile, configuration and lock.
func fromArchive(name string, archive *txtar.Archive) *input {
	in := &input{seed: name}
	for _, f := range archive.Files {
		switch {
		case strings.HasPrefix(f.Name, schemaFolder+"/"), f.Name == profileName, f.Name == generator.ConfigName, f.Name == generator.LockName:
			in.set(newFile(f.Name, f.Data))
		}
	}
	return in
}

// archive is the input as a text that people can read.
func (in *input) archive(comment string) []byte {
	a := &txtar.Archive{Comment: []byte(comment)}
	for _, f := range in.files {
		data := f.bytes()
		if f.tree != nil {
			var b bytes.Buffer
			if json.Indent(&b, data, "", "  ") == nil {
				data = append(b.Bytes(), '\n')
			}
		}
		name := f.name
		if name != strings.TrimSpace(name) || strings.HasPrefix(name, `"`) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			name = strconv.Quote(name)
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: data})
	}
	return txtar.Format(a)
}

// withConfig gives an input without a configuration one that reads all its files.
func (in *input) withConfig() *input {
	if f := in.file(generator.ConfigName); f != nil && f.tree != nil && f.tree.Get("schemas") != nil {
		return in
	}
	config := object(member("schemas", text(schemaFolder)), member("out", text(outFolder)), member("package", text("p")))
	if in.file(profileName) != nil {
		config.Members = append(config.Members, member("profile", text("./"+profileName)))
	}
	if f := in.file(generator.ConfigName); f != nil && f.tree != nil {
		config.Members = append(config.Members, f.tree.Members...)
	}
	in.set(&file{name: generator.ConfigName, tree: config})
	return in
}

// folder is a place on disk that holds one input after the other.
type folder struct {
	dir  string
	has  map[string]string
	bare bool // the schemas alone, right in it
}

// write makes the folder hold just this input.
func (d *folder) write(in *input) error {
	if d.has == nil {
		d.has = map[string]string{}
	}
	wanted := map[string]bool{}
	for _, f := range in.files {
		name, content := f.name, string(f.bytes())
		if d.bare {
			if !f.isSchema() {
				continue
			}
			name = filepath.Base(name)
		}
		wanted[name] = true
		if old, ok := d.has[name]; ok && old == content {
			continue
		}
		path := filepath.Join(d.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
		d.has[name] = content
	}
	for name := range d.has {
		if wanted[name] {
			continue
		}
		if err := os.Remove(filepath.Join(d.dir, filepath.FromSlash(name))); err != nil {
			return err
		}
		delete(d.has, name)
	}
	return nil
}

// Trees are made of these.

func text(s string) *inside.Node   { return &inside.Node{Kind: inside.String, Text: s} }
func number(s string) *inside.Node { return &inside.Node{Kind: inside.Number, Text: s} }
func truth(b bool) *inside.Node    { return &inside.Node{Kind: inside.Bool, Bool: b} }
func null() *inside.Node           { return &inside.Node{Kind: inside.Null} }

func member(key string, value *inside.Node) inside.Member {
	return inside.Member{Key: key, Value: value}
}

func object(members ...inside.Member) *inside.Node {
	return &inside.Node{Kind: inside.Object, Members: members}
}

func array(items ...*inside.Node) *inside.Node {
	return &inside.Node{Kind: inside.Array, Items: items}
}

func texts(list ...string) *inside.Node {
	out := array()
	for _, s := range list {
		out.Items = append(out.Items, text(s))
	}
	return out
}

// put sets a member of an object.
func put(n *inside.Node, key string, value *inside.Node) {
	for i := range n.Members {
		if n.Members[i].Key == key {
			n.Members[i].Value = value
			return
		}
	}
	n.Members = append(n.Members, member(key, value))
}
