// Kit: the engine under test, and what all tests use.

package logtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Engine is what is tested: a log that is empty at first. Functions that are nil stand for what the engine cannot do.
type Engine struct {
	// Open returns a handle to the log, as each process has one. A handle that is an [io.Closer] is closed by the kit.
	Open func(t *testing.T) shared.Log

	// LoseReply lets the next append through a handle be without an answer, and be stored or not.
	LoseReply func(t *testing.T, log shared.Log, stored bool)
	// Window is for how long the engine recognises messages that it had before.
	Window time.Duration

	Stop  func(t *testing.T) // lets the engine go away
	Start func(t *testing.T) // lets it come back

	Recreate func(t *testing.T) // deletes the log and makes an empty one, with checkpoints or without
	Copy     func(t *testing.T) // takes a copy of the log
	PutBack  func(t *testing.T) // replaces the log by the copy

	// Small returns a handle to another log, which is full after at most 10 MB.
	Small func(t *testing.T) shared.Log

	// Patience is how long a test waits for what has to happen. The default is 20 seconds.
	Patience time.Duration
}

// Run runs all tests, each with an engine of its own.
func Run(t *testing.T, start func(t *testing.T) Engine) {
	for _, c := range Tests() {
		c := c
		t.Run(c.Name, func(t *testing.T) { c.Run(t, start(t)) })
	}
}

// Test is one of the tests.
type Test struct {
	Name string
	run  func(*kit)
}

// Run runs a test with an engine of its own.
func (c Test) Run(t *testing.T, e Engine) {
	k := &kit{T: t, Engine: e}
	if k.Patience == 0 {
		k.Patience = 20 * time.Second
	}
	c.run(k)
}

// Tests returns all tests. Run runs them.
func Tests() []Test {
	return []Test{
		{"Order", order}, {"BatchesAreWhole", batchesAreWhole}, {"OddKeys", oddKeys}, {"Conditions", conditions},
		{"Writers", writers}, {"Starvation", starvation}, {"PausedWriter", pausedWriter}, {"LostReply", lostReply},
		{"SameSerialOnTwoKeys", sameSerialOnTwoKeys},
		{"Follow", follow}, {"FollowWhileAppending", followWhileAppending}, {"BeyondTheEnd", beyondTheEnd}, {"OtherEpoch", otherEpoch},
		{"Trim", trim}, {"TrimBelowReader", trimBelowReader}, {"TrimWhileReading", trimWhileReading}, {"TrimToLast", trimToLast},
		{"Recreated", recreated}, {"PutBack", putBack}, {"PutBackAndGoneOn", putBackAndGoneOn}, {"Outage", outage},
		{"Full", full}, {"TooLarge", tooLarge},
		{"Checkpoints", checkpoints}, {"Heads", heads}, {"Close", closed}, {"Contexts", contexts},
	}
}

// kit is a test that runs.
type kit struct {
	*testing.T
	Engine
	serial int64
	mu     sync.Mutex // guards serial
}

// need skips a test of what an engine cannot do.
func (k *kit) need(can bool, hook string) {
	k.Helper()
	if !can {
		k.Skipf("the engine has no %s", hook)
	}
}

// open returns a handle that is closed after the test.
func (k *kit) open() shared.Log {
	k.Helper()
	l := k.Open(k.T)
	k.closeLater(l)
	return l
}

func (k *kit) closeLater(l shared.Log) {
	if c, ok := l.(io.Closer); ok {
		k.Cleanup(func() { _ = c.Close() })
	}
}

// context returns a context that ends when the test has to.
func (k *kit) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), k.Patience)
	k.Cleanup(cancel)
	return ctx
}

// record returns a record that there was not before.
func (k *kit) record(key string) shared.Record {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.serial++
	at := time.Date(2024, 2, 29, 12, 0, 0, int(k.serial%1000)*1e6, time.UTC)
	return shared.Record{Key: key, Kind: "kinds"[k.serial%5], Writer: "w", Serial: k.serial, Time: at, Data: []byte(fmt.Sprint("data ", k.serial))}
}

// append appends records on condition, and fails the test if it cannot.
func (k *kit) append(l shared.Log, records []shared.Record, conditions ...shared.Condition) []shared.Record {
	k.Helper()
	first, err := l.Append(k.context(), shared.Batch{Records: records, If: conditions})
	if err != nil {
		k.Fatalf("append: %v", err)
	}
	out := make([]shared.Record, len(records))
	for i, r := range records {
		r.Number = first + int64(i)
		out[i] = r
	}
	return out
}

// add appends a record of a key, without a condition.
func (k *kit) add(l shared.Log, key string) shared.Record {
	k.Helper()
	return k.append(l, []shared.Record{k.record(key)})[0]
}

// refused appends a record, and fails the test unless a condition is said not to hold.
func (k *kit) refused(l shared.Log, records []shared.Record, conditions ...shared.Condition) *shared.ConflictError {
	k.Helper()
	first, err := l.Append(k.context(), shared.Batch{Records: records, If: conditions})
	var conflict *shared.ConflictError
	if !errors.As(err, &conflict) {
		k.Fatalf("append on %v returned %d, %v, not a conflict", conditions, first, err)
	}
	return conflict
}

func (k *kit) last(l shared.Log, key string) int64 {
	k.Helper()
	n, err := l.Last(k.context(), key)
	if err != nil {
		k.Fatalf("last of %q: %v", key, err)
	}
	return n
}

