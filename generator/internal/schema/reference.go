// References: what a $ref names, within the files of a folder.

package schema

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// constant returns the value of a reference to an enum member, or nil.
func (s *Set) constant(ref string) *Node {
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	if !ok || s.byName[name] != nil {
		return nil
	}
	return s.constants[name]
}

// resolve resolves a reference within the folder. References are never fetched. Those that may lead to a file that could not
// be read are passed over.
func (s *Set) resolve(doc *Document, ref *Node) (*Definition, []diag.Diagnostic) {
	def, found := s.follow(doc, ref)
	if s.Partial {
		return def, nil
	}
	return def, found
}

// isOfFile reports whether a reference without a file leads into the file, and to nothing in the schema with an id of its own that it
// stands in. By the standard it is dangling; those who write it mean the file.
func isOfFile(doc *Document, file string, in *resource, pointer string) bool {
	return file == "" && in.doc.Root.At(in.pointer+pointer) == nil && doc.Root.At(pointer) != nil
}

func (s *Set) follow(doc *Document, ref *Node) (*Definition, []diag.Diagnostic) {
	fail := func(code, hint, format string, args ...any) (*Definition, []diag.Diagnostic) {
		return nil, []diag.Diagnostic{diag.Errorf(ref.Pos, code, hint, format, args...)}
	}
	file, fragment, _ := strings.Cut(ref.Text, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return fail("unsupported-reference", "use a JSON pointer such as #/$defs/Name", "reference %q is not a JSON pointer", ref.Text)
	}
	target := doc
	if in := s.resourceOf(doc, ref, file); in != nil && (pointer == "" || pointer[0] == '/' && !isOfFile(doc, file, in, pointer)) {
		file, target, pointer = "", in.doc, in.pointer+pointer
	} else {
		var found []diag.Diagnostic
		if target, found = s.target(doc, file, ref); target == nil {
			return nil, found
		}
	}
	if def := s.marked(target, file, pointer); def != nil {
		return s.canonical(def), nil
	}
	if pointer == "" {
		if own := target.root(); own != nil {
			return s.canonical(own), nil
		}
		return fail("dangling-reference", "refer to one of its $defs", "reference %q: the root of %s is no schema of its own", ref.Text, target.Name)
	}
	if !strings.HasPrefix(pointer, "/") {
		return fail("dangling-reference", anchorHint(target, file, fragment), "reference %q: no schema of %s has this anchor", ref.Text, target.Name)
	}
	pointer = target.asRead(pointer)
	tokens := SplitPointer(pointer)
	name, ok := definitionName(tokens)
	if !ok || len(tokens) > 2 && target.byName[name] == nil {
		if def := s.inside(target, pointer, tokens); def != nil {
			return def, nil
		}
		return fail("unsupported-reference", "move the target into $defs and refer to it there",
			"reference %q points inside a definition", ref.Text)
	}
	if def := target.byName[name]; def != nil {
		if len(tokens) == 2 && target.Root.Get(tokens[0]).Get(name) == nil && target.Root.Get(otherKey(tokens[0])).Get(name) != nil && ref.Pos.File == doc.Display {
			return fail("dangling-reference", fmt.Sprintf("write %q", file+"#/"+otherKey(tokens[0])+"/"+PointerToken(name)),
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

// anchorHint returns the remedy for a fragment that is neither an anchor nor a pointer, which may lack its slash.
func anchorHint(target *Document, file, fragment string) string {
	if pointer, err := url.PathUnescape("/" + fragment); err == nil && target.Root.At(pointer) != nil {
		return fmt.Sprintf("write %q", file+"#/"+fragment)
	}
	return "give the schema an $anchor of this name, or use a JSON pointer such as #/$defs/Name"
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
		if def := s.identified(file); def != nil && !strings.Contains(ref.Text, "#/") {
			return def.Doc, nil
		}
		return fail("remote-reference", "ahpgen never fetches: put the file into the folder, with this $id, or refer to it by its file name",
			"remote reference %q", ref.Text)
	}
	name, err := url.PathUnescape(file)
	clean := path.Join(path.Dir(doc.Name), name)
	if err != nil || path.IsAbs(name) || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(name, `\`) {
		return fail("outside-reference", "references stay inside the folder given with --schemas", "reference %q leads out of the schema folder", ref.Text)
	}
	if target := s.named(clean); target != nil {
		return target, nil
	}
	if target := s.withID(relativeTo(doc.ID, file)); target != nil {
		return target, nil
	}
	return fail("dangling-reference", "the folder has "+s.fileNames(), "reference %q: no file %s", ref.Text, clean)
}

// relativeTo resolves a reference against the identifier of the file that it is in.
func relativeTo(id, file string) string {
	base, err := url.Parse(id)
	if err != nil || !base.IsAbs() {
		return file
	}
	ref, err := base.Parse(file)
	if err != nil {
		return file
	}
	return ref.String()
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
	return file + "#/" + key + "/" + PointerToken(def.Name)
}

// identified returns the definition with an identifier of its own, or nil.
func (s *Set) identified(id string) *Definition {
	return s.indexPlaces().ids[id]
}

// marked returns the definition that a reference names by its own identifier or an anchor, or nil.
func (s *Set) marked(doc *Document, file, fragment string) *Definition {
	if fragment == "" {
		if file == "" || doc.ID == file {
			return nil
		}
		return s.identified(file)
	}
	if strings.HasPrefix(fragment, "/") {
		return nil
	}
	return s.indexPlaces().anchors[anchor{doc, fragment}]
}

// inside returns the schema at a place within a definition as a definition of its own, or nil if there is none. Its name
// is made of those on the way.
func (s *Set) inside(doc *Document, pointer string, tokens []string) *Definition {
	n := s.repaired(doc).At(pointer)
	if n == nil || n.Kind != Object && n.Kind != Bool {
		return nil
	}
	if def := s.indexPlaces().nodes[n]; def != nil {
		return s.canonical(def)
	}
	names := slices.DeleteFunc(slices.Clone(tokens), func(token string) bool {
		return token == "$defs" || token == "definitions" || token == "properties"
	})
	if len(names) == 0 {
		return nil
	}
	if outer := doc.byName[names[0]]; outer != nil && tokens[0] != "properties" {
		names[0] = outer.Name // the key may be an address
	}
	def := &Definition{Name: strings.Join(names, "."), Pos: n.Pos, Node: n, Doc: doc}
	if s.byName[def.Name] != nil {
		if def.Name = doc.stem() + "." + def.Name; s.byName[def.Name] != nil {
			return nil
		}
	}
	s.byName[def.Name] = def
	s.merged = append(s.merged, def)
	s.places.nodes[n] = def
	if s.within == nil {
		s.within = map[*Node]*Definition{}
	}
	s.within[n] = def
	return s.canonical(def)
}

// definitionName returns the name of the definition at a JSON pointer: that of a group and the name in it are joined.
func definitionName(tokens []string) (string, bool) {
	isKey := func(token string) bool { return token == "$defs" || token == "definitions" }
	if len(tokens) < 2 || !isKey(tokens[0]) {
		return "", false
	}
	var names []string
	for i, token := range tokens[1:] {
		if i > 0 && isKey(token) && i < len(tokens)-2 {
			continue
		}
		names = append(names, token)
	}
	return strings.Join(names, "."), true
}
