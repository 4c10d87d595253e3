// What is left of a repository when ahpgen is killed in the middle of a bump.

package writes

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestBumpKilledAtRandomMoments kills the bump of a package with finished reducers: each file is whole, and the next bump
// takes the package to where it would have been.
func TestBumpKilledAtRandomMoments(t *testing.T) {
	kit.Wide(t)
	tool := kit.Tool(t)
	reference := filepath.Join(t.TempDir(), "ahp")
	// Bodies of finished reducers that follow the protocol, or go with their action, stubs that wait, and in each file
	// something of a person's.
	kit.WriteFile(t, filepath.Join(reference, "ahpgen.json"), `{"schemas": "ahp@0.4.0", "out": ".", "package": "ahp", "reducers": {"own": [
		"chat/turnStarted", "chat/turnComplete", "chat/toolCallComplete", "chat/error", "chat/delta", "chat/usage",
		"session/modelChanged", "session/activeClientChanged", "session/configChanged", "session/ready"
	]}}`)
	kit.Run(t, reference, tool, "generate")
	mine := map[string]string{
		"reducers_chat.go":    ") chatTurnStarted(s *ChatState, a *ChatTurnStartedAction) *ChatState {\n",
		"reducers_session.go": ") sessionModelChanged(s *SessionState, a *SessionModelChangedAction) *SessionState {\n",
	}
	for name, signature := range mine {
		path := filepath.Join(reference, name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(text), signature)
		text = []byte(strings.Replace(string(text), signature, signature+"\t// A person's work.\n", 1))
		kit.WriteFile(t, path, strings.Replace(string(text), "// TODO(ahpgen): return a changed copy, or s where nothing changes.", "// A person's work.", 1))
	}
	repository := copied(t, reference)
	took := timed(t, reference, tool, "bump", "--to", "0.7.0")
	updated := files(t, reference)
	for name := range mine {
		before, after := kit.Folder(t, repository)[name], kit.Folder(t, reference)[name]
		require.NotEqual(t, before, after, "nothing of %s follows: the test shows too little", name)
		require.Equal(t, 2, strings.Count(after, "// A person's work."), name)
	}
	require.Contains(t, kit.Folder(t, reference)["reducers_chat.go"], kit.Todo, "no stub waits: the test shows too little")

	m := newMoments(t, took)
	original := files(t, repository)
	states := map[string]int{}
	for try := range tries(2, 15, 100) {
		dir := copied(t, repository)
		states[killed(t, m, dir, 2*try, tool, "bump", "--to", "0.7.0")]++
		requireWhole(t, files(t, dir), original, updated)
		if out, err := kit.Command(dir, tool, "bump", "--to", "0.7.0"); err != nil && !strings.Contains(out, "must change") {
			require.Contains(t, out, "are the schemas in use", "all that was missing is the lock, or nothing")
			kit.Run(t, dir, tool, "generate")
		}
		requireFiles(t, updated, files(t, dir))
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%v", states)
}

// TestKillsAreFollowedByAnyCommand kills generate and bump at random moments, while files are staged in particular, and has
// some other command come next. Whatever it is, nothing of a person's is gone, and the same command again makes what it
// would have made.
func TestKillsAreFollowedByAnyCommand(t *testing.T) {
	flags.SkipUnlessAll(t)
	tool := kit.Tool(t)
	start := repository(t, tool)
	// Unchanged stubs follow the protocol, so that a bump takes from files of a person's too.
	tray := filepath.Join(start, "note", "reducers_tray.go")
	require.NoError(t, os.Remove(tray))
	kit.Run(t, start, tool, "generate")
	kit.WriteFile(t, filepath.Join(start, "next", "boards.schema.json"),
		strings.ReplaceAll(strings.ReplaceAll(boards(5), "TrayChangeA", "TrayMoveA"), "tray/changeA", "tray/moveA"))
	work := files(t, start)
	bump := []string{"bump", "--to", "next", "--force"}
	bumped := copied(t, start)
	took := timed(t, bumped, tool, bump...)
	updated := files(t, bumped)
	require.NotContains(t, updated["note/reducers_tray.go"], "trayChangeA(", "the test shows nothing")
	require.Contains(t, updated["note/reducers_board.go"], "A person's work on board.")
	for range 3 { // the machine may have been busy
		took = min(took, timed(t, copied(t, start), tool, bump...))
	}
	newer := func(dir string) { // the schemas were replaced by hand
		require.NoError(t, os.Remove(filepath.Join(dir, "schema", "old.schema.json")))
		kit.WriteFile(t, filepath.Join(dir, "schema", "boards.schema.json"), work["next/boards.schema.json"])
	}
	anew := copied(t, start)
	newer(anew)
	kit.Run(t, anew, tool, "generate")
	generated := files(t, anew)
	m := newMoments(t, took)
	followUps := [][]string{
		{"check"}, {"lint"}, {"inspect"}, {"generate"}, bump, {"generate", "--dry-run"},
		{"diff", "schema", "next"}, {"bump", "--to", "next", "--dry-run"},
	}
	states := map[string]int{}
	for try := range tries(6, 18, 300) {
		dir := copied(t, start)
		args, want := bump, updated
		if try%3 == 2 {
			args, want = []string{"generate"}, generated
			newer(dir)
		}
		states[killed(t, m, dir, try, tool, args...)]++
		next := followUps[m.random.IntN(len(followUps))]
		said, err := kit.Command(dir, tool, next...)
		requireUsual(t, err, "try %d: %v after %v: %v\n%s", try, next, args, err, said)
		said, err = kit.Command(dir, tool, args...)
		requireUsual(t, err, "try %d: %v again: %v\n%s", try, args, err, said)
		now := files(t, dir)
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(now)), "try %d: %v and %v", try, args, next)
		for name, text := range now {
			require.Equal(t, want[name], text, "try %d: %s after %v and %v", try, name, args, next)
		}
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%v", states)
}

// requireUsual requires the exit code 0, or 1 for findings and places that must change.
func requireUsual(t *testing.T, err error, format string, args ...any) {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 1) {
		require.FailNowf(t, "another exit code", format, args...)
	}
}
