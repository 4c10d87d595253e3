// Documents: schema files, their definitions, and reference resolution.

package schema

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// Document is a schema file.
type Document struct {
	Name    string // slash-separated, relative to the folder
	Display string // name in positions
	ID      string // $id, or ""
	Root    *Node
	Data    []byte // file content
	Vendor  bool   // may use vendor keywords
	Calls   []Call // methods, if it is a document of OpenRPC

	isRPC   bool        // it is a document of OpenRPC, of which Root is what that is as a schema file
	flat    bool        // the members of the file are definitions, so that Root has them under a key
	own     *Definition // its root, if that is a schema in its own right
	defsKey string      // "$defs" or "definitions"
	defs    []*Definition
	byName  map[string]*Definition // also by the names that references use, if they are others
	lower   []string               // lower-case names of defs, built on demand
}

// Definition is a named schema: a member of $defs or definitions.
type Definition struct {
	Name   string
	Pos    diag.Pos // position of the name
	Node   *Node
	Doc    *Document
	Schema *Schema // set by Set.Parse on the first copy

	Supplied bool // added by an overlay for references that may not exist
	Used     bool // referenced; set by Set.Parse

	end   *Schema // end of the reference chain, cached
	ended bool
}

// Set is a group of documents. Equally named definitions are one type.
type Set struct {
	Docs    []*Document
	Partial bool // a file could not be read as it is, so that what others refer to may be in it

	added     map[string]*Definition // added by overlays
	restated  []*Definition          // definitions to which a profile has added vendor keywords, until checked
	constants map[string]*Node       // added by overlays: targets of Enum.Member references
	resources *resources             // built on demand
	merged    []*Definition
	byName    map[string]*Definition
	shared    bool
	missing   map[diag.Pos]Missing           // by position of the reference
	holders   map[*Document]map[*Node]holder // by reference, built on demand
	files     map[string]*Document           // by name, built on demand
	ids       map[string]*Document           // by $id, built on demand
	places    *places                        // of definitions, built on demand
	within    map[*Node]*Definition          // those in other definitions that references lead to
	roots     map[*Document]*Node            // with the definitions as repaired, built on demand
	dynamic   map[string][]*Node             // by dynamic anchor, built on demand
	opts      Options
	searched  int // number of names compared

	// Other says that the files may be of another version than what is known of their keywords.
	Other bool

	meanings map[string]Meaning // meanings of foreign keywords
	vendor   []string           // potentially foreign keywords that are ignored
	passed   []string           // ignored keywords
}

// IsSchemaFile reports whether a file is considered a schema by its name. Hidden files are not.
func IsSchemaFile(name string) bool {
	return !isHidden(name) && (strings.HasSuffix(name, ".schema.json") || path.Base(name) == "schema.json")
}

// Load reads the schema files of a folder: first those named, in that order, then the other schema files by name. If it has
// none of its own, they are those of its subfolders. The dir is only used in positions. The error means that the folder cannot be
// read.
func Load(fsys fs.FS, dir string, first []string) (*Set, []diag.Diagnostic, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, nil, fmt.Errorf("read schemas: %w", err)
	}
	var names []string
	var diags diag.List
	for _, e := range entries {
		if e.IsDir() || !IsSchemaFile(e.Name()) && !slices.Contains(first, e.Name()) {
			continue
		}
		if visible.HasControl(e.Name()) {
			diags.Errorf(diag.Pos{File: path.Join(dir, e.Name())}, "control-character", "rename it", "the name of the file holds a control character")
			continue
		}
		names = append(names, e.Name())
	}
	for _, name := range first { // in subfolders
		if info, err := fs.Stat(fsys, name); strings.Contains(name, "/") && err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = schemasAmong(fsys, namesOf(entries))
	}
	if len(names) == 0 {
		names = schemasBelow(fsys)
	}
	rank := func(name string) int { return cmp.Or(slices.Index(first, name)+1, len(first)+1) }
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	set := &Set{Partial: len(names) == 0}
	for _, want := range first {
		if !slices.Contains(names, want) {
			set.Partial = true
			diags.Errorf(diag.Pos{File: path.Join(dir, want)}, "missing-file",
				"the profile reads this file; check the folder or the profile's files", "schema file not found")
		}
	}
	if len(names) == 0 {
		diags.Errorf(diag.Pos{File: dir}, "no-schemas", "schema files are named *.schema.json or schema.json, or are JSON files with $defs, definitions, properties, or a $schema of json-schema.org",
			"no schema files in this folder")
	}
	diags.Add(set.readFiles(fsys, dir, names)...)
	return set, diags.Items(), nil
}

