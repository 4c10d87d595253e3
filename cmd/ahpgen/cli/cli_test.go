// Tests of what every command does at its end.

package cli

import (
	"bytes"
	"runtime/debug"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
)

func TestPanicInACommandIsAnErrorWithAPlace(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &inside.Writer{To: &stdout}, stderr: &inside.Writer{To: &stderr}, started: true}
	cmd := &cobra.Command{SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error {
		a.diags.Errorf(diag.Pos{File: "schema/a.schema.json", Line: 1, Col: 1}, "test", "", "found before")
		a.diags.Working(diag.Pos{File: "schema/a.schema.json", Line: 3, Col: 5})
		panic("out of cheese")
	}}
	cmd.SetArgs(nil)
	require.Equal(t, exitIO, a.finish(a.execute(cmd, nil)))
	require.NoError(t, a.stderr.Flush())
	require.Empty(t, stdout.String())
	require.Regexp(t, `^schema/a\.schema\.json:1:1: found before
ahpgen: schema/a\.schema\.json:3:5: internal error in cli/cli_test\.go:\d+: out of cheese; this is a defect of ahpgen, please report it together with the schema
$`, stderr.String())
}

func TestEveryCommandHasExamples(t *testing.T) {
	root := new(app).root()
	for _, cmd := range root.Commands() {
		if cmd.Runnable() {
			require.NotEmpty(t, cmd.Example, cmd.Name())
			require.NotEmpty(t, cmd.Long+cmd.Short, cmd.Name())
		}
	}
}

func TestWordsAreQuotedForAShell(t *testing.T) {
	for word, want := range map[string]string{
		"plain": "plain", "./a/b": "./a/b", "": "''", "two words": "'two words'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "größe": "größe", "a;b": "'a;b'",
	} {
		require.Equal(t, want, quote(word))
	}
	require.Equal(t, "./a", argument("a"))
	require.Equal(t, "../a", argument("../a"))
	require.Equal(t, ".", argument("."))
}

func TestTextIsBrokenBetweenWords(t *testing.T) {
	require.Equal(t, []string{"one two", "three", "averylongword", "x"}, wrap("one  two three\naverylongword x", 8))
	require.Empty(t, wrap(" ", 8))
}

func TestBuildIsToldInOneLine(t *testing.T) {
	for _, c := range []struct {
		info debug.BuildInfo
		want string
	}{
		{debug.BuildInfo{}, "ahpgen (devel)"},
		{debug.BuildInfo{GoVersion: "go1.26.1", Main: debug.Module{Path: "example.com/m", Version: "v1.2.3"}}, "ahpgen v1.2.3 built with go1.26.1, example.com/m"},
		{
			debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}},
			"ahpgen (devel) from commit 0123456789ab with changes",
		},
	} {
		require.Equal(t, c.want, buildText(&c.info))
	}
}
