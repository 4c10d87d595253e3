// Hooks that fail. When they are called is tested where there is a protocol, in generated/ahp.

package server

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAHookThatFailsHoldsUpNoOther(t *testing.T) {
	reported, called := make(chan error, 1), make(chan bool, 1)
	s := &Server[int, int]{options: Options[int, int]{OnError: func(err error) { reported <- err }}}
	s.out.room = sync.NewCond(&s.mu)
	s.mu.Lock()
	for _, f := range []func(){func() { panic("oops") }, runtime.Goexit, func() { called <- true }} {
		s.later(&s.notices, f)
	}
	s.mu.Unlock()
	select {
	case <-called:
	case <-time.After(10 * time.Second):
		t.Fatal("the last one is not called")
	}
	require.EqualError(t, <-reported, "a hook panicked: oops")
}

// TestWhoSeesListsOnlyNowAndThenIsNotRememberedForLong: a client asks for a page, and does not hear of changes.
func TestWhoSeesListsOnlyNowAndThenIsNotRememberedForLong(t *testing.T) {
	s := &Server[int, int]{protocol: &Protocol[int, int]{}, channels: map[string]*channel[int]{"root": {name: "root"}}}
	s.out.room = sync.NewCond(&s.mu)
	s.options.Listed = func(context.Context, *Client, string) bool { return true }
	s.lists = []*kept[int, int]{{List: &List[int, int]{At: "root", Is: func(int) bool { return true }, Removed: Telling{Method: "removed"}}}}
	client := &Client{}
	s.served = map[*Client]bool{client: true}
	for range 10 {
		c := &channel[int]{name: "x", hasState: true, entry: entry{data: []byte("{}")}}
		s.channels["x"] = c
		page, err := s.Page(t.Context(), client, 0, Paging{})
		require.NoError(t, err)
		require.Len(t, page.Entries, 1)
		s.mu.Lock()
		require.Len(t, client.listed, 1)
		s.remove(c)
		s.mu.Unlock()
	}
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(client.listed) == 0
	}, 10*time.Second, time.Millisecond)
}
