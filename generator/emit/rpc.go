// Calls: what each side sends.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

const contextPath = "context"

func ctxParam() *Statement   { return Id("ctx").Qual(contextPath, "Context") }
func rawMessage() *Statement { return Qual(jsonPath, "RawMessage") }

// decoder names the function that decodes what a method takes or returns.
func decoder(t golang.Type) string {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		return "Decode" + t.Name
	case golang.UnionType:
		return "Decode" + t.Name
	}
	panic("emit: a method's type has no decoder") // refused by package golang
}

// payload prints the type that a method takes or returns: a pointer to a struct, or a union.
func payload(t golang.Type) *Statement {
	if _, ok := golang.Underlying(t).(golang.StructType); ok {
		return Op("*").Add(goType(t))
	}
	return goType(t)
}

func (e *emitter) client(f *jenFile) { e.sender(f, 0) }

func (e *emitter) host(f *jenFile) { e.sender(f, 1) }

// sender prints what a side sends: one method for each of the protocol's.
func (e *emitter) sender(f *jenFile, side int) {
	if e.pkg.RPC == nil {
		return
	}
	p := e.pkg.RPC.Sides[side]
	to, from := string(peerOf(p.Side)), string(p.Side)
	f.add([]string{
		p.Name + " sends what a " + from + " may send to a " + to + ". It is safe for several goroutines at once.",
	}, Type().Id(p.Name).Struct(Id("conn").Id("Conn"), Id("gate").Id("gate")))
	f.add([]string{"New" + p.Name + " returns a " + from + "'s end of a connection."},
		Func().Id("New"+p.Name).Params(Id("conn").Id("Conn")).Op("*").Id(p.Name).
			Add(inline(Return(Op("&").Id(p.Name).Values(Id("conn").Op(":").Id("conn"))))))
	receiver := func() *Statement { return Func().Params(Id("c").Op("*").Id(p.Name)) }
	f.add([]string{
		"AtVersion returns a " + p.Name + " on the same connection that refuses to send what the given version of the",
		"protocol does not know: such errors are [ErrNotInVersion], which a sender to many peers may pass over.",
	}, receiver().Id("AtVersion").Params(Id("version").String()).Params(Op("*").Id(p.Name), Error()).Block(
		List(Id("gate"), Err()).Op(":=").Id("newGate").Call(Id("version")),
		If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
		Return(Op("&").Id(p.Name).Values(Id("c").Dot("conn"), Id("gate")), Nil()),
	))
	for _, c := range p.Sends {
		f.add(e.callDoc(c), receiver().Id(c.Name).Params(callParams(c)...).Params(callResults(c)...).BlockFunc(func(g *Group) { e.callBody(g, p, c) }))
	}
	e.rawCalls(f, p, receiver)
}

func peerOf(s protocol.Side) protocol.Side {
	if s == protocol.FromClient {
		return protocol.FromHost
	}
	return protocol.FromClient
}

func (e *emitter) callDoc(c *golang.Call) []string {
	kind := "request"
	if c.Notification {
		kind = "notification"
	}
	first := c.Name + " sends the " + kind + " " + gotext.Literal(c.Wire) + "."
	if len(c.Doc) == 0 {
		return []string{first}
	}
	return append([]string{first, ""}, c.Doc...)
}

func callParams(c *golang.Call) []Code {
	params := []Code{ctxParam()}
	if c.Params != nil {
		params = append(params, Id("p").Add(payload(c.Params)))
	}
	return params
}

func callResults(c *golang.Call) []Code {
	if c.Notification || c.Result == nil {
		return []Code{Error()}
	}
	return []Code{payload(c.Result), Error()}
}

// runtimeCall names the runtime's function for a method of a shape.
func runtimeCall(c *golang.Call, base string) string {
	if c.Params == nil {
		base += "Bare"
	}
	if !c.Notification && c.Result == nil {
		base += "Null"
	}
	return base
}

