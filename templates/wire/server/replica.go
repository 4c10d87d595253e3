// Replicas: a server whose log is shared applies what the log has, in its order, and nothing else.

package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Keys of records in a shared log: of a channel, of a client, and of others. Rejections that are about no state of a channel
// have a key of their own, so that clients cannot create keys.
const (
	channelKey  = "c/"
	clientKey   = "k/"
	versionKey  = "s"
	rejectedKey = "r"
	turnKey     = "t"
)

// Turn is a kind of record: its writer asks the others to let it append to the channel Data next. It exists in shared logs only.
const Turn = Version + 1

// stride is the distance of the sequence numbers of successive records, since an action may be several in an older version.
const stride = shared.Spacing

// replica is what a server with a shared log keeps besides. Fields below the blank line are guarded by the server's lock.
type replica[S comparable, A any] struct {
	log     shared.Log
	writer  string // version of the protocol and a random name
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
	loads   chan struct{} // holds one value for each state that is being loaded

	epoch      int64
	followed   int64 // number of the last record that was applied
	until      int64 // records up to this one are part of the states that were found at the start
	generation int   // increases when everything is read anew
	serial     int64
	mine       map[int64]*entered[S, A] // records that this server is appending, by serial
	queues     map[string]*queue[S, A]  // proposals by channel
	turns      map[string][]turn        // by channel
	starved    map[string]time.Time     // until when to ask for turns, by channel
	asked      map[string]bool          // channels without a state in memory whose state was asked for
	dirty      map[string]bool          // channels to write checkpoints of
	saving     bool
	trimming   bool
	warm       bool // all channels are in the lists
	ownChange  bool // a channel is opened or closed by a record of this server
}

// copied is what a server with a shared log keeps for a channel besides.
type copied struct {
	number  int64 // of the last record of the channel
	opened  int64 // of the record that opened it
	whole   bool  // that is the last record
	stub    bool  // the state is not in memory
	loading bool
	err     error           // of the last attempt to load
	pending []shared.Record // that came meanwhile
	used    time.Time
	own     bool  // the last record is from this server
	saved   int64 // number of the last checkpoint, as far as known
	size    int   // of that
	unsaved int   // bytes of the records since then
	list    int   // index of the list that has the channel, from 1
}

var (
	errTwoLogs = errors.New("only one of Log and Shared may be set")
	errMoved   = fmt.Errorf("the log was replaced: %w", shared.ErrUnknown)
)

// sequenceOf returns the sequence number of a record.
func (r *replica[S, A]) sequenceOf(number int64) int64 { return r.epoch + number*stride }

// versionOf returns the version of the protocol that a record was written in.
func versionOf(r *shared.Record) string {
	version, _, _ := strings.Cut(r.Writer, " ")
	return version
}

