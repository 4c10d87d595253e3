// View: what templates ask of a package, as code.

package emit

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// State returns the type of any state.
func (v view) State() string {
	if u := v.Reducers.State; u != nil {
		return u.Name
	}
	return v.Own("ChannelState")
}

// Acting lists the actions of a reducer that change something, or those that are stated to change nothing.
func (v view) Acting(c *golang.ChannelReducer, changes bool) []*golang.ActionReducer {
	return slices.DeleteFunc(slices.Clone(c.Actions), func(a *golang.ActionReducer) bool {
		return changes == (a.Stated && len(a.Steps) == 0)
	})
}

// DecodeFunc returns a function that decodes a struct or a union into what can be encoded.
func (v view) DecodeFunc(t golang.Type) gotext.Code {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		return gotext.Code("func(b []byte) (wire.Appender, error) { return wire.DecodeInto(b, new(" + t.Name + ")) }")
	case golang.UnionType:
		return gotext.Code("codec.Appending(" + t.Decode + ")")
	}
	return "codec.Reencoding(" + v.reading(t) + ", " + v.appending(t) + ")"
}

// reading returns the function that reads a value of a type that has no decoder.
func (v view) reading(t golang.Type) gotext.Code {
	if a, ok := t.(golang.AliasType); ok && !golang.IsRaw(t) {
		return gotext.Code("read" + a.Name)
	}
	return v.ReadFunc(t)
}

// appending returns the function that appends such a value.
func (v view) appending(t golang.Type) gotext.Code {
	if a, ok := t.(golang.AliasType); ok && !golang.IsRaw(t) {
		return gotext.Code("append" + a.Name)
	}
	return v.AppendFunc(t)
}

// ReadFunc prints a function that reads a value.
func (v view) ReadFunc(t golang.Type) gotext.Code { e := v.emitter(); return e.code(e.readFunc(t)) }

// AppendFunc prints a function that appends a value.
func (v view) AppendFunc(t golang.Type) gotext.Code { e := v.emitter(); return e.code(e.itemFunc(t)) }

// ReadValue prints an expression that reads a value from d.
func (v view) ReadValue(t golang.Type) gotext.Code { e := v.emitter(); return e.code(e.readValue(t)) }

// AppendValue prints an expression that appends the value v to dst with the encoder e.
func (v view) AppendValue(t golang.Type) gotext.Code {
	e := v.emitter()
	return e.code(e.appendValue(t, jen.Lit(""), jen.Id("v")))
}

func (v view) emitter() *emitter { return &emitter{pkg: v.Package} }

