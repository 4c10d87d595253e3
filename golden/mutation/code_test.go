// What emitted code may hold: a closed list. Everything else came out of an input.

package mutation

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/emit"
	"github.com/ahpgen/ahpgen/templates"
)

// checker looks at emitted packages. It is not safe for concurrent use.
type checker struct {
	importer types.Importer
	fset     *token.FileSet
	runs     int
	runtime  map[string]*runtimeFile    // name and package
	seen     map[[sha256.Size]byte]bool // packages that were found to be in order
}

// runtimeFile is a file whose text is known but for its first line.
type runtimeFile struct {
	body     []byte
	whole    *ast.File
	declared *ast.File // without the bodies of functions
}

// newChecker takes the files with export data by import path.
func newChecker(exports map[string]string, open func(string) (io.ReadCloser, error)) *checker {
	lookup := func(path string) (io.ReadCloser, error) {
		name, ok := exports[path]
		if !ok {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return open(name)
	}
	c := &checker{seen: map[[sha256.Size]byte]bool{}, importer: importer.ForCompiler(token.NewFileSet(), "gc", lookup)}
	c.reset()
	return c
}

// reset forgets positions, which would only grow.
func (c *checker) reset() {
	c.fset, c.runtime = token.NewFileSet(), map[string]*runtimeFile{}
}

// standardImports are the only ones that files beside the runtime have.
var standardImports = []string{"bytes", "cmp", "context", "encoding/json", "errors", "fmt", "maps", "slices", "strconv", "strings", "time"}

// calledFrom lists what those files use of other packages.
var calledFrom = map[string]bool{
	"json.RawMessage": true, "json.Marshaler": true, "json.Number": true, "json.Unmarshal": true, "json.Marshal": true, "json.Unmarshaler": true,
	"context.Context": true, "fmt.Errorf": true, "fmt.Sprintf": true, "errors.New": true, "errors.As": true, "errors.Is": true,
}

var emittedNames = map[string]bool{}

func init() {
	for _, name := range []string{
		"types", "enums", "unions", "codec", "codec_unions", "actions", "reducers", "store", "methods", "errors", "client", "host", "handlers", "host_server", "rpc_protocol", "doc",
	} {
		emittedNames[name+emit.Suffix] = true
	}
}

var handNames = regexp.MustCompile(`^(reducers_[\p{L}\p{N}_]+|host_server)\.go$`)

// check holds a planned package against what it may be.
func (c *checker) check(plan *generator.Plan, deep bool) *failure {
	if c.runs++; c.runs%500 == 0 {
		c.reset()
	}
	sum := digest(plan)
	if c.seen[sum] && !deep {
		return nil
	}
	f := c.take(plan, deep)
	if f == nil {
		c.seen[sum] = true
	}
	return f
}

// digest is one of everything that is planned.
func digest(plan *generator.Plan) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, f := range plan.Files {
		if !f.Aside {
			fmt.Fprintf(h, "%q %q %t %d\n%s", f.Name, f.Dir, f.Hand, len(f.New), f.New)
		}
	}
	h.Sum(sum[:0])
	return sum
}

// take takes a planned package apart.
func (c *checker) take(plan *generator.Plan, deep bool) *failure {
	var files []*ast.File
	stripped := map[string]bool{}
	var parsed []*token.File
	defer func() {
		for _, f := range parsed {
			c.fset.RemoveFile(f)
		}
	}()
	for _, f := range plan.Files {
		if f.Aside {
			if f.Name != generator.LockName {
				return fail("unexpected file", f.Name, "%s", f.Name)
			}
			continue
		}
		if f.New == nil {
			continue
		}
		if fail := c.name(f); fail != nil {
			return fail
		}
		known, fail := c.known(f, plan.Package)
		if fail != nil {
			return fail
		}
		if known != nil {
			if deep {
				files = append(files, known.whole)
			} else {
				stripped[f.Name] = true
				files = append(files, known.declared)
			}
			continue
		}
		file, fail := c.file(f, plan.Package)
		if file != nil {
			parsed = append(parsed, c.fset.File(file.FileStart))
			files = append(files, file)
		}
		if fail != nil {
			return fail
		}
	}
	return c.types(plan.Package, files, stripped)
}

// name checks the name of a file, and that every build takes it.
func (c *checker) name(f generator.PlannedFile) *failure {
	if !emittedNames[f.Name] && !handNames.MatchString(f.Name) && !isRuntime(f.Name) || f.Dir != "" {
		return fail("unexpected file", "name", "%q", f.Name)
	}
	for _, system := range []string{"linux/amd64", "windows/arm64", "js/wasm"} {
		goos, goarch, _ := strings.Cut(system, "/")
		ctx := build.Context{GOOS: goos, GOARCH: goarch, Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.New)), nil }}
		if ok, err := ctx.MatchFile("out", f.Name); err != nil || !ok || strings.HasSuffix(f.Name, "_test.go") {
			return fail("not in every build", pattern(f.Name), "%s is not built for %s (%v):\n%s", f.Name, system, err, cut(string(f.New)))
		}
	}
	return nil
}

