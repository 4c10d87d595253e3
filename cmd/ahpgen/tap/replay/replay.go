// Package replay plays one side of a recorded conversation to a program, and compares what that says with the other side.
package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
	"github.com/ahpgen/ahpgen/templates/wire/validate"
)

// Message is a message of a recording.
type Message struct {
	N    int
	Time time.Time
	From protocol.Side
	Body []byte
}

// Options say how a side is played.
type Options struct {
	Side   protocol.Side // the one that is played
	Table  *spec.Table
	Timed  bool          // with the pauses of the recording
	AtOnce bool          // without waiting for anything
	Wait   time.Duration // how long to wait for a message of the other side
	Ignore [][]string    // patterns of paths in messages that may differ
}

// Difference is something that the other side says otherwise than in the recording.
type Difference struct {
	N    int    // the recorded message, 0 for one that is not recorded
	What string // the kind, method and id
	Path string
	Text string
}

// key tells messages of the other side apart, so that each is compared with the right one: answers have the id of their
// request, and of others there is the first with a method, the second, and so on.
type key struct {
	kind rpc.Kind
	name string
	nth  int
}

func (k key) String() string {
	switch {
	case k.kind == rpc.Result:
		return "the answer to request " + k.name
	case k.kind == "":
		return "what is no message"
	}
	return string(k.kind) + " " + k.name + " (" + strconv.Itoa(k.nth+1) + ")"
}

// player plays.
type player struct {
	Options
	there    map[key]any             // what has come, or lost
	awaited  []key                   // what has neither come nor been given up
	seen     map[key]int             // numbers of keys
	ids      map[key]json.RawMessage // those of the requests that have come
	incoming chan []byte
	failed   chan lost
}

// lost is a request whose answer will not come.
type lost struct {
	id  string
	err error
}

// Run plays the messages of a recording over a transport, and closes that. It returns the differences in the order of the
// recording. Those in the times and in the order of messages are none.
func Run(ctx context.Context, t rpc.Transport, messages []Message, o Options) ([]Difference, error) {
	p := &player{Options: o, there: map[key]any{}, seen: map[key]int{}, ids: map[key]json.RawMessage{}, incoming: make(chan []byte, 1024), failed: make(chan lost, len(messages))}
	if f, ok := rpc.Find[rpc.Failing](t); ok {
		f.OnFailure(func(id json.RawMessage, err error) { p.failed <- lost{string(id), err} })
	}
	go func() {
		defer close(p.incoming)
		for {
			data, err := t.Read(largest)
			if err != nil {
				return
			}
			p.incoming <- data
		}
	}()
	defer t.Close("")
	expected := map[key]Message{}
	var order []key
	asked := map[string]key{} // the requests of the recording, by their ids
	count := map[key]int{}
	start := time.Now()
	for _, m := range messages {
		if m.From != o.Side {
			k, id := p.key(m.Body, count)
			expected[k] = m
			order, p.awaited = append(order, k), append(p.awaited, k)
			if k.kind == rpc.Request {
				asked[string(id)] = k
			}
			continue
		}
		if !p.AtOnce {
			if err := p.await(ctx); err != nil {
				return nil, err
			}
		}
		if p.Timed {
			sleep(ctx, time.Until(start.Add(m.Time.Sub(messages[0].Time))))
		}
		body, err := p.toTheAsker(m, asked)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", m.N, err)
		}
		if err := t.Write(ctx, body); err != nil {
			return nil, fmt.Errorf("send message %d: %w", m.N, err)
		}
	}
	if err := p.await(ctx); err != nil {
		return nil, err
	}
	p.rest(ctx)
	return p.compare(expected, order), nil
}

// toTheAsker returns an answer with the id that the request has now, and other messages as they are.
func (p *player) toTheAsker(recorded Message, asked map[string]key) ([]byte, error) {
	body := recorded.Body
	m, err := rpc.Decode(body, p.Table)
	if err != nil || m.Kind != rpc.Result && m.Kind != rpc.Failure {
		return body, nil //nolint:nilerr // what is no message is played too
	}
	id, ok := p.ids[asked[string(m.ID)]]
	if !ok || string(id) == string(m.ID) {
		return body, nil
	}
	m.ID = id
	if p.Table.Envelope == nil {
		return m.AppendJSON(nil)
	}
	return m.AppendIn(nil, p.Table.Envelope, uint64(recorded.N)) //nolint:gosec // it counts messages
}