// Payloads lists the types of parameters and results that are neither structs nor unions, each once.
func (v view) Payloads() []golang.AliasType {
	var out []golang.AliasType
	add := func(t golang.Type) {
		a, ok := t.(golang.AliasType)
		if ok && !golang.IsPayload(t) && !golang.IsRaw(t) && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	for _, m := range v.Methods {
		add(m.Params)
		add(m.Result)
	}
	return out
}

// code returns a printed expression.
func (e *emitter) code(s *jen.Statement) gotext.Code {
	f := jen.NewFile("p")
	const declares = "var _ = " // a function alone is no declaration
	f.Var().Id("_").Op("=").Add(s)
	return gotext.Printed(f, declares)
}

// resultReader returns the function that reads the result of a method.
func (v view) resultReader(c *golang.Call) gotext.Code {
	switch read := v.Reader(c.Result); {
	case c.ByPointer():
		return "codec.ReadPointer(" + read + ")"
	case c.NullResult:
		return "codec.ReadNullOr(" + read + ")"
	default:
		return read
	}
}

// DecodesResult reports whether a method has a result that is more than any JSON.
func (v view) DecodesResult(m *golang.Method) bool { return m.Result != nil && !golang.IsRaw(m.Result) }

// RawResults reports whether a method returns any JSON.
func (v view) RawResults() bool {
	return slices.ContainsFunc(v.Methods, func(m *golang.Method) bool { return golang.IsRaw(m.Result) })
}

// NullResults reports whether a method may return null instead of its result.
func (v view) NullResults() bool {
	return slices.ContainsFunc(v.Methods, func(m *golang.Method) bool { return m.NullResult })
}

// AreFew reports whether there are so few values that they are compared one by one.
func (v view) AreFew(values []golang.EnumMember) bool { return len(values) <= 8 }

// Value returns a value of the protocol as a constant.
func (v view) Value(of protocol.Value) any {
	switch {
	case of.Kind == protocol.Integer:
		return of.Int
	case of.Kind == protocol.Bool && of.Bool:
		return gotext.Code("true")
	case of.Kind == protocol.Bool:
		return gotext.Code("false")
	}
	return gotext.Code(gotext.Literal(of.Str))
}

// At returns what a path leads to, behind a pointer or not.
func (v view) At(path []*golang.Field) gotext.Code {
	at := chain("e", path)
	if path[len(path)-1].Pointer {
		at = "*" + at
	}
	return at
}

// Payload returns the type that a method takes or returns: a pointer to a struct, a union or any JSON.
func (v view) Payload(t golang.Type) gotext.Code {
	if _, ok := golang.Underlying(t).(golang.StructType); ok {
		return "*" + v.Type(t)
	}
	return v.Type(t)
}

// Object returns the struct that a type is.
func (v view) Object(t golang.Type) gotext.Code {
	return gotext.Code(golang.Underlying(t).(golang.StructType).Name)
}

// Field returns the type of a field, which depends on its presence.
func (v view) Field(f *golang.Field) gotext.Code { return v.emitter().field(f) }

// Type returns a type.
func (v view) Type(t golang.Type) gotext.Code { return v.emitter().typ(t) }

// VersionType returns the type of versions: that of the member which answers the handshake.
func (v view) VersionType() gotext.Code {
	if v.RPC == nil || v.RPC.Handshake == nil {
		return "string"
	}
	return v.Type(v.RPC.Handshake.Answer.Type)
}

// Versioned returns a version as a literal of that type.
func (v view) Versioned(version string) gotext.Code {
	if v.RPC != nil && v.RPC.Handshake != nil && v.RPC.Handshake.Number {
		if n, err := strconv.Atoi(version); err == nil {
			return gotext.Code(strconv.Itoa(n))
		}
		return "0"
	}
	return gotext.Code(gotext.Literal(version))
}

// Decoder returns the function that decodes what a method takes or returns.
func (v view) Decoder(t golang.Type) gotext.Code {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		return gotext.Code(v.Own("Decode") + "[" + t.Name + "]")
	case golang.UnionType:
		return gotext.Code(t.Decode)
	}
	return "codec.DecodeAs(" + v.reading(t) + ")"
}

// Reader returns the function that reads what a method returns.
func (v view) Reader(t golang.Type) gotext.Code {
	switch t := golang.Underlying(t).(type) {
	case golang.StructType:
		return gotext.Code("codec.New[" + t.Name + "]")
	case golang.UnionType:
		return gotext.Code(reader(t.Union))
	case golang.Basic:
		if t == golang.Raw {
			return "typed.ReadRaw"
		}
	}
	return v.reading(t)
}

// Read returns what reads the parameters of a notification, of which nothing else is known to be right.
func (v view) Read(t golang.Type) gotext.Code {
	if u, ok := golang.Underlying(t).(golang.UnionType); ok {
		return gotext.Code(reader(u.Union) + "(d)")
	}
	return gotext.Code("codec.OptStruct[" + string(v.Object(t)) + "](d)")
}

// Names lists the names of methods in messages.
func (v view) Names(methods []*protocol.Method) []string {
	return each.Map(methods, func(m *protocol.Method) string { return m.Name })
}

// Members lists the names of fields in messages.
func (v view) Members(fields []*protocol.Field) []string {
	return each.Map(fields, func(f *protocol.Field) string { return f.Name })
}

// orders maps version orders to the corresponding names in package spec.
var orders = map[string]string{"dates": "Dates", "integers": "Integers"}

// Versions returns the order of versions in package spec, "" for the usual one.
func (v view) Versions() gotext.Code {
	if order := orders[v.Order]; order != "" {
		return gotext.Code("spec." + order)
	}
	return ""
}

// VersionOrder returns the order of versions in package spec.
func (v view) VersionOrder() gotext.Code {
	return cmp.Or(v.Versions(), "spec.Numbers")
}

// Ordered returns a method of the order of versions in package spec.
func (v view) Ordered(name string) gotext.Code { return v.VersionOrder() + gotext.Code("."+name) }

// A returns a word with its article.
func (v view) A(word string) string { return protocol.A(word) }

