// A scripted user: a module with reducers, a host and a client of its own, which follows the published
// protocol up and down by ahpgen bump alone.

package upgrade

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// userFiles is what the user writes from the start. Not all of it survives every version, which is for
// the report to say.
var userFiles = map[string]string{
	"go.mod": "module example.com/user\n\ngo 1.24\n",
	"ahp/ahpgen.json": `{
  "schemas": "ahp@0.4.0",
  "out": ".",
  "package": "ahp",
  "host": {"skeleton": true},
  "reducers": {"own": [
    "chat/turnStarted", "chat/toolCallReady", "chat/turnComplete", "chat/toolCallComplete", "chat/delta", "chat/usage",
    "session/titleChanged", "session/modelChanged", "session/activeClientChanged", "changeset/cleared",
    "terminal/commandExecuted"
  ]}
}
`,
	"client/client.go": `// Package client is a client of the user's.
package client

import (
	"context"

	"example.com/user/ahp"
	"example.com/user/ahp/wire/rpc"
)

// Turn starts a turn.
func Turn(id string) *ahp.ChatTurnStartedAction {
	return &ahp.ChatTurnStartedAction{TurnID: id, Message: ahp.Message{}}
}

// Open introduces the client.
func Open(ctx context.Context, conn rpc.Conn) (*ahp.InitializeResult, error) {
	return ahp.NewHostConn(conn).Initialize(ctx, &ahp.InitializeParams{ClientID: "user", ProtocolVersions: ahp.SupportedVersions()})
}

// Model says which model an action chooses.
func Model(a ahp.StateAction) string {
	switch a := a.(type) {
	case *ahp.SessionModelChangedAction:
		return string(a.ActionType())
	case *ahp.ChangesetFileSetAction:
		return a.File.ID
	}
	return ""
}
`,
	"client/handlers.go": `package client

import (
	"context"

	"example.com/user/ahp"
)

// Handlers are a host written without the skeleton.
func Handlers() *ahp.HostHandlers {
	return &ahp.HostHandlers{
		Ping: func(context.Context, *ahp.PingParams) error { return nil },
		Initialize: func(_ context.Context, p *ahp.InitializeParams) (*ahp.InitializeResult, error) {
			version, err := ahp.NegotiateVersion(p.ProtocolVersions)
			return &ahp.InitializeResult{ProtocolVersion: version}, err
		},
	}
}
`,
	"client/model_windows.go": `package client

import "example.com/user/ahp"

// Agent is for one system only.
var Agent = ahp.SessionAgentChangedAction{}
`,
	"client/model_special.go": `//go:build special && !windows

package client

import "example.com/user/ahp"

// Tools are behind a tag.
var Tools = ahp.SessionActiveClientToolsChangedAction{}
`,
	"client/gen.go": `//go:build ignore

package main

import _ "example.com/user/ahp"

func main() {}
`,
	"client/client_test.go": `package client

import (
	"testing"

	"example.com/user/ahp"
)

func TestTurn(t *testing.T) {
	if Turn("1").TurnID != "1" || Model(&ahp.SessionModelChangedAction{}) == "" {
		t.Fatal()
	}
}
`,
}

// userEdits are methods that the user writes: the method, and what its body is from then on, where "…" is what ahpgen put
// there. Some of their actions go, some come stated later, and one gets a type that changes.
var userEdits = map[string]map[string]string{
	"reducers_chat.go": {
		"chatTurnStarted":   "\t_ = a.TurnID // mine\n…",
		"chatToolCallReady": "\tnext := *s\n\t_ = a.ToolCallID // mine too\n\treturn &next",
		"chatDelta":         "\tnext := *s // mine, a stub's\n\treturn &next",
	},
	"reducers_session.go": {
		"sessionTitleChanged": "\tnext := *s\n\t_ = a.Title // title\n\treturn &next",
		"sessionModelChanged": "\t_ = a // model\n…",
	},
	"reducers_changeset.go": {
		"changesetCleared": "\treturn s // as it is",
	},
	"host_server.go": {
		"Ping":       "\treturn nil // pong",
		"Initialize": "\tversion, err := NegotiateVersion(p.ProtocolVersions)\n\treturn &InitializeResult{ProtocolVersion: version}, err",
	},
}

