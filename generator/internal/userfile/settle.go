// Settle: updating and removing methods that are unchanged since they were inserted.

package userfile

import (
	"bytes"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/declared"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Settled describes a file in which unchanged methods were removed or updated.
type Settled struct {
	File    string
	Gone    []string // removed methods, such as "Reducer.sessionReady"
	Changed []string // updated methods
}

// Text returns a method with its documentation, printed alike whatever a file calls the receiver and the packages
// that it imports: two methods with one text were written by the same hand, up to gofmt.
func (p *Package) Text(s Stub) (method, text string, err error) {
	w, err := p.readStub(s)
	if err != nil {
		return "", "", err
	}
	text, err = canonical(w.text)
	return w.String(), text, err
}

// canonical prints the only method of a file in a normalized form.
func canonical(source string) (string, error) {
	s, err := parseSnippet(source)
	if err != nil {
		return "", err
	}
	names := map[types.Object]string{}
	for _, object := range s.uses() {
		if pkg, ok := object.(*types.PkgName); ok {
			names[pkg] = strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
					return r
				}
				return '_'
			}, pkg.Imported().Path())
		}
	}
	if idents := s.method.Recv.List[0].Names; len(idents) == 1 {
		if object := s.info.Defs[idents[0]]; object != nil {
			names[object] = "receiver"
		}
	}
	s.rename(names)
	return s.print()
}

// Follow takes methods in the user's files for the tool's if a function says so of their name and text, so that they follow
// what is wanted, and reports whether there are any. The text is the one that [Package.Text] gives.
func (p *Package) Follow(isTools func(method string, text func() string) bool) bool {
	found := false
	for _, m := range p.all {
		if m.file.role == owned && !m.tools && isTools(m.key.base+"."+m.key.name, func() string { return m.file.canonicalText(m.decl) }) {
			m.tools, found = true, true
		}
	}
	if found {
		p.mentioned, p.inTests = nil, nil // the set of methods that count has changed
	}
	return found
}

// canonicalText returns the normalized text of a method, or "" if it shares a line with other code.
func (f *file) canonicalText(fn *ast.FuncDecl) string {
	s, ok := f.linesOf(fn)
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString("package p\n\n")
	for _, spec := range f.syntax.Imports {
		b.WriteString("import ")
		if spec.Name != nil {
			b.WriteString(spec.Name.Name + " ")
		}
		b.WriteString(spec.Path.Value + "\n")
	}
	b.WriteString("\n")
	b.WriteString(strings.ReplaceAll(string(f.content[s.start:s.end]), "\r\n", "\n"))
	text, err := canonical(b.String())
	if err != nil {
		return ""
	}
	return text
}

// linesOf returns the lines of a function and its documentation, through the start of the next line. It fails if
// other code is on these lines.
func (f *file) linesOf(fn *ast.FuncDecl) (s span, ok bool) {
	s = span{f.docStart(fn), f.end(fn)}
	if s.start > 0 && f.content[s.start-1] != '\n' {
		return s, false
	}
	rest, _, more := bytes.Cut(f.content[s.end:], []byte("\n"))
	s.end += len(rest)
	if more {
		s.end++
	}
	return s, len(bytes.TrimSpace(rest)) == 0
}

// Settle returns the package as it is once every method that still is as the tool wrote it has
// followed what is wanted: those that are not wanted any more are gone, with the imports that nothing
// else needs, and the others read as they would be inserted today. A file goes with the last of them
// where it is as the header started it. Nothing else changes. The second result says what did.
func (p *Package) Settle(stubs []Stub, header func(file string) string) (*Package, []Settled, error) {
	list, err := p.readStubs(stubs)
	if err != nil {
		return nil, nil, err
	}
	byKey := map[methodKey]*wanted{}
	for _, w := range list {
		byKey[w.key] = w
	}
	edits := map[*file][]cut{}
	said := map[*file]*Settled{}
	for _, m := range p.all {
		if !m.tools {
			continue
		}
		c, ok := p.settle(m, byKey[m.key])
		if !ok {
			continue
		}
		edits[m.file] = append(edits[m.file], c)
		if said[m.file] == nil {
			said[m.file] = &Settled{File: m.file.name}
		}
		name := m.key.base + "." + m.key.name
		if c.text == "" {
			said[m.file].Gone = append(said[m.file].Gone, name)
		} else {
			said[m.file].Changed = append(said[m.file].Changed, name)
		}
	}
	if len(edits) == 0 {
		return p, nil, nil
	}
	contents := map[string][]byte{}
	var out []Settled
	for _, f := range p.files {
		s := said[f]
		if s == nil {
			continue
		}
		content, err := f.without(edits[f])
		if err != nil {
			return nil, nil, err
		}
		if header != nil && isStart(content, header(f.name)) {
			content = nil
		}
		contents[f.name] = content
		out = append(out, *s)
	}
	next, err := p.With(contents)
	return next, out, err
}

