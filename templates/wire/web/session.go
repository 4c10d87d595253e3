// Sessions: the transport of one, and the messages that its streams keep.

package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// session is an [rpc.Transport] made of HTTP requests.
type session struct {
	id     string
	who    rpc.Principal
	limit  int64
	in     chan []byte
	cancel context.CancelFunc // of the context of Serve
	ended  chan struct{}

	mu       sync.Mutex // guards the following fields and those of streams
	closed   bool
	own      bool // by Close
	requests int  // HTTP requests being handled
	idle     time.Duration
	timer    *time.Timer
	general  *stream
	streams  []*stream          // in the order of their beginning, without the general one
	waiting  map[string]*stream // by the id of a request that is not answered
	scopes   map[string]*stream // of a session whose answers are deferred; nil otherwise
	unscoped map[string]bool    // ids of requests whose answers may come on the general stream instead
	dialect  *Dialect
	last     int           // number of the last stream
	kept     int64         // bytes of messages kept
	reason   []byte        // the message that says why the session ends, or nil
	maxBatch int           // of the peer, or 0 if that is not known
	room     chan struct{} // closed when messages were sent or dropped
}

// stream is the messages that belong to the requests of one body, or to none. Messages are numbered from 1.
type stream struct {
	number    int
	messages  [][]byte // from the number first on; nil if dropped
	first     int
	unsent    int // number of the first that was not sent
	open      int // requests that are not answered
	opens     bool
	lasting   bool // it goes on after the answers
	done      bool // there will be no more
	abandoned bool // the messages can no longer be requested
	turn      int  // who sends, since a client may have another connection before the old one is known to be cut
	attached  bool
	leave     bool          // the HTTP request ends once the messages are sent
	wake      chan struct{} // closed when something changes
	sender    *sending      // over a connection that was taken over, or nil
}

func newSession(id string, who rpc.Principal, limit int64) *session {
	return &session{
		id: id, who: who, limit: limit, in: make(chan []byte), ended: make(chan struct{}), requests: 1,
		general: newStream(0), waiting: map[string]*stream{}, room: make(chan struct{}),
	}
}

func newStream(number int) *stream {
	return &stream{number: number, first: 1, unsent: 1, wake: make(chan struct{})}
}

// change wakes the goroutines that wait for the stream. The caller must hold the lock.
func (st *stream) change() {
	close(st.wake)
	st.wake = make(chan struct{})
	if st.sender != nil {
		st.sender.taken.push(st.sender)
	}
}

// idleAfter ends the session when it has no requests for some time.
func (s *session) idleAfter(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = d
	s.timer = time.AfterFunc(d, func() {
		s.mu.Lock()
		idle := s.requests == 0
		s.mu.Unlock()
		if idle {
			s.end()
		}
	})
	s.timer.Stop()
}

// hold counts an HTTP request. It reports false if the session has ended.
func (s *session) hold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.requests++
	s.timer.Stop()
	return true
}

func (s *session) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests--; s.requests == 0 && !s.closed {
		s.timer.Reset(s.idle)
	}
}

// end ends the session.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.timer.Stop()
		close(s.ended)
		for _, st := range s.all() {
			st.change()
		}
	}
}

// put hands a message to the reader.
func (s *session) put(ctx context.Context, data []byte) bool {
	select {
	case s.in <- data:
		return true
	case <-s.ended:
	case <-ctx.Done():
	}
	return false
}

// Read implements [rpc.Transport].
func (s *session) Read(limit int64) ([]byte, error) {
	select {
	case data := <-s.in:
		return within(data, limit)
	case <-s.ended:
		return nil, s.cause()
	}
}

// within refuses a message that is too large. It is not part of Read, whose stack stays small so while it waits.
//
//go:noinline
func within(data []byte, limit int64) ([]byte, error) {
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: a message of more than %d bytes", rpc.ErrTooLarge, limit)
	}
	return data, nil
}

// cause returns why there is nothing more to read.
func (s *session) cause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own {
		return rpc.ErrClosed
	}
	return io.EOF
}

// Immediate implements [rpc.Immediate].
func (s *session) Immediate() {}

// SetMaxBatch tells how many messages of a batch the peer takes.
func (s *session) SetMaxBatch(limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maxBatch = limit
}