func newDocument(name, display string, data []byte) (*Document, []diag.Diagnostic) {
	root, found := ParseJSON(display, data)
	if root == nil {
		return nil, found
	}
	var diags diag.List
	diags.Add(found...)
	if root.Kind != Object {
		diags.Unread(root.Pos, "not-a-schema", `put the definitions into {"$defs": {…}}`, "a schema file holds an object, not %s", root.Kind)
		return nil, diags.Items()
	}
	var calls []Call
	isRPC, flat := isOpenRPC(root), false
	if isRPC {
		root, calls = ofOpenRPC(root)
	} else {
		root, flat = unflattened(root)
	}
	doc := &Document{Name: name, Display: display, Root: root, Calls: calls, isRPC: isRPC, flat: flat, Data: data, Vendor: bytes.Contains(data, []byte(`"x-`)), byName: map[string]*Definition{}}
	doc.ID = identity(root)
	for _, key := range []string{"$defs", "definitions"} {
		defs := root.Get(key)
		if defs == nil {
			continue
		}
		if defs.Kind != Object {
			diags.Unread(defs.Pos, "bad-keyword", "write an object with a member for each definition", "%s must be an object of schemas, not %s", key, defs.Kind)
			continue
		}
		doc.defsKey = cmp.Or(doc.defsKey, key)
		for _, m := range defs.Members {
			if first := doc.byName[m.Key]; first != nil && key != doc.defsKey {
				diags.Errorf(m.KeyPos, "duplicate-key", fmt.Sprintf("it stands first at %s; keep one of the two", first.Pos),
					"definition %s stands in $defs and in definitions", m.Key)
			}
			name := doc.shortName(m.Key)
			doc.define(name, m)
			if def := doc.byName[name]; def != nil {
				doc.byName[m.Key] = def
			}
		}
	}
	if hasStructure(root) {
		doc.own = &Definition{Name: rootName(doc), Pos: root.Pos, Node: withoutDefs(root), Doc: doc}
		doc.add(doc.own)
	}
	return doc, diags.Items()
}

// define adds a definition with those that stand in it, as members of a namespace or under keywords of their own.
func (doc *Document) define(name string, m Member) {
	if isNamespace(m.Value) {
		doc.defineGroup(name, m.Value)
		return
	}
	doc.defineSchema(name, m)
}

// defineGroup adds the definitions of a namespace. A member without structure is a namespace as well.
func (doc *Document) defineGroup(name string, group *Node) {
	for _, m := range group.Members {
		if hasStructure(m.Value) {
			doc.defineSchema(name+"."+m.Key, m)
		} else {
			doc.defineGroup(name+"."+m.Key, m.Value)
		}
	}
}

// defineSchema adds a schema with the definitions that stand in it.
func (doc *Document) defineSchema(name string, m Member) {
	doc.add(&Definition{Name: name, Pos: m.KeyPos, Node: m.Value, Doc: doc})
	for _, key := range []string{"$defs", "definitions"} {
		if defs := m.Value.Get(key); defs != nil && defs.Kind == Object {
			for _, inner := range defs.Members {
				doc.define(name+"."+inner.Key, inner)
			}
		}
	}
}

// known are all keywords of JSON Schema.
var known = slices.Concat(handled, limits, annotations, validating, unsupported)

// isNamespace reports whether an object groups definitions: it has no keyword, not even a misspelt one, and only
// schemas and other groups as members.
func isNamespace(n *Node) bool {
	if n.Kind != Object || len(n.Members) == 0 {
		return false
	}
	for _, m := range n.Members {
		if strings.HasPrefix(m.Key, "$") || isVendor(m.Key) || slices.Contains(known, m.Key) || similar.Nearest(m.Key, known) != "" {
			return false
		}
		if m.Value.Kind != Object || !hasStructure(m.Value) && !isNamespace(m.Value) {
			return false
		}
	}
	return true
}

// shortName returns what a definition is called whose key is the address at which its schema was published: the last parts of
// that which no other one has, as in "server" or "kafka.server".
func (doc *Document) shortName(key string) string {
	scheme, address, ok := strings.Cut(key, "://")
	if !ok || !isName(scheme) {
		return key
	}
	name := ""
	parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(address, ".json"), ".schema"), "/")
	for _, part := range slices.Backward(parts) {
		if name != "" && !isName(part) {
			continue // a version, most often
		}
		name = strings.Trim(part+"."+name, ".")
		if doc.byName[name] == nil {
			return name
		}
	}
	return key
}

// definition returns the definition of a name, or nil.
func (doc *Document) definition(name string) *Definition {
	if def := doc.byName[name]; def != nil && def.Name == name {
		return def
	}
	return nil
}

// rename calls a definition otherwise, and reports whether it could. References go on naming it as before.
func (doc *Document) rename(from, to string) bool {
	def := doc.definition(from)
	if def == nil || doc.byName[to] != nil {
		return false
	}
	def.Name, doc.byName[to] = to, def
	return true
}

func (doc *Document) add(def *Definition) {
	doc.defs = append(doc.defs, def)
	doc.byName[def.Name] = def
}

