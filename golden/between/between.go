//go:build unix

// Package between puts a tap between two programs of others, with copies of what passes on both sides of it.
package between

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Tap is put between programs.
type Tap struct {
	t      testing.TB
	flags  []string
	tool   string
	folder string // with one for each conversation
}

// Build builds ahpgen in the module that the tests of one below golden/peers are of.
func Build(t testing.TB) (tool string) {
	t.Helper()
	tool = filepath.Join(t.TempDir(), "ahpgen.exe")
	out, err := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", tool, "./cmd/ahpgen").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return tool
}

// New returns a tap for a protocol that flags name.
func New(t testing.TB, tool string, flags ...string) *Tap {
	return &Tap{t: t, flags: flags, tool: tool, folder: t.TempDir()}
}

// script starts a tap behind a copy of each direction, and a program behind another copy of each.
const script = `d=$(mktemp -d "$0/XXXXXX") && tool=$1 && shift
tee "$d/sent" | "$tool" tap $FLAGS --record "$d/talk" --log "$d/log" -- sh -c 'd=$0; tee "$d/heard" | "$@" | tee "$d/said"' "$d" "$@" | tee "$d/got"`

// Command returns a command that runs a program behind the tap.
func (x *Tap) Command(program ...string) []string {
	flagged := strings.Replace(script, "$FLAGS", strings.Join(x.flags, " "), 1)
	return append([]string{"sh", "-c", flagged, x.folder, x.tool}, program...)
}

// Listen puts the tap before a program that waits for one connection at an address, and returns where it waits itself.
func (x *Tap) Listen(address string) string {
	folder := filepath.Join(x.folder, "net")
	require.NoError(x.t, os.Mkdir(folder, 0o700))
	in := func(name string) string { return filepath.Join(folder, name) }
	at, _ := x.start(folder, "--once", "--dial", relay(x.t, address, in("heard"), in("said")))
	return relay(x.t, at, in("sent"), in("got"))
}

// HTTP puts the tap before a server, and returns its own URL and what ends it. What passes on both sides of it is up to the caller.
func (x *Tap) HTTP(url string) (own string, end func()) {
	folder := filepath.Join(x.folder, "http")
	require.NoError(x.t, os.Mkdir(folder, 0o700))
	at, process := x.start(folder, "--dial", url)
	return "http://" + at, func() { require.NoError(x.t, process.Signal(os.Interrupt)) }
}

// start starts a tap that listens, and returns its address.
func (x *Tap) start(folder string, args ...string) (string, *os.Process) {
	t := x.t
	args = append(append([]string{"tap", "--listen", "127.0.0.1:0", "--record", filepath.Join(folder, "talk"), "--log", filepath.Join(folder, "log")}, args...), x.flags...)
	c := exec.Command(x.tool, args...)
	errs, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it has ended, or is killed
	})
	lines := bufio.NewReader(errs)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	go func() { _, _ = io.Copy(os.Stderr, lines) }()
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "tap listens on ")
	require.True(t, ok, line)
	return at, c.Process
}

// relay passes one connection on to an address, and copies both directions into files.
func relay(t testing.TB, address, there, back string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	copied := func(to *net.TCPConn, name string, from io.Reader) {
		file, err := os.Create(name)
		if err == nil {
			_, _ = io.Copy(to, io.TeeReader(from, file))
			_, _ = to.CloseWrite(), file.Close()
		}
	}
	go func() {
		near, err := l.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", address)
		if err != nil {
			_ = near.Close()
			return
		}
		var both sync.WaitGroup
		both.Go(func() { copied(far.(*net.TCPConn), there, near) })
		both.Go(func() { copied(near.(*net.TCPConn), back, far) })
		both.Wait()
		_, _ = near.Close(), far.Close()
	}()
	return l.Addr().String()
}

var summary = regexp.MustCompile(`(?m)^(\d+) messages, (.*)\n\z`)

// Check requires that both sides of the tap have the same bytes in each conversation, that all of them are recorded, and that there
// are findings as given. It returns the number of messages.
func (x *Tap) Check(findings ...string) int {
	x.t.Helper()
	all := 0
	talks, err := os.ReadDir(x.folder)
	require.NoError(x.t, err)
	var found []string
	for _, talk := range talks {
		in := func(name string) string { return filepath.Join(x.folder, talk.Name(), name) }
		var end []string
		require.Eventually(x.t, func() bool {
			log, _ := os.ReadFile(in("log"))
			end = summary.FindStringSubmatch(string(log))
			return end != nil
		}, time.Minute, 10*time.Millisecond, "the tap has ended")
		n, err := strconv.Atoi(end[1])
		require.NoError(x.t, err)
		all += n
		found = append(found, marked(x.t, in("log"))...)
		recorded := recordedIn(x.t, in("talk"))
		for _, pair := range [][3]string{{"sent", "heard", "client"}, {"said", "got", "host"}} {
			bytes := recorded[pair[2]].Bytes()
			for _, name := range pair[:2] {
				file, err := os.ReadFile(in(name))
				if talk.Name() == "http" {
					break
				}
				require.NoError(x.t, err)
				require.True(x.t, string(file) == string(bytes), "%s: %d bytes, and %d are recorded", name, len(file), len(bytes))
			}
		}
	}
	require.ElementsMatch(x.t, findings, found)
	return all
}

// marked returns the findings in a log, without marks.
func marked(t testing.TB, log string) (out []string) {
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "! ") || strings.HasPrefix(line, "- ") {
			out = append(out, line[2:])
		}
	}
	return out
}

// recordedIn returns all bytes in a recording, by side.
func recordedIn(t testing.TB, talk string) map[string]*bytes.Buffer {
	file, err := os.ReadFile(talk)
	require.NoError(t, err)
	out := map[string]*bytes.Buffer{"client": {}, "host": {}}
	_, entries, _ := strings.Cut(string(file), "\n")
	for line := range strings.Lines(entries) {
		var entry struct{ From, Text, Base64 string }
		require.NoError(t, json.Unmarshal([]byte(line), &entry))
		raw, err := base64.StdEncoding.DecodeString(entry.Base64)
		require.NoError(t, err)
		fmt.Fprintf(out[entry.From], "%s%s", entry.Text, raw)
	}
	return out
}
