// Runs every command in the READMEs, compares what it prints, and compiles every program.

package readme

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// documents are those with commands, in the order in which a reader comes to them: what one leaves behind
// in a place is there for the next.
var documents = []string{"README.md", "generated/README.md", "generated/ahp/README.md", "generated/acp/README.md", "generated/acp/SESSIONS.md", "generated/acp/MOVING.md", "generated/mcp/README.md", "generated/ahp/HOSTING.md", "generated/ahp/REDUCERS.md", "cmd/ahpgen/README.md", "cmd/ahpdemo/README.md", "cmd/acpdemo/README.md", "cmd/mcpdemo/README.md"}

// A fence opens with what its block is:
//
//	go                a program, which is main.go for the commands behind it; of another package than main, it
//	                  has to compile
//	json PLACE FILE   a file, of Go too
//	console PLACE     commands with what they print; a number behind it is their exit code
var fence = regexp.MustCompile("^```(?:(go)|(json|go) (\\w+) (\\S+)|(console) (\\w+)(?: (\\d))?)$")

// step is a command with the output that it shows, or a file that takes the place of the one before.
type step struct {
	at       string // document and line
	where    string // place; "" for a program, which goes where the next command is run
	file     string // name of a file
	text     string // the command, or the content of the file
	code     int    // exit code of the command
	from, to int    // lines of the document that show the output
	printed  []string
}

// stepsOf splits the lines of a document into its files and its commands.
func stepsOf(t *testing.T, document string, lines []string) (steps []step) {
	t.Helper()
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "```") {
			continue
		}
		at := fmt.Sprintf("%s:%d", document, i+1)
		m := fence.FindStringSubmatch(lines[i])
		require.NotNil(t, m, "%s: nothing runs what %s opens", at, lines[i])
		length := slices.Index(lines[i+1:], "```")
		require.Positive(t, length, "%s: a block without lines, or without an end", at)
		end := i + 1 + length
		content := strings.Join(lines[i+1:end], "\n") + "\n"
		switch {
		case m[1] != "":
			steps = append(steps, step{at: at, file: "main.go", text: content})
		case m[2] != "":
			steps = append(steps, step{at: at, where: m[3], file: m[4], text: content})
		default:
			require.True(t, strings.HasPrefix(content, "$ "), "%s: a block of commands begins with one", at)
			code, _ := strconv.Atoi(m[7])
			steps = append(steps, commandsOf(lines, i+1, end, step{at: at, where: m[6], code: code})...)
		}
		i = end
	}
	return steps
}

// commandsOf splits a block of commands, which are like the model otherwise.
func commandsOf(lines []string, from, to int, model step) (steps []step) {
	for i := from; i < to; i++ {
		if command, ok := strings.CutPrefix(lines[i], "$ "); ok {
			model.text, model.from = command, i+1
			steps = append(steps, model)
		}
		steps[len(steps)-1].to = i + 1
	}
	return steps
}

// reader does what a document says.
type reader struct {
	t        *testing.T
	places   map[string]string
	program  *step // that no command has run yet
	tool     string
	began    map[string]bool // ways to run the tool that were tried
	snippets int
}

// TestReadmeCommands runs what README.md says, and with AHPGEN_TESTS=all what the other documents say too.
func TestReadmeCommands(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	r := &reader{t: t, began: map[string]bool{}, places: map[string]string{"checkout": root, "consumer": consumerModule(t)}}
	// Some commands start others by go run, with a limit of time in which nothing can be compiled.
	kit.Run(t, root, "go", "list", "-export", "-f", "{{.Export}}", "./cmd/...")
	read := documents
	if !flags.All(t) && !*kit.Update {
		read = documents[:1]
	}
	for _, document := range read {
		name := filepath.Join(root, filepath.FromSlash(document))
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		lines := strings.Split(string(data), "\n")
		steps := stepsOf(t, document, lines)
		require.NotEmpty(t, steps, document)
		for i := range steps {
			r.do(&steps[i])
		}
		require.Nil(t, r.program, "no command runs the last program of %s", document)
		for i := len(steps) - 1; i >= 0 && *kit.Update; i-- {
			if s := steps[i]; s.to > 0 {
				lines = slices.Replace(lines, s.from, s.to, s.printed...)
			}
		}
		if *kit.Update {
			require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644))
			continue
		}
		for _, s := range steps {
			require.Equal(t, strings.Join(lines[s.from:s.to], "\n"), strings.Join(s.printed, "\n"), "%s: %s", s.at, s.text)
		}
	}
	if len(read) > 1 {
		require.Positive(t, r.snippets)
		kit.Run(t, r.places["consumer"], "go", "vet", "./snippets/...")
	}
}

