// Both sides against scripts of bytes.

package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// pipes returns the two ends of a connection as bytes.
func pipes() (a, b rpc.Transport) {
	fromA, toB := io.Pipe()
	fromB, toA := io.Pipe()
	return rpc.Pipes(fromB, toB), rpc.Pipes(fromA, toA)
}

// follow plays the other side of a script, message by message.
func follow(t *testing.T, script string, other rpc.Transport) {
	t.Helper()
	for i, line := range strings.Split(script, "\n") {
		mark, message, _ := strings.Cut(line, " ")
		switch mark {
		case ">":
			require.NoError(t, other.Write(t.Context(), []byte(message)), "line %d", i+1)
		case "<":
			got, err := other.Read(1 << 20)
			require.NoError(t, err, "line %d", i+1)
			require.JSONEq(t, message, string(got), "line %d", i+1)
		case "", "#":
		default:
			t.Fatalf("line %d begins with nothing that means something", i+1)
		}
	}
}

func script(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(data)
}

func TestAgentSaysWhatTheSpecificationHas(t *testing.T) {
	here, there := pipes()
	served := make(chan error, 1)
	go func() { served <- serveAgent(deadline(t), there, keeper("")) }()
	follow(t, script(t, "agent.txt"), here)
	require.NoError(t, here.Close(""))
	require.NoError(t, <-served)
}

// clientFollows has a client follow a script, and returns the folder of its session.
func clientFollows(t *testing.T, name string, o options) (project string) {
	t.Helper()
	project, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(project, "hello.md"), []byte("one\ntwo\nthree\n"), 0o600))
	here, there := pipes()
	var out strings.Builder
	talked := make(chan error, 1)
	o.root, o.prompts = project, []string{"Go"}
	go func() { talked <- talk(deadline(t), there, o, terminal{in: strings.NewReader(""), out: &out}) }()
	follow(t, strings.ReplaceAll(script(t, name+".txt"), "PROJECT", filepath.ToSlash(project)), here)
	_, err = here.Read(1)
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, here.Close(""))
	require.NoError(t, <-talked)
	require.Equal(t, script(t, name+"-screen.txt"), out.String())
	return project
}

func TestClientSaysWhatTheSpecificationHas(t *testing.T) {
	project := clientFollows(t, "client", options{allow: true})
	written, err := os.ReadFile(filepath.Join(project, "new", "config.json"))
	require.NoError(t, err)
	require.Equal(t, "{\n  \"debug\": true\n}", string(written))
}

func TestClientGoesOnWithAnOldSession(t *testing.T) {
	clientFollows(t, "load", options{load: "sess_789xyz"})
}

// screenOf collects what a client prints, and tells when it has printed something.
type screenOf struct {
	*bufio.Reader
	io.WriteCloser
}

func newScreen() screenOf {
	r, w := io.Pipe()
	return screenOf{bufio.NewReader(r), w}
}

// until reads up to a text.
func (s screenOf) until(t *testing.T, text string) string {
	t.Helper()
	var all strings.Builder
	for !strings.HasSuffix(all.String(), text) {
		b, err := s.ReadByte()
		require.NoError(t, err, all.String())
		all.WriteByte(b)
	}
	return all.String()
}
