// Tables: channels, actions, methods and error codes as data.

package emit

import (
	"slices"

	. "github.com/dave/jennifer/jen" //nolint:revive // see emit.go

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// constants prints a named type with its constants.
func constants(f *jenFile, typ, base, doc string, defs func(*Group)) {
	f.add([]string{doc}, Type().Id(typ).Id(base))
	f.add([]string{"The values of [" + typ + "]."}, Const().DefsFunc(defs))
}

// table is a table of the protocol: rows indexed by key.
type table struct {
	name  string // name of the variable
	list  string // name of the function that lists the rows
	info  string // row type
	key   string // key type
	field string // field of a row that holds its key
	what  string // for the comment "every …"
	find  string // name of the lookup function; "" for a method of the key's type
	rows  []tableRow
}

// table prints a table with a function that copies it and a lookup function.
func (e *emitter) table(f *jenFile, t *table) {
	f.Line()
	f.Var().Id(t.name).Op("=").Add(e.wire("Table")).Types(Id(t.key), Id(t.info)).Custom(
		Options{Open: "{", Close: "}", Separator: ",", Multi: true},
		Id("Key").Op(":").Func().Params(Id("r").Op("*").Id(t.info)).Id(t.key).Add(inline(Return(Id("r").Dot(t.field)))),
		Id("Rows").Op(":").Index().Id(t.info).CustomFunc(Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *Group) {
			for _, r := range t.rows {
				g.Values(r...)
			}
		}),
	)
	f.add([]string{t.list + " lists " + t.what + "."},
		Func().Id(t.list).Params().Index().Id(t.info).Add(inline(Return(Id(t.name).Dot("List").Call()))))
	found := Params(Id(t.info), Bool()).Add(inline(Return(Id(t.name).Dot("Find").Call(Id("v")))))
	if t.find != "" {
		f.add([]string{t.find + " returns the row of the table for a name, if there is one."},
			Func().Id(t.find).Params(Id("v").Id(t.key)).Add(found))
		return
	}
	f.add([]string{"Info returns the row of the table for it, if there is one."},
		Func().Params(Id("v").Id(t.key)).Id("Info").Params().Add(found))
}

// tableRow prints a composite literal with its fields in order.
type tableRow []Code

func (r *tableRow) set(field string, value Code) {
	*r = append(*r, Id(field).Op(":").Add(value))
}

func (e *emitter) actions(f *jenFile) {
	if len(e.pkg.Channels) > 0 {
		e.channels(f)
	}
	set := e.pkg.Actions
	if set == nil {
		return
	}
	tag, info, channel := set.Union.Tag.Name, e.pkg.Own("ActionInfo"), e.pkg.Own("Channel")
	f.add([]string{info + " is a row of the action table."}, Type().Id(info).StructFunc(func(g *Group) {
		g.Id("Type").Id(tag)
		if len(e.pkg.Channels) > 0 {
			g.Id("Channel").Id(channel).Comment("channel it belongs to")
		}
		g.Id("New").Func().Params().Id(set.Union.Name).Comment("makes an empty one")
		g.Id("Client").Bool().Comment(gotext.Comment(e.pkg.Sides.In("a client may dispatch it")))
		g.Id("Since").String().Comment("protocol version it came in, empty where unknown")
	}))
	t := table{name: "actionTable", field: "Type", list: e.pkg.Own("Actions"), info: info, key: tag, what: "every action of the protocol: one row for each Go type"}
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
		t.rows = append(t.rows, r)
	}
	e.table(f, &t)
}

func (e *emitter) channels(f *jenFile) {
	name, info := e.pkg.Own("Channel"), e.pkg.Own("ChannelInfo")
	constants(f, name, "string", name+" names a kind of channel.", func(g *Group) {
		for _, c := range e.pkg.Channels {
			addComments(g, c.Doc)
			g.Id(c.Const).Id(name).Op("=").Add(text(c.Name))
		}
	})
	f.add([]string{info + " is a row of the channel table."}, Type().Id(info).Struct(
		Id("Channel").Id(name),
		Id("URI").String().Comment("how its URIs look"),
		Id("Prefix").String().Comment("prefix of the types of its actions, empty where it carries none"),
	))
	t := table{name: "channelTable", field: "Channel", list: e.pkg.Own("Channels"), info: info, key: name, what: "every kind of channel of the protocol"}
	for _, c := range e.pkg.Channels {
		r := tableRow{}
		r.set("Channel", Id(c.Const))
		r.set("URI", text(c.URI))
		if c.Prefix != "" {
			r.set("Prefix", text(c.Prefix))
		}
		t.rows = append(t.rows, r)
	}
	e.table(f, &t)
}

