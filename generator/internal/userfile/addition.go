// Additions: everything that one plan inserts into one file.

package userfile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// addition collects insertions by offset, so that a group at one offset is separated from its surroundings only once.
type addition struct {
	file     *file
	create   bool
	places   map[int]*insertion
	imported map[string]string // name by import path
	adds     map[int][]string  // methods by offset
}

// insertion is the text inserted at one offset.
type insertion struct {
	place
	imports []string
	style   importStyle
	blocks  []string
}

// addition returns the pending insertions of a file, creating them if needed.
func (pl *planner) addition(f *file) *addition {
	if a := pl.byFile[f]; a != nil {
		return a
	}
	a := &addition{f, false, map[int]*insertion{}, map[string]string{}, map[int][]string{}}
	pl.additions = append(pl.additions, a)
	pl.byFile[f], pl.byName[f.name] = a, a
	return a
}

func (a *addition) at(p place) *insertion {
	if a.places[p.offset] == nil {
		a.places[p.offset] = &insertion{place: p}
	}
	return a.places[p.offset]
}

func (a *addition) block(p place, text string) {
	in := a.at(p)
	in.blocks = append(in.blocks, strings.ReplaceAll(text, "\n", a.file.lineEnd()))
}

func (a *addition) importClause(name, importPath string) {
	p, style := a.file.importPlace(importPath)
	in := a.at(p)
	in.style = style
	in.imports = append(in.imports, importClause(name, importPath))
}

// adding reports whether the addition imports a package under the given name.
func (a *addition) adding(name string) bool {
	return slices.Contains(slices.Collect(maps.Values(a.imported)), name)
}

func (in *insertion) text(eol string) string {
	parts := in.blocks
	if len(in.imports) > 0 {
		slices.Sort(in.imports)
		parts = append([]string{in.style.write(in.imports, eol)}, parts...)
	}
	return in.lead + strings.Join(parts, in.sep) + in.trail
}

// edits turns additions into edits, and verifies that each resulting file parses and has the new methods.
func (pl *planner) edits() ([]Edit, error) {
	var out []Edit
	for _, a := range pl.additions {
		edits := a.edits()
		content := Apply(a.file.content, edits)
		if err := pl.verify(a, content); err != nil {
			return nil, err
		}
		if a.create {
			all := Edit{File: a.file.name, Insert: content, Create: true}
			for _, e := range edits {
				all.Adds = append(all.Adds, e.Adds...)
			}
			edits = []Edit{all}
		}
		out = append(out, edits...)
	}
	slices.SortStableFunc(out, func(a, b Edit) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
	return out, nil
}

func (a *addition) edits() []Edit {
	var out []Edit
	for _, offset := range slices.Sorted(maps.Keys(a.places)) {
		text := a.places[offset].text(a.file.lineEnd())
		out = append(out, Edit{File: a.file.name, Offset: offset, Insert: []byte(text), Adds: a.adds[offset]})
	}
	return out
}

// verify parses a file as it will be after the edits. An error is a bug in this package.
func (pl *planner) verify(a *addition, content []byte) error {
	f, err := parse(a.file.name, content)
	if err != nil {
		return fmt.Errorf("extend %s: the result is not valid Go: %w", a.file.name, err)
	}
	added := 0
	for _, names := range a.adds {
		added += len(names)
	}
	before, after := len(pl.methodsOf(a.file)), len(pl.methodsOf(f))
	if after != before+added {
		return fmt.Errorf("extend %s: %d methods and %d stubs make %d methods", a.file.name, before, added, after)
	}
	return nil
}
