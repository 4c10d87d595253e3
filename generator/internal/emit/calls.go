// Calls: what templates ask about the methods of a package, as code.

package emit

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// handled is a method that a side handles, with the notification of the same name, if a request has one.
type handled struct {
	*golang.Call
	Twin *golang.Call
}

// Cases returns the names of methods that a side tells apart.
func (v view) Cases(calls []*golang.Call) []handled {
	var out []handled
	twin := func(c *golang.Call, notification bool) *golang.Call {
		return each.First(calls, func(o *golang.Call) bool { return o != c && o.Wire == c.Wire && o.Notification == notification })
	}
	for _, c := range calls {
		if !c.Notification {
			out = append(out, handled{c, twin(c, true)})
		} else if twin(c, false) == nil {
			out = append(out, handled{c, nil})
		}
	}
	return out
}

// shapeOf returns the name of the helper for a method's shape.
func shapeOf(c *golang.Call, base string) string {
	if c.Params == nil {
		base += "NoParams"
	}
	if !c.Notification && c.Result == nil {
		base += "NoResult"
	}
	return base
}

// Handshakes reports whether a method is the one that agrees on a version.
func (v view) Handshakes(c *golang.Call) bool {
	return v.RPC.Handshake != nil && v.RPC.Handshake.Method == c.Method
}

// Handle returns the call that handles a message of a method.
func (v view) Handle(c *golang.Call) gotext.Code {
	handler, name := gotext.Code("h."+c.Name), "Handle"
	if c.Notification {
		name = "HandleNotification"
	}
	name = shapeOf(c, name)
	if c.Stream {
		name = shapeOf(c, "HandleStream")
	} else if golang.IsRaw(c.Result) {
		name += "Raw"
	}
	if v.Handshakes(c) {
		handler = "typed.CheckResult(" + handler + ", checkVersion)"
	}
	if v.Alive(c) {
		handler = gotext.Code("typed."+shapeOf(c, "OrAlive")+"(") + handler + ")"
	}
	switch item := v.appendingResult(c); {
	case item != "" && c.Stream:
		handler = gotext.Code("typed."+shapeOf(c, "EncodingStream")+"(") + handler + ", " + item + ")"
	case item != "":
		handler = gotext.Code("typed."+shapeOf(c, "Encoding")+"(") + handler + ", " + item + ")"
	case c.NullResult && c.Stream:
		handler = gotext.Code("typed."+shapeOf(c, "NullableStream")+"(") + handler + ")"
	case c.NullResult:
		handler = gotext.Code("typed."+shapeOf(c, "NullableResult")+"(") + handler + ")"
	}
	if c.Params != nil {
		return gotext.Code("typed."+name+"(ctx, m, ") + handler + ", " + v.Decoder(c.Params) + ")"
	}
	return gotext.Code("typed."+name+"(ctx, m, ") + handler + ")"
}

// Alive reports whether a method asks for a sign of life and its result needs nothing, so that it is answered without a handler.
func (v view) Alive(c *golang.Call) bool {
	return v.RPC.Calls != nil && v.RPC.Calls.Ping != nil && v.RPC.Calls.Ping.Name == c.Wire && !c.Notification && !c.Stream && !c.NullResult &&
		(c.Result == nil || v.needsNothing(c.Result))
}

// Send returns the call that sends a message of a method.
func (v view) Send(c *golang.Call) gotext.Code {
	name := "Call"
	if c.Notification {
		name = "Notify"
	}
	if c.Stream {
		name = "Stream"
	}
	out := gotext.Code("typed." + shapeOf(c, name) + "(ctx, c.link, " + gotext.Literal(c.Wire))
	switch {
	case v.mayBeEmpty(c):
		out += ", typed.OrEmpty(p)"
	case c.Params != nil && !golang.IsPayload(c.Params):
		out += ", codec.Encoded(p, " + v.appending(c.Params) + ")"
	case c.Params != nil:
		out += ", p"
	}
	if v.HasResult(c) {
		out += ", " + v.resultReader(c)
	}
	return out + ")"
}

// appendingResult returns the function that appends a result that is no struct and no union, "" for others.
func (v view) appendingResult(c *golang.Call) gotext.Code {
	if !v.HasResult(c) || golang.IsPayload(c.Result) || golang.IsRaw(c.Result) && !c.Stream {
		return ""
	}
	if c.ByPointer() {
		return "codec.PointerItem(" + v.appending(c.Result) + ")"
	}
	return v.appending(c.Result)
}

// IsQuick reports whether the parameters of a notification are decoded together with the message.
func (v view) IsQuick(m *golang.Method) bool {
	return m.Notification && m.Params != nil && golang.IsPayload(m.Params)
}

// HasResult reports whether the answer to a method is more than null.
func (v view) HasResult(c *golang.Call) bool { return !c.Notification && c.Result != nil }

// Failing returns what a method returns with an error.
func (v view) Failing(c *golang.Call) gotext.Code {
	switch {
	case c.Stream:
		return "typed.Fails[" + v.ResultType(c) + "](err)"
	case v.HasResult(c):
		return v.noResult(c) + ", err"
	}
	return "err"
}

