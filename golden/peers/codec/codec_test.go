// One state of a chat, about 1 MB, decoded into any, into structs without unions, and as it is meant.

package codec

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bytedance/sonic"
	gojson "github.com/goccy/go-json"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// decoders are the libraries by name; init functions add those that not every toolchain has.
var decoders = []struct {
	name   string
	decode func([]byte, any) error
}{
	{"encoding-json", json.Unmarshal},
	{"sonic", sonic.ConfigDefault.Unmarshal},
	{"sonic-std", sonic.ConfigStd.Unmarshal},
	{"goccy", func(data []byte, v any) error { return gojson.Unmarshal(data, v) }},
}

func BenchmarkDecode(b *testing.B) {
	data := snapshot(b)
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("ahp", func() error { _, err := ahp.Decode[ahp.Snapshot](data); return err })
	run("valid", func() error {
		if !json.Valid(data) {
			return fmt.Errorf("not valid")
		}
		return nil
	})
	for _, d := range decoders {
		run(d.name+"/any", func() error { var v any; return d.decode(data, &v) })
		run(d.name+"/plain", func() error { var v plainSnapshot; return d.decode(data, &v) })
	}
}

// TestPlainStructsHoldTheSame shows that the structs without unions are no straw man: they find what is
// there.
func TestPlainStructsHoldTheSame(t *testing.T) {
	var v plainSnapshot
	if err := json.Unmarshal(snapshot(t), &v); err != nil {
		t.Fatal(err)
	}
	last := v.State.Turns[turns-1]
	if last.ID != fmt.Sprintf("turn-%d", turns-1) || len(last.ResponseParts) != 3 || last.ResponseParts[1].ToolCall.ToolName != "shell" {
		t.Fatalf("%+v", last)
	}
}

// What people write who do without unions: one struct with the members of all variants.
type (
	plainSnapshot struct {
		Resource string     `json:"resource"`
		State    *plainChat `json:"state"`
		FromSeq  int64      `json:"fromSeq"`
	}
	plainChat struct {
		Resource   string      `json:"resource"`
		Title      string      `json:"title"`
		Status     uint64      `json:"status"`
		ModifiedAt string      `json:"modifiedAt"`
		Turns      []plainTurn `json:"turns"`
	}
	plainTurn struct {
		ID            string       `json:"id"`
		StartedAt     *string      `json:"startedAt,omitempty"`
		Duration      *int64       `json:"duration,omitempty"`
		Message       plainMessage `json:"message"`
		ResponseParts []plainPart  `json:"responseParts"`
		Usage         *plainUsage  `json:"usage,omitempty"`
		State         string       `json:"state"`
	}
	plainMessage struct {
		Text   string `json:"text"`
		Origin struct {
			Kind string `json:"kind"`
		} `json:"origin"`
	}
	plainUsage struct {
		InputTokens  *int64  `json:"inputTokens,omitempty"`
		OutputTokens *int64  `json:"outputTokens,omitempty"`
		Model        *string `json:"model,omitempty"`
	}
	plainPart struct {
		Kind     string         `json:"kind"`
		ID       string         `json:"id,omitempty"`
		Content  string         `json:"content,omitempty"`
		ToolCall *plainToolCall `json:"toolCall,omitempty"`
	}
	plainToolCall struct {
		Status            string         `json:"status"`
		ToolCallID        string         `json:"toolCallId"`
		ToolName          string         `json:"toolName"`
		DisplayName       string         `json:"displayName"`
		InvocationMessage string         `json:"invocationMessage"`
		Confirmed         string         `json:"confirmed"`
		Success           bool           `json:"success"`
		PastTenseMessage  *string        `json:"pastTenseMessage,omitempty"`
		Content           []plainContent `json:"content,omitempty"`
	}
	plainContent struct {
		Type string `json:"type"`
		Text string `json:"text,omitempty"`
	}
)

const turns = 600

func snapshot(tb testing.TB) []byte {
	tb.Helper()
	const text = "The handler now checks the *size* of the upload before it reads anything, so a request that is too large ends with " +
		"`413` instead of filling the disk.\n\n```go\nif r.ContentLength > limit {\n\treturn errTooLarge\n}\n```\n"
	chat := &ahp.ChatState{Resource: "ahp-chat:/1", Title: "Limit uploads", Status: ahp.SessionStatusIdle, ModifiedAt: "2026-03-01T10:20:30.456Z"}
	for i := range turns {
		chat.Turns = append(chat.Turns, ahp.Turn{
			ID: fmt.Sprintf("turn-%d", i), StartedAt: new("2026-03-01T10:20:30.456Z"), Duration: new(int64(3417)),
			Message: ahp.Message{Text: "Please limit the size of uploads.", Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser}},
			ResponseParts: []ahp.ResponsePart{
				&ahp.ReasoningResponsePart{ID: fmt.Sprintf("r-%d", i), Content: "The test fails only when the clock runs backwards — better to keep both times."},
				&ahp.ToolCallResponsePart{ToolCall: &ahp.ToolCallCompletedState{
					ToolCallID: fmt.Sprintf("call-%d", i), ToolName: "shell", DisplayName: "Shell", InvocationMessage: ahp.StringOrMarkdownString("Running tests"),
					Success: true, PastTenseMessage: ahp.StringOrMarkdownString("Ran the tests"), Confirmed: ahp.ToolCallConfirmationReasonUserAction,
					Content: []ahp.ToolResultContent{&ahp.ToolResultTextContent{Text: strings.Repeat("ok  \texample.com/upload\t0.214s\n", 6)}},
				}},
				&ahp.MarkdownResponsePart{ID: fmt.Sprintf("m-%d", i), Content: strings.Repeat(text, 3)},
			},
			Usage: &ahp.UsageInfo{InputTokens: new(int64(18231)), OutputTokens: new(int64(911)), Model: new("large")},
			State: ahp.TurnStateComplete,
		})
	}
	data, err := (&ahp.Snapshot{Resource: "ahp-chat:/1", State: chat, FromSeq: 184460}).AppendJSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
