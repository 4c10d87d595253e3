// Custom: types of the user's for values, and struct tags, from ahpgen.json.

package generator

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/compile"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// TypeEntry gives values a Go type that is declared elsewhere. They are those at a place, or those of a format.
type TypeEntry struct {
	At     string   `json:"at,omitempty"`     // Definition or Definition.member, which may have wildcards
	Format string   `json:"format,omitempty"` // such as "uuid"
	Except []string `json:"except,omitempty"` // places that keep their type
	Type   string   `json:"type"`             // import path and name, such as "time.Time"
	Decode string   `json:"decode"`           // import path and name of a function
	Encode string   `json:"encode"`           // likewise, or the name of a method of the type

	file *schema.Node // the entry in the file that it is from, or nil
}

// TagEntry adds struct tags to the fields of members.
type TagEntry struct {
	At  string `json:"at"`  // Definition.member, which may have wildcards
	Tag string `json:"tag"` // such as db:"{name}"

	file *schema.Node
}

// custom returns the rules of the configuration for types and tags. With types it loads their packages, unless the
// declarations are only compared.
func (g *Generator) custom(own string) ([]golang.CustomRule, []golang.TagRule) {
	var rules []golang.CustomRule
	for _, t := range g.config.Types {
		r := golang.CustomRule{At: t.At, Format: t.Format, Pos: cmp.Or(t.at("/at"), t.at("/format")), Type: &golang.Custom{Text: true}}
		for i, place := range t.Except {
			r.Except = append(r.Except, golang.CustomPlace{At: place, Pos: t.at("/except/" + strconv.Itoa(i))})
		}
		rules = append(rules, r)
	}
	if len(rules) > 0 {
		l := &customLoader{g: g, own: own}
		l.resolve(rules)
	}
	return rules, g.tags()
}

// at returns the position of a member of the entry by its pointer, that of the entry for "".
func (t *TypeEntry) at(pointer string) diag.Pos { return positionIn(t.file, pointer) }

// goName is a name in a package.
type goName struct{ path, name string }

// parseGoName splits an import path and a name, of which the last dot behind the last slash is between.
func parseGoName(text string) goName {
	slash := strings.LastIndexByte(text, '/') + 1
	dot := strings.LastIndexByte(text[slash:], '.')
	if dot < 0 {
		return goName{name: text}
	}
	return goName{text[:slash+dot], text[slash+dot+1:]}
}

// customLoader resolves the types and functions of entries.
type customLoader struct {
	g      *Generator
	own    string // import path of the package
	loaded map[string]*compile.Imported
	names  map[string]string // names of imports by path
	failed map[string]bool   // packages that were reported
}

func (l *customLoader) errorf(pos diag.Pos, hint, format string, args ...any) {
	l.g.diags.Errorf(pos, "bad-type", hint, format, args...)
}

