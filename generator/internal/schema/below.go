// Below: the schema files of subfolders that belong to those of the folder.

package schema

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// versionForm is what folders are called that hold a version.
var versionForm = regexp.MustCompile(`^v?\d[\w.+-]*$`)

// otherFolders are what folders are called whose schemas are about something else than the protocol.
var otherFolders = []string{"test", "tests", "testdata", "fixtures", "example", "examples"}

// Belonging returns those of some unread files in subfolders that can be read, and that are not another version of a file that is
// among the documents or the others. Of several versions, the newest counts.
func Belonging(fsys fs.FS, docs []*Document, unread []string) (names []string) {
	taken := map[string]bool{}
	byBase := map[string][]*Document{}
	note := func(doc *Document) {
		taken[unversioned(doc.Name)] = true
		byBase[path.Base(doc.Name)] = append(byBase[path.Base(doc.Name)], doc)
	}
	for _, doc := range docs {
		note(doc)
	}
	newestFirst := slices.Clone(unread)
	slices.SortStableFunc(newestFirst, func(a, b string) int {
		whole := unversioned(a)
		if order := strings.Compare(whole, unversioned(b)); order != 0 || a == whole || b == whole {
			return cmp.Or(order, len(a)-len(b)) // what is in no version comes first
		}
		return cmp.Or(len(b)-len(a), strings.Compare(b, a)) // v10 is newer than v9
	})
	for _, name := range newestFirst {
		doc := readable(fsys, name)
		if doc == nil || taken[unversioned(name)] || slices.ContainsFunc(byBase[path.Base(name)], doc.resembles) {
			continue
		}
		names = append(names, name)
		note(doc)
	}
	slices.Sort(names)
	return names
}

// readable returns a file in a subfolder that may belong to a protocol, or nil if it is none or has errors.
func readable(fsys fs.FS, name string) *Document {
	folders := strings.Split(path.Dir(name), "/")
	if folders[0] == "." || slices.ContainsFunc(folders, func(folder string) bool { return slices.Contains(otherFolders, strings.ToLower(folder)) }) {
		return nil
	}
	data, err := readFile(fsys, name)
	if err != nil {
		return nil
	}
	doc, found := newDocument(name, name, data)
	if len(found) > 0 {
		return nil
	}
	return doc
}

// unversioned returns the path of a file without the folders that are versions.
func unversioned(name string) string {
	folders := each.Where(strings.Split(path.Dir(name), "/"), func(folder string) bool { return !versionForm.MatchString(folder) })
	return path.Join(append(folders, path.Base(name))...)
}

// resembles reports whether two files define nearly the same. Members of their roots say nothing: messages have many in common.
func (doc *Document) resembles(other *Document) bool {
	const few = 2 // may be what messages have in common
	shared := len(each.Where(doc.defs, func(def *Definition) bool { return def != doc.own && other.definition(def.Name) != nil }))
	return shared >= few && 2*shared > max(len(doc.defs), len(other.defs))
}
