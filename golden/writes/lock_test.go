// The lock when branches are merged, when another build of ahpgen comes by, and beside stray files
// schemas.

package writes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestTheLockMergesLineByLine: each name has a line, and so has each stub.
func TestTheLockMergesLineByLine(t *testing.T) {
	dir := builtRepository(t)
	git := func(args ...string) string {
		return kit.Run(t, dir, "git", append([]string{"-c", "user.name=user", "-c", "user.email=user@example.com", "-c", "init.defaultBranch=main"}, args...)...)
	}
	git("init", "-q", ".")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	schema := filepath.Join(dir, "schema", "boards.schema.json")
	text, err := os.ReadFile(schema)
	require.NoError(t, err)
	// Two branches add a member each.
	branch := func(name, was, is string) {
		git("checkout", "-q", "-b", name, "main")
		kit.WriteFile(t, schema, strings.Replace(string(text), was, is, 1))
		out, code := kit.Ahpgen("generate")
		require.Zero(t, code, out)
		git("commit", "-q", "-a", "-m", name)
	}
	branch("one", `"properties": {"title"`, `"properties": {"about": {"type": "string"}, "title"`)
	branch("two", `{"const": "tray/changeB"}`, `{"const": "tray/changeB"}, "aim": {"type": "string"}`)
	out, err := kit.Command(dir, "git", "-c", "user.name=user", "-c", "user.email=user@example.com", "merge", "-q", "one")
	require.Error(t, err, "both changed the digest of the schemas")
	require.Contains(t, out, "ahpgen.lock.json")
	lock, err := os.ReadFile("ahpgen.lock.json")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(lock), "\n"+strings.Repeat("<", 7)), "names merge:\n%s", lock)

	// The schemas are for a person to merge; the lock is not.
	kit.WriteFile(t, schema, strings.NewReplacer(
		`"properties": {"title"`, `"properties": {"about": {"type": "string"}, "title"`,
		`{"const": "tray/changeB"}`, `{"const": "tray/changeB"}, "aim": {"type": "string"}`).Replace(string(text)))
	git("checkout", "--ours", "note")
	said, code := kit.Ahpgen("check")
	require.Equal(t, 1, code, said)
	said, code = kit.Ahpgen("generate")
	require.Zero(t, code, said)
	lock, err = os.ReadFile("ahpgen.lock.json")
	require.NoError(t, err)
	require.Contains(t, string(lock), `"about": "About"`)
	require.Contains(t, string(lock), `"aim": "Aim"`)
	checked, _ := kit.Ahpgen("check")
	require.NotContains(t, checked, "stale")

	// What the branches call by two names keeps the one at hand.
	other := strings.Replace(string(lock), `"aim": "Aim"`, `"aim": "Goal"`, 1)
	kit.WriteFile(t, "ahpgen.lock.json", strings.Repeat("<", 7)+" ours\n"+string(lock)+strings.Repeat("=", 7)+"\n"+other+strings.Repeat(">", 7)+" theirs\n")
	said, code = kit.Ahpgen("generate")
	require.Zero(t, code, said)
	require.Contains(t, said, "ChangeB.aim Aim and Goal: it is Aim")
	is, err := os.ReadFile("ahpgen.lock.json")
	require.NoError(t, err)
	require.Equal(t, string(lock), string(is))
	kit.WriteFile(t, "ahpgen.lock.json", strings.Repeat("<", 7)+" ours\n{\n"+strings.Repeat("=", 7)+"\n"+strings.Repeat(">", 7)+" theirs\n")
	said, code = kit.Ahpgen("generate")
	require.Equal(t, 1, code)
	require.Contains(t, said, "git checkout --ours ahpgen.lock.json")
}

// TestAnotherBuildIsNoFinding: what it makes is the same.
func TestAnotherBuildIsNoFinding(t *testing.T) {
	dir := builtRepository(t)
	path := filepath.Join(dir, "ahpgen.lock.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	other := strings.Replace(string(text), `"generator": "devel"`, `"generator": "v1.2.3"`, 1)
	require.NotEqual(t, string(text), other)
	kit.WriteFile(t, path, other)
	said, _ := kit.Ahpgen("check")
	require.NotContains(t, said, "stale")
	require.NotContains(t, said, "v1.2.3")
	said, code := kit.Ahpgen("generate")
	require.Zero(t, code, said)
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, other, string(now))
	// Where something else changes it says who did.
	kit.WriteFile(t, filepath.Join(dir, "schema", "boards.schema.json"), boards(3))
	said, code = kit.Ahpgen("generate")
	require.Zero(t, code, said)
	now, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(now), `"generator": "devel"`)
}

// TestHiddenFilesAreNoSchemas: editors keep copies beside what is edited, and a killed run may leave something.
func TestHiddenFilesAreNoSchemas(t *testing.T) {
	dir := builtRepository(t)
	for _, name := range []string{".boards.schema.json", "~boards.schema.json", ".#boards.schema.json", "boards.schema.json~", ".ahpgen-0123456789abcdef-0"} {
		kit.WriteFile(t, filepath.Join(dir, "schema", name), "{ half")
		kit.WriteFile(t, filepath.Join(dir, "next", name), "{ half")
	}
	said, code := kit.Ahpgen("generate")
	require.Zero(t, code, said)
	require.Contains(t, said, "wrote 0 files")
	said, code = kit.Ahpgen("bump", "--to", "next", "--force")
	require.Zero(t, code, said)
	require.FileExists(t, filepath.Join(dir, "schema", ".boards.schema.json"))
}

// TestABumpReplacesWhatGitHas: schemas that git could not bring back are replaced only where that is asked for.
func TestABumpReplacesWhatGitHas(t *testing.T) {
	dir := builtRepository(t)
	git := func(args ...string) {
		kit.Run(t, dir, "git", append([]string{"-c", "user.name=user", "-c", "user.email=user@example.com"}, args...)...)
	}
	refused := func(why string) {
		t.Helper()
		before := files(t, dir)
		said, code := kit.Ahpgen("bump", "--to", "next")
		require.Equal(t, 2, code, said)
		require.Contains(t, said, "1 schema file would be replaced or removed: schema/boards.schema.json; "+why)
		require.Equal(t, before, files(t, dir))
	}
	refused("it is under no version control: keep it elsewhere, and pass --force")
	git("init", "-q", ".")
	refused("git does not have it as it is: commit it first, or pass --force")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	path := filepath.Join(dir, "schema", "boards.schema.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	kit.WriteFile(t, path, string(text)+"\n")
	refused("git does not have it as it is: commit it first, or pass --force")
	git("add", "-A") // git has it from here on
	said, code := kit.Ahpgen("bump", "--to", "next")
	require.Zero(t, code, said)
}
