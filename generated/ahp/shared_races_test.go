// Several servers with one log: what happens between two calls of the log.

package ahp_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// hookedLog calls functions, each once: before a key is read, before the log is trimmed, and after the first record of a batch was
// stored, of which the reply is lost then.
type hookedLog struct {
	countedLog
	on sync.Map
}

func hooked(log shared.Log) *hookedLog { return &hookedLog{countedLog: countedLog{Log: log}} }

func (l *hookedLog) call(what string) bool {
	f, ok := l.on.LoadAndDelete(what)
	if ok {
		f.(func())()
	}
	return ok
}

func (l *hookedLog) Append(ctx context.Context, b shared.Batch) (int64, error) {
	first, err := l.countedLog.Append(ctx, b)
	if err == nil && l.call("stored "+b.Records[0].Key) {
		return 0, shared.ErrUnknown
	}
	return first, err
}

func (l *hookedLog) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	l.call("read " + key)
	return l.countedLog.Read(ctx, key, after, f)
}

func (l *hookedLog) Trim(ctx context.Context, upTo shared.Position) error {
	l.call("trim")
	return l.countedLog.Trim(ctx, upTo)
}

// TestAChannelThatChangesWhileTheLogIsTrimmedIsThere: the record that opens it is its last one until then, and no checkpoint
// includes it.
func TestAChannelThatChangesWhileTheLogIsTrimmedIsThere(t *testing.T) {
	log := hooked(&shared.Memory{})
	a := sharing(t, log, ahp.ServerOptions{Limits: server.Limits{Window: 5}})
	b := sharing(t, log.Log, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, a.OpenChannel("ahp-session:/busy", emptySession()))
	log.on.Store("trim", func() { assert.NoError(t, b.Publish(sessionChannel, titled("meanwhile"))) })
	for i := 0; log.times("trim") == 0; i++ {
		require.NoError(t, a.Publish("ahp-session:/busy", titled(fmt.Sprint(i))))
	}
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())

	c := sharing(t, log, ahp.ServerOptions{})
	title := make(chan string, 1)
	go func() {
		now, _ := c.State(sessionChannel)
		title <- fmt.Sprint(now)
	}()
	require.Contains(t, soon(t, title, "its state is loaded for ever"), "meanwhile")
}
