// The log: what a server must remember when its process ends.

package server

import (
	"fmt"
	"time"
)

// Log stores records. Package bolt, emitted on request, stores them on disk.
type Log interface {
	// Load calls f with what was kept: the version, then channels, then actions and starts by their number, then
	// clients.
	Load(f func(Record) error) error
	// Append keeps records, all of them or none, in their order. If it returns without an error, they
	// outlive the process and the machine. One goroutine calls it.
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
	// Trim: actions with numbers up to Sequence are not needed any more. The number itself is: Load has it as
	// a record of this kind before the actions.
	Trim
	// ClientKnown: there is a client with the id Key. Data is what has to be known of it.
	ClientKnown
	// ClientGone: the client with the id Key need not be known any more.
	ClientGone
	// Start: a server has started. It goes on after the number Sequence, which is above all before; what lies
	// between is of no action in this log, though it may be in another that was once a copy. It has its place
	// among the actions, and is trimmed with them.
	Start
	// Version: all that the log has was written by the version Data of the protocol, in the place of an earlier
	// record of this kind.
	Version
)

// Record is an entry of the log.
type Record struct {
	Kind     Kind
	Key      string
	Sequence int64
	Opened   int64     // of a channel: the sequence number when it was opened
	Time     time.Time // of an action: when it was applied; of a channel: when it was opened, zero if that is not known
	Data     []byte    // snapshot or envelope as JSON, or what is known of a client
}

// checkpoint makes the records of old actions unnecessary, once these are many. What is written for that is
// no more than what was written for the actions. The caller holds the lock.
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
			return // the actions are kept until it can be
		}
		s.savedBytes += int64(len(data))
		if c.saved < c.sequence {
			c.saved = c.sequence
			s.record(Record{Kind: ChannelState, Key: c.name, Sequence: s.sequence, Opened: c.opened, Time: c.entry.opened, Data: data})
		}
	}
	s.record(Record{Kind: Trim, Sequence: min(s.sequence, s.forgotten)})
}

// settle puts the latest states into the log of a server that ends, so that the next one, which may be of another
// version, has no actions to apply.
func (s *Server[S, A]) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Log == nil || s.failed != nil {
		return
	}
	records, err := s.states(false)
	if err != nil {
		s.report(err) // the actions are there
		return
	}
	for _, r := range records {
		s.record(r)
	}
}
