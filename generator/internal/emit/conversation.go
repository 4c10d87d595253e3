// Conversation: what the floor below has to know of the protocol's methods and errors, and the
// handshake.

package emit

import (
	"slices"
	"strconv"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

func (e *emitter) conversation(f *jenFile) {
	if e.pkg.RPC == nil {
		return
	}
	e.methodTable(f)
	if e.pkg.RPC.Introduction != nil {
		for _, p := range e.pkg.RPC.Sides {
			e.gateTable(f, p)
		}
	}
	e.progress(f)
	e.errorData(f)
	if e.pkg.Actions != nil {
		e.actionVersions(f)
	}
	if e.pkg.RPC.Handshake != nil {
		e.handshake(f)
	}
}

func (e *emitter) methodTable(f *jenFile) {
	f.add([]string{"methods is what package rpc has to know of the protocol."},
		Var().Id("methods").Op("=").Add(e.rpc("Table")).BlockFunc(func(g *Group) {
			field := func(name string, value Code) { g.Id(name).Op(":").Add(value).Op(",") }
			field("Known", Func().Params(Id("name").Index().Byte()).Params(String(), Bool()).
				Add(inline(Return(e.wire("FindName").Call(Op("&").Id("methodTable"), Id("name"))))))
			field("Notification", Id("decodeNotification"))
			field("Since", Id("methodSince"))
			if order := orders[e.pkg.Order]; order != "" {
				field("Versions", e.rpc(order))
			}
			if c := e.pkg.RPC.Calls; c != nil && c.Cancel != nil {
				how := []Code{Id("Method").Op(":").Add(text(c.Cancel.Wire)), Id("Member").Op(":").Add(text(c.CancelID))}
				if c.CancelError != 0 {
					how = append(how, Id("Code").Op(":").Lit(int(c.CancelError)))
				}
				field("Cancel", Op("&").Add(e.rpc("Cancelling")).Values(how...))
			}
			if c := e.pkg.RPC.Calls; c != nil && len(c.Ends) > 0 {
				field("Ends", Index().Add(e.rpc("Ending")).ValuesFunc(func(g *Group) {
					for _, end := range c.Ends {
						how := []Code{
							Id("Method").Op(":").Add(text(end.Method.Wire)), Id("Request").Op(":").Add(text(end.Request.Wire)),
							Id("Member").Op(":").Add(text(end.Member)),
						}
						if end.Result != "" {
							how = append(how, Id("Result").Op(":").Add(rawMessage()).Call(text(end.Result)))
						}
						g.Values(how...)
					}
				}))
			}
			if c := e.pkg.RPC.Calls; c != nil && c.Progress != nil {
				path := make([]Code, len(c.RequestPath))
				for i, name := range c.RequestPath {
					path[i] = text(name)
				}
				field("Progress", Op("&").Add(e.rpc("Progressing")).Values(
					Id("Method").Op(":").Add(text(c.Progress.Wire)), Id("Token").Op(":").Add(text(c.Token)),
					Id("Request").Op(":").Index().String().Values(path...), Id("Takes").Op(":").Id("takesProgress"),
				))
			}
			if batches := e.pkg.RPC.Batches; batches != nil {
				field("Batches", e.batching(batches))
			}
			if e.pkg.RPC.Extension != "" {
				field("Extension", text(e.pkg.RPC.Extension))
				if e.pkg.RPC.ExtensionSince != "" {
					field("ExtensionSince", text(e.pkg.RPC.ExtensionSince))
				}
			}
			if len(e.pkg.RPC.PassThroughs) > 0 {
				field("PassThroughs", Index().Add(e.rpc("PassThrough")).ValuesFunc(func(g *Group) {
					for _, p := range e.pkg.RPC.PassThroughs {
						g.Values(Id("Member").Op(":").Add(text(p.Member)), Id("Start").Op(":").Add(text(p.Start)))
					}
				}))
			}
		}))
	e.notificationTable(f)
}

// notificationTable prints the functions that the table of methods names.
func (e *emitter) notificationTable(f *jenFile) {
	f.add([]string{"decodeNotification decodes the parameters of a notification, if the method is one that has them."},
		Func().Id("decodeNotification").Params(e.decoderParam(), Id("method").String()).Add(e.wire("Appender")).Block(
			Switch(Id("method")).BlockFunc(func(g *Group) {
				for _, m := range e.pkg.Methods {
					if m.Notification && m.Params != nil {
						g.Case(text(m.Wire)).Block(Return(e.readPayload(m.Params)))
					}
				}
			}),
			Return(Nil()),
		))
	f.Line()
	f.Func().Id("methodSince").Params(Id("method").String()).Params(String(), Bool()).Block(
		List(Id("info"), Id("ok")).Op(":=").Id("methodTable").Dot("Find").Call(Id("method")),
		Return(Id("info").Dot("Since"), Id("ok")),
	)
}

// batching is what package rpc has to know of batches.
func (e *emitter) batching(batches *golang.Batches) *Statement {
	return Op("&").Add(e.rpc("Batching")).ValuesFunc(func(g *Group) {
		if len(batches.Alone) == 0 {
			return
		}
		g.Id("Alone").Op(":").Index().String().ValuesFunc(func(g *Group) {
			for _, m := range batches.Alone {
				g.Add(text(m.Wire))
			}
		})
	})
}

// progress prints how to hear of the progress of requests.
func (e *emitter) progress(f *jenFile) {
	c := e.pkg.RPC.Calls
	if c == nil || c.Progress == nil {
		return
	}
	f.add([]string{"takesProgress reports whether a request may carry a token under which its progress is told."},
		Func().Id("takesProgress").Params(Id("method").String()).Bool().Block(
			Switch(Id("method")).Block(CaseFunc(func(g *Group) {
				for _, m := range c.Takes {
					g.Add(text(m.Wire))
				}
			}).Block(Return(True()))),
			Return(False()),
		))
	name := e.pkg.Own("WithProgress")
	f.add(comment(name+" has f told, by "+gotext.Literal(c.Progress.Wire)+", how far the requests have got that are made with the context, where they can say so. F is"+
		" called in the order of messages until the context ends, also after the answer, and must not wait for the peer. The runtime makes the tokens;"+
		" what carries one of them does not reach the handlers."),
		Func().Id(name).Params(ctxParam(), Id("f").Func().Params(e.payload(c.Progress.Params))).Qual(contextPath, "Context").Block(
			Return(e.rpc("WithProgress").Call(Id("ctx"), Func().Params(Id("params").Add(rawMessage())).Block(
				If(List(Id("p"), Err()).Op(":=").Add(e.decoder(c.Progress.Params)).Call(Id("params")), Err().Op("==").Nil()).Block(Id("f").Call(Id("p"))),
			))),
		))
}

func (e *emitter) readPayload(t golang.Type) *Statement {
	if s, ok := golang.Underlying(t).(golang.StructType); ok {
		return e.wire("OptStruct").Types(Id(s.Name)).Call(Id("d"))
	}
	return Id(reader(golang.Underlying(t).(golang.UnionType).Union)).Call(Id("d"))
}

// errorData prints what makes the data of errors an error, which errors.As finds.
func (e *emitter) errorData(f *jenFile) {
	codes := map[*golang.Struct][]*golang.ErrorCode{}
	var order []*golang.Struct
	for _, c := range e.pkg.Errors {
		if c.Data == nil {
			continue
		}
		if s, ok := golang.Underlying(c.Data).(golang.StructType); ok {
			if !slices.Contains(order, s.Struct) {
				order = append(order, s.Struct)
			}
			codes[s.Struct] = append(codes[s.Struct], c)
		}
	}
	for _, s := range order {
		receiver := func() *Statement { return Func().Params(Op("*").Id(s.Name)) }
		code := Id(codes[s][0].Const)
		f.add([]string{"Error is the name of the code, so that the data is an error: errors.As finds it."},
			receiver().Id("Error").Params().String().Add(inline(Return(code.Clone().Dot("Error").Call()))))
		if len(codes[s]) == 1 {
			f.add([]string{"RPCCode is the code of the errors that carry such data."},
				receiver().Id("RPCCode").Params().Int64().Add(inline(Return(Int64().Call(code)))))
			continue
		}
		f.add([]string{"HasRPCCode reports whether errors with the code carry such data. It stands for none of them."},
			receiver().Id("HasRPCCode").Params(Id("code").Int64()).Bool().Block(
				Switch(e.own("ErrorCode").Call(Id("code"))).Block(CaseFunc(func(g *Group) {
					for _, c := range codes[s] {
						g.Id(c.Const)
					}
				}).Block(Return(True()))),
				Return(False()),
			))
	}
}

// actionVersions prints which version knows which action.
func (e *emitter) actionVersions(f *jenFile) {
	tag := e.pkg.Actions.Union.Tag.Name
	f.add([]string{"KnownIn reports whether a version of the protocol has the action. A malformed version has none."},
		Func().Params(Id("v").Id(tag)).Id("KnownIn").Params(Id("version").String()).Bool().Block(
			List(Id("info"), Id("ok")).Op(":=").Id("v").Dot("Info").Call(),
			Return(Id("ok").Op("&&").Add(e.versions("KnownIn")).Call(Id("version"), Id("info").Dot("Since"))),
		))
	if slices.ContainsFunc(e.pkg.RPC.Sides, func(p *golang.Party) bool {
		return slices.ContainsFunc(p.Sends, func(c *golang.Call) bool { return len(c.Actions) > 0 })
	}) {
		f.add([]string{"checkAction refuses an action that the agreed version does not know."},
			Func().Id("checkAction").Params(Id("l").Add(e.rpc("Link")), Id("v").Id(tag)).Error().Block(
				List(Id("info"), Id("ok")).Op(":=").Id("v").Dot("Info").Call(),
				Return(Id("l").Dot("Check").Call(String().Call(Id("v")), Id("info").Dot("Since"), Id("ok"))),
			))
	}
}

// orders are the names of those orders of versions in package rpc that are not the one of its functions.
var orders = map[string]string{"dates": "Dates", "integers": "Integers"}

// versions is a function of package rpc that compares versions, in the order of the protocol.
func (e *emitter) versions(name string) *Statement {
	if order := orders[e.pkg.Order]; order != "" {
		return e.rpc(order).Dot(name)
	}
	return e.rpc(name)
}

// versionsName is how comments write the same.
func (e *emitter) versionsName(name string) string {
	if order := orders[e.pkg.Order]; order != "" {
		return "rpc." + order + "." + name
	}
	return "rpc." + name
}

// handshake prints how a host picks a version.
func (e *emitter) handshake(f *jenFile) {
	h := e.pkg.RPC.Handshake
	if h.Error == nil {
		e.offer(f, h)
		e.versionCheck(f, h)
		return
	}
	data := golang.Underlying(h.Error.Data).(golang.StructType)
	name, host := e.pkg.Own("NegotiateVersion"), e.pkg.RPC.Sides[1]
	f.add(comment(name+" returns the version that "+host.A+" answers "+gotext.Literal(h.Method.Wire)+" with, as "+e.versionsName("ChooseVersion")+
		" picks it among those supported; without any, among ["+e.pkg.Own("SupportedVersions")+"]. The error is one to answer with:"+
		" ["+h.Error.Const+"] where none fits, after which the "+host.Word+" closes the connection,"+
		" and -32602 where all that was offered is malformed."),
		Func().Id(name).Params(Id("offered").Index().String(), Id("supported").Op("...").String()).Params(String(), Error()).Block(
			If(Len(Id("supported")).Op("==").Lit(0)).Block(Id("supported").Op("=").Add(e.own("SupportedVersions")).Call()),
			Return(e.versions("Negotiate").Call(Id("offered"), Id("supported"), text(h.Offer.Wire),
				Func().Params(Id("reason").String()).Params(Op("*").Add(e.rpc("Error")), Error()).Block(
					Return(e.rpc("NewError").Call(Id(h.Error.Const), Id("reason"), Op("&").Id(data.Name).Values(Id(h.Supported.Name).Op(":").Id("supported")))),
				))),
		))
	e.versionCheck(f, h)
}

// offer prints how a host answers a version that a client offers.
func (e *emitter) offer(f *jenFile, h *golang.Handshake) {
	name, host, version := e.pkg.Own("NegotiateVersion"), e.pkg.RPC.Sides[1], func() *Statement { return e.goType(h.Offer.Type) }
	f.add([]string{"spokenVersions are those that the package can speak, preferred first."}, Var().Id("spokenVersions").Op("=").Index().Add(version()).ValuesFunc(func(g *Group) {
		for _, v := range e.pkg.Supported {
			if n, err := strconv.Atoi(v); h.Number && err == nil {
				g.Lit(n)
			} else {
				g.Add(text(v))
			}
		}
	}))
	f.add(comment(name+" returns the version that "+host.A+" answers "+gotext.Literal(h.Method.Wire)+" with: the offered one if the package can speak it,"+
		" and otherwise the one that it prefers. Who cannot speak that goes away."),
		Func().Id(name).Params(Id("offered").Add(version())).Add(version()).Block(
			Return(e.rpc("ChooseAnswer").Call(Id("offered"), Id("spokenVersions"))),
		))
}

// versionCheck prints the check that an answer has a version that was wanted.
func (e *emitter) versionCheck(f *jenFile, h *golang.Handshake) {
	f.Line()
	f.Func().Id("checkVersion").Params(Id("p").Add(e.payload(h.Method.Params)), Id("r").Add(e.payload(h.Method.Result))).Error().Block(
		Return(e.checkVersion(h, Id("p"), Id("r"))),
	)
}
