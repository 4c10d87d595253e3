// Malformed: what is no message, messages in unusual forms, and ids.

package conform

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// bad is a text that is no message.
type bad struct {
	name, text, data string
	codes            []int64 // of the error, if it is answered; nil if it must not be answered
	known            bool    // it is a request, whose method may be found out first not to be there
}

// notMessages are texts that are none. Those with an id have 900.
var notMessages = []bad{
	{"not-json", "text that is not JSON has error -32700 or no answer", `{"jsonrpc":"2.0","id":900,`, []int64{codeParse}, false},
	{"text", "a text has an error or no answer", `"conform"`, []int64{codeInvalid, codeParse}, false},
	{"number", "a number has an error or no answer", `17`, []int64{codeInvalid, codeParse}, false},
	{"null", "null has an error or no answer", `null`, []int64{codeInvalid, codeParse}, false},
	{"empty-object", "an empty object has an error or no answer", `{}`, []int64{codeInvalid}, false},
	{"empty-batch", "an empty list has an error or no answer", `[]`, []int64{codeInvalid, codeParse}, false},
	{"batch-of-numbers", "a list of numbers has an error or no answer", `[1,2]`, []int64{codeInvalid, codeParse}, false},
	{"no-version", "a request without jsonrpc has no result", `{"id":900,"method":"METHOD"}`, []int64{codeInvalid, codeParse}, false},
	{"other-version", "a request of JSON-RPC 1.0 has no result", `{"jsonrpc":"1.0","id":900,"method":"METHOD"}`, []int64{codeInvalid, codeParse}, false},
	{"number-as-method", "a request whose method is a number has no result", `{"jsonrpc":"2.0","id":900,"method":1}`, []int64{codeInvalid, codeParse}, false},
	{"text-as-params", "a request whose parameters are a text has no result", `{"jsonrpc":"2.0","id":900,"method":"METHOD","params":"conform"}`, []int64{codeInvalid, codeParams, codeParse}, true},
	{"object-as-id", "a request whose id is an object has no result", `{"jsonrpc":"2.0","id":{},"method":"METHOD"}`, []int64{codeInvalid, codeParse}, false},
	{"stray-result", "a result for nothing is ignored", `{"jsonrpc":"2.0","id":900,"result":{}}`, nil, false},
	{"stray-error", "an error for nothing is ignored", `{"jsonrpc":"2.0","id":900,"error":{"code":-32603,"message":"conform"}}`, nil, false},
	{"result-and-error", "an answer for nothing with a result and an error is ignored", `{"jsonrpc":"2.0","id":900,"result":{},"error":{"code":1,"message":"conform"}}`, nil, false},
	{"bad-text", "text that is not UTF-8 has an error or no answer", "{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"\xff\xfe\"}", []int64{codeParse, codeInvalid, codeMissing}, false},
}

// malformed returns the scenarios of texts that are no messages, and of messages in other forms.
func (r *run) malformed() (out []Scenario) {
	if r.Protocol.Envelope != nil {
		return nil
	}
	for _, b := range notMessages {
		out = append(out, Scenario{"malformed/" + b.name, b.text, nil, func(s *stage) { malformed(s, &b) }})
	}
	out = append(out, Scenario{"malformed/list-as-params", "a list of parameters, where the schema has an object with members that are required, is refused", nil, listAsParams})
	for _, f := range forms {
		out = append(out, Scenario{"forms/" + f.name, f.text, nil, func(s *stage) { unusual(s, &f) }})
	}
	return append(out, Scenario{"forms/empty-lines", "empty lines between messages are ignored", nil, func(s *stage) {
		t := s.warm()
		if t.link.Raw == nil || s.table.Envelope != nil {
			s.skip("messages are no lines")
		}
		t.subject = "empty lines"
		_ = t.link.Raw([]byte("\n\n\r\n"))
		t.fence(t.subject)
	}})
}

// probeMethod is a request that has no effect.
func (r *run) probeMethod() string {
	if c := r.Protocol.Calls; c != nil && c.Ping != nil {
		return c.Ping.Name
	}
	return unknownMethod
}

func malformed(s *stage, b *bad) {
	t := s.warm()
	if t.link.Post != nil {
		s.skip("messages are requests of HTTP")
	}
	if b.name == "bad-text" && t.link.Raw == nil {
		s.skip("the transport refuses it by itself")
	}
	t.subject = b.name
	t.asked["900"] += 0
	before := t.asked["900"]
	t.nameless = b.codes != nil
	data := strings.ReplaceAll(b.data, "METHOD", s.probeMethod())
	t.send([]byte(data))
	defer func() { delete(t.answers, "900"); delete(t.asked, "900"); t.nameless = false }()
	t.fence(b.name)
	for _, id := range []string{"900", "null"} {
		for _, a := range t.answers[id] {
			t.judgeBad(b, &a)
		}
		delete(t.answers, id)
	}
	if n := t.asked["900"] - before; n > 0 && b.codes == nil {
		s.wrong(Answered, b.name, "there is an answer")
	}
}

