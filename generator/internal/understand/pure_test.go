package understand_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/keyword"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/schemas"
)

// TestAnalysisChangesNothing runs it twice over the same schemas and facts.
func TestAnalysisChangesNothing(t *testing.T) {
	var diags diag.List
	folder, display, err := schemas.Protocol(schemas.Default())
	require.NoError(t, err)
	set, loaded, err := schema.Load(folder, display, nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(schema.Options{}, diags.Places())...)
	nothing := func(*schema.Definition) bool { return false }
	selected, found := profile.Empty().Select("", facts.Text{}, set.Has)
	diags.Add(found...)
	read, found := keyword.Read(set, nil, nothing, nil)
	diags.Add(found...)
	f := facts.Merge(selected.Facts(), read)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())

	text := func() string {
		data, err := json.Marshal(f)
		require.NoError(t, err)
		return string(data)
	}
	before := text()
	first, used, found := analyze.Run(set, f, diags.Items())
	require.NotNil(t, first, "%v", found)
	require.JSONEq(t, before, text())
	second, again, found := analyze.Run(set, f, diags.Items())
	require.NotNil(t, second, "%v", found)
	require.True(t, maps.Equal(used, again), "the same facts match")
	require.Len(t, second.Types, len(first.Types))
	for _, of := range f.Methods {
		require.True(t, used[of.Where()], "method %s", of.Name)
	}
	require.NotEmpty(t, f.Methods)
	require.False(t, used[(&facts.Name{}).Where()])
}
