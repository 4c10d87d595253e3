// What is left of a repository when ahpgen is killed in the middle of a bump.

package golden

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBumpKilledAtRandomMoments: the repository is the old one or the new one. In the few
// milliseconds in which files take their places it is on the way, which a journal says, and the next
// generate or bump finishes it.
func TestBumpKilledAtRandomMoments(t *testing.T) {
	tool := tool(t)
	reference := filepath.Join(t.TempDir(), "ahp")
	// Bodies of finished reducers that follow the protocol, or go with their action, stubs that wait, and in each file
	// something of a person's.
	writeFile(t, filepath.Join(reference, "ahpgen.json"), `{"schemas": "ahp@0.4.0", "out": ".", "package": "ahp", "reducers": {"own": [
		"chat/turnStarted", "chat/turnComplete", "chat/toolCallComplete", "chat/error", "chat/delta", "chat/usage",
		"session/modelChanged", "session/activeClientChanged", "session/configChanged", "session/ready"
	]}}`)
	run(t, reference, tool, "generate")
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
		writeFile(t, path, strings.Replace(string(text), "// TODO(ahpgen): return a changed copy, or s where nothing changes.", "// A person's work.", 1))
	}
	repository := copied(t, reference)
	old := fingerprint(t, reference)
	start := time.Now()
	run(t, reference, tool, "bump", "--to", "0.7.0")
	took := time.Since(start)
	updated := fingerprint(t, reference)
	require.NotEqual(t, old, updated)
	for name := range mine {
		before, after := folder(t, repository)[name], folder(t, reference)[name]
		require.NotEqual(t, before, after, "nothing of %s follows: the test shows too little", name)
		require.Equal(t, 2, strings.Count(after, "// A person's work."), name)
	}
	require.Contains(t, folder(t, reference)["reducers_chat.go"], todo, "no stub waits: the test shows too little")

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d, a bump takes %s", seed, took)
	random := rand.New(rand.NewPCG(seed, 0))
	states := map[string]int{}
	for range tries(5, 100) {
		dir := copied(t, repository)
		require.Equal(t, old, fingerprint(t, dir))
		cmd := exec.Command(tool, "bump", "--to", "0.7.0")
		cmd.Dir = dir
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.Int64N(int64(took) * 11 / 10)))
		_ = cmd.Process.Kill() // it may have come to its end
		_ = cmd.Wait()         // killed: an error says nothing
		_, err := os.Stat(filepath.Join(dir, ".ahpgen-journal"))
		if begun := err == nil; begun {
			out, _ := command(dir, tool, "generate") // it finds what a person has to settle
			if strings.Contains(out, "finished an update that was cut short") {
				states["finished"]++
				require.Equal(t, updated, fingerprint(t, dir))
				continue
			} // otherwise nothing had changed yet
			require.Contains(t, out, "removed what an update left")
		}
		switch fingerprint(t, dir) {
		case old:
			states["old"]++
		case updated:
			states["new"]++
		default:
			t.Fatalf("seed %d: a mixture of old and new", seed)
		}
	}
	t.Logf("%v", states)
}

// fingerprint tells apart what a folder holds, files that wait for their place aside.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".ahpgen-") {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", entry.Name(), len(content), content)
		return err
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// TestKillsAreFollowedByAnyCommand kills generate and bump at random moments, while files are staged in particular,
// and has some other command come next. Whatever it is, the repository is the old one or the new one once a command
// that writes has run, and nothing of a person's is gone.
func TestKillsAreFollowedByAnyCommand(t *testing.T) {
	tool := tool(t)
	start := repository(t, tool)
	// Stubs that nobody touched follow the protocol, so that a bump takes from files of a person's too.
	tray := filepath.Join(start, "note", "reducers_tray.go")
	require.NoError(t, os.Remove(tray))
	run(t, start, tool, "generate")
	writeFile(t, filepath.Join(start, "next", "boards.schema.json"),
		strings.ReplaceAll(strings.ReplaceAll(boards(5), "TrayChangeA", "TrayMoveA"), "tray/changeA", "tray/moveA"))
	work := files(t, start)
	bumped := copied(t, start)
	took := timed(t, bumped, tool, "bump", "--to", "next", "--force")
	updated := files(t, bumped)
	require.NotContains(t, updated["note/reducers_tray.go"], "trayChangeA(", "the test shows nothing")
	require.Contains(t, updated["note/reducers_board.go"], "A person's work on board.")
	for range 3 { // the machine may have been busy
		took = min(took, timed(t, copied(t, start), tool, "bump", "--to", "next", "--force"))
	}
	m := newMoments(t, took)
	followUps := [][]string{
		{"check"}, {"lint"}, {"inspect"}, {"generate"}, {"bump", "--to", "next", "--force"}, {"generate", "--dry-run"},
		{"diff", "schema", "next"}, {"bump", "--to", "next", "--dry-run"},
	}
	states := map[string]int{}
	for try := range tries(6, 500) {
		dir := copied(t, start)
		args := []string{"bump", "--to", "next", "--force"}
		old := work
		if try%3 == 2 { // the schemas were replaced by hand
			args = []string{"generate"}
			for _, name := range []string{"old.schema.json"} {
				require.NoError(t, os.Remove(filepath.Join(dir, "schema", name)))
			}
			writeFile(t, filepath.Join(dir, "schema", "boards.schema.json"), work["next/boards.schema.json"])
			old = files(t, dir)
		}
		cmd := exec.Command(tool, args...)
		cmd.Dir = dir
		require.NoError(t, cmd.Start())
		m.wait(dir, try)
		_ = cmd.Process.Kill() // it may have come to its end
		_ = cmd.Wait()         // killed: an error says nothing

		next := followUps[m.random.IntN(len(followUps))]
		said, err := command(dir, tool, next...)
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() > 1 {
			states["confused"]++
			t.Errorf("try %d: %v after %v: %v\n%s", try, next, args, err, said)
		}
		if _, err := os.Lstat(filepath.Join(dir, "note", ".ahpgen-journal")); err == nil { // it only read
			said = run(t, dir, tool, "generate")
		}
		for _, what := range []string{"finished an update", "removed what an update left", "undid an update"} {
			if strings.Contains(said, what) {
				states[what]++
			}
		}
		now := files(t, dir)
		switch {
		case maps.Equal(now, old):
			states["old"]++
		case maps.Equal(now, updated):
			states["new"]++
		default:
			states["confused"]++
			t.Errorf("try %d: a mixture of old and new after %v and %v: %v", try, args, next, slices.Sorted(maps.Keys(now)))
		}
		for name, text := range now {
			if strings.Contains(work[name], "A person's work") && !strings.Contains(text, "A person's work") || now["note/helpers.go"] != work["note/helpers.go"] {
				states["lost"]++
				t.Errorf("try %d: %s has lost what a person wrote", try, name)
			}
		}
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%v", states)
}
