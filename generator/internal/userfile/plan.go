// Plan: deciding what to insert, and where.

package userfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
)

// Options configures Plan.
type Options struct {
	// Header returns the beginning of a new file, through its package clause. The default is the package clause
	// alone.
	Header func(file string) string

	// Retired reports whether an unwanted method looks like a stub from an earlier run. The signature has the form of
	// [Stub].
	Retired func(receiver, name, signature string) bool

	// Twice returns the finding for a method that is also declared in a generated file. Nil disables the check.
	Twice func(receiver string) string

	// A method is unfinished while its body holds a comment that starts with this. An empty one is not looked for.
	UnfinishedComment string
}

// Edit inserts bytes into a file.
type Edit struct {
	File   string // relative to the folder
	Offset int    // in the current content
	Insert []byte
	Create bool     // the file does not exist yet
	Adds   []string // the methods it adds, such as "Reducer.sessionReady"
}

// Apply applies the edits of one file. Bytes outside the insertions are unchanged.
func Apply(content []byte, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Offset, b.Offset) })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(out, content[done:e.Offset]...)
		out = append(out, e.Insert...)
		done = e.Offset
	}
	return append(out, content[done:]...)
}

// planner holds the state of one call to Plan.
type planner struct {
	*Package
	options   Options
	wanted    map[methodKey]*wanted
	additions []*addition
	byFile    map[*file]*addition
	byName    map[string]*addition
	findings  Findings

	owned    map[string][]*method // by receiver, those that the user owns
	misspelt map[*method]bool
}

// Plan decides where each stub goes that the package lacks. Edits are sorted by file and offset.
// The error says that a stub or header is not valid Go, which is never the user's doing. A second
// plan for the result has no edits.
func (p *Package) Plan(stubs []Stub, options Options) ([]Edit, Findings, error) {
	list, err := p.readStubs(stubs)
	if err != nil {
		return nil, nil, err
	}
	pl := &planner{
		Package: p, options: options, wanted: map[methodKey]*wanted{}, owned: map[string][]*method{}, misspelt: map[*method]bool{},
		byFile: map[*file]*addition{}, byName: map[string]*addition{},
	}
	for _, m := range p.all {
		if m.file.role == owned {
			pl.owned[m.key.base] = append(pl.owned[m.key.base], m)
		}
	}
	for _, w := range list {
		pl.wanted[w.key] = w
	}
	for _, w := range list {
		if err := pl.stub(w); err != nil {
			return nil, nil, fmt.Errorf("stub %s: %w", w, err)
		}
	}
	pl.findTwice()
	pl.findRetired()
	slices.SortStableFunc(pl.findings, func(a, b Finding) int { return a.Pos.Compare(b.Pos) })
	edits, err := pl.edits()
	return edits, pl.findings, err
}

// stub plans one stub.
func (pl *planner) stub(w *wanted) error {
	var tests []*method
	implemented := false
	for _, m := range pl.methods[w.key] {
		if m.file.role == test {
			tests = append(tests, m)
			continue
		}
		implemented = true
		if !pl.sameSignature(m, w) {
			pl.wrongSignature(m, w)
		}
		pl.findUnfinished(m)
	}
	switch {
	case implemented:
		return nil
	case len(tests) > 0:
		for _, m := range tests {
			pl.find(m, TestOnly, m.decl.Name, fmt.Sprintf("%s is only there for tests", w),
				"move it to a file that is not named *_test.go: a second one beside it would not compile")
		}
		return nil
	}
	if m := pl.misspelling(w); m != nil {
		pl.misspelt[m] = true
		pl.find(m, Misspelt, m.decl.Name, fmt.Sprintf("there is no %s.%s to write", m.key.base, m.key.name), fmt.Sprintf("did you mean %q?", w.key.name))
		return nil
	}
	return pl.insert(w)
}

// misspelling returns a method of the user's with the wanted signature and almost the wanted name, or nil.
func (pl *planner) misspelling(w *wanted) *method {
	for _, m := range pl.owned[w.key.base] {
		if pl.wanted[m.key] == nil && !m.tools && !pl.isGenerated(m.key) && similar.Nearest(m.key.name, []string{w.key.name}) != "" && pl.sameSignature(m, w) {
			return m
		}
	}
	return nil
}

