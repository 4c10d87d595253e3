// The log: what a server must remember when its process ends.

package server

import (
	"fmt"
	"time"
)

// Log stores records. Package bolt, emitted on request, stores them on disk.
type Log interface {
	// Load calls f with all records: the version, then channels, then actions and starts by number, then clients.
	Load(f func(Record) error) error
	// Append stores records atomically and in order. When it returns without an error, they are durable. It is not
	// called concurrently.
	Append(records []Record) error
}

// Kind is the kind of a record.
type Kind byte

// The kinds of records.
const (
	// ChannelState is the state of the channel Key at Sequence, replacing an earlier one. Data is empty for a channel
	// without a state.
	ChannelState Kind = iota + 1
	// ChannelGone ends the channel Key.
	ChannelGone
	// Action is the envelope with number Sequence on the channel Key.
	Action
	// Trim removes actions with numbers up to Sequence. The number is kept: Load passes it in a record of this kind
	// before the actions.
	Trim
	// ClientKnown adds or updates the client with id Key. Data is opaque.
	ClientKnown
	// ClientGone removes the client with id Key.
	ClientGone
	// Start records that a server has started and continues after the number Sequence. Lower numbers that this log
	// does not have may have been used by another copy of it. It is ordered among the actions, and trimmed with them.
	Start
	// Version states that all records were written by version Data of the protocol. It replaces an earlier one.
	Version
)

// Record is an entry of the log.
type Record struct {
	Kind     Kind
	Key      string
	Sequence int64
	Opened   int64     // of a channel: the sequence number when it was opened
	Time     time.Time // of an action: when it was applied; of a channel: when it was opened, or zero if unknown
	Data     []byte    // snapshot or envelope as JSON, or a client's data
}

// checkpoint trims old actions once there are many, after storing the states that include them. It never writes more
// than the actions took. The caller must hold the lock.
func (s *Server[S, A]) checkpoint() {
	if s.options.Log == nil || s.unsaved < max(4<<20, s.savedBytes) {
		return
	}
	s.unsaved, s.savedBytes = 0, 0
	for _, c := range s.channels {
		if !c.hasState {
			continue
		}
		data, err := s.json(c, s.sequence)
		if err != nil {
			s.report(fmt.Errorf("save the state of %s: %w", c.name, err))
			return // the actions are kept until then
		}
		s.savedBytes += int64(len(data))
		if c.saved < c.sequence {
			c.saved = c.sequence
			s.record(Record{Kind: ChannelState, Key: c.name, Sequence: s.sequence, Opened: c.opened, Time: c.entry.opened, Data: data})
		}
	}
	s.record(Record{Kind: Trim, Sequence: min(s.sequence, s.forgotten)})
}

// settle stores the latest states when the server ends, so that the next one, which may have another version, has no
// actions to apply.
func (s *Server[S, A]) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Log == nil || s.failed != nil {
		return
	}
	records, err := s.states(false)
	if err != nil {
		s.report(err) // the actions are stored
		return
	}
	for _, r := range records {
		s.record(r)
	}
}