// untouched are methods that the user leaves as ahpgen puts them there: the bodies of finished reducers, and a stub.
var untouched = []string{"chatTurnComplete", "chatToolCallComplete", "sessionActiveClientChanged", "terminalCommandExecuted", "chatUsage"}

// writeBodies puts the user's bodies in the place of those that are there, and returns the whole methods.
func writeBodies(t *testing.T, dir string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for name, methods := range userEdits {
		path := filepath.Join(dir, "ahp", name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		text := string(data)
		for method, body := range methods {
			i := strings.Index(text, ") "+method+"(")
			require.Positive(t, i, "%s has no %s", name, method)
			i = strings.LastIndex(text[:i], "\nfunc ") + 1
			head, rest, _ := strings.Cut(text[i:], "{\n")
			was, rest, _ := strings.Cut(rest, "\n}\n")
			require.Equal(t, name == "host_server.go" || method == "chatDelta" || method == "changesetCleared", strings.Contains(was, "TODO(ahpgen)"), method)
			whole := head + "{\n" + strings.ReplaceAll(body, "…", was) + "\n}\n"
			text = text[:i] + whole + rest
			out[name] = append(out[name], whole)
		}
		kit.WriteFile(t, path, text)
	}
	return out
}

// requireFollowed requires that unchanged methods equal those of a new package for the version. It
// returns them.
func requireFollowed(t *testing.T, tool, dir, version string) map[string]string {
	t.Helper()
	fresh := filepath.Join(dir, "fresh")
	config, err := os.ReadFile(filepath.Join(dir, "ahp", "ahpgen.json"))
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(fresh, "ahpgen.json"), string(config))
	kit.Run(t, fresh, tool, "generate")
	out := map[string]string{}
	mine, theirs := kit.GoFilesIn(t, filepath.Join(dir, "ahp")), kit.GoFilesIn(t, fresh)
	require.NoError(t, os.RemoveAll(fresh))
	for _, method := range untouched {
		out[method] = kit.MethodIn(mine, method)
		require.Equal(t, kit.MethodIn(theirs, method), out[method], "%s: %s does not follow", version, method)
	}
	return out
}

// newUser is a module of the user's with a package of the first version.
func newUser(t *testing.T, tool string) (dir, ahp string) {
	t.Helper()
	dir = kit.Place(t)
	for name, text := range userFiles {
		kit.WriteFile(t, filepath.Join(dir, name), text)
	}
	ahp = filepath.Join(dir, "ahp")
	kit.Run(t, ahp, tool, "generate")
	return dir, ahp
}

// requireListed requires that nothing fails to compile but what a report lists.
func requireListed(t *testing.T, dir, report string, environment ...string) {
	t.Helper()
	listed := kit.Positions(dir, "ahp", report)
	for _, verb := range []string{"build", "vet"} {
		out, err := kit.Command(dir, "env", append(slices.Clone(environment), "go", verb, kit.EveryError, "./...")...)
		if err == nil {
			continue
		}
		broken := kit.Positions(dir, "", out)
		require.NotEmpty(t, broken, "%v %s: %s", environment, verb, out)
		for _, at := range broken {
			require.Contains(t, listed, at, "%v %s fails where the report says nothing:\n%s\n%s", environment, verb, out, report)
		}
	}
}

// TestABumpKnowsOtherSystems has its own standard library to compile.
func TestABumpKnowsOtherSystems(t *testing.T) {
	kit.Longer(t)
	dir, ahp := newUser(t, kit.Tool(t))
	report, err := kit.Command(ahp, kit.Tool(t), "bump", "--to", filepath.Join(kit.Corpus(t), "ahp", "0.5.2", "schema"))
	require.Error(t, err)
	require.Contains(t, report, "../client/model_windows.go:6:")
	requireListed(t, dir, report, "GOOS=windows", "CGO_ENABLED=0")
}

