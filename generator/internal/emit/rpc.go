// Calls: what each side sends.

package emit

import (
	"slices"
	"strings"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

const contextPath = "context"

// rpc names something of the package that knows JSON-RPC.
func (e *emitter) rpc(name string) *Statement { return Qual(e.pkg.Wire+"/rpc", name) }

func ctxParam() *Statement   { return Id("ctx").Qual(contextPath, "Context") }
func rawMessage() *Statement { return Qual(jsonPath, "RawMessage") }

// decoder prints the function that decodes what a method takes or returns.
func (e *emitter) decoder(t golang.Type) *Statement {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		return e.own("Decode").Types(Id(t.Name))
	case golang.UnionType:
		return Id(t.Decode)
	case golang.Basic:
		if t == golang.Raw {
			return e.rpc("DecodeRaw")
		}
	}
	panic("emit: a method's type has no decoder") // refused by package golang
}

// orNull prints a decoder of results that also takes null, if the method may be answered so.
func (e *emitter) orNull(m *golang.Method, decoder *Statement) *Statement {
	if m.NullResult {
		return e.wire("NullOr").Call(decoder)
	}
	return decoder
}

// payload prints the type that a method takes or returns: a pointer to a struct, or a union.
func (e *emitter) payload(t golang.Type) *Statement {
	if _, ok := golang.Underlying(t).(golang.StructType); ok {
		return Op("*").Add(e.goType(t))
	}
	return e.goType(t)
}

func (e *emitter) client(f *jenFile) { e.sender(f, 0) }

func (e *emitter) host(f *jenFile) { e.sender(f, 1) }

// sender prints what a side sends: one method for each of the protocol's.
func (e *emitter) sender(f *jenFile, side int) {
	if e.pkg.RPC == nil {
		return
	}
	p := e.pkg.RPC.Sides[side]
	name := p.Name
	doc := []string{name + " sends what " + p.A + " may send to " + p.PeerA + ". It is safe for several goroutines at once."}
	if slices.ContainsFunc(p.Sends, func(c *golang.Call) bool { return !c.Notification && c.Result != nil }) {
		doc = append(append(doc, ""), comment("A request returns its result and an error both where a list in the result has items that cannot"+
			" be decoded: the result is without them, and the error is an *rpc.ItemsError that holds them.")...)
	}
	link := []Code{Id("link")} // what a new sender on the same connection has
	head := Func().Id(p.New).Params(Id("conn").Add(e.rpc("Conn"))).Op("*").Id(name)
	open := e.rpc("NewLink").Call(Id("conn"), Op("&").Id("methods"))
	if e.pkg.RPC.Introduction == nil {
		f.add(doc, Type().Id(name).Struct(Id("link").Add(e.rpc("Link"))))
		head.Add(inline(Return(Op("&").Id(name).Values(open))))
	} else {
		link = append(link, Id("c").Dot("guard"))
		f.add(doc, Type().Id(name).Struct(Id("link").Add(e.rpc("Link")), Id("guard").Op("*").Add(e.gate("Guard"))))
		head.Block(
			Id("guard").Op(":=").Add(e.gate("New")).Call(Op("&").Id(p.GateTable), Id("conn")),
			Return(Op("&").Id(name).Values(open.Dot("Guarded").Call(Id("guard")), Id("guard"))),
		)
	}
	f.add([]string{p.New + " returns " + p.A + "'s end of a connection."}, head)
	receiver := func() *Statement { return Func().Params(Id("c").Op("*").Id(name)) }
	if h := e.pkg.RPC.Handshake; h == nil || h.Error != nil { // versions with an order
		e.atVersion(f, p, name, link, receiver)
	}
	if e.pkg.RPC.Introduction != nil {
		e.guarded(f, p, receiver)
	}
	for _, c := range p.Sends {
		f.add(e.callDoc(c), receiver().Id(c.Name).Params(e.callParams(c)...).Params(e.callResults(c)...).BlockFunc(func(g *Group) { e.callBody(g, c) }))
	}
	e.rawCalls(f, p, receiver)
}

func (e *emitter) atVersion(f *jenFile, p *golang.Party, name string, link []Code, receiver func() *Statement) {
	f.add([]string{
		p.Own("AtVersion") + " returns " + protocol.A(name) + " on the same connection that refuses to send what the given version of the",
		"protocol does not know: such errors are rpc.ErrNotInVersion, which a sender to many peers may pass over.",
	}, receiver().Id(p.Own("AtVersion")).Params(Id("version").String()).Params(Op("*").Id(name), Error()).Block(
		List(Id("link"), Err()).Op(":=").Id("c").Dot("link").Dot("AtVersion").Call(Id("version")),
		If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
		Return(Op("&").Id(name).Values(link...), Nil()),
	))
}

