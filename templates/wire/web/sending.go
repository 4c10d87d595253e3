// Sending: who sends the messages of a stream, and which are next.

package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// eventID returns the id of a message, which tells its stream too.
func eventID(st *stream, number int) string {
	return strconv.Itoa(st.number) + "-" + strconv.Itoa(number)
}

// resume returns the stream of an event, and the number of the event. It is nil if not all that follows is kept.
func (s *session) resume(id string) (*stream, int) {
	name, place, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(name)
	if err != nil {
		return nil, 0
	}
	at, err := strconv.Atoi(place)
	if err != nil || at < 0 {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.all() {
		if st.number == number && at >= st.first-1 && at < st.first+len(st.messages) {
			return st, at
		}
	}
	return nil, 0
}

// attach makes the caller the one who sends a stream. It returns the number of the message to begin with.
func (s *session) attach(st *stream, after int) (turn, next int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.turn++
	st.attached = true
	st.change() // ends the request that sent it
	st.sender = nil
	if after < 0 {
		return st.turn, st.unsent
	}
	return st.turn, after + 1
}

func (s *session) detach(st *stream, turn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.turn == turn {
		st.attached, st.sender = false, nil
	}
	s.freed()
}

// next takes the message to send next, or returns nil to wait. There are no more if the stream is done, or sent by somebody
// else.
func (s *session) next(st *stream, turn, number int) (message []byte, wake <-chan struct{}, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := number - st.first
	switch {
	case st.turn != turn || at < 0:
		return nil, nil, false
	case at < len(st.messages):
		st.unsent = max(st.unsent, number+1)
		s.freed()
		return st.messages[at], nil, true
	}
	return nil, st.wake, !st.done
}

// EndStream ends the HTTP request that waits for the answer to the request of a handler's context, so that nothing has to stay
// open while a handler takes long. The transport is that of [Sessions.Serve]. The client resumes the stream and then gets the
// answer, or does not get it if it never comes back: so nothing happens where it cannot resume.
func EndStream(ctx context.Context, t rpc.Transport) {
	s, ok := t.(*session)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.waiting[string(rpc.RequestOf(ctx))]; st != nil {
		st.leave = true
		st.change()
	}
}

// left reports whether the HTTP request for a stream is to end, once.
func (s *session) left(st *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	leave := st.leave
	st.leave = false
	return leave
}

// why returns the message that says why the session ends, or nil.
func (s *session) why() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

// remembered returns what is left of a session that has ended.
func (s *session) remembered() *session {
	return &session{id: s.id, who: s.who, reason: s.why(), closed: true}
}

// refuseEnded answers a request of a session that there is no more, with the reason if there is one.
func refuseEnded(w http.ResponseWriter, text string, reason []byte) {
	if reason == nil {
		refuse(w, http.StatusNotFound, text)
		return
	}
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(reason) // the client may have gone
}

// unanswered returns error answers to the requests that a stream still has to answer although the session has ended.
func (s *session) unanswered(st *stream) (answers [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	why := &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "the session has ended"}
	if m, err := rpc.Decode(s.reason, nil); err == nil {
		why = m.Error
	}
	for _, id := range slices.Sorted(maps.Keys(s.waiting)) {
		if s.waiting[id] != st {
			continue
		}
		delete(s.waiting, id)
		st.open--
		m := rpc.Message{Kind: rpc.Failure, ID: json.RawMessage(id), Error: why}
		if data, err := m.AppendJSON(nil); err == nil {
			answers = append(answers, data)
		}
	}
	return answers
}

// last sends the answers that the session does not give any more.
func (v *sending) last() {
	for _, answer := range v.s.unanswered(v.st) {
		_ = v.out.event("", answer) // the client may have gone
	}
}

// unsend notes that a message could not be sent.
func (s *session) unsend(st *stream, turn, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.turn == turn {
		st.unsent = max(min(st.unsent, number), st.first)
	}
}

// pending reports whether a stream of a session that has ended has more to send.
func (s *session) pending(st *stream, number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return number < st.first+len(st.messages)
}

// sending is a stream on its way to a client.
type sending struct {
	out          *sink
	s            *session
	st           *stream
	turn, next   int
	named, prime bool
	taken        *taken // the connection, if it is not the HTTP server's any more
}

// sending begins to send the messages of a stream after one, or with the first that is not sent if from is negative.
func (h *Sessions) sending(out *sink, s *session, st *stream, from int, prime bool) *sending {
	v := &sending{out: out, s: s, st: st, named: h.Dialect.LastEvent != "", prime: prime}
	v.turn, v.next = s.attach(st, from)
	out.watch()
	switch {
	case prime && v.named:
		_ = out.prime(eventID(st, 0), h.Retry)
	case v.named && st.lasting:
		_ = out.place(eventID(st, v.next-1))
	case v.named && h.Retry > 0:
		_ = out.prime("", h.Retry)
	default:
		_ = out.begin()
	}
	return v
}

// send sends what there is. It returns what to wait for, or false if there will be no more.
func (v *sending) send() (wake <-chan struct{}, more bool) {
	for {
		message, wake, more := v.s.next(v.st, v.turn, v.next)
		if !more || message == nil && v.named && (v.prime || v.next > 1) && v.s.left(v.st) {
			return nil, false
		}
		if message == nil {
			return wake, true
		}
		id := ""
		if v.named {
			id = eventID(v.st, v.next)
		}
		if v.out.event(id, message) != nil {
			v.s.unsend(v.st, v.turn, v.next)
			return nil, false
		}
		v.next++
	}
}

// stream sends the messages of a stream until it ends, or the request.
func (h *Sessions) stream(out *sink, r *http.Request, s *session, st *stream, from int, prime bool) {
	v := h.sending(out, s, st, from, prime)
	defer s.detach(st, v.turn)
	for {
		wake, more := v.send()
		if !more {
			return
		}
		select {
		case <-wake:
		case <-s.ended:
			if !s.pending(st, v.next) {
				v.last()
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
