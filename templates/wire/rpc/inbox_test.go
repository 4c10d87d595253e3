package rpc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAbandonedInboxIsDrainedWhenTheLastHandlerReturns(t *testing.T) {
	b := newInbox(10, 1000)
	start, ok := b.put(Message{}, 1)
	require.True(t, start && ok)
	_, ok = b.take()
	require.True(t, ok)
	b.abandon() // a reader that nothing wakes does not close it
	select {
	case <-b.drained:
		t.Fatal("a handler still works")
	default:
	}
	_, ok = b.take()
	require.False(t, ok)
	select {
	case <-b.drained:
	default:
		t.Fatal("the end of the connection waits in vain")
	}
}
