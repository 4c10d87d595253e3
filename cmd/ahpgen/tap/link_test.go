//go:build unix

package tap

import (
	"bytes"
	"context"
	"io"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
)

const limit = 1 << 20

// TestWhatAWrapperHasStartedEndsWithIt: at once, and when the link is closed.
func TestWhatAWrapperHasStartedEndsWithIt(t *testing.T) {
	t.Setenv(is, "wrapper")
	l, err := Start(record.Lines, []string{os.Args[0]}, io.Discard)
	require.NoError(t, err)
	line, err := l.Read(limit)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, 0))
	l.Kill()
	_ = l.Close("over")
	requireGone(t, pid)
}

// TestWhatAClientHasStartedEndsWithIt: one that connects by itself.
func TestWhatAClientHasStartedEndsWithIt(t *testing.T) {
	name := t.TempDir() + "/pid"
	program := []string{"sh", "-c", "sleep 600 & echo $! >" + name + "; wait; : {address}"}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := Meet(ctx, record.Lines, program, nil, io.Discard)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(bytes.TrimSpace(data)))
	require.NoError(t, err)
	requireGone(t, pid)
}

// requireGone waits for the end of a process. One that nobody has waited for is still listed, in a container for ever.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return syscall.Kill(pid, 0) != nil || err == nil && bytes.Contains(stat, []byte(") Z"))
	}, 10*time.Second, 10*time.Millisecond)
}

// TestInterruptsReachAProgram although it is apart from the group that a terminal interrupts.
func TestInterruptsReachAProgram(t *testing.T) {
	t.Setenv(is, "wait")
	l, err := Start(record.Lines, []string{os.Args[0]}, io.Discard)
	require.NoError(t, err)
	defer l.Close("over")
	_, err = l.Read(limit) // it is ready
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	exit, ok := l.Ended(10 * time.Second)
	require.True(t, ok)
	require.Equal(t, Exit{Code: 3}, exit)
}
