package userfile_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
)

// gaps are what may stand between two tokens.
var gaps = []string{
	" ", "\n", "\r\n", ";", "; ", "\n\n", "\t", "/* c */", "/*\n*/", "/* a\r\nb\r\nc */", " // c\n", "\n// doc\n", "\n//go:noinline\n",
	"\n//go:build x\n", "\n//line y.go:7\n", "/*line :3*/", "\n// +build x\n\n", "\r", "\n/* doc */ ",
}

// pieces are declarations and fragments that may be added at the top level.
var pieces = []string{
	"func (r *Reducer) a() {}", "func (Reducer) b(int) string { return `x\r\ny` }", "func (_ *Reducer) c()", "var s = `\n\r\n`",
	"const (\n\tx = iota\n\ty\n)", "type R = Reducer", "type Reducer struct {\n\tA int `json:\"a\"`\n}", "import \"fmt\"", "import (\n\t\"a\"\n\n\t\"z\"\n)",
	"/*\n#include <x.h>\n*/\nimport \"C\"", "import . \"context\"", "func (r *R) d(a, b int) (c error)", "type T struct{ a string `\r\n` }",
	"func (context *Reducer) e() {}", "import context `b`", "import (`a`; \"d\")", "import()",
}

// shake spoils the space between the tokens of a file and strews declarations in, some of the time
// into what still is Go.
func shake(src string, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, []byte(src), nil, scanner.ScanComments)
	var b strings.Builder
	done, depth := 0, 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		start := f.Offset(pos)
		if start < done || tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		b.WriteString(src[done:start])
		done = start
		if random.IntN(8) == 0 {
			b.WriteString(gaps[random.IntN(len(gaps))])
		}
		switch tok {
		case token.LBRACE, token.LPAREN:
			depth++
		case token.RBRACE, token.RPAREN:
			depth--
		case token.FUNC, token.VAR, token.TYPE, token.CONST, token.IMPORT:
			if depth == 0 && random.IntN(4) == 0 {
				b.WriteString(pieces[random.IntN(len(pieces))] + []string{";", "\n", "\r\n\r\n"}[random.IntN(3)])
			}
		}
	}
	b.WriteString(src[done:])
	if random.IntN(4) == 0 {
		b.WriteString([]string{";", "\n"}[random.IntN(2)] + pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

func FuzzInsert(f *testing.F) {
	cases, err := filepath.Glob("testdata/*.txtar")
	require.NoError(f, err)
	for i, name := range cases {
		archive, err := txtar.ParseFile(name)
		require.NoError(f, err)
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".go") {
				f.Add(string(file.Data), uint64(0), uint8(i), "Doc.", "r.unfinished()")
				f.Add(strings.ReplaceAll(string(file.Data), "\n", "\r\n"), uint64(i), uint8(i), "a\n//go:build x", "x := `\n`")
			}
		}
	}
	f.Add("\ufeffpackage p;func(r Reducer)a(){};func b(){\n}", uint64(1), uint8(0), "", "")
	f.Fuzz(func(t *testing.T, src string, seed uint64, choice uint8, doc, body string) {
		if seed != 0 {
			src = shake(src, seed)
		}
		checkInsertion(t, src, fuzzStubs(choice, doc, body))
	})
}

func fuzzStubs(choice uint8, doc, body string) []userfile.Stub {
	file := []string{"a.go", "new.go"}[choice&1]
	receiver := []string{"r *Reducer", "Reducer", "r *Box[T]", "r R"}[choice>>1&3]
	stubs := []userfile.Stub{
		{Receiver: receiver, Name: "sessionReady", Signature: "(state *State) *State", File: file, Group: "session", Doc: []string{doc}, Body: body},
		{Receiver: receiver, Name: "a", Signature: "()", File: file, Group: "session"},
		{Receiver: receiver, Name: "chatDelta", Signature: "(ctx context.Context, w io.Writer)", File: file, Group: "chat",
			Imports: map[string]string{"context": "context", "io": "io"}},
	}
	return stubs[:1+int(choice>>3)%3]
}

func checkInsertion(t *testing.T, src string, stubs []userfile.Stub) {
	before := folder{"a.go": src}
	var diags diag.List
	pkg, loaded, err := userfile.Load(before.fs(), source())
	diags.Add(loaded...)
	require.NoError(t, err)
	if pkg == nil {
		require.NotZero(t, diags.Len())
		return
	}
	edits, findings, err := pkg.Plan(stubs, options)
	if err != nil {
		require.NotContains(t, err.Error(), "extend ", "a result that cannot be read")
		return // the stub is no Go
	}
	after := applyAll(t, before, edits) // bytes outside are compared here
	again, findingsAgain, err := load(t, after).Plan(stubs, options)
	require.NoError(t, err)
	require.Empty(t, again, "the second plan for %q", after)
	require.Equal(t, count(findings, userfile.WrongSignature), count(findingsAgain, userfile.WrongSignature), "%q", after)
	if len(edits) > 0 && after["a.go"] != src {
		requireSameDeclarations(t, src, after["a.go"])
	}
}

// requireSameDeclarations holds that every declaration is still there with its text and documentation, in order.
func requireSameDeclarations(t *testing.T, before, after string) {
	t.Helper()
	rest := declarations(t, after)
	for _, want := range declarations(t, before) {
		found := false
		for len(rest) > 0 && !found {
			found = rest[0] == want
			rest = rest[1:]
		}
		if !found && isExtendedImport(want) {
			rest = declarations(t, after) // a list of imports may have grown
			continue
		}
		require.True(t, found, "lost %q:\n%q", want, after)
	}
}

func isExtendedImport(decl string) bool { return strings.Contains(decl, "import") }

func declarations(t *testing.T, src string) []string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	file := fset.File(f.FileStart)
	var out []string
	for _, decl := range f.Decls {
		var doc *ast.CommentGroup
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			doc = decl.Doc
		case *ast.GenDecl:
			doc = decl.Doc
		}
		text := ""
		if doc != nil && !strings.Contains(src, "line ") { // the parser goes by //line, which shifts
			for _, c := range doc.List {
				text += c.Text + "\n"
			}
		}
		out = append(out, text+src[file.Offset(decl.Pos()):file.Offset(decl.End())])
	}
	return out
}
