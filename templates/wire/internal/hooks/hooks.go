// Package hooks calls functions of the program, such as callbacks and observers, which may panic, take long, or call back.
package hooks

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
)

// Apart calls f on a goroutine of its own and waits for it. It returns an error if f panics or ends that goroutine, which does not
// harm the one of the caller.
func Apart(name string, f func()) error {
	failed := make(chan error)
	go func() {
		err := errors.New(name + " ended its goroutine")
		defer func() {
			if value := recover(); value != nil {
				err = fmt.Errorf("%s panicked: %v", name, value)
			}
			failed <- err
		}()
		f()
		err = nil
	}()
	return <-failed
}

// Queue calls functions one after the other, on a goroutine that there is as long as there are any. The zero value is empty.
type Queue struct {
	mu   sync.Mutex // guards the following fields
	list []func()
	idle chan struct{} // closed when all were called; nil if there are none
}

// Add queues a call of f.
func (q *Queue) Add(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(f)
}

// Offer is Add, unless the queue has limit calls already. It reports whether f will be called.
func (q *Queue) Offer(limit int, f func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= limit {
		return false
	}
	q.add(f)
	return true
}

// add queues a call. The caller must hold the lock.
func (q *Queue) add(f func()) {
	q.list = append(q.list, f)
	if q.idle == nil {
		q.idle = make(chan struct{})
		go q.work()
	}
}

// work makes the calls until there are none. Wait looks for it on the stack, so it is never inlined.
//
//go:noinline
func (q *Queue) work() {
	over := false
	defer func() {
		if !over { // a function has ended the goroutine
			go q.work()
		}
	}()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) > 0 {
		f := q.list[0]
		q.list[0] = nil
		q.list = q.list[1:]
		q.call(f)
	}
	over, q.list = true, nil
	close(q.idle)
	q.idle = nil
}

// call calls f without the lock, which the caller must hold.
func (q *Queue) call(f func()) {
	q.mu.Unlock()
	defer q.mu.Lock()
	f()
}

// Busy reports whether a function is being called or will be.
func (q *Queue) Busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.idle != nil
}

// Wait waits until there is nothing left to call. It returns at once if such a function calls it, of this or another Queue.
func (q *Queue) Wait() {
	q.mu.Lock()
	idle := q.idle
	q.mu.Unlock()
	if idle != nil && !within(work) {
		<-idle
	}
}

// Observe calls f, which calls an observer. [Observing] looks for it on the stack, so it is never inlined. F does not escape, so that
// calling an observer allocates nothing.
//
//go:noinline
func Observe(f func()) { f() }

// Observing reports whether an observer calls the caller. A connection that an observer closes would wait for itself, since
// messages are observed where they are read and written.
func Observing() bool { return within(observe) }

// The entries of the functions that are looked for.
var (
	observe = reflect.ValueOf(Observe).Pointer()
	work    = reflect.ValueOf((*Queue).work).Pointer()
)

// within reports whether a function, given by its entry, has called the caller on this goroutine.
func within(entry uintptr) bool {
	var callers [64]uintptr
	for skip := 2; ; skip += len(callers) {
		n := runtime.Callers(skip, callers[:])
		frames := runtime.CallersFrames(callers[:n])
		for more := n > 0; more; {
			var frame runtime.Frame
			if frame, more = frames.Next(); frame.Entry == entry { // also in a frame of what is inlined into it
				return true
			}
		}
		if n < len(callers) {
			return false
		}
	}
}
