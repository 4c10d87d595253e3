// Lists of channels that a server keeps: what an entry is, and what answers a client that asks for a list.

package emit

import (
	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// entryOf and countOf name functions for a list.
func entryOf(l *golang.ChannelList) string { return "entryOf" + l.State.Name }
func countOf(l *golang.ChannelList) string { return "countOf" + l.State.Name }

// serverLists prints what the floor has to know of the lists.
func (e *emitter) serverLists(set func(string, Code), s *golang.Session) {
	if len(s.Lists) == 0 {
		return
	}
	list := e.serverPkg("List").Types(e.anyState(), Id(e.pkg.Store.Action.Name))
	set("Lists", Index().Add(list).ValuesFunc(func(g *Group) {
		for _, l := range s.Lists {
			g.Line().ValuesFunc(func(g *Group) {
				g.Line().Id("At").Op(":").Add(text(l.At))
				g.Line().Id("Is").Op(":").Id("holds").Types(Op("*").Id(l.State.Name))
				g.Line().Id("Entry").Op(":").Id(entryOf(l))
				e.telling(g, "Added", l.Added)
				e.telling(g, "Removed", l.Removed)
				e.telling(g, "Updated", l.Updated)
				if l.Updated != nil && len(l.Updated.Partial) > 0 {
					g.Line().Id("Partial").Op(":").Index().String().ValuesFunc(func(g *Group) {
						for _, name := range l.Updated.Partial {
							g.Add(text(name))
						}
					})
				}
				if l.Count != nil {
					g.Line().Id("Count").Op(":").Id(countOf(l))
				}
				g.Line()
			})
		}
		g.Line()
	}))
}

func (e *emitter) telling(g *Group, name string, c *golang.ListChange) {
	if c == nil {
		return
	}
	g.Line().Id(name).Op(":").Add(e.serverPkg("Telling")).ValuesFunc(func(g *Group) {
		g.Id("Method").Op(":").Add(text(c.Method.Wire))
		for _, m := range []struct{ field, name string }{{"At", c.At}, {"Channel", c.URI}, {"Contents", c.Entry}} {
			if m.name != "" {
				g.Id(m.field).Op(":").Add(text(m.name))
			}
		}
	})
}

// listHelpers prints the functions for lists.
func (e *emitter) listHelpers(f *jenFile, s *golang.Session) {
	for _, l := range s.Lists {
		e.listEntry(f, l)
		if l.Count != nil {
			e.listCount(f, l)
		}
	}
}

func (e *emitter) listEntry(f *jenFile, l *golang.ChannelList) {
	f.add(e.told(entryOf(l)+" returns the list entry of a channel, and when it last changed."),
		Func().Id(entryOf(l)).Params(Id("channel").String(), Id("opened").Qual("time", "Time"), Id("state").Add(e.anyState())).
			Params(e.wire("Appender"), Qual("time", "Time")).BlockFunc(func(g *Group) {
			if len(l.Members) > 0 || l.LatestOf != nil {
				g.Id("now").Op(":=").Id("state").Assert(Op("*").Id(l.State.Name))
			}
			g.Id("out").Op(":=").New(Id(l.Entry.Name))
			e.entryMembers(g, l.Members, Id("now"), Id("out"))
			changed := Id("opened")
			if at := l.ChangedOfState; len(at) > 0 && !at[len(at)-1].Pointer {
				changed = e.timeOf(at[len(at)-1], fieldAt(Id("now"), at))
			}
			g.Id("changed").Op(":=").Add(changed)
			if l.LatestOf != nil {
				g.For(List(Id("_"), Id("item")).Op(":=").Range().Id("now").Dot(l.LatestOf.Name)).Block(
					Id("changed").Op("=").Add(e.serverPkg("Latest")).Call(Id("changed"), Id("item").Dot(l.Latest.Name)),
				)
			}
			if l.URI != nil {
				g.Id("out").Dot(l.URI.Name).Op("=").Id("channel")
			}
			if l.Created != nil {
				g.Id("out").Dot(l.Created.Name).Op("=").Add(e.timeAs(l.Created, "opened"))
			}
			if l.Changed != nil {
				g.Id("out").Dot(l.Changed.Name).Op("=").Add(e.timeAs(l.Changed, "changed"))
			}
			g.Return(Id("out"), Id("changed"))
		}))
}

// fieldAt returns a field of a field of a value.
func fieldAt(of *Statement, fields []*golang.Field) *Statement {
	out := of.Clone()
	for _, f := range fields {
		out.Dot(f.Name)
	}
	return out
}

// entryMembers prints what gives an entry, or an item in it, its members.
func (e *emitter) entryMembers(g *Group, members []golang.EntryMember, from, to *Statement) {
	for _, m := range members {
		source, target := m.From[len(m.From)-1], to.Clone().Dot(m.Field.Name)
		value := fieldAt(from, m.From)
		switch {
		case m.Items != nil:
			item := golang.Underlying(golang.Underlying(m.Field.Type).(golang.Slice).Elem).(golang.StructType).Struct
			fill := Id("items").Op(":=").Make(Index().Id(item.Name), Len(value.Clone()))
			loop := For(List(Id("i"), Id("from")).Op(":=").Range().Add(value.Clone())).BlockFunc(func(g *Group) {
				g.Id("to").Op(":=").Op("&").Id("items").Index(Id("i"))
				e.entryMembers(g, m.Items, Id("from"), Id("to"))
			})
			set := target.Clone().Op("=").Id("items")
			if source.Presence == golang.Required {
				g.Block(fill, loop, set)
			} else {
				g.If(value.Clone().Op("!=").Nil()).Block(fill, loop, set)
			}
		case m.Field.Pointer && !source.Pointer:
			g.Block(Id("value").Op(":=").Add(value), target.Clone().Op("=").Op("&").Id("value"))
		default:
			g.Add(target.Op("=").Add(value))
		}
	}
}

// timeOf returns the time that a member says, and timeAs what a member says of one.
func (e *emitter) timeOf(f *golang.Field, value *Statement) *Statement {
	if golang.Underlying(f.Type) == golang.Type(golang.String) {
		return e.serverPkg("Latest").Call(Qual("time", "Time").Values(), value)
	}
	if f.Reading == protocol.SecondsSince1970 {
		return Qual("time", "Unix").Call(value, Lit(0))
	}
	return Qual("time", "UnixMilli").Call(value)
}

func (e *emitter) timeAs(f *golang.Field, at string) *Statement {
	if golang.Underlying(f.Type) == golang.Type(golang.String) {
		return e.serverPkg("TimeText").Call(Id(at))
	}
	if f.Reading == protocol.SecondsSince1970 {
		return Id(at).Dot("Unix").Call()
	}
	return Id(at).Dot("UnixMilli").Call()
}

func (e *emitter) listCount(f *jenFile, l *golang.ChannelList) {
	state, said := Id("at").Assert(Op("*").Id(l.AtState.Name)), Id("now").Dot(l.CountOfState.Name)
	f.add(e.told(countOf(l)+" returns the action that sets the number of channels in a list, or false if the state has that number already."),
		Func().Id(countOf(l)).Params(Id("channels").Int64(), Id("at").Add(e.anyState())).Params(Id(e.pkg.Store.Action.Name), Bool()).BlockFunc(func(g *Group) {
			g.List(Id("now"), Id("ok")).Op(":=").Add(state)
			if l.CountOfState.Pointer {
				g.Id("said").Op(":=").Int64().Call(Lit(0))
				g.If(Id("ok").Op("&&").Add(said.Clone()).Op("!=").Nil()).Block(Id("said").Op("=").Op("*").Add(said))
				said = Id("said")
			}
			g.If(Op("!").Id("ok").Op("||").Add(said).Op("==").Id("channels")).Block(Return(Nil(), False()))
			g.Return(Op("&").Id(l.Count.Name).Values(Id(l.CountMember.Name).Op(":").Id("channels")), True())
		}))
}

// listAnswers prints answers to requests for lists, where the host does not answer them itself.
func (e *emitter) listAnswers(s *golang.Session) *Statement {
	out := Null()
	for i, l := range s.Lists {
		result := structOf(l.Method.Result)
		paging := e.serverPkg("Paging").Values()
		if l.Limit != nil {
			paging = e.serverPkg("Paging").Values(Dict{
				Id("Pages"): True(), Id("Limit"): Id("p").Dot(l.Limit.Name), Id("Cursor"): Id("p").Dot(l.Cursor.Name),
			})
		}
		values := Dict{Id(l.Items.Name): Make(Index().Id(l.Entry.Name), Len(Id("page").Dot("Entries")))}
		if l.Next != nil {
			values[Id(l.Next.Name)] = Id("page").Dot("Next")
		}
		if i > 0 {
			out.Line()
		}
		out.If(Id("h").Dot(l.Method.Name).Op("==").Nil().Op("&&").Op("!").Id("options").Dot("OwnLists")).Block(
			Id("h").Dot(l.Method.Name).Op("=").Func().Params(ctxParam(), Id("p").Add(e.payload(l.Method.Params))).Params(Op("*").Id(result.Name), Error()).Block(
				List(Id("page"), Err()).Op(":=").Id("s").Dot("Page").Call(Id("ctx"), Id("c"), Lit(i), paging),
				If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
				Id("r").Op(":=").Op("&").Id(result.Name).Values(values),
				For(List(Id("i"), Id("data")).Op(":=").Range().Id("page").Dot("Entries")).Block(
					List(Id("entry"), Err()).Op(":=").Add(e.own("Decode")).Types(Id(l.Entry.Name)).Call(Id("data")),
					If(Err().Op("!=").Nil()).Block(Return(Nil(), Err())),
					Id("r").Dot(l.Items.Name).Index(Id("i")).Op("=").Op("*").Id("entry"),
				),
				Return(Id("r"), Nil()),
			),
		)
	}
	return out
}

// serverAhead declares the server where what answers requests for lists needs it before it is made.
func serverAhead(s *golang.Session, typed *Statement) Code {
	if len(s.Lists) == 0 {
		return Null()
	}
	return Var().Id("s").Op("*").Add(typed)
}

// listFields prints the options of a host for the lists, and listOptions hands them on.
func (e *emitter) listFields(g *Group, s *golang.Session) {
	if len(s.Lists) == 0 {
		return
	}
	e.field(g, "Listed", Func().Params(ctxParam(), Id("c").Op("*").Add(e.serverPkg("Client")), Id("channel").String()).Bool(),
		"Listed reports whether a client sees a channel in the lists that the server keeps. By default, Admit is called for each of them. Listed may call the server.")
	e.field(g, "OwnLists", Bool(), "OwnLists disables the lists of the server: the host answers requests for them and notifies clients of changes itself.")
}

func (*emitter) listOptions(s *golang.Session) Code {
	if len(s.Lists) == 0 {
		return Null()
	}
	return Id("Listed").Op(":").Id("options").Dot("Listed").Op(",").Line().Id("OwnLists").Op(":").Id("options").Dot("OwnLists")
}
