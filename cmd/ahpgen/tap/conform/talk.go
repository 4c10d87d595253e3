// Talk: a connection in a scenario.

package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/call"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/web"
)

// talk is one connection. All of it is used by the goroutine of the scenario, but for the reading.
type talk struct {
	*stage
	judge      *judge.Judge
	link       *tap.Link
	conn       int // for the judge
	client     string
	more       map[string]any // members of the handshake
	incoming   chan []byte
	closed     bool // nothing more will come
	lost       bool // it is of no more use
	stopped    chan struct{}
	drained    chan struct{} // is closed when nothing more will come
	number     uint64
	dispatched int64                                     // actions
	handles    map[string]any                            // ids that results have given, by the members that repeat them
	seen       map[*protocol.Channel]string              // the URI of each kind that the program has named last
	answers    map[string][]answer                       // those that nothing has waited for yet, by id
	asked      map[string]int                            // requests that were sent, with the number of answers
	nameless   bool                                      // an answer without an id is expected
	owed       []rpc.Message                             // requests of the program without an answer
	heard      []rpc.Message                             // requests and notifications of the program
	respond    func(*rpc.Message, any) (any, *rpc.Error) // changes answers, or is nil
	replies    func([]byte) []byte                       // changes answers as they are sent, or is nil
	goesOn     bool                                      // a client goes on to send what is usual
	opened     func()                                    // is called when a client has got its first answer, or is nil
	subject    string
}

// answer is the answer to a request.
type answer struct {
	rpc.Message
	here   bool
	result any // decoded
}

func (a *answer) ok() bool { return a.here && a.Kind == rpc.Result }

// outcome is what comes of a request, without its content.
type outcome struct {
	here, ok bool
	code     int64
}

func (a *answer) outcome() outcome {
	o := outcome{here: a.here, ok: a.ok()}
	if a.Error != nil {
		o.code = a.Error.Code
	}
	return o
}

// shown returns what an answer is, for a report.
func (a *answer) shown() string {
	switch {
	case !a.here:
		return "no answer"
	case a.ok():
		return "a result"
	case a.Error.Name != "":
		return fmt.Sprintf("the error %s: %s", a.Error.Name, inside.VisibleCut(a.Error.Message, maxText))
	}
	return fmt.Sprintf("error %d: %s", a.Error.Code, inside.VisibleCut(a.Error.Message, maxText))
}

// maxText bounds what a report has of a text of the program.
const maxText = 200

// dial connects, for the time of the scenario.
func (s *stage) dial() *talk {
	t := s.connect()
	t.judge = s.judge
	s.talks = append(s.talks, t)
	return t
}

func (s *stage) connect() *talk {
	ctx, cancel := context.WithTimeout(s.ctx, max(s.Patience, time.Second))
	defer cancel()
	link, err := s.Connect(ctx)
	if err != nil {
		s.wrong(Lost, "", "it cannot be reached any more: %v", err)
		panic(over{})
	}
	s.run.talks++
	const waiting = 4096
	t := &talk{
		stage: s, link: link, conn: s.run.talks, incoming: make(chan []byte, waiting), stopped: make(chan struct{}), drained: make(chan struct{}),
		handles: map[string]any{}, seen: map[*protocol.Channel]string{}, answers: map[string][]answer{}, asked: map[string]int{},
		client: s.values.name(),
	}
	if failing, ok := rpc.Find[rpc.Failing](link.Transport); ok {
		failing.OnFailure(func(id json.RawMessage, err error) { t.push(failed(id, err)) })
	}
	go func() {
		defer close(t.drained)
		for {
			data, err := link.Read(record.Limit)
			if err != nil || !t.push(data) {
				return
			}
		}
	}()
	return t
}

func (t *talk) push(data []byte) bool {
	select {
	case t.incoming <- data:
		return true
	case <-t.stopped:
		return false
	}
}

// failed returns what stands for an answer that could not be had over HTTP: there is a status instead.
func failed(id json.RawMessage, err error) []byte {
	e := rpc.AsError(err)
	var status *web.StatusError
	switch {
	case !errors.As(err, &status):
	case status.Answer != nil:
		e = status.Answer
	case status.Status < http.StatusInternalServerError:
		e.Code = codeInvalid
	}
	m := rpc.Answer(id, nil, e)
	data, _ := m.AppendJSON(nil)
	return data
}

// end closes the connection, and with it the program.
func (t *talk) end() {
	select {
	case <-t.stopped:
		return
	default:
	}
	close(t.stopped)
	t.link.Cut()
	const soon = 500 * time.Millisecond
	if t.link.Ended != nil {
		over := false
		if t.Side == protocol.FromHost { // clients may try to come back
			_, over = t.link.Ended(soon)
		}
		if !over {
			t.link.Kill()
		}
	}
	_ = t.link.Close("over")
}