func (k *kit) end(l shared.Log) shared.Position {
	k.Helper()
	at, err := l.End(k.context())
	if err != nil {
		k.Fatalf("end: %v", err)
	}
	return at
}

func (k *kit) trim(l shared.Log, number int64) {
	k.Helper()
	if err := l.Trim(k.context(), shared.Position{Epoch: k.end(l).Epoch, Number: number}); err != nil {
		k.Fatalf("trim to %d: %v", number, err)
	}
}

// read returns the records of a key after a number.
func (k *kit) read(l shared.Log, key string, after int64) []shared.Record {
	k.Helper()
	var out []shared.Record
	if err := l.Read(k.context(), key, after, func(r shared.Record) error { out = append(out, r); return nil }); err != nil {
		k.Fatalf("read %q after %d: %v", key, after, err)
	}
	return out
}

var errEnough = errors.New("enough")

// following returns what Follow brings, up to a number.
func (k *kit) following(l shared.Log, after shared.Position, until int64) []shared.Record {
	k.Helper()
	var out []shared.Record
	if after.Number >= until {
		return nil
	}
	err := l.Follow(k.context(), after, func(records []shared.Record) error {
		out = append(out, records...)
		if len(records) == 0 {
			return errors.New("a piece without records")
		}
		if out[len(out)-1].Number >= until {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		k.Fatalf("follow from %v to %d: %v after %d records", after, until, err, len(out))
	}
	return out
}

// all returns the whole log.
func (k *kit) all(l shared.Log) []shared.Record {
	k.Helper()
	end := k.end(l)
	return k.following(l, shared.Position{Epoch: end.Epoch}, k.lastNumber(l))
}

// lastNumber returns the number of the last record. An engine may use numbers for itself.
func (k *kit) lastNumber(l shared.Log) (last int64) {
	k.Helper()
	if err := l.Heads(k.context(), func(r shared.Record) error { last = max(last, r.Number); return nil }); err != nil {
		k.Fatalf("heads: %v", err)
	}
	return last
}

// same fails the test unless both have the same records.
func (k *kit) same(what string, want, got []shared.Record) {
	k.Helper()
	for i := 0; i < max(len(want), len(got)); i++ {
		switch {
		case i >= len(got):
			k.Fatalf("%s: %d records, %d wanted: %s is missing", what, len(got), len(want), text(want[i]))
		case i >= len(want):
			k.Fatalf("%s: %d records, %d wanted: %s is there too", what, len(got), len(want), text(got[i]))
		case text(want[i]) != text(got[i]):
			k.Fatalf("%s: record %d is\n%s, not\n%s", what, i, text(got[i]), text(want[i]))
		}
	}
}

// text returns all that a record has.
func text(r shared.Record) string {
	data := string(r.Data)
	if len(data) > 100 {
		data = fmt.Sprint(data[:100], "… of ", len(data))
	}
	return fmt.Sprintf("%d %q %d %q %d %s %q", r.Number, r.Key, r.Kind, r.Writer, r.Serial, r.Time.UTC().Format(time.RFC3339Nano), data)
}

// moved waits until a reader is told that it cannot go on, and returns what it is told.
func (k *kit) moved(what string, err error) *shared.MovedError {
	k.Helper()
	var moved *shared.MovedError
	if !errors.As(err, &moved) {
		k.Fatalf("%s: %v, not that the log has moved", what, err)
	}
	return moved
}

// reader follows a log until it is told to stop.
type reader struct {
	k     *kit
	mu    sync.Mutex
	got   []shared.Record
	more  chan struct{} // has an element when there is more
	ended chan error
	stop  context.CancelFunc
}

// reader starts to follow a log.
func (k *kit) reader(l shared.Log, after shared.Position) *reader {
	ctx, stop := context.WithCancel(context.Background())
	r := &reader{k: k, more: make(chan struct{}, 1), ended: make(chan error, 1), stop: stop}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.ended <- l.Follow(ctx, after, func(records []shared.Record) error {
			r.mu.Lock()
			r.got = append(r.got, records...)
			r.mu.Unlock()
			select {
			case r.more <- struct{}{}:
			default:
			}
			return nil
		})
	}()
	k.Cleanup(func() { stop(); <-done })
	return r
}

func (r *reader) records() []shared.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]shared.Record(nil), r.got...)
}

// newest returns the number of the newest record that was read.
func (r *reader) newest() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.got) == 0 {
		return 0
	}
	return r.got[len(r.got)-1].Number
}

// beyond waits for a record after a number, for a while.
func (r *reader) beyond(number int64) {
	late := time.NewTimer(100 * time.Millisecond)
	defer late.Stop()
	for r.newest() <= number {
		select {
		case <-r.more:
		case <-late.C:
			return
		}
	}
}

// until waits for a record, and returns all up to it.
func (r *reader) until(number int64) []shared.Record {
	r.k.Helper()
	ctx := r.k.context()
	for {
		if got := r.records(); len(got) > 0 && got[len(got)-1].Number >= number {
			return got
		}
		select {
		case <-r.more:
		case err := <-r.ended:
			r.k.Fatalf("the reader ended before record %d: %v", number, err)
		case <-ctx.Done():
			r.k.Fatalf("the reader has %d records and waits for record %d", len(r.records()), number)
		}
	}
}

// end waits until the reader ends by itself.
func (r *reader) end() error {
	r.k.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-r.k.context().Done():
		r.k.Fatalf("the reader does not end, with %d records", len(r.records()))
		return nil
	}
}