// listAsParams calls one method: that parameters are an object is checked in one place.
func listAsParams(s *stage) {
	for _, m := range s.working() {
		if len(s.required(m)) == 0 {
			continue
		}
		t := s.warm()
		t.ready(m, s.plans[m])
		t.subject = m.Name + " with a list of parameters"
		a := t.ask(m.Name, []any{})
		t.mustBeRefused(&a, &wrong{schema: m.Params.Head().Name, at: m.Params.Head().Pos.String()})
		t.fence(t.subject)
		return
	}
	s.skip("no request with parameters has had a result")
}

// judgeBad judges the answer to what is no message.
func (t *talk) judgeBad(b *bad, a *answer) {
	if b.codes == nil {
		return
	}
	if a.ok() {
		t.wrong(NotRefused, b.name, "there is a result")
		return
	}
	for _, code := range b.codes {
		if a.Error.Code == code || b.known && a.Error.Code == codeMissing && t.probeMethod() == unknownMethod {
			return
		}
	}
	rule := WrongCode
	if a.Error.Code == codeInternal {
		rule = Internal
	}
	t.wrong(rule, b.name, "want error %d, got %s", b.codes[0], a.shown())
}

// form is another way to write a request.
type form struct {
	name, text string
	form       func(id, method, params string) string
}

var forms = []form{
	{"order", "the order of members does not matter", func(id, method, params string) string {
		return `{"params":` + params + `,"method":` + method + `,"id":` + id + `,"jsonrpc":"2.0"}`
	}},
	{"space", "white space does not matter", func(id, method, params string) string {
		return `  { "jsonrpc" : "2.0" ,` + "\t" + `"id" : ` + id + ` , "method" : ` + method + ` , "params" : ` + params + " }  "
	}},
	{"escapes", "escaped letters are the same letters", func(id, method, params string) string {
		var escaped strings.Builder
		for _, c := range strings.Trim(method, `"`) {
			fmt.Fprintf(&escaped, `\u%04x`, c)
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + escaped.String() + `","params":` + params + `}`
	}},
	{"more-members", "members of a message that JSON-RPC does not have are ignored", func(id, method, params string) string {
		return `{"jsonrpc":"2.0","` + unknownMember + `":{"a":[1]},"id":` + id + `,"method":` + method + `,"params":` + params + `}`
	}},
}

// probeParams returns the parameters of the probe.
func (t *talk) probeParams() string {
	if c := t.Protocol.Calls; c != nil && c.Ping != nil {
		return cmp.Or(c.PingParams, "{}")
	}
	return cmp.Or(string(raw(t.anything(nil))), "{}")
}

// unusual wants a request that is written in another way to have the same answer.
func unusual(s *stage, f *form) {
	t := s.warm()
	usual := t.await(t.probe())
	t.subject = "a request in another form: " + f.name
	t.mustBeAnswered(&usual)
	t.number++
	id := fmt.Sprint(t.number)
	data := f.form(id, string(raw(s.probeMethod())), t.probeParams())
	a := t.await(t.request([]byte(data)))
	t.mustBeAnswered(&a)
	if a.outcome() != usual.outcome() {
		s.wrong(Refused, t.subject, "usually there is %s, here %s", usual.shown(), a.shown())
	}
	t.fence(t.subject)
}

// ids are those that requests may have.
var oddIDs = []struct{ name, text, id string }{
	{"text", "an answer has the id of its request: a text", `"conform-é"`},
	{"number-as-text", "an answer has the id of its request: a text that looks like a number", `"901"`},
	{"empty", "an answer has the id of its request: an empty text", `""`},
	{"zero", "an answer has the id of its request: zero", `0`},
	{"negative", "an answer has the id of its request: a negative number", `-5`},
	{"large", "an answer has the id of its request: the largest number that all can read", `9007199254740991`},
}

func (r *run) ids() (out []Scenario) {
	if r.Protocol.Envelope != nil {
		return nil
	}
	for _, o := range oddIDs {
		out = append(out, Scenario{"ids/" + o.name, o.text, nil, func(s *stage) {
			t := s.warm()
			t.subject = "a request with the id " + o.id
			usual := t.await(t.probe())
			t.mustBeAnswered(&usual)
			m := rpc.Message{Kind: rpc.Request, ID: json.RawMessage(o.id), Method: s.probeMethod(), Params: json.RawMessage(t.probeParams())}
			a := t.await(t.request(t.encode(&m)))
			t.mustBeAnswered(&a)
			if a.outcome() != usual.outcome() {
				s.wrong(Refused, t.subject, "usually there is %s, here %s", usual.shown(), a.shown())
			}
			t.fence(t.subject)
		}})
	}
	return out
}
