// Several servers with one log, which are closed and started while clients work.

package ahp_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/bolt"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// TestServersThatShareALogMayComeAndGo lets clients work while servers are closed and others take their places, and the log fails.
func TestServersThatShareALogMayComeAndGo(t *testing.T) {
	t.Run("memory", func(t *testing.T) { comeAndGo(t, &shared.Memory{}) })
	t.Run("bolt", func(t *testing.T) {
		log, err := bolt.OpenShared(filepath.Join(t.TempDir(), "log"), nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, log.Close()) })
		comeAndGo(t, log)
	})
}

// changing are servers with one log, each of which may be closed for another one.
type changing struct {
	t    *testing.T
	log  shared.Log
	kept *logHistory
	book *ledger

	mu      sync.Mutex
	servers [3]*ahp.Server
	logs    [3]*faultyLog
}

func (c *changing) start(i int, on bool) {
	own := &faultyLog{Log: c.log, kept: c.kept, conflicts: 5, unknown: 6, full: 2, delay: time.Millisecond}
	s := sharing(c.t, own, c.book.options(server.Limits{Idle: 5 * time.Millisecond, Window: 25}))
	c.mu.Lock()
	defer c.mu.Unlock()
	own.on.Store(on)
	c.servers[i], c.logs[i] = s, own
}

func (c *changing) at(i int) *ahp.Server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.servers[i]
}

func (c *changing) fail(on bool) {
	for _, l := range c.logs {
		l.on.Store(on)
	}
}

// change closes servers and starts others, until there are no more clients at work.
func (c *changing) change(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(rand.N(60 * time.Millisecond)):
		}
		i := rand.IntN(3)
		old := c.at(i)
		c.start(i, true)
		_ = old.Close()
	}
}

// publish publishes on some channels, and opens and closes others.
func (c *changing) publish(channels []string, i, rounds int) map[string]error {
	out := map[string]error{}
	for n := range rounds {
		id := fmt.Sprintf("note %d of server %d", n, i)
		out[id] = c.at(i).Publish(channels[n%3], note(id, "mine"))
		name := fmt.Sprintf("ahp-session:/other%d", n%4)
		if chance(50) {
			_ = c.at(i).OpenChannel(name, emptySession())
		} else {
			_ = c.at(i).CloseChannel(name)
		}
	}
	return out
}

// dispatch dispatches as a client whose connection is cut now and then.
func (r *roamer) dispatch(i, rounds int) {
	for n := range rounds {
		text := "yes"
		if chance(10) {
			text = "no"
		}
		_ = r.Dispatch(within(r.t), r.channels[n%2], note(fmt.Sprintf("note %d of %d", n, i), text))
		switch {
		case n%10 == 9 && chance(50):
			r.cut()
		case chance(60):
			r.answered(50 * time.Millisecond)
		}
	}
}

func comeAndGo(t *testing.T, log shared.Log) {
	t.Helper()
	c := &changing{t: t, log: log, kept: keeping(t, log), book: &ledger{accepted: map[string]int{}}}
	var ways []func(context.Context) (rpc.Transport, error)
	for i := range c.servers {
		c.start(i, false)
		ways = append(ways, func(ctx context.Context) (rpc.Transport, error) { return reach(t, c.at(i))(ctx) })
	}
	channels := []string{"ahp-session:/0/annotations", "ahp-session:/1/annotations", "ahp-session:/2/annotations"}
	for _, name := range channels {
		require.NoError(t, c.at(0).OpenChannel(name, &ahp.AnnotationsState{Annotations: []ahp.Annotation{}}))
	}
	var clients []*roamer
	for i := range 6 {
		version := "1.0.0"
		if i == 5 {
			version = "0.8.0"
		}
		clients = append(clients, roaming(t, version, ways, channels[0], channels[1+i%2]))
	}
	c.fail(true)
	const rounds = 60
	stop := make(chan struct{})
	var work, changes sync.WaitGroup
	changes.Go(func() { c.change(stop) })
	var published [3]map[string]error
	for i, r := range clients {
		work.Go(func() { r.dispatch(i, rounds) })
	}
	for i := range published {
		work.Go(func() { published[i] = c.publish(channels, i, rounds) })
	}
	work.Wait()
	close(stop)
	changes.Wait()
	c.fail(false)
	all := map[string]error{}
	for _, some := range published {
		maps.Copy(all, some)
	}
	allAgree(t, log, c.kept, c.book, c.servers[:], clients, all, true)
}
