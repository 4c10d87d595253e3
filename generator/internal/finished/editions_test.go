// Tests of the editions: all reducers of each go with the schemas of its version, and what stands for the standard library
// declares it as it is.

package finished_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/golden/exported"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/schemas"
)

// differences is the name of the file in which an edition says what its version declares otherwise than the edition
// before: the overlay of a profile.
const differences = "profile.json"

// there are no other files in the package.
type nobody struct{}

func (nobody) HasMethod(string, string) bool { return false }
func (nobody) Taken(string) bool             { return false }
func (nobody) Mentions(string) bool          { return false }

// finishedIn are the reducers of each edition that come finished.
var finishedIn = map[string]int{"": 27, "0.4.0": 27, "0.5.0": 22, "0.5.1": 23, "0.5.2": 25, "0.6.0": 27, "0.8.0": 27, "0.9.0": 27, "1.0.0": 31}

// TestEveryEditionFitsItsVersion type-checks each edition beside the schemas of its version, or of the nearest before with
// the differences of those that have no schemas. Unless all are asked for, they are the first and the last one.
func TestEveryEditionFitsItsVersion(t *testing.T) {
	all := append(schemas.Editions("ahp"), "")
	if !flags.All(t) {
		all = []string{all[0], all[len(all)-2]}
	}
	for _, edition := range all {
		t.Run(edition, func(t *testing.T) {
			editions := schemas.Reducers("ahp", edition)
			pkg := reference(t, editions)
			set, err := finished.Load(version.Numbers, editions...)
			require.NoError(t, err)
			choice, err := set.Choose(emitted(t, pkg), nil, nobody{})
			require.NoError(t, err)
			for _, c := range pkg.Reducers.Channels {
				for _, a := range pkg.Reducers.Hand(c) {
					require.Empty(t, choice.Why(a), a.Method)
				}
			}
			require.True(t, choice.Complete(), "%d fit", choice.Fitting())
			require.Equal(t, finishedIn[edition], choice.Fitting())
		})
	}
}

// TestMembers: what a reducer and its helpers assign is written, the rest is read, and the action is not listed.
func TestMembers(t *testing.T) {
	editions := schemas.Reducers("ahp", "1.0.0")
	pkg := reference(t, editions)
	set, err := finished.Load(version.Numbers, editions...)
	require.NoError(t, err)
	all, err := set.Members(emitted(t, pkg))
	require.NoError(t, err)
	require.Len(t, all, finishedIn["1.0.0"])
	said := func(method string) (writes, reads []string) {
		for a, members := range all {
			for _, m := range members {
				switch name := m.Struct.Name + "." + m.Field.Wire; {
				case a.Method != method:
				case m.Writes:
					writes = append(writes, name)
				default:
					reads = append(reads, name)
				}
			}
		}
		return writes, reads
	}
	writes, reads := said("chatTruncated")
	require.ElementsMatch(t, []string{"ChatState.status", "ChatState.modifiedAt", "ChatState.turns", "ChatState.turnsNextCursor", "ChatState.activeTurn"}, writes)
	require.ElementsMatch(t, []string{"ChatState.status", "ChatState.modifiedAt", "ChatState.turns", "Turn.id"}, reads)
	writes, _ = said("chatTurnComplete")
	require.Contains(t, writes, "Turn.duration", "of a composite literal in a helper")
}

// emitted returns a package with the texts of its files.
func emitted(t *testing.T, pkg *golang.Package) *finished.Emitted {
	t.Helper()
	files, err := emit.Files(pkg)
	require.NoError(t, err)
	texts := map[string][]byte{}
	for _, f := range files {
		texts[f.Name] = f.Content
	}
	return finished.NewEmitted(pkg, texts)
}

