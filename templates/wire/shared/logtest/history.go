// History: what clients did and were told, and whether one log can have told it.

package logtest

import (
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Op is a call of Append with one record and a condition on its key, or of Last.
type Op struct {
	Client       int
	Key          string
	Call, Return time.Duration // since one moment, by one clock
	Append       bool
	After        int64  // condition of an append
	Writer       string // of the record
	Serial       int64
	Result       Result
	Number       int64 // of the record that was stored, or the last one as Last or a conflict has it, -1 if it does not say
}

// Result is what became of a call.
type Result byte

// Results of calls.
const (
	Done Result = iota
	Refused
	Unknown
)

// History is a list of calls. Its methods are safe for concurrent use.
type History struct {
	mu    sync.Mutex
	begun time.Time
	ops   []Op
}

// Now returns the time of the history.
func (h *History) Now() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.begun.IsZero() {
		h.begun = time.Now()
	}
	return time.Since(h.begun)
}

// Add adds a call that has returned.
func (h *History) Add(op Op) {
	op.Return = h.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, op)
}

// Ops returns the calls.
func (h *History) Ops() []Op {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Op(nil), h.ops...)
}

// Check returns an error unless the calls are linearizable on each key, and the records of the log are what they stored. The log
// has the order of what was appended, so that no order has to be searched.
func Check(ops []Op, log []shared.Record) error {
	keys := map[string][]Op{}
	for _, op := range ops {
		keys[op.Key] = append(keys[op.Key], op)
	}
	records := map[string][]shared.Record{}
	for i, r := range log {
		if i > 0 && r.Number <= log[i-1].Number {
			return fmt.Errorf("record %d comes after %d", r.Number, log[i-1].Number)
		}
		records[r.Key] = append(records[r.Key], r)
	}
	for key := range records {
		if keys[key] == nil {
			return fmt.Errorf("key %q has records that nobody appended", key)
		}
	}
	for key, list := range keys {
		if err := checkKey(list, records[key]); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	return nil
}

// identity is how a record is recognised.
type identity struct {
	writer string
	serial int64
}

// checkKey checks the calls on one key.
func checkKey(ops []Op, records []shared.Record) error {
	appends := map[identity]Op{}
	for _, op := range ops {
		if op.Append {
			appends[identity{op.Writer, op.Serial}] = op
		}
	}
	var stored []Op // in the order of the log, with the numbers that the log has
	previous := int64(0)
	seen := map[identity]bool{}
	for _, r := range records {
		id := identity{r.Writer, r.Serial}
		op, ok := appends[id]
		switch {
		case !ok:
			return fmt.Errorf("nobody appended record %d", r.Number)
		case seen[id]:
			return fmt.Errorf("record %d is there twice", r.Number)
		case op.Result == Refused:
			return fmt.Errorf("record %d was refused", r.Number)
		case op.Result == Done && op.Number != r.Number:
			return fmt.Errorf("record %d was said to be %d", r.Number, op.Number)
		case op.After != previous:
			return fmt.Errorf("record %d was to be stored after %d, and comes after %d", r.Number, op.After, previous)
		}
		seen[id] = true
		op.Number, previous = r.Number, r.Number
		stored = append(stored, op)
	}
	for _, op := range appends {
		if op.Result == Done && !seen[identity{op.Writer, op.Serial}] {
			return fmt.Errorf("record %d is lost", op.Number)
		}
	}
	return checkTimes(ops, stored)
}

// checkTimes checks that each call could take effect between its begin and its end.
func checkTimes(ops, stored []Op) error {
	// earliest[i] is the earliest moment at which stored[i] can have been stored, and latest[i] the latest one.
	earliest, latest := make([]time.Duration, len(stored)), make([]time.Duration, len(stored))
	for i, op := range stored {
		earliest[i] = op.Call
		if i > 0 {
			earliest[i] = max(earliest[i], earliest[i-1])
		}
		if op.Result == Done && earliest[i] > op.Return {
			return fmt.Errorf("record %d was stored at the earliest at %v, after its append had returned at %v", op.Number, earliest[i], op.Return)
		}
	}
	for i := len(stored) - 1; i >= 0; i-- {
		latest[i] = 1<<63 - 1
		if stored[i].Result == Done {
			latest[i] = stored[i].Return
		}
		if i < len(stored)-1 {
			latest[i] = min(latest[i], latest[i+1])
		}
	}
	for _, op := range ops {
		switch {
		case op.Append && op.Result != Refused, op.Result == Unknown, op.Number < 0:
			continue // a conflict that does not say the last record may be with one that is about to be stored
		case op.Append && op.Number == op.After:
			return fmt.Errorf("an append after %d was refused because %d is the last record", op.After, op.Number)
		}
		// It is the number of a record that may have been stored, and its successor may not have been.
		i := sort.Search(len(stored), func(i int) bool { return stored[i].Number >= op.Number })
		switch {
		case op.Number == 0:
			i = -1
		case i == len(stored) || stored[i].Number != op.Number:
			return fmt.Errorf("there never was a last record %d", op.Number)
		case earliest[i] > op.Return:
			return fmt.Errorf("%d was said to be the last record before it was appended", op.Number)
		}
		if i+1 < len(stored) && latest[i+1] < op.Call {
			return fmt.Errorf("%d was said to be the last record after %d was stored", op.Number, stored[i+1].Number)
		}
	}
	return nil
}
