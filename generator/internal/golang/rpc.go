// Conversation: what each side sends and receives, and the names that this takes.

package golang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// RPC is what a package with methods has beyond their table.
type RPC struct {
	Sides        []*Party // client, then host
	PassThroughs []PassThrough
	Extension    string `go:"text"` // what names begin with that belong to extensions, "" if there are none

	ExtensionSince string `go:"text"` // version that set those names aside, "" if it has always been so
	Handshake      *Handshake
	Calls          *Calls // nil if nothing can be done about requests that take long
	Batches        *Batches
	Introduction   *Method // in which the sides say what they can, nil if they do not
}

// Calls says what can be done about requests that take long.
type Calls struct {
	Cancel      *Method
	CancelID    string `go:"text"`
	CancelError int64
	Ends        []Ending
	Ping        *Method
	PingParams  string `go:"text"`
	Progress    *Method
	Token       string   `go:"text"`
	RequestPath []string `go:"text"`
	Takes       []*Method
}

// Ending is a notification that cancels requests.
type Ending struct {
	Method, Request *Method
	Member          string `go:"text"` // of the parameters of both
	Result          string `go:"text"` // JSON; "" for none
}

// Batches says that messages may come as batches; nil if they come one by one.
type Batches struct {
	Alone []*Method // requests that must not be in one
}

// Party is one side of the protocol.
type Party struct {
	Name     string `go:"identifier"` // of the type that sends what the side sends
	New      string `go:"identifier"` // of what makes it
	Handlers string `go:"identifier"` // of the type that handles what the side receives
	Side     protocol.Side
	A, PeerA string `go:"comment"` // the sides in words, with an article
	Word     string `go:"word"`    // the side in one word
	Sends    []*Call
	Receives []*Call
	Gates    []Gate // what it must not send to a peer that has not said that it can take it
	// GateTable is the variable that holds the gates.
	GateTable string `go:"identifier"`
	// Server is the type of the user's that has a method for each of Receives, "" if none is wanted.
	Server string `go:"identifier"`
}

// Call is a method as a side sends or receives it.
type Call struct {
	*Method
	Name string `go:"identifier"`
	// Actions are the fields of its parameters that hold an action, which the agreed version may not know.
	Actions []*Field
	// Refusal is the field of its parameters that is set if they carry a refused action back. Whoever
	// sent that waits for it, so it goes to every version. Nil if there is none.
	Refusal *Field
}

// Gate is something that needs a capability of its receiver.
type Gate struct {
	Method *Method
	Member string `go:"text"` // path of a member of the parameters; "" for the method as a whole
	Is     string `go:"text"` // the text that the member has; "" for anything
	Needs  string `go:"text"` // path in what the receiver says of itself
}

// PassThrough is a channel that carries methods of another protocol.
type PassThrough struct {
	Member string `go:"text"` // of their parameters
	Start  string `go:"text"` // of its URIs
}

// Handshake says where the versions are that two sides agree on.
type Handshake struct {
	Method    *Method
	Offer     *Field
	Answer    *Field
	Error     *ErrorCode // nil if one version is offered
	Supported *Field
	Number    bool
}

// Own is what the sender of a side calls a method that the protocol does not have.
func (p *Party) Own(name string) string { return ownAmong(name, p.Sends) }

// OwnField is what the handlers of a side call a field that is for no method of the protocol.
func (p *Party) OwnField(name string) string { return ownAmong(name, p.Receives) }

func ownAmong(name string, calls []*Call) string {
	taken := map[string]bool{}
	for _, c := range calls {
		taken[c.Name] = true
	}
	return free(name, "RPC", taken)
}

func (b *builder) hasMeta() bool { return b.in.Extensions != nil && b.in.Extensions.Meta != "" }

// rpc sorts the methods by who sends them.
func (b *builder) rpc() {
	b.out.Meta = b.hasMeta()
	if len(b.out.Methods) == 0 {
		return
	}
	out := &RPC{}
	b.out.RPC = out
	if e := b.in.Extensions; e != nil {
		out.Extension, out.ExtensionSince = e.Prefix, b.in.OnWire(e.Since)
	}
	for _, c := range b.in.Channels {
		if c.PassThrough != "" {
			start, _, _ := strings.Cut(c.URI, "<")
			out.PassThroughs = append(out.PassThroughs, PassThrough{c.PassThrough, start})
		}
	}
	client, host := b.party(protocol.FromClient), b.party(protocol.FromHost)
	out.Sides = []*Party{client, host}
	for _, m := range b.out.Methods {
		call := &Call{Method: m, Name: m.Name, Actions: b.actionFields(m.Params), Refusal: b.refusalField(m.Params)}
		if m.From != protocol.FromHost {
			client.Sends, host.Receives = append(client.Sends, call), append(host.Receives, call)
		}
		if m.From != protocol.FromClient {
			host.Sends, client.Receives = append(host.Sends, call), append(client.Receives, call)
		}
	}
	for _, p := range out.Sides {
		b.checkParty(p)
	}
	b.handshake(out)
	b.calls(out)
	b.gates(out)
	b.errorData()
}

