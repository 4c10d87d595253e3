// Tasks: calls of tools that go on after their answer, as in the versions with sessions.

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"
)

// status is the status of a task.
type status string

// The statuses. All but working are final.
const (
	working   status = "working"
	completed status = "completed"
	failed    status = "failed"
	cancelled status = "cancelled"
)

// task is a call of a tool that goes on in the background.
type task struct {
	id      string
	created time.Time
	keep    time.Duration // from its creation
	ended   chan struct{} // closed when it is final
	cancel  context.CancelFunc

	mu      sync.Mutex // guards the following
	status  status
	updated time.Time
	text    string // the result
	err     error  // of the call, if it failed
}

// state returns the status of the task, and when that changed.
func (t *task) state() (status, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.status, t.updated
}

// end makes the task final. It returns false if it is already.
func (t *task) end(s status, text string, err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.status != working {
		return false
	}
	t.status, t.text, t.err, t.updated = s, text, err, time.Now()
	close(t.ended)
	return true
}

// result waits until the task is final, and returns what the call returned.
func (t *task) result(ctx context.Context) (string, error) {
	select {
	case <-t.ended:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text, t.err
}

var (
	errNoTask    = errors.New("task not found")
	errFinal     = errors.New("task is already in a terminal status")
	errCancelled = errors.New("task was cancelled")
)

// tasks are the tasks of one session.
type tasks struct {
	longest time.Duration // that a task is kept

	mu  sync.Mutex // guards all
	all []*task    // by age
}

// start runs a function as a task, which is kept for a time.
func (ts *tasks) start(ctx context.Context, keep time.Duration, run func(context.Context) (string, error)) *task {
	if keep <= 0 || keep > ts.longest {
		keep = ts.longest
	}
	ctx, cancel := context.WithCancel(ctx)
	now := time.Now()
	t := &task{id: rand.Text(), created: now, updated: now, keep: keep, status: working, ended: make(chan struct{}), cancel: cancel}
	ts.mu.Lock()
	ts.all = append(ts.all, t)
	ts.mu.Unlock()
	time.AfterFunc(keep, func() { ts.forget(t) })
	go func() {
		defer cancel()
		text, err := run(ctx)
		if err != nil {
			t.end(failed, "", err)
		} else {
			t.end(completed, text, nil)
		}
	}()
	return t
}

// forget cancels a task and removes it.
func (ts *tasks) forget(t *task) {
	t.end(cancelled, "", errCancelled)
	t.cancel()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.all = slices.DeleteFunc(ts.all, func(other *task) bool { return other == t })
}

// get returns the task with an id.
func (ts *tasks) get(id string) (*task, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.all {
		if t.id == id {
			return t, nil
		}
	}
	return nil, errNoTask
}

// cancel cancels the task with an id, and returns it.
func (ts *tasks) cancel(id string) (*task, error) {
	t, err := ts.get(id)
	if err != nil {
		return nil, err
	}
	if !t.end(cancelled, "", errCancelled) {
		return nil, errFinal
	}
	t.cancel()
	return t, nil
}

// page returns a page of tasks and the cursor of the next one, or "".
func (ts *tasks) page(cursor string, size int) ([]*task, string, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return page(ts.all, cursor, size)
}
