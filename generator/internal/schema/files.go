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
func schemasAmong(fsys fs.FS, files []string) []string {
	return each.Where(files, func(name string) bool {
		base := path.Base(name)
		if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "~") || path.Ext(base) != ".json" {
			return false
		}
		data, err := readFile(fsys, name)
		if err != nil {
			return false
		}
		root, _ := ParseJSON(name, data)
		return root != nil && root.Kind == Object && saysSchema(root)
	})
}

// namesOf returns the names of the files in a folder.
func namesOf(entries []fs.DirEntry) (names []string) {
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// maxBelow bounds the depth of subfolders in which schemas are looked for.
const maxBelow = 4

// schemasBelow returns the schema files in the subfolders of a folder: those named like one, or else those that say that they are.
func schemasBelow(fsys fs.FS) []string {
	var files []string
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, _ := fs.ReadDir(fsys, dir) // what cannot be read has none
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case visible.HasControl(e.Name()), strings.HasPrefix(e.Name(), "."), e.Name() == "node_modules":
			case !e.IsDir():
				files = append(files, name)
			case depth < maxBelow:
				walk(name, depth+1)
			}
		}
	}
	walk(".", 0)
	if named := each.Where(files, IsSchemaFile); len(named) > 0 {
		return named
	}
	return schemasAmong(fsys, files)
}

// Below returns the schema files in subfolders that are not among the documents read from a folder.
func Below(fsys fs.FS, docs []*Document) []string {
	return each.Where(schemasBelow(fsys), func(name string) bool {
		return !slices.ContainsFunc(docs, func(doc *Document) bool { return doc.Name == name }) && strings.Contains(name, "/")
	})
}

// saysSchema reports whether a file has definitions or names a dialect, be it one that is not known, which is reported elsewhere.
func saysSchema(root *Node) bool {
	_, dialect, _ := strings.Cut(root.Get("$schema").Str(), "://")
	return strings.HasPrefix(dialect, "json-schema.org/") || slices.ContainsFunc([]string{"$defs", "definitions"}, func(key string) bool {
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
	top := each.Where(docs, func(d *Document) bool { return !strings.Contains(d.Name, "/") })
	listed := schemasIn(top)
	if len(listed) == 0 {
		listed = schemasIn(docs)
	}
	found := graph.Reach(listed, func(doc *Document) []*Document {
		names := filesOf(doc)
		return each.Where(docs, func(d *Document) bool { return slices.Contains(names, d.Name) })
	})
	return len(found) < len(docs)
}

// schemasIn returns those of some documents that are named like schemas, or else those that say that they are.
func schemasIn(docs []*Document) []*Document {
	if named := each.Where(docs, func(d *Document) bool { return IsSchemaFile(d.Name) }); len(named) > 0 {
		return named
	}
	return each.Where(docs, func(d *Document) bool { return saysSchema(d.Root) })
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
