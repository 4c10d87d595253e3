// Tests of the reducers that come with a protocol: who owns them, and what they are called.

package evolve

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// embeddedSchemas copies the default embedded schemas into a folder, with some text in place of other.
func embeddedSchemas(t *testing.T, dir string, replace ...string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(kit.Root(t), "schemas", "ahp", "1.0.0", "*.schema.json"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	found := false
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		replaced := strings.NewReplacer(replace...).Replace(string(text))
		found = found || replaced != string(text)
		kit.WriteFile(t, filepath.Join(dir, filepath.Base(name)), replaced)
	}
	require.True(t, found || len(replace) == 0, "nothing was replaced")
}

// inConsumer goes to a fresh module. What is kept there is vetted in the end.
func inConsumer(t *testing.T) *states {
	t.Helper()
	t.Chdir(kit.Place(t))
	kit.WriteFile(t, "go.mod", "module consumer\n\ngo 1.24\n")
	return vetStates(t, ".")
}

// generates runs generate twice, and wants the package to compile and the second run to change nothing.
func (s *states) generates(t *testing.T, args ...string) string {
	t.Helper()
	printed, code := kit.Ahpgen(append([]string{"generate"}, args...)...)
	require.Zero(t, code, printed)
	s.keep(t, "ahp")
	before := kit.GoFilesIn(t, "ahp")
	again, code := kit.Ahpgen(append([]string{"generate"}, args...)...)
	require.Zero(t, code, again)
	require.NotContains(t, again, "added")
	require.Equal(t, before, kit.GoFilesIn(t, "ahp"), "a second run changes something")
	return printed
}

// TestWhoOwnsAFinishedReducerStartsFromItsBody takes over reducers. What else is finished stays ahpgen's, the
// helpers of those that were taken over as well.
func TestWhoOwnsAFinishedReducerStartsFromItsBody(t *testing.T) {
	flags.SkipUnlessAll(t)
	module := inConsumer(t)
	config := func(own string) {
		kit.WriteFile(t, "ahpgen.json", `{"schemas": "ahp", "out": "ahp", "package": "ahp", "reducers": {"own": [`+own+`]}}`)
	}
	config(`"chat/turnComplete", "terminal/data", "session/titleChanged"`)
	printed := module.generates(t)
	require.Contains(t, printed, "ahp/reducers_chat.go: added 1 finished reducer for you to change: chatTurnComplete\n")
	require.Contains(t, printed, "ahp/reducers_terminal.go: added 1 finished reducer for you to change: terminalData\n")
	require.Contains(t, printed, "ahp/reducers_session.go: added 1 stub for you to write: sessionTitleChanged\n", "its effects are stated: there is no body to start from")
	files := kit.GoFilesIn(t, "ahp")
	require.Contains(t, files["reducers_chat.go"], `
// chatTurnComplete ends the open turn as done. See [Reducer.endTurn].
func (r *Reducer) chatTurnComplete(s *ChatState, a *ChatTurnCompleteAction) *ChatState {
	return r.endTurn(s, a.TurnID, a.Duration, TurnStateComplete, nil)
}
`)
	require.Contains(t, files["reducers_terminal.go"], "if part, ok := r.withOutput(s.Content[last], a.Data); ok {")
	require.NotContains(t, files["reducers_turns_gen.go"], ") chatTurnComplete(")
	require.Contains(t, files["reducers_turns_gen.go"], ") endTurn(")
	require.NotContains(t, files["reducers_terminal_gen.go"], ") terminalData(")
	require.Contains(t, files["reducers_terminal_gen.go"], ") withOutput(", "what was taken over calls it")

	// The helper goes when nothing calls it any more, and comes back with what does.
	kit.WriteFile(t, "ahp/reducers_terminal.go", "package ahp\n\nfunc (r *Reducer) terminalData(s *TerminalState, a *TerminalDataAction) *TerminalState { return s }\n")
	printed = module.generates(t)
	require.NotContains(t, printed, "would come finished", "it is stated that this one is written by hand")
	require.NotContains(t, kit.GoFilesIn(t, "ahp")["reducers_terminal_gen.go"], ") withOutput(")

	// Given back, it is ahpgen's again.
	require.NoError(t, os.Remove("ahp/reducers_terminal.go"))
	config(`"chat/turnComplete", "session/titleChanged"`)
	module.generates(t)
	require.Contains(t, kit.GoFilesIn(t, "ahp")["reducers_terminal_gen.go"], ") terminalData(")
}

