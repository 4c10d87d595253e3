// Fix: edits of the user's files that follow what a bump renames, and the names that it takes for renamed.

package generator

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/compile"
	"github.com/ahpgen/ahpgen/generator/internal/declared"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// fixes are files of the user's as they are on disk and with other names, by path.
type fixes struct{ old, new map[string][]byte }

// fix finds what the new version renames, as far as it is certain or the user says so, and edits the user's files.
func (b *Bump) fix(g *Generator, f *former, o BumpOptions) error {
	if !o.Fix || f.pkg == nil {
		return nil
	}
	quiet := &Generator{config: g.config, diags: &diag.List{}}
	r, err := quiet.read()
	if err != nil {
		return nil //nolint:nilerr // the plan reports it
	}
	d, err := quiet.declare(r, g.lockedQuietly(), nil)
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	pairs, err := renamings(b.Diff, o.Renamed)
	if err != nil {
		return err
	}
	for was, is := range r.profile.Renamed {
		pairs[was] = is
	}
	names, err := goRenamings(f.pkg, d.pkg, pairs)
	if err != nil || len(names) == 0 {
		return err
	}
	b.Candidates = slices.DeleteFunc(b.Candidates, func(text string) bool {
		_, pair, _ := strings.Cut(text, " ")
		was, _, _ := strings.Cut(pair, "=")
		return slices.Contains(o.Renamed, pair) || names[f.pkg.Names[was].Go] != ""
	})
	f.fixes.new, err = compile.Renamed(b.out, names)
	if err != nil {
		return fmt.Errorf("rename: %w", err)
	}
	f.fixes.old = map[string][]byte{}
	for name := range f.fixes.new {
		if f.fixes.old[name], err = disk.ReadFile(name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.fixes.new)) {
		shown := filepath.ToSlash(DisplayPath(name))
		b.Fixed = append(b.Fixed, shown)
		b.FixDiff += udiff.Unified(shown, shown, string(f.fixes.old[name]), string(f.fixes.new[name]))
	}
	return nil
}

