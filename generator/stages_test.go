package generator_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
)

// TestStagesAreNamed checks that stages are reported in the order in which they run.
func TestStagesAreNamed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module example.com/m\n\ngo 1.24\n",
		"ahpgen.json":          `{"schemas": "schema", "out": "pkg"}`,
		"schema/a.schema.json": `{"$defs": {"A": {"type": "object", "properties": {"id": {"type": "string"}}}}}`,
		"next/a.schema.json":   `{"$defs": {"A": {"type": "object", "properties": {"ids": {"type": "string"}}}}}`,
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	t.Chdir(dir)
	var told []string
	var diags diag.List
	diags.OnStage(func(what string) { told = append(told, what) })
	config, err := generator.ReadConfig("ahpgen.json", &diags)
	require.NoError(t, err)
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoError(t, err)
	require.NoError(t, plan.Apply())
	require.Equal(t, []string{"reading", "analysing", "emitting", "comparing with what is there"}, told)

	told = nil
	_, err = generator.PlanBump("ahpgen.json", generator.BumpOptions{To: "next"}, &diags)
	require.NoError(t, err, "%v", diags.Sorted())
	require.Equal(t, []string{
		"comparing the versions", "comparing the versions: reading", "comparing the versions: analysing",
		"comparing the versions: reading", "comparing the versions: analysing", "comparing the versions: comparing",
		"planning the package as it is",
		"planning the new package", "planning the new package: reading", "planning the new package: analysing",
		"planning the new package: emitting", "planning the new package: comparing with what is there",
		"looking after the schemas", "type checking your module",
	}, told)
}
