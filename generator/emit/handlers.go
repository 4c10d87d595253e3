// Handlers: how each side takes what it receives.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/golang"
)

// handlers prints how each side handles what it receives.
func (e *emitter) handlers(f *jenFile) {
	if e.pkg.RPC == nil {
		return
	}
	for _, p := range e.pkg.RPC.Sides {
		e.handlersOf(f, p)
	}
}

func (e *emitter) handlersOf(f *jenFile, p *golang.Party) {
	name := p.Name + "Handlers"
	f.add([]string{
		name + " handles what a " + string(peerOf(p.Side)) + " sends to a " + string(p.Side) + ". A request without a handler is answered",
		"with -32601, one with bad parameters with -32602 and the path to what is wrong, and one whose handler",
		"panics with -32603. An [*RPCError] or [ErrorCode] that a handler returns is answered as it is, any other",
		"error with -32603 and its text. Handlers run on the goroutine of whoever calls Call, Notify or Dispatch.",
		"",
		"It is a [Conn]: the peer's end, in memory.",
	}, Type().Id(name).StructFunc(func(g *Group) {
		for _, c := range p.Receives {
			params := []Code{Qual(contextPath, "Context")}
			if c.Params != nil {
				params = append(params, payload(c.Params))
			}
			field := g.Id(c.Name).Func().Params(params...)
			if !c.Notification {
				field.Params(callResults(c)...)
			}
		}
		g.Line()
		if len(e.pkg.RPC.PassThroughs) > 0 {
			g.Comment("PassThrough handles requests and notifications of another protocol, on channels that carry them.")
			g.Id("PassThrough").Id("PassThroughHandler")
		}
		if e.pkg.RPC.Extension != "" {
			g.Comment("Extensions handles requests and notifications that the protocol does not define, by full name.")
			g.Id("Extensions").Map(String()).Id("ExtensionHandler")
		}
		g.Comment("OnPanic is told what a handler panicked with; the peer is not.")
		g.Id("OnPanic").Func().Params(ctxParam(), Id("method").String(), Id("value").Any())
		g.Comment("OnDrop is told of notifications that no handler got, and why.")
		g.Id("OnDrop").Func().Params(ctxParam(), Id("method").String(), Id("params").Add(rawMessage()), Err().Error())
	}))
	f.add(nil, Var().Id("_").Id("Conn").Op("=").Parens(Op("*").Id(name)).Call(Nil()))
	receiver := func() *Statement { return Func().Params(Id("h").Op("*").Id(name)) }
	raw := []Code{ctxParam(), Id("method").String(), Id("params").Add(rawMessage())}
	f.add([]string{"Call answers a request: with a result, or with an error that is an [*RPCError]."},
		receiver().Id("Call").Params(raw...).Params(rawMessage(), Error()).Block(
			Return(Id("h").Dot("hooks").Call().Dot("answer").Call(Id("ctx"), Id("method"),
				Func().Params().Params(rawMessage(), Error()).Add(inline(Return(Id("h").Dot("call").Call(Id("ctx"), Id("method"), Id("params"))))))),
		))
	f.Line()
	f.Add(receiver().Id("call").Params(raw...).Params(rawMessage(), Error()).BlockFunc(func(g *Group) {
		methodSwitch(g, p, false, Id("method"), e.serve)
		g.Add(e.callOther(p))
	}))
	f.add([]string{"Notify handles a notification. There is never anything to answer, and the error is always nil."},
		receiver().Id("Notify").Params(raw...).Error().Block(
			Id("h").Dot("take").Call(Id("ctx"), Op("&").Id("notification").Values(Id("method").Op(":").Id("method"), Id("params").Op(":").Id("params"))),
			Return(Nil()),
		))
	f.add([]string{
		"Dispatch handles a message. If ok, reply is to be sent; notifications and answers have none.",
	}, receiver().Id("Dispatch").Params(ctxParam(), Id("f").Op("*").Id("Frame")).Params(Id("reply").Id("RPCMessage"), Id("ok").Bool()).Block(
		Switch(Id("f").Dot("Kind")).Block(
			Case(Id("RPCRequest")).Block(
				List(Id("result"), Err()).Op(":=").Id("h").Dot("Call").Call(Id("ctx"), Id("f").Dot("Method"), Id("f").Dot("Params")),
				Return(Id("response").Call(Id("f").Dot("ID"), Id("result"), Err()), True()),
			),
			Case(Id("RPCNotification")).Block(
				Id("h").Dot("take").Call(Id("ctx"), Op("&").Id("notification").Values(
					Id("f").Dot("Method"), Id("f").Dot("Params"), Id("f").Dot("Decoded"), Id("f").Dot("DecodeError"),
				)),
			),
		),
		Return(Id("RPCMessage").Values(), False()),
	))
	f.Line()
	f.Add(receiver().Id("take").Params(ctxParam(), Id("n").Op("*").Id("notification")).Block(
		Id("h").Dot("hooks").Call().Dot("take").Call(Id("ctx"), Id("n"), Func().Params().Error().BlockFunc(func(g *Group) {
			methodSwitch(g, p, true, Id("n").Dot("method"), e.deliver)
			g.Add(e.notifyOther(p))
		})),
	))
	f.Line()
	f.Add(receiver().Id("hooks").Params().Id("hooks").Add(inline(Return(Id("hooks").Values(Id("h").Dot("OnPanic"), Id("h").Dot("OnDrop"))))))
	if len(e.pkg.RPC.PassThroughs) > 0 {
		e.isMethod(f, p)
	}
}

