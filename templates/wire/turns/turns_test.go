package turns

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

func all(turn *Turn[int, string]) (updates []int, failed []string) {
	for u, err := range turn.Updates() {
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		updates = append(updates, u)
	}
	return updates, failed
}

func TestATurnYieldsUpdatesUntilItsAnswer(t *testing.T) {
	var q Queues[int]
	q.Put(t.Context(), "a", 0) // before anybody asked
	q.Put(t.Context(), "b", -1)
	a := q.Of("a")
	turn := Start(t.Context(), a, func(ctx context.Context) (string, error) {
		for i := 1; i < 2*maxWaiting; i++ {
			q.Put(ctx, "a", i)
		}
		return "done", nil
	})
	for u, err := range turn.Updates() { // which is left, and begun again
		check(t, []any{u, err}, []any{0, nil})
		break
	}
	updates, failed := []int{}, 0
	for u, err := range turn.Updates() {
		if err != nil {
			failed++
			continue
		}
		updates = append(updates, u)
	}
	check(t, updates[len(updates)-1], 2*maxWaiting-1)
	check(t, failed <= 1, true, "while nobody ranged, some may have been dropped")
	got, err := turn.Result()
	check(t, []any{got, err}, []any{"done", nil})
	check(t, q.Of("b").Take(), []int{-1})
	check(t, len(q.Of("b").Take()), 0)
}

func TestALoopHoldsBackWhoIsFaster(t *testing.T) {
	var q Queues[int]
	begun := make(chan struct{})
	turn := Start(t.Context(), q.Of("a"), func(ctx context.Context) (string, error) {
		<-begun
		for i := range 3 * maxWaiting {
			q.Put(ctx, "a", i+1)
		}
		return "", errors.New("cancelled")
	})
	q.Put(t.Context(), "a", 0)
	n := 0
	for u, err := range turn.Updates() {
		if n == 0 {
			close(begun)
		}
		if n > 3*maxWaiting {
			check(t, fmt.Sprint(err), "cancelled")
			break
		}
		if u != n || err != nil {
			t.Fatal(u, n, err)
		}
		n++
	}
	check(t, n, 3*maxWaiting+1)
}

func TestUpdatesAreFollowedUntilTheContextEnds(t *testing.T) {
	var q Queues[int]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for i := range 3 {
			q.Put(ctx, "a", i)
		}
	}()
	got := []int{}
	for u, err := range q.Of("a").Follow(ctx) {
		check(t, err, nil)
		if got = append(got, u); u == 2 {
			cancel()
		}
	}
	check(t, got, []int{0, 1, 2})
}

func TestWhatNobodyTakesIsLimited(t *testing.T) {
	var q Queues[int]
	for i := range maxWaiting + 5 {
		q.Put(t.Context(), "a", i)
	}
	turn := Start(t.Context(), q.Of("a"), func(context.Context) (string, error) { return "", nil })
	updates, failed := all(turn)
	check(t, failed, []string{"5 updates were dropped, since nobody took them"})
	check(t, []int{updates[0], len(updates)}, []int{5, maxWaiting})
	for i := range 10 * maxUnclaimed {
		q.Put(t.Context(), fmt.Sprint("x", i), i)
	}
	check(t, len(q.queues), maxUnclaimed+1)
	q.Forget("a")
	check(t, len(q.queues), maxUnclaimed)
}
