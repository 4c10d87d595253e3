// Transactions of a shared log that fail, with and without a trace in the file.

package bolt

import (
	"context"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

func TestSharedEndsOnceAWriteHasFailed(t *testing.T) {
	for name, stored := range map[string]bool{"nothing is in the file": false, "the header is in the file": true} {
		t.Run(name, func(t *testing.T) {
			at, ctx := filepath.Join(t.TempDir(), "log"), context.Background()
			s, err := OpenShared(at, nil)
			require.NoError(t, err)
			batch := shared.Batch{Records: []shared.Record{{Key: "a"}}}
			first, err := s.Append(ctx, batch)
			require.NoError(t, err)
			end, err := s.End(ctx)
			require.NoError(t, err)
			followed := make(chan error, 1)
			go func() { followed <- s.Follow(ctx, end, func([]shared.Record) error { return nil }) }()

			broken := errors.New("the disk is broken")
			s.writing.Lock()
			err = s.update(func(w *sharedWriter) error {
				if stored {
					writeHeader(t, at, int64(s.db.Info().PageSize), uint64(w.tx.ID()))
				}
				return broken
			})
			s.writing.Unlock()
			require.ErrorIs(t, err, broken)
			_, again := s.Append(ctx, batch)
			_, last := s.Last(ctx, "a")
			for _, err := range []error{err, again, last, s.Save(ctx, s.epoch, shared.Record{Key: "a", Number: 1}), s.Trim(ctx, shared.Position{Epoch: s.epoch, Number: 1}), <-followed} {
				require.ErrorIs(t, err, broken)
				require.Equal(t, stored, errors.Is(err, shared.ErrUnknown), err)
			}
			require.NoError(t, s.Close())

			s, err = OpenShared(at, nil)
			require.NoError(t, err)
			n, err := s.Last(ctx, "a")
			require.NoError(t, err)
			require.Equal(t, first, n)
			require.NoError(t, s.Close())
		})
	}
}

// writeHeader writes the header of a transaction over the older one, with the content of the newer one.
func writeHeader(t *testing.T, path string, page int64, transaction uint64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	header := make([]byte, page)
	_, err = file.ReadAt(header, int64((transaction+1)%2)*page)
	require.NoError(t, err)
	h, ok := readHeader(header)
	require.True(t, ok)
	require.Equal(t, transaction, h.transaction+1)
	order.PutUint64(header, transaction%2)
	d := header[pageHead:]
	order.PutUint64(d[48:], transaction)
	sum := fnv.New64a()
	_, _ = sum.Write(d[:headerSum])
	order.PutUint64(d[headerSum:], sum.Sum64())
	_, err = file.WriteAt(header, int64(transaction%2)*page)
	require.NoError(t, err)
}
