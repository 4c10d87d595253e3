// Batches: several messages that come as one, and the answers that go back as one.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Batching says that the messages of a protocol may come as batches: arrays of them.
type Batching struct {
	Alone []string // requests that must not be in a batch
}

// maxBatch is how many messages a batch may have where nothing else is said.
const maxBatch = 1024

// alone reports whether a message must not be in a batch.
func (t *Table) alone(m *Message) bool {
	return t.Batches != nil && m.Kind == Request && slices.Contains(t.Batches.Alone, m.Method)
}

// readBatch decodes a batch, but not what is in it.
func (m *Message) readBatch(d *wire.Decoder, t *Table) {
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

// split returns the messages of a batch as they came. One of too many is refused as a whole, before anything is kept of it.
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

func each(batch json.RawMessage, f func(json.RawMessage)) {
	d := wire.NewDecoder(batch)
	for more := d.Array(); more; more = d.NextItem() {
		f(d.Slice())
	}
}

func invalidRequest(reason string) *Error {
	return &Error{Code: int64(InvalidRequest), Message: reason}
}

// decodeInBatch decodes a message of a batch. One that cannot be handled has no kind, and the error to answer with.
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

// refusal is the answer to a message that could not be decoded. Where its id cannot be told, null stands for that. It is
// not ok if there is to be none: nothing answers an answer.
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

// receiveBatch brings the messages of a batch into the inbox, and reports whether they are wanted.
func (s *server) receiveBatch(m *Message) bool {
	parts, err := split(m.Params, s.peer.options.MaxBatch)
	if err != nil {
		return s.receive(Message{DecodeError: err}, int64(len(m.Params)))
	}
	answers := &batch{}
	messages := make([]Message, len(parts))
	for i, data := range parts {
		messages[i] = decodeInBatch(s.handler, data)
		messages[i].batch = answers
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

// batch collects the answers to the messages of a batch, until all are there.
type batch struct {
	mu      sync.Mutex // guards what follows
	open    int        // answers that are not there
	answers []byte     // an array without its end
	size    int64      // of the answers alone
	turns   []*turn    // of which these are the answers
}

// add adds the answer of a turn. With the last one all of them go to the peer.
func (b *batch) add(t *turn, answer Message) {
	if !b.put(t, answer) {
		return
	}
	t.server.held.Add(-b.size) // from now on they count in the queue
	if len(b.answers) > 0 {
		if all := append(b.answers, ']'); errors.Is(t.send(all), errTooMuch) {
			_ = t.server.peer.Send(all)
		}
	}
	for _, answered := range b.turns {
		answered.settle(t)
	}
}

// put adds the answer of a turn, and reports whether it is the last one.
func (b *batch) put(t *turn, answer Message) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, held := encoded(answer), &t.server.held
	size := int64(len(data))
	if held.Add(size) > t.server.peer.options.MaxUnsent && len(b.answers) > 0 {
		data = encoded(Message{Kind: Failure, ID: answer.ID, Error: internal(errors.New("the answers to the batch are too large"))})
		held.Add(int64(len(data)) - size)
		size = int64(len(data))
	}
	b.size += size
	if data != nil {
		b.answers = append(append(b.answers, separator(len(b.answers))), data...)
	}
	b.turns = append(b.turns, t)
	b.open--
	return b.open == 0
}

// separator is what stands before an item of an array, of which there are so many bytes.
func separator(before int) byte {
	if before == 0 {
		return '['
	}
	return ','
}

// dispatchBatch has a handler handle the messages of a batch, one after the other.
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
			answers = append(append(answers, separator(len(answers))), encoded(answer)...)
		}
	}
	if answers == nil {
		return Message{}, false
	}
	return Message{Kind: Batch, Params: append(answers, ']')}, true
}