func (e *emitter) methods(f *jenFile) {
	if len(e.pkg.Methods) == 0 {
		return
	}
	info, sides := e.pkg.Own("MethodInfo"), e.pkg.RPC.Sides
	noDecoder := "nil where the result is null"
	if slices.ContainsFunc(e.pkg.Methods, func(m *golang.Method) bool { return golang.IsRaw(m.Result) }) {
		noDecoder += ", or JSON of any kind"
	}
	if slices.ContainsFunc(e.pkg.Methods, func(m *golang.Method) bool { return m.NullResult }) {
		noDecoder += "; returns nil for null where that is one of several"
	}
	decode := func() *Statement {
		return Func().Params(Id("data").Index().Byte()).Params(e.wire("Appender"), Error())
	}
	f.add([]string{info + " is a row of the method table."}, Type().Id(info).Struct(
		Id("Method").String().Comment("its name in messages"),
		Id("From").String().Comment(gotext.Comment(`who sends it: "`+sides[0].Word+`", "`+sides[1].Word+`" or "both"`)),
		Id("Notification").Bool().Comment("it has no answer"),
		Id("Since").String().Comment("protocol version it came in, empty where unknown"),
		Id("DecodeParams").Add(decode()).Comment("nil where it takes none"),
		Id("DecodeResult").Add(decode()).Comment(noDecoder),
	))
	if e.pkg.RPC.Introduction != nil {
		f.add([]string{"The names of the methods."}, Const().DefsFunc(func(g *Group) {
			for _, m := range e.pkg.Methods {
				if m.Const != "" {
					g.Id(m.Const).Op("=").Add(text(m.Wire))
				}
			}
		}))
	}
	t := table{name: "methodTable", field: "Method", find: e.pkg.Own("LookupMethod"), list: e.pkg.Own("Methods"), info: info, key: "string", what: "every request and notification of the protocol"}
	for _, m := range e.pkg.Methods {
		r := tableRow{}
		r.set("Method", text(m.Wire))
		r.set("From", text(m.Sender))
		if m.Notification {
			r.set("Notification", True())
		}
		if m.Since != "" {
			r.set("Since", text(m.Since))
		}
		if m.Params != nil {
			r.set("DecodeParams", e.decodeFunc(m.Params))
		}
		if m.Result != nil && !golang.IsRaw(m.Result) {
			decode := e.decodeFunc(m.Result)
			if m.NullResult {
				decode = e.wire("NullOr").Call(decode)
			}
			r.set("DecodeResult", decode)
		}
		t.rows = append(t.rows, r)
	}
	e.table(f, &t)
}

// decodeFunc prints a function that decodes a struct or union.
func (e *emitter) decodeFunc(t golang.Type) *Statement {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		return Func().Params(Id("b").Index().Byte()).Params(e.wire("Appender"), Error()).
			Add(inline(Return(e.wire("DecodeInto").Call(Id("b"), New(Id(t.Name))))))
	case golang.UnionType:
		return e.wire("Appending").Call(Id(t.Decode))
	}
	return Nil()
}

func (e *emitter) errors(f *jenFile) {
	if len(e.pkg.Errors) == 0 {
		return
	}
	name, info := e.pkg.Own("ErrorCode"), e.pkg.Own("ErrorCodeInfo")
	constants(f, name, "int64", name+" is the code of a JSON-RPC error. Codes are errors: errors.Is tells them, and a handler can return one.", func(g *Group) {
		for _, c := range e.pkg.Errors {
			addComments(g, c.Doc)
			g.Id(c.Const).Id(name).Op("=").Lit(int(c.Code))
		}
	})
	f.add([]string{"Error is the name of the code, or its number where it has none."},
		Func().Params(Id("v").Id(name)).Id("Error").Params().String().Block(
			If(List(Id("info"), Id("ok")).Op(":=").Id("v").Dot("Info").Call(), Id("ok")).Block(Return(Id("info").Dot("Name"))),
			Return(Lit("error ").Op("+").Qual("strconv", "FormatInt").Call(Int64().Call(Id("v")), Lit(10))),
		))
	f.add([]string{"RPCCode returns the code, which makes errors.Is work."},
		Func().Params(Id("v").Id(name)).Id("RPCCode").Params().Int64().Add(inline(Return(Int64().Call(Id("v"))))))
	f.add([]string{info + " is a row of the table of error codes."}, Type().Id(info).Struct(
		Id("Code").Id(name),
		Id("Name").String(),
		Id("DecodeData").Func().Params(Id("data").Index().Byte()).Params(e.wire("Appender"), Error()).Comment("nil where the error carries no data"),
	))
	t := table{name: "errorTable", field: "Code", list: e.pkg.Own("ErrorCodes"), info: info, key: name, what: "every error code of the protocol"}
	for _, c := range e.pkg.Errors {
		r := tableRow{}
		r.set("Code", Id(c.Const))
		r.set("Name", text(c.Name))
		if c.Data != nil {
			r.set("DecodeData", e.decodeFunc(c.Data))
		}
		t.rows = append(t.rows, r)
	}
	e.table(f, &t)
}
