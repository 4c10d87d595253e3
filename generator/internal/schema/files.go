// Files: which files of a folder are schemas.

package schema

import (
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// schemasAmong returns the JSON files of a folder that say that they are schemas, for folders in which no file is named
// like one.
func schemasAmong(fsys fs.FS, entries []fs.DirEntry) (names []string) {
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "~") || path.Ext(e.Name()) != ".json" {
			continue
		}
		data, err := readFile(fsys, e.Name())
		if err != nil {
			continue
		}
		root, _ := ParseJSON(e.Name(), data)
		if root == nil || root.Kind != Object {
			continue
		}
		if saysSchema(root) {
			names = append(names, e.Name())
		}
	}
	return names
}

// saysSchema reports whether a file has definitions or names a dialect.
func saysSchema(root *Node) bool {
	return dialectOf(root.Get("$schema").Str()) != "" || slices.ContainsFunc([]string{"$defs", "definitions"}, func(key string) bool {
		defs := root.Get(key)
		return defs != nil && defs.Kind == Object
	})
}

// Again returns what reading documents anew would, in a folder of the given name that holds nothing else.
func Again(docs []*Document, dir string) *Set {
	set := &Set{}
	for _, doc := range docs {
		if again, _ := newDocument(doc.Name, path.Join(dir, doc.Name), doc.Data); again != nil {
			set.Docs = append(set.Docs, again)
		}
	}
	return set
}

// Unlisted reports whether documents are not all read from a folder that holds nothing else unless their names are listed: some
// are neither called like schemas nor referred to.
func Unlisted(docs []*Document) bool {
	named := slices.ContainsFunc(docs, func(d *Document) bool { return IsSchemaFile(d.Name) })
	listed := each.Where(docs, func(d *Document) bool {
		return !strings.Contains(d.Name, "/") && (IsSchemaFile(d.Name) || !named && saysSchema(d.Root))
	})
	found := graph.Reach(listed, func(doc *Document) []*Document {
		names := filesOf(doc)
		return each.Where(docs, func(d *Document) bool { return slices.Contains(names, d.Name) })
	})
	return len(found) < len(docs)
}

// filesOf returns the names of the files that a file refers to by relative paths, in the order of the references.
func filesOf(doc *Document) (names []string) {
	seen := map[string]bool{}
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, m := range n.Members {
			if m.Key == "$ref" && m.Value.Kind == String {
				file, _, _ := strings.Cut(m.Value.Text, "#")
				name, err := url.PathUnescape(file)
				name = path.Join(path.Dir(doc.Name), name)
				if file != "" && err == nil && !isURL(file) && fs.ValidPath(name) && !visible.HasControl(name) && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
			walk(m.Value)
		}
		for _, item := range n.Items {
			walk(item)
		}
	}
	walk(doc.Root)
	return names
}