// gate names something of the package that holds back what a peer has not said that it can take.
func (e *emitter) gate(name string) *Statement { return Qual(e.pkg.Wire+"/gate", name) }

// guarded prints what a sender knows of its peer, and what it must not send to any.
func (e *emitter) guarded(f *jenFile, p *golang.Party, receiver func() *Statement) {
	in := e.pkg.RPC.Introduction
	opens := p.Side == protocol.FromClient
	said := in.Params
	if opens {
		said = in.Result
	}
	f.add(comment(p.Own("Supports")+" reports whether the peer has said that it can take a method, which the constants name. It is true of those for which"+
		" it need not say anything. What else the parameters may have in them is another matter: whatever the peer has not said that it can take is refused with"+
		" a *gate.Error, which is gate.ErrNotAdvertised, before anything is sent."),
		receiver().Id(p.Own("Supports")).Params(Id("method").String()).Bool().Add(inline(Return(Id("c").Dot("guard").Dot("Supports").Call(Id("method"))))))
	if said == nil {
		return
	}
	f.add(comment(p.Own("Introduced")+" notes what the peer has said of itself. The connection does that by itself if it is an *rpc.Peer"+ifOpens(opens)+"."),
		receiver().Id(p.Own("Introduced")).Params(Id("said").Add(e.payload(said))).Error().Block(
			List(Id("raw"), Err()).Op(":=").Id("said").Dot("AppendJSON").Call(Nil()),
			If(Err().Op("==").Nil()).Block(Id("c").Dot("guard").Dot("Introduce").Call(Id("raw"))),
			Return(Err()),
		))
}

func ifOpens(opens bool) string {
	if opens {
		return ", and otherwise the sender that makes the request"
	}
	return " that serves the handlers"
}

// gateTable prints what a side must not send to a peer that has not said that it can take it.
func (e *emitter) gateTable(f *jenFile, p *golang.Party) {
	f.add(comment(p.GateTable+" are what "+p.PeerA+" has to have said of itself before "+p.A+" sends it something."),
		Var().Id(p.GateTable).Op("=").Add(e.gate("Gates")).BlockFunc(func(g *Group) {
			field := func(name string, value Code) { g.Id(name).Op(":").Add(value).Op(",") }
			field("Method", text(e.pkg.RPC.Introduction.Wire))
			if p.Side == protocol.FromClient {
				field("Opens", True())
			}
			var methods, values []golang.Gate
			for _, at := range p.Gates {
				if at.Member == "" {
					methods = append(methods, at)
				} else {
					values = append(values, at)
				}
			}
			if len(methods) > 0 {
				field("Methods", Map(String()).String().BlockFunc(func(g *Group) {
					for _, at := range methods {
						g.Add(text(at.Method.Wire)).Op(":").Add(text(at.Needs)).Op(",")
					}
				}))
			}
			if len(values) > 0 {
				field("Values", Index().Add(e.gate("Value")).BlockFunc(func(g *Group) {
					for _, at := range values {
						g.Values(gatedValue(at)...).Op(",")
					}
				}))
			}
		}))
}

func gatedValue(at golang.Gate) []Code {
	fields := []Code{Id("Method").Op(":").Add(text(at.Method.Wire)), Id("Member").Op(":").Add(text(at.Member))}
	if at.Is != "" {
		fields = append(fields, Id("Is").Op(":").Add(text(at.Is)))
	}
	return append(fields, Id("Needs").Op(":").Add(text(at.Needs)))
}

func (e *emitter) callDoc(c *golang.Call) []string {
	kind := "request"
	if c.Notification {
		kind = "notification"
	}
	first := c.Name + " sends the " + kind + " " + gotext.Literal(c.Wire)
	doc := []string{first + "."}
	if len(c.Doc) > 0 {
		doc = golang.Lead(first+": ", c.Doc)
	}
	var about []string
	if e.mayBeEmpty(c) {
		about = append(about, "A nil p is one without members.")
	}
	if c.NullResult {
		about = append(about, "The result is nil if the answer is null.")
	}
	if len(about) > 0 {
		doc = append(doc, "", strings.Join(about, " "))
	}
	if c.Refusal != nil && len(c.Actions) > 0 {
		doc = append(append(doc, ""), comment("An action with a "+c.Refusal.Name+" goes back to whoever sent it, so it passes at any version.")...)
	}
	return doc
}

// mayBeEmpty reports whether the parameters are an object that needs no members, and is not needed here.
func (e *emitter) mayBeEmpty(c *golang.Call) bool {
	if h := e.pkg.RPC.Handshake; h != nil && h.Method == c.Method {
		return false
	}
	params, ok := golang.Underlying(c.Params).(golang.StructType)
	return ok && len(params.Choices) == 0 && !slices.ContainsFunc(params.Fields, func(f *golang.Field) bool {
		return f.Presence == golang.Required || f.Presence == golang.Nullable
	})
}

