// Hooks that fail. When they are called is tested where there is a protocol, in generated/ahp.

package server

import (
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
