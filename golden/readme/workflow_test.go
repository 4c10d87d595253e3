// Test of the workflow in the examples.

package readme

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// workflow is what the test looks at in a workflow.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Name, Run string
			Dir       string `yaml:"working-directory"`
		}
	}
}

// TestWorkflowInTheExamples runs the commands of ahpgen in the example in a repository as it describes.
func TestWorkflowInTheExamples(t *testing.T) {
	kit.Wide(t)
	data, err := os.ReadFile(filepath.Join("..", "..", ".github", "examples", "protocol.yml"))
	require.NoError(t, err)
	var w workflow
	require.NoError(t, yaml.Unmarshal(data, &w))

	dir := notesRepository(t)
	kit.WriteFile(t, filepath.Join(dir, ".protocol", "schema", "note.schema.json"), newerNotes)

	temp := t.TempDir()
	t.Setenv("RUNNER_TEMP", temp)
	t.Setenv("BASE", "origin/main")
	printed := map[string]string{}
	failed := map[string]bool{}
	for _, job := range []string{"watch", "review"} {
		if job == "review" { // the pull request brings the new schemas
			kit.WriteFile(t, filepath.Join(dir, "schema", "note.schema.json"), newerNotes)
		}
		for _, s := range w.Jobs[job].Steps {
			if strings.Contains(s.Run, "ahpgen") {
				out, err := kit.Command(filepath.Join(dir, s.Dir), "sh", "-e", "-c", s.Run)
				printed[s.Name], failed[s.Name] = out, err != nil
			}
		}
	}
	require.Len(t, printed, 2)
	require.False(t, failed["Look ahead"], printed["Look ahead"])
	require.Contains(t, printed["Look ahead"], "::error file=main.go,line=5,col=")
	require.Contains(t, printed["Look ahead"], "::notice title=ahpgen::note 1.0.0 → 2.0.0: 1 place must change")
	require.True(t, failed["Compare"], "an old client lacks the member")
	require.Contains(t, printed["Compare"], "::error file=schema/note.schema.json,line=2,col=")
	for name, first := range map[string]string{"bump.md": "## note 1.0.0 → 2.0.0: 1 place must change", "diff.md": "## note 1.0.0 → 2.0.0: 1 change breaks a client"} {
		text, err := os.ReadFile(filepath.Join(temp, name))
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(text), first), "%s", text)
	}
}

// The schemas of notesRepository, and newer ones.
const oldNotes = `{"x-protocol": {"name": "note", "title": "Note Protocol", "version": "1.0.0"}, "$defs": {
  "Note": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
}}
`

var newerNotes = strings.NewReplacer("1.0.0", "2.0.0", `, "required": ["id"]`, "").Replace(oldNotes)

// notesRepository makes a repository with schemas in schema/ and the package made of them in ahp/, as origin/main has it.
func notesRepository(t *testing.T) string {
	t.Helper()
	dir := consumer(t)
	git := func(args ...string) {
		kit.Run(t, dir, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	}
	kit.WriteFile(t, filepath.Join(dir, "schema", "note.schema.json"), oldNotes)
	kit.Run(t, dir, "go", "tool", "ahpgen", "init", "ahp", "--schemas", "schema")
	kit.Run(t, dir, "go", "generate", "./...")
	kit.WriteFile(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"example.com/consumer/ahp\"\n\nfunc main() { println(\"note \" + (&ahp.Note{}).ID) }\n")
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	return dir
}

// TestActionAndHooks runs the steps of the composite action and the hooks for pre-commit: in a repository where nothing has
// changed, and in one where schemas have that a released client relies on.
func TestActionAndHooks(t *testing.T) {
	kit.Wide(t)
	var action struct {
		Runs struct {
			Using string
			Steps []struct{ Name, Run, Shell string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(repositoryFile(t, ".github/action/action.yml")), &action))
	require.Equal(t, "composite", action.Runs.Using)
	var hooks []struct {
		ID, Entry, Files string
	}
	require.NoError(t, yaml.Unmarshal([]byte(repositoryFile(t, ".pre-commit-hooks.yaml")), &hooks))

	dir := notesRepository(t)
	temp := t.TempDir()
	for name, value := range map[string]string{
		"RUNNER_TEMP": temp, "GITHUB_STEP_SUMMARY": filepath.Join(temp, "summary"),
		"FOLDERS": "./...", "SCHEMAS": "schema", "BASE": "origin/main", "AS": "both", "FAIL_ON": "breaking", "STABLE_ONLY": "false", "PROFILE": "",
	} {
		t.Setenv(name, value)
	}
	all := func() map[string]bool {
		failed := map[string]bool{}
		for _, s := range action.Runs.Steps {
			out, err := kit.Command(dir, s.Shell, "-e", "-o", "pipefail", "-c", s.Run)
			t.Log(out)
			failed[s.Name] = err != nil
		}
		for _, h := range hooks {
			line := h.Entry
			if h.ID == "ahpgen-diff" {
				line += " git:HEAD:schema schema"
			}
			out, err := kit.Command(dir, "sh", "-c", line)
			t.Log(out)
			failed[h.ID] = err != nil
			require.Regexp(t, h.Files, "schema/note.schema.json")
		}
		return failed
	}
	require.Equal(t, map[string]bool{"Check": false, "Compare": false, "ahpgen-check": false, "ahpgen-diff": false}, all())
	kit.WriteFile(t, filepath.Join(dir, "schema", "note.schema.json"), newerNotes)
	require.Equal(t, map[string]bool{"Check": true, "Compare": true, "ahpgen-check": true, "ahpgen-diff": true}, all())
	summary, err := os.ReadFile(filepath.Join(temp, "summary"))
	require.NoError(t, err)
	require.Contains(t, string(summary), "## note 1.0.0 → 2.0.0: 1 change breaks a client")
}
