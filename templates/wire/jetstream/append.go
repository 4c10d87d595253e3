// Append: one message, or an atomic batch.

package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Headers of the server that the client library has no functions for.
const (
	batchID       = "Nats-Batch-Id"
	batchSequence = "Nats-Batch-Sequence"
	batchCommit   = "Nats-Batch-Commit"
	lastOfSubject = "Nats-Expected-Last-Subject-Sequence"
	whichSubject  = "Nats-Expected-Last-Subject-Sequence-Subject"
	lastOfStream  = "Nats-Expected-Last-Sequence"
)

// maxHeader is what the server takes as headers, less what it adds.
const maxHeader = 60_000

// errBusy means that nothing was stored, and that trying again helps.
var errBusy = errors.New("the engine cannot take a batch now")

// errConflict means that a condition does not hold.
type errConflict struct{ last int64 }

func (*errConflict) Error() string { return "conflict" }

// subject returns the subject of a key.
func (l *Log) subject(key string) string { return l.o.Name + ".r." + token(key) }

// system returns a subject of the log's own records.
func (l *Log) system(name string) string { return l.o.Name + ".s." + name }

// Append implements [shared.Log].
func (l *Log) Append(ctx context.Context, b shared.Batch) (first int64, err error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	messages, err := l.messages(b)
	if err != nil {
		return 0, err
	}
	var known shared.Position
	last := int64(0)
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		known = l.seen().Position
		last, err = l.publish(ctx, messages)
		if !errors.Is(err, errBusy) {
			break
		}
		if !sleep(ctx, wait) {
			return 0, ended(ctx, err)
		}
	}
	var conflict *errConflict
	switch {
	case errors.As(err, &conflict):
		return 0, l.conflict(ctx, b.If, conflict.last)
	case err != nil:
		return 0, err
	}
	l.stored(known, last)
	return last - int64(len(b.Records)) + 1, nil
}

// messages returns the messages of a batch, with its conditions. A message carries one condition at most, and a condition on a
// subject has to come before what the batch writes there. What is left over goes to messages of its own, before the others.
func (l *Log) messages(b shared.Batch) ([]*nats.Msg, error) {
	limits := l.Limits()
	if len(b.Records) == 0 {
		return nil, errors.New("a batch without records")
	}
	list := make([]*nats.Msg, len(b.Records))
	first := map[string]int{}
	for i, r := range b.Records {
		if size(r) > limits.Record {
			return nil, fmt.Errorf("record %d: %w: %d bytes, more than %d", i, shared.ErrTooLarge, size(r), limits.Record)
		}
		list[i] = message(l.subject(r.Key), r)
		if n := headerSize(list[i]); n > maxHeader || n+len(r.Data) > int(l.nc.MaxPayload()) {
			return nil, fmt.Errorf("record %d: %w: its key and writer take %d bytes as headers", i, shared.ErrTooLarge, n)
		}
		if _, ok := first[r.Key]; !ok {
			first[r.Key] = i
		}
	}
	var others []shared.Condition
	for _, c := range b.If {
		if i, ok := first[c.Key]; ok {
			list[i].Header.Set(lastOfSubject, strconv.FormatInt(c.Last, 10))
		} else {
			others = append(others, c)
		}
	}
	for _, m := range list {
		if len(others) > 0 && m.Header.Get(lastOfSubject) == "" {
			l.expect(m, others[0])
			others = others[1:]
		}
	}
	var before []*nats.Msg
	for _, c := range others {
		m := &nats.Msg{Subject: l.system("note"), Header: nats.Header{}}
		l.expect(m, c)
		before = append(before, m)
	}
	list = slices.Concat(before, list)
	if len(list) > maxMessages {
		return nil, fmt.Errorf("%w: %d messages, more than %d", shared.ErrTooLarge, len(list), maxMessages)
	}
	return list, nil
}

// expect adds a condition on another subject.
func (l *Log) expect(m *nats.Msg, c shared.Condition) {
	m.Header.Set(lastOfSubject, strconv.FormatInt(c.Last, 10))
	m.Header.Set(whichSubject, l.subject(c.Key))
}

