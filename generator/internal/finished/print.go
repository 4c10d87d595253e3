// Print: the text of what was chosen, with the names of the package at hand.

package finished

import (
	"fmt"
	"go/format"
	"path"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// Files prints the files, by name without a suffix. Each starts with the header line.
func (c *Choice) Files(header string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, name := range c.set.files() {
		text, renamed := c.file(name, header)
		if text == "" {
			continue
		}
		content := []byte(text)
		if renamed { // columns may have moved
			var err error
			if content, err = format.Source(content); err != nil {
				return nil, fmt.Errorf("emit finished reducers: %s: %w", name, err)
			}
		}
		out["reducers_"+strings.TrimSuffix(name, ".go")] = content
	}
	return out, nil
}

// file prints what was chosen from one source, "" for nothing.
func (c *Choice) file(name, header string) (text string, renamed bool) {
	var decls []string
	imports := map[string]string{}
	for _, u := range c.set.order {
		if path.Base(u.file) != name || !c.in[u] {
			continue
		}
		decl, changed := c.declaration(u, u.from, u.to, imports)
		doc := strings.Join(comments(c.doc(u)), "\n")
		if doc != "" {
			doc += "\n"
		}
		decls = append(decls, doc+decl)
		renamed = renamed || changed
	}
	if len(decls) == 0 {
		return "", false
	}
	var b strings.Builder
	b.WriteString(header + "\n\n")
	if about := c.about(name); about != "" {
		b.WriteString(about + "\n\n")
	}
	b.WriteString("package " + c.pkg.Name + "\n\n")
	if declaration := c.imports(imports); declaration != "" {
		b.WriteString(declaration + "\n")
	}
	b.WriteString(strings.Join(decls, "\n\n") + "\n")
	return b.String(), renamed
}

// about returns the comment that a source opens with, of the last edition that has one.
func (c *Choice) about(name string) string {
	for i := len(c.set.editions) - 1; i >= 0; i-- {
		head, _, ok := strings.Cut(c.set.textOf(SourceName(c.set.editions[i], name)), "\npackage ")
		_, about, _ := strings.Cut(head, "\n\n") // behind the build tag
		if about = strings.TrimSpace(about); ok && about != "" {
			return about
		}
	}
	return ""
}

// declaration returns the text of a part of a source, with the names that things have in the package, and with what
// is carried along. The imports that it needs are added, path by name.
func (c *Choice) declaration(u *unit, from, to int, imports map[string]string) (text string, changed bool) {
	source := c.set.text(u)
	var b strings.Builder
	at := from
	inserts := c.fit.inserts[u]
	insert := func(before int) {
		for ; len(inserts) > 0 && inserts[0].at <= before; inserts = inserts[1:] {
			if in := inserts[0]; in.at > from {
				b.WriteString(source[at:in.at] + in.text)
				at, changed = in.at, true
				for name, p := range in.imports {
					imports[name] = c.path(p)
				}
			}
		}
	}
	for _, r := range c.fit.refs[u] {
		if r.at < from || r.at >= to {
			continue
		}
		insert(r.at)
		name := c.called(r, source[r.at:r.at+r.length], imports)
		changed = changed || name != source[r.at:r.at+r.length]
		b.WriteString(source[at:r.at] + name)
		at = r.at + r.length
	}
	insert(to)
	b.WriteString(source[at:to])
	return b.String(), changed
}

// called returns how the package calls what a source calls by a name.
func (c *Choice) called(r ref, name string, imports map[string]string) string {
	switch {
	case r.unit != nil:
		return c.names[r.unit.name]
	case r.path != "":
		if c.local[r.path] == "" {
			c.local[r.path] = c.free(name, c.hand.Taken)
		}
		imports[c.local[r.path]] = c.path(r.path)
		return c.local[r.path]
	}
	return r.name
}

// path returns where a package is that the sources import.
func (c *Choice) path(imported string) string {
	if rest, ok := strings.CutPrefix(imported, FloorPath); ok && (rest == "" || rest[0] == '/') {
		return c.pkg.Wire + rest
	}
	return imported
}

// doc returns the comment of a unit, about what the package calls it.
func (c *Choice) doc(u *unit) []string {
	out := c.set.comment(u)
	_, name := u.receiver()
	if len(out) > 0 {
		if rest, ok := strings.CutPrefix(out[0], name+" "); ok {
			out[0] = c.names[u.name] + " " + rest
		}
	}
	return out
}

func comments(doc []string) []string {
	var out []string
	for _, line := range doc {
		switch {
		case line == "", strings.HasPrefix(line, "\t"):
			out = append(out, "//"+line)
		default:
			out = append(out, "// "+line)
		}
	}
	return out
}

// imports returns the import declaration for packages, by the names that they are called.
func (c *Choice) imports(paths map[string]string) string {
	var list []golang.CustomImport
	for name, p := range paths {
		list = append(list, golang.CustomImport{Path: p, Name: name, Renamed: path.Base(p) != name, Standard: !strings.HasPrefix(p, c.pkg.Wire)})
	}
	return golang.Imports(list)
}

// start returns what the user begins with who takes a reducer over.
func (c *Choice) start(a *golang.ActionReducer) Start {
	u := c.unit(a)
	imports := map[string]string{}
	body, _ := c.declaration(u, u.body, u.to-len("}"), imports)
	return Start{Reducer: a, Doc: c.doc(u), Body: strings.Trim(body, "\n"), Imports: imports}
}
