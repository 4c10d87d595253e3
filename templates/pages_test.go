// Tests of the search of pages, which is JavaScript without a page around it.

package templates_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates"
)

// rows are what a search looks through, as pages list it.
const rows = `[
  ["channel", "board", "ChannelBoard", "", "board"],
  ["request", "createNote", "CreateNote", "", "createNote", "Makes a note under a URI of the client's choice."],
  ["object", "CreateNoteParams", "CreateNoteParams", "", "CreateNoteParams", "What a note starts with."],
  ["request", "disposeNote", "DisposeNote", "", "disposeNote", "The note goes away for everyone."],
  ["notification", "board/noteRemoved", "NoteRemoved", "", "noteRemoved", "A note has been taken off the board."],
  ["action", "note/toolCallStart", "NoteToolCallStartAction", "", "toolCallStart", "A call has begun."],
  ["action", "note/toolCallReady", "NoteToolCallReadyAction", "", "toolCallReady", "Its arguments are complete."],
  ["action", "note/toolCallConfirmed", "NoteToolCallApprovedAction NoteToolCallDeniedAction", "", "toolCallConfirmed", "The user has decided."],
  ["action", "note/titleChanged", "NoteTitleChangedAction", "", "titleChanged", "The note has another title."],
  ["member", "title", "NoteTitleChangedAction.Title", "note/titleChanged", "titleChanged#title", "The new one."],
  ["member", "note", "CreateNoteParams.Note", "CreateNoteParams", "CreateNoteParams#note", "Creates it for whoever asks."],
  ["error", "PermissionDenied", "ErrPermissionDenied", "", "PermissionDenied", "-32009 Not for you."]
]`

// TestTheFirstHit asks as people do, and looks at what comes first.
func TestTheFirstHit(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the search; the browser tests ask as well")
	}
	questions := map[string]string{
		"create note": "createNote", "creat note": "createNote", "createnote": "createNote", "creating notes": "createNote", "How do I create a note?": "createNote",
		"new note": "createNote", "delete note": "disposeNote", "remove the note": "noteRemoved", "remvoe note": "noteRemoved", "destroy note": "disposeNote",
		"add tool call": "toolCallStart", "toolcall ready": "toolCallReady", "tolcall ready": "toolCallReady", "ToolCallReady": "toolCallReady",
		"approve tool call": "toolCallConfirmed", "rejecting a tool call": "toolCallConfirmed", "rename note": "titleChanged", "sheet": "createNote",
		"NoteTitleChangedAction.Title": "titleChanged#title", "permission denied": "PermissionDenied", "-32009": "PermissionDenied", "board": "board", "title": "titleChanged",
		"zzzzzz": "", "": "", "   ": "", "the": "createNote",
	}
	script, err := fs.ReadFile(templates.Pages(), "find.js")
	require.NoError(t, err)
	data, err := fs.ReadFile(templates.Pages(), "synonyms.json")
	require.NoError(t, err)
	var groups [][]string
	require.NoError(t, json.Unmarshal(data, &groups))
	groups = append(groups, []string{"sheet", "note"}) // as a protocol adds them
	all, err := json.Marshal(groups)
	require.NoError(t, err)
	asked, err := json.Marshal(questions)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "ask.js")
	require.NoError(t, os.WriteFile(file, []byte(string(script)+"\nconst { find } = ahpgenSearch("+rows+", "+string(all)+");\n"+
		"console.log(JSON.stringify(Object.fromEntries(Object.keys("+string(asked)+").map((q) => [q, find(q)[0]?.href ?? '']))));\n"), 0o600))
	out, err := exec.Command(node, file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	found := map[string]string{}
	require.NoError(t, json.Unmarshal(out, &found), "%s", out)
	require.Equal(t, questions, found)
}

// TestSynonymsAreWords holds the form of the file: words in lower case, each once in a group.
func TestSynonymsAreWords(t *testing.T) {
	data, err := fs.ReadFile(templates.Pages(), "synonyms.json")
	require.NoError(t, err)
	var groups [][]string
	require.NoError(t, json.Unmarshal(data, &groups))
	require.NotEmpty(t, groups)
	for _, group := range groups {
		require.GreaterOrEqual(t, len(group), 2)
		seen := map[string]bool{}
		for _, word := range group {
			require.Regexp(t, `^[a-z]+$`, word)
			require.False(t, seen[word], "%s in %s", word, strings.Join(group, " "))
			seen[word] = true
		}
	}
}