// encode returns a message as the protocol has it.
func (t *talk) encode(m *rpc.Message) []byte {
	t.number++
	var data []byte
	var err error
	if e := t.table.Envelope; e != nil {
		data, err = m.AppendIn(nil, e, t.number)
	} else {
		if m.Kind == rpc.Request && m.ID == nil {
			m.ID = json.RawMessage(strconv.FormatUint(t.number, 10))
		}
		data, err = m.AppendJSON(nil)
	}
	if err != nil {
		panic(err) // scenarios make messages that can be sent
	}
	return data
}

// send sends what may be no message. If it cannot be sent, there is no answer.
func (t *talk) send(data []byte) {
	t.judge.Message(t.conn, time.Now(), t.Side.Peer(), slices.Clone(data))
	ctx, cancel := context.WithTimeout(t.ctx, t.Patience)
	defer cancel()
	_ = t.link.Write(ctx, data)
}

// begin sends a request and returns its id.
func (t *talk) begin(method string, params any) string {
	return t.request(t.encode(&rpc.Message{Kind: rpc.Request, Method: method, Params: raw(params)}))
}

// request sends a message that is a request, with the last number unless it has another id, and returns its id.
func (t *talk) request(data []byte) string {
	id := strconv.FormatUint(t.number, 10)
	if m, err := rpc.Decode(data, t.table); err == nil {
		id = string(m.ID)
	}
	t.asked[id] += 0
	t.send(data)
	return id
}

// ask sends a request and waits for the answer.
func (t *talk) ask(method string, params any) answer { return t.await(t.begin(method, params)) }

func (t *talk) notify(method string, params any) {
	t.send(t.encode(&rpc.Message{Kind: rpc.Notification, Method: method, Params: raw(params)}))
}

// await waits for the answer to a request, or to one of several.
func (t *talk) await(ids ...string) answer {
	late := time.After(t.Patience)
	for {
		for _, id := range ids {
			if list := t.answers[id]; len(list) > 0 {
				t.answers[id] = list[1:]
				return list[0]
			}
		}
		if !t.take(late) {
			return answer{}
		}
	}
}

// take takes the next message. It reports false if there is none in time.
func (t *talk) take(late <-chan time.Time) bool {
	if t.closed {
		return false
	}
	drained := t.drained
	if len(t.incoming) > 0 {
		drained = nil // what has come before the end is taken first
	}
	select {
	case data := <-t.incoming:
		t.message(data)
		t.settleUp()
		return true
	case <-drained:
		if len(t.incoming) > 0 {
			return t.take(late)
		}
		t.closed, t.lost = true, true
		return false
	case <-late:
		return false
	case <-t.ctx.Done():
		return false
	}
}

// settleUp answers the requests of the program, once it has said what it has to say at the moment.
func (t *talk) settleUp() {
	const grace = 2 * time.Millisecond
	for len(t.owed) > 0 {
		select {
		case data := <-t.incoming:
			t.message(data)
		case <-time.After(grace):
			for _, m := range t.owed {
				t.reply(&m)
			}
			t.owed = nil
		}
	}
}

// message notes a message.
func (t *talk) message(data []byte) {
	t.run.said = true
	judged := t.judge.Message(t.conn, time.Now(), t.Side, slices.Clone(data))
	subject := t.subject
	if subject == "" {
		subject = judged.Method
	}
	rejected, own := t.returns(data)
	for _, f := range judged.Findings {
		_, ours := t.asked[judged.ID]
		if f.Note || ours && (f.Rule == judge.NotRequested || f.Rule == judge.AnsweredTwice) || f.Rule == judge.NotRequested && judged.ID == "null" {
			continue // what could not be read was answered, as it may be
		}
		if rejected && (f.Rule == judge.UnknownAction || f.Rule == judge.BadParams || f.Rule == judge.WrongChannel) || own && f.Rule == judge.NotSubscribed {
			continue // it is as it was dispatched
		}
		t.find(Finding{Rule: f.Rule, Subject: subject, Path: f.Path, Text: f.Text, Schema: f.Schema, At: f.At})
	}
	m, err := rpc.Decode(data, t.table)
	switch {
	case err != nil:
	case m.Kind == rpc.Batch:
		var parts []json.RawMessage
		_ = json.Unmarshal(m.Params, &parts) // it was decoded
		for _, part := range parts {
			if one, err := rpc.Decode(part, t.table); err == nil {
				t.one(one)
			}
		}
	default:
		t.one(m)
	}
}