// insert adds a missing stub to a file.
func (pl *planner) insert(w *wanted) error {
	var a *addition
	var at place
	var receiver string
	if sibling := pl.sibling(w); sibling != nil {
		a = pl.addition(sibling.file)
		at = sibling.file.afterDecl(sibling.decl)
		receiver = pl.receiverLike(sibling)
	} else {
		f, created, err := pl.fileFor(w)
		if f == nil || err != nil {
			return err
		}
		a = pl.addition(f)
		a.create = a.create || created
		at = f.blockPlace(len(f.content))
	}
	text, err := w.render(receiver, func(name, importPath string) string { return pl.importInto(a, name, importPath) })
	if err != nil {
		return err
	}
	a.block(at, text)
	a.adds[at.offset] = append(a.adds[at.offset], w.String())
	return nil
}

// sibling returns the method that a stub goes after: the last of its group, else of its receiver, in the file that
// has most of them. Files for some builds only come second, since the stub would be missing from the others.
func (pl *planner) sibling(w *wanted) *method {
	inGroup := func(m *method) bool {
		other := pl.wanted[m.key]
		return other != nil && other.Group == w.Group
	}
	own := pl.owned[w.key.base]
	if w.Apart && !slices.ContainsFunc(own, inGroup) {
		return nil
	}
	for _, fits := range []func(m *method) bool{
		func(m *method) bool { return !m.file.conditional && inGroup(m) },
		func(m *method) bool { return !m.file.conditional },
		inGroup,
		func(*method) bool { return true },
	} {
		siblings := each.Where(own, fits)
		if len(siblings) > 0 {
			return lastOfLargestFile(siblings, w.File)
		}
	}
	return nil
}

// lastOfLargestFile returns the last method in the file with the most methods. Ties are broken by the preferred
// method, then by file name.
func lastOfLargestFile(siblings []*method, preferred string) *method {
	count := map[*file]int{}
	for _, m := range siblings {
		count[m.file]++
	}
	best := siblings[0]
	for _, m := range siblings[1:] {
		if m.file == best.file || count[m.file] > count[best.file] ||
			count[m.file] == count[best.file] && best.file.name != preferred {
			best = m
		}
	}
	return best
}

// receiverLike returns the receiver name of a sibling, or of the nearest method in its file that names its receiver.
func (pl *planner) receiverLike(sibling *method) string {
	name := ""
	for _, m := range pl.all {
		if m.file == sibling.file && m.key.base == sibling.key.base {
			name = cmp.Or(receiverName(m.decl), name)
		}
		if m == sibling && name != "" {
			break
		}
	}
	return name
}

// fileFor returns or creates the file for a stub without siblings. It returns nil, and reports a finding, if the file
// cannot be created.
func (pl *planner) fileFor(w *wanted) (f *file, created bool, err error) {
	if a := pl.byName[w.File]; a != nil {
		return a.file, a.create, nil
	}
	if f := pl.own(w.File); f != nil {
		return f, false, nil
	}
	if obstacle := pl.obstacle(w.File); obstacle != "" {
		pl.findings = append(pl.findings, Finding{CannotExtend, diag.Pos{File: pl.display(obstacle)}, w.key.base, w.key.name,
			fmt.Sprintf("%s goes into %s, but this is no Go file of package %s that a person owns", w, w.File, pl.source.Package),
			"rename it, or write the method yourself in another file"})
		return nil, false, nil
	}
	header := "package " + pl.source.Package + "\n"
	if pl.options.Header != nil {
		header = pl.options.Header(w.File)
	}
	f, err = parse(w.File, []byte(header))
	if err == nil && f.syntax.Name.Name != pl.source.Package {
		err = fmt.Errorf("package clause says %s, not %s", f.syntax.Name.Name, pl.source.Package)
	}
	if err != nil {
		return nil, false, fmt.Errorf("header of %s: %w", w.File, err)
	}
	return f, true, nil
}

// obstacle returns an existing entry that is in the way of a new file, also on case-insensitive file systems.
func (pl *planner) obstacle(name string) string {
	taken := slices.Concat(pl.entries, each.Map(pl.files, func(f *file) string { return f.name }))
	if i := slices.IndexFunc(taken, func(other string) bool { return strings.EqualFold(other, name) }); i >= 0 {
		return taken[i]
	}
	return ""
}

// importInto makes a file import a package and returns the name it is imported under.
func (pl *planner) importInto(a *addition, name, importPath string) string {
	if known, ok := a.file.importName(importPath, name); ok {
		return known
	}
	if added, ok := a.imported[importPath]; ok {
		return added
	}
	free := name
	for i := 2; pl.names[free] || a.file.isImported(free) || a.adding(free); i++ {
		free = name + strconv.Itoa(i)
	}
	a.imported[importPath] = free
	a.importClause(free, importPath)
	return free
}
