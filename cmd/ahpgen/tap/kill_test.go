//go:build unix

// What a tap leaves behind that is killed.

package tap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
)

// TestAKilledTapLeavesAReadableRecording: all messages but perhaps the last ones, in their order.
func TestAKilledTapLeavesAReadableRecording(t *testing.T) {
	const n = 1000
	name := filepath.Join(t.TempDir(), "talk.jsonl")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), is+"=tap", recordsIn+"="+name)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for i := range n {
		_, err := fmt.Fprintf(in, "{\"n\":%d}\n", i)
		require.NoError(t, err)
		_, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	r, err := record.NewReader(file)
	require.NoError(t, err)
	count := map[string]int{}
	for {
		e, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		side := string(e.From)
		require.Equal(t, fmt.Sprintf("{\"n\":%d}\n", count[side]), string(e.Data))
		count[side]++
	}
	require.Greater(t, count["client"], n/2) // what was said shortly before may be missing
	require.Greater(t, count["host"], n/2)
}
