// Meaning: code that compiles before and after a step with another meaning.

package compile

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/declared"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Codes of such diagnostics.
const (
	LacksMember     = "lacks-member"
	OtherComparison = "other-comparison"
	OtherValue      = "other-value"
)

// changed returns places in hand-written files whose meaning changes or that lack a required member.
func changed(before, after []*packages.Package, dir string, step Step) []diag.Diagnostic {
	old, now := packageIn(before, dir), packageIn(after, dir)
	if old == nil || now == nil || old.Types == nil || now.Types == nil {
		return nil
	}
	v := &viewer{step: step, path: now.PkgPath, constants: otherConstants(old.Types, now.Types), was: map[string]comparison{}, news: newsOf(old.Types, now.Types)}
	for _, p := range before {
		v.eachFile(p, func(file *ast.File, name string) {
			v.comparisons(p, file, name, func(key string, c comparison) { v.was[key] = c })
		})
	}
	seen := map[string]bool{}
	for _, p := range after {
		v.eachFile(p, func(file *ast.File, name string) {
			if seen[name] {
				return // also in the test variant
			}
			seen[name] = true
			v.look(p, file)
			v.comparisons(p, file, name, func(key string, c comparison) { v.compare(p, key, c) })
		})
	}
	return v.found
}

// packageIn returns the package in a folder, without its test variant.
func packageIn(loaded []*packages.Package, dir string) *packages.Package {
	return each.First(loaded, func(p *packages.Package) bool {
		return len(p.GoFiles) > 0 && filepath.Dir(p.GoFiles[0]) == dir && p.ID == p.PkgPath
	})
}

// otherConstants returns the changes of constant values by name.
func otherConstants(old, now *types.Package) map[string]string {
	out := map[string]string{}
	for _, name := range now.Scope().Names() {
		b, isConst := now.Scope().Lookup(name).(*types.Const)
		a, wasConst := old.Scope().Lookup(name).(*types.Const)
		if !isConst || !wasConst || a.Val().Kind() != b.Val().Kind() || constant.Compare(a.Val(), token.EQL, b.Val()) {
			continue
		}
		out[name] = fmt.Sprintf("%s is %s from now on, it was %s", name, b.Val(), a.Val())
	}
	return out
}

type viewer struct {
	step      Step
	path      string // path of the changing package
	constants map[string]string
	news      news
	was       map[string]comparison
	found     []diag.Diagnostic
}

// eachFile calls f for hand-written files.
func (v *viewer) eachFile(p *packages.Package, do func(file *ast.File, name string)) {
	if p.TypesInfo == nil {
		return
	}
	for _, file := range p.Syntax {
		if !ast.IsGenerated(file) {
			do(file, p.Fset.Position(file.FileStart).Filename)
		}
	}
}

func (v *viewer) report(p *packages.Package, at token.Pos, code, message, hint string) {
	pos := p.Fset.Position(at)
	v.found = append(v.found, diag.Diagnostic{
		Pos: diag.Pos{File: display(pos.Filename), Line: pos.Line, Col: pos.Column}, Severity: diag.Warning, Code: code, Message: message, Hint: hint,
	})
}

// look looks at each node of a file by itself.
func (v *viewer) look(p *packages.Package, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			v.literal(p, n)
		case *ast.Ident:
			v.value(p, n)
		default:
			v.switches(p, n)
		}
		return true
	})
}

// literal reports a composite literal without a newly required member.
func (v *viewer) literal(p *packages.Package, lit *ast.CompositeLit) {
	name := v.structName(p.TypesInfo.TypeOf(lit))
	required := v.step.Required[name]
	if len(required) == 0 || len(lit.Elts) == 0 && v.step.Filled[name] {
		return // an empty value is filled later, or returned with an error
	}
	set := map[string]bool{}
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return // unkeyed: does not compile if a field is missing
		}
		if id, ok := pair.Key.(*ast.Ident); ok {
			set[id.Name] = true
		}
	}
	missing := each.Where(required, func(field string) bool { return !set[field] })
	if len(missing) > 0 {
		v.report(p, lit.Pos(), LacksMember, fmt.Sprintf("%s needs %s from now on", name, strings.Join(missing, ", ")), "set it here, or before the value is sent")
	}
}

