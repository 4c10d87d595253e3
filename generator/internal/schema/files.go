// Files: reading those of a folder that are schemas.

package schema

import (
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// schemasAmong returns the JSON files of a folder that say that they are schemas, or look like ones, for folders in which no file is
// named like one.
func schemasAmong(fsys fs.FS, files []string) []string {
	return jsonFiles(fsys, files, saysSchema)
}

// jsonFiles returns the files that hold a JSON object of which something is true. Hidden ones do not count.
func jsonFiles(fsys fs.FS, files []string, is func(root *Node) bool) []string {
	return each.Where(files, func(name string) bool {
		if isHidden(name) || path.Ext(name) != ".json" {
			return false
		}
		data, err := readFile(fsys, name)
		if err != nil {
			return false
		}
		root, _ := ParseJSON(name, data)
		return root != nil && root.Kind == Object && is(root)
	})
}

// isHidden reports whether a file is one that is not shown, or somebody's backup.
func isHidden(name string) bool {
	return strings.HasPrefix(path.Base(name), ".") || strings.HasPrefix(path.Base(name), "~")
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

// Unread returns the schema files that are not among the documents read from a folder: first its own, then those in subfolders.
func Unread(fsys fs.FS, docs []*Document) []string {
	entries, _ := fs.ReadDir(fsys, ".") // what cannot be read has none
	all := append(schemasAmong(fsys, namesOf(entries)), each.Where(schemasBelow(fsys), func(name string) bool { return strings.Contains(name, "/") })...)
	return each.Where(all, func(name string) bool {
		return !slices.ContainsFunc(docs, func(doc *Document) bool { return doc.Name == name })
	})
}

// saysSchema reports whether a file has or is definitions, names a dialect, be it one that is not known, which is reported elsewhere, or
// looks like the schema of an object without doing so.
func saysSchema(root *Node) bool {
	_, dialect, _ := strings.Cut(root.Get("$schema").Str(), "://")
	if properties := root.Get("properties"); properties != nil && root.Get("$schema") == nil && root.Get("type").Str() == "object" {
		return properties.Kind == Object && !slices.ContainsFunc(properties.Members, func(m Member) bool { return m.Value.Kind != Object && m.Value.Kind != Bool })
	}
	return strings.HasPrefix(dialect, "json-schema.org/") || definesObjects(root) || isOpenRPC(root) || slices.ContainsFunc([]string{"$defs", "definitions"}, func(key string) bool {
		defs := root.Get(key)
		return defs != nil && defs.Kind == Object
	})
}

// LoadFile reads one file of a folder, and those that it refers to.
func LoadFile(fsys fs.FS, dir, name string) (*Set, []diag.Diagnostic) {
	set := &Set{}
	found := set.readFiles(fsys, dir, []string{name})
	return set, found
}

// readFiles reads files, and those that they refer to.
func (s *Set) readFiles(fsys fs.FS, dir string, names []string) []diag.Diagnostic {
	var diags diag.List
	there := each.Set(names)
	for i := 0; i < len(names); i++ {
		name := names[i]
		data, err := readFile(fsys, name)
		display := path.Join(dir, name)
		if err != nil {
			s.Partial = true
			diags.Errorf(diag.Pos{File: display}, "unreadable", "see to it that it can be read, or take it away", "cannot read the file: %s", diag.Reason(err))
			continue
		}
		doc, found := newDocument(name, display, data)
		diags.Add(found...)
		s.Partial = s.Partial || len(found) > 0
		if doc == nil {
			continue
		}
		s.Docs = append(s.Docs, doc)
		for _, other := range filesOf(doc) {
			if info, err := fs.Stat(fsys, other); !there[other] && err == nil && info.Mode().IsRegular() {
				names, there[other] = append(names, other), true
			}
		}
		if i == len(names)-1 {
			for _, other := range s.identifiedFiles(fsys, there) {
				names, there[other] = append(names, other), true
			}
		}
	}
	return diags.Items()
}

// readFile refuses oversized files before reading them.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
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
	return each.Where(docs, func(d *Document) bool { return !isHidden(d.Name) && path.Ext(d.Name) == ".json" && saysSchema(d.Root) })
}

// filesOf returns the names of the files that a file refers to by relative paths, in the order of the references.
func filesOf(doc *Document) (names []string) {
	for _, file := range referredTo(doc) {
		name, err := url.PathUnescape(file)
		name = path.Join(path.Dir(doc.Name), name)
		if err == nil && !isURL(file) && fs.ValidPath(name) && !visible.HasControl(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// referredTo returns what the references of a file have in front of a fragment, each once, in order.
func referredTo(doc *Document) (files []string) {
	seen := map[string]bool{"": true}
	for key, n := range doc.Root.all() {
		if key == "$ref" && n.Kind == String {
			if file, _, _ := strings.Cut(n.Text, "#"); !seen[file] {
				seen[file] = true
				files = append(files, file)
			}
		}
	}
	return files
}

// identifiedFiles returns the files of a folder, apart from those known, whose identifiers the documents that were read refer to, and
// none of these has.
func (s *Set) identifiedFiles(fsys fs.FS, known map[string]bool) []string {
	wanted := map[string]bool{}
	for _, doc := range s.Docs {
		for _, file := range referredTo(doc) {
			if id := relativeTo(doc.ID, file); isURL(id) {
				wanted[id] = true
			}
		}
	}
	for _, doc := range s.Docs {
		delete(wanted, doc.ID)
	}
	if len(wanted) == 0 {
		return nil
	}
	entries, _ := fs.ReadDir(fsys, ".") // what cannot be read has none
	others := each.Where(namesOf(entries), func(name string) bool { return !known[name] && !visible.HasControl(name) })
	return jsonFiles(fsys, others, func(root *Node) bool { return wanted[identity(root)] })
}