// settle decides what to do with one unchanged method. The result is false if the method stays.
func (p *Package) settle(m *method, w *wanted) (cut, bool) {
	s, _ := m.file.linesOf(m.decl)
	if w == nil {
		return cut{span: s}, true
	}
	if now, err := canonical(w.text); err == nil && now == m.file.canonicalText(m.decl) {
		return cut{}, false
	}
	missing := false
	text, err := w.render(receiverName(m.decl), func(name, importPath string) string {
		known, ok := m.file.importName(importPath, name)
		missing = missing || !ok
		return known
	})
	if err != nil || missing {
		return cut{span: s}, true // reinserted by Plan with its imports
	}
	eol := m.file.lineEnd()
	return cut{s, strings.ReplaceAll(text, "\n", eol) + eol}, true
}

// cut replaces a range; the text is empty for a removed method.
type cut struct {
	span
	text string
}

// without applies the cuts and removes imports that are no longer used.
func (f *file) without(cuts []cut) ([]byte, error) {
	slices.SortFunc(cuts, func(a, b cut) int { return a.start - b.start })
	var out []byte
	done := 0
	for _, c := range cuts {
		out = append(out, f.content[done:c.start]...)
		done = c.end
		if c.text != "" {
			out = append(out, c.text...)
			continue
		}
		if endsBlank(out) { // keep one of the two blank lines
			for {
				line, _, more := bytes.Cut(f.content[done:], []byte("\n"))
				if !more || len(bytes.TrimSpace(line)) > 0 {
					break
				}
				done += len(line) + 1
			}
		}
	}
	atEnd := len(bytes.TrimSpace(f.content[done:])) == 0
	out = append(out, f.content[done:]...)
	if atEnd && cuts[len(cuts)-1].text == "" {
		out = append(bytes.TrimRight(out, " \t\r\n"), f.lineEnd()...)
	}
	return f.withoutImports(out)
}

// endsBlank reports whether a text ends with a blank line.
func endsBlank(text []byte) bool {
	text, ok := bytes.CutSuffix(text, []byte("\n"))
	text = bytes.TrimSuffix(text, []byte("\r"))
	return ok && (len(text) == 0 || text[len(text)-1] == '\n')
}

// withoutImports removes the imports that were used before the cuts and are unused now.
func (f *file) withoutImports(content []byte) ([]byte, error) {
	now, err := parse(f.name, content)
	if err != nil {
		return nil, err
	}
	before, after := declared.Qualifiers(f.syntax), declared.Qualifiers(now.syntax)
	idle := func(spec *ast.ImportSpec) bool {
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		} else if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			name = defaultName(path)
		}
		return name != "" && name != "_" && name != "." && before[name] && !after[name] && spec.Comment == nil && spec.Doc == nil
	}
	for i := len(now.syntax.Decls) - 1; i >= 0; i-- {
		decl, ok := now.syntax.Decls[i].(*ast.GenDecl)
		if !ok || !isImport(decl) || importsC(decl) {
			continue
		}
		left := slices.ContainsFunc(decl.Specs, func(s ast.Spec) bool { return !idle(s.(*ast.ImportSpec)) })
		if !left && len(decl.Specs) > 0 && decl.Doc == nil {
			content = now.cutLines(content, decl)
			continue
		}
		for _, spec := range slices.Backward(decl.Specs) {
			if idle(spec.(*ast.ImportSpec)) && decl.Lparen.IsValid() {
				content = now.cutLines(content, spec)
			}
		}
	}
	return content, nil
}

// cutLines removes the lines of a node, unless other code is on them.
func (f *file) cutLines(content []byte, n ast.Node) []byte {
	start, end := f.offset(n.Pos()), f.end(n)
	lineStart := bytes.LastIndexByte(content[:start], '\n') + 1
	rest, _, more := bytes.Cut(content[end:], []byte("\n"))
	if len(bytes.TrimSpace(content[lineStart:start])) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return content
	}
	end += len(rest)
	if more {
		end++
	}
	if endsBlank(content[:lineStart]) {
		if blank, _, ok := bytes.Cut(content[end:], []byte("\n")); ok && len(bytes.TrimSpace(blank)) == 0 {
			end += len(blank) + 1
		}
	}
	return slices.Concat(content[:lineStart], content[end:])
}

// isStart reports whether a file contains only its header.
func isStart(content []byte, header string) bool {
	plain := func(text []byte) string { return strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")) }
	return plain(content) == plain([]byte(header))
}

// With returns the package with replaced or added contents of the user's files; nil removes a file.
func (p *Package) With(contents map[string][]byte) (*Package, error) {
	next := &Package{source: p.source, entries: slices.Clone(p.entries), sources: maps.Clone(p.sources)}
	for _, f := range p.files {
		if _, ok := contents[f.name]; !ok || f.role == generated {
			next.files = append(next.files, f)
		}
	}
	for name, content := range contents {
		if content == nil {
			delete(next.sources, name)
			next.entries = slices.DeleteFunc(next.entries, func(e string) bool { return e == name })
			continue
		}
		f, err := parse(name, content)
		if err != nil {
			return nil, err
		}
		next.sources[name] = content
		next.files = append(next.files, f)
		next.entries = each.With(next.entries, name)
	}
	slices.SortFunc(next.files, func(a, b *file) int { return strings.Compare(a.name, b.name) })
	next.index()
	return next, nil
}
