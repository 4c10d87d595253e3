// Text of a protocol in emitted files, at the places where it stands in a comment of this package's own.

package emit_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
)

// build decides on the package for the schemas of a golden case.
func build(t *testing.T, name string) *golang.Package {
	t.Helper()
	archive, err := txtar.ParseFile("../../../golden/types/" + name + ".txtar")
	require.NoError(t, err)
	folder := fstest.MapFS{}
	for _, f := range archive.Files {
		if file, ok := strings.CutPrefix(f.Name, "schema/"); ok {
			folder[file] = &fstest.MapFile{Data: f.Data}
		}
	}
	var diags diag.List
	set, loaded, err := schema.Load(folder, "schema", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	understood := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.NotNil(t, p, "%v", diags.Sorted())
	pkg, found := golang.Build(p, golang.Options{Package: "p"})
	diags.Add(found...)
	require.NotNil(t, pkg, "%v", diags.Sorted())
	return pkg
}

// isFloor reports whether a file is of what does not depend on the protocol.
func isFloor(f emit.Output) bool { return strings.HasPrefix(f.Name, "wire/") }

const hostile = "x\n\n//go:generate pwned\nfunc init() {}\n// +build pwned\n\u2028*/\u202e"

// requireComments wants the hostile text in comments only, on one line.
func requireComments(t *testing.T, pkg *golang.Package, times int) {
	t.Helper()
	files, err := emit.Files(pkg)
	require.NoError(t, err)
	found := 0
	for _, f := range files {
		for line := range strings.SplitSeq(string(f.Content), "\n") {
			if !strings.Contains(line, "pwned") {
				continue
			}
			require.True(t, strings.HasPrefix(strings.TrimSpace(line), "// "), "%s: %q", f.Name, line)
			require.Contains(t, strings.Join(strings.Fields(line), " "), "x //go:generate pwned func init() {} // +build pwned */", f.Name)
			found++
		}
	}
	require.Equal(t, times, found)
}

func TestAChannelsNameCannotEndItsComment(t *testing.T) {
	pkg := build(t, "store")
	require.NotNil(t, pkg.Store)
	pkg.Reducers.Channels[0].Channel = hostile
	requireComments(t, pkg, 2) // of its reducer, and of its view in the store
}

func TestAnEffectsKeyCannotEndItsComment(t *testing.T) {
	pkg := build(t, "effects-items")
	pkg.Reducers.Keys[0].Paths[0] = []string{hostile}
	pkg.Reducers.Keys[0].Union.Unknown = nil // where the path stands as a literal too
	requireComments(t, pkg, 1)
}

func TestTheProtocolsNameCannotEndTheFirstLine(t *testing.T) {
	pkg := build(t, "struct")
	pkg.Protocol = hostile
	files, err := emit.Files(pkg)
	require.NoError(t, err)
	for _, f := range files {
		if isFloor(f) {
			require.NotContains(t, string(f.Content), "pwned", f.Name)
			continue
		}
		first, rest, _ := strings.Cut(string(f.Content), "\n")
		require.True(t, strings.HasPrefix(first, emit.Marker+" from x  //go:generate") && strings.HasSuffix(first, ". DO NOT EDIT."), first)
		require.NotContains(t, rest, "pwned")
	}
}

func TestABuildConstraintInACodeFenceMeansNothing(t *testing.T) {
	pkg := build(t, "struct")
	pkg.Structs[0].Doc = []string{"Like:", "", "\t+build ignore", "", "+build ignore"}
	pkg.Doc = pkg.Structs[0].Doc
	files, err := emit.Files(pkg)
	require.NoError(t, err)
	for _, f := range files {
		if isFloor(f) {
			continue // which has constraints of its own
		}
		require.NotContains(t, string(f.Content), "//go:build", f.Name)
		require.NotContains(t, string(f.Content), "\t+build", f.Name)
	}
}

func TestWhatIsNoIdentifierIsNotEmitted(t *testing.T) {
	pkg := build(t, "struct")
	pkg.Structs[0].Fields[0].Name = "A int64 `json:\"x\"`\nB"
	_, err := emit.Files(pkg)
	require.ErrorContains(t, err, "golang.Field.Name")
}

func TestAPercentSignInANameIsNoFormat(t *testing.T) {
	pkg := build(t, "union-shape")
	for _, u := range pkg.Unions {
		if u.Cases != nil {
			u.Cases.Cases[0].Marker = "%dx"
		}
	}
	files, err := emit.Files(pkg)
	require.NoError(t, err)
	found := 0
	for _, f := range files {
		for line := range strings.SplitSeq(string(f.Content), "\n") {
			if strings.Contains(line, "Failf(") && strings.Contains(line, "%dx") {
				require.Contains(t, line, "%%dx")
				found++
			}
		}
	}
	require.NotZero(t, found)
}