// TestAUserFollowsTheProtocolUpAndDown: after each step nothing fails to compile but what the report lists, and not a
// byte of the user's is gone.
func TestAUserFollowsTheProtocolUpAndDown(t *testing.T) {
	published := filepath.Join(kit.Corpus(t), "ahp")
	tool := kit.Tool(t)
	dir, ahp := newUser(t, tool)
	git := func(args ...string) {
		kit.Run(t, dir, "git", append([]string{"-c", "user.name=user", "-c", "user.email=user@example.com"}, args...)...)
	}
	bodies := writeBodies(t, dir)
	kit.Emitted(t, dir, "vet", "./...")
	for name, text := range kit.Folder(t, filepath.Join(published, "0.5.2", "schema")) {
		kit.WriteFile(t, filepath.Join(dir, "official", name), text)
	}
	git("init", "-q", ".")
	followed := map[string]map[string]bool{} // the texts that each method has had, "" if it was gone
	follow := func(version string) {
		for method, text := range requireFollowed(t, tool, dir, version) {
			if followed[method] == nil {
				followed[method] = map[string]bool{}
			}
			followed[method][text] = true
		}
	}
	follow("0.4.0")
	steps := []string{"0.5.2", "0.6.0", "0.4.0"}
	switch {
	case *kit.Thorough:
		steps = []string{"0.5.2", "0.6.0", "0.7.0", "0.8.0-dev", "0.7.0", "0.6.0", "0.5.2", "0.4.0"}
	case flags.All(t):
		steps = []string{"0.5.2", "0.6.0", "0.7.0", "0.8.0-dev", "0.6.0", "0.4.0"}
	}
	for step, version := range steps {
		git("add", "-A")
		git("commit", "-q", "-m", "before "+version)
		to := filepath.Join(published, version, "schema")
		if step == 0 {
			to = filepath.Join(dir, "official")
		}
		report, err := kit.Command(ahp, tool, "bump", "--to", to)
		mustChange := !strings.Contains(summaryLine(report), ": nothing must change")
		require.Equal(t, mustChange, err != nil, report) // the exit code says so
		t.Logf("%s: %s", version, summaryLine(report))
		require.Contains(t, report, "../client/gen.go is not checked: no build was found that has it")
		requireListed(t, dir, report)
		if step < 2 { // afterwards there breaks what broke before
			requireListed(t, dir, report, "GOFLAGS=-tags=special")
		}
		for name, methods := range bodies {
			text, err := os.ReadFile(filepath.Join(ahp, name))
			require.NoError(t, err)
			for _, method := range methods {
				require.Contains(t, string(text), method, "%s: a byte of the user's is gone", version)
			}
		}
		follow(version)
		for name, text := range userFiles {
			if name != "ahp/ahpgen.json" {
				now, err := os.ReadFile(filepath.Join(dir, name))
				require.NoError(t, err)
				require.Equal(t, text, string(now))
			}
		}
		if version == "0.6.0" && step == 1 {
			require.Contains(t, report, "../client/client.go:13:10: ChatTurnStartedAction needs StartedAt from now on")
		}
		// Again there is nothing to do that was not there.
		again, err := kit.Command(ahp, tool, "generate")
		if err == nil {
			require.NotContains(t, again, "added", "%s: %s", version, again)
		}
		require.Contains(t, again, "wrote 0 files")
	}
	for _, method := range []string{"chatTurnComplete", "chatToolCallComplete", "sessionActiveClientChanged"} {
		require.Greater(t, len(followed[method]), 1, "%s is the same in all versions: the test shows too little", method)
	}
}

// summaryLine is the line of a report that says how much is left to do.
func summaryLine(report string) string {
	for line := range strings.Lines(report) {
		if strings.Contains(line, "must change,") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
