// Tests of ahpgen as a consumer repository uses it, with the commands that the README shows.

package readme

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// consumerModule makes a fresh module that will find ahpgen in this checkout.
func consumerModule(t *testing.T) string {
	t.Helper()
	kit.Long(t)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := kit.Place(t)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(dir, "go.mod"), "module example.com/consumer\n\ngo 1.26\n\nreplace github.com/ahpgen/ahpgen => "+root+"\n")
	kit.WriteFile(t, filepath.Join(dir, "go.sum"), string(sums))
	// The module cache answers first, so that what consumers need has the versions that this module's build has. What only
	// they need, such as the modules below OpenTelemetry, comes from where the cache got the others. Never from repositories:
	// a module that is not published is not looked for there.
	kit.Run(t, root, "go", "mod", "download")
	env := strings.Split(kit.Run(t, dir, "go", "env", "GOMODCACHE", "GOPROXY"), "\n")
	proxies := "file://" + filepath.ToSlash(strings.TrimSpace(env[0])) + "/cache/download"
	for proxy := range strings.SplitSeq(strings.TrimSpace(env[1]), ",") {
		if proxy != "direct" {
			proxies += "," + proxy
		}
	}
	t.Setenv("GOPROXY", proxies)
	t.Setenv("GOFLAGS", "")
	// What is there has been compared with go.sum. The database of checksums may be out of reach, and says nothing new.
	t.Setenv("GOSUMDB", "off")
	return dir
}

// consumer makes a module that has ahpgen as a tool.
func consumer(t *testing.T) string {
	t.Helper()
	dir := consumerModule(t)
	kit.Run(t, dir, "go", "get", "-tool", "github.com/ahpgen/ahpgen/cmd/ahpgen")
	return dir
}

// builtTool is the program that go tool runs in a module.
func builtTool(t *testing.T, dir string) string {
	t.Helper()
	return strings.TrimSpace(kit.Run(t, dir, "go", "tool", "-n", "ahpgen"))
}

const consumerProgram = `package main

import (
	"fmt"

	"example.com/consumer/ahp"
)

func main() {
	env, err := ahp.Decode[ahp.ActionEnvelope]([]byte(` + "`" + `{"channel":"ahp-session:/1","action":{"type":"session/titleChanged","title":"Hello"},"serverSeq":7}` + "`" + `))
	if err != nil {
		panic(err)
	}
	switch a := env.Action.(type) {
	case *ahp.SessionTitleChangedAction:
		fmt.Println(env.ServerSeq, a.Title)
	case *ahp.UnknownStateAction:
		fmt.Println("from a newer host:", a.Type)
	}
}
`

// notesSchema is a protocol of the consumer's own, and notesProgram uses it.
const (
	notesSchema  = `{"$defs": {"Note": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}}`
	notesProgram = `package main

import (
	"fmt"

	"example.com/consumer/internal/notes"
)

func main() {
	n, err := notes.Decode[notes.Note]([]byte("{\"id\":\"a\"}"))
	fmt.Println(n.ID, err)
}
`
)

func TestConsumerGeneratesFromTheEmbeddedSchemas(t *testing.T) {
	dir := consumer(t)
	printed := kit.Run(t, dir, "go", "tool", "ahpgen", "init")
	require.Equal(t, "wrote ahp/ahpgen.json\nwrote ahp/ahpgen-schema.json\nwrote ahp/generate.go\nwrote ahp/.gitattributes\nnext: go generate ./...\n", printed)
	require.Contains(t, kit.Run(t, dir, "go", "generate", "./..."), "ahp 1.0.0: read 5 schema files")
	kit.WriteFile(t, filepath.Join(dir, "main.go"), consumerProgram)
	require.Equal(t, "7 Hello\n", kit.Run(t, dir, "go", "run", "."))
	tool := builtTool(t, dir)
	kit.Run(t, filepath.Join(dir, "ahp"), tool, "check")
	require.Contains(t, kit.Run(t, dir, tool, "init"), "kept ahp/ahpgen.json")

	// The program needs the generated package only: nothing of this module is linked.
	deps := kit.Run(t, dir, "go", "list", "-deps", ".")
	for _, dep := range strings.Fields(deps) {
		first, _, _ := strings.Cut(dep, "/")
		require.True(t, !strings.Contains(first, ".") || strings.HasPrefix(dep, "example.com/consumer"), dep)
	}

	// A drifted file makes check fail.
	file := filepath.Join(dir, "ahp", "enums_gen.go")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	kit.WriteFile(t, file, string(content)+"\n// drift\n")
	out, err := kit.Command(filepath.Join(dir, "ahp"), tool, "check")
	require.Error(t, err)
	require.Contains(t, out, "enums_gen.go: stale")
}

func TestConsumerGeneratesFromAFolderOfItsOwn(t *testing.T) {
	dir := consumer(t)
	kit.WriteFile(t, filepath.Join(dir, "schema", "notes.schema.json"), notesSchema)
	kit.Run(t, dir, "go", "tool", "ahpgen", "init", "internal/notes", "--schemas", "schema")
	kit.Run(t, dir, "go", "generate", "./...")
	kit.WriteFile(t, filepath.Join(dir, "main.go"), notesProgram)
	require.Equal(t, "a <nil>\n", kit.Run(t, dir, "go", "run", "."))
}

