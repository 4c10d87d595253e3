// What emitted code may hold: a closed list. Everything else came out of an input.

package mutation

import (
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generator"
)

// goVersion is the oldest language that emitted code is for.
const goVersion = "go1.23"

// checker looks at emitted packages. It is not safe for concurrent use.
type checker struct {
	importer types.Importer
	fset     *token.FileSet
	runs     int
	floors   map[string]*floor          // by import path
	seen     map[[sha256.Size]byte]bool // packages that were found to be in order
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
	c := &checker{seen: map[[sha256.Size]byte]bool{}, floors: map[string]*floor{}, importer: importer.ForCompiler(token.NewFileSet(), "gc", lookup)}
	c.fset = token.NewFileSet()
	return c
}

// check holds a planned package against what it may be.
func (c *checker) check(plan *generator.Plan, deep bool) *failure {
	if c.runs++; c.runs%500 == 0 {
		c.fset = token.NewFileSet() // positions would only grow
	}
	floor, f := c.floorOf(plan)
	if f != nil {
		return f
	}
	sum := digest(plan, floor.path)
	if c.seen[sum] && !deep {
		return c.stands(plan, floor, nil)
	}
	f = c.take(plan, floor)
	if f == nil {
		c.seen[sum] = true
	}
	return f
}

// digest is one of everything that is planned, but for the text of the floor, which is compared.
func digest(plan *generator.Plan, importPath string) (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", plan.Package, importPath)
	for _, f := range plan.Files {
		switch {
		case f.Aside:
		case path.Dir(f.Name) != ".":
			fmt.Fprintf(h, "%q %q %t %t\n", f.Name, f.Dir, f.Hand, f.New == nil)
		default:
			fmt.Fprintf(h, "%q %q %t %d\n%s", f.Name, f.Dir, f.Hand, len(f.New), f.New)
		}
	}
	h.Sum(sum[:0])
	return sum
}

