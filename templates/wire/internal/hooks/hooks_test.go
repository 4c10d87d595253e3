package hooks

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAFunctionThatFailsIsAnError(t *testing.T) {
	require.NoError(t, Apart("it", func() {}))
	require.EqualError(t, Apart("it", func() { panic("oops") }), "it panicked: oops")
	require.EqualError(t, Apart("it", runtime.Goexit), "it ended its goroutine")
}

func TestAQueueCallsInOrder(t *testing.T) {
	var q Queue
	q.Wait()
	var got []int
	for i := range 1000 {
		q.Add(func() {
			got = append(got, i)
			if i%100 == 0 {
				runtime.Goexit()
			}
		})
	}
	q.Wait()
	require.False(t, q.Busy())
	require.Len(t, got, 1000)
	require.IsIncreasing(t, got)
}

func TestAQueueIsBounded(t *testing.T) {
	var q Queue
	begun, goOn := make(chan bool), make(chan bool)
	require.True(t, q.Offer(1, func() {
		begun <- true
		<-goOn
	}))
	<-begun
	require.True(t, q.Offer(1, func() {}))
	require.False(t, q.Offer(1, func() { t.Error("called") }))
	require.True(t, q.Busy())
	close(goOn)
	q.Wait()
	require.True(t, q.Offer(1, func() {}))
	q.Wait()
}

// TestAFunctionDoesNotWaitForItself waits from a function that is called, however deep.
func TestAFunctionDoesNotWaitForItself(t *testing.T) {
	var q Queue
	over := make(chan bool)
	var deep func(n int)
	deep = func(n int) {
		if n > 0 {
			deep(n - 1)
			return
		}
		q.Wait()
	}
	q.Add(func() {
		deep(1000)
		close(over)
	})
	select {
	case <-over:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for itself")
	}
	q.Wait()
}

// TestAnObserverIsFoundOnItsOwnGoroutine however deep, and where functions are inlined, but not from goroutines that it has started.
func TestAnObserverIsFoundOnItsOwnGoroutine(t *testing.T) {
	require.False(t, Observing())
	var deep func(n int) bool
	deep = func(n int) bool {
		if n == 0 {
			return Observing()
		}
		return deep(n - 1)
	}
	Observe(func() {
		require.True(t, Observing())
		require.True(t, deep(1000))
		require.True(t, inlined())
		require.NoError(t, Apart("it", func() { require.False(t, Observing()) }))
		started := make(chan bool)
		go func() { started <- Observing() }()
		require.False(t, <-started)
	})
	require.False(t, Observing())
	require.Panics(t, func() { Observe(func() { panic("oops") }) })
	require.False(t, Observing())
	var tell named
	require.False(t, tell.Tell(), "only the name is like that of what calls observers")
	require.False(t, tell.work())
}

func inlined() bool { return Observing() }

type named struct{}

//go:noinline
func (named) Tell() bool { return Observing() }

//go:noinline
func (named) work() bool { return within(work) }

// TestCallingAnObserverAllocatesNothing, since it is called with each message.
func TestCallingAnObserverAllocatesNothing(t *testing.T) {
	var many [40]int
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		Observe(func() { n += many[n%len(many)] + 1 })
	}))
	require.Equal(t, 101, n)
}
