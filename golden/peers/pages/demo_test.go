// What pages show is what a host accepts: the requests on the pages are sent to the demo host as they are.

package pages_test

import (
	"context"
	"encoding/json"
	"html"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/stretchr/testify/require"
)

var (
	request = regexp.MustCompile(`(?s)<figcaption>Request<.*?<code>(.*?)</code></pre>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
)

// requests are the messages on the pages of methods that clients call, by method.
func requests(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "methods"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if found := request.FindSubmatch(text); found != nil && !strings.Contains(string(text), ">hosts send it<") {
			var message struct{ Method string }
			code := html.UnescapeString(tag.ReplaceAllString(string(found[1]), ""))
			require.NoError(t, json.Unmarshal([]byte(code), &message), code)
			out[message.Method] = code
		}
		return nil
	}))
	return out
}

// demo starts the demo with arguments, the last of which is an address, and returns that.
func demo(t *testing.T, args ...string) (address string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "ahpdemo.exe")
	build := exec.Command("go", "build", "-o", program, "./cmd/ahpdemo")
	build.Dir = filepath.Join("..", "..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address = l.Addr().String()
	require.NoError(t, l.Close())
	cmd := exec.Command(program, append(args, address)...)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return address
}

func TestTheDemoHostAcceptsTheExamples(t *testing.T) {
	dir := t.TempDir()
	ahpgen(t, configured, "doc", "-q", "--out", dir)
	all := requests(t, dir)
	require.Greater(t, len(all), 15)

	address := demo(t, "host", "--listen")
	var conn net.Conn
	var err error
	require.Eventually(t, func() bool {
		conn, _, _, err = ws.Dial(context.Background(), "ws://"+address)
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))

	type answer struct {
		ID     json.RawMessage
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	ask := func(method string) answer {
		text := all[method]
		delete(all, method)
		require.NotEmpty(t, text, method)
		require.NoError(t, wsutil.WriteClientText(conn, []byte(text)))
		for {
			data, err := wsutil.ReadServerText(conn)
			require.NoError(t, err, method)
			var a answer
			require.NoError(t, json.Unmarshal(data, &a))
			if len(a.ID) > 0 {
				return a
			}
		}
	}
	for _, method := range []string{"initialize", "createSession", "subscribe", "listSessions", "ping"} {
		a := ask(method)
		require.Nil(t, a.Error, "%s: %+v", method, a.Error)
		require.NotEmpty(t, a.Result, method)
	}
	delete(all, "reconnect") // opens a connection
	for method := range all {
		if a := ask(method); a.Error != nil {
			require.NotContains(t, []int{-32600, -32602, -32700}, a.Error.Code, "%s: %s", method, a.Error.Message)
		}
	}
}