// structName returns the name of a struct of the changing package, or "".
func (v *viewer) structName(t types.Type) string {
	if t == nil {
		return ""
	}
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem() // the type may be elided in &T{}
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return ""
	}
	return v.named(t)
}

// value reports the use of a constant whose value changes.
func (v *viewer) value(p *packages.Package, id *ast.Ident) {
	c, ok := p.TypesInfo.Uses[id].(*types.Const)
	if ok && c.Pkg() != nil && c.Pkg().Path() == v.path && c.Parent() == c.Pkg().Scope() && v.constants[c.Name()] != "" {
		v.report(p, id.Pos(), OtherValue, v.constants[c.Name()], "see that this is what you want, where you keep or compare such values too")
	}
}

// comparison is a comparison of values.
type comparison struct {
	at       token.Pos
	what     string
	pointers []string // pointers in them that are compared by identity
}

// comparisons returns the comparisons in a file with keys that survive moves.
func (v *viewer) comparisons(p *packages.Package, file *ast.File, name string, each func(key string, c comparison)) {
	for _, decl := range file.Decls {
		var in string // the first name, which identifies the declaration
		declared.Names(decl)(func(name string, _ *ast.Ident) bool {
			in = name
			return false
		})
		n := 0
		note := func(at token.Pos, what string, t types.Type) {
			n++
			if t == nil {
				return
			}
			if basic, ok := t.(*types.Basic); ok && basic.Kind() == types.UntypedNil {
				return
			}
			each(fmt.Sprintf("%s\x00%s\x00%s\x00%d", name, in, what, n), comparison{at, what, byPlace(t)})
		}
		ast.Inspect(decl, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.BinaryExpr:
				if node.Op != token.EQL && node.Op != token.NEQ {
					break
				}
				x, y := p.TypesInfo.Types[node.X], p.TypesInfo.Types[node.Y]
				if x.IsNil() || y.IsNil() {
					note(node.OpPos, node.Op.String(), nil)
					break
				}
				t := x.Type
				if x.Value != nil {
					t = y.Type
				}
				note(node.OpPos, node.Op.String(), t)
			case *ast.SwitchStmt:
				if node.Tag != nil {
					note(node.Tag.Pos(), "switch", p.TypesInfo.TypeOf(node.Tag))
				}
			case *ast.IndexExpr:
				t := p.TypesInfo.TypeOf(node.X)
				if t == nil {
					break
				}
				if m, ok := t.Underlying().(*types.Map); ok {
					note(node.Index.Pos(), "a key of a map", m.Key())
				}
			}
			return true
		})
	}
}

// compare reports comparisons that newly compare by identity.
func (v *viewer) compare(p *packages.Package, key string, c comparison) {
	was, ok := v.was[key]
	if !ok {
		return
	}
	for _, part := range c.pointers {
		if !slices.Contains(was.pointers, part) && len(was.pointers) < len(c.pointers) {
			v.report(p, c.at, OtherComparison, fmt.Sprintf("%s compares %s from now on, not what is there", c.what, part), "compare what they point to")
			return
		}
	}
}

// byPlace returns the parts of a type that are compared by identity.
func byPlace(t types.Type) []string {
	var out []string
	var walk func(t types.Type, where string, depth int)
	walk = func(t types.Type, where string, depth int) {
		if t == nil || depth > 8 {
			return
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			out = append(out, strings.TrimSpace("pointers "+where))
		case *types.Interface:
			if where != "" || u.NumMethods() > 0 {
				out = append(out, strings.TrimSpace("values behind an interface "+where))
			}
		case *types.Struct:
			for i := range u.NumFields() {
				walk(u.Field(i).Type(), "in "+strings.TrimPrefix(strings.TrimPrefix(where, "in ")+"."+u.Field(i).Name(), "."), depth+1)
			}
		case *types.Array:
			walk(u.Elem(), where, depth+1)
		}
	}
	walk(t, "", 0)
	return out
}