// returns reports whether a message is an action that was rejected, and whether it is one of the client.
func (t *talk) returns(data []byte) (rejected, own bool) {
	p := t.Protocol.Replication
	if p == nil || p.Session == nil || p.Session.Action == nil {
		return false, false
	}
	m, err := rpc.Decode(data, t.table)
	if err != nil || m.Method != p.Session.Action.Name {
		return false, false
	}
	e := t.envelopeOf(inside.DecodeState(m.Params))
	return e.rejected, e.client == t.client
}

func (t *talk) one(m rpc.Message) {
	switch m.Kind {
	case rpc.Result, rpc.Failure:
		id, result := string(m.ID), inside.DecodeState(m.Result)
		t.learn(result)
		t.answers[id] = append(t.answers[id], answer{Message: m, here: true, result: result})
		if _, ours := t.asked[id]; ours {
			if t.asked[id]++; t.asked[id] == 2 {
				t.wrong(judge.AnsweredTwice, t.subject, "there is a second answer to the request %s", id)
			}
		}
	case rpc.Request:
		t.learn(inside.DecodeState(m.Params))
		t.heard, t.owed = append(t.heard, m), append(t.owed, m)
	case rpc.Notification:
		t.learn(inside.DecodeState(m.Params))
		t.heard = append(t.heard, m)
	}
}

// learn notes the channels that the program names.
func (t *talk) learn(v any) {
	if len(t.Protocol.Channels) == 0 {
		return
	}
	eachText(v, func(text string) {
		for _, c := range judge.KindsOf(t.Protocol, text) {
			if isMany(c) {
				t.seen[c] = text
			}
		}
	})
}

// reply answers a request with the least that the schema allows, or as the scenario wants it.
func (t *talk) reply(m *rpc.Message) {
	method := t.method(m.Method, t.Side)
	var refused *rpc.Error
	result := t.result(m, method)
	if method == nil {
		refused = m.NotFound()
	}
	if t.respond != nil && refused == nil {
		result, refused = t.respond(m, result)
	}
	out := rpc.Answer(m.ID, raw(result), nil)
	if refused != nil {
		out = rpc.Answer(m.ID, nil, refused)
	}
	if t.table.Envelope != nil {
		out.Method = m.Method
	}
	data := t.encode(&out)
	if t.replies != nil {
		data = t.replies(data)
	}
	t.send(data)
	if then := t.opened; then != nil {
		t.opened = nil
		then()
	}
}

// method returns a request or notification that a side sends.
func (r *run) method(name string, from protocol.Side) *protocol.Method {
	for _, m := range r.Protocol.Methods {
		if m.Name == name && (m.From == from || m.From == protocol.FromBoth) {
			return m
		}
	}
	return nil
}

// quiet takes what comes until there is silence.
func (t *talk) quiet() {
	for t.take(time.After(t.Quiet)) {
	}
}

// fence finds out whether the program goes on, and what it has said meanwhile to nothing that was asked.
func (t *talk) fence(what string) {
	id := t.probe()
	a := t.await(id)
	switch {
	case a.here:
		t.lost = false
	case t.ended():
		panic(over{})
	case t.closed:
		t.wrong(Lost, what, "the connection has ended")
		panic(over{})
	default:
		t.lost = true
		t.wrong(NotAnswered, what, "nothing is answered any more: there is no answer to the next request in %v", t.Patience)
		panic(over{})
	}
	t.quiet()
	for _, id := range slices.Sorted(maps.Keys(t.answers)) {
		if _, ours := t.asked[id]; len(t.answers[id]) == 0 || ours {
			continue
		}
		if id != "null" || !t.nameless {
			t.wrong(Answered, what, "there is an answer with the id %s: %s", id, t.answers[id][0].shown())
			delete(t.answers, id)
		}
	}
}

// probe sends a request that each program answers, be it with an error, and returns its id.
func (t *talk) probe() string {
	if c := t.Protocol.Calls; c != nil && c.Ping != nil {
		var params any
		if c.PingParams != "" {
			params = json.RawMessage(c.PingParams)
		}
		return t.begin(c.Ping.Name, params)
	}
	return t.begin(unknownMethod, t.anything(nil))
}

// anything returns parameters of an unknown method, with the metadata of each request.
func (t *talk) anything(params map[string]any) any {
	for _, m := range t.Protocol.Methods {
		if with := call.WithMetadata(t.Protocol, m, params); len(with) > len(params) {
			return with
		}
	}
	if params == nil {
		return nil
	}
	return params
}

// unknownMethod is the name of a method that no protocol has.
const unknownMethod = "conform/unknown"