// renamings returns the names in the protocol that another takes the place of: those that are certain, and those that the
// user states as OLD=NEW.
func renamings(d *report.Diff, stated []string) (map[string]string, error) {
	pairs := map[string]string{}
	for _, f := range d.Findings {
		if f.Change.Rule == change.TypeRenamed {
			pairs[f.From] = f.To
		}
	}
	for _, text := range stated {
		was, is, ok := strings.Cut(text, "=")
		if !ok || was == "" || is == "" {
			return nil, &FlagError{Message: fmt.Sprintf("%q does not say what is called what from now on", text), Flag: "renamed", Value: "OLD=NEW"}
		}
		if where, _, ok := cutLast(was, "."); ok && !strings.Contains(is, ".") {
			is = where + "." + is
		}
		pairs[was] = is
	}
	return pairs, nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// candidates returns the flags to add for what may be renamed.
func candidates(d *report.Diff) []string {
	var out []string
	for _, f := range d.Findings {
		if f.Change.Rule != change.RenameCandidate {
			continue
		}
		was, is := f.From, f.To
		if where, _, ok := cutLast(f.Subject, ": "); ok {
			was = where + "." + was
		} else if f.Subject != "types" && f.Subject != "actions" && f.Subject != "methods" {
			was = f.Subject + "." + was
		}
		out = append(out, fmt.Sprintf("--renamed %s=%s", was, is))
	}
	return out
}

// goRenamings returns the new names of Go declarations by their old ones, for names in the protocol. What is declared for a
// type, a method or an action is called like it.
func goRenamings(old, now *golang.Package, pairs map[string]string) (map[string]string, error) {
	before, after, err := declaredIn(old, now)
	if err != nil {
		return nil, err
	}
	out, stems := map[string]string{}, map[string]string{}
	for was, is := range renamedTypes(old, now) {
		if is != "" {
			stems[was] = is
		}
	}
	for was, is := range pairs {
		stem(old, now, was, is, stems)
	}
	definitions := map[string]string{} // of the old version → of the new one
	for definition := range old.Names {
		definitions[definition] = cmp.Or(pairs[definition], definition)
	}
	for definition, its := range old.Names {
		is, ok := now.Names[definitions[definition]]
		if !ok {
			continue
		}
		if its.Go != is.Go {
			stems[its.Go] = is.Go
		}
		for wire, member := range its.Members {
			to := wire
			if _, stated, ok := cutLast(pairs[definition+"."+wire], "."); ok {
				to = stated
			}
			if name := is.Members[to]; name != "" && name != member {
				out[its.Go+"."+member], out[member] = name, name
			}
		}
	}
	for key := range before {
		if to := substituted(key, stems); to != key && after[to] && !before[to] {
			_, name, _ := cutLast("."+to, ".")
			out[key] = name
		}
	}
	for key := range out {
		if !before[key] || after[key] {
			delete(out, key)
		}
	}
	for was, is := range reducers(old, now, stems) {
		out[old.Own("Reducer")+"."+was] = is
	}
	return out, nil
}

// stem notes the Go names that begin the names of what belongs to something in the protocol.
func stem(old, now *golang.Package, was, is string, stems map[string]string) {
	if a, b := old.Names[was].Go, now.Names[is].Go; a != "" && b != "" && a != b {
		stems[a] = b
	}
	for _, m := range old.Methods {
		for _, n := range now.Methods {
			if m.Wire == was && n.Wire == is {
				stems[m.Name] = n.Name
			}
		}
	}
	if old.Reducers == nil || now.Reducers == nil {
		return
	}
	for _, a := range actionsOf(old) {
		for _, b := range actionsOf(now) {
			if a.Type == was && b.Type == is || a.Definition == was && b.Definition == is {
				stems[a.Action.Name] = b.Action.Name
				x, y := strings.TrimSuffix(a.Action.Name, "Action"), strings.TrimSuffix(b.Action.Name, "Action")
				stems[x] = y
			}
		}
	}
}

func actionsOf(pkg *golang.Package) []*golang.ActionReducer {
	var out []*golang.ActionReducer
	for _, c := range pkg.Reducers.Channels {
		out = append(out, c.Actions...)
	}
	return out
}

// reducers returns the new names of the reducers whose action has another name.
func reducers(old, now *golang.Package, stems map[string]string) map[string]string {
	out := map[string]string{}
	if old.Reducers == nil || now.Reducers == nil {
		return out
	}
	for _, a := range actionsOf(old) {
		for _, b := range actionsOf(now) {
			if stems[a.Action.Name] == b.Action.Name && a.Method != b.Method {
				out[a.Method] = b.Method
			}
		}
	}
	return out
}

// substituted replaces stems in the parts of a name.
func substituted(key string, stems map[string]string) string {
	parts := strings.Split(key, ".")
	for i, part := range parts {
		longest := ""
		for was := range stems {
			at := strings.Index(part, was)
			end := at + len(was)
			whole := at >= 0 && (end == len(part) || part[end] < 'a' || part[end] > 'z')
			if whole && (len(was) > len(longest) || len(was) == len(longest) && was < longest) {
				longest = was
			}
		}
		if longest != "" {
			parts[i] = strings.Replace(part, longest, stems[longest], 1)
		}
	}
	return strings.Join(parts, ".")
}

// declaredIn returns the declarations of two packages, with fields and methods behind their type.
func declaredIn(old, now *golang.Package) (before, after map[string]bool, err error) {
	var sets [2]map[string]bool
	for i, pkg := range []*golang.Package{old, now} {
		files, err := emit.Files(pkg)
		if err != nil {
			return nil, nil, err
		}
		if sets[i], err = declaredBy(files); err != nil {
			return nil, nil, err
		}
	}
	return sets[0], sets[1], nil
}

// declaredBy returns the declarations of the emitted files of a package itself.
func declaredBy(files []emit.Output) (map[string]bool, error) {
	set := map[string]bool{}
	for _, f := range files {
		if strings.Contains(f.Name, "/") || !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range syntax.Decls {
			for name := range declared.Names(d) {
				set[name] = true
			}
			noteMembers(set, d)
		}
	}
	return set, nil
}

// noteMembers adds the fields or methods of types.
func noteMembers(set map[string]bool, d ast.Decl) {
	general, _ := d.(*ast.GenDecl)
	if general == nil || general.Tok != token.TYPE {
		return
	}
	for _, spec := range general.Specs {
		var fields *ast.FieldList
		spec := spec.(*ast.TypeSpec) //nolint:forcetypeassert // that is what the token says
		switch t := spec.Type.(type) {
		case *ast.StructType:
			fields = t.Fields
		case *ast.InterfaceType:
			fields = t.Methods
		default:
			continue
		}
		for _, f := range fields.List {
			for _, id := range f.Names {
				set[spec.Name.Name+"."+id.Name] = true
			}
		}
	}
}

// editedFS is a folder with other contents of some files.
type editedFS struct {
	fs.FS
	edited map[string][]byte
}

// ReadFile returns the other content of a file, if it has one.
func (e editedFS) ReadFile(name string) ([]byte, error) {
	if text, ok := e.edited[name]; ok {
		return text, nil
	}
	return fs.ReadFile(e.FS, name)
}

// edited returns the fixed files of the package by name.
func (x fixes) edited(dir string) map[string][]byte {
	out := map[string][]byte{}
	for path, text := range x.new {
		if filepath.Dir(path) == disk.Absolute(dir) {
			out[filepath.Base(path)] = text
		}
	}
	return out
}

// addFixes adds the edits of the user's files to the plan.
func (p *Plan) addFixes(x fixes) {
	for path, text := range x.new {
		name, old := filepath.Base(path), x.old[path]
		if filepath.Dir(path) != disk.Absolute(p.Out) {
			p.Files = append(p.Files, PlannedFile{Name: name, Dir: filepath.Dir(DisplayPath(path)), State: Stale, Old: old, New: text, Hand: true})
			continue
		}
		if p.sources != nil {
			p.sources[name] = old
		}
		i := slices.IndexFunc(p.Files, func(f PlannedFile) bool { return f.Name == name && f.Hand && f.Dir == "" })
		if i < 0 {
			p.Files = append(p.Files, PlannedFile{Name: name, State: Stale, Old: old, New: text, Hand: true})
		} else {
			p.Files[i].Old = old
		}
	}
	p.sort()
}

// ReadDir lists the folder.
func (e editedFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(e.FS, name) }

// renamedTypes returns the new names of renamed structs: every member of a remaining struct that held the old one
// holds the new one, and both have the same members.
func renamedTypes(old, now *golang.Package) map[string]string {
	structs := map[string]*golang.Struct{}
	for _, s := range now.Structs {
		structs[s.Name] = s
	}
	out := map[string]string{}
	for _, holder := range old.Structs {
		if structs[holder.Name] == nil {
			continue
		}
		for _, f := range holder.Fields {
			was := structIn(f.Type)
			if was == nil || structs[was.Name] != nil {
				continue
			}
			for _, g := range structs[holder.Name].Fields {
				if g.Wire != f.Wire {
					continue
				}
				name := ""
				if is := structIn(g.Type); is != nil && slices.Equal(wireNames(was), wireNames(is)) {
					name = is.Name
				}
				if first, ok := out[was.Name]; ok && first != name {
					name = ""
				}
				out[was.Name] = name
			}
		}
	}
	return out
}

// structIn returns the struct in a type, or nil.
func structIn(t golang.Type) *golang.Struct {
	s, _ := golang.Innermost(t).(golang.StructType)
	return s.Struct
}

func wireNames(s *golang.Struct) []string {
	out := each.Map(s.Fields, func(f *golang.Field) string { return f.Wire })
	slices.Sort(out)
	return out
}

// undefined matches the compiler's message for an unknown name.
var undefined = regexp.MustCompile(`^undefined: (?:\w+\.)?(\w+)$`)

// withNewName adds a type's new name to a compiler message.
func withNewName(message string, renamed map[string]string) string {
	if m := undefined.FindStringSubmatch(message); m != nil && renamed[m[1]] != "" {
		return message + "; it is called " + renamed[m[1]] + " now"
	}
	return message
}
