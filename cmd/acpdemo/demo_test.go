// The demo from end to end: the client starts this test binary, which is the agent then.

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/acp"
)

// is says what this test binary is when something starts it: the command, or the agent of a test.
const is = "ACPDEMO_TEST_IS"

func TestMain(m *testing.M) {
	switch os.Getenv(is) {
	case "command":
		main()
	case "counter":
		if err := serveCounter(context.Background()); err != nil {
			panic(err)
		}
	default:
		os.Exit(m.Run())
	}
}

// nobody returns a terminal without input.
func nobody(out io.Writer) terminal {
	return terminal{in: strings.NewReader(""), out: out, errors: os.Stderr}
}

// demo starts the agent with arguments, and returns what the client prints.
func demo(t *testing.T, o options, args ...string) (string, error) {
	t.Helper()
	t.Setenv(is, "command")
	var out bytes.Buffer
	err := runAgent(deadline(t), append([]string{os.Args[0], "agent"}, args...), o, nobody(&out))
	return out.String(), err
}

func TestPrintsWhatTheReadmeShows(t *testing.T) {
	project := t.TempDir()
	out, err := demo(t, options{root: project, prompts: []string{"Buy milk"}, allow: true})
	require.NoError(t, err)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), " go run ./cmd/acpdemo agent\n"+out+"```")
	written, err := os.ReadFile(filepath.Join(project, notes))
	require.NoError(t, err)
	require.Equal(t, "- Buy milk\n", string(written))
}

func TestWhatIsRejectedIsNotDone(t *testing.T) {
	project := t.TempDir()
	out, err := demo(t, options{root: project, prompts: []string{"Buy milk"}, reject: true})
	require.NoError(t, err)
	require.Contains(t, out, "client  answers: Reject\ntool    Edit notes.md: failed\n  |     You did not agree.\nagent   Then I leave the notes as they are.\n")
	require.NoFileExists(t, filepath.Join(project, notes))
}

func TestAnotherRunLoadsWhatWasKept(t *testing.T) {
	project, keep := t.TempDir(), filepath.Join(t.TempDir(), "keep")
	first, err := demo(t, options{root: project, prompts: []string{"Buy milk", "/count 3"}, allow: true}, "--keep", keep)
	require.NoError(t, err)
	again, err := demo(t, options{root: project, load: "session-1", prompts: []string{"/count 1"}}, "--keep", keep)
	require.NoError(t, err)
	told := func(out string) (lines []string) {
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, "client ") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	// The second time there is no question, so none is shown.
	question := strings.Index(first, "agent   asks:")
	answer := strings.Index(first, "tool    Edit notes.md: in_progress")
	require.Positive(t, question)
	require.Equal(t, append(told(first[:question]+first[answer:]), "user    /count 1\n", "agent   1 \n"), told(again))
	other, err := demo(t, options{root: project, prompts: []string{"/count 1"}}, "--keep", keep)
	require.NoError(t, err)
	require.Contains(t, other, "session-2")
	_, err = demo(t, options{root: project, load: "session-3"}, "--keep", keep)
	require.ErrorIs(t, err, acp.ErrorCodeResourceNotFound)
}

func TestAlwaysIsAskedOnce(t *testing.T) {
	project := t.TempDir()
	t.Setenv(is, "command")
	var out bytes.Buffer
	user := nobody(&out)
	user.in = strings.NewReader("Buy milk\n7\n2\nBuy bread\n")
	require.NoError(t, runAgent(deadline(t), []string{os.Args[0], "agent"}, options{root: project}, user))
	require.Equal(t, 1, strings.Count(out.String(), "asks:"), out.String())
	require.Equal(t, 2, strings.Count(out.String(), "number> "), "7 is no answer")
	written, err := os.ReadFile(filepath.Join(project, notes))
	require.NoError(t, err)
	require.Equal(t, "- Buy milk\n- Buy bread\n", string(written))
}

