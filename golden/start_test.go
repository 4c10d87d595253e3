// Tests of how a package with reducers starts: with finished ones where there are any, else with stubs.

package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStart generates from the embedded schemas into an empty folder: the reducers are there and finished.
func TestStart(t *testing.T) {
	long(t)
	t.Chdir(place(t))
	writeFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	printed, code := ahpgen("generate", "--out", "wire", "--package", "wire")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n34 finished reducers: they are ahpgen's; ")
	require.NotContains(t, printed, "to write")
	for name, content := range goFilesIn(t, "wire") {
		require.Contains(t, content, "\npackage wire\n", name)
		require.NotContains(t, content, "TODO(ahpgen)", name)
		require.False(t, strings.HasSuffix(name, "_test.go"), name)
	}
	emitted(t, ".", "vet", "./...")
	before := goFilesIn(t, "wire")
	checked, code := ahpgen("check", "--out", "wire", "--package", "wire")
	require.Zero(t, code, checked)
	again, code := ahpgen("generate", "--out", "wire", "--package", "wire")
	require.Zero(t, code, again)
	require.NotContains(t, again, "added")
	require.Equal(t, before, goFilesIn(t, "wire"), "a second run changes something")
}

// TestStartBesideAPerson generates from the embedded schemas where somebody has written a reducer: it stays, and the
// others are finished.
func TestStartBesideAPerson(t *testing.T) {
	long(t)
	t.Chdir(place(t))
	writeFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	const own = `package ahp

func (r *Reducer) chatTurnStarted(s *ChatState, a *ChatTurnStartedAction) *ChatState { return s }
`
	writeFile(t, "ahp/mine.go", own)
	printed, code := ahpgen("generate", "--out", "ahp")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n33 finished reducers: ")
	require.Contains(t, printed, "\n1 reducer of yours would come finished: ")
	require.Contains(t, printed, " in ahpgen.json: chatTurnStarted\n")
	require.NotContains(t, printed, "added")
	require.Equal(t, own, goFilesIn(t, "ahp")["mine.go"])
	emitted(t, ".", "vet", "./...")
}

// TestStartFromPublished generates from the published schemas of the version that there are finished
// reducers for: they fit these as well.
func TestStartFromPublished(t *testing.T) {
	long(t)
	published := filepath.Join(corpus(t), "ahp", "0.7.0", "schema")
	t.Chdir(place(t))
	writeFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	args := []string{"--schemas", published, "--profile", "ahp", "--out", "ahp"}
	printed, code := ahpgen(append([]string{"generate"}, args...)...)
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n29 finished reducers: ")
	require.NotContains(t, printed, "to write")
	emitted(t, ".", "vet", "./...")
	checked, code := ahpgen(append([]string{"check"}, args...)...)
	require.Zero(t, code, checked)
}

// TestStartOfAnotherShape generates from schemas of the same version in which one member has another
// name: finished reducers that use it would not compile, so there are stubs for these alone.
func TestStartOfAnotherShape(t *testing.T) {
	long(t)
	embedded, err := filepath.Glob("../schemas/ahp/0.7.0/*.schema.json")
	require.NoError(t, err)
	require.NotEmpty(t, embedded)
	dir := place(t)
	for _, name := range embedded {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		writeFile(t, filepath.Join(dir, "schema", filepath.Base(name)), strings.ReplaceAll(string(text), "toolCallId", "callId"))
	}
	t.Chdir(dir)
	writeFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	printed, code := ahpgen("generate", "--schemas", "schema", "--out", "ahp")
	require.Zero(t, code, printed)
	require.Contains(t, printed, "\n16 finished reducers: ")
	require.Contains(t, printed, "ahp/reducers_chat.go: added 13 stubs for you to write: chatToolCallStart, ")
	emitted(t, ".", "vet", "./...")
}