func (e *emitter) callParams(c *golang.Call) []Code {
	params := []Code{ctxParam()}
	if c.Params != nil {
		params = append(params, Id("p").Add(e.payload(c.Params)))
	}
	return params
}

func (e *emitter) callResults(c *golang.Call) []Code {
	if c.Notification || c.Result == nil {
		return []Code{Error()}
	}
	return []Code{e.payload(c.Result), Error()}
}

// shapeOf names the function below for a method of a shape.
func shapeOf(c *golang.Call, base string) string {
	if c.Params == nil {
		base += "Bare"
	}
	if !c.Notification && c.Result == nil {
		base += "Null"
	}
	return base
}

func (e *emitter) callBody(g *Group, c *golang.Call) {
	fail := func() *Statement {
		if len(e.callResults(c)) == 2 {
			return Return(Nil(), Err())
		}
		return Return(Err())
	}
	for _, field := range c.Actions {
		action := func() *Statement { return Id("p").Dot(field.Name) }
		checked := Id("p").Op("!=").Nil().Op("&&").Op("!").Add(e.wire("IsNil")).Call(action())
		if c.Refusal != nil {
			checked.Op("&&").Id("p").Dot(c.Refusal.Name).Op("==").Nil()
		}
		g.If(checked).Block(
			If(Err().Op(":=").Id("checkAction").Call(Id("c").Dot("link"), action().Dot(e.pkg.Actions.Union.Tag.Name).Call()), Err().Op("!=").Nil()).Block(fail()),
		)
	}
	name := "Call"
	if c.Notification {
		name = "Notify"
	}
	args := []Code{Id("ctx"), Id("c").Dot("link"), text(c.Wire)}
	switch {
	case e.mayBeEmpty(c):
		args = append(args, e.rpc("OrEmpty").Call(Id("p")))
	case c.Params != nil:
		args = append(args, Id("p"))
	}
	if !c.Notification && c.Result != nil {
		args = append(args, e.orNull(c.Method, e.decoder(c.Result)))
	}
	send := e.rpc(shapeOf(c, name)).Call(args...)
	h := e.pkg.RPC.Handshake
	if h == nil || h.Method != c.Method {
		g.Return(send)
		return
	}
	// The host may only pick what was offered, so that nobody goes on with a version by mistake.
	g.List(Id("r"), Err()).Op(":=").Add(send)
	g.If(Id("r").Op("==").Nil()).Block(Return(Nil(), Err()))
	g.If(Err().Op(":=").Add(e.checkVersion(h, Id("p"), Id("r"))), Err().Op("!=").Nil()).Block(
		Return(Nil(), Qual("fmt", "Errorf").Call(Lit("%s: result: %w"), text(c.Wire), Err())),
	)
	g.Return(Id("r"), Err())
}

// checkVersion prints the check that an answer has one of the offered versions.
func (e *emitter) checkVersion(h *golang.Handshake, params, result *Statement) *Statement {
	if h.Error == nil {
		return e.rpc("CheckAnswer").Call(params.Dot(h.Offer.Name), result.Dot(h.Answer.Name), Id("spokenVersions"), text(h.Answer.Wire))
	}
	return e.versions("CheckVersion").Call(params.Dot(h.Offer.Name), result.Dot(h.Answer.Name), text(h.Answer.Wire))
}

// rawCalls prints what sends methods that the protocol does not define.
func (e *emitter) rawCalls(f *jenFile, p *golang.Party, receiver func() *Statement) {
	params := []Code{ctxParam(), Id("method").String(), Id("params").Add(rawMessage())}
	pair := func(call, notify string, callDoc, notifyDoc string) {
		for _, m := range []struct {
			name, doc string
			results   []Code
		}{{call, callDoc, []Code{rawMessage(), Error()}}, {notify, notifyDoc, []Code{Error()}}} {
			f.add(comment(p.Own(m.name)+m.doc), receiver().Id(p.Own(m.name)).Params(params...).Params(m.results...).Block(
				Return(Id("c").Dot("link").Dot(m.name).Call(Id("ctx"), Id("method"), Id("params"))),
			))
		}
	}
	if len(e.pkg.RPC.PassThroughs) > 0 {
		pair("PassThrough", "NotifyPassThrough",
			" sends a request of another protocol. Its parameters name the channel that carries it, and the method is none of this protocol's.",
			" sends a notification of another protocol, as "+p.Own("PassThrough")+" does with requests.")
	}
	if e.pkg.RPC.Extension != "" {
		begin := "; its name begins with " + gotext.Literal(e.pkg.RPC.Extension) + "."
		pair("CallExtension", "NotifyExtension",
			" sends a request that the protocol does not define"+begin, " sends a notification that the protocol does not define"+begin)
	}
}
