// Tests of how a package with reducers starts: with finished ones where there are any, else with stubs.

package evolve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestStart generates from the embedded schemas into an empty folder: the reducers are there and finished.
func TestStart(t *testing.T) {
	kit.Long(t)
	t.Chdir(kit.Place(t))
	kit.WriteFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	printed, code := kit.Ahpgen("generate", "--out", "wire", "--package", "wire")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n31 finished reducers: they are ahpgen's; ")
	require.NotContains(t, printed, "to write")
	for name, content := range kit.GoFilesIn(t, "wire") {
		require.Contains(t, content, "\npackage wire\n", name)
		require.NotContains(t, content, "TODO(ahpgen)", name)
		require.False(t, strings.HasSuffix(name, "_test.go"), name)
	}
	kit.Emitted(t, ".", "vet", "./...")
	before := kit.GoFilesIn(t, "wire")
	checked, code := kit.Ahpgen("check", "--out", "wire", "--package", "wire")
	require.Zero(t, code, checked)
	again, code := kit.Ahpgen("generate", "--out", "wire", "--package", "wire")
	require.Zero(t, code, again)
	require.NotContains(t, again, "added")
	require.Equal(t, before, kit.GoFilesIn(t, "wire"), "a second run changes something")
}

// TestStartBesideAPerson generates from the embedded schemas beside a hand-written reducer: it stays, and the
// others are finished.
func TestStartBesideAPerson(t *testing.T) {
	kit.Long(t)
	t.Chdir(kit.Place(t))
	kit.WriteFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	const own = `package ahp

func (r *Reducer) chatTurnStarted(s *ChatState, a *ChatTurnStartedAction) *ChatState { return s }
`
	kit.WriteFile(t, "ahp/mine.go", own)
	printed, code := kit.Ahpgen("generate", "--out", "ahp")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n30 finished reducers: ")
	require.Contains(t, printed, "\n1 reducer of yours would come finished: ")
	require.Contains(t, printed, " in ahpgen.json: chatTurnStarted\n")
	require.NotContains(t, printed, "added")
	require.Equal(t, own, kit.GoFilesIn(t, "ahp")["mine.go"])
	kit.Emitted(t, ".", "vet", "./...")
}

// TestStartFromPublished generates from the published schemas of the version that there are finished
// reducers for: they fit these as well.
func TestStartFromPublished(t *testing.T) {
	kit.Long(t)
	published := filepath.Join(kit.Corpus(t), "ahp", "0.7.0", "schema")
	t.Chdir(kit.Place(t))
	kit.WriteFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	args := []string{"--schemas", published, "--profile", "ahp", "--out", "ahp"}
	printed, code := kit.Ahpgen(append([]string{"generate"}, args...)...)
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n27 finished reducers: ")
	require.NotContains(t, printed, "to write")
	kit.Emitted(t, ".", "vet", "./...")
	checked, code := kit.Ahpgen(append([]string{"check"}, args...)...)
	require.Zero(t, code, checked)
}

// TestStartOfAnotherShape generates from schemas of the same version in which one member has another
// name: finished reducers that use it would not compile, so there are stubs for these alone.
func TestStartOfAnotherShape(t *testing.T) {
	kit.Long(t)
	embedded, err := filepath.Glob("../../schemas/ahp/0.7.0/*.schema.json")
	require.NoError(t, err)
	require.NotEmpty(t, embedded)
	dir := kit.Place(t)
	for _, name := range embedded {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, "schema", filepath.Base(name)), strings.ReplaceAll(string(text), "toolCallId", "callId"))
	}
	t.Chdir(dir)
	kit.WriteFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	printed, code := kit.Ahpgen("generate", "--schemas", "schema", "--out", "ahp")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n14 finished reducers: ")
	require.Contains(t, printed, "ahp/reducers_chat.go: added 13 stubs for you to write: chatToolCallStart, ")
	kit.Emitted(t, ".", "vet", "./...")
}
