// Cuts: what is read while connections end is complete.

package nats

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	ours "github.com/ahpgen/ahpgen/templates/wire/jetstream"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// TestReadsSurviveCuts cuts the connection in the middle of reads. Messages that were on their way are lost, while the consumer
// at the server takes them for delivered.
func TestReadsSurviveCuts(t *testing.T) {
	const keys, records = 5000, 2000
	c := start(t, 1)
	w := &wire{}
	js := c.dial(t, w)
	var l *ours.Log
	o := &ours.Options{Idle: time.Second}
	eventually(t, func(ctx context.Context) (err error) { l, err = ours.Open(ctx, js, o); return err })
	var batch []shared.Record
	add := func(r shared.Record) {
		if batch = append(batch, r); len(batch) == 500 {
			_, err := l.Append(t.Context(), shared.Batch{Records: batch})
			require.NoError(t, err)
			batch = nil
		}
	}
	for i := range keys {
		add(shared.Record{Key: fmt.Sprint("key ", i), Data: make([]byte, 100)})
	}
	for i := range records {
		add(shared.Record{Key: "many", Serial: int64(i), Data: make([]byte, 1000)})
	}
	end, err := l.End(t.Context())
	require.NoError(t, err)
	rounds := 20
	if *thorough {
		rounds = 100
	}
	for round := range rounds {
		for what, read := range map[string]func(ctx context.Context, f func()) error{
			"heads": func(ctx context.Context, f func()) error {
				return l.Heads(ctx, func(shared.Record) error { f(); return nil })
			},
			"read": func(ctx context.Context, f func()) error {
				return l.Read(ctx, "many", 0, func(shared.Record) error { f(); return nil })
			},
			"follow": func(ctx context.Context, f func()) error {
				err := l.Follow(ctx, shared.Position{Epoch: end.Epoch}, func(list []shared.Record) error {
					for range list {
						f()
					}
					if list[len(list)-1].Number >= end.Number {
						return errEnd
					}
					return nil
				})
				if err == errEnd { //nolint:errorlint // it is this one
					return nil
				}
				return err
			},
		} {
			cutting := time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() {
				w.cut()
				time.Sleep(10 * time.Millisecond)
				w.mend()
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			count := 0
			require.NoError(t, read(ctx, func() { count++ }), what)
			cancel()
			cutting.Stop()
			want := map[string]int{"heads": keys + 1, "read": records, "follow": keys + records}[what]
			require.Equal(t, want, count, "%s in round %d", what, round)
		}
	}
}
