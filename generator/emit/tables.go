// Tables: channels, actions, methods and error codes as data.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// constants prints a named type with its constants.
func constants(f *jenFile, typ, base, doc string, defs func(*Group)) {
	f.add([]string{doc}, Type().Id(typ).Id(base))
	f.add([]string{"The values of [" + typ + "]."}, Const().DefsFunc(defs))
}

// table prints a table with a function that copies it and one that looks a row up.
func table(f *jenFile, name, info, lookup, key, keyType, what string, rows func(*Group), index func(*Group)) {
	f.Line()
	f.Var().Id(name).Op("=").Index(Op("...")).Id(info).ValuesFunc(rows)
	list := map[string]string{"ActionInfo": "Actions", "ChannelInfo": "Channels", "MethodInfo": "Methods", "ErrorCodeInfo": "ErrorCodes"}[info]
	f.add([]string{list + " lists " + what + "."},
		Func().Id(list).Params().Index().Id(info).Block(Return(Append(Index().Id(info).Call(Nil()), Id(name).Index(Op(":")).Op("...")))))
	f.add([]string{lookup + " returns the row of the table for it, if there is one."},
		Func().Id(lookup).Params(Id(key).Id(keyType)).Params(Id(info), Bool()).Block(
			Switch(Id(key)).BlockFunc(index),
			Return(Id(info).Values(), False()),
		))
}

// tableRow is a composite literal that keeps the order of its fields.
type tableRow []Code

func (r *tableRow) set(field string, value Code) {
	*r = append(*r, Id(field).Op(":").Add(value))
}

// rowCase prints the case of a lookup that returns row i.
func rowCase(g *Group, key string, name string, i int) {
	g.Case(Id(key)).Block(Return(Id(name).Index(Lit(i)), True()))
}

func (e *emitter) actions(f *jenFile) {
	if len(e.pkg.Channels) > 0 {
		e.channels(f)
	}
	set := e.pkg.Actions
	if set == nil {
		return
	}
	tag := set.Union.Tag.Name
	f.add([]string{"ActionInfo is a row of the action table."}, Type().Id("ActionInfo").StructFunc(func(g *Group) {
		g.Id("Type").Id(tag)
		if len(e.pkg.Channels) > 0 {
			g.Id("Channel").Id("Channel").Comment("channel it belongs to")
		}
		g.Id("New").Func().Params().Id(set.Union.Name).Comment("makes an empty one")
		g.Id("Client").Bool().Comment("a client may dispatch it")
		g.Id("Since").String().Comment("protocol version it came in, empty where unknown")
	}))
	table(f, "actionTable", "ActionInfo", "LookupAction", "t", tag, "every action of the protocol: one row for each Go type",
		func(g *Group) {
			for _, row := range set.Rows {
				r := tableRow{}
				r.set("Type", Id(row.Const))
				if row.Channel != "" {
					r.set("Channel", Id(row.Channel))
				}
				r.set("New", Func().Params().Id(set.Union.Name).Add(inline(Return(New(Id(row.Struct.Name))))))
				if row.Client {
					r.set("Client", True())
				}
				if row.Since != "" {
					r.set("Since", text(row.Since))
				}
				g.Line().Values(r...)
			}
			g.Line()
		},
		func(g *Group) {
			seen := map[string]bool{}
			for i, row := range set.Rows {
				if !seen[row.Const] {
					seen[row.Const] = true
					rowCase(g, row.Const, "actionTable", i)
				}
			}
		})
}

func (e *emitter) channels(f *jenFile) {
	constants(f, "Channel", "string", "Channel names a kind of channel.", func(g *Group) {
		for _, c := range e.pkg.Channels {
			for _, line := range comments(c.Doc) {
				g.Add(line)
			}
			g.Id(c.Const).Id("Channel").Op("=").Add(text(c.Name))
		}
	})
	f.add([]string{"ChannelInfo is a row of the channel table."}, Type().Id("ChannelInfo").Struct(
		Id("Channel").Id("Channel"),
		Id("URI").String().Comment("how its URIs look"),
		Id("Prefix").String().Comment("prefix of the types of its actions, empty where it carries none"),
	))
	table(f, "channelTable", "ChannelInfo", "LookupChannel", "c", "Channel", "every kind of channel of the protocol",
		func(g *Group) {
			for _, c := range e.pkg.Channels {
				r := tableRow{}
				r.set("Channel", Id(c.Const))
				r.set("URI", text(c.URI))
				if c.Prefix != "" {
					r.set("Prefix", text(c.Prefix))
				}
				g.Line().Values(r...)
			}
			g.Line()
		},
		func(g *Group) {
			for i, c := range e.pkg.Channels {
				rowCase(g, c.Const, "channelTable", i)
			}
		})
}

