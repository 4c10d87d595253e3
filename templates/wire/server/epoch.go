// Numbers: sequence numbers are never reused, whatever happens to the log.

package server

import (
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// A log may be put back to an earlier copy, or lose its tail. So each start goes on after a number that the clock says, see
// [shared.Fresh]. What a start skips is known from its record, and a client that has seen a number out of a gap gets new
// states.

const maxNumber = 1<<53 - 1

var errNoNumbers = errors.New("no numbers are left")

// gap is a range of numbers this log never contained.
type gap struct{ after, first int64 }

// remembers reports whether the window has everything a client has missed, given the last number it has seen. The
// caller must hold the lock.
func (s *Server[S, A]) remembers(seen int64) bool {
	if seen < s.forgotten || seen > s.sequence {
		return false
	}
	for _, g := range s.gaps {
		if seen > g.after && seen < g.first {
			return false
		}
	}
	return true
}

// maxGaps is the number of starts remembered.
const maxGaps = 1000

// begin continues from a fresh number, after storing it in the log.
func (s *Server[S, A]) begin(l *loading[S, A]) error {
	number := s.options.Limits.Numbers
	if number == nil {
		number = func(last int64) (int64, error) { return shared.Fresh(last, s.options.Limits.Now()) }
	}
	first, err := number(s.sequence)
	if err == nil && first < s.sequence {
		err = fmt.Errorf("%d is below %d, which the log has", first, s.sequence)
	}
	if err != nil {
		return fmt.Errorf("numbers: %w", err)
	}
	var records []Record
	forget := l.all || len(s.gaps) >= maxGaps
	if forget {
		if records, err = s.states(l.all); err != nil {
			return err
		}
		for _, name := range l.gone {
			records = append(records, Record{Kind: ChannelGone, Key: name, Sequence: s.sequence})
		}
		records = append(records, Record{Kind: Trim, Sequence: s.sequence})
		s.window, s.bytes, s.unsaved, s.gaps = nil, 0, 0, nil
	}
	if forget || l.empty {
		s.forgotten = first
	} else {
		s.gaps = append(s.gaps, gap{s.sequence, first})
	}
	if first > s.sequence {
		records = append(records, Record{Kind: Start, Sequence: first})
	}
	s.sequence = first
	if s.options.Log == nil {
		return nil
	}
	if !l.versioned || l.version != s.protocol.Version {
		records = append(records, Record{Kind: Version, Data: []byte(s.protocol.Version)})
	}
	return s.options.Log.Append(records)
}

// states returns records of the states missing from the log, or of all states.
func (s *Server[S, A]) states(all bool) ([]Record, error) {
	var records []Record
	for _, c := range s.channels {
		if !c.hasState || !all && c.saved >= c.sequence {
			continue
		}
		data, err := s.json(c, s.sequence)
		if err != nil {
			return nil, fmt.Errorf("save the state of %s: %w", c.name, err)
		}
		c.saved = c.sequence
		records = append(records, Record{Kind: ChannelState, Key: c.name, Sequence: s.sequence, Opened: c.opened, Time: c.entry.opened, Data: data})
	}
	return records, nil
}