// party names what a side has. What packages have besides, such as a store, gives way to that like to a definition.
func (b *builder) party(side protocol.Side) *Party {
	word := b.in.Sides.Name(side)
	name := b.namer.exported(word)
	return &Party{
		Name: b.derive(name, "what "+b.in.Sides.A(side)+" sends", diag.Pos{}), New: b.derive("New"+name, "what makes it", diag.Pos{}),
		Handlers: b.derive(name+"Handlers", "what "+b.in.Sides.A(side)+" receives", diag.Pos{}),
		Side:     side, A: b.in.Sides.A(side), PeerA: b.in.Sides.A(side.Peer()), Word: word, GateTable: word + "Gates",
	}
}

// calls settles what can be done about requests that take long, and what may come in a batch.
func (b *builder) calls(out *RPC) {
	method := func(m *protocol.Method) *Method {
		if m == nil {
			return nil
		}
		return b.out.Methods[slices.Index(b.in.Methods, m)]
	}
	if b.in.Batches != nil {
		out.Batches = &Batches{}
		for _, m := range b.in.Batches.Alone {
			out.Batches.Alone = append(out.Batches.Alone, method(m))
		}
	}
	in := b.in.Calls
	if in == nil {
		return
	}
	out.Calls = &Calls{Cancel: method(in.Cancel), CancelID: in.CancelID, CancelError: in.CancelError, Progress: method(in.Progress), Token: in.Token, RequestPath: in.RequestPath}
	out.Calls.Ping, out.Calls.PingParams = method(in.Ping), in.PingParams
	for _, e := range in.Ends {
		out.Calls.Ends = append(out.Calls.Ends, Ending{method(e.Method), method(e.Request), e.Member, e.Result})
	}
	for _, m := range in.Takes {
		out.Calls.Takes = append(out.Calls.Takes, method(m))
	}
}

// gates settles what needs a capability.
func (b *builder) gates(out *RPC) {
	in := b.in.Capabilities
	if in == nil {
		return
	}
	method := func(m *protocol.Method) *Method { return b.out.Methods[slices.Index(b.in.Methods, m)] }
	out.Introduction = method(in.Introduction)
	for _, p := range out.Sides {
		for _, g := range in.Gates {
			is := func(o Gate) bool { return o.Method.Wire == g.Method.Name && o.Member == g.Member && o.Is == g.Is }
			if g.From == p.Side && !slices.ContainsFunc(p.Gates, is) { // a request and a notification may share a name
				p.Gates = append(p.Gates, Gate{method(g.Method), g.Member, g.Is, g.Needs})
			}
		}
	}
	named := map[string]bool{}
	for i, m := range b.out.Methods {
		if !named[m.Wire] { // a request and a notification may share one
			m.Const = b.derive("Method"+m.Name, "method "+m.Wire, b.in.Methods[i].Pos)
			named[m.Wire] = true
		}
	}
}

// skeleton names the type that the user writes for the host.
func (b *builder) skeleton(at diag.Pos) {
	if b.out.RPC == nil {
		b.Errorf(at, "no-methods", "leave host.skeleton out: there is nothing that "+b.in.Sides.A(protocol.FromHost)+" could receive", "the protocol has no methods")
		return
	}
	for _, p := range b.out.RPC.Sides {
		if p.Side != protocol.FromHost {
			continue
		}
		if len(p.Receives) == 0 {
			b.Errorf(at, "no-methods", "leave host.skeleton out: there is nothing that "+p.A+" could receive", "the protocol has no methods that %s receives", p.A)
			continue
		}
		p.Server = b.derive(p.Name+"Server", "the type that has the methods of "+p.A, diag.Pos{})
		own := newScope(b.opts)
		own.add(HandlersMethod, "a part of every "+p.Server, "", diag.Pos{})
		for _, c := range p.Receives {
			if c.Name == HandlersMethod { // other clashes are known already
				i := slices.Index(b.out.Methods, c.Method)
				own.add(c.Name, "method "+c.Wire, c.Wire+"()", b.in.Methods[i].Pos)
			}
		}
		b.Add(own.clashes()...)
	}
}

// HandlersMethod is the method that wires a server into handlers.
const HandlersMethod = "Handlers"

