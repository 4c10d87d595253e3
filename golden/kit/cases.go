// Golden cases that begin with schemas.

package kit

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
)

// SharedRuntime is where cases have what does not depend on them, relative to their packages.
const SharedRuntime = "../wire"

// GenerateCase runs one case and returns the files that belong into it, in order.
func GenerateCase(t *testing.T, archive *txtar.Archive, out string) []txtar.File {
	t.Helper()
	in := t.TempDir()
	var diags diag.List
	var config generator.Config
	show := []string{"*"}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		WriteFile(t, filepath.Join(in, f.Name), string(f.Data))
		if strings.HasSuffix(f.Name, ".go") && (path.Dir(f.Name) != "." || !strings.HasSuffix(f.Name, "_test.go")) { // of the user's
			WriteFile(t, filepath.Join(out, f.Name), string(f.Data))
		}
		switch f.Name {
		case "profile.json":
			config.Profile = filepath.Join(in, f.Name)
		case "ahpgen.json":
			stated, err := generator.ReadConfig(filepath.Join(in, f.Name), &diags)
			require.NoError(t, err)
			config.Reducers, config.Parts, config.Missing, config.Transports = stated.Reducers, stated.Parts, stated.Missing, stated.Transports
			config.Types, config.Tags, config.Speaks = stated.Types, stated.Tags, stated.Speaks
		case "show":
			show = strings.Fields(string(f.Data))
		}
	}
	config.Schemas, config.Out, config.Package = filepath.Join(in, "schema"), out, "p"
	config.Runtime = filepath.Join(out, SharedRuntime)
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoErrorf(t, err, "%s", diags.Sorted())
	require.Zerof(t, diags.Len(), "%s", diags.Sorted())
	require.NoError(t, plan.Apply())
	var files []txtar.File
	for _, f := range plan.Files {
		shared := strings.HasPrefix(f.Name, SharedRuntime+"/") || f.Name == "doc_gen.go"
		shown := slices.ContainsFunc(show, func(pattern string) bool {
			ok, err := filepath.Match(pattern, f.Name)
			require.NoError(t, err)
			return ok
		})
		if !shared && shown {
			files = append(files, txtar.File{Name: "want/" + f.Name, Data: f.New})
		}
	}
	return files
}

// CompareFiles compares by name, so that a missing and an unexpected file both fail.
func CompareFiles(t *testing.T, file string, archive *txtar.Archive, emitted []txtar.File) {
	t.Helper()
	if *Update {
		input := slices.DeleteFunc(slices.Clone(archive.Files), func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
		archive.Files = append(input, emitted...)
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
		return
	}
	wanted := map[string]string{}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			wanted[f.Name] = string(f.Data)
		}
	}
	c := Causes.For(t)
	for _, f := range emitted {
		want, ok := wanted[f.Name]
		if !ok {
			t.Errorf("%s: unexpected file %s", file, f.Name)
			continue
		}
		delete(wanted, f.Name)
		c.Same(f.Name, want, string(f.Data))
	}
	for name := range wanted {
		t.Errorf("%s: %s was not emitted", file, name)
	}
	c.End()
}
