package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

func TestErrorsAsTheyGoOnTheWire(t *testing.T) {
	own := &Error{Code: 7, Message: "own", Data: raw(`1`)}
	check(t, AsError(own), own)
	check(t, AsError(fmt.Errorf("around: %w", own)), own)
	check(t, AsError(InvalidParams), &Error{Code: -32602, Message: "invalid params"})
	check(t, AsError(fmt.Errorf("around: %w", busy)), &Error{Code: -32001, Message: "around: error -32001"})
	check(t, AsError(fmt.Errorf("around: %w", &busyData{noteParams{"a"}})), &Error{Code: -32001, Message: "busy", Data: raw(`{"text":"a"}`)})
	check(t, AsError(errors.New("any")), &Error{Code: int64(InternalError), Message: "any"})

	e, err := NewError(Code(5), "m", &noteParams{"a"})
	check(t, err, error(nil))
	check(t, e, &Error{Code: 5, Message: "m", Data: raw(`{"text":"a"}`)})
	check(t, (&Error{Code: 5}).Error(), "error 5")
	check(t, (&Error{Code: -32001, Message: "gone"}).Error(), "gone (-32001)")
}

// otherData is error data without an error code.
type otherData struct{ busyData }

func (v *otherData) RPCCode() int64 { return 1 }

func TestDataIsFoundWhereItBelongsToTheCode(t *testing.T) {
	whole := &Error{Code: int64(busy), Data: raw(`{"text":"a"}`)}
	var data *busyData
	check(t, errors.As(fmt.Errorf("around: %w", whole), &data), true)
	check(t, data.text, "a")
	check(t, errors.As(whole, new(*otherData)), false, "the data of another code")
	for _, malformed := range []string{`{"text":7}`, `null`, `7`, ``, `{`} {
		check(t, errors.As(&Error{Code: int64(busy), Data: raw(malformed)}, new(*busyData)), false, malformed)
	}
	check(t, errors.Is(whole, busy), true)
	check(t, errors.Is(whole, &busyData{}), true, "data stands for its code")
	check(t, errors.Is(whole, ParseError), false)
}

func TestPassThroughChannels(t *testing.T) {
	for text, want := range map[string]string{
		`{"channel":"raw://a","x":1}`:               "raw://a",
		`{"x":{"channel":"no"},"channel":"raw://"}`: "raw://",
		`{"channel":"other://a"}`:                   "", `{"channel":7}`: "", `{}`: "", `[]`: "", ``: "", `"raw://a"`: "",
		`{"x":1,"channel":"raw://a","channel":"raw://b"}`:               "",
		`{"channel":"raw://a","channel":"raw://b"}`:                     "",
		`{"channel":"raw://a","channel":"raw://b","channel":"raw://a"}`: "",
		`{"channel":"raw://a","x":1,"channel":7}`:                       "",
		`{"channel":"raw://a","x":1,"channel":"raw:\/\/a"}`:             "raw://a",
	} {
		got, ok := small.Channel(raw(text))
		if got != want && ok || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", text, got, ok, want)
		}
	}
}

// quiet fails where an error has more of a peer's text than it needs, or what a terminal takes for a command.
func quiet(t *testing.T, about string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", about)
		return
	}
	text := err.Error()
	if len(text) > 16<<10 {
		t.Errorf("%s: %d bytes: %.200q", about, len(text), text)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }); i >= 0 {
		t.Errorf("%s: %q holds what cannot be printed", about, text[max(i-20, 0):min(i+20, len(text))])
	}
}

func TestErrorsHoldLittleOfWhatAPeerSent(t *testing.T) {
	for name, text := range map[string]string{
		"colours": strings.Repeat("\x1b[31m", 1<<15), "lines": strings.Repeat("a\n", 1<<16), "letters": strings.Repeat("a", 1<<17),
		"turned around": strings.Repeat("\u202e", 1<<15), "wide": strings.Repeat("\U0001F600", 1<<15), "invalid": strings.Repeat("\xff", 1<<17),
	} {
		quoted := string(wire.AppendString(nil, text))
		quiet(t, name+": answer", &Error{Code: -32001, Message: text})
		quiet(t, name+": wrapped answer", fmt.Errorf("open: %w", &Error{Code: 7, Message: text}))
		for _, method := range []string{text, "_" + text} {
			_, err := (&handlers{}).ServeRPC(context.Background(), &Message{Kind: Request, Method: method})
			quiet(t, name+": method", err)
		}
		for _, message := range []string{
			`{"jsonrpc":` + quoted + `,"method":"m"}`, `{"jsonrpc":"2.0","id":` + quoted + `}`, `{"jsonrpc":"2.0","method":"m","` + text + `":tru}`,
			`{"jsonrpc":"2.0","method":"m",` + quoted + `:[{` + quoted + `:tru}]}`, strings.Repeat(`{`+quoted+`:`, 20) + `tru`,
		} {
			_, err := Decode([]byte(message), &small)
			quiet(t, name+": "+message[:30], err)
		}
		_, err := Decode([]byte(strings.Repeat(`{"`+text[:100]+`":[`, 400)+`tru`), nil)
		quiet(t, name+": deep", err)
		quiet(t, name+": number", wireError(json.Number(text)))
		quiet(t, name+": id", new(Peer).resolve(Message{Kind: Result, ID: raw(quoted)}))
	}
}

// wireError returns what becomes of a number that is none.
func wireError(n json.Number) error {
	_, err := codec.AppendAs(nil, n, codec.NumberItem)
	return err
}

func TestExcerptsAreCutBetweenCharacters(t *testing.T) {
	const most = 100
	check(t, wire.Excerpt("a"), `"a"`)
	check(t, wire.Excerpt(strings.Repeat("a", most)), `"`+strings.Repeat("a", most)+`"`)
	check(t, wire.Excerpt(strings.Repeat("é", most)), `"`+strings.Repeat("é", most/2)+`"… (200 bytes)`)
	check(t, wire.Excerpt("a"+strings.Repeat("é", most)), `"a`+strings.Repeat("é", most/2-1)+`"… (201 bytes)`)
	check(t, wire.Name(strings.Repeat("a", most+1)), `"`+strings.Repeat("a", most)+`"… (101 bytes)`)
	check(t, wire.Readable(`no "x" here`), `no "x" here`)
	check(t, wire.Readable("one\ntwo"), `"one\ntwo"`)
}

func TestLongPathsShowBothEnds(t *testing.T) {
	_, err := Decode([]byte(strings.Repeat(`{"a":[`, 100)+`tru`), nil)
	check(t, strings.Contains(text(err), "… (176 more) …"), true, err)
	err = errNil
	for range 200 {
		err = wire.Within("a", err)
	}
	check(t, strings.Contains(err.Error(), "… (176 more) …"), true, err)
	check(t, errors.Is(err, errNil), true)
}

func TestNothingIsAnErrorAndNotAPanic(t *testing.T) {
	_, err := (*Message)(nil).AppendJSON(nil)
	check(t, errors.Is(err, errNil), true)
	var none *Error
	check(t, AsError(none).Code, int64(InternalError))
	check(t, AsError((*busyData)(nil)).Code, int64(InternalError))
}
