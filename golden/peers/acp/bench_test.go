// How fast the two Go packages are with the same messages, beside json.Valid on the same bytes.

package acp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	coder "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

// sample is a message, and how the packages decode it. Both check what they have decoded.
type sample struct {
	name   string
	json   string
	ours   func([]byte) (wire.Appender, error)
	theirs func([]byte) (any, error)
}

const (
	words = "The handler now checks the size of the upload before it reads anything, so a request that is too large ends with `413`.\n\n"
	code  = "\tif r.ContentLength > limit {\n\t\treturn fmt.Errorf(\"%d bytes\", r.ContentLength)\n\t}\n"
)

func quoted(text string) string { return string(wire.AppendString(nil, text)) }

func samples() []sample {
	update := func(s string) string { return `{"sessionId":"sess_abc123def456","update":` + s + `}` }
	return []sample{
		{"update", update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + quoted(words) + `}}`), ourUpdate, theirUpdate},
		{"toolCall2kB", update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_001","status":"completed","title":"Edit upload.go","kind":"edit",` +
			`"content":[{"type":"content","content":{"type":"text","text":` + quoted(strings.Repeat(words, 6)) + `}},` +
			`{"type":"diff","path":"/home/user/project/upload.go","oldText":` + quoted(code) + `,"newText":` + quoted(strings.Repeat(code, 6)) + `}],` +
			`"locations":[{"path":"/home/user/project/upload.go","line":42},{"path":"/home/user/project/limit.go","line":7}],` +
			`"rawInput":{"path":"/home/user/project/upload.go","edits":[{"line":42,"text":` + quoted(code) + `}]}}`), ourUpdate, theirUpdate},
		{"prompt16kB", `{"sessionId":"sess_abc123def456","prompt":[{"type":"text","text":` + quoted(strings.Repeat(words, 66)) + `},` +
			`{"type":"resource","resource":{"uri":"file:///home/user/project/upload.go","mimeType":"text/x-go","text":` + quoted(strings.Repeat(code, 80)) + `}},` +
			`{"type":"resource_link","uri":"file:///home/user/project/limit.go","name":"limit.go"}]}`,
			func(b []byte) (wire.Appender, error) { return acp.Decode[acp.PromptRequest](b) },
			func(b []byte) (any, error) { return theirs[coder.PromptRequest](b) }},
	}
}

func ourUpdate(b []byte) (wire.Appender, error) { return acp.Decode[acp.SessionNotification](b) }

func theirUpdate(b []byte) (any, error) { return theirs[coder.SessionNotification](b) }

// theirs decodes and validates, as the SDK does before it calls a handler.
func theirs[T any, P interface {
	*T
	Validate() error
}](b []byte) (any, error) {
	p := P(new(T))
	if err := json.Unmarshal(b, p); err != nil {
		return nil, err
	}
	return p, p.Validate()
}

// frame is how the SDK of Coder reads a message; it does not export that.
type frame struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Error   json.RawMessage  `json:"error,omitempty"`
}

func ourFrame(b []byte) (wire.Appender, error) {
	m, err := (&acp.ClientHandlers{}).DecodeRPC(b)
	if err == nil && m.Decoded == nil {
		err = errors.New("not decoded")
	}
	return m.Decoded, err
}

func theirFrame(b []byte) (any, error) {
	var f frame
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, err
	}
	return theirUpdate(f.Params)
}

// framed is the message of the first sample as it comes in.
func framed() sample {
	return sample{"frame", `{"jsonrpc":"2.0","method":"session/update","params":` + samples()[0].json + `}`, ourFrame, theirFrame}
}

// TestBothPackagesHoldTheSame shows that the comparison is of like with like.
func TestBothPackagesHoldTheSame(t *testing.T) {
	for _, s := range samples() {
		ours, err := s.ours([]byte(s.json))
		require.NoError(t, err)
		out, err := ours.AppendJSON(nil)
		require.NoError(t, err)
		require.JSONEq(t, s.json, string(out), s.name)
		theirs, err := s.theirs([]byte(s.json))
		require.NoError(t, err)
		out, err = json.Marshal(theirs)
		require.NoError(t, err)
		require.JSONEq(t, s.json, string(out), s.name)
	}
	f := framed()
	ours, err := f.ours([]byte(f.json))
	require.NoError(t, err)
	theirs, err := f.theirs([]byte(f.json))
	require.NoError(t, err)
	a, err := ours.AppendJSON(nil)
	require.NoError(t, err)
	b, err := json.Marshal(theirs)
	require.NoError(t, err)
	require.JSONEq(t, string(a), string(b))
}

func bench(b *testing.B, name string, size int, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, s := range append(samples(), framed()) {
		data := []byte(s.json)
		bench(b, s.name+"/ours", len(data), func() error { _, err := s.ours(data); return err })
		bench(b, s.name+"/coder", len(data), func() error { _, err := s.theirs(data); return err })
		bench(b, s.name+"/valid", len(data), func() error {
			if !json.Valid(data) {
				return fmt.Errorf("not valid")
			}
			return nil
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, s := range samples() {
		ours, err := s.ours([]byte(s.json))
		require.NoError(b, err)
		theirs, err := s.theirs([]byte(s.json))
		require.NoError(b, err)
		bench(b, s.name+"/ours", len(s.json), func() error { _, err := ours.AppendJSON(nil); return err })
		bench(b, s.name+"/coder", len(s.json), func() error { _, err := json.Marshal(theirs); return err })
	}
}
