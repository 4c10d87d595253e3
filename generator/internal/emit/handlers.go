// Handlers: how each side takes what it receives.

package emit

import (
	"slices"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
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
	name := p.Handlers
	doc := comment(name + " handles what " + p.PeerA + " sends to " + p.A + ". A request without a handler is answered" +
		" with -32601, one with bad parameters with -32602 and the path to what is wrong, and one whose handler" +
		" panics with -32603. An error that a handler returns is answered as it is where it has a code, and with -32603 and its text otherwise.")
	f.add(append(doc, "", "It is an rpc.Handler, and rpc.Local makes the peer's end of it, in memory."), Type().Id(name).StructFunc(func(g *Group) {
		for _, c := range p.Receives {
			e.handlerField(g, c)
		}
		g.Line()
		if len(e.pkg.RPC.PassThroughs) > 0 {
			addComments(g, []string{p.OwnField("PassThrough") + " handles requests and notifications of another protocol, on channels that carry them."})
			g.Id(p.OwnField("PassThrough")).Add(e.rpc("PassThroughHandler"))
		}
		if e.pkg.RPC.Extension != "" {
			addComments(g, []string{p.OwnField("Extensions") + " handles requests and notifications that the protocol does not define, by full name."})
			g.Id(p.OwnField("Extensions")).Map(String()).Add(e.rpc("ExtensionHandler"))
		}
		addComments(g, []string{p.OwnField("OnPanic") + " is told what a handler panicked with; the peer is not."})
		g.Id(p.OwnField("OnPanic")).Func().Params(ctxParam(), Id("method").String(), Id("value").Any())
		addComments(g, []string{p.OwnField("OnDrop") + " is told of notifications that no handler got, and why."})
		g.Id(p.OwnField("OnDrop")).Func().Params(ctxParam(), Id("method").String(), Id("params").Add(rawMessage()), Err().Error())
	}))
	receiver := func() *Statement { return Func().Params(Id("h").Op("*").Id(name)) }
	f.add([]string{"DecodeRPC decodes a message of the protocol."},
		receiver().Id("DecodeRPC").Params(Id("data").Index().Byte()).Params(e.rpc("Message"), Error()).
			Add(inline(Return(e.rpc("Decode").Call(Id("data"), Op("&").Id("methods"))))))
	if c := e.pkg.RPC.Calls; c != nil && c.Ping != nil && c.Ping.From != p.Side.Peer() {
		params := Nil()
		if c.PingParams != "" {
			params = rawMessage().Call(text(c.PingParams))
		}
		f.add([]string{"AskRPC returns the request that asks " + p.PeerA + " for a sign of life."},
			receiver().Id("AskRPC").Params().Params(Id("method").String(), Id("params").Add(rawMessage())).
				Add(inline(Return(text(c.Ping.Wire), params))))
	}
	serve := []Code{ctxParam(), Id("m").Op("*").Add(e.rpc("Message"))}
	f.add([]string{"ServeRPC handles a request, whose result it returns, or a notification."},
		receiver().Id("ServeRPC").Params(serve...).Params(rawMessage(), Error()).Block(
			Id("hooks").Op(":=").Add(e.rpc("Hooks")).ValuesFunc(func(g *Group) {
				set := func(hook, field string) { g.Id(hook).Op(":").Id("h").Dot(p.OwnField(field)) }
				set("Panicked", "OnPanic")
				set("Dropped", "OnDrop")
				if len(e.pkg.RPC.PassThroughs) > 0 {
					set("PassThrough", "PassThrough")
				}
				if e.pkg.RPC.Extension != "" {
					set("Extensions", "Extensions")
				}
				if in := e.pkg.RPC.Introduction; in != nil && p.Side == protocol.FromHost {
					g.Id("Introduction").Op(":").Add(text(in.Wire))
				}
			}),
			Return(Id("hooks").Dot("Serve").Call(Id("ctx"), Id("m"), Func().Params(serve...).Params(rawMessage(), Error()).BlockFunc(func(g *Group) {
				if len(p.Receives) > 0 {
					g.Switch(Id("m").Dot("Method")).BlockFunc(func(g *Group) { e.handleAll(g, p.Receives) })
				}
				g.Return(Id("hooks").Dot("ServeOther").Call(Id("ctx"), Id("m"), Op("&").Id("methods")))
			}))),
		))
}

// handlerField prints the field for what handles a method.
func (e *emitter) handlerField(g *Group, c *golang.Call) {
	params := []Code{Qual(contextPath, "Context")}
	if c.Params != nil {
		params = append(params, e.payload(c.Params))
	}
	field := g.Id(c.Name).Func().Params(params...)
	if !c.Notification {
		field.Params(e.callResults(c)...)
	}
	if c.NullResult {
		field.Comment("nil is null")
	}
}

// handleAll prints what handles the messages of each method. A request and a notification may share a name.
func (e *emitter) handleAll(g *Group, calls []*golang.Call) {
	twins := map[string]*golang.Call{} // notifications that a request is called like
	for _, c := range calls {
		if c.Notification && slices.ContainsFunc(calls, func(o *golang.Call) bool { return o.Wire == c.Wire && !o.Notification }) {
			twins[c.Wire] = c
		}
	}
	for _, c := range calls {
		twin := twins[c.Wire]
		if twin == c {
			continue
		}
		g.Case(text(c.Wire)).BlockFunc(func(g *Group) {
			if twin != nil {
				g.If(Id("m").Dot("Kind").Op("==").Add(e.rpc("Notification"))).Block(Return(e.handle(twin)))
			}
			g.Return(e.handle(c))
		})
	}
}

// handle prints the call that handles a message of one method.
func (e *emitter) handle(c *golang.Call) *Statement {
	handler := Id("h").Dot(c.Name)
	if h := e.pkg.RPC.Handshake; h != nil && h.Method == c.Method {
		handler = e.rpc("Checked").Call(handler, Id("checkVersion"))
	}
	if c.NullResult {
		handler = e.rpc(shapeOf(c, "OrNull")).Call(handler)
	}
	args := []Code{Id("ctx"), Id("m"), handler}
	if c.Params != nil {
		args = append(args, e.decoder(c.Params))
	}
	if c.Notification {
		return e.rpc(shapeOf(c, "Take")).Call(args...)
	}
	if golang.IsRaw(c.Result) {
		return e.rpc(shapeOf(c, "Handle") + "Raw").Call(args...)
	}
	return e.rpc(shapeOf(c, "Handle")).Call(args...)
}
