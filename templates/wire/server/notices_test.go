// Hooks that fail. When they are called is tested where there is a protocol, in generated/ahp.

package server

import (
	"context"
	"net"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

func TestAHookThatFailsHoldsUpNoOther(t *testing.T) {
	reported, called := make(chan error, 2), make(chan bool, 1)
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
	require.EqualError(t, <-reported, "a hook ended its goroutine")
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

type asText string

func (a asText) AppendJSON(dst []byte) ([]byte, error) { return append(dst, a...), nil }

// TestAnActionThatAReducerPanicsAtHarmsNobody: reducers may be the program's own.
func TestAnActionThatAReducerPanicsAtHarmsNobody(t *testing.T) {
	ours, theirs := net.Pipe()
	defer func() { _, _ = ours.Close(), theirs.Close() }()
	const unlucky = 13
	p := &Protocol[int, int]{
		Apply: func(state, action int, _ time.Time) int {
			if action == unlucky {
				panic("oops")
			}
			return state + action
		},
		Envelope: func(e Envelope[int]) wire.Appender { return asText(strconv.Itoa(e.Action)) },
		ReadEnvelope: func(data []byte) (e Envelope[int], err error) {
			e.Action, err = strconv.Atoi(string(data))
			return e, err
		},
		Refusal: func(int) string { return "" },
		Refused: func([]byte) bool { return false },
		Fits:    func(int, int) bool { return true },
		Since:   func(int) (string, bool) { return "", true },
	}
	reported := make(chan error, 10)
	s := &Server[int, int]{protocol: p, options: Options[int, int]{OnError: func(err error) { reported <- err }}.withDefaults()}
	s.out.room = sync.NewCond(&s.mu)
	c := &channel[int]{name: "x", state: 1, hasState: true}
	s.channels = map[string]*channel[int]{"x": c}
	h := &handler[int, int]{server: s, client: &Client{id: "c", peer: rpc.NewPeer(rpc.Stream(ours), nil)}}
	sent := dispatched[int]{Dispatched: Dispatched[int]{Channel: "x", Sequence: 7, Action: unlucky}}
	rejected := func(e Envelope[int]) {
		t.Helper()
		require.NotNil(t, e.Refusal)
		require.Equal(t, "it could not be applied", *e.Refusal)
		require.Equal(t, &Origin{"c", 7}, e.Origin)
		require.Equal(t, 1, c.state)
		require.ErrorIs(t, <-reported, errUnapplied)
	}
	do := func(f func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		f()
	}
	do(func() { h.decideAll(c, sent, h.decide) })
	rejected(s.window[0].Envelope)
	require.ErrorIs(t, s.Publish("x", unlucky), errUnapplied)

	s.replica = &replica[int, int]{log: &shared.Memory{}, mine: map[int64]*entered[int, int]{}}
	one := &proposal[int, int]{kind: Action, channel: "x", by: h, sent: sent}
	var a *attempt[int, int]
	do(func() { a = s.attempt(&queue[int, int]{channel: "x", list: []*proposal[int, int]{one}}, c, 0) })
	require.Len(t, a.entries, 1)
	rejected(a.entries[0].envelope)
	rec := &shared.Record{Kind: byte(Action), Data: []byte(strconv.Itoa(unlucky))}
	do(func() { require.ErrorIs(t, s.takeEnvelope(c, Envelope[int]{Action: unlucky}, rec, nil), errUnapplied) })
	require.ErrorIs(t, s.replayOne(c, &channel[int]{}, rec), errUnapplied)
}
