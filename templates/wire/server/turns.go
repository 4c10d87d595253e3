// Turns: a server whose appends to a channel keep conflicting asks the others to wait, by a record in the log. The records of one
// server could otherwise always come before those of a slower one. Correctness does not depend on turns.

package server

import (
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// turn is a request to append next.
type turn struct {
	writer string
	until  time.Time
}

// Limits of turns.
const (
	conflictsForTurn = 3
	turnFor          = time.Second // a server that has not appended by then has lost its turn
)

// takeTurn notes a request. The caller must hold the lock.
func (s *Server[S, A]) takeTurn(channel, writer string) {
	now := time.Now()
	turns := s.replica.turns
	for name := range turns {
		if turns[name] = current(turns[name], now); len(turns[name]) == 0 {
			delete(turns, name)
		}
	}
	if !slices.ContainsFunc(turns[channel], turn{writer: writer}.same) {
		turns[channel] = append(turns[channel], turn{writer, now.Add(turnFor)})
		time.AfterFunc(turnFor+time.Millisecond, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.out.room.Broadcast()
		})
	}
}

func (t turn) same(other turn) bool { return t.writer == other.writer }

// current returns the turns that are not over.
func current(list []turn, now time.Time) []turn {
	return slices.DeleteFunc(list, func(t turn) bool { return now.After(t.until) })
}

// endTurn notes that a server has appended to a channel. The caller must hold the lock.
func (s *Server[S, A]) endTurn(channel, writer string) {
	if list := s.replica.turns[channel]; len(list) > 0 {
		s.replica.turns[channel] = slices.DeleteFunc(list, turn{writer: writer}.same)
	}
}

// waitTurn waits while it is the turn of another server. A server whose appends have kept conflicting asks for its turn first.
func (s *Server[S, A]) waitTurn(q *queue[S, A]) error {
	r := s.replica
	s.mu.Lock()
	defer s.mu.Unlock()
	asks := time.Now().Before(r.starved[q.channel]) && !slices.ContainsFunc(r.turns[q.channel], turn{writer: r.writer}.same)
	if asks {
		s.mu.Unlock()
		s.askTurn(q.channel)
		s.mu.Lock()
	} else if !time.Now().Before(r.starved[q.channel]) {
		delete(r.starved, q.channel)
	}
	err := s.waitFor(r.ctx, func() bool {
		list := current(r.turns[q.channel], time.Now())
		if len(list) > 0 {
			r.turns[q.channel] = list
			return list[0].writer == r.writer
		}
		delete(r.turns, q.channel)
		return true
	})
	return ignoreMoved(err)
}

// askTurn asks the others to wait. If that fails, the server competes with them as before.
func (s *Server[S, A]) askTurn(channel string) {
	r := s.replica
	record := shared.Record{Key: turnKey, Kind: byte(Turn), Writer: r.writer, Time: s.millis(), Data: []byte(channel)}
	if number, err := s.append(r.ctx, shared.Batch{Records: []shared.Record{record}}); err == nil {
		_ = s.reach(r.ctx, number)
	}
}

// giveWay waits after a conflict, or decides to ask for a turn after several.
func (s *Server[S, A]) giveWay(q *queue[S, A]) error {
	if q.conflicts%conflictsForTurn != 0 {
		return s.pause(s.replica.ctx, q.conflicts-1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replica.starved[q.channel] = time.Now().Add(turnFor)
	return nil
}
