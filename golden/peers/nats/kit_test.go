// The kit of tests, on one server and on three.

package nats

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	ours "github.com/ahpgen/ahpgen/templates/wire/jetstream"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
	"github.com/ahpgen/ahpgen/templates/wire/shared/logtest"
)

func TestKit(t *testing.T) {
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprint("R", n), func(t *testing.T) {
			c := start(t, n)
			logtest.Run(t, c.engine)
		})
	}
}

// engine returns an engine with a log of its own on the servers.
func (c *cluster) engine(t *testing.T) logtest.Engine {
	o := &ours.Options{Name: fmt.Sprint("log", c.logs.Add(1)), Replicas: len(c.options), Timeout: 10 * time.Second, Idle: time.Second}
	wires := map[shared.Log]*wire{}
	admin := c.dial(t, &wire{})
	open := func(t *testing.T, o *ours.Options) shared.Log {
		w := &wire{}
		var l *ours.Log
		js := c.dial(t, w)
		eventually(t, func(ctx context.Context) (err error) { l, err = ours.Open(ctx, js, o); return err })
		wires[l] = w
		return l
	}
	remove := func(t *testing.T, name string) {
		for _, stream := range []string{name, name + "_checkpoints"} {
			eventually(t, func(ctx context.Context) error {
				if err := admin.DeleteStream(ctx, stream); !errors.Is(err, jetstream.ErrStreamNotFound) {
					return err
				}
				return nil
			})
		}
	}
	t.Cleanup(func() { remove(t, o.Name) })
	return logtest.Engine{
		Open: func(t *testing.T) shared.Log { return open(t, o) },
		LoseReply: func(_ *testing.T, l shared.Log, stored bool) {
			wires[l].lose(map[bool]int32{true: noReplies, false: noRequests}[stored])
		},
		Window: 200 * time.Millisecond,
		Stop:   func(*testing.T) { c.stop() },
		Start:  func(t *testing.T) { c.run(t) },
		Recreate: func(t *testing.T) {
			var configs []jetstream.StreamConfig
			for _, name := range []string{o.Name, o.Name + "_checkpoints"} {
				s, err := admin.Stream(context.Background(), name)
				require.NoError(t, err)
				configs = append(configs, s.CachedInfo().Config)
			}
			remove(t, o.Name)
			for _, config := range configs {
				eventually(t, func(ctx context.Context) error { _, err := admin.CreateStream(ctx, config); return err })
			}
		},
		Copy:    func(t *testing.T) { c.copy(t, "now", "copy") },
		PutBack: func(t *testing.T) { c.copy(t, "copy", "now") },
		Small: func(t *testing.T) shared.Log {
			small := *o
			small.Name, small.MaxBytes = o.Name+"small", 5<<20
			t.Cleanup(func() { remove(t, small.Name) })
			return open(t, &small)
		},
		Patience: time.Minute,
	}
}
