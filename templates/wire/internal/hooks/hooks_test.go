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
