// Batches: messages in JSON arrays, and their combined answers.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// maxBatch is the default limit on messages in a batch.
const maxBatch = 1024

// alone reports whether a message must not be in a batch.
func alone(t *spec.Table, m *Message) bool {
	return t.Batches != nil && m.Kind == Request && slices.Contains(t.Batches.Alone, m.Method)
}

// readBatch decodes the frame of a batch, but not its messages.
func (m *Message) readBatch(d *wire.Decoder, t *spec.Table) {
	if t.Batches == nil {
		d.Failf("want object, got array: batches are not supported")
		return
	}
	start := d.Offset()
	m.Kind, m.Params = Batch, d.Slice()
	inside := wire.NewDecoder(m.Params)
	if !d.Failed() && !inside.Array() {
		d.FailAt(start, "a batch without messages")
	}
}

// split returns the undecoded messages of a batch. A batch that is too large is refused as a whole.
func split(batch json.RawMessage, limit int) ([]json.RawMessage, error) {
	count := 0
	each(batch, func(json.RawMessage) { count++ })
	if count > limit {
		return nil, invalidRequest("a batch of " + strconv.Itoa(count) + " messages, where " + strconv.Itoa(limit) + " are taken")
	}
	messages := make([]json.RawMessage, 0, count)
	each(batch, func(raw json.RawMessage) { messages = append(messages, raw) })
	return messages, nil
}

// firstRequest returns the id of the first request in a batch, or nil.
func firstRequest(h Handler, batch json.RawMessage) (id json.RawMessage) {
	each(batch, func(raw json.RawMessage) {
		if id == nil {
			if m, err := h.DecodeRPC(raw); err == nil && m.Kind == Request {
				id = m.ID
			}
		}
	})
	return id
}

func each(batch json.RawMessage, f func(json.RawMessage)) {
	d := wire.NewDecoder(batch)
	for more := d.Array(); more; more = d.NextItem() {
		f(d.Slice())
	}
}

func invalidRequest(reason string) *Error {
	return &Error{Code: int64(InvalidRequest), Message: reason}
}

// decodeInBatch decodes a message of a batch. A message that cannot be handled has no kind, and is returned with the
// error to answer.
func decodeInBatch(h Handler, data json.RawMessage) Message {
	m, err := h.DecodeRPC(data)
	switch {
	case err != nil:
		return m.malformed(err)
	case m.Kind == Batch:
		return Message{DecodeError: invalidRequest("a batch in a batch")}
	case m.alone:
		return Message{ID: m.ID, DecodeError: invalidRequest(wire.Readable(m.Method) + " is not to be in a batch")}
	}
	return m
}

// refusal returns the answer to a malformed message, with a null id if its id is unknown. Answers are not answered.
func (m *Message) refusal() (answer Message, ok bool) {
	var bad *Error
	if m.Kind != "" || m.response || !errors.As(m.DecodeError, &bad) {
		return Message{}, false
	}
	id := m.ID
	if id == nil {
		id = null()
	}
	return Message{Kind: Failure, ID: id, Error: bad}, true
}

// receiveBatch puts the messages of a batch into the inbox and reports whether more are wanted.
func (s *server) receiveBatch(m *Message) bool {
	parts, err := split(m.Params, s.peer.options.MaxBatch)
	if err != nil {
		refused := Message{DecodeError: err, first: firstRequest(s.handler, m.Params)}
		if s.peer.observing != nil {
			s.observe(&refused, len(m.Params))
		}
		return s.receive(refused, int64(len(m.Params)))
	}
	answers := &batch{}
	messages := make([]Message, len(parts))
	for i, data := range parts {
		messages[i] = decodeInBatch(s.handler, data)
		messages[i].batch = answers
		if s.peer.observing != nil {
			s.observe(&messages[i], len(data))
		}
		if _, bad := messages[i].refusal(); bad || messages[i].Kind == Request {
			answers.open++
		}
	}
	for i := range messages {
		if !s.receive(messages[i], int64(len(parts[i]))) {
			return false
		}
	}
	return true
}

// batch collects the answers to a batch until it is complete.
type batch struct {
	mu      sync.Mutex // guards the following fields
	open    int        // number of missing answers
	answers []byte     // an unterminated array
	size    int64      // bytes of the answers
	turns   []*turn    // the turns these answer
	notes   []note     // of the answers, if they are observed
}

// add adds the answer of a turn. The last one sends the batch.
func (b *batch) add(t *turn, answer Message) {
	if !b.put(t, answer) {
		return
	}
	t.server.held.Add(-b.size) // now counted in the queue
	if len(b.answers) > 0 {
		all := outgoing{data: append(b.answers, ']'), request: b.request()}
		if b.notes != nil {
			all.note = &note{kind: Batch, parts: b.notes}
		}
		if errors.Is(t.send(all), errTooMuch) {
			_ = t.server.peer.send(all)
		}
	}
	for _, answered := range b.turns {
		answered.settle(t)
	}
}

// request returns the id of one of the requests that are answered, or nil.
func (b *batch) request() json.RawMessage {
	for _, t := range b.turns {
		if t.id != nil {
			return t.id
		}
	}
	return nil
}

// put adds the answer of a turn and reports whether the batch is complete.
func (b *batch) put(t *turn, answer Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.server.peer.order.Lock()
	defer t.server.peer.order.Unlock()
	data, held := t.server.peer.encoded(answer).data, &t.server.held
	size := int64(len(data))
	if held.Add(size) > t.server.peer.options.MaxUnsent && len(b.answers) > 0 {
		answer = Message{Kind: Failure, ID: answer.ID, Method: answer.Method, Error: internal(errors.New("the answers to the batch are too large"))}
		data = t.server.peer.encoded(answer).data
		held.Add(int64(len(data)) - size)
		size = int64(len(data))
	}
	b.size += size
	if t.server.peer.observing != nil && data != nil {
		n := t.noteOf(&answer)
		n.size = len(data)
		b.notes = append(b.notes, *n)
	}
	if data != nil {
		b.answers = append(append(b.answers, separator(len(b.answers))), data...)
	}
	b.turns = append(b.turns, t)
	b.open--
	return b.open == 0
}

// separator returns what precedes an array item, given the bytes so far.
func separator(before int) byte {
	if before == 0 {
		return '['
	}
	return ','
}

// dispatchBatch handles the messages of a batch in order.
func dispatchBatch(ctx context.Context, h Handler, m *Message) (reply Message, ok bool) {
	parts, err := split(m.Params, maxBatch)
	if err != nil {
		return (&Message{DecodeError: err}).refusal()
	}
	var answers []byte
	for _, data := range parts {
		part := decodeInBatch(h, data)
		answer, ok := part.refusal()
		if !ok {
			answer, ok = Dispatch(ctx, h, &part)
		}
		if ok {
			answers = append(append(answers, separator(len(answers))), new(Peer).encoded(answer).data...)
		}
	}
	if answers == nil {
		return Message{}, false
	}
	return Message{Kind: Batch, Params: append(answers, ']')}, true
}