func (e *emitter) callBody(g *Group, p *golang.Party, c *golang.Call) {
	fail := func() *Statement {
		if len(callResults(c)) == 2 {
			return Return(Nil(), Err())
		}
		return Return(Err())
	}
	g.If(Err().Op(":=").Id("c").Dot("gate").Dot("method").Call(Id(c.Const)), Err().Op("!=").Nil()).Block(fail())
	for _, field := range c.Actions {
		action := func() *Statement { return Id("p").Dot(field.Name) }
		g.If(Id("p").Op("!=").Nil().Op("&&").Op("!").Id("isNil").Call(action())).Block(
			If(Err().Op(":=").Id("c").Dot("gate").Dot("action").Call(action().Dot(e.pkg.Actions.Union.Tag.Name).Call()), Err().Op("!=").Nil()).Block(fail()),
		)
	}
	name := "call"
	if c.Notification {
		name = "notify"
	}
	args := []Code{Id("ctx"), Id("c").Dot("conn"), Id(c.Const)}
	if c.Params != nil {
		args = append(args, Id("p"))
	}
	if !c.Notification && c.Result != nil {
		args = append(args, Id(decoder(c.Result)))
	}
	send := Id(runtimeCall(c, name)).Call(args...)
	h := e.pkg.RPC.Handshake
	if h == nil || h.Method != c.Method {
		g.Return(send)
		return
	}
	// The host may only pick what was offered, so that nobody goes on with a version by mistake.
	g.List(Id("r"), Err()).Op(":=").Add(send)
	g.If(Err().Op("!=").Nil()).Block(Return(Nil(), Err()))
	g.If(Err().Op(":=").Id("CheckVersion").Call(Id("p").Dot(h.Offer.Name), Id("r").Dot(h.Answer.Name)), Err().Op("!=").Nil()).Block(
		Return(Nil(), Qual("fmt", "Errorf").Call(Lit("%s: result: %w"), Id(c.Const), Id("atMember").Call(text(h.Answer.Wire), Err()))),
	)
	g.Return(Id("r"), Nil())
}

// rawCalls prints what sends methods that the protocol does not define.
func (e *emitter) rawCalls(f *jenFile, p *golang.Party, receiver func() *Statement) {
	params := []Code{ctxParam(), Id("method").String(), Id("params").Add(rawMessage())}
	methods := func(check *Statement, callName, notifyName string, callDoc, notifyDoc []string) {
		f.add(callDoc, receiver().Id(callName).Params(params...).Params(rawMessage(), Error()).Block(
			List(Id("m"), Err()).Op(":=").Add(check.Clone()),
			If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
			Return(Id("send").Call(Id("ctx"), Id("c").Dot("conn"), Id("m"), Id("params"))),
		))
		f.add(notifyDoc, receiver().Id(notifyName).Params(params...).Error().Block(
			List(Id("m"), Err()).Op(":=").Add(check.Clone()),
			If(Err().Op("!=").Nil()).Block(Return(Err())),
			Return(Id("sendNotification").Call(Id("ctx"), Id("c").Dot("conn"), Id("m"), Id("params"))),
		))
	}
	if len(e.pkg.RPC.PassThroughs) > 0 {
		methods(Id("checkPassThrough").Call(Id("method"), Id("params"), Id("is"+p.Peer+"Method").Call(Id("method"))), "PassThrough", "NotifyPassThrough",
			[]string{
				"PassThrough sends a request of another protocol. Its parameters name the channel that carries it, and the",
				"method is none that this protocol defines for the receiver.",
			},
			[]string{"NotifyPassThrough sends a notification of another protocol, as [" + p.Name + ".PassThrough] does with requests."})
	}
	if e.pkg.RPC.Extension != "" {
		methods(Id("checkExtension").Call(Id("method")), "CallExtension", "NotifyExtension",
			[]string{"CallExtension sends a request that the protocol does not define; its name begins with " + gotext.Literal(e.pkg.RPC.Extension) + "."},
			[]string{"NotifyExtension sends a notification that the protocol does not define; its name begins with " + gotext.Literal(e.pkg.RPC.Extension) + "."})
	}
}
