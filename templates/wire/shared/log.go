// The interface of a log, and its errors.

package shared

import (
	"context"
	"errors"
	"strconv"
	"time"
)

// Log is a sequence of records that processes share. Its methods are safe for concurrent use.
//
// Records have numbers, which grow and may have gaps. Each record has a key. The last record of a key is never trimmed, so that
// a condition on the key keeps its meaning.
type Log interface {
	// Append stores the records of a batch in order, all or none of them, and returns the number of the first. The numbers
	// of the others follow without a gap. It stores nothing and returns a [ConflictError] if a condition does not hold.
	//
	// [ErrUnknown] means that the records may have been stored, and nobody can tell yet: appending them again
	// under the same conditions is safe if one of the conditions is about a key of the batch. After any other error nothing
	// is stored; [ErrTooLarge] and [ErrFull] say that trying again does not help.
	Append(ctx context.Context, b Batch) (first int64, err error)

	// Follow calls f with all records after a position, in order and in pieces, and waits for more. It returns when the
	// context ends or f returns an error, and with a [MovedError] where the log has another epoch than the position, has
	// trimmed records after it, or ends before it. While the engine behind the log cannot be reached, it waits.
	Follow(ctx context.Context, after Position, f func([]Record) error) error

	// Read calls f with the records of a key after a number, in order, until there are none or f returns an error. It
	// returns a [MovedError] if there may have been others that are trimmed: the caller loads the checkpoint anew.
	// What it reads is at least what [Log.Last] returned before.
	Read(ctx context.Context, key string, after int64, f func(Record) error) error

	// Last returns the number of the last record of a key, or 0 if it has none. It never returns what was the last one
	// before an append that has been acknowledged to anybody.
	Last(ctx context.Context, key string) (int64, error)

	// End returns the position after the last record. Its number is that of a record, or 0, so that a reader gets there.
	End(ctx context.Context) (Position, error)

	// Heads calls f once for each key that has a record, in no order, with the last one without its data.
	Heads(ctx context.Context, f func(Record) error) error

	// Save stores the checkpoint of a key: a record with the number of the last one that it includes, in an epoch. It does nothing
	// if there is one at that number or a later one already. It stores nothing and returns a [MovedError] if the log has another
	// epoch.
	Save(ctx context.Context, epoch int64, checkpoint Record) error

	// Load returns the checkpoint of a key, and whether there is one.
	Load(ctx context.Context, key string) (checkpoint Record, ok bool, err error)

	// Trim removes records up to a position, except the last one of each key. The caller has saved what includes them, and also
	// what includes the last ones: they are removed once there are others. Trim removes nothing and returns a [MovedError] if the
	// log has another epoch than the position.
	Trim(ctx context.Context, upTo Position) error

	// Limits returns the limits of the engine.
	Limits() Limits
}

// Batch is what is appended at once.
type Batch struct {
	Records []Record
	// If are the conditions, at most one for each key. A key need not be one of the batch.
	If []Condition
}

// Condition states the number of the last record of a key, 0 for a key without records. It does not state the epoch, which an engine could
// not compare as cheaply: if a log is put back to a copy and goes on, it may hold for another record of the same number, until its writer
// has been told by [Log.Follow] of the new epoch. What is appended then was judged on a state that is lost, but all readers have it.
type Condition struct {
	Key  string
	Last int64
}

// Record is an entry of a log.
type Record struct {
	Number int64 // assigned by the log
	Key    string
	Kind   byte // what it is to whoever wrote it
	// Writer and Serial identify the record among all that were ever appended, so that its writer recognises it. A record
	// that is appended again after [ErrUnknown] keeps them.
	Writer string
	Serial int64
	Time   time.Time // when it was made, to the millisecond
	Data   []byte
}

// Position is a place in a log: after the record with a number. Numbers of different epochs have nothing in common.
//
// A log has another epoch once it was restored from a copy, has lost its tail or was made anew. Epochs grow.
type Position struct {
	Epoch  int64
	Number int64
}

// Limits are the limits of an engine. Zero means that there is none.
type Limits struct {
	Batch  int // records in a batch
	Record int // bytes of the data of a record, with its key and writer
}

// Errors of logs.
var (
	// ErrUnknown is returned if it is not known whether records were stored.
	ErrUnknown = errors.New("it is not known whether the records were stored")
	// ErrTooLarge is returned for a record or batch that is beyond the limits of the engine.
	ErrTooLarge = errors.New("larger than what the log takes")
	// ErrFull is returned if there is no room until the log is trimmed.
	ErrFull = errors.New("the log is full")
	// ErrClosed is returned after the log was closed.
	ErrClosed = errors.New("the log is closed")
)

// ConflictError reports a condition that does not hold.
type ConflictError struct {
	Key  string // or "" if the engine does not say which
	Last int64  // number of the last record of the key, or -1 if the engine does not say it
}

// Error implements error.
func (e *ConflictError) Error() string {
	last := "another record came in between"
	if e.Last >= 0 {
		last = "the last record is " + strconv.FormatInt(e.Last, 10)
	}
	return "conflict on " + strconv.Quote(e.Key) + ": " + last
}

// MovedError reports that a reader cannot go on from its position: it has to begin anew with checkpoints.
type MovedError struct {
	Epoch   int64 // of the log now
	Trimmed bool  // the epoch is the same, and records after the position are gone
}

// Error implements error.
func (e *MovedError) Error() string {
	if e.Trimmed {
		return "records after the position are trimmed"
	}
	return "the log has another epoch"
}

// Latest returns the last record of a key, or one with the number 0 if it has none. If the record is trimmed before it is read, there
// is a later one, which is returned instead.
func Latest(ctx context.Context, log Log, key string) (last Record, err error) {
	for wait := time.Duration(0); ; wait = min(wait+time.Millisecond, 100*time.Millisecond) {
		number, err := log.Last(ctx, key)
		if err != nil || number == 0 {
			return Record{}, err
		}
		last = Record{}
		err = log.Read(ctx, key, number-1, func(r Record) error { last = r; return nil })
		var moved *MovedError
		switch {
		case err != nil && !errors.As(err, &moved):
			return Record{}, err
		case err == nil && last.Number > 0:
			return last, nil
		}
		if err := pause(ctx, wait); err != nil {
			return Record{}, err
		}
	}
}
