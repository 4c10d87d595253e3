// Documents: schema files, their definitions, and reference resolution.

package schema

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
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

	defsKey string // "$defs" or "definitions"
	defs    []*Definition
	byName  map[string]*Definition
	lower   []string // lower-case names of defs, built on demand
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
	Docs []*Document

	added     map[string]*Definition // added by overlays
	restated  []*Definition          // definitions with statements of a profile, until checked
	constants map[string]*Node       // added by overlays: targets of Enum.Member references
	merged    []*Definition
	byName    map[string]*Definition
	shared    bool
	missing   map[diag.Pos]Missing           // by position of the reference
	holders   map[*Document]map[*Node]holder // by reference, built on demand
	files     map[string]*Document           // by name, built on demand
	ids       map[string]*Document           // by $id, built on demand
	opts      Options
	searched  int // number of names compared

	meanings map[string]Meaning // meanings of foreign keywords
	vendor   []string           // potentially foreign keywords that are ignored
	passed   []string           // ignored keywords
}

// IsSchemaFile reports whether a file is considered a schema by its name. Hidden files are not.
func IsSchemaFile(name string) bool {
	return !strings.HasPrefix(path.Base(name), ".") && !strings.HasPrefix(path.Base(name), "~") &&
		(strings.HasSuffix(name, ".schema.json") || path.Base(name) == "schema.json")
}

// Load reads the schema files of a folder: first those named, in that order, then the other schema files by name. The
// dir is only used in positions. The error means that the folder cannot be read.
func Load(fsys fs.FS, dir string, first []string) (*Set, []diag.Diagnostic, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, nil, fmt.Errorf("read schemas: %w", err)
	}
	ranks := map[string]int{}
	for i, name := range slices.Backward(first) {
		ranks[name] = i
	}
	rank := func(name string) int {
		if i, ok := ranks[name]; ok {
			return i
		}
		return len(first)
	}
	var names []string
	there := map[string]bool{}
	var diags diag.List
	for _, e := range entries {
		if e.IsDir() || !IsSchemaFile(e.Name()) && rank(e.Name()) == len(first) {
			continue
		}
		if visible.HasControl(e.Name()) {
			diags.Errorf(diag.Pos{File: path.Join(dir, e.Name())}, "control-character", "rename it", "the name of the file holds a control character")
			continue
		}
		names = append(names, e.Name())
		there[e.Name()] = true
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	for _, want := range first {
		if !there[want] {
			diags.Errorf(diag.Pos{File: path.Join(dir, want)}, "missing-file",
				"the profile reads this file; check the folder or the profile's files", "schema file not found")
		}
	}
	if len(names) == 0 {
		diags.Errorf(diag.Pos{File: dir}, "no-schemas", "schema files are named *.schema.json or schema.json",
			"no schema files in this folder")
	}
	set := &Set{}
	for _, name := range names {
		data, err := readFile(fsys, name)
		display := path.Join(dir, name)
		if err != nil {
			diags.Errorf(diag.Pos{File: display}, "unreadable", "see to it that it can be read, or take it away", "cannot read the file: %s", diag.Reason(err))
			continue
		}
		doc, found := newDocument(name, display, data)
		diags.Add(found...)
		if doc != nil {
			set.Docs = append(set.Docs, doc)
		}
	}
	return set, diags.Items(), nil
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

var dialects = []string{
	"https://json-schema.org/draft/2020-12/schema",
	"http://json-schema.org/draft-07/schema",
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
	doc := &Document{Name: name, Display: display, Root: root, Data: data, Vendor: bytes.Contains(data, []byte(`"x-`)), byName: map[string]*Definition{}}
	if id := root.Get("$id"); id != nil && id.Kind == String {
		doc.ID = strings.TrimSuffix(id.Text, "#")
	}
	if dialect := root.Get("$schema"); dialect != nil && !slices.Contains(dialects, strings.TrimSuffix(dialect.Text, "#")) {
		diags.Errorf(dialect.Pos, "unknown-dialect", "ahpgen reads 2020-12 and draft-07: "+strings.Join(dialects, " or "),
			"unsupported JSON Schema dialect %s", dialect.Compact())
	}
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
			doc.add(&Definition{Name: m.Key, Pos: m.KeyPos, Node: m.Value, Doc: doc})
		}
	}
	if hasStructure(root) {
		doc.add(&Definition{Name: rootName(doc), Pos: root.Pos, Node: withoutDefs(root), Doc: doc})
	}
	return doc, diags.Items()
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