// TestConsumerWithAnOlderGoDirective types what init says where the tool would raise the go directive: it
// stays as it is.
func TestConsumerWithAnOlderGoDirective(t *testing.T) {
	kit.Wide(t)
	dir := consumerModule(t)
	tool := kit.Tool(t)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	const module = "module example.com/consumer\n\ngo 1.23\n"
	kit.WriteFile(t, filepath.Join(dir, "go.mod"), module)
	printed := kit.Run(t, dir, tool, "init")
	_, typed, found := strings.Cut(printed, "next: ")
	require.True(t, found, printed)
	for line := range strings.Lines(typed) {
		line = strings.TrimSpace(line)
		kit.Run(t, dir, "sh", "-c", line)
		if strings.Contains(line, "mod init") { // this module is not published
			kit.Run(t, dir, "go", "mod", "edit", "-replace=github.com/ahpgen/ahpgen="+root, "tools.mod")
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	require.Equal(t, module, string(text))
	kit.WriteFile(t, filepath.Join(dir, "main.go"), consumerProgram)
	kit.Compiles(t, dir) // with the language of that version; the tests beside this one run it
	require.Contains(t, kit.Run(t, dir, "go", "tool", "-modfile=tools.mod", "ahpgen", "check"), "would write 0 files")

	// Who comes later finds the file.
	require.Equal(t, "kept ahp/ahpgen.json\nkept ahp/ahpgen-schema.json\nkept ahp/generate.go\nkept ahp/.gitattributes\nnext: go generate ./...\n", kit.Run(t, dir, tool, "init"))
}

// TestExampleToBeginWith takes the example as a user does who begins with a protocol of their own.
func TestExampleToBeginWith(t *testing.T) {
	kit.Wide(t)
	dir := consumer(t)
	kit.Run(t, dir, "go", "tool", "ahpgen", "init", "--example")
	kit.Run(t, dir, "go", "generate", "./...")
	require.Empty(t, kit.Run(t, dir, "gofmt", "-l", "."))
	kit.Emitted(t, dir, "vet", "./...")
	require.Contains(t, kit.Run(t, dir, "go", "test", "./notes"), "ok")
	require.Equal(t, "client: board/noteSet\nhost: board/textAdded\nMilk and bread\n", kit.Run(t, dir, "go", "run", "./notes/demo"))
	require.Contains(t, kit.Run(t, dir, "go", "tool", "ahpgen", "check"), "would write 0 files")
	require.Contains(t, kit.Run(t, dir, "go", "tool", "ahpgen", "init", "--example"), "kept notes/reducers_board.go")
}

// TestConsumerInAWorkspace generates in one of two modules of a workspace, without a network, and uses the package in both.
func TestConsumerInAWorkspace(t *testing.T) {
	kit.Longer(t)
	dir := consumer(t)
	kit.WriteFile(t, filepath.Join(dir, "schema", "notes.schema.json"), notesSchema)
	kit.WriteFile(t, filepath.Join(dir, "app", "go.mod"), "module example.com/app\n\ngo 1.26\n")
	kit.WriteFile(t, filepath.Join(dir, "app", "main.go"), strings.ReplaceAll(notesProgram, "/internal/notes", "/notes"))
	kit.WriteFile(t, filepath.Join(dir, "go.work"), "go 1.26\n\nuse (\n\t.\n\t./app\n)\n")
	t.Setenv("GOPROXY", "off")
	kit.Run(t, dir, "go", "tool", "ahpgen", "init", "notes", "--schemas", "schema")
	kit.Run(t, dir, "go", "generate", "./...")
	kit.Run(t, dir, "go", "tool", "ahpgen", "check", "./...")
	require.Equal(t, "a <nil>\n", kit.Run(t, filepath.Join(dir, "app"), "go", "run", "."))
}

func TestConsumerWithVendorFolder(t *testing.T) {
	kit.Longer(t)
	proxy := strings.TrimSpace(kit.Run(t, ".", "go", "env", "GOPROXY"))
	dir := consumer(t)
	kit.WriteFile(t, filepath.Join(dir, "schema", "notes.schema.json"), notesSchema)
	kit.Run(t, dir, "go", "tool", "ahpgen", "init", "internal/notes", "--schemas", "schema")
	kit.Run(t, dir, "go", "generate", "./...")
	kit.WriteFile(t, filepath.Join(dir, "main.go"), notesProgram)
	t.Setenv("GOPROXY", os.Getenv("GOPROXY")+","+proxy) // tidying wants to know what tests of other modules need
	kit.Run(t, dir, "go", "mod", "tidy")
	kit.Run(t, dir, "go", "mod", "vendor")
	t.Setenv("GOFLAGS", "-mod=vendor")
	kit.Run(t, dir, "go", "generate", "./...")
	kit.Run(t, filepath.Join(dir, "internal", "notes"), "go", "tool", "ahpgen", "check")
	require.Equal(t, "a <nil>\n", kit.Run(t, dir, "go", "run", "."))
}
