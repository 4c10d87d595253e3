// Todo: what a bump leaves for the user.

package generator

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/compile"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// findTodo determines the user's work: stubs, earlier findings, compile errors in the module, and code that changes
// meaning.
func (b *Bump) findTodo(was *former) {
	overlay := b.planned(was)
	before := memory{}
	before.add(was.findings)
	step := compile.Step{Dir: b.Plan.Out, Overlay: overlay}
	var renamed map[string]string
	if was.pkg != nil {
		step.Required, step.Filled = required(was.pkg, b.Plan.pkg)
		step.Unknown = map[string]string{}
		for _, u := range b.Plan.pkg.Unions {
			if u.Unknown != nil && u.Unknown.Owner == u {
				step.Unknown[u.Unknown.Name] = u.Name
			}
		}
		renamed = renamedTypes(was.pkg, b.Plan.pkg)
	}
	result, err := compile.Check(step)
	if err != nil {
		b.Unchecked = err.Error()
		result = &compile.Result{}
	}
	before.add(result.Before)
	b.UncheckedFiles = result.Unchecked
	known := each.SetFunc(b.Todo, func(d diag.Diagnostic) diag.Pos { return d.Pos })
	for _, d := range slices.Concat(b.Plan.Findings, result.After, result.Changed) {
		switch {
		case d.Code == "compile" && (known[d.Pos] || b.Plan.causedByClash(d)):
			// An existing finding is more specific than the compiler's message.
		case before.has(d):
			b.Open = append(b.Open, d)
		case d.Code == Unfinished: // inserted by a run that was cut short
			d.Code = stubCode
			b.Todo = append(b.Todo, d)
			b.Stubs++
		default:
			d.Message = withNewName(d.Message, renamed)
			if d.Code == nameClash {
				d.Message += ": " + d.Hint
			}
			list := b.listFor(d.Code)
			*list = append(*list, d)
		}
		known[d.Pos] = true
	}
	for _, list := range [][]diag.Diagnostic{b.Todo, b.Open} {
		slices.SortStableFunc(list, func(x, y diag.Diagnostic) int { return x.Pos.Compare(y.Pos) })
	}
}

// planned returns the files that the plan would write, and notes the stubs in them.
func (b *Bump) planned(was *former) map[string][]byte {
	overlay := map[string][]byte{}
	for _, f := range b.Plan.Files {
		if f.Aside || f.State == Unchanged {
			continue
		}
		overlay[b.Plan.path(f)] = f.New
		if f.New == nil {
			overlay[b.Plan.path(f)] = []byte("package " + b.Plan.Package + "\n")
		}
		for _, stub := range f.Stubs {
			b.Todo = append(b.Todo, b.stub(stub, stubPosition(b.Plan.Path(f), f.New, stub), was))
		}
	}
	return overlay
}

// stubCode is the code of stubs that are new.
const stubCode = "stub"

// stub returns what there is to do about an inserted stub. One in the place of a finished reducer has to be written before
// the package does again what it did.
func (b *Bump) stub(name string, pos diag.Pos, was *former) diag.Diagnostic {
	d := diag.Diagnostic{Pos: pos, Severity: diag.Warning, Code: stubCode, Message: "write " + name}
	_, method, _ := strings.Cut(name, ".")
	if !slices.Contains(was.finished, method) {
		b.Stubs++
		return d
	}
	d.Code, d.Message = "lost-reducer", name+" was finished, and does not fit any more"
	if why := b.Plan.Unfit[name]; why != "" {
		d.Message += ": " + why
	}
	return d
}

// listFor returns the list for findings of a code.
func (b *Bump) listFor(code string) *[]diag.Diagnostic {
	switch code {
	case compile.LacksCase, compile.WasUnknown:
		return &b.Looks
	case compile.SkipsNew:
		return &b.Skips
	}
	return &b.Todo
}

// memory counts earlier findings by file and text, since stubs move lines.
type memory map[[2]string]int

func (m memory) add(list []diag.Diagnostic) {
	for _, d := range list {
		m[[2]string{d.Pos.File, d.Message}]++
	}
}

// has reports whether a finding existed before, each as often as it did.
func (m memory) has(d diag.Diagnostic) bool {
	key := [2]string{d.Pos.File, d.Message}
	if m[key] == 0 {
		return false
	}
	m[key]--
	return true
}

// required returns the newly required fields by struct, and the structs whose empty literal was already incomplete.
func required(old, now *golang.Package) (fields map[string][]string, filled map[string]bool) {
	fields, filled = map[string][]string{}, map[string]bool{}
	had := map[string]map[string]bool{}
	for _, s := range old.Structs {
		had[s.Name] = map[string]bool{}
		for _, f := range s.Fields {
			if f.Presence == golang.Required {
				had[s.Name][f.Name] = true
				filled[s.Name] = true
			}
		}
	}
	for _, s := range now.Structs {
		before, ok := had[s.Name]
		if !ok {
			continue
		}
		for _, f := range s.Fields {
			if f.Presence == golang.Required && !before[f.Name] {
				fields[s.Name] = append(fields[s.Name], f.Name)
			}
		}
	}
	return fields, filled
}

// stubPosition returns the position of an inserted stub.
func stubPosition(path string, content []byte, stub string) diag.Pos {
	_, method, _ := strings.Cut(stub, ".")
	for i, line := range strings.Split(string(content), "\n") {
		if col := strings.Index(line, ") "+method+"("); strings.HasPrefix(line, "func (") && col >= 0 {
			return diag.Pos{File: path, Line: i + 1, Col: col + len(") ") + 1}
		}
	}
	return diag.Pos{File: path}
}