// headerSize returns the bytes of a message's headers, with those of a batch and a condition.
func headerSize(m *nats.Msg) int {
	n := 300 + maxToken + len(m.Subject)
	for key, values := range m.Header {
		for _, v := range values {
			n += len(key) + len(v) + 4
		}
	}
	return n
}

// publish stores messages, and returns the number of the last one.
func (l *Log) publish(ctx context.Context, list []*nats.Msg) (last int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.o.Timeout)
	defer cancel()
	if len(list) > 1 {
		select {
		case l.open <- struct{}{}:
			defer func() { <-l.open }()
		case <-ctx.Done():
			return 0, errBusy
		}
		id := rand.Text()
		for i, m := range list {
			m.Header.Set(batchID, id)
			m.Header.Set(batchSequence, strconv.Itoa(i+1))
			if i == len(list)-1 {
				m.Header.Set(batchCommit, "1")
			} else if err := l.nc.PublishMsg(m); err != nil { // without the last one, nothing is stored
				return 0, fmt.Errorf("publish: %w", err)
			}
		}
	}
	reply, err := l.nc.RequestMsgWithContext(ctx, list[len(list)-1])
	if errors.Is(err, nats.ErrMaxPayload) {
		return 0, shared.ErrTooLarge
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w", shared.ErrUnknown, err)
	}
	return judge(reply.Data, len(list))
}

// answer is the answer to a message that is published.
type answer struct {
	Error *struct {
		Code        int    `json:"code"`
		ErrCode     int    `json:"err_code"`
		Description string `json:"description"`
	} `json:"error"`
	Seq   int64 `json:"seq"`
	Count int   `json:"count"`
}

// judge returns what became of messages. What is not known to be an answer that leaves nothing stored is unknown: the same number
// may be about several things, so the text counts too.
func judge(data []byte, count int) (last int64, err error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return 0, fmt.Errorf("%w: %w", shared.ErrUnknown, err)
	}
	if a.Error == nil {
		if a.Seq <= 0 || count > 1 && a.Count != count {
			return 0, fmt.Errorf("%w: the engine answered %.200q", shared.ErrUnknown, data)
		}
		return a.Seq, nil
	}
	text := a.Error.Description
	is := func(code int, start string) bool { return a.Error.ErrCode == code && strings.HasPrefix(text, start) }
	switch {
	case is(10071, "wrong last sequence"), is(10164, "wrong last sequence"):
		last, err := strconv.ParseInt(strings.TrimPrefix(text, "wrong last sequence: "), 10, 64)
		if err != nil {
			last = -1
		}
		return 0, &errConflict{last}
	case is(10077, "maximum bytes exceeded"), is(10002, "resource limits exceeded"), is(10047, "insufficient storage"), is(10023, "insufficient resources"):
		return 0, fmt.Errorf("%w: %s", shared.ErrFull, text)
	case is(10054, "message size exceeds"), is(10097, "header size exceeds"), is(10199, "atomic publish batch is too large"):
		return 0, fmt.Errorf("%w: %s", shared.ErrTooLarge, text)
	case is(10210, "atomic publish too many"), is(10176, "atomic publish batch is incomplete"):
		return 0, fmt.Errorf("%w: %s", errBusy, text)
	}
	return 0, fmt.Errorf("%w: %s (%d)", shared.ErrUnknown, text, a.Error.ErrCode)
}

// conflict finds out which of several conditions does not hold.
func (l *Log) conflict(ctx context.Context, conditions []shared.Condition, last int64) error {
	if len(conditions) == 1 {
		return &shared.ConflictError{Key: conditions[0].Key, Last: last}
	}
	for _, c := range conditions {
		if now, err := l.Last(ctx, c.Key); err != nil {
			break
		} else if now != c.Last {
			return &shared.ConflictError{Key: c.Key, Last: now}
		}
	}
	return &shared.ConflictError{Last: -1}
}