// TestWhatWasTakenOverFollowsUntilItIsTouched bumps reducers that a person took over: those that still have the body that
// they started with get the one of the new version, or go with their action; those that were edited stay.
func TestWhatWasTakenOverFollowsUntilItIsTouched(t *testing.T) {
	inConsumer(t)
	const own = `"reducers": {"own": ["chat/toolCallComplete", "chat/turnComplete", "chat/turnStarted", "session/modelChanged", "session/titleChanged"]}`
	kit.WriteFile(t, "ahp/ahpgen.json", `{"schemas": "ahp@0.4.0", "out": ".", "package": "ahp", `+own+`}`)
	t.Chdir("ahp")
	succeeds := func(args ...string) string {
		printed, code := kit.Ahpgen(args...)
		require.Zero(t, code, printed)
		return printed
	}
	succeeds("generate")
	started := kit.GoFilesIn(t, ".")
	mine := kit.MethodIn(started, "chatTurnStarted")
	require.NotEmpty(t, mine)
	edited := strings.Replace(mine, "{\n", "{\n\t_ = r // mine\n", 1)
	kit.WriteFile(t, "reducers_chat.go", strings.Replace(started["reducers_chat.go"], mine, edited, 1))
	succeeds("check") // edited bodies leave the lock unchanged

	printed, code := kit.Ahpgen("bump", "--to", "0.7.0")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "reducers_chat.go: updated 2 methods that had not been edited: chatToolCallComplete, chatTurnComplete\n")
	require.Contains(t, printed, "reducers_session.go: removed 1 method that had not been edited: sessionModelChanged\n")
	require.Contains(t, printed, "reducers_session.go:8:12: r.modified undefined", "its effects are stated by now: there is no body to follow to")
	now := kit.GoFilesIn(t, ".")
	require.Equal(t, edited, kit.MethodIn(now, "chatTurnStarted"))
	require.Equal(t, kit.MethodIn(started, "sessionTitleChanged"), kit.MethodIn(now, "sessionTitleChanged"))
	require.Empty(t, kit.MethodIn(now, "sessionModelChanged"))
	t.Chdir(t.TempDir())
	kit.WriteFile(t, "ahpgen.json", `{"schemas": "ahp@0.7.0", "out": ".", "package": "ahp", "reducers": {"own": ["chat/toolCallComplete", "chat/turnComplete"]}}`)
	succeeds("generate")
	for _, method := range []string{"chatToolCallComplete", "chatTurnComplete"} {
		require.NotEqual(t, kit.MethodIn(started, method), kit.MethodIn(now, method))
		require.Equal(t, kit.MethodIn(kit.GoFilesIn(t, "."), method), kit.MethodIn(now, method))
	}
}

// TestEveryFinishedReducerCanBeOwned takes over all of them at once.
func TestEveryFinishedReducerCanBeOwned(t *testing.T) {
	flags.SkipUnlessAll(t)
	module := inConsumer(t)
	module.generates(t, "--out", "ahp")
	var types []string
	for name, text := range kit.GoFilesIn(t, "ahp") {
		if strings.HasPrefix(name, "reducers_") {
			for _, m := range regexp.MustCompile(`\(s \*\w+, a \*(\w+)\)`).FindAllStringSubmatch(text, -1) {
				types = append(types, m[1])
			}
		}
	}
	tags := regexp.MustCompile(`Type: (\w+), Channel: \w+, New: func\(\) StateAction { return new\((\w+)\)`)
	values := kit.GoFilesIn(t, "ahp")["enums_gen.go"]
	var own []string
	for _, m := range tags.FindAllStringSubmatch(kit.GoFilesIn(t, "ahp")["actions_gen.go"], -1) {
		finished := kit.GoFilesIn(t, "ahp")["reducers_gen.go"]
		if slices.Contains(types, m[2]) && !strings.Contains(finished, "a *"+m[2]+")") {
			_, value, _ := strings.Cut(values, "\t"+m[1]+" ")
			own = append(own, strings.Fields(value)[2])
		}
	}
	own = slices.Compact(own)
	require.Len(t, own, 30, "one type of actions has two reducers")
	kit.WriteFile(t, "ahpgen.json", `{"schemas": "ahp", "out": "ahp", "package": "ahp", "reducers": {"own": [`+strings.Join(own, ", ")+`]}}`)
	require.NotContains(t, module.generates(t), "stub")
	for name, text := range kit.GoFilesIn(t, "ahp") {
		if strings.HasPrefix(name, "reducers_") && strings.HasSuffix(name, "_gen.go") && name != "reducers_gen.go" {
			require.NotRegexp(t, `\(s \*\w+, a \*\w+\)`, text, name)
		}
	}
}