func (l *customLoader) resolve(rules []golang.CustomRule) {
	entries := l.g.config.Types
	var paths []string
	for _, t := range entries {
		for _, text := range []string{t.Type, t.Decode, t.Encode} {
			if p := parseGoName(text).path; p != "" && !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	slices.Sort(paths)
	l.names, l.failed = map[string]string{}, map[string]bool{}
	if !l.g.config.lenient {
		loaded, err := compile.Imports(l.g.config.Out, paths)
		if errors.Is(err, compile.ErrNoModule) {
			l.errorf(entries[0].at(""), "run go mod init in the root of your module", "types of your own need a Go module, and %s is in none", DisplayPath(l.g.config.Out))
			return
		}
		if err != nil {
			l.errorf(entries[0].at(""), "see that the go command works in "+DisplayPath(gomod.Root(l.g.config.Out)), "%s", err)
			return
		}
		l.loaded = loaded
	}
	l.nameImports(paths)
	for i := range entries {
		l.entry(&entries[i], rules[i].Type)
	}
}

// imported are names that emitted files use for variables, or for packages beside those of the runtime.
var imported = []string{
	"v", "d", "e", "k", "b", "p", "r", "x", "c", "h", "dst", "seen", "start", "at", "before", "wire",
	"bytes", "context", "errors", "fmt", "http", "io", "iter", "json", "maps", "math", "slices", "strconv", "strings", "sync", "time",
}

// nameImports chooses under which names packages are imported. Those of the standard library and the runtime keep
// theirs.
func (l *customLoader) nameImports(paths []string) {
	taken := each.Set(imported)
	for _, folder := range emit.Folders() {
		taken[path.Base(folder)] = taken[path.Base(folder)] || !emit.Inside(folder)
	}
	for _, p := range paths {
		base := path.Base(p)
		if i := l.loaded[p]; i != nil && i.Name != "" {
			base = i.Name
			if i.Standard {
				l.names[p] = base
				continue
			}
		}
		base = cmp.Or(gotext.PackageName(base), "custom")
		name := base
		for n := 2; taken[name] || !gotext.IsIdentifier(name); n++ {
			name = base + strconv.Itoa(n)
		}
		taken[name], l.names[p] = true, name
	}
}

func (l *customLoader) importOf(p string) golang.CustomImport {
	out := golang.CustomImport{Path: p, Name: l.names[p]}
	if i := l.loaded[p]; i != nil {
		out.Standard, out.Renamed = i.Standard, i.Name != l.names[p]
	}
	return out
}

// entry resolves the names of an entry.
func (l *customLoader) entry(t *TypeEntry, out *golang.Custom) {
	typ, decode, encode := parseGoName(t.Type), parseGoName(t.Decode), parseGoName(t.Encode)
	out.Import, out.Name = l.importOf(typ.path), typ.name
	out.Decode = golang.CustomFunc{Import: l.importOf(decode.path), Name: decode.name}
	out.Encode = golang.CustomFunc{Name: encode.name}
	if encode.path != "" {
		out.Encode.Import = l.importOf(encode.path)
	}
	for _, n := range []struct {
		key  string
		name goName
	}{{"type", typ}, {"decode", decode}, {"encode", encode}} {
		if n.name.path == "" && n.key != "encode" {
			l.errorf(t.at("/"+n.key), "write its import path in front, as in \"time.Time\" or \"example.com/m/conv.Parse\"", "%s has no import path: %q", n.key, n.name.name)
			return
		}
		if !gotext.IsExported(n.name.name) {
			l.errorf(t.at("/"+n.key), "name something exported, without * and []", "%s is no exported name: %q", n.key, n.name.name)
			return
		}
	}
	if l.loaded == nil {
		return
	}
	named := l.object(t.at("/type"), typ)
	if named == nil {
		return
	}
	declared, ok := named.(*types.TypeName)
	if !ok {
		l.errorf(t.at("/type"), "name a type", "%s is no type", t.Type)
		return
	}
	if n, ok := types.Unalias(declared.Type()).(*types.Named); ok && n.TypeParams().Len() > 0 {
		l.errorf(t.at("/type"), "declare a type that has arguments for them, and name that", "%s has type parameters", t.Type)
		return
	}
	l.functions(t, declared.Type(), decode, encode, out)
}

// object returns what a name is declared as, nil if that was reported.
func (l *customLoader) object(pos diag.Pos, n goName) types.Object {
	p := l.loaded[n.path]
	switch {
	case p != nil && p.Uses[l.own]:
		l.problem(pos, n.path, "it is or imports the generated package", "move the type and its functions to a package that does not")
	case p == nil || p.Types == nil || p.Name == "":
		l.problem(pos, n.path, "it is not there", "go get "+n.path+", or correct the path")
	case p.Problem != "":
		l.problem(pos, n.path, p.Problem, "correct the package, which go vet "+n.path+" checks")
	case p.Name == "main":
		l.problem(pos, n.path, "it is a program", "move what is needed to a package of its own")
	default:
		o := p.Types.Scope().Lookup(n.name)
		if o == nil {
			l.errorf(pos, "declare it there, or correct the name", "%s has no %s", n.path, n.name)
		}
		return o
	}
	return nil
}

// problem reports once that a package cannot be imported.
func (l *customLoader) problem(pos diag.Pos, path, why, hint string) {
	if !l.failed[path] {
		l.failed[path] = true
		l.errorf(pos, hint, "package %s cannot be imported: %s", path, why)
	}
}

// functions checks the signatures of the functions of an entry, which decide what they convert.
func (l *customLoader) functions(t *TypeEntry, typ types.Type, decode, encode goName, out *golang.Custom) {
	name := path.Base(t.Type)
	f := l.object(t.at("/decode"), decode)
	sig := signature(f)
	switch {
	case f == nil:
		return
	case sig == nil || sig.Params().Len() != 1 || kindOf(sig.Params().At(0).Type()) == "" || sig.Results().Len() != 2 || sig.Variadic() ||
		!same(sig.Results().At(0).Type(), typ) || !isError(sig.Results().At(1).Type()):
		l.errorf(t.at("/decode"), fmt.Sprintf("write a function with the signature func(string) (%s, error), or func(json.RawMessage) (%s, error) for other JSON than strings", name, name),
			"%s is %s, which does not decode %s", t.Decode, described(f), name)
		return
	}
	kind := kindOf(sig.Params().At(0).Type())
	out.Text = kind == "string"
	if encode.path == "" {
		f, _, _ = types.LookupFieldOrMethod(typ, false, nil, encode.name)
		if m, ok := f.(*types.Func); !ok || types.NewMethodSet(typ).Lookup(m.Pkg(), m.Name()) == nil {
			l.errorf(t.at("/encode"), "name a method with a receiver that is no pointer, or a function with its import path", "%s has no method %s", name, encode.name)
			return
		}
	} else if f = l.object(t.at("/encode"), encode); f == nil {
		return
	}
	sig = signature(f)
	values := 0
	if encode.path != "" {
		values = 1
	}
	switch {
	case sig == nil || sig.Params().Len() != values || sig.Variadic() || values == 1 && !same(sig.Params().At(0).Type(), typ),
		sig.Results().Len() == 0 || sig.Results().Len() > 2 || kindOf(sig.Results().At(0).Type()) != kind,
		sig.Results().Len() == 2 && !isError(sig.Results().At(1).Type()):
		l.errorf(t.at("/encode"), fmt.Sprintf("write a function with the signature func(%s) %s, or func(%s) (%s, error)", name, kind, name, kind),
			"%s is %s, which does not encode %s as decode reads it", t.Encode, described(f), name)
	default:
		out.EncodeFails = sig.Results().Len() == 2
	}
}

// signature returns the signature of a function that has no type parameters, or nil.
func signature(o types.Object) *types.Signature {
	f, ok := o.(*types.Func)
	if !ok || f.Signature().TypeParams().Len() > 0 {
		return nil
	}
	return f.Signature()
}

// kindOf says what a function converts: "string", "json.RawMessage" or nothing.
func kindOf(t types.Type) string {
	if types.Identical(t, types.Typ[types.String]) {
		return "string"
	}
	if s, ok := t.Underlying().(*types.Slice); ok && types.Identical(s.Elem(), types.Typ[types.Byte]) {
		return "json.RawMessage"
	}
	return ""
}

// same reports whether types are the same, which may have been loaded apart.
func same(a, b types.Type) bool {
	return types.TypeString(types.Unalias(a), nil) == types.TypeString(types.Unalias(b), nil)
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// described returns a declaration as text with short names of packages.
func described(o types.Object) string {
	return types.TypeString(o.Type(), func(p *types.Package) string { return p.Name() })
}

// tagPair is a key and a value of a struct tag.
var tagPair = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_.-]*):("(?:[^"\\]|\\.)*")`)

