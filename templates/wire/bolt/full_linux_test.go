// A disk that is full, or all that a process may write.

package bolt_test

import (
	"flag"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/server"
)

var fullDisk = flag.String("disk", "", "a folder on a disk of a few megabytes, to fill it")

func TestAFullDiskEndsTheLogAndSpoilsNothing(t *testing.T) {
	at := path(t)
	if *fullDisk != "" {
		at = filepath.Join(*fullDisk, "log")
	} else {
		signal.Ignore(syscall.SIGXFSZ)
		defer signal.Reset(syscall.SIGXFSZ)
		var was syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
		defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)) }()
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300_000, Max: was.Max}))
	}
	l := opened(t, at)
	var want []server.Record
	var err error
	for n := int64(1); err == nil; n += 2 {
		require.Less(t, n, int64(100_000), "the disk is not full")
		batch := []server.Record{action(n), action(n + 1)}
		batch[1].Data = []byte(strings.Repeat("x", 5000))
		if err = l.Append(batch); err == nil {
			want = append(want, batch...)
		}
	}
	t.Log(len(want), "actions until:", err)
	require.NotEmpty(t, want)
	require.Equal(t, err, l.Append([]server.Record{client("x", "1")}))
	require.Equal(t, asText(want), asText(reopened(t, l, at)))
}