// pattern is a file's name without what comes from the input.
func pattern(name string) string {
	if handNames.MatchString(name) && strings.HasPrefix(name, "reducers_") {
		return "reducers_*.go"
	}
	return name
}

func runtimeTexts(header, pkg string) (map[string][]byte, error) {
	out, err := templates.Runtime(header, pkg, "nullable", "reducer", "store")
	if err != nil {
		return nil, err
	}
	calls, err := templates.RPC(header, pkg, true, true)
	for name, text := range calls {
		out[name] = text
	}
	return out, err
}

var runtimeList = func() map[string]bool {
	list, err := runtimeTexts("// x", "p")
	if err != nil {
		panic(err)
	}
	out := map[string]bool{}
	for name := range list {
		out[name+emit.Suffix] = true
	}
	return out
}()

func isRuntime(name string) bool { return runtimeList[name] }

var headerLine = regexp.MustCompile(`^// Code generated by ahpgen( from [^\n]*)?\. DO NOT EDIT\.$`)

// known returns the runtime file of that name, whose text has to be that of the templates.
func (c *checker) known(f generator.PlannedFile, pkg string) (*runtimeFile, *failure) {
	if !isRuntime(f.Name) {
		return nil, nil
	}
	header, body, _ := strings.Cut(string(f.New), "\n")
	if !headerLine.MatchString(header) || strings.ContainsFunc(header, hidden) {
		return nil, fail("header", "runtime", "%q", header)
	}
	r := c.runtime[pkg+"/"+f.Name]
	if r == nil {
		texts, err := runtimeTexts("// x", pkg)
		if err != nil {
			return nil, fail("test", "templates", "%v", err)
		}
		_, want, _ := strings.Cut(string(texts[strings.TrimSuffix(f.Name, emit.Suffix)]), "\n")
		r = &runtimeFile{body: []byte(want)}
		if r.whole, err = parser.ParseFile(c.fset, f.Name, "// x\n"+want, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return nil, fail("test", "templates", "%v", err)
		}
		r.declared = declarations(r.whole)
		c.runtime[pkg+"/"+f.Name] = r
	}
	if string(r.body) != body {
		return nil, fail("runtime differs", f.Name, "%s is not the text of its template", f.Name)
	}
	return r, nil
}

// declarations is a file without the bodies of its functions, but those of generic ones, which need
// theirs.
func declarations(file *ast.File) *ast.File {
	out := *file
	out.Decls = nil
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Type.TypeParams == nil {
			bare := *f
			bare.Body = nil
			d = &bare
		}
		out.Decls = append(out.Decls, d)
	}
	return &out
}

// file takes a file apart that depends on the input.
func (c *checker) file(f generator.PlannedFile, pkg string) (*ast.File, *failure) {
	name := pattern(f.Name)
	if !f.Hand {
		header, _, _ := strings.Cut(string(f.New), "\n")
		if !headerLine.MatchString(header) {
			return nil, fail("header", name, "%q", header)
		}
	}
	if fail := rawText(name, f.New); fail != nil {
		return nil, fail
	}
	file, err := parser.ParseFile(c.fset, f.Name, f.New, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return file, fail("does not parse", name+": "+normal(err.Error()), "%v", err)
	}
	if file.Name.Name != pkg {
		return file, fail("package", name, "%s", file.Name.Name)
	}
	if f.Hand && strings.HasPrefix(string(f.New), emit.Marker) {
		return file, fail("header", name, "a person's file says that it is generated")
	}
	imports, fail := imports(name, file)
	if f.Hand && c.finished(f) {
		fail = nil
	}
	if fail == nil {
		fail = comments(name, file)
	}
	if fail == nil {
		fail = c.declared(name, file)
	}
	if fail == nil && !(f.Hand && c.finished(f)) {
		fail = c.used(name, file, imports)
	}
	return file, fail
}

// finished reports whether a file holds the finished reducers that ahpgen brings along.
func (c *checker) finished(f generator.PlannedFile) bool {
	matches, err := filepath.Glob(filepath.Join(moduleDir, "generated", "*", f.Name))
	if err != nil {
		return false
	}
	for _, name := range matches {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, ours, _ := bytes.Cut(data, []byte("\npackage "))
		_, theirs, _ := bytes.Cut(f.New, []byte("\npackage "))
		_, ours, _ = bytes.Cut(ours, []byte("\n"))
		_, theirs, _ = bytes.Cut(theirs, []byte("\n"))
		if bytes.Equal(ours, theirs) {
			return true
		}
	}
	return false
}

// rawText looks at the bytes of a file as tools do that read lines.
func rawText(name string, data []byte) *failure {
	if !utf8.Valid(data) {
		return fail("hidden character", name, "invalid UTF-8")
	}
	for i, line := range strings.Split(string(data), "\n") {
		for _, r := range line {
			if r != '\t' && hidden(r) {
				return fail("hidden character", name, "line %d: %U in %q", i+1, r, cut(line))
			}
		}
		if isDirective(strings.TrimSpace(line)) && line != "//sumtype:decl" {
			return fail("directive", name, "line %d: %q", i+1, cut(line))
		}
	}
	return nil
}