// take takes a planned package apart.
func (c *checker) take(plan *generator.Plan, floor *floor) *failure {
	var files []*ast.File
	var folders []string // of the floor
	defer func() {
		for _, f := range files {
			c.fset.RemoveFile(c.fset.File(f.FileStart))
		}
	}()
	for _, f := range plan.Files {
		switch {
		case f.Aside && f.Name != generator.LockName:
			return fail("unexpected file", f.Name, "%s", f.Name)
		case f.New != nil && f.Name == randomFile(plan):
			if fail := c.random(f); fail != nil {
				return fail
			}
			continue
		case f.Aside, f.New == nil, path.Dir(f.Name) != ".": // those of the floor come later
			continue
		}
		if fail := c.name(f); fail != nil {
			return fail
		}
		file, imported, fail := c.file(f, plan.Package, floor)
		if file != nil {
			files = append(files, file)
		}
		if fail != nil {
			return fail
		}
		for _, importPath := range imported {
			if folder, ok := floor.folderOf(importPath); ok && !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	if fail := c.stands(plan, floor, folders); fail != nil {
		return fail
	}
	return c.types(plan.Package, files, floor)
}

// randomFile returns the name of the file with random values, which is a package of its own.
func randomFile(plan *generator.Plan) string {
	return plan.Package + "random/random" + generator.Suffix
}

// random checks the file with random values, whose package imports the emitted one. It is compiled by other tests.
func (c *checker) random(f generator.PlannedFile) *failure {
	if failed := rawText("random", f.New); failed != nil {
		return failed
	}
	file, err := parser.ParseFile(c.fset, f.Name, f.New, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fail("does not compile", "random", "%v", err)
	}
	defer c.fset.RemoveFile(c.fset.File(file.FileStart))
	return comments("random", file)
}

// name checks the name of a file, and that every build takes it.
func (c *checker) name(f generator.PlannedFile) *failure {
	known := emittedNames[f.Name] || sideNames.MatchString(f.Name) || finishedReducers().names[f.Name]
	if f.Hand {
		known = handNames.MatchString(f.Name) && !strings.HasSuffix(f.Name, generator.Suffix)
	}
	if !known || f.Dir != "" {
		return fail("unexpected file", "name", "%q", f.Name)
	}
	for _, system := range []string{"linux/amd64", "windows/arm64", "js/wasm"} {
		goos, goarch, _ := strings.Cut(system, "/")
		ok, err := inBuild(&build.Context{GOOS: goos, GOARCH: goarch, Compiler: "gc"}, f.Name, f.New)
		if err != nil || !ok || strings.HasSuffix(f.Name, "_test.go") {
			return fail("not in every build", pattern(f.Name), "%s is not built for %s (%v):\n%s", f.Name, system, err, cut(string(f.New)))
		}
	}
	return nil
}

// pattern is a file's name without what comes from the input.
func pattern(name string) string {
	if handNames.MatchString(name) && strings.HasPrefix(name, "reducers_") && !strings.HasSuffix(name, generator.Suffix) {
		return "reducers_*.go"
	}
	return name
}

var headerLine = regexp.MustCompile(`^// Code generated by ahpgen( from [^\n]*)?\. DO NOT EDIT\.$`)

// file takes a file apart that depends on the input. It returns its imports, by their names there.
func (c *checker) file(f generator.PlannedFile, pkg string, floor *floor) (file *ast.File, imported map[string]string, failed *failure) {
	name := pattern(f.Name)
	if !f.Hand {
		header, _, _ := strings.Cut(string(f.New), "\n")
		if !headerLine.MatchString(header) {
			return nil, nil, fail("header", name, "%q", header)
		}
	}
	if fail := rawText(name, f.New); fail != nil {
		return nil, nil, fail
	}
	file, err := parser.ParseFile(c.fset, f.Name, f.New, parser.ParseComments|parser.SkipObjectResolution)
	switch {
	case err != nil:
		failed = fail("does not parse", name+": "+normal(err.Error()), "%v", err)
	case file.Name.Name != pkg:
		failed = fail("package", name, "%s", file.Name.Name)
	case f.Hand && strings.HasPrefix(string(f.New), generator.Marker):
		failed = fail("header", name, "a person's file says that it is generated")
	}
	if failed == nil {
		imported, failed = imports(name, file, floor)
	}
	if failed == nil {
		failed = comments(name, file)
	}
	if failed == nil {
		failed = c.declared(name, file, imported, floor)
	}
	if failed == nil {
		failed = c.code(f, file, imported, floor)
	}
	return file, imported, failed
}

// code checks what the declarations of a file do. Finished reducers do what they do in their sources.
func (c *checker) code(f generator.PlannedFile, file *ast.File, imported map[string]string, floor *floor) *failure {
	name, sources := pattern(f.Name), finishedReducers()
	for _, decl := range file.Decls { // the package may be called anything
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			continue
		}
		allowed := calledFrom
		if sources.names[f.Name] {
			if !sources.shapes[shape(c.fset, decl, f.New)] {
				return fail("foreign code", name, "what is at %s is in no source of the reducers", c.fset.Position(decl.Pos()))
			}
			allowed = sources.called
		}
		failed := c.used(name, decl, imported, floor, allowed)
		if function, ok := decl.(*ast.FuncDecl); ok && failed != nil && f.Hand {
			failed = c.takenOver(name, function, f.New, imported, floor, failed)
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// takenOver checks a person's function that does what other emitted code does not: the body may be that of
// a finished reducer, and nothing but the body. Stubs may look like one by chance, such as an empty one, which
// is why this is asked last.
func (c *checker) takenOver(name string, function *ast.FuncDecl, text []byte, imported map[string]string, floor *floor, failed *failure) *failure {
	sources := finishedReducers()
	if !sources.shapes[shape(c.fset, function.Body, text)] {
		return failed
	}
	head := *function
	head.Body = nil
	if failed := c.used(name, &head, imported, floor, calledFrom); failed != nil {
		return failed
	}
	return c.used(name, function.Body, imported, floor, sources.called)
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

// imports checks the imports and returns their paths by name.
func imports(name string, file *ast.File, floor *floor) (map[string]string, *failure) {
	out := map[string]string{}
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		_, below := floor.folderOf(importPath)
		if err != nil || !below && !slices.Contains(standardImports, importPath) {
			return nil, fail("import", name, "%s", spec.Path.Value)
		}
		called := path.Base(importPath)
		if below && floor.path == importPath {
			called = "wire" // wherever it is
		}
		if spec.Name != nil {
			called = spec.Name.Name
		}
		if called == "_" || called == "." {
			return nil, fail("import", name, "%s %s", called, spec.Path.Value)
		}
		out[called] = importPath
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
func (c *checker) declared(name string, file *ast.File, imported map[string]string, floor *floor) *failure {
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
					_, conversion := n.Fun.(*ast.ParenExpr) // var _ I = (*T)(nil)
					if !conversion && !isHarmless(n, imported, floor) {
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

// isHarmless reports whether a call does nothing but name a function.
func isHarmless(call *ast.CallExpr, imported map[string]string, floor *floor) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	if imported[x.Name] == "encoding/json" && sel.Sel.Name == "RawMessage" { // a conversion
		return true
	}
	folder, below := floor.folderOf(imported[x.Name])
	return below && calledAtLoad[path.Base(path.Join("wire", folder))+"."+sel.Sel.Name]
}

// used checks every identifier of a declaration, or of a part: none is the canary, and of other packages only
// what is allowed is used.
func (c *checker) used(name string, part ast.Node, imported map[string]string, floor *floor, allowed map[string]bool) *failure {
	var out *failure
	ast.Inspect(part, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == canary {
				out = fail("foreign code", name, "the canary at %s", c.fset.Position(n.Pos()))
			}
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok || imported[x.Name] == "" {
				break
			}
			if _, below := floor.folderOf(imported[x.Name]); below {
				break
			}
			if call := path.Base(imported[x.Name]) + "." + n.Sel.Name; !allowed[call] {
				out = fail("foreign code", name+" "+call, "uses %s", call)
			}
		case *ast.GoStmt:
			out = fail("foreign code", name, "starts a goroutine")
		}
		return out == nil
	})
	return out
}

// namesOfGo are words in messages of the type checker that come from the package.
var namesOfGo = regexp.MustCompile(`[A-Z][A-Za-z0-9_]*|[a-z]+[A-Z0-9_][A-Za-z0-9_]*`)

// types type-checks the package, on the floor that it stands on.
func (c *checker) types(pkg string, files []*ast.File, floor *floor) *failure {
	var first *failure
	config := &types.Config{Importer: floorImporter{c, floor}, GoVersion: goVersion, Error: func(err error) {
		e, ok := err.(types.Error)
		if !ok || first != nil {
			return
		}
		file := c.fset.Position(e.Pos).Filename
		sign := strings.Join(strings.Fields(namesOfGo.ReplaceAllString(normalGo(e.Msg), "")), " ")
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
