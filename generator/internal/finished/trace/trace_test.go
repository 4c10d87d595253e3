package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

const root = "../../../.."

// Heaps may grow before they are collected, which takes a third of the time otherwise: little in them lives long.
func init() { debug.SetGCPercent(800) }

// TestUsesAreUpToDate: what is committed beside finished reducers is what they use now.
func TestUsesAreUpToDate(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(root, "schemas", "*", "reducers"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		protocol := filepath.Base(filepath.Dir(folder))
		editions := schemas.Editions(protocol)
		got, err := texts(folder, protocol, editions)
		require.NoError(t, err)
		require.Len(t, got, 1+len(editions))
		for name, text := range got {
			want, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			require.Equal(t, string(want), string(text), "run go generate ./...")
		}
		for _, edition := range append([]string{""}, editions...) {
			_, err := finished.Load(version.Numbers, schemas.Reducers(protocol, edition)...)
			require.NoError(t, err)
		}
	}
}

// TestSourcesThatCannotBeTracedAreRefused: what nothing can compare with another package is said with its place.
func TestSourcesThatCannotBeTracedAreRefused(t *testing.T) {
	_, err := trace(sourcesOf(t, `
func tag(a StateAction) ActionType { return a.ActionType() }

func versions() []string { return SupportedVersions() }

const (
	one = 1
	two = 2
)

func empty() *Icon { return &Icon{"", nil, nil, nil} }

func (r *Reducer) terminalData(state *TerminalState, a *TerminalDataAction) *TerminalState { return state }
`), "ahp")
	require.EqualError(t, err, `source.go:9:1: declare one thing at a time: each is emitted only where it is needed
source.go:5:47: nothing can tell whether another package has the method ActionType of StateAction
source.go:7:35: nothing can tell whether another package has SupportedVersions
source.go:14:30: name the fields: their order may be another in other packages
source.go:16:1: make it func (r *Reducer) terminalData(s *TerminalState, a *TerminalDataAction) *TerminalState`)
}

// sourcesOf is a folder of this module with one source.
func sourcesOf(t *testing.T, source string) string {
	t.Helper()
	folder, err := os.MkdirTemp(filepath.Join(root, "schemas", "ahp"), "_test")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	text := "//go:build " + finished.Tag + "\n\npackage ahp\n" + source
	require.NoError(t, os.WriteFile(filepath.Join(folder, "source.go"), []byte(text), 0o666))
	return folder
}
