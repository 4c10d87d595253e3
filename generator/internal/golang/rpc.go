// Conversation: what each side sends and receives, with Go names.

package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// RPC describes the methods of a package.
type RPC struct {
	Sides        []*Party // client, then host
	PassThroughs []PassThrough
	Extension    string `go:"text"` // prefix reserved for extensions, or ""

	ExtensionSince string `go:"text"` // version that reserved the prefix, or ""
	Handshake      *Handshake
	Calls          *protocol.Calls    // nil without cancellation and progress
	Batches        *protocol.Batches  // nil without them
	Envelope       *protocol.Envelope // nil for JSON-RPC 2.0
	HTTP           *protocol.HTTP     // nil if nothing is stated
	Trace          string             `go:"text"` // member of parameters for trace context, or ""
	Traced         []string           `go:"text"` // methods whose parameters have it
	Introduction   *Method            // the request that exchanges capabilities, or nil
}

// Party is a side of the protocol.
type Party struct {
	Name     string `go:"identifier"` // name of the type that it sends with, after its peer: AgentConn sends to an agent
	New      string `go:"identifier"` // name of its constructor
	Handlers string `go:"identifier"` // name of the handler type
	Side     protocol.Side
	A, PeerA string `go:"comment"` // names of the sides with an article
	Word     string `go:"word"`    // name of the side
	Sends    []*Call
	Receives []*Call
	Gates    []Gate // capabilities required by what it sends
	// GateTable is the name of the variable with the gates.
	GateTable string `go:"identifier"`
	// Field is the field of a session's connection that holds the type.
	Field string `go:"identifier"`
	// Server is the user's type with a method for each of Receives, or "".
	Server string `go:"identifier"`
}

// Call is a method as sent or received by a side.
type Call struct {
	*Method
	Name string `go:"identifier"`
	// Actions are the parameters that hold an action, which the negotiated version may lack.
	Actions []*Field
	// Refusal is the parameter set for a rejected action, or nil. Rejections are sent to all versions because the
	// sender waits for them.
	Refusal *Field
}

// Gate is something that requires a capability of its receiver.
type Gate struct {
	Method *Method
	Member string `go:"text"` // path of a parameter; "" for the whole method
	Is     string `go:"text"` // required text of the member; "" for any
	Needs  string `go:"text"` // path in the receiver's capabilities
}

// ErrorCode is one row of the error table.
type ErrorCode struct {
	Const string `go:"identifier"`
	Name  string `go:"text"`
	Code  int64
	Data  Type
	Doc   []string `go:"comment"`
}

// PassThrough is a channel that carries methods of another protocol.
type PassThrough struct {
	Member string `go:"text"` // parameter with the channel
	Start  string `go:"text"` // prefix of its URIs
}

// Handshake describes the version negotiation.
type Handshake struct {
	Method    *Method
	Offer     *Field
	Answer    *Field
	Error     *ErrorCode // nil if a single version is offered
	Supported *Field
	Number    bool
}

// Own returns the name for an additional method of a sender.
func (p *Party) Own(name string) string { return ownAmong(name, p.Sends) }

// OwnField returns the name for an additional field of handlers.
func (p *Party) OwnField(name string) string { return ownAmong(name, p.Receives) }

func ownAmong(name string, calls []*Call) string {
	taken := each.SetFunc(calls, func(c *Call) string { return c.Name })
	return free(name, "RPC", taken)
}

func (b *builder) hasMeta() bool { return b.in.Extensions != nil && b.in.Extensions.Meta != "" }

// traced finds the methods whose parameters have metadata that is open to trace context.
func (b *builder) traced(out *RPC) {
	if !b.hasMeta() {
		return
	}
	member := b.in.Extensions.Meta
	for _, m := range b.out.Methods {
		params, ok := Underlying(m.Params).(StructType)
		if !ok || params.Field(member) == nil || slices.Contains(out.Traced, m.Wire) {
			continue
		}
		open := false
		switch t := Underlying(params.Field(member).Type).(type) {
		case Map:
			open = t.Elem == Raw
		case StructType:
			open = t.Keeps
		}
		if open {
			out.Trace, out.Traced = member, append(out.Traced, m.Wire)
		}
	}
	slices.Sort(out.Traced) // the same for schemas that list methods in another order
}