var directive = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)

// isDirective reports whether some tool takes a comment for an instruction.
func isDirective(comment string) bool {
	rest, isComment := strings.CutPrefix(comment, "//")
	trimmed := strings.TrimSpace(rest)
	return isComment && (directive.MatchString(comment) || strings.HasPrefix(rest, "line ") || strings.HasPrefix(rest, "export ") || strings.HasPrefix(rest, "extern ") ||
		strings.HasPrefix(rest, "go:") || strings.HasPrefix(rest, "nolint") || trimmed == "+build" || strings.HasPrefix(trimmed, "+build ") || strings.HasPrefix(trimmed, "+build\t"))
}

// imports checks the imports and returns their names.
func imports(name string, file *ast.File) (map[string]bool, *failure) {
	out := map[string]bool{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || spec.Name != nil || !slices.Contains(standardImports, path) {
			return nil, fail("import", name, "%s", spec.Path.Value)
		}
		out[filepath.Base(path)] = true
	}
	return out, nil
}

// comments checks every comment of a file, wherever it stands.
func comments(name string, file *ast.File) *failure {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "/*") || isDirective(comment.Text) && comment.Text != "//sumtype:decl" {
				return fail("directive", name, "%q", cut(comment.Text))
			}
		}
	}
	return nil
}

// declared checks what a file declares: nothing runs by itself.
func (c *checker) declared(name string, file *ast.File) *failure {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			switch {
			case d.Body == nil:
				return fail("foreign code", name, "function %s has no body", d.Name.Name)
			case d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "main" || d.Name.Name == "_"):
				return fail("foreign code", name, "function %s", d.Name.Name)
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			var call ast.Node
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.CallExpr:
					if _, conversion := n.Fun.(*ast.ParenExpr); !conversion { // var _ I = (*T)(nil)
						call = n
					}
				}
				return call == nil
			})
			if call != nil {
				return fail("foreign code", name, "a variable calls something when the package is loaded, at %s", c.fset.Position(call.Pos()))
			}
		}
	}
	return nil
}

// used checks every identifier: none is the canary, and of other packages only what is known is used.
func (c *checker) used(name string, file *ast.File, imports map[string]bool) *failure {
	var out *failure
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == canary {
				out = fail("foreign code", name, "the canary at %s", c.fset.Position(n.Pos()))
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] && !calledFrom[x.Name+"."+n.Sel.Name] {
				out = fail("foreign code", name+" "+x.Name+"."+n.Sel.Name, "uses %s.%s", x.Name, n.Sel.Name)
			}
		case *ast.GoStmt:
			out = fail("foreign code", name, "starts a goroutine")
		}
		return out == nil
	}
	for _, decl := range file.Decls { // the package may be called anything
		ast.Inspect(decl, look)
	}
	return out
}

var runtimeOfGo = regexp.MustCompile(`[A-Z][A-Za-z0-9_]*|[a-z]+[A-Z0-9_][A-Za-z0-9_]*`)

// types type-checks the package. Imports that only the bodies left out would use do not count.
func (c *checker) types(pkg string, files []*ast.File, stripped map[string]bool) *failure {
	var first *failure
	config := &types.Config{Importer: c.importer, GoVersion: "go1.21", Error: func(err error) {
		e, ok := err.(types.Error)
		if !ok || first != nil {
			return
		}
		file := c.fset.Position(e.Pos).Filename
		if stripped[file] && strings.HasSuffix(e.Msg, "imported and not used") {
			return
		}
		sign := strings.Join(strings.Fields(runtimeOfGo.ReplaceAllString(normalGo(e.Msg), "")), " ")
		first = fail("does not compile", pattern(file)+": "+sign, "%s: %s", c.fset.Position(e.Pos), e.Msg)
	}}
	checked, crash := c.checked(config, pkg, files)
	if crash != nil {
		return crash
	}
	if first != nil {
		return first
	}
	for _, name := range checked.Scope().Names() {
		if r, _ := utf8.DecodeRuneInString(name); types.Universe.Lookup(name) != nil || !unicode.IsLetter(r) {
			return fail("foreign code", "declares "+name, "the package declares %s", name)
		}
	}
	return nil
}

// checked runs the type checker, which some declarations make panic; the compiler does too.
func (c *checker) checked(config *types.Config, pkg string, files []*ast.File) (checked *types.Package, crash *failure) {
	defer func() {
		if r := recover(); r != nil {
			crash = fail("does not compile", "the type checker panics", "%v", r)
		}
	}()
	checked, _ = config.Check(pkg, c.fset, files, nil)
	return checked, nil
}

func normalGo(message string) string {
	if i := strings.IndexByte(message, '\n'); i >= 0 {
		message = message[:i]
	}
	return quoted.ReplaceAllString(message, "")
}