func rootName(doc *Document) string {
	if title := doc.Root.Get("title"); title != nil && title.Kind == String && isName(title.Text) {
		return title.Text
	}
	return strings.TrimSuffix(strings.TrimSuffix(doc.Name, ".json"), ".schema")
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
	s.merged = nil
	for _, doc := range s.Docs {
		for _, def := range doc.defs {
			first, ok := s.byName[def.Name]
			if !ok {
				s.byName[def.Name] = def
				s.merged = append(s.merged, def)
				continue
			}
			if !first.Node.Equal(def.Node) {
				a, b := firstDifference(first.Node, def.Node)
				found = append(found, diag.Errorf(b.Pos, "definitions-differ",
					fmt.Sprintf("it is %s at %s; files that share a definition must agree, an overlay can repair one of them", clip(a), a.Pos),
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
	out := make([]*Definition, 0, len(m))
	for _, def := range m {
		out = append(out, def)
	}
	slices.SortFunc(out, func(a, b *Definition) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Name, b.Name))
	})
	return out
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

// constant returns the value of a reference to an enum member, or nil.
func (s *Set) constant(ref string) *Node {
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	if !ok || s.byName[name] != nil {
		return nil
	}
	return s.constants[name]
}

// resolve resolves a reference within the folder. References are never fetched.
func (s *Set) resolve(doc *Document, ref *Node) (*Definition, []diag.Diagnostic) {
	fail := func(code, hint, format string, args ...any) (*Definition, []diag.Diagnostic) {
		return nil, []diag.Diagnostic{diag.Errorf(ref.Pos, code, hint, format, args...)}
	}
	file, fragment, _ := strings.Cut(ref.Text, "#")
	target, found := s.target(doc, file, ref)
	if target == nil {
		return nil, found
	}
	pointer, err := url.PathUnescape(fragment)
	tokens := SplitPointer(pointer)
	if err != nil || (pointer != "" && !strings.HasPrefix(pointer, "/")) {
		return fail("unsupported-reference", "use a JSON pointer such as #/$defs/Name", "reference %q is not a JSON pointer", ref.Text)
	}
	if pointer == "" {
		if def := target.byName[rootName(target)]; def != nil && def.Node.Pos == target.Root.Pos {
			return s.canonical(def), nil
		}
		return fail("dangling-reference", "refer to one of its $defs", "reference %q: the root of %s is no schema of its own", ref.Text, target.Name)
	}
	if len(tokens) != 2 || (tokens[0] != "$defs" && tokens[0] != "definitions") {
		return fail("unsupported-reference", "move the target into $defs and refer to it there",
			"reference %q points inside a definition", ref.Text)
	}
	name := tokens[1]
	if def := target.byName[name]; def != nil {
		if target.Root.Get(tokens[0]).Get(name) == nil && target.Root.Get(otherKey(tokens[0])).Get(name) != nil && ref.Pos.File == doc.Display {
			return fail("dangling-reference", fmt.Sprintf("write %q", file+"#/"+otherKey(tokens[0])+"/"+pointerToken(name)),
				"reference %q: %s has %s under %s", ref.Text, target.Name, name, otherKey(tokens[0]))
		}
		return s.canonical(def), nil
	}
	if def := s.added[name]; def != nil {
		return s.canonical(def), nil
	}
	elsewhere := s.byName[name]
	if fromOverlay := ref.Pos.File != doc.Display; elsewhere != nil && (s.shared || fromOverlay) {
		elsewhere.Used = true
		return elsewhere, nil // overlays repair all copies
	}
	if elsewhere == nil {
		s.miss(doc, ref, name)
	}
	return fail("dangling-reference", s.missingHint(name, target, elsewhere), "reference %q: %s defines no %q", ref.Text, target.Name, name)
}

// target returns the document a reference's file part refers to, or nil after an error.
func (s *Set) target(doc *Document, file string, ref *Node) (*Document, []diag.Diagnostic) {
	fail := func(code, hint, format string, args ...any) (*Document, []diag.Diagnostic) {
		return nil, []diag.Diagnostic{diag.Errorf(ref.Pos, code, hint, format, args...)}
	}
	if file == "" {
		return doc, nil
	}
	if isURL(file) {
		if target := s.withID(file); target != nil {
			return target, nil
		}
		return fail("remote-reference", "ahpgen never fetches: put the file into the folder, with this $id, or refer to it by its file name",
			"remote reference %q", ref.Text)
	}
	name, err := url.PathUnescape(file)
	clean := path.Clean(name)
	if err != nil || path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(name, `\`) {
		return fail("outside-reference", "references stay inside the folder given with --schemas", "reference %q leads out of the schema folder", ref.Text)
	}
	if target := s.named(clean); target != nil {
		return target, nil
	}
	return fail("dangling-reference", "the folder has "+s.fileNames(), "reference %q: no file %s", ref.Text, clean)
}

// missingHint returns the remedy for an undefined name.
func (s *Set) missingHint(name string, target *Document, elsewhere *Definition) string {
	near := s.nearest(name, target)
	switch {
	case elsewhere != nil:
		return fmt.Sprintf("%s has it: write %q", elsewhere.Doc.Name, elsewhere.Doc.Name+"#/"+elsewhere.Doc.defsKey+"/"+name) +
			s.opts.hint(", or set sharedDefinitions in the profile", "")
	case name == "":
		return "the name is empty; remove the entry" + s.opts.hint(", an overlay can do it", "")
	case near != "":
		return fmt.Sprintf("did you mean %q? Otherwise define it", near) + s.opts.hint(", or add it with an overlay", "")
	}
	return s.opts.hint("define it in $defs, or repair the reference with an overlay", "define it in "+cmp.Or(target.defsKey, "$defs")+", or correct the reference")
}

// otherKey returns the alternative keyword for definitions.
func otherKey(key string) string {
	if key == "$defs" {
		return "definitions"
	}
	return "$defs"
}

// isURL reports whether a reference has a scheme.
func isURL(ref string) bool {
	scheme, _, ok := strings.Cut(ref, ":")
	return ok && len(scheme) > 1 && isName(strings.NewReplacer("+", "", "-", "", ".", "").Replace(scheme))
}

// canonical returns the copy that represents all copies of a definition.
func (s *Set) canonical(def *Definition) *Definition {
	def.Used = true
	if first := s.byName[def.Name]; first != nil {
		first.Used = true
		return first
	}
	return def
}

// PathTo returns a reference to a definition.
func (s *Set) PathTo(def, from *Definition) string {
	key := cmp.Or(def.Doc.defsKey, "$defs")
	file := def.Doc.Name
	if from != nil && from.Doc == def.Doc {
		file = ""
	}
	return file + "#/" + key + "/" + pointerToken(def.Name)
}

// fileNames joins file names for a message.
func (s *Set) fileNames() string {
	const most = 20
	var names []string
	for i, d := range s.Docs {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(s.Docs)-most)
		}
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}

// Dialect returns the document's $schema, or "".
func (doc *Document) Dialect() string {
	if n := doc.Root.Get("$schema"); n != nil && n.Kind == String {
		return n.Text
	}
	return ""
}