// Said returns a text about clients and hosts in the words of the protocol.
func (v view) Said(text string) string { return v.Sides.In(text) }

// HasVersions reports whether peers agree on one of several versions that have an order.
func (v view) HasVersions() bool { return v.RPC.Handshake == nil || v.RPC.Handshake.Error != nil }

// CheckVersion returns the check that the answer r to p has one of the offered versions.
func (v view) CheckVersion() gotext.Code {
	h := v.RPC.Handshake
	sides := "p." + h.Offer.Name + ", r." + h.Answer.Name
	if h.Error == nil {
		return gotext.Code("spec.CheckAnswer(" + sides + ", " + v.Own("SupportedVersions") + "(), " + gotext.Literal(h.Answer.Wire) + ")")
	}
	return v.Ordered("CheckVersion") + gotext.Code("("+sides+", "+gotext.Literal(h.Answer.Wire)+")")
}

// Gated lists what a side must not send to every peer: values of members, or whole methods.
func (v view) Gated(p *golang.Party, values bool) []golang.Gate {
	return slices.DeleteFunc(slices.Clone(p.Gates), func(at golang.Gate) bool { return (at.Member != "") != values })
}

// Ping returns how a side asks its peer for a sign of life, nil if it cannot.
func (v view) Ping(p *golang.Party) *protocol.Calls {
	if v.RPC.AsksForLife(p) {
		return v.RPC.Calls
	}
	return nil
}

// EmittedSides returns the sides that are emitted.
func (v view) EmittedSides() []*golang.Party {
	return slices.DeleteFunc(slices.Clone(v.RPC.Sides), func(p *golang.Party) bool { return !v.Parts.Side(p) })
}

// ChecksActions reports whether something is sent that holds an action.
func (v view) ChecksActions() bool {
	return slices.ContainsFunc(v.EmittedSides(), func(p *golang.Party) bool {
		return slices.ContainsFunc(p.Sends, func(c *golang.Call) bool { return len(c.Actions) > 0 })
	})
}

// errorData is a struct that is the data of errors, with their codes.
type errorData struct {
	Struct *golang.Struct
	Codes  []*golang.ErrorCode
}

// ErrorData lists the structs that are the data of errors.
func (v view) ErrorData() []*errorData {
	var out []*errorData
	for _, c := range v.Errors {
		s, ok := golang.Underlying(c.Data).(golang.StructType)
		if !ok {
			continue
		}
		i := slices.IndexFunc(out, func(d *errorData) bool { return d.Struct == s.Struct })
		if i < 0 {
			i, out = len(out), append(out, &errorData{Struct: s.Struct})
		}
		out[i].Codes = append(out[i].Codes, c)
	}
	return out
}

// Made returns the value of a constructor.
func (v view) Made(m *golang.Made) gotext.Code {
	switch {
	case m.Parameter != nil:
		return gotext.Code(m.Parameter.Name)
	case m.Struct != nil:
		out := gotext.Code(m.Struct.Name) + "{"
		for i, f := range m.Fields {
			if i > 0 {
				out += ", "
			}
			out += gotext.Code(f.Name) + ": " + v.madeField(f)
		}
		return out + "}"
	case m.Bool != nil:
		if *m.Bool {
			return "true"
		}
		return "false"
	case m.Items != nil:
		out := v.Type(m.Type) + "{"
		for i, item := range m.Items {
			if i > 0 {
				out += ", "
			}
			out += v.madeItem(item, golang.Underlying(m.Type).(golang.Slice).Elem)
		}
		return out + "}"
	}
	if m.Type == golang.String {
		return gotext.Code(gotext.Literal(m.Text))
	}
	return v.Type(m.Type) + "(" + gotext.Code(gotext.Literal(m.Text)) + ")"
}

// madeField returns the value of a field.
func (v view) madeField(f golang.MadeField) gotext.Code {
	value := v.madeItem(f.Value, f.Type)
	switch {
	case f.Presence == golang.Maybe:
		return "wire.Of(" + value + ")"
	case f.Pointer:
		return "wire.Pointer(" + value + ")"
	}
	return value
}

// madeItem returns a value of a type, which for a variant of a union is a pointer.
func (v view) madeItem(m *golang.Made, t golang.Type) gotext.Code {
	if _, union := golang.Underlying(t).(golang.UnionType); union && m.Struct != nil {
		return "&" + v.Made(m)
	}
	return v.Made(m)
}