// await waits for the messages that are expected by now. It gives up on those that take too long.
func (p *player) await(ctx context.Context) error {
	late := time.After(p.Wait)
	for {
		p.awaited = slices.DeleteFunc(p.awaited, func(k key) bool { _, ok := p.there[k]; return ok })
		if len(p.awaited) == 0 {
			return nil
		}
		select {
		case data, ok := <-p.incoming:
			if !ok {
				return nil
			}
			p.note(data)
		case l := <-p.failed:
			p.there[key{kind: rpc.Result, name: l.id}] = l
		case <-late:
			p.awaited = nil
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// rest takes what comes beyond what is expected, until there is silence.
func (p *player) rest(ctx context.Context) {
	const silence = 200 * time.Millisecond
	for {
		select {
		case data, ok := <-p.incoming:
			if !ok {
				return
			}
			p.note(data)
		case <-time.After(silence):
			return
		case <-ctx.Done():
			return
		}
	}
}

func (p *player) note(data []byte) {
	k, id := p.key(data, p.seen)
	p.there[k] = inside.DecodeState(data)
	if k.kind == rpc.Request {
		p.ids[k] = slices.Clone(id)
	}
}

// key returns the key of a message, and its id.
func (p *player) key(data []byte, count map[key]int) (key, json.RawMessage) {
	m, err := rpc.Decode(data, p.Table)
	k := key{kind: m.Kind, name: m.Method}
	switch {
	case err != nil:
		k = key{}
	case m.Kind == rpc.Result || m.Kind == rpc.Failure:
		k = key{kind: rpc.Result, name: string(m.ID)}
	}
	n := count[k]
	count[k]++
	k.nth = n
	return k, m.ID
}

func (p *player) compare(expected map[key]Message, order []key) []Difference {
	var out []Difference
	for _, k := range order {
		got, ok := p.there[k]
		if l, failed := got.(lost); failed || !ok {
			text := "missing"
			if failed {
				text = "missing: " + l.err.Error()
			}
			out = append(out, Difference{N: expected[k].N, What: k.String(), Text: text})
			continue
		}
		p.differ(inside.DecodeState(expected[k].Body), got, nil, func(path, text string) {
			if k.kind == rpc.Request && path == "id" {
				return // it is for the program to choose
			}
			out = append(out, Difference{N: expected[k].N, What: k.String(), Path: path, Text: text})
		})
	}
	var more []string
	for k := range p.there {
		if _, ok := expected[k]; !ok {
			more = append(more, k.String())
		}
	}
	slices.Sort(more)
	for _, what := range more {
		out = append(out, Difference{What: what, Text: "was not there before"})
	}
	return out
}

// absent is the value of what is not there.
type absent struct{}

// differ calls report with the smallest parts in which two values differ.
func (p *player) differ(was, is any, path []string, report func(path, text string)) {
	if slices.ContainsFunc(p.Ignore, func(pattern []string) bool { return record.Matches(pattern, path) }) {
		return
	}
	before, isObject := was.(map[string]any)
	after, still := is.(map[string]any)
	list, isList := was.([]any)
	items, stillList := is.([]any)
	switch {
	case isObject && still:
		names := map[string]bool{}
		for name := range before {
			names[name] = true
		}
		for name := range after {
			names[name] = true
		}
		for _, name := range validate.Keys(names) {
			p.differ(valueOf(before, name), valueOf(after, name), append(slices.Clip(path), name), report)
		}
	case isList && stillList:
		for i := range max(len(list), len(items)) {
			p.differ(itemOf(list, i), itemOf(items, i), append(slices.Clip(path), strconv.Itoa(i)), report)
		}
	case !reflect.DeepEqual(was, is):
		report(strings.Join(path, "."), fmt.Sprintf("is %s, and was %s", shown(is), shown(was)))
	}
}

func valueOf(object map[string]any, name string) any {
	if v, ok := object[name]; ok {
		return v
	}
	return absent{}
}

func itemOf(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

func shown(v any) string {
	switch v := v.(type) {
	case absent:
		return "absent"
	case string:
		return wire.Excerpt(v)
	case map[string]any:
		return fmt.Sprintf("an object of %d members", len(v))
	case []any:
		return fmt.Sprintf("an array of %d items", len(v))
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// largest is the size of the largest message that is played or compared. Those beyond [record.Limit] are recorded in parts.
const largest = 64 << 20

// Messages returns the messages of one connection of a recording, and the number of connections.
func Messages(r *record.Reader, conn int) (out []Message, conns int, err error) {
	n := 0
	type stream struct {
		from protocol.Side
		n    int
	}
	parts := map[stream][]byte{} // of messages that are cut
	torn := map[stream]bool{}    // parts of them may be missing
	for {
		e, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, conns, nil
		}
		if err != nil {
			return nil, 0, err
		}
		of := stream{e.From, e.Stream}
		if e.Cut && e.Conn == conn && len(parts[of]) <= largest {
			parts[of] = append(parts[of], e.Data...)
		}
		if e.Lost > 0 {
			for of := range parts {
				torn[of] = true
			}
		}
		body := record.Body(r.Head.Framing, e.Data)
		if e.More || e.End || e.Over != "" || e.Lost > 0 || len(body) == 0 && !e.Cut {
			continue
		}
		n++
		conns = max(conns, e.Conn)
		if e.Conn != conn {
			continue
		}
		if e.Cut {
			body = record.Body(r.Head.Framing, parts[of])
			whole := !torn[of] && len(body) <= largest && json.Valid(body)
			delete(parts, of)
			delete(torn, of)
			if !whole {
				return nil, 0, fmt.Errorf("message %d is too large to be played, or the recording does not have all of it", n)
			}
		}
		out = append(out, Message{N: n, Time: e.Time, From: e.From, Body: body})
	}
}