// reference builds the package that the last of some editions is for.
func reference(t *testing.T, editions []schemas.Edition) *golang.Package {
	t.Helper()
	of := schemas.Written("ahp")
	var overlays []schemas.Edition
	for _, e := range editions {
		switch name := "ahp@" + e.Version; {
		case slices.Contains(schemas.Protocols(), name):
			of, overlays = name, nil
		case e.Version != "":
			overlays = append(overlays, e)
		}
	}
	var diags diag.List
	folder, display, err := schemas.Protocol(of)
	require.NoError(t, err)
	set, loaded, err := schema.Load(folder, display, nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	for _, e := range overlays {
		overlay(t, set, e, &diags)
	}
	if len(overlays) > 0 {
		withoutLifecycles(set)
	}
	r := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...) // the schemas state everything
	diags.Add(r.Found...)
	require.NotNil(t, r.Protocol, "%v", diags.Sorted())
	if len(overlays) > 0 {
		r.Protocol.Version = overlays[len(overlays)-1].Version
	}
	pkg, found := golang.Build(r.Protocol, golang.Options{Package: "ahp", Wire: finished.FloorPath, WireDir: "wire", Initialisms: r.Facts.Initialisms})
	diags.Add(found...)
	require.NotNil(t, pkg, "%v", diags.Sorted())
	return pkg
}

// withoutLifecycles takes lifecycles out of schemas: differences say what reducers see, and that they do not.
func withoutLifecycles(set *schema.Set) {
	gone := &schema.Node{Kind: schema.Object, Members: []schema.Member{{Key: "x-lifecycle", Value: &schema.Node{Kind: schema.Null}}}}
	for _, doc := range set.Docs {
		if defs := doc.Root.Get("$defs"); defs != nil {
			for _, def := range defs.Members {
				set.Apply(schema.Edit{Op: schema.Patch, Definition: def.Key, Value: gone})
			}
		}
	}
}

// overlay makes the schemas those of an edition.
func overlay(t *testing.T, set *schema.Set, e schemas.Edition, diags *diag.List) {
	t.Helper()
	name := path.Join("..", "..", "..", "schemas", "ahp", "reducers", e.Version, differences)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return // the same declarations, and other rules
	}
	require.NoError(t, err)
	p, parsed := profile.Parse(name, text)
	diags.Add(parsed...)
	require.False(t, diags.HasErrors(), "%v", diags.Sorted())
	selected, found := p.Select("", facts.Text{}, set.Has)
	require.Empty(t, found)
	for _, edit := range selected.Edits() {
		require.NotZero(t, set.Apply(edit.Edit), "%s: nothing to do", edit.Pos)
	}
}

// TestStandardIsAsItIs compares what sources are type-checked with to the standard library.
func TestStandardIsAsItIs(t *testing.T) {
	names, err := filepath.Glob("standard/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	paths := map[string]string{}
	for _, name := range names {
		paths[name] = strings.ReplaceAll(strings.TrimSuffix(filepath.Base(name), ".txt"), "_", "/")
	}
	files, err := exported.Files(".", slices.Collect(func(yield func(string) bool) {
		for _, p := range paths {
			if !yield(p) {
				return
			}
		}
	})...)
	require.NoError(t, err)
	importer := exported.Importer(files)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, 0)
		require.NoError(t, err)
		config := types.Config{Importer: importer, IgnoreFuncBodies: true, Error: func(error) {}}
		got, _ := config.Check(paths[name], fset, []*ast.File{file}, nil)
		want, err := importer.Import(paths[name])
		require.NoError(t, err)
		for _, thing := range got.Scope().Names() {
			require.NotNil(t, want.Scope().Lookup(thing), thing)
			require.Equal(t, declared(want, thing), declared(got, thing), "%s.%s", paths[name], thing)
			for method := range types.NewMethodSet(types.NewPointer(got.Scope().Lookup(thing).Type())).Methods() {
				real, _, _ := types.LookupFieldOrMethod(types.NewPointer(want.Scope().Lookup(thing).Type()), false, want, method.Obj().Name())
				require.NotNil(t, real, method)
				require.Equal(t, types.ObjectString(real, (*types.Package).Path), types.ObjectString(method.Obj(), (*types.Package).Path))
			}
		}
	}
}

// declared returns how a package declares something, without what structs hold.
func declared(p *types.Package, name string) string {
	text := types.ObjectString(p.Scope().Lookup(name), (*types.Package).Path)
	head, _, _ := strings.Cut(text, " struct{")
	return head
}
