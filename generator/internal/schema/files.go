// Files: which files of a folder are schemas.

package schema

import (
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
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
		defines := slices.ContainsFunc([]string{"$defs", "definitions"}, func(key string) bool {
			defs := root.Get(key)
			return defs != nil && defs.Kind == Object
		})
		if defines || dialectOf(root.Get("$schema").Str()) != "" {
			names = append(names, e.Name())
		}
	}
	return names
}

// filesOf returns the names of the files that a file refers to by relative paths, in the order of the references.
func filesOf(doc *Document) (names []string) {
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, m := range n.Members {
			if m.Key == "$ref" && m.Value.Kind == String {
				file, _, _ := strings.Cut(m.Value.Text, "#")
				name, err := url.PathUnescape(file)
				name = path.Join(path.Dir(doc.Name), name)
				if file != "" && err == nil && !isURL(file) && fs.ValidPath(name) && !slices.Contains(names, name) {
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
