// Gateways: between two programs of different versions, neither of which knows the other's.

package translate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Gateway carries the messages of one connection between a program of an older version and one of the version of the package.
// Whatever both versions have passes as it is, with its ids and in its order.
type Gateway struct {
	Version   *Version
	Handshake Handshake
	// Newest is the version of the package, as the handshake says it.
	Newest string
	// Limit is the maximum size of a message in bytes. The default is 32 MiB.
	Limit int64
	// OnError is called with messages that cannot be translated. Requests among them are answered with an error, and others
	// are left out. It may be nil.
	OnError func(error)
}

// NewGateway returns a gateway for one of the versions. Newest is the version of the package.
func NewGateway(versions []*Version, h Handshake, newest, version string) (*Gateway, error) {
	for _, v := range versions {
		if v.Name == version {
			return &Gateway{Version: v, Handshake: h, Newest: newest}, nil
		}
	}
	return nil, errors.New("version " + wire.Excerpt(version) + " is not spoken beside " + newest)
}

// Run carries messages until one side ends the connection, then closes both. It returns nil if that was in good order.
func (g *Gateway) Run(ctx context.Context, older, newer rpc.Transport) error {
	var once sync.Once
	end := func() {
		once.Do(func() {
			_ = older.Close("")
			_ = newer.Close("")
		})
	}
	defer context.AfterFunc(ctx, end)()
	up := &side{g: g, from: older, to: newer, table: &g.Version.Lift, asked: map[string]string{}}
	down := &side{g: g, from: newer, to: older, table: &g.Version.Lower, asked: map[string]string{}, older: true}
	up.back, down.back = down, up
	ended := make(chan error, 2)
	for _, s := range []*side{up, down} {
		go func() {
			err := s.run(ctx)
			end()
			ended <- err
		}()
	}
	err := <-ended
	if other := <-ended; err == nil {
		err = other
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// messages is a table that has batches, and no method.
var messages = spec.Table{Batches: &spec.Batching{}}

// side is one direction of a gateway.
type side struct {
	g        *Gateway
	from, to rpc.Transport
	table    *Direction
	older    bool // towards the older version
	back     *side

	mu    sync.Mutex
	asked map[string]string // methods of the requests that went this way, by id

	sending sync.Mutex // held while something is written to the program that this side sends to
}

func (s *side) run(ctx context.Context) error {
	limit := s.g.Limit
	if limit == 0 {
		limit = 32 << 20
	}
	for {
		data, err := s.from.Read(limit)
		if err != nil {
			return err
		}
		data = bytes.TrimSpace(data) // some programs take nothing between a message and the end of its line
		if data = s.convert(ctx, data); data == nil {
			continue
		}
		if err := s.write(ctx, data); err != nil {
			return err
		}
	}
}

func (s *side) write(ctx context.Context, data []byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	return s.to.Write(ctx, data)
}

// convert returns a message in the other version, or nil if there is none to send.
func (s *side) convert(ctx context.Context, data []byte) []byte {
	m, err := rpc.Decode(data, &messages)
	if err != nil {
		return data // whoever gets it says what is wrong with it
	}
	if m.Kind == rpc.Batch {
		return s.batch(ctx, m.Params)
	}
	keep, changed, err := s.message(&m)
	if err == nil && !keep && m.Kind == rpc.Request { // whoever sends it would wait for what never comes
		err = (&Context{}).Impossible("nothing of it is left")
	}
	switch {
	case err != nil:
		s.fail(ctx, &m, err)
		return nil
	case !keep:
		return nil
	case !changed:
		return data
	}
	if data, err = m.AppendJSON(nil); err != nil {
		s.fail(ctx, &m, err)
	}
	return data
}

// batch converts the messages of a batch.
func (s *side) batch(ctx context.Context, array json.RawMessage) []byte {
	out := []byte{'['}
	for _, item := range Items(array) {
		if item[0] != '[' { // a batch in a batch is for whoever gets it to refuse
			item = s.convert(ctx, item)
		}
		if item == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, ']')
}

// fail answers a request that cannot be translated.
func (s *side) fail(ctx context.Context, m *rpc.Message, err error) {
	if s.g.OnError != nil {
		s.g.OnError(err)
	}
	if m.ID == nil {
		return
	}
	s.forget(m)
	answer := rpc.Answer(m.ID, nil, &rpc.Error{Code: int64(rpc.InvalidParams), Message: err.Error()})
	to := s.back
	if m.Kind == rpc.Result { // the result that the other program gets is an error
		to, answer.Error.Code = s, int64(rpc.InternalError)
	}
	if data, err := answer.AppendJSON(nil); err == nil {
		_ = to.write(ctx, data) // or the connection ends, which Run says
	}
}

// forget forgets a request that is not sent.
func (s *side) forget(m *rpc.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Kind == rpc.Request {
		delete(s.asked, string(m.ID))
	}
}

// message converts a message, and reports whether it is sent and whether it is another one than before.
func (s *side) message(m *rpc.Message) (keep, changed bool, err error) {
	offers := false
	switch m.Kind {
	case rpc.Request:
		s.mu.Lock()
		s.asked[string(m.ID)] = m.Method
		s.mu.Unlock()
		offers = m.Method == s.g.Handshake.Method
	case rpc.Result, rpc.Failure:
		s.back.mu.Lock()
		m.Method = s.back.asked[string(m.ID)]
		delete(s.back.asked, string(m.ID))
		s.back.mu.Unlock()
		if s.older {
			m.Method = s.g.Version.Lift.Name(m.Method)
		} else {
			m.Method = s.g.Version.Lower.Name(m.Method)
		}
	}
	was, method := m.Params, m.Method
	if m.Kind == rpc.Result {
		was = m.Result
	}
	keep, err = s.table.message(m, &Context{valid: true})
	switch {
	case err != nil || !keep:
	case offers:
		return true, true, s.replace(&m.Params, s.g.Handshake.Offer)
	case m.Kind == rpc.Result && method == s.g.Handshake.Method:
		return true, true, s.replace(&m.Result, s.g.Handshake.Answer)
	}
	now := m.Params
	if m.Kind == rpc.Result {
		now = m.Result
	}
	same := len(was) == len(now) && (len(now) == 0 || &was[0] == &now[0])
	return keep, !same || m.Kind == rpc.Failure || m.Method != method, err
}

// replace makes a member that is a version, or a list of them, that of the program which the message goes to.
func (s *side) replace(object *json.RawMessage, member string) error {
	version := s.g.Newest
	if s.older {
		version = s.g.Version.Name
	}
	o, err := Parse(*object)
	if err != nil {
		return err
	}
	switch was := o.Get(member); {
	case Items(was) != nil:
		o.SetItems(member, []json.RawMessage{wire.AppendString(nil, version)})
	case textOf(was) != "":
		o.SetText(member, version)
	case was != nil: // a number
		o.Set(member, json.RawMessage(version))
	}
	*object = o.JSON()
	return nil
}
