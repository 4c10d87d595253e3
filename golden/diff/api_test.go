// Compares the findings of apidiff for two emitted packages with the verdicts for Go.

package diff

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/apicheck"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// compareAPIs generates one package after the other into a folder, where the names that are free stay, and compares both with
// apidiff and with what is found in a comparison of the schemas.
func compareAPIs(t *testing.T, profile, from, to string) *apicheck.Result {
	t.Helper()
	var diags diag.List
	d, err := generator.Compare(from, to, generator.DiffOptions{Profile: profile}, &diags)
	require.NoErrorf(t, err, "%v", diags.Sorted())
	module := t.TempDir()
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module example.com/m\n\ngo 1.21\n")
	var sides [2]apicheck.Package
	for i, schemas := range []string{from, to} {
		stated := map[string]string{"schemas": schemas, "profile": profile, "package": "p", "out": "p"}
		if generator.IsEmbedded(schemas) {
			delete(stated, "profile")
		} else if abs, err := filepath.Abs(schemas); err == nil {
			stated["schemas"] = abs
		}
		if strings.HasSuffix(profile, ".json") && stated["profile"] != "" {
			stated["profile"], err = filepath.Abs(profile)
			require.NoError(t, err)
		}
		if stated["profile"] == "" {
			delete(stated, "profile")
		}
		file := filepath.Join(module, generator.ConfigName)
		kit.WriteFile(t, file, string(kit.ToJSON(t, stated)))
		config, err := generator.ReadConfig(file, &diags)
		require.NoErrorf(t, err, "%v", diags.Sorted())
		sides[i].Below, sides[i].Dir = "example.com/m/p/wire", "wire"
		for _, f := range kit.Generate(t, config).Files { // the lock keeps names, as the comparison does
			if strings.HasSuffix(f.Name, "_gen.go") && f.New != nil {
				sides[i].Files = append(sides[i].Files, apicheck.File{Name: f.Name, Content: f.New})
			}
		}
	}
	r, err := apicheck.Compare(sides[0], sides[1], d.Findings)
	require.NoError(t, err)
	return r
}

// TestAPIsOfPairs wants no pair to change the Go API more than its findings say. It is for every fourth pair, and those without
// differences on the wire, unless all are asked for.
func TestAPIsOfPairs(t *testing.T) {
	pairs, err := filepath.Glob("*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, pairs)
	for i, file := range pairs {
		if !flags.All(t) && i%4 != 0 && !strings.HasPrefix(file, "same-") {
			continue
		}
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		t.Run(strings.TrimSuffix(file, ".txtar"), func(t *testing.T) {
			dir, profile := t.TempDir(), ""
			for _, f := range archive.Files {
				kit.WriteFile(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(f.Data))
				if f.Name == "profile.json" {
					profile = filepath.Join(dir, f.Name)
				}
			}
			for _, run := range diffRuns {
				r := compareAPIs(t, profile, filepath.Join(dir, run.from), filepath.Join(dir, run.to))
				require.Empty(t, r.Unexplained, "a change is judged too mildly for Go")
			}
		})
	}
}

// requireConfirmed wants apidiff and the findings to agree on what breaks a Go program.
func requireConfirmed(t *testing.T, profile, from, to string) {
	t.Helper()
	r := compareAPIs(t, profile, from, to)
	require.Empty(t, r.Unexplained)
	for _, c := range r.Unconfirmed {
		require.Regexp(t, `^field-added: .*: required `, c, "literals with field names compile without a new required member, and nothing else does")
	}
}