func TestAnInterruptCancelsTheTurnAndTheSessionGoesOn(t *testing.T) {
	t.Setenv(is, "command")
	typed, in := io.Pipe()
	screen := newScreen()
	interrupts := make(chan os.Signal, 1)
	done := make(chan error, 1)
	project := t.TempDir()
	go func() {
		done <- runAgent(deadline(t), []string{os.Args[0], "agent"}, options{root: project},
			terminal{in: typed, out: screen, errors: os.Stderr, interrupts: interrupts})
		_ = screen.Close()
	}()
	say := func(line string) {
		_, err := io.WriteString(in, line+"\n")
		require.NoError(t, err)
	}
	say("/wait")
	screen.until(t, "I am waiting.")
	interrupts <- os.Interrupt
	screen.until(t, "client  cancels\nclient  has its answer: cancelled\n> ")

	say("Buy milk") // and a question may wait for the user meanwhile
	screen.until(t, "number> ")
	interrupts <- os.Interrupt
	said := screen.until(t, "client  has its answer: cancelled\n> ")
	require.Contains(t, said, "client  answers that the turn is cancelled\n")

	say("/count 2")
	screen.until(t, "agent   1 2 \nclient  has its answer: end_turn\n> ")
	require.NoError(t, in.Close())
	rest, err := io.ReadAll(screen)
	require.NoError(t, err)
	require.Equal(t, "\n", string(rest))
	require.NoError(t, <-done)
	require.NoFileExists(t, filepath.Join(project, notes))
}

func TestAnAgentThatEndsIsTold(t *testing.T) {
	t.Setenv(is, "command")
	err := runAgent(deadline(t), []string{os.Args[0], "no such command"}, options{root: t.TempDir()}, terminal{in: strings.NewReader(""), out: io.Discard, errors: io.Discard})
	require.EqualError(t, err, "the agent has ended: exit status 1")
}

func TestOnlyFilesOfTheFolderAreUsed(t *testing.T) {
	folder := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "binary"), []byte{0xff, 0}, 0o600))
	f, err := openFiles(folder, &screen{out: io.Discard})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	for _, path := range []string{"relative", outside, f.path + "/../x", filepath.Join(f.path, "link"), f.path, filepath.Join(f.path, "binary"), ""} {
		_, err := f.read(t.Context(), &acp.ReadTextFileRequest{Path: path})
		require.Error(t, err, path)
		require.NotErrorIs(t, err, acp.ErrorCodeResourceNotFound, path)
		if path == filepath.Join(f.path, "binary") {
			continue
		}
		_, err = f.write(t.Context(), &acp.WriteTextFileRequest{Path: path, Content: "x"})
		require.Error(t, err, path)
	}
	kept, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "secret", string(kept))
}

func TestLinesOfAFile(t *testing.T) {
	n := func(v uint32) *uint32 { return &v }
	for _, c := range []struct {
		from, limit *uint32
		want        string
	}{
		{nil, nil, "a\nb\nc"}, {n(1), nil, "a\nb\nc"}, {n(0), n(1), "a\n"}, {n(2), n(1), "b\n"}, {n(3), nil, "c"},
		{n(4), nil, ""}, {n(4294967295), n(4294967295), ""}, {nil, n(0), ""}, {nil, n(9), "a\nb\nc"},
	} {
		require.Equal(t, c.want, lines("a\nb\nc", c.from, c.limit))
	}
}

func TestHelpIsComplete(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"agent", "--help"}, {"serve", "--help"}, {"run", "--help"}} {
		var out bytes.Buffer
		c := command(nil, nil)
		c.SetOut(&out)
		c.SetArgs(args)
		require.NoError(t, c.Execute())
		require.Contains(t, out.String(), "Examples:\n  acpdemo ", args)
	}
	var out bytes.Buffer
	c := command(nil, nil)
	c.SetErr(&out)
	c.SetOut(&out)
	c.SetArgs([]string{"run", "--allow", "--reject", "x"})
	require.ErrorContains(t, c.Execute(), "none of the others can be")
}