// rpc assigns the methods to their senders.
func (b *builder) rpc() {
	b.out.Meta = b.hasMeta()
	if len(b.out.Methods) == 0 {
		return
	}
	out := &RPC{Calls: b.in.Calls, Batches: b.in.Batches, Envelope: b.in.Envelope, HTTP: b.in.HTTP}
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
	b.traced(out)
	b.gates(out)
	b.errorData()
}

// party names the declarations of a side. What it sends with is named after whom that reaches: the two ends of a
// connection have different names in every protocol. Other declarations of the package, such as a store, give way.
func (b *builder) party(side protocol.Side) *Party {
	word, peer := b.in.Sides.Name(side), b.in.Sides.Name(side.Peer())
	conn := b.namer.exported(peer) + "Conn"
	return &Party{
		Name: b.derive(conn, "what "+b.in.Sides.A(side)+" sends", diag.Pos{}), New: b.derive("New"+conn, "what makes it", diag.Pos{}),
		Handlers: b.derive(b.namer.exported(word)+"Handlers", "what "+b.in.Sides.A(side)+" receives", diag.Pos{}),
		Field:    free(b.namer.exported(peer), "RPC", connMembers),
		Side:     side, A: b.in.Sides.A(side), PeerA: b.in.Sides.A(side.Peer()), Word: word, GateTable: word + "Gates",
	}
}

// connMembers are the other fields and the methods of a session's connection.
var connMembers = map[string]bool{
	"Call": true, "Close": true, "Dispatch": true, "Done": true, "Flush": true, "ID": true, "InOrder": true, "Notify": true, "Retry": true, "Sequence": true,
	"Status": true, "Store": true, "Subscribe": true, "Subscriptions": true, "Unsubscribe": true, "Version": true, "Wait": true,
}

// method returns the declaration of a method.
func (b *builder) method(m *protocol.Method) *Method {
	return b.out.Methods[slices.Index(b.in.Methods, m)]
}

// gates builds the gates of each side.
func (b *builder) gates(out *RPC) {
	in := b.in.Capabilities
	if in == nil || !slices.ContainsFunc(in.Gates, func(g *protocol.Gate) bool { return !g.Own }) {
		return
	}
	out.Introduction = b.method(in.Introduction)
	for _, p := range out.Sides {
		for _, g := range in.Gates {
			is := func(o Gate) bool { return o.Method.Wire == g.Method.Name && o.Member == g.Member && o.Is == g.Is }
			if g.From == p.Side && !g.Own && !slices.ContainsFunc(p.Gates, is) { // a request and a notification may share a name
				p.Gates = append(p.Gates, Gate{b.method(g.Method), g.Member, g.Is, g.Needs})
			}
		}
	}
	named := map[string]bool{}
	for i, m := range b.out.Methods {
		if !named[m.Wire] { // a request and a notification may share a name
			m.Const = b.derive("Method"+m.Name, "method "+m.Wire, b.in.Methods[i].Pos)
			named[m.Wire] = true
		}
	}
}

// skeleton names the user's type for the host.
func (b *builder) skeleton(at diag.Pos) {
	if b.out.RPC == nil {
		b.Errorf(at, "no-methods", "leave host.skeleton out: there is nothing that "+b.in.Sides.A(protocol.FromHost)+" could receive", "the protocol has no methods")
		return
	}
	if b.lacks(at, "host.skeleton", PartHost) {
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
		p.Server = b.derive(b.namer.exported(p.Word)+"Server", "the type that has the methods of "+p.A, diag.Pos{})
		own := newScope(b.opts)
		own.add(HandlersMethod, "a part of every "+p.Server, "", diag.Pos{})
		for _, c := range p.Receives {
			if c.Name == HandlersMethod { // other conflicts are reported elsewhere
				i := slices.Index(b.out.Methods, c.Method)
				own.add(c.Name, "method "+c.Wire, c.Wire+"()", b.in.Methods[i].Pos)
			}
		}
		b.Add(own.clashes()...)
	}
}

// AsksForLife reports whether a side can check with a request whether its peer is alive.
func (r *RPC) AsksForLife(p *Party) bool {
	return r != nil && r.Calls != nil && r.Calls.Ping != nil && r.Calls.Ping.From != p.Side.Peer()
}

// HandlersMethod is the method that wires a server into handlers.
const HandlersMethod = "Handlers"