// replicate starts following a shared log, and returns once everything that it had is there.
func (s *Server[S, A]) replicate() error {
	if s.options.Log != nil {
		return errTwoLogs
	}
	var name [12]byte
	if _, err := rand.Read(name[:]); err != nil {
		return err
	}
	r := &replica[S, A]{
		log: s.options.Shared, writer: s.protocol.Version + " " + hex.EncodeToString(name[:]), loads: make(chan struct{}, 8),
		mine: map[int64]*entered[S, A]{}, queues: map[string]*queue[S, A]{}, turns: map[string][]turn{}, starved: map[string]time.Time{}, dirty: map[string]bool{},
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	s.replica = r
	err := s.agree()
	if err == nil {
		err = s.readAnew()
	}
	if err != nil {
		r.stop()
		return err
	}
	s.background(s.follow)
	s.background(s.tidy)
	s.mu.Lock()
	for err = errMoved; errors.Is(err, errMoved); {
		err = s.waitFor(r.ctx, func() bool { return r.followed >= r.until })
	}
	s.mu.Unlock()
	if err != nil {
		r.stop()
	}
	return err
}

// background runs f on another goroutine, for which Close waits.
func (s *Server[S, A]) background(f func()) {
	s.replica.running.Add(1)
	go func() {
		defer s.replica.running.Done()
		f()
	}()
}

// agree states the version of the protocol in the log, unless it has records of a version that this server cannot read.
func (s *Server[S, A]) agree() error {
	r := s.replica
	for try := 0; ; try++ {
		v, err := shared.Latest(r.ctx, r.log, versionKey)
		if err != nil {
			return err
		}
		version, last := string(v.Data), v.Number
		if version == s.protocol.Version {
			return nil
		}
		if last > 0 && !s.reads(version) {
			return fmt.Errorf("the log was written by version %s, which version %s cannot read", version, s.protocol.Version)
		}
		record := shared.Record{Key: versionKey, Kind: byte(Version), Writer: r.writer, Time: s.millis(), Data: []byte(s.protocol.Version)}
		_, err = r.log.Append(r.ctx, shared.Batch{Records: []shared.Record{record}, If: []shared.Condition{{Key: versionKey, Last: last}}})
		var conflict *shared.ConflictError
		if err != nil && !errors.As(err, &conflict) && !errors.Is(err, shared.ErrUnknown) {
			return err
		}
		if err := s.pause(r.ctx, try); err != nil {
			return err
		}
	}
}

// reads reports whether records of a version can be read.
func (s *Server[S, A]) reads(version string) bool {
	return version == s.protocol.Version || s.protocol.translation(version) != nil || s.options.Upgrade != nil
}

// millis returns the time with the precision of logs.
func (s *Server[S, A]) millis() time.Time { return s.options.Limits.Now().Truncate(time.Millisecond) }

// readAnew forgets everything, and takes the channels that the log has, without their states. All clients are disconnected, so
// that they come back and get states.
func (s *Server[S, A]) readAnew() error {
	r := s.replica
	end, err := r.log.End(r.ctx)
	if err != nil {
		return err
	}
	if end.Epoch < 0 || end.Number < 0 || end.Number > (maxNumber-end.Epoch)/stride {
		return fmt.Errorf("position %d of epoch %d: %w", end.Number, end.Epoch, errNoNumbers)
	}
	heads := map[string]shared.Record{}
	err = r.log.Heads(r.ctx, func(h shared.Record) error {
		if name, ok := strings.CutPrefix(h.Key, channelKey); ok && Kind(h.Kind) != ChannelGone {
			heads[name] = h
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.connected() {
		s.part(c)
		c.peer.End(errAnew)
	}
	for _, e := range r.mine {
		e.proposal.resolve(errMoved)
	}
	s.channels, s.known = map[string]*channel[S]{}, map[string]*known{}
	for name, h := range heads {
		s.channels[name] = &channel[S]{name: name, copied: copied{number: h.Number, whole: Kind(h.Kind) == ChannelState, stub: true}}
	}
	clear(r.mine)
	clear(r.turns)
	clear(r.dirty)
	r.epoch, r.until, r.warm = end.Epoch, end.Number, false
	r.generation++
	s.window, s.bytes = nil, 0
	for _, l := range s.lists {
		l.channels = 0
	}
	s.fillFrom(max(0, end.Number-int64(s.options.Limits.Window)))
	if s.lists != nil {
		s.background(s.warmLists)
	}
	return nil
}

var errAnew = &rpc.Error{Code: int64(rpc.InternalError), Message: "the server starts again from its log"}

// fillFrom lets the window begin after a record. The caller must hold the lock.
func (s *Server[S, A]) fillFrom(number int64) {
	r := s.replica
	r.followed, s.sequence = number, r.sequenceOf(number)
	s.forgotten = s.sequence
	s.out.room.Broadcast()
}

// follow applies the records of the log until the server ends.
func (s *Server[S, A]) follow() {
	r := s.replica
	for try := 0; ; {
		s.mu.Lock()
		from := shared.Position{Epoch: r.epoch, Number: r.followed}
		s.mu.Unlock()
		err := r.log.Follow(r.ctx, from, s.take)
		if r.ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		filling, progress := r.followed < r.until, r.followed > from.Number
		var moved *shared.MovedError
		switch {
		case !errors.As(err, &moved):
			s.failShared(err)
			s.mu.Unlock()
			return
		case moved.Trimmed && filling:
			s.fillFrom(r.followed + (r.until-r.followed+1)/2)
			s.mu.Unlock()
			continue
		}
		s.mu.Unlock()
		if try++; progress {
			try = 0
		}
		for err = s.readAnew(); err != nil && s.pause(r.ctx, try) == nil; err = s.readAnew() {
			s.options.OnError(fmt.Errorf("read the log anew: %w", err))
			try++
		}
		if s.pause(r.ctx, try) != nil {
			return
		}
	}
}

// failShared ends the server. The caller must hold the lock.
func (s *Server[S, A]) failShared(err error) {
	if s.closed == nil {
		s.fail(err)
	}
	s.replica.stop()
	s.out.room.Broadcast()
}

// waitFor waits until something is true, of which the waiting are notified after each record. The caller must hold the lock.
func (s *Server[S, A]) waitFor(ctx context.Context, ok func() bool) error {
	r := s.replica
	wake := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.out.room.Broadcast()
	}
	defer context.AfterFunc(ctx, wake)()
	if ctx != r.ctx {
		defer context.AfterFunc(r.ctx, wake)()
	}
	for generation := r.generation; !ok(); {
		switch {
		case ctx.Err() != nil && ctx != r.ctx:
			return rpc.ContextError(ctx)
		case r.ctx.Err() != nil:
			return cmp.Or(s.closed, ErrClosed)
		case generation != r.generation:
			return errMoved
		}
		s.out.room.Wait()
	}
	return nil
}

// reach waits until the log was applied up to a number.
func (s *Server[S, A]) reach(ctx context.Context, number int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waitFor(ctx, func() bool { return s.replica.followed >= number })
}

// bounded returns a context that also ends with the server.
func (s *Server[S, A]) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.replica == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.replica.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// catchUp waits until the last record of a key was applied.
func (s *Server[S, A]) catchUp(ctx context.Context, key string) (last int64, err error) {
	err = s.patiently(ctx, func() (err error) {
		last, err = s.replica.log.Last(ctx, key)
		return err
	})
	if err != nil {
		return 0, err
	}
	return last, s.reach(ctx, last)
}

// patiently repeats what reads the log while that fails, for some time: its engine may be about to return.
func (s *Server[S, A]) patiently(ctx context.Context, read func() error) error {
	for try, start := 0, time.Now(); ; try++ {
		err := read()
		var moved *shared.MovedError
		if err == nil || errors.As(err, &moved) || errors.Is(err, shared.ErrClosed) || time.Since(start) > patience || s.pause(ctx, try) != nil {
			return err
		}
	}
}

// patience is how long reading the log may fail.
const patience = 10 * time.Second

// closeShared gives proposals that are under way some time, and stops following the log.
func (s *Server[S, A]) closeShared() {
	r := s.replica
	if r == nil {
		return
	}
	limit, cancel := context.WithTimeout(r.ctx, closeFor)
	defer cancel()
	s.mu.Lock()
	_ = s.waitFor(limit, func() bool { return len(r.queues) == 0 })
	r.stop()
	s.out.room.Broadcast()
	s.mu.Unlock()
	r.running.Wait()
}

// closeFor bounds how long Close waits for the log.
const closeFor = 5 * time.Second