// do writes a file or runs a command, and notes what it prints.
func (r *reader) do(s *step) {
	switch {
	case s.file == "main.go" && !strings.Contains(s.text, "\nfunc main() {\n"):
		r.snippets++
		kit.WriteFile(r.t, filepath.Join(r.places["consumer"], "snippets", strconv.Itoa(r.snippets), "snippet.go"), s.text)
	case s.file == "main.go":
		require.Nil(r.t, r.program, "%s: no command runs the program before this one", s.at)
		r.program = s
	case s.file != "":
		kit.WriteFile(r.t, filepath.Join(r.place(s), filepath.FromSlash(s.file)), s.text)
	default:
		if r.program != nil {
			kit.WriteFile(r.t, filepath.Join(r.place(s), r.program.file), r.program.text)
			r.program = nil
		}
		r.run(s)
	}
}

func (r *reader) run(s *step) {
	if s.text == "go test ./..." { // running them here would not end
		ci, err := os.ReadFile(filepath.Join("..", "..", ".ci", "steps", "main.go"))
		require.NoError(r.t, err)
		require.Contains(r.t, string(ci), `{"go test ./...", test("./...")}`, ".ci/run runs the tests")
		return
	}
	if to, ok := strings.CutPrefix(s.text, "git clone -q https://github.com/ahpgen/ahpgen "); ok { // this checkout is one
		clone := filepath.Join(r.place(s), filepath.FromSlash(to))
		require.NoError(r.t, os.Symlink(r.places["checkout"], clone))
		r.t.Cleanup(func() { _ = os.Remove(clone) })
		return
	}
	temp := filepath.ToSlash(filepath.Join(r.t.TempDir(), "ahp"))
	out, code := r.output(r.place(s), s.text, temp)
	require.Equal(r.t, s.code, code, "%s: %s: exit code\n%s", s.at, s.text, out)
	if out = strings.ReplaceAll(progress(out), temp, "/tmp/ahp"); out != "" {
		s.printed = strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	}
}

// output runs a command with a folder of its own in the place of /tmp/ahp, and returns all that it prints and its exit code.
func (r *reader) output(place, text, temp string) (string, int) {
	text = strings.ReplaceAll(text, "/tmp/ahp", temp)
	if args := r.here(text); args != nil {
		var out bytes.Buffer
		code := 0
		kit.DoIn(r.t, place, func() { code = cli.Run(args, &out, &out) })
		return out.String(), code
	}
	out, err := kit.Command(place, "sh", "-c", r.direct(text))
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return out, exit.ExitCode()
	}
	require.NoError(r.t, err)
	return out, 0
}

// here are the arguments of a command that runs the tool and nothing else, if another one has run it the same way: what it
// does needs no process of its own then. If the tests are thorough, every command has one.
func (r *reader) here(command string) []string {
	for _, way := range []string{"go tool ahpgen ", "go run ./cmd/ahpgen "} {
		args, ok := strings.CutPrefix(command, way)
		switch {
		case !ok:
		case !r.began[way]:
			r.began[way] = true
		case !*kit.Thorough && !strings.ContainsAny(args, "|&;<>$*\"'"):
			return strings.Fields(args)
		}
	}
	return nil
}

// direct is a command as it is, for the first that runs the tool of a module. Then the go command has built the tool, and
// the others run it without looking again whether it is current.
func (r *reader) direct(command string) string {
	const tool = "go tool ahpgen"
	if r.tool == "" && strings.Contains(command, tool) {
		r.tool = tool
		return command
	}
	if r.tool == tool {
		r.tool = builtTool(r.t, r.places["consumer"])
	}
	return strings.ReplaceAll(command, tool, r.tool)
}

// place is the folder that a step is about.
func (r *reader) place(s *step) string {
	if s.where == "repository" && r.places[s.where] == "" {
		r.places[s.where] = gitRepository(r.t, r.places["consumer"])
	}
	require.NotEmpty(r.t, r.places[s.where], "%s: there is no place %s", s.at, s.where)
	return r.places[s.where]
}

// gitRepository makes a git repository of a module that is like the consumer's, with the example protocol in schema.
func gitRepository(t *testing.T, consumer string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(consumer, name))
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, name), string(data))
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	kit.Run(t, dir, "go", "mod", "edit", "-replace=github.com/ahpgen/ahpgen="+root) // the clone is beside the consumer
	require.NoError(t, os.CopyFS(filepath.Join(dir, "schema"), os.DirFS(kit.ExampleProtocol)))
	kit.Run(t, dir, "git", "init", "-q", "-b", "main")
	kit.Run(t, dir, "git", "add", ".")
	kit.Run(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one")
	kit.Run(t, dir, "git", "update-ref", "refs/remotes/origin/main", "HEAD")
	return dir
}

// progress drops what the go command says about downloads and versions, which depends on the machine.
func progress(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "go: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