// hasStructure reports whether a document's root is a schema in its own right.
func hasStructure(root *Node) bool {
	for _, m := range root.Members {
		switch m.Key {
		case "type", "properties", "oneOf", "anyOf", "allOf", "enum", "const", "items", "$ref", "additionalProperties":
			return true
		}
	}
	return false
}

// stem is the name of the file without its ending.
func (doc *Document) stem() string {
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(doc.Name), ".json"), ".schema")
}

// root returns the definition that the root of a file is, or nil if it is none or was dropped.
func (doc *Document) root() *Definition {
	if slices.Contains(doc.defs, doc.own) {
		return doc.own
	}
	return nil
}

// IsRoot reports whether a name is that of the definition that the root of a file is.
func (doc *Document) IsRoot(name string) bool { return doc.own != nil && doc.own.Name == name }

// rootName returns what the root of a file is called: its title or the file, unless one of its definitions is called so. A
// title of several words is for files whose names are numbers.
func rootName(doc *Document) string {
	name, title := doc.stem(), doc.Root.Get("title").Str()
	words := strings.FieldsFunc(title, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	switch {
	case isName(title):
		name = title
	case !strings.ContainsFunc(name, unicode.IsLetter) && len(words) > 0 && unicode.IsLetter([]rune(words[0])[0]):
		name = strings.Join(words, "-")
	}
	for doc.byName[name] != nil {
		name += "Root"
	}
	return name
}

func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '_'
	})
}

func withoutDefs(root *Node) *Node {
	n := *root
	n.Members = slices.DeleteFunc(slices.Clone(root.Members), func(m Member) bool {
		return m.Key == "$defs" || m.Key == "definitions"
	})
	return &n
}

// Merge unifies definitions that several files repeat; different copies are errors. With shared set, references may
// resolve to definitions in other files.
func (s *Set) Merge(shared bool) (found []diag.Diagnostic) {
	s.shared = shared
	s.byName = map[string]*Definition{}
	s.merged, s.places, s.within, s.roots = nil, nil, nil, nil
	for _, doc := range s.Docs {
		for _, def := range doc.defs {
			first, ok := s.byName[def.Name]
			if !ok {
				s.byName[def.Name] = def
				s.merged = append(s.merged, def)
				continue
			}
			if !s.Partial && !first.Node.Equal(def.Node) && !sameMeaning(first.Node, def.Node) {
				a, b := firstDifference(first.Node, def.Node)
				found = append(found, diag.Errorf(b.Pos, "definitions-differ",
					fmt.Sprintf("it is %s at %s; files that share a definition must agree: an overlay can repair one of them, or rename one if they are two", clip(a), a.Pos),
					"definition %s differs from the one in %s: here it is %s", def.Name, first.Doc.Name, clip(b)))
			}
		}
	}
	for _, def := range sortedDefs(s.added) {
		if _, ok := s.byName[def.Name]; !ok {
			s.byName[def.Name] = def
			s.merged = append(s.merged, def)
		}
	}
	return found
}

func sortedDefs(m map[string]*Definition) []*Definition {
	return slices.SortedFunc(maps.Values(m), func(a, b *Definition) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Name, b.Name))
	})
}

func clip(n *Node) string {
	const most = 60
	text := n.Compact()
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// firstDifference returns the smallest differing parts of two nodes.
func firstDifference(a, b *Node) (*Node, *Node) {
	if a.Kind == b.Kind && a.Kind == Object {
		for _, m := range b.Members {
			if other := a.Get(m.Key); other != nil && !other.Equal(m.Value) {
				return firstDifference(other, m.Value)
			}
		}
	}
	if a.Kind == b.Kind && a.Kind == Array && len(a.Items) == len(b.Items) {
		for i := range a.Items {
			if !a.Items[i].Equal(b.Items[i]) {
				return firstDifference(a.Items[i], b.Items[i])
			}
		}
	}
	return a, b
}

// Definitions returns all definitions without copies, in file order, then those added by overlays.
func (s *Set) Definitions() []*Definition { return s.merged }

// Lookup returns the definition with the name, or nil.
func (s *Set) Lookup(name string) *Definition { return s.byName[name] }

// Has reports whether a document or overlay defines the name. It can be called before Merge.
func (s *Set) Has(name string) bool {
	return s.added[name] != nil || slices.ContainsFunc(s.Docs, func(d *Document) bool { return d.byName[name] != nil })
}

// Bytes returns the total size of the files.
func (s *Set) Bytes() int {
	n := 0
	for _, doc := range s.Docs {
		n += len(doc.Data)
	}
	return n
}

// fileNames joins file names for a message.
func (s *Set) fileNames() string {
	const most = 20
	names := each.Map(s.Docs, func(d *Document) string { return d.Name })
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Dialect returns the document's $schema, or "".
func (doc *Document) Dialect() string { return doc.Root.Get("$schema").Str() }