// noResult returns the zero value of a result.
func (v view) noResult(c *golang.Call) gotext.Code {
	if c.ByPointer() {
		return "nil"
	}
	switch golang.Zero(c.Result) {
	case "0":
		return "0"
	case "false":
		return "false"
	case `""`:
		return `""`
	}
	return "nil"
}

// HasResults reports whether a side sends a method with a result.
func (v view) HasResults(p *golang.Party) bool { return slices.ContainsFunc(p.Sends, v.HasResult) }

// Results returns what a function returns for a method.
func (v view) Results(c *golang.Call) gotext.Code {
	switch {
	case c.Stream:
		return "iter.Seq2[" + v.ResultType(c) + ", error]"
	case v.HasResult(c):
		return "(" + v.ResultType(c) + ", error)"
	}
	return "error"
}

// ResultType returns the type of a method's result.
func (v view) ResultType(c *golang.Call) gotext.Code {
	if c.ByPointer() {
		return "*" + v.Payload(c.Result)
	}
	return v.Payload(c.Result)
}

// FormText returns the form of a message as a literal that can be read.
func (v view) FormText(form string) gotext.Code { return gotext.Code(gotext.RawLiteral(spaced(form))) }

// spaced returns JSON on one line with a space behind each comma and colon.
func spaced(text string) string {
	var b strings.Builder
	inText := false
	for i, c := range text {
		b.WriteRune(c)
		switch {
		case c == '"' && (!inText || text[i-1] != '\\'):
			inText = !inText
		case !inText && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// Handling returns the type of the handler of a method.
func (v view) Handling(c *golang.Call) gotext.Code {
	params := gotext.Code("context.Context")
	if c.Params != nil {
		params += ", " + v.Payload(c.Params)
	}
	switch {
	case c.Stream:
		return "func(" + params + ", func(" + v.ResultType(c) + ") error) error"
	case c.Notification:
		return "func(" + params + ")"
	}
	return "func(" + params + ") " + v.Results(c)
}

// mayBeEmpty reports whether the parameters are an object without required members.
func (v view) mayBeEmpty(c *golang.Call) bool {
	if v.Handshakes(c) {
		return false
	}
	return v.needsNothing(c.Params)
}

// needsNothing reports whether a type is an object without required members.
func (v view) needsNothing(t golang.Type) bool {
	object, ok := golang.Underlying(t).(golang.StructType)
	return ok && len(object.Choices) == 0 && !slices.ContainsFunc(object.Fields, func(f *golang.Field) bool {
		if v.RPC.Calls != nil && f.Wire == v.RPC.Calls.Metadata {
			return false // the connection fills it in
		}
		return f.Presence == golang.Required || f.Presence == golang.Nullable
	})
}

// CallDoc returns the comment of what sends a method.
func (v view) CallDoc(c *golang.Call) []string {
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
	if v.mayBeEmpty(c) {
		about = append(about, "A nil p is one without members.")
	}
	if c.NullResult {
		about = append(about, "The result is nil if the answer is null.")
	}
	if len(about) > 0 {
		doc = append(doc, "", strings.Join(about, " "))
	}
	if c.Refusal != nil && len(c.Actions) > 0 {
		doc = append(append(doc, ""), comment("An action with a "+c.Refusal.Name+" is returned to its sender, so it is sent at any version.")...)
	}
	return doc
}

// metadata is how a side fills in the parameter in which its requests describe it.
type metadata struct {
	Name string `go:"identifier"` // of the field
	Type *golang.Struct
	In   []*metadataField
}

// metadataField is the field in some parameters.
type metadataField struct {
	In *golang.Struct
	*golang.Field
}

// Metadata returns how a side fills in that parameter, or nil if its requests have none.
func (v view) Metadata(p *golang.Party) *metadata {
	if v.RPC.Calls == nil || v.RPC.Calls.Metadata == "" {
		return nil
	}
	var out metadata
	for _, c := range p.Sends {
		params, ok := golang.Underlying(c.Params).(golang.StructType)
		if !ok || c.Notification || slices.ContainsFunc(out.In, func(f *metadataField) bool { return f.In == params.Struct }) {
			continue
		}
		if f := params.Field(v.RPC.Calls.Metadata); f != nil && f.Presence != golang.Maybe { // a null there says that there is none
			out.Name, out.Type = f.Name, golang.Underlying(f.Type).(golang.StructType).Struct
			out.In = append(out.In, &metadataField{params.Struct, f})
		}
	}
	if out.In == nil {
		return nil
	}
	return &out
}

// Unset returns the condition under which a field of the variable of is not set, or "" if every value may be meant.
func (v view) Unset(f *golang.Field) gotext.Code {
	at := gotext.Code("of." + f.Name)
	switch basic := golang.Underlying(f.Type); {
	case f.Presence == golang.Maybe:
		return at + ".IsAbsent()"
	case f.Pointer || golang.HasNil(f.Type):
		return at + " == nil"
	case basic == golang.String:
		return at + ` == ""`
	}
	return ""
}

// AlwaysSet returns the names of members whose zero value cannot be told from a value, in prose.
func (v view) AlwaysSet(s *golang.Struct) string {
	var names []string
	for _, f := range s.Fields {
		if v.Unset(f) == "" {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, " and ")
}
