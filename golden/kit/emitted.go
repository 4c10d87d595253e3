// What is emitted: how a test generates, compiles and tests a package.

package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Analyse returns the protocol that a configuration describes.
func Analyse(t testing.TB, config generator.Config) *protocol.Protocol {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	p, err := g.Analyze()
	require.NoErrorf(t, err, "%v", diags.Sorted())
	return p
}

// Emitted runs a go command on the packages of a module, compiled without optimizations and symbols for debuggers, as they
// run once. TestRun does with optimizations what it does if the tests are thorough, and so do the tests of generated/ahp.
func Emitted(t testing.TB, module, verb string, args ...string) string {
	t.Helper()
	flags := []string{verb}
	if !*Thorough {
		flags = append(flags, EveryError)
	}
	return Run(t, module, "go", append(flags, args...)...)
}

// EveryError has the compiler name all that it refuses, and do without what takes long. Tests that compile the same packages pass
// the same flags, since the go command compiles them again for others.
const EveryError = "-gcflags=./...=-e -N -l -dwarf=false"

// TestEmitted tests packages of a module. What is emitted is vetted elsewhere.
func TestEmitted(t testing.TB, module string, packages ...string) string {
	t.Helper()
	return Emitted(t, module, "test", append([]string{"-vet=off", "-ldflags=-s -w"}, packages...)...)
}

// NewModule makes a module for emitted packages, and returns its folder. They share one runtime there.
func NewModule(t *testing.T) string {
	t.Helper()
	dir := Place(t)
	WriteFile(t, filepath.Join(dir, "go.mod"), "module golden\n\ngo 1.24\n")
	return dir
}

// Generate writes the package for a folder of schemas and returns the plan.
func Generate(t testing.TB, config generator.Config) *generator.Plan {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoErrorf(t, err, "%s", diags.Sorted())
	require.False(t, diags.HasErrors(), fmt.Sprint(diags.Sorted()))
	require.NoError(t, plan.Apply())
	return plan
}

// TestInFull tests packages of a module, vetted and with the race detector if the tests are thorough.
func TestInFull(t *testing.T, module string, packages ...string) {
	t.Helper()
	if !*Thorough {
		TestEmitted(t, module, packages...)
		return
	}
	Run(t, module, "go", append([]string{"test", "-race", "-vet=all"}, packages...)...)
}

// RequireUsed wants each function of an emitted package that only the package can call to be named somewhere in it. Checkers
// of unused code would report the others in the repositories of those who check what is emitted too.
func RequireUsed(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	fset := token.NewFileSet()
	declared := map[string]token.Pos{}
	named := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		names := map[*ast.Ident]bool{}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && !d.Name.IsExported() {
				declared[d.Name.Name] = d.Pos()
				names[d.Name] = true
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !names[id] {
				named[id.Name] = true
			}
			return true
		})
	}
	for name, pos := range declared {
		if !named[name] && name != "init" {
			t.Errorf("%s: nothing in the package names %s", fset.Position(pos), name)
		}
	}
}

// Structs returns the Go names of the structs of a package, by their definitions.
func Structs(t testing.TB, dir string) map[string]string {
	t.Helper()
	var lock struct {
		Names map[string]map[string]string `json:"names"`
	}
	data, err := os.ReadFile(filepath.Join(dir, generator.LockName))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &lock))
	types, err := os.ReadFile(filepath.Join(dir, "types_gen.go"))
	require.NoError(t, err)
	out := map[string]string{}
	for name, names := range lock.Names {
		if bytes.Contains(types, []byte("\ntype "+names[""]+" struct {")) {
			out[name] = names[""]
		}
	}
	require.NotEmpty(t, out)
	return out
}

// MethodIn returns a reducer as a person's files have it, "" if they do not.
func MethodIn(files map[string]string, method string) string {
	for name, text := range files {
		if _, after, ok := strings.Cut(text, "\nfunc (r *Reducer) "+method+"("); ok && !strings.HasSuffix(name, "_gen.go") {
			body, _, _ := strings.Cut(after, "\n}\n")
			return "func (r *Reducer) " + method + "(" + body + "\n}\n"
		}
	}
	return ""
}

// Todo is the body of a stub.
const Todo = "\t// TODO(ahpgen): return a changed copy, or s where nothing changes.\n\treturn s\n"
