// Tests of the repository itself: that the targets, workflows and forms that contributors meet name what
// there is, and that everything says the same of Go.

package readme

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// repositoryFile reads a file by its path from the root of the repository.
func repositoryFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

// repositoryYAML decodes a file of the repository. Members that v does not have are errors.
func repositoryYAML(t *testing.T, name string, v any) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(repositoryFile(t, name)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(v), name)
}

// modules lists the folders of the repository that have a go.mod, the root as ".", with what each says.
func modules(t *testing.T) map[string]*modfile.File {
	t.Helper()
	found := map[string]*modfile.File{}
	for _, pattern := range []string{"go.mod", ".github/*/go.mod", "golden/*/*/go.mod"} {
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			f, err := modfile.Parse(file, data, nil)
			require.NoError(t, err)
			dir, err := filepath.Rel("../..", filepath.Dir(file))
			require.NoError(t, err)
			found[filepath.ToSlash(dir)] = f
		}
	}
	return found
}

// makeTargets lists the targets of the Makefile.
func makeTargets(t *testing.T) (targets []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^([\w-]+):([^=]|$)`).FindAllStringSubmatch(repositoryFile(t, "Makefile"), -1) {
		targets = append(targets, m[1])
	}
	require.NotEmpty(t, targets)
	return targets
}

func TestMakeHelpListsEveryTarget(t *testing.T) {
	targets := makeTargets(t)
	phony := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindStringSubmatch(repositoryFile(t, "Makefile"))
	require.NotNil(t, phony)
	require.ElementsMatch(t, targets, strings.Fields(phony[1]), "none of the targets is a file")
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed: what help prints is not looked at")
	}
	var listed []string
	for line := range strings.Lines(kit.Run(t, "../..", "make", "-s", "help")) {
		fields := strings.Fields(line)
		require.Greater(t, len(fields), 2, "a target and what it is for: %q", line)
		listed = append(listed, fields[0])
	}
	require.Equal(t, targets, listed)
}

// TestGuidesNameTargetsThatThereAre looks for "make X" in code, in the guides and the workflows.
func TestGuidesNameTargetsThatThereAre(t *testing.T) {
	targets := makeTargets(t)
	named := 0
	for _, name := range append(slices.Sorted(maps.Keys(texts(t))), ".ci/run", ".github/workflows/ci.yml") {
		for _, m := range regexp.MustCompile("(?:`|run: |run )make((?: [a-z]+)+)").FindAllStringSubmatch(repositoryFile(t, name), -1) {
			for _, target := range strings.Fields(m[1]) {
				require.Contains(t, targets, target, name)
				named++
			}
		}
	}
	require.NotZero(t, named)
}

// ciWorkflow is what the tests look at in the workflow that runs the tests.
type ciWorkflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Strategy struct {
			Matrix struct{ OS, Go []string }
		}
		Steps []ciStep
	}
}

type ciStep struct {
	Name, Uses, Run string
	With            map[string]string
}

func TestWorkflowRunsWhatAChangeHasToPass(t *testing.T) {
	var w ciWorkflow
	require.NoError(t, yaml.Unmarshal([]byte(repositoryFile(t, ".github/workflows/ci.yml")), &w))
	require.Equal(t, map[string]string{"contents": "read"}, w.Permissions)
	require.Len(t, w.Jobs, 1)
	job := w.Jobs["ci"]
	require.Equal(t, []string{"ubuntu-latest", "macos-latest", "windows-latest"}, job.Strategy.Matrix.OS)
	require.Equal(t, []string{"oldstable", "stable"}, job.Strategy.Matrix.Go)
	last := job.Steps[len(job.Steps)-1]
	info, err := os.Stat(filepath.Join("..", "..", last.Run))
	require.NoError(t, err)
	require.True(t, runtime.GOOS == "windows" || info.Mode()&0o100 != 0, "%s can be run", last.Run)
}

// TestWorkflowsUseTheSameActions wants the example to use what this repository does, where it is brought up
// to date.
func TestWorkflowsUseTheSameActions(t *testing.T) {
	uses := regexp.MustCompile(`uses: (\S+)@(\S+)`)
	used := map[string]string{}
	for _, m := range uses.FindAllStringSubmatch(repositoryFile(t, ".github/workflows/ci.yml"), -1) {
		used[m[1]] = m[2]
	}
	require.NotEmpty(t, used)
	for _, m := range uses.FindAllStringSubmatch(repositoryFile(t, ".github/examples/protocol.yml"), -1) {
		require.Equal(t, used[m[1]], m[2], m[1])
	}
}

// TestGoVersionsAgree takes the root's go.mod for what is promised: the older of two releases of Go.
func TestGoVersionsAgree(t *testing.T) {
	all := modules(t)
	promised := all["."].Go.Version
	for dir, f := range all {
		require.Equal(t, promised, f.Go.Version, "go.mod of %s", dir)
		require.Nil(t, f.Toolchain, "%s names no toolchain, or only that would be tested", dir)
	}
	minor := strings.Join(strings.Split(promised, ".")[:2], ".")
	said := regexp.MustCompile(`(?:machine|[Yy]ou) needs? Go (1\.\d+)`).FindAllStringSubmatch(repositoryFile(t, "README.md"), -1)
	require.NotEmpty(t, said, "the README says which Go ahpgen needs")
	for _, m := range said {
		require.Equal(t, minor, m[1], m[0])
	}
}