var sides = map[protocol.Side]string{protocol.FromClient: "FromClient", protocol.FromHost: "FromHost", protocol.FromBoth: "FromBoth"}

func (e *emitter) methods(f *jenFile) {
	if len(e.pkg.Methods) == 0 {
		return
	}
	constants(f, "Method", "string", "Method names a request or a notification.", func(g *Group) {
		for _, m := range e.pkg.Methods {
			for _, line := range comments(m.Doc) {
				g.Add(line)
			}
			g.Id(m.Const).Id("Method").Op("=").Add(text(m.Wire))
		}
	})
	constants(f, "Side", "string", "Side says which party sends a message.", func(g *Group) {
		for _, side := range []protocol.Side{protocol.FromClient, protocol.FromHost, protocol.FromBoth} {
			g.Id(sides[side]).Id("Side").Op("=").Add(text(string(side)))
		}
	})
	decode := func() *Statement {
		return Func().Params(Id("data").Index().Byte()).Params(Id("JSONAppender"), Error())
	}
	f.add([]string{"MethodInfo is a row of the method table."}, Type().Id("MethodInfo").Struct(
		Id("Method").Id("Method"),
		Id("From").Id("Side").Comment("who sends it"),
		Id("Notification").Bool().Comment("it has no answer"),
		Id("Since").String().Comment("protocol version it came in, empty where unknown"),
		Id("DecodeParams").Add(decode()).Comment("nil where it takes none"),
		Id("DecodeResult").Add(decode()).Comment("nil where the result is null"),
	))
	table(f, "methodTable", "MethodInfo", "LookupMethod", "m", "Method", "every request and notification of the protocol",
		func(g *Group) {
			for _, m := range e.pkg.Methods {
				r := tableRow{}
				r.set("Method", Id(m.Const))
				r.set("From", Id(sides[m.From]))
				if m.Notification {
					r.set("Notification", True())
				}
				if m.Since != "" {
					r.set("Since", text(m.Since))
				}
				if m.Params != nil {
					r.set("DecodeParams", decodeFunc(m.Params))
				}
				if m.Result != nil {
					r.set("DecodeResult", decodeFunc(m.Result))
				}
				g.Line().Values(r...)
			}
			g.Line()
		},
		func(g *Group) {
			for i, m := range e.pkg.Methods {
				rowCase(g, m.Const, "methodTable", i)
			}
		})
}

// decodeFunc prints a function that decodes a struct or union.
func decodeFunc(t golang.Type) *Statement {
	name := ""
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		name = t.Name
	case golang.UnionType:
		name = t.Name
	default:
		return Nil()
	}
	return Func().Params(Id("data").Index().Byte()).Params(Id("JSONAppender"), Error()).
		Add(inline(Return(Id("asAppender").Call(Id("Decode" + name).Call(Id("data"))))))
}

func (e *emitter) errors(f *jenFile) {
	if len(e.pkg.Errors) == 0 {
		return
	}
	constants(f, "ErrorCode", "int64", "ErrorCode is the code of a JSON-RPC error.", func(g *Group) {
		for _, c := range e.pkg.Errors {
			for _, line := range comments(c.Doc) {
				g.Add(line)
			}
			g.Id(c.Const).Id("ErrorCode").Op("=").Lit(int(c.Code))
		}
	})
	f.add([]string{"ErrorCodeInfo is a row of the table of error codes."}, Type().Id("ErrorCodeInfo").Struct(
		Id("Code").Id("ErrorCode"),
		Id("Name").String(),
		Id("DecodeData").Func().Params(Id("data").Index().Byte()).Params(Id("JSONAppender"), Error()).Comment("nil where the error carries no data"),
	))
	table(f, "errorTable", "ErrorCodeInfo", "LookupErrorCode", "code", "ErrorCode", "every error code of the protocol",
		func(g *Group) {
			for _, c := range e.pkg.Errors {
				r := tableRow{}
				r.set("Code", Id(c.Const))
				r.set("Name", text(c.Name))
				if c.Data != nil {
					r.set("DecodeData", decodeFunc(c.Data))
				}
				g.Line().Values(r...)
			}
			g.Line()
		},
		func(g *Group) {
			for i, c := range e.pkg.Errors {
				rowCase(g, c.Const, "errorTable", i)
			}
		})
}