// tooMany returns the error for a batch that the peer does not take, or nil.
func (s *session) tooMany(messages int) *rpc.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.maxBatch == 0 || messages <= s.maxBatch {
		return nil
	}
	return &rpc.Error{Code: int64(rpc.InvalidRequest), Message: fmt.Sprintf("a batch of %d messages, where %d are taken", messages, s.maxBatch)}
}

// AnswersAll says that a request which was cancelled is answered as well, since the HTTP request that it came with waits for that.
func (s *session) AnswersAll() {}

// Close implements [rpc.Transport]. What was written is still sent.
func (s *session) Close(string) error {
	s.mu.Lock()
	s.own = s.own || !s.closed
	s.mu.Unlock()
	s.end()
	return nil
}

var errBehind = errors.New("the client does not read its messages")

// batched lets answers to a batch be decoded.
var batched = &spec.Table{Batches: &spec.Batching{}}

// Write implements [rpc.Transport].
func (s *session) Write(ctx context.Context, message []byte) error {
	m, err := rpc.Decode(message, batched)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	answer := m.Kind == rpc.Result || m.Kind == rpc.Failure || m.Kind == rpc.Batch
	s.mu.Lock()
	defer s.mu.Unlock()
	id := string(rpc.RequestOf(ctx))
	if id == "" && answer {
		id = string(m.ID)
	}
	if answer && ends(&m) {
		s.reason = append([]byte(nil), message...)
	}
	st := s.waiting[id]
	if s.scopes != nil && answer {
		st = s.elsewhere(id, st)
	} else if s.scopes != nil {
		if st = s.scope(s.dialect.scope(&m)); st == nil {
			return errScopes
		}
		st.open++ // so that it stays while this waits for room
		defer func() { st.open-- }()
	}
	switch {
	case st == nil && answer && ends(&m):
		st, answer = s.general, false
	case st == nil && answer:
		return nil // the answer to a malformed message, for which no request waits
	case st == nil:
		st = s.general
	}
	if err := s.wait(ctx, st, int64(len(message))); err != nil {
		return err
	}
	if !st.abandoned {
		st.messages = append(st.messages, append([]byte(nil), message...))
		s.kept += int64(len(message))
	}
	if answer {
		s.answered(st, id, &m)
	}
	st.change()
	return nil
}

// ends reports whether a message says why the connection ends, as that of [rpc.Peer.End] does.
func ends(m *rpc.Message) bool {
	if m.Error == nil || string(m.ID) != "null" {
		return false
	}
	_, ok := at(m.Error.Data, "ended")
	return ok
}

// answered notes that a request is answered. The caller must hold the lock.
func (s *session) answered(st *stream, id string, m *rpc.Message) {
	if m.Kind == rpc.Batch || string(m.ID) == "null" && !st.lasting { // of all requests of a body
		for other, same := range s.waiting {
			if same == st {
				delete(s.waiting, other)
			}
		}
		st.open = 0
	} else {
		delete(s.waiting, id)
		st.open--
	}
	if st.open > 0 || st.lasting {
		return
	}
	st.done = true
	if st.opens && m.Kind == rpc.Failure {
		go s.end() // there is no session
	}
}

// resumed is how long a stream that was cut keeps others waiting, if there is no room, until its client resumes it.
const resumed = 3 * time.Second

// wait makes room for a message, or waits until a client has read enough. The caller must hold the lock.
func (s *session) wait(ctx context.Context, st *stream, size int64) error {
	var cut <-chan time.Time
	var timer *time.Timer
	defer func() {
		if timer != nil {
			timer.Stop()
		}
	}()
	for {
		s.tidy(size)
		switch {
		case s.kept == 0 || s.kept+size <= s.limit || s.closed:
			return nil
		case s.scopes == nil && s.dropUnread(st):
			continue
		case s.scopes == nil && st.deserted() && timer == nil:
			timer = time.NewTimer(resumed)
			cut = timer.C
		}
		room := s.room
		s.mu.Unlock()
		var err error
		late := false
		select {
		case <-room:
		case <-s.ended:
		case <-cut:
			late, cut = true, nil
		case <-ctx.Done():
			err = errBehind
		}
		s.mu.Lock()
		if err != nil {
			return err
		}
		if late && st.deserted() {
			s.forget(st)
		}
	}
}

