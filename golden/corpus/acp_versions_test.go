// Tests of ACP as it changes: the published schemas give the package that is committed, a user follows them from version
// to version, and peers of different versions understand each other.

package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestPublishedACPGivesTheCommittedPackage compares the package from the published schemas of version 1 with that from ours,
// declaration by declaration. Members and methods may be in another order, since the publisher has another one; what
// functions do with members follows that order, so their bodies are left to TestACPConversations.
func TestPublishedACPGivesTheCommittedPackage(t *testing.T) {
	published := filepath.Join(kit.Corpus(t), "acp", "v1")
	out := filepath.Join(t.TempDir(), "acp")
	own, diags := planned(t, generator.Config{Schemas: "acp@1", Out: out})
	require.Empty(t, diags)
	plan, diags := planned(t, generator.Config{Schemas: published, Profile: "acp", Out: out})
	require.Empty(t, diags)
	got, want := heads(t, plan), heads(t, own)
	require.Greater(t, len(want), 1000)
	for name := range want {
		require.Contains(t, got, name)
	}
	for name, text := range got {
		require.Contains(t, want, name)
		require.Equal(t, sorted(want[name]), sorted(text), name)
	}
	for _, pair := range [][2]string{{"acp@1", published}, {published, "acp@1"}} {
		report, code := kit.Ahpgen("diff", pair[0], pair[1], "--profile", "acp")
		require.Equal(t, "no differences\n", report)
		require.Zero(t, code)
	}
}

// TestAUserOfACPFollowsThePublishedVersions: what is only tried out breaks nothing, and what no longer compiles with the next
// version is listed, no more and no less.
func TestAUserOfACPFollowsThePublishedVersions(t *testing.T) {
	published := filepath.Join(kit.Corpus(t), "acp")
	archive := grows(t)
	dir := kit.Place(t)
	kit.WriteFile(t, filepath.Join(dir, "go.mod"), "module grows\n\ngo 1.24\n")
	kit.WriteFile(t, filepath.Join(dir, "user", "user.go"), fileOf(t, archive, "user.go"))
	kit.WriteFile(t, filepath.Join(dir, "acp", generator.ConfigName), `{"schemas": "../schema", "profile": "acp", "out": ".", "package": "acp"}`)
	for name, text := range kit.Folder(t, filepath.Join(published, "v1")) {
		kit.WriteFile(t, filepath.Join(dir, "schema", name), text)
	}
	git := func(args ...string) {
		kit.Run(t, dir, "git", append([]string{"-c", "user.name=user", "-c", "user.email=user@example.com"}, args...)...)
	}
	git("init", "-q", ".")
	t.Chdir(dir)
	report, code := kit.Ahpgen("generate", "acp")
	require.Zero(t, code, report)
	kit.Emitted(t, dir, "vet", "./...")

	git("add", "-A")
	git("commit", "-q", "-m", "1")
	report, code = kit.Ahpgen("bump", "acp", "--to", filepath.Join(published, "v1-unstable"))
	require.Zero(t, code, report)
	require.Contains(t, report, "acp 1 → 1: nothing must change")
	require.Contains(t, report, "0 changes break a client, 0 an agent, 0 Go source;")
	kit.Emitted(t, dir, "vet", "./...")

	git("add", "-A")
	git("commit", "-q", "-m", "unstable")
	report, code = kit.Ahpgen("bump", "acp", "--to", filepath.Join(published, "v2"))
	require.Equal(t, 1, code, report)
	require.Contains(t, report, "acp 1 → 2: ")
	out, err := kit.Command(dir, "go", "build", kit.EveryError, "./...")
	require.Error(t, err)
	failing := kit.Positions(dir, ".", out)
	require.NotEmpty(t, failing)
	require.Subset(t, kit.Positions(dir, ".", report), failing, report)
	report, code = kit.Ahpgen("check", "acp")
	require.Zero(t, code, report)
}

// TestACPGrows adds a kind of update, a member and a method. Code for the version before compiles with the package, the
// comparison reports no break, and peers of both versions talk.
func TestACPGrows(t *testing.T) {
	kit.Long(t)
	archive := grows(t)
	dir := kit.Place(t)
	schemas := filepath.Join(dir, "schema")
	require.NoError(t, os.CopyFS(schemas, os.DirFS(filepath.Join("..", "..", "schemas", "acp", "1"))))
	session := filepath.Join(schemas, "session.schema.json")
	data, err := os.ReadFile(session)
	require.NoError(t, err)
	text := string(data)
	for _, edit := range []string{"update", "member", "method"} {
		at, more, ok := strings.Cut(fileOf(t, archive, edit), "+++\n")
		require.True(t, ok)
		at = strings.TrimSuffix(at, "\n")
		require.Equal(t, 1, strings.Count(text, at), at)
		text = strings.Replace(text, at, at+more, 1)
	}
	kit.WriteFile(t, session, text)
	report, code := kit.Ahpgen("diff", "acp@1", schemas)
	require.Equal(t, 1, code, report)
	for _, want := range strings.Split(strings.TrimSpace(fileOf(t, archive, "says")), "\n") {
		require.Contains(t, strings.Join(strings.Fields(report), " "), want)
	}

	kit.WriteFile(t, filepath.Join(dir, "go.mod"), "module grows\n\ngo 1.24\n")
	runtime := filepath.Join(dir, "wire")
	kit.Generate(t, generator.Config{Schemas: "acp@1", Out: filepath.Join(dir, "old"), Package: "acp", Runtime: runtime})
	kit.Generate(t, generator.Config{Schemas: schemas, Out: filepath.Join(dir, "acp"), Package: "acp", Runtime: runtime})
	user := fileOf(t, archive, "user.go")
	kit.WriteFile(t, filepath.Join(dir, "user", "user.go"), strings.ReplaceAll(user, "grows/acp/wire", "grows/wire"))
	kit.WriteFile(t, filepath.Join(dir, "before", "user.go"), strings.NewReplacer("grows/acp/wire", "grows/wire", `"grows/acp"`, `acp "grows/old"`).Replace(user))
	kit.WriteFile(t, filepath.Join(dir, "talk", "talk_test.go"), fileOf(t, archive, "talk_test.go"))
	kit.Emitted(t, dir, "vet", "./user", "./before", "./talk")
	kit.TestEmitted(t, dir, "./talk")
}

func grows(t *testing.T) *txtar.Archive {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "acp-grows.txtar"))
	require.NoError(t, err)
	return archive
}

// fileOf is a file of an archive.
func fileOf(t *testing.T, archive *txtar.Archive, name string) string {
	t.Helper()
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	t.Fatalf("the archive has no %s", name)
	return ""
}
