// Clients whose packages were generated for older versions, as programs of their own.

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/translate"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestPackagesOfOlderVersionsAreServed: the client of testdata/older, with the package of each older version, plays with the
// host over a WebSocket, is cut off in the middle of a turn, and comes back. It ends with the host's states as they are in
// its version.
func TestPackagesOfOlderVersionsAreServed(t *testing.T) {
	kit.Wide(t)
	versions := []string{"0.8.0", "0.7.0", "0.6.0", "0.5.2"}
	if !*kit.Thorough {
		versions = versions[3:] // the one that differs most
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			program := olderClient(t, version)
			var mu sync.Mutex
			var out bytes.Buffer
			var states map[string]json.RawMessage
			h, err := withHost(t, journal{"host", &mu, &out}, server.Limits{}, func(ctx context.Context, url string) error {
				alice, err := connect(ctx, journal{"client", &mu, &out}, "alice", url, ahp.SupportedVersions())
				if err != nil {
					return err
				}
				if err := alice.begin(ctx); err != nil {
					return err
				}
				states, err = playOlder(ctx, program, url, func() (int64, error) {
					renamed := func() bool { return alice.session().Confirmed.Title == "Named by "+version }
					err := alice.until(ctx, renamed)
					return alice.Store.LastSeen(), err
				})
				if err != nil {
					return err
				}
				return alice.Close()
			})
			require.NoError(t, err, out.String())
			require.Contains(t, out.String(), "agrees with older "+version+" on version "+version)
			require.Len(t, states, 2)
			host := h.states()
			for uri, state := range states {
				require.Equal(t, withoutClocks(t, lowered(t, version, uri, host[uri])), withoutClocks(t, state), uri)
			}
			require.Contains(t, string(states[chatURI]), "there was a wire that broke.")
		})
	}
}

// olderClient builds the client with the package of a version.
func olderClient(t *testing.T, version string) (program string) {
	t.Helper()
	root, dir := kit.Root(t), t.TempDir()
	for to, from := range map[string]string{"go.mod": "go.mod", "go.sum": "go.sum", "main.go": "cmd/ahpdemo/testdata/older/main.go"} {
		text, err := os.ReadFile(filepath.Join(root, from))
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, to), strings.Replace(string(text), "module github.com/ahpgen/ahpgen", "module example.com/older", 1))
	}
	config := fmt.Sprintf(`{"schemas": "ahp@%s", "out": "ahp", "package": "ahp", "transports": ["websocket"]}`, version)
	kit.WriteFile(t, filepath.Join(dir, "ahpgen.json"), config)
	kit.Run(t, root, "go", "run", "./cmd/ahpgen", "generate", "-q", "-C", dir)
	program = filepath.Join(dir, "older.exe")
	kit.Run(t, dir, "go", "build", "-o", program, ".")
	return program
}

// playOlder runs the client until it has seen the last action, and returns its states.
func playOlder(ctx context.Context, program, url string, last func() (int64, error)) (map[string]json.RawMessage, error) {
	cmd := exec.CommandContext(ctx, program, url)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	_, failed := lines.ReadString('\n') // it is done
	var states map[string]json.RawMessage
	if failed == nil {
		var number int64
		if number, failed = last(); failed == nil {
			fmt.Fprintln(in, number)
			failed = json.NewDecoder(lines).Decode(&states)
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, complaints.String())
	}
	return states, failed
}

// lowered returns a state as it is in an older version.
func lowered(t *testing.T, version, uri string, state []byte) []byte {
	t.Helper()
	connection := ahp.NewTranslator().(*translate.Connection)
	connection.Use(version)
	m := rpc.Message{Kind: rpc.Result, Method: "subscribe", Result: fmt.Appendf(nil, `{"snapshot":{"resource":%q,"state":%s,"fromSeq":1}}`, uri, state)}
	_, err := connection.Sent(&m)
	require.NoError(t, err)
	var out struct {
		Snapshot struct{ State json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(m.Result, &out))
	return out.Snapshot.State
}

// withoutClocks returns a state without times, which older versions take from the local clock.
func withoutClocks(t *testing.T, state []byte) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal(state, &out))
	delete(out, "modifiedAt")
	return out
}
