package source_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/usage"
	"github.com/ahpgen/ahpgen/schemas"
)

func TestNames(t *testing.T) {
	for name, embedded := range map[string]bool{
		schemas.Default(): true, "ahp": true, "ahp@9.9.9": true, "./ahp": false, "elsewhere": false, "elsewhere@1.0.0": false,
	} {
		require.Equal(t, embedded, source.IsEmbedded(name), name)
	}
	whole, ok := source.Whole("ahp")
	require.True(t, ok)
	require.Contains(t, schemas.Protocols(), whole)
	whole, ok = source.Whole("schema")
	require.False(t, ok)
	require.Equal(t, "schema", whole)
	require.True(t, source.IsGit("git:HEAD:schema"))
	require.False(t, source.IsGit("schema"))
	for name, path := range map[string]bool{"ahp": false, "./ahp": true, "a.json": true, `a\b`: true} {
		require.Equal(t, path, source.IsPath(name), name)
	}
	require.Len(t, source.Protocols(), len(schemas.Protocols()))
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.schema.json"), []byte("{}"), 0o600))
	for _, name := range []string{dir, schemas.Default()} {
		folder, err := source.Open(name)
		require.NoError(t, err)
		files, err := fs.Glob(folder.Files, "*.schema.json")
		require.NoError(t, err)
		require.NotEmpty(t, files, name)
		folder.Close()
	}
	_, err := source.Open(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestProfiles(t *testing.T) {
	empty, err := source.Profile("")
	require.NoError(t, err)
	require.NotNil(t, empty.Profile)
	known, err := source.Profile("ahp")
	require.NoError(t, err)
	require.Equal(t, "ahp", known.Profile.Extends)
	var flag *usage.FlagError
	_, err = source.Profile("ahq")
	require.ErrorAs(t, err, &flag)
	require.Equal(t, "ahp", flag.Value, "the nearest name")
	name := filepath.Join(t.TempDir(), "own.json")
	_, err = source.Profile(name)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(name, []byte("{"), 0o600))
	_, err = source.Profile(name)
	require.ErrorIs(t, err, usage.ErrFindings)
	require.NotEmpty(t, source.Recognised("ahp"))
	require.Empty(t, source.Recognised("none"))
}

func TestNoProfileFitsForeignSchemas(t *testing.T) {
	none := func(string) bool { return false }
	selected, err := source.Fitting(none, none)
	require.NoError(t, err)
	require.Nil(t, selected)
}
