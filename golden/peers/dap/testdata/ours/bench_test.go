// Whole messages, envelope included, read and written by ours and by go-dap.

package ours

import (
	"encoding/json"
	"io"
	"strconv"
	"testing"

	theirs "github.com/google/go-dap"
	"ours/dap"
	"ours/dap/wire"
	"ours/dap/wire/rpc"
	"ours/dap/wire/rpc/spec"
)

// messages are of the kinds that debuggers send most.
var messages = map[string]string{
	"stopped": `{"seq":12,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":1,"allThreadsStopped":true,"hitBreakpointIds":[3]}}`,
	"output":  `{"seq":40,"type":"event","event":"output","body":{"category":"stdout","output":"listening on port 8080\n","line":3,"source":{"name":"main.go","path":"/home/user/main.go"}}}`,
	"stackTrace": `{"seq":15,"type":"response","request_seq":9,"success":true,"command":"stackTrace","body":{"stackFrames":[` +
		`{"id":1000,"name":"main.main","source":{"name":"main.go","path":"/home/user/main.go","sourceReference":0},"line":9,"column":0},` +
		`{"id":1001,"name":"runtime.main","source":{"name":"proc.go","path":"/usr/local/go/src/runtime/proc.go","sourceReference":0},"line":285,"column":0},` +
		`{"id":1002,"name":"runtime.goexit","source":{"name":"asm_amd64.s","path":"/usr/local/go/src/runtime/asm_amd64.s","sourceReference":0},"line":1693,"column":0}],"totalFrames":3}}`,
	"variables": `{"seq":17,"type":"response","request_seq":11,"success":true,"command":"variables","body":{"variables":[` +
		`{"name":"total","value":"0","type":"int","evaluateName":"total","variablesReference":0},{"name":"name","value":"\"one\"","type":"string","evaluateName":"name","variablesReference":0},` +
		`{"name":"list","value":"[]string len: 3, cap: 3, [\"one\",\"two\",\"three\"]","type":"[]string","evaluateName":"list","variablesReference":1004,"indexedVariables":3}]}}`,
	"setBreakpoints": `{"seq":4,"type":"request","command":"setBreakpoints","arguments":{"source":{"name":"main.go","path":"/home/user/main.go"},"breakpoints":[{"line":9},{"line":12,"condition":"i > 3"}],"sourceModified":false}}`,
}

// read decodes a message of ours with what it carries.
func read(data []byte) error {
	var client dap.ClientHandlers
	m, err := client.DecodeRPC(data)
	if err != nil || m.Decoded != nil {
		return err
	}
	info, _ := dap.LookupMethod(m.Method)
	if m.Kind == rpc.Result {
		_, err = info.DecodeResult(m.Result)
	} else {
		_, err = info.DecodeParams(m.Params)
	}
	return err
}

func BenchmarkReading(b *testing.B) {
	for name, text := range messages {
		data := []byte(text)
		b.Run(name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read(data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/go-dap", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := theirs.DecodeProtocolMessage(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// forms are those of the package, which keeps them to itself.
var forms = spec.MustEnvelope(spec.Forms{
	Request:      `{"seq": "$id", "type": "request", "command": "$method", "arguments": "$params?"}`,
	Result:       `{"seq": "$sequence", "type": "response", "request_seq": "$id", "success": true, "command": "$method", "body": "$result?"}`,
	Failure:      `{"seq": "$sequence", "type": "response", "request_seq": "$id", "success": false, "command": "$method", "message": "$message?"}`,
	Notification: `{"seq": "$sequence", "type": "event", "event": "$method", "body": "$params?"}`,
})

// writer encodes messages of ours with what they carry, and writes them with a header, as go-dap does.
type writer struct{ message, header []byte }

func (w *writer) write(kind rpc.Kind, method string, body wire.Appender) (err error) {
	m := rpc.Message{Kind: kind, Method: method, Body: body}
	if kind == rpc.Result {
		m.ID = nine
	}
	if w.message, err = m.AppendIn(w.message[:0], forms, 12); err != nil {
		return err
	}
	w.header = strconv.AppendInt(append(w.header[:0], "Content-Length: "...), int64(len(w.message)), 10)
	if _, err = io.Discard.Write(append(w.header, "\r\n\r\n"...)); err != nil {
		return err
	}
	_, err = io.Discard.Write(w.message)
	return err
}

// nine is the number of the request that is answered.
var nine = json.RawMessage("9")

func BenchmarkWriting(b *testing.B) {
	frames := make([]dap.StackFrame, 3)
	same := make([]theirs.StackFrame, 3)
	for i := range frames {
		name, path := "main.go", "/home/user/main.go"
		frames[i] = dap.StackFrame{ID: int32(1000 + i), Name: "main.main", Source: &dap.Source{Name: &name, Path: &path}, Line: 9}
		same[i] = theirs.StackFrame{Id: 1000 + i, Name: "main.main", Source: &theirs.Source{Name: name, Path: path}, Line: 9}
	}
	for _, test := range []struct {
		name   string
		kind   rpc.Kind
		method string
		ours   wire.Appender
		theirs theirs.Message
	}{
		{
			"stopped", rpc.Notification, "stopped",
			&dap.StoppedEventBody{Reason: dap.StoppedEventBodyReasonBreakpoint, ThreadID: ptr(int32(1)), AllThreadsStopped: ptr(true), HitBreakpointIDs: []int32{3}},
			&theirs.StoppedEvent{
				Event: theirs.Event{ProtocolMessage: theirs.ProtocolMessage{Seq: 12, Type: "event"}, Event: "stopped"},
				Body:  theirs.StoppedEventBody{Reason: "breakpoint", ThreadId: 1, AllThreadsStopped: true, HitBreakpointIds: []int{3}},
			},
		},
		{
			"stackTrace", rpc.Result, "stackTrace", &dap.StackTraceResponseBody{StackFrames: frames},
			&theirs.StackTraceResponse{
				Response: theirs.Response{ProtocolMessage: theirs.ProtocolMessage{Seq: 12, Type: "response"}, RequestSeq: 9, Success: true, Command: "stackTrace"},
				Body:     theirs.StackTraceResponseBody{StackFrames: same},
			},
		},
	} {
		b.Run(test.name+"/ours", func(b *testing.B) {
			var w writer
			b.ReportAllocs()
			for b.Loop() {
				if err := w.write(test.kind, test.method, test.ours); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(test.name+"/go-dap", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := theirs.WriteProtocolMessage(io.Discard, test.theirs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