// methodSwitch prints what a side does with each of its requests, or of its notifications.
func methodSwitch(g *Group, p *golang.Party, notifications bool, method Code, handle func(*golang.Call) *Statement) {
	var cases []Code
	for _, c := range p.Receives {
		if c.Notification == notifications {
			cases = append(cases, Case(Id(c.Const)).Block(Return(handle(c))))
		}
	}
	if len(cases) > 0 {
		g.Switch(Id("Method").Call(method)).Block(cases...)
	}
}

// serve prints the call that answers a request of one method.
func (e *emitter) serve(c *golang.Call) *Statement {
	args := []Code{Id("ctx"), Id("method"), Id("h").Dot(c.Name)}
	if h := e.pkg.RPC.Handshake; h != nil && h.Method == c.Method {
		args[2] = Id("checkedAnswer").Call(args[2])
	}
	if c.Params != nil {
		args = append(args, Id("params"), Id(decoder(c.Params)))
	}
	return Id(runtimeCall(c, "serve")).Call(args...)
}

func (e *emitter) deliver(c *golang.Call) *Statement {
	args := []Code{Id("ctx"), Id("n"), Id("h").Dot(c.Name)}
	if c.Params != nil {
		args = append(args, Id(decoder(c.Params)))
	}
	return Id(runtimeCall(c, "deliver")).Call(args...)
}

// callOther prints what happens to requests that the table does not know.
//
// A request with the name of a notification, or the other way round, is nothing to pass through.
func (e *emitter) callOther(p *golang.Party) *Statement {
	extension := Id("serveExtension").Call(Id("ctx"), Id("h").Dot("Extensions"), Id("method"), Id("params"))
	passed := Id("servePassThrough").Call(Id("ctx"), Id("h").Dot("PassThrough"), Id("is"+p.Name+"Method").Call(Id("method")), Id("method"), Id("params"))
	hasExtensions, hasPassThrough := e.pkg.RPC.Extension != "", len(e.pkg.RPC.PassThroughs) > 0
	switch {
	case hasExtensions && hasPassThrough:
		return If(Id("isExtension").Call(Id("method"))).Block(Return(extension)).Line().Return(passed)
	case hasExtensions:
		return Return(extension)
	case hasPassThrough:
		return Return(passed)
	}
	return Return(Nil(), Id("notFound").Call(Id("method")))
}

func (e *emitter) notifyOther(p *golang.Party) *Statement {
	extension := Id("serveExtension").Call(Id("ctx"), Id("h").Dot("Extensions"), Id("n").Dot("method"), Id("n").Dot("params"))
	passed := Id("servePassThrough").Call(
		Id("ctx"), Id("h").Dot("PassThrough"), Id("is"+p.Name+"Method").Call(Id("n").Dot("method")), Id("n").Dot("method"), Id("n").Dot("params"),
	)
	discard := func(s *Statement) *Statement {
		return List(Id("_"), Err()).Op(":=").Add(s).Line().Return(Err())
	}
	hasExtensions, hasPassThrough := e.pkg.RPC.Extension != "", len(e.pkg.RPC.PassThroughs) > 0
	switch {
	case hasExtensions && hasPassThrough:
		return If(Id("isExtension").Call(Id("n").Dot("method"))).Block(discard(extension)).Line().Add(discard(passed))
	case hasExtensions:
		return discard(extension)
	case hasPassThrough:
		return discard(passed)
	}
	return Return(Id("notFound").Call(Id("n").Dot("method")))
}

// isMethod prints what tells the methods that a side receives from those of other protocols.
func (e *emitter) isMethod(f *jenFile, p *golang.Party) {
	f.Line()
	f.Func().Id("is" + p.Name + "Method").Params(Id("method").String()).Bool().BlockFunc(func(g *Group) {
		if len(p.Receives) > 0 {
			g.Switch(Id("Method").Call(Id("method"))).Block(CaseFunc(func(g *Group) {
				for _, c := range p.Receives {
					g.Line().Id(c.Const)
				}
			}).Block(Return(True())))
		}
		g.Return(False())
	})
}