// TestWorkflowRefusesOtherVersionsOfGo runs the step that compares, with the Go that runs this test: it is
// one of the two that are supported, and not the other.
func TestWorkflowRefusesOtherVersionsOfGo(t *testing.T) {
	var w ciWorkflow
	require.NoError(t, yaml.Unmarshal([]byte(repositoryFile(t, ".github/workflows/ci.yml")), &w))
	steps := w.Jobs["ci"].Steps
	at := slices.IndexFunc(steps, func(s ciStep) bool { return s.Name == "Compare Go with go.mod" })
	require.GreaterOrEqual(t, at, 0)
	var passed []string
	for _, release := range []string{"oldstable", "stable"} {
		t.Setenv("RELEASE", release)
		out, err := kit.Command("../..", "sh", "-e", "-c", steps[at].Run)
		if err == nil {
			require.Empty(t, out)
			passed = append(passed, release)
			continue
		}
		require.Contains(t, out, "::error file=go.mod::"+release+" is Go 1.")
	}
	require.Len(t, passed, 1, "Go %s", runtime.Version())
}

// TestDependabotKnowsEveryModule wants each module to be brought up to date, and nothing that is not there.
func TestDependabotKnowsEveryModule(t *testing.T) {
	var config struct {
		Version int
		Updates []struct {
			Ecosystem string `yaml:"package-ecosystem"`
			Directory string
			Schedule  struct{ Interval string }
			Groups    map[string]struct{ Patterns []string }
		}
	}
	repositoryYAML(t, ".github/dependabot.yml", &config)
	require.Equal(t, 2, config.Version)
	var got, want []string
	for _, u := range config.Updates {
		require.Contains(t, []string{"daily", "weekly", "monthly"}, u.Schedule.Interval)
		got = append(got, u.Ecosystem+" "+u.Directory)
	}
	for dir := range modules(t) {
		want = append(want, "gomod "+path.Join("/", dir))
	}
	require.ElementsMatch(t, append(want, "github-actions /"), got)
}

// issueForm is an issue form of GitHub: all that one may have that is used here.
type issueForm struct {
	Name, Description, Title string
	Labels                   []string
	Body                     []issueElement
}

type issueElement struct {
	Type, ID   string
	Attributes struct {
		Label, Description, Placeholder, Value, Render string
		Options                                        []yaml.Node
	}
	Validations struct{ Required bool }
}

// TestIssueFormsAreSuchAsGitHubTakes checks what GitHub documents: it shows no form that is otherwise.
func TestIssueFormsAreSuchAsGitHubTakes(t *testing.T) {
	files, err := filepath.Glob("../../.github/ISSUE_TEMPLATE/*.yml")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		name := ".github/ISSUE_TEMPLATE/" + filepath.Base(file)
		if filepath.Base(file) == "config.yml" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			var f issueForm
			repositoryYAML(t, name, &f)
			require.Greater(t, len(f.Name), 3)
			require.False(t, names[f.Name], "a name is used once")
			names[f.Name] = true
			require.NotEmpty(t, f.Description)
			ids, asked := map[string]bool{}, 0
			for i, e := range f.Body {
				require.Empty(t, e.problem(), "element %d", i)
				if e.Type != "markdown" {
					asked++
					require.False(t, ids[e.ID], "an ID is used once: %s", e.ID)
					ids[e.ID] = true
				}
			}
			require.NotZero(t, asked, "a form asks for something")
		})
	}
	require.Len(t, names, 3)
}

// problem says what keeps GitHub from showing an element, "" for nothing.
func (e issueElement) problem() string {
	a := e.Attributes
	if e.Type == "markdown" {
		if a.Value == "" || e.ID != "" {
			return "text has a value and nothing else"
		}
		return ""
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9_-]+$`).MatchString(e.ID) || a.Label == "" {
		return fmt.Sprintf("%q needs an ID of letters, digits, - and _, and a label", e.ID)
	}
	switch e.Type {
	case "textarea", "input":
		if len(a.Options) > 0 || e.Type == "input" && a.Render != "" {
			return e.ID + " has an attribute that its type has not"
		}
	case "dropdown":
		seen := map[string]bool{}
		for _, o := range a.Options {
			// No, written without quotes, is a boolean for GitHub.
			if o.Tag != "!!str" || strings.EqualFold(o.Value, "none") || seen[o.Value] || slices.Contains([]string{"yes", "no"}, strings.ToLower(o.Value)) && o.Style == 0 {
				return e.ID + " has an option that is no text of its own: " + o.Value
			}
			seen[o.Value] = true
		}
		if len(seen) == 0 {
			return e.ID + " has no options"
		}
	case "checkboxes":
		for _, o := range a.Options {
			var box struct {
				Label    string
				Required bool
			}
			if err := o.Decode(&box); err != nil || box.Label == "" {
				return e.ID + " has a box without a label"
			}
		}
		if len(a.Options) == 0 {
			return e.ID + " has no options"
		}
	default:
		return "no such type: " + e.Type
	}
	return ""
}
