// Heads: a process that starts while servers are killed finds all keys.

package nats

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	log "github.com/ahpgen/ahpgen/generated/wire/jetstream"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// opened returns a handle as a process that begins has one.
func (f *fleet) opened(t *testing.T) (*log.Log, func()) {
	var l *log.Log
	var nc *nats.Conn
	eventually(t, func(ctx context.Context) (err error) {
		if nc, err = nats.Connect(f.urls, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond)); err != nil {
			return err
		}
		js, err := jetstream.New(nc)
		if err == nil {
			l, err = log.Open(ctx, js, &log.Options{Name: "heads", Replicas: 3})
		}
		if err != nil {
			nc.Close()
		}
		return err
	})
	return l, func() { _ = l.Close(); nc.Close() }
}

func TestHeadsAreWholeWhileServersDie(t *testing.T) {
	const keys = 300
	kills := 6
	if *thorough {
		kills = 30
	}
	f := launch(t)
	for _, p := range f.hosts {
		p.kill()
	}
	l, end := f.opened(t)
	defer end()
	for i := range keys {
		eventually(t, func(ctx context.Context) error {
			last, err := l.Last(ctx, fmt.Sprint("key ", i))
			if err == nil && last == 0 {
				_, err = l.Append(ctx, shared.Batch{Records: []shared.Record{{Key: fmt.Sprint("key ", i)}}})
			}
			return err
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	writing := make(chan struct{})
	go func() {
		defer close(writing)
		for ctx.Err() == nil {
			_, _ = l.Append(ctx, shared.Batch{Records: []shared.Record{{Key: fmt.Sprint("key ", rand.IntN(keys/3)), Data: make([]byte, 300)}}})
			time.Sleep(time.Millisecond)
		}
	}()
	killing := make(chan struct{})
	go func() {
		defer close(killing)
		for range kills {
			p := f.nodes[rand.IntN(3)]
			p.kill()
			time.Sleep(rand.N(2 * time.Second))
			p.begin()
			time.Sleep(rand.N(3 * time.Second))
		}
	}()
	rounds := 0
	for done := false; !done; rounds++ {
		select {
		case <-killing:
			done = true
		default:
		}
		other, end := f.opened(t)
		asked := time.Now()
		from, err := other.End(ctx)
		require.NoError(t, err)
		known := map[string]int64{}
		for range 10 {
			key := fmt.Sprint("key ", rand.IntN(keys))
			known[key], err = other.Last(ctx, key)
			require.NoError(t, err)
		}
		heads := map[string]int64{}
		require.NoError(t, other.Heads(ctx, func(r shared.Record) error { heads[r.Key] = r.Number; return nil }))
		for i := range keys {
			require.Contains(t, heads, fmt.Sprint("key ", i), "round %d, %d heads, end %v, %v", rounds, len(heads), from, time.Since(asked))
		}
		for key, last := range known {
			require.GreaterOrEqual(t, heads[key], last, key)
		}
		end()
	}
	t.Logf("%d times", rounds)
	stop()
	<-writing
}
