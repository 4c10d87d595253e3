// Joining: with a shared log, a client belongs to the server whose record of it is the last, and its actions are stored on
// condition that there is no later one.

package server

import (
	"cmp"
	"context"
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// learn reads what the log has about a client, and returns it with the number of the last record, which is 0 if there is none.
func (s *Server[S, A]) learn(ctx context.Context, id string) (known, error) {
	key := clientKey + id
	last, err := s.catchUp(ctx, key)
	if err != nil || last == 0 {
		return known{}, err
	}
	s.mu.Lock()
	if k := s.known[id]; k != nil && k.number >= last {
		defer s.mu.Unlock()
		return *k, nil
	}
	s.mu.Unlock()
	var rec shared.Record
	err = s.patiently(ctx, func() (err error) {
		rec, err = shared.Latest(ctx, s.replica.log, key)
		return err
	})
	if err == nil {
		err = s.reach(ctx, rec.Number)
	}
	if err != nil || rec.Number == 0 {
		return known{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.known[id]
	if k == nil {
		s.forgetSome()
		k = &known{left: s.options.Limits.Now()}
		s.known[id] = k
	}
	if k.number < rec.Number {
		k.version, k.owner = readKnown(rec.Data)
		k.number, k.channels = rec.Number, nil
	}
	return *k, nil
}

// join stores that a client has joined this server, and updates the claim. The version is "" if it is the one of before. A claim
// that is out of date is decided again.
func (h *handler[S, A]) join(ctx context.Context, claim *Claim, version string) error {
	s := h.server
	if s.replica == nil {
		return nil
	}
	r := s.replica
	for try := 0; ; try++ {
		s.mu.Lock()
		r.serial++
		record := shared.Record{
			Key: clientKey + claim.Client, Kind: byte(ClientKnown), Writer: r.writer, Serial: r.serial, Time: s.millis(),
		}
		s.mu.Unlock()
		record.Data = knownData(cmp.Or(version, claim.version), cmp.Or(claim.Owner, h.client.principal.Name))
		number, err := s.storeJoin(ctx, record, claim.number)
		if err != nil {
			return s.unavailable(err)
		}
		if number > 0 {
			claim.number = number
			return nil
		}
		if err := s.pause(ctx, min(try, 4)); err != nil {
			return err
		}
		if *claim, err = h.claim(ctx, claim.Client, claim.Resume); err != nil {
			return err
		}
	}
}

// storeJoin appends the record of a client that joins after another one, and waits until it was applied. It returns 0 if there is
// a later one.
func (s *Server[S, A]) storeJoin(ctx context.Context, record shared.Record, last int64) (int64, error) {
	b := shared.Batch{Records: []shared.Record{record}, If: []shared.Condition{{Key: record.Key, Last: last}}}
	for try := 0; ; try++ {
		number, err := s.append(ctx, b)
		var conflict *shared.ConflictError
		switch {
		case err == nil:
			return number, s.reach(ctx, number)
		case errors.As(err, &conflict):
			if try == 0 {
				return 0, nil
			}
			return s.joinedBy(ctx, record)
		case !errors.Is(err, shared.ErrUnknown):
			return 0, err
		}
		if err := s.pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// joinedBy returns the number of a record if it was stored although its writer was not told so, and is still the last one.
// Otherwise it returns 0.
func (s *Server[S, A]) joinedBy(ctx context.Context, record shared.Record) (number int64, err error) {
	err = s.patiently(ctx, func() error {
		rec, err := shared.Latest(ctx, s.replica.log, record.Key)
		if rec.Writer == record.Writer && rec.Serial == record.Serial {
			number = rec.Number
		}
		return err
	})
	if err != nil || number == 0 {
		return 0, err
	}
	return number, s.reach(ctx, number)
}

// lockJoined locks the server with the states of some channels, unless the client has joined anew meanwhile.
func (h *handler[S, A]) lockJoined(ctx context.Context, claim Claim, channels []string) error {
	s := h.server
	if err := s.lockWith(ctx, channels...); err != nil {
		return err
	}
	if k := s.known[claim.Client]; k == nil || k.number != claim.number {
		s.mu.Unlock()
		return rpc.ErrClosed
	}
	h.client.joined = claim.number
	return nil
}

// caughtUpWithLog waits until everything that a shared log has was applied.
func (s *Server[S, A]) caughtUpWithLog(ctx context.Context) error {
	if s.replica == nil {
		return nil
	}
	end, err := s.replica.log.End(ctx)
	if err == nil {
		err = s.reach(ctx, end.Number)
	}
	return cmp.Or(s.Err(), err)
}
