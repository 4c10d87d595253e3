// Renaming: what definitions are called that files define differently under one name.

package discover

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// rename gives a definition that another file defines differently a name of its own, and reports whether that is new.
func (w *writer) rename(set *schema.Set, d diag.Diagnostic) bool {
	rest, _ := strings.CutPrefix(d.Message, "definition ")
	name, other, ok := strings.Cut(rest, " differs from the one in ")
	doc := each.First(set.Docs, func(doc *schema.Document) bool { return doc.Display == d.Pos.File })
	if !ok || doc == nil {
		return false
	}
	other, _, _ = strings.Cut(other, ": ")
	first := each.First(set.Docs, func(doc *schema.Document) bool { return doc.Name == other })
	if first == nil || !doc.IsRoot(name) || !first.IsRoot(name) || fileStem(first) != fileStem(doc) {
		return w.renameIn(set, doc, name)
	}
	added := false
	for _, file := range []*schema.Document{first, doc} { // a name that all these files have tells nothing of the first either
		added = folderOf(file) != "" && w.renameIn(set, file, name) || added
	}
	return added
}

// renameIn gives a definition of a file a name of its own, and reports whether that is new.
func (w *writer) renameIn(set *schema.Set, doc *schema.Document, name string) bool {
	if slices.ContainsFunc(w.out.Overlay, func(r repairText) bool { return r.File == doc.Name && r.Definition == name }) {
		return false
	}
	prefix, isRoot := prefixOf(set, doc), doc.IsRoot(name)
	called := func(prefix string) string {
		if isRoot && prefix != fileStem(doc) && strings.EqualFold(name, fileStem(doc)) {
			return prefix // which says it all
		}
		return prefix + "." + name
	}
	taken := func(name string) bool {
		return set.Has(name) || slices.ContainsFunc(w.out.Overlay, func(r repairText) bool { return r.Rename == name })
	}
	to := called(prefix)
	for n := 2; taken(to); n++ {
		to = called(fmt.Sprintf("%s%d", prefix, n))
	}
	w.out.Overlay = append(w.out.Overlay, repairText{Definition: name, File: doc.Name, Rename: to, Why: "Another file defines something else under this name."})
	return true
}

// prefixOf returns what tells the definitions of a file from those of others: the name of the file. Where files of several folders
// have it, it is that of the folder, of as many folders as it takes, and that of the file too if the folder has others.
func prefixOf(set *schema.Set, doc *schema.Document) string {
	stem, folder := fileStem(doc), folderOf(doc)
	alike, alone := false, true
	for _, other := range set.Docs {
		switch {
		case other == doc:
		case folderOf(other) == folder:
			alone = false
		case fileStem(other) == stem:
			alike = true
		}
	}
	if !alike || folder == "" {
		return stem
	}
	parts := strings.Split(folder, "/")
	prefix := ""
	for i := range parts {
		prefix = strings.Join(parts[len(parts)-1-i:], ".")
		if !slices.ContainsFunc(set.Docs, func(other *schema.Document) bool {
			return folderOf(other) != folder && strings.HasSuffix("."+strings.ReplaceAll(folderOf(other), "/", "."), "."+prefix)
		}) {
			break
		}
	}
	if !alone {
		prefix += "." + stem
	}
	return prefix
}

// fileStem returns the name of a file without its endings.
func fileStem(doc *schema.Document) string {
	stem, _, _ := strings.Cut(path.Base(doc.Name), ".")
	return stem
}

// folderOf returns the folder that a file is in, or "" for the one of all schemas.
func folderOf(doc *schema.Document) string { return strings.TrimPrefix(path.Dir(doc.Name), ".") }
