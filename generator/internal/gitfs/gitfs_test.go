// Tests of reading folders from git, on repositories made for the occasion.

package gitfs_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/gitfs"
)

// repository makes a repository with two commits and a file that is not committed, and works in it.
func repository(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: this test reads repositories")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(name, "a@example.com")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	git(t, "init", "-q", "-b", "main")
	write(t, "schema/a.schema.json", "one")
	write(t, "schema/sub/b.schema.json", "below")
	write(t, "file", "no folder")
	require.NoError(t, os.Symlink("a.schema.json", filepath.Join("schema", "link.schema.json")))
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "one")
	git(t, "tag", "v1")
	write(t, "schema/a.schema.json", "two")
	write(t, "schema/ä b.schema.json", "a name")
	git(t, "add", ".")
	git(t, "commit", "-q", "-m", "two")
	write(t, "schema/a.schema.json", "three, not committed")
}

func git(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}

func TestReadsWhatWasCommitted(t *testing.T) {
	repository(t)
	for name, want := range map[string]string{
		"git:v1:schema":       "one",
		"git:HEAD~1:schema/":  "one",
		"git:main:schema":     "two",
		"git:HEAD:./schema":   "two",
		"git:main^{}:schema":  "two",
		"git:main@{0}:schema": "two",
	} {
		folder, display, _, err := gitfs.Open(name)
		require.NoError(t, err, name)
		require.Equal(t, name, display)
		data, err := fs.ReadFile(folder, "a.schema.json")
		require.NoError(t, err, name)
		require.Equal(t, want, string(data), name)
	}
	status, err := exec.Command("git", "status", "--porcelain").Output()
	require.NoError(t, err)
	require.Equal(t, " M schema/a.schema.json\n", string(status), "nothing is checked out")
}

func TestPathsFromTheWorkingDirectory(t *testing.T) {
	repository(t)
	t.Chdir("schema")
	folder, _, _, err := gitfs.Open("git:HEAD:./sub")
	require.NoError(t, err)
	data, err := fs.ReadFile(folder, "b.schema.json")
	require.NoError(t, err)
	require.Equal(t, "below", string(data))
	_, display, file, err := gitfs.Open("git:HEAD:./sub/b.schema.json")
	require.NoError(t, err)
	require.Equal(t, []string{"git:HEAD:./sub", "b.schema.json"}, []string{display, file})
	for _, name := range []string{"git:HEAD:schema/sub", "git:HEAD:.", "git:HEAD:..", "git:HEAD:../"} {
		_, _, _, err = gitfs.Open(name)
		require.NoError(t, err, name)
	}
}

func TestListsTheFolder(t *testing.T) {
	repository(t)
	folder, _, _, err := gitfs.Open("git:main:schema")
	require.NoError(t, err)
	entries, err := fs.ReadDir(folder, ".")
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name()+" "+e.Type().String())
	}
	require.Equal(t, []string{"a.schema.json ----------", "link.schema.json L---------", "sub d---------", "ä b.schema.json ----------"}, names)
	for name, want := range map[string]string{
		"link.schema.json": "no regular file", "sub": "no regular file", "none.json": "not exist", "../file": "invalid", "sub/none.json": "not exist", "a.schema.json/b": "not exist",
	} {
		_, err := folder.Open(name)
		require.ErrorContains(t, err, want, name)
	}
	for range 2 {
		data, err := fs.ReadFile(folder, "sub/b.schema.json")
		require.NoError(t, err)
		require.Equal(t, "below", string(data))
	}
	f, err := folder.Open("a.schema.json")
	require.NoError(t, err)
	info, err := f.Stat()
	require.NoError(t, err)
	require.EqualValues(t, 3, info.Size())
	require.NoError(t, f.Close())
}