// checkParty reports methods whose names conflict with other declarations of a side.
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

// actionFields returns the parameters that hold an action.
func (b *builder) actionFields(params Type) []*Field {
	if params == nil || b.in.Actions == nil {
		return nil
	}
	s, ok := Underlying(params).(StructType)
	if !ok {
		return nil
	}
	all := b.UnionOf(b.in.Actions.Union)
	var out []*Field
	for _, f := range s.Fields {
		if u, ok := Underlying(f.Type).(UnionType); ok && f.Presence != Maybe && slices.Contains(u.Union.Family(), all) {
			out = append(out, f)
		}
	}
	return out
}

// refusalField returns the member with the reason of a rejection, if the parameters are an envelope.
func (b *builder) refusalField(params Type) *Field {
	if params == nil || b.in.Replication == nil {
		return nil
	}
	envelope := b.in.Replication.Envelope
	if s, ok := Underlying(params).(StructType); !ok || s.Struct != b.StructOf(envelope.Type) {
		return nil
	}
	return b.fieldOf[envelope.Rejection]
}

func (b *builder) handshake(out *RPC) {
	in := b.in.Handshake
	if in == nil {
		return
	}
	h := &Handshake{Method: b.method(in.Method), Number: in.Number}
	h.Offer, h.Answer = objectOf(h.Method.Params).Field(in.Offer), objectOf(h.Method.Result).Field(in.Answer)
	if in.Error != nil {
		h.Error = b.out.Errors[slices.Index(b.in.Errors, in.Error)]
		h.Supported = objectOf(h.Error.Data).Field(in.Supported)
	}
	h.Method.NullResult = false // the connection could not continue with null
	out.Handshake = h
}

// errorData reports error data that cannot implement error, as errors.As requires.
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
				b.Errorf(b.in.Errors[i].Pos, collision, "give the tag type of its union another name with tag in a union rule",
					"the method that returns the tag of %s and one that makes it an error would both be called %s in Go", s.Name, t.Enum.Name)
			}
		}
		for _, f := range s.Fields {
			if slices.Contains(errorMethods, f.Name) {
				b.Errorf(b.in.Errors[i].Pos, collision, "pin another name for the member under naming.names in the profile",
					"member %s of %s and a method that makes it an error would both be called %s in Go", f.Wire, s.Name, f.Name)
			}
		}
	}
}

// errorMethods are the methods of error data.
var errorMethods = []string{"Error", "RPCCode", "HasRPCCode"}

// OpenTelemetry is the name of the observer with dependencies.
const OpenTelemetry = "opentelemetry"

// observers determines the additional observers.
func (b *builder) observers() {
	for _, name := range b.opts.Observers {
		switch {
		case name != OpenTelemetry:
			b.Errorf(b.opts.ObserversAt, "unknown-observer", fmt.Sprintf("there is %q", OpenTelemetry), "there is no observer %q", name)
		case b.out.RPC == nil:
			b.Errorf(b.opts.ObserversAt, "no-methods", "leave observers out: there is nothing that they could observe", "the protocol has no methods")
		case !b.lacks(b.opts.ObserversAt, "observers", PartClient, PartHost):
			b.out.OTel = true
		}
	}
}

// Names of the packages for logs.
const (
	Bolt      = "bolt"      // a file
	JetStream = "jetstream" // several machines
	LogTest   = "logtest"   // tests of implementations
)

// Logs returns the names of the packages for logs.
func Logs() []string { return []string{Bolt, JetStream, LogTest} }

// logs determines the additional logs.
func (b *builder) logs() {
	for _, name := range b.opts.Logs {
		switch {
		case !slices.Contains(Logs(), name):
			b.Errorf(b.opts.LogsAt, "unknown-log", fmt.Sprintf("%q, %q and %q are some", Bolt, JetStream, LogTest), "there is no log %q", name)
		case b.out.Session == nil && b.opts.Parts == nil:
			b.Errorf(b.opts.LogsAt, "no-server", "leave logs out: there is nothing that they could be of", "the package has no server")
		case !b.lacks(b.opts.LogsAt, "logs", PartServer):
			*map[string]*bool{Bolt: &b.out.Bolt, JetStream: &b.out.JetStream, LogTest: &b.out.LogTest}[name] = true
		}
	}
}
