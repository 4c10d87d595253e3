// A shared log on a disk that is full, or at all that a process may write.

package bolt_test

import (
	"context"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

func TestAFullDiskRefusesWhatServersShareAndSpoilsNothing(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
	lift := func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)) }
	defer lift()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 300_000, Max: was.Max}))
	at, ctx := path(t), context.Background()
	l := openedShared(t, at)
	var last, n int64
	var err error
	for n = 1; err == nil; n += 2 {
		require.Less(t, n, int64(100_000), "the disk is not full")
		batch := []shared.Record{entry("a", n, ""), entry("a", n+1, strings.Repeat("x", 5000))}
		var first int64
		if first, err = l.Append(ctx, shared.Batch{Records: batch}); err == nil {
			last = first + 1
		}
	}
	require.ErrorIs(t, err, shared.ErrFull)
	require.NotErrorIs(t, err, shared.ErrUnknown)
	require.Positive(t, last)
	end, err := l.End(ctx)
	require.NoError(t, err)
	require.Equal(t, last, end.Number)
	want := content(t, l, "a")

	lift()
	add(t, l, entry("b", n, "there is room again"))
	require.NoError(t, l.Close())
	l = openedShared(t, at)
	require.Equal(t, want[strings.IndexByte(want, '\n'):], content(t, l, "a")[strings.IndexByte(want, '\n'):])
	got, err := l.Last(ctx, "b")
	require.NoError(t, err)
	require.Equal(t, last+1, got)
}