// deserted reports whether a stream was sent, and its client is there no more.
func (st *stream) deserted() bool { return st.turn > 0 && !st.attached }

// dropUnread drops something that no client is there to read, for a message of a stream: a stream that is done, the oldest first,
// then a message that belongs to no request, then another stream. It reports whether there was any. The caller must hold the lock.
func (s *session) dropUnread(st *stream) bool {
	first := func(is func(*stream) bool) *stream {
		if i := slices.IndexFunc(s.streams, is); i >= 0 {
			return s.streams[i]
		}
		return nil
	}
	old := first(func(old *stream) bool { return old.done && old.deserted() })
	if old == nil && !s.general.attached && len(s.general.messages) > 0 {
		s.drop(s.general)
		return true
	}
	if old == nil {
		old = first(func(old *stream) bool { return old != st && old.deserted() && len(old.messages) > 0 })
	}
	if old == nil {
		return false
	}
	s.forget(old)
	return true
}

// all returns all streams whose messages are kept. The caller must hold the lock.
func (s *session) all() []*stream { return append(slices.Clone(s.streams), s.general) }

// tidy drops what was sent, the oldest first, until there is room. The caller must hold the lock.
func (s *session) tidy(size int64) {
	for i := 0; i < len(s.streams) && s.kept+size > s.limit; i++ {
		if old := s.streams[i]; old.done && old.unsent >= old.first+len(old.messages) {
			s.kept -= old.bytes()
			old.messages, old.abandoned = nil, true
			s.streams = append(s.streams[:i], s.streams[i+1:]...)
			i--
		}
	}
	for _, old := range s.all() {
		for s.kept+size > s.limit && old.first < old.unsent {
			s.drop(old)
		}
	}
}

// drop drops the oldest message of a stream. The caller must hold the lock.
func (s *session) drop(st *stream) {
	if len(st.messages) == 0 {
		return
	}
	s.kept -= int64(len(st.messages[0]))
	st.messages[0] = nil
	st.messages = st.messages[1:]
	st.first++
	st.unsent = max(st.unsent, st.first)
}

func (st *stream) bytes() (n int64) {
	for _, m := range st.messages {
		n += int64(len(m))
	}
	return n
}

// maxStreams limits the streams of a session that are kept to be resumed.
const maxStreams = 64

// expect begins the stream of the answers to requests. It is nil if one of them has an id that is in use.
func (s *session) expect(ids []string, opens bool) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	st := newStream(s.last)
	st.open, st.opens = len(ids), opens
	for i, id := range ids {
		if s.waiting[id] != nil {
			for _, mine := range ids[:i] {
				delete(s.waiting, mine)
			}
			return nil
		}
		s.waiting[id] = st
	}
	s.streams = append(s.streams, st)
	for i := 0; i < len(s.streams) && len(s.streams) > maxStreams; i++ {
		if old := s.streams[i]; old.done && old.deserted() { // any other is about to be sent
			s.forget(old)
			i--
		}
	}
	return st
}

// only returns the answer to all requests of a stream if that is its only message, or whatever came before it if alone is set.
// Otherwise several reports whether there is something to send on a stream.
func (s *session) only(st *stream, alone bool) (answer []byte, wake <-chan struct{}, several bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(st.messages)
	if st.done && n > 0 && (n == 1 || alone) {
		answer = st.messages[n-1]
		s.forget(st)
		return answer, nil, false
	}
	return nil, st.wake, (n > 0 || st.leave) && !alone
}

// abandon drops the messages of a stream that cannot be resumed.
func (s *session) abandon(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(st)
}

// forget does not keep a stream and its messages any more. The caller must hold the lock.
func (s *session) forget(st *stream) {
	st.abandoned = true
	s.kept -= st.bytes()
	st.messages = nil // so that they are subtracted once
	for i, other := range s.streams {
		if other == st {
			s.streams = append(s.streams[:i], s.streams[i+1:]...)
			break
		}
	}
	s.freed()
}

// freed wakes a writer that waits for room. The caller must hold the lock.
func (s *session) freed() {
	close(s.room)
	s.room = make(chan struct{})
}