// tags returns the rules for struct tags.
func (g *Generator) tags() []golang.TagRule {
	var out []golang.TagRule
	for _, t := range g.config.Tags {
		pairs, ok := tagPairs(t.Tag)
		if !ok {
			g.diags.Errorf(positionIn(t.file, "/tag"), "bad-tag", `write keys with values in quotes, one space between them, as in "db:\"{name}\""`, "%q is no struct tag", t.Tag)
			continue
		}
		out = append(out, golang.TagRule{At: t.At, Tag: pairs, Pos: positionIn(t.file, "/at")})
	}
	return out
}

// tagPairs splits a struct tag, each key of which may stand there once.
func tagPairs(text string) ([]golang.TagPair, bool) {
	var out []golang.TagPair
	for rest := text; ; {
		found := tagPair.FindStringSubmatch(rest)
		if found == nil {
			return nil, false
		}
		value, ok := reflect.StructTag(found[0]).Lookup(found[1])
		if !ok || slices.ContainsFunc(out, func(p golang.TagPair) bool { return p.Key == found[1] }) {
			return nil, false
		}
		out = append(out, golang.TagPair{Key: found[1], Value: value})
		if rest = rest[len(found[0]):]; rest == "" {
			return out, true
		}
		if rest, ok = strings.CutPrefix(rest, " "); !ok {
			return nil, false
		}
	}
}