// TestAMendedReducerReachesEverybody puts an older text in place of a finished reducer: it is replaced as
// all that ahpgen emits.
func TestAMendedReducerReachesEverybody(t *testing.T) {
	module := inConsumer(t)
	module.generates(t, "--out", "ahp")
	name := filepath.Join("ahp", "reducers_terminal_gen.go")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	kit.WriteFile(t, name, strings.Replace(string(text), "return s", "return nil", 1))
	kit.WriteFile(t, "ahp/reducers_gone_gen.go", strings.SplitAfter(string(text), "\n")[0]+"\npackage ahp\n")
	printed, code := kit.Ahpgen("check", "--out", "ahp")
	require.Equal(t, 1, code)
	require.Contains(t, printed, "reducers_terminal_gen.go: stale")
	module.generates(t, "--out", "ahp")
	require.Equal(t, string(text), kit.GoFilesIn(t, "ahp")["reducers_terminal_gen.go"])
	require.NotContains(t, kit.GoFilesIn(t, "ahp"), "reducers_gone_gen.go")
}

// TestReducersOfAnEarlierAhpgenStay generates where finished reducers are in a person's files, as they once were: these
// count until they are deleted, file by file in any order.
func TestReducersOfAnEarlierAhpgenStay(t *testing.T) {
	flags.SkipUnlessAll(t)
	module := inConsumer(t)
	sources, err := filepath.Glob(filepath.Join(kit.Root(t), "schemas", "ahp", "reducers", "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		_, body, ok := strings.Cut(string(text), "\n\n") // without the build tag
		require.True(t, ok)
		body = strings.ReplaceAll(body, "github.com/ahpgen/ahpgen/templates/wire", "consumer/ahp/wire")
		kit.WriteFile(t, filepath.Join("ahp", "reducers_"+filepath.Base(source)), body)
	}
	before := kit.GoFilesIn(t, "ahp")
	printed := module.generates(t, "--schemas", "ahp@0.7.0", "--out", "ahp")
	require.Contains(t, printed, "\n27 reducers of yours would come finished: delete them for ahpgen's, ")
	for name, text := range kit.GoFilesIn(t, "ahp") {
		if strings.HasPrefix(name, "reducers_") && name != "reducers_gen.go" {
			require.Equal(t, before[name], text, name)
		}
	}
	for _, gone := range []string{"reducers_chat.go", "reducers_lists.go", "reducers_toolcall_state.go", "reducers_session.go"} {
		require.NoError(t, os.Remove(filepath.Join("ahp", gone)))
		module.generates(t, "--schemas", "ahp@0.7.0", "--out", "ahp")
	}
	require.Contains(t, kit.GoFilesIn(t, "ahp")["reducers_lists_gen.go"], "\nfunc withItem[", "what is left by hand calls it")
	for name := range before {
		_ = os.Remove(filepath.Join("ahp", name))
	}
	require.Contains(t, module.generates(t, "--schemas", "ahp@0.7.0", "--out", "ahp"), "\n27 finished reducers: ")
}

// TestFinishedReducersTakeTheNamesOfThePackage generates where Go calls things otherwise than where the reducers were
// written, and where names that they bring are taken.
func TestFinishedReducersTakeTheNamesOfThePackage(t *testing.T) {
	module := inConsumer(t)
	embeddedSchemas(t, "schema",
		`"ActiveTurn": {`, `"Reducer": {"type": "object", "properties": {}}, "ActiveTurn": {"x-go-name": "OpenTurn",`,
		`"ChatTruncatedAction": {`, `"ChatTruncatedAction": {"x-go-name": "CutShort",`,
		`"x-initialisms": [`, `"x-initialisms": ["CHAT", `)
	kit.WriteFile(t, "ahp/mine.go", `package ahp

// Names that finished reducers, or their imports, would have.
var slices, cmp, withItem = 1, 2, 3

type keptToolCall int

func (r *AHPReducer) endTurn() {}
`)
	kit.WriteFile(t, "ahp/mine_test.go", "package ahp\n\nfunc withAppended() {}\n")
	printed := module.generates(t, "--schemas", "schema", "--out", "ahp")
	require.Contains(t, printed, "\n31 finished reducers: ")
	require.NotContains(t, printed, "stub")
}

// TestWhatIsGeneratedIsGenerated: beside examples and tests, generated/ahp holds what a consumer would have there.
func TestWhatIsGeneratedIsGenerated(t *testing.T) {
	for name := range kit.GoFilesIn(t, filepath.Join("..", "..", "generated", "ahp")) {
		if !strings.HasSuffix(name, "_gen.go") && !strings.HasSuffix(name, "_test.go") {
			require.Equal(t, "doc.go", name)
		}
	}
}