// checkParty reports methods whose names clash with something else that the types of a side have.
func (b *builder) checkParty(p *Party) {
	positions := make(map[*Method]diag.Pos, len(b.out.Methods))
	for i, m := range b.out.Methods {
		positions[m] = b.in.Methods[i].Pos
	}
	check := func(calls []*Call) {
		own := newScope(b.opts)
		for _, c := range calls {
			own.add(c.Name, "method "+c.Wire, c.Wire+"()", positions[c.Method])
		}
		b.Add(own.clashes()...)
	}
	check(p.Sends)
	check(p.Receives)
}

// actionFields finds the members of parameters that hold an action.
func (b *builder) actionFields(params Type) []*Field {
	if params == nil || b.in.Actions == nil {
		return nil
	}
	s, ok := Underlying(params).(StructType)
	if !ok {
		return nil
	}
	all := b.unions[b.in.Actions.Union]
	var out []*Field
	for _, f := range s.Fields {
		if u, ok := Underlying(f.Type).(UnionType); ok && f.Presence != Maybe && slices.Contains(u.Union.Family(), all) {
			out = append(out, f)
		}
	}
	return out
}

// refusalField finds the member that says why an action was refused, in parameters that are the envelope
// of one.
func (b *builder) refusalField(params Type) *Field {
	if params == nil || b.in.Replication == nil {
		return nil
	}
	envelope := b.in.Replication.Envelope
	if s, ok := Underlying(params).(StructType); !ok || s.Struct != b.structs[envelope.Type] {
		return nil
	}
	return b.fieldOf[envelope.Rejection]
}

func (b *builder) handshake(out *RPC) {
	in := b.in.Handshake
	if in == nil {
		return
	}
	h := &Handshake{
		Method: b.out.Methods[slices.Index(b.in.Methods, in.Method)], Number: in.Number,
	}
	h.Offer, h.Answer = fieldOf(h.Method.Params, in.Offer), fieldOf(h.Method.Result, in.Answer)
	if in.Error != nil {
		h.Error = b.out.Errors[slices.Index(b.in.Errors, in.Error)]
		h.Supported = fieldOf(h.Error.Data, in.Supported)
	}
	h.Method.NullResult = false // nobody could go on with that
	out.Handshake = h
}

func fieldOf(t Type, wire string) *Field {
	s := Underlying(t).(StructType)
	return s.Fields[slices.IndexFunc(s.Fields, func(f *Field) bool { return f.Wire == wire })]
}

// errorData reports data of errors that cannot be an error itself, as errors.As wants.
func (b *builder) errorData() {
	for i, e := range b.out.Errors {
		if e.Data == nil {
			continue
		}
		s, ok := Underlying(e.Data).(StructType)
		if !ok {
			continue
		}
		for _, t := range s.Tags {
			if slices.Contains(errorMethods, t.Enum.Name) {
				b.Errorf(b.in.Errors[i].Pos, "name-collision", "give the tag type of its union another name with tag in a union rule",
					"the method that returns the tag of %s and one that makes it an error would both be called %s in Go", s.Name, t.Enum.Name)
			}
		}
		for _, f := range s.Fields {
			if slices.Contains(errorMethods, f.Name) {
				b.Errorf(b.in.Errors[i].Pos, "name-collision", "pin another name for the member under naming.names in the profile",
					"member %s of %s and a method that makes it an error would both be called %s in Go", f.Wire, s.Name, f.Name)
			}
		}
	}
}

// errorMethods are those of the data of errors.
var errorMethods = []string{"Error", "RPCCode", "HasRPCCode"}

// WebSocket is the name of the transport that needs more than the standard library.
const WebSocket = "websocket"

// transports decides on the transports beside the package.
func (b *builder) transports() {
	for _, name := range b.opts.Transports {
		switch {
		case name != WebSocket:
			b.Errorf(b.opts.TransportsAt, "unknown-transport", "there is "+strconv.Quote(WebSocket)+"; streams need not be asked for", "there is no transport %q", name)
		case b.out.RPC == nil:
			b.Errorf(b.opts.TransportsAt, "no-methods", "leave transports out: there is nothing that could be sent", "the protocol has no methods")
		default:
			b.out.Sockets = true
		}
	}
}

// Bolt is the name of the log that needs more than the standard library.
const Bolt = "bolt"

// logs decides on the logs beside the package.
func (b *builder) logs() {
	for _, name := range b.opts.Logs {
		switch {
		case name != Bolt:
			b.Errorf(b.opts.LogsAt, "unknown-log", "there is "+strconv.Quote(Bolt), "there is no log %q", name)
		case b.out.Session == nil:
			b.Errorf(b.opts.LogsAt, "no-server", "leave logs out: there is nothing that they could be of", "the package has no server")
		default:
			b.out.Bolt = true
		}
	}
}