func TestRefusals(t *testing.T) {
	repository(t)
	for _, c := range []struct {
		name, want string
		spec       bool // a mistake in the name itself
	}{
		{"git:", "named git:REV:PATH", true},
		{"git:main", "named git:REV:PATH", true},
		{"git::schema", "named git:REV:PATH", true},
		{"git:main:", "named git:REV:PATH", true},
		{"git:--output=x:schema", "hyphen", true},
		{"git:-p:schema", "hyphen", true},
		{"git:main:--help", "hyphen", true},
		{"git:main\nx:schema", "line breaks", true},
		{"git:nowhere:schema", `no revision "nowhere"`, false},
		{"git:HEAD --output=x:schema", "no revision", false},
		{"git:main:nowhere", `no folder or file "nowhere"`, false},
		{"git:main:../..", "no folder", false},
	} {
		_, _, _, err := gitfs.Open(c.name)
		require.ErrorContains(t, err, c.want, c.name)
		var spec *gitfs.SpecError
		require.Equal(t, c.spec, errors.As(err, &spec), "%s: %v", c.name, err)
	}
	require.NoFileExists(t, "x")
}

func TestOutsideOfARepository(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", "/")
	_, _, _, err := gitfs.Open("git:main:schema")
	require.ErrorContains(t, err, "no git repository")
}

func TestWithoutGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, _, err := gitfs.Open("git:main:schema")
	require.ErrorContains(t, err, "needs the git command")
}

func TestIs(t *testing.T) {
	require.True(t, gitfs.Is("git:main:schema"))
	require.False(t, gitfs.Is("./git:main:schema"))
	require.False(t, gitfs.Is(strings.TrimPrefix("git:x", "git:")))
}

// TestRunsNothingOfTheRepository plants a program wherever a repository can name one, and reads the repository.
func TestRunsNothingOfTheRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	repository(t)
	dir := t.TempDir()
	ran, program := filepath.Join(dir, "ran"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >> "+ran+"\ncat\n"), 0o755))
	for _, key := range []string{
		"filter.f.clean", "filter.f.smudge", "filter.f.process", "diff.f.textconv", "diff.f.command", "diff.external", "core.fsmonitor", "core.pager", "core.editor",
		"core.sshCommand", "core.askPass", "core.gitProxy", "credential.helper", "gpg.program", "uploadpack.packObjectsHook", "core.alternateRefsCommand",
		"interactive.diffFilter", "alias.diff", "alias.ls-files", "pager.ls-files", "pager.cat-file",
	} {
		git(t, "config", key, program)
	}
	git(t, "config", "remote.far.url", "ext::"+program)
	git(t, "config", "remote.far.promisor", "true")
	git(t, "config", "remote.far.uploadpack", program)
	git(t, "config", "protocol.ext.allow", "always")
	for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout"} {
		require.NoError(t, os.MkdirAll(filepath.Join(".git", "hooks"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(".git", "hooks", hook), []byte("#!/bin/sh\n"+program+" "+hook+"\n"), 0o755))
	}
	write(t, ".git/info/attributes", "* filter=f diff=f\n")
	touched := time.Now().Add(time.Hour) // git does not trust what it knows of these files
	require.NoError(t, os.Chtimes(filepath.Join("schema", "a.schema.json"), touched, touched))
	require.NoError(t, os.Chtimes(filepath.Join("schema", "sub", "b.schema.json"), touched, touched))

	unkept, err := gitfs.Unkept("schema", []string{"a.schema.json", filepath.Join("sub", "b.schema.json"), "ä b.schema.json", "link.schema.json", "none.json"})
	require.NoError(t, err)
	require.Equal(t, []string{"a.schema.json", "link.schema.json", "none.json"}, unkept)
	folder, _, _, err := gitfs.Open("git:HEAD:schema")
	require.NoError(t, err)
	_, err = fs.ReadFile(folder, "a.schema.json")
	require.NoError(t, err)
	_, _, _, err = gitfs.Open("git:" + strings.Repeat("1", 40) + ":schema")
	require.Error(t, err)
	require.NoFileExists(t, ran)

	_ = exec.Command("git", "diff", "--name-only", "--", "schema").Run()
	require.FileExists(t, ran, "git alone runs what was planted")
}

func TestKeptWithOtherLineBreaks(t *testing.T) {
	repository(t)
	write(t, "schema/c.schema.json", "a\nb\n")
	git(t, "add", ".")
	write(t, "schema/c.schema.json", "a\r\nb\r\n")
	unkept, err := gitfs.Unkept("schema", []string{"c.schema.json"})
	require.NoError(t, err)
	require.Empty(t, unkept)
}
