// Rounds: decoders by turns in one binary, in processor time and beside a live heap, so that neither the collector of a small
// heap nor other work on the machine decides.

//go:build unix

package codec

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/bytedance/sonic"
	gojson "github.com/goccy/go-json"
	"github.com/minio/simdjson-go"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

var rounds = flag.Int("rounds", 0, "rounds of TestRounds; none without")

// contender decodes a payload.
type contender struct {
	name   string
	decode func(data []byte) error
}

// contenders of a payload, the tape first. It is the limit of parsing: simdjson-go writes down where values are, reuses its
// memory, and makes no values of them.
func contenders[T any](ours func([]byte) error) []contender {
	var tape, copied *simdjson.ParsedJson
	into := func(name string, unmarshal func([]byte, any) error) contender {
		return contender{name, func(data []byte) error { return unmarshal(data, new(T)) }}
	}
	return []contender{
		{"tape", func(data []byte) (err error) {
			tape, err = simdjson.Parse(data, tape, simdjson.WithCopyStrings(false))
			return err
		}},
		{"tape with texts", func(data []byte) (err error) { copied, err = simdjson.Parse(data, copied); return err }},
		{"ahpgen", ours},
		{"json.Valid", func(data []byte) error {
			if !json.Valid(data) {
				return io.ErrUnexpectedEOF
			}
			return nil
		}},
		into("sonic", sonic.ConfigDefault.Unmarshal),
		into("sonic, copied texts", sonic.ConfigStd.Unmarshal),
		into("goccy", func(data []byte, v any) error { return gojson.Unmarshal(data, v) }),
		into("encoding/json", json.Unmarshal),
	}
}

// payload is something to decode, and who decodes it.
type payload struct {
	name string
	data []byte
	all  []contender
}

func payloads(tb testing.TB) []payload {
	action := func(data []byte) error { _, err := ahp.Decode[ahp.ActionEnvelope](data); return err }
	state := func(data []byte) error { _, err := ahp.Decode[ahp.Snapshot](data); return err }
	compact := snapshot(tb)
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "\t"); err != nil {
		tb.Fatal(err)
	}
	return []payload{
		{"snapshot", compact, withV2[plainSnapshot](contenders[plainSnapshot](state))},
		{"snapshot, indented", indented.Bytes(), withV2[plainSnapshot](contenders[plainSnapshot](state))},
		{"tool result", toolResult(tb), withV2[any](contenders[any](action))},
		{"delta", delta(tb), withV2[any](contenders[any](action))},
	}
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestRounds prints the median of what each decoder takes, and its share of the tape.
func TestRounds(t *testing.T) {
	if *rounds == 0 {
		t.Skip("see -rounds")
	}
	if !simdjson.SupportedCPU() {
		t.Skip("simdjson-go does not know this processor")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	live := make([][]byte, 64<<10)
	for i := range live {
		live[i] = make([]byte, 1<<10)
	}
	runtime.GC()
	for _, p := range payloads(t) {
		took := make([][]float64, len(p.all))
		ratio := make([][]float64, len(p.all))
		each := max(1, 4<<20/len(p.data))
		for range *rounds {
			for i, c := range p.all {
				start := cpu()
				for range each {
					if err := c.decode(p.data); err != nil {
						t.Fatal(c.name, err)
					}
				}
				took[i] = append(took[i], float64(cpu()-start)/float64(each))
				last := len(took[i]) - 1
				ratio[i] = append(ratio[i], took[i][last]/took[0][last])
			}
		}
		t.Logf("%s, %d bytes, %s", p.name, len(p.data), runtime.Version())
		for i, c := range p.all {
			slices.Sort(took[i])
			slices.Sort(ratio[i])
			n := len(took[i])
			t.Logf("  %-20s %10.0f ns  %.3f of the tape (%.3f to %.3f)", c.name, took[i][n/2], ratio[i][n/2], ratio[i][n/4], ratio[i][3*n/4])
		}
	}
	runtime.KeepAlive(live)
}

func delta(tb testing.TB) []byte {
	return encoded(tb, &ahp.ActionEnvelope{Channel: "ahp-chat:/4f1c2a90", ServerSeq: 18734, Action: &ahp.ChatDeltaAction{
		TurnID: "turn-17", PartID: "part-3", Content: "the next few words of an answer",
	}})
}

func toolResult(tb testing.TB) []byte {
	var list []ahp.ToolResultContent
	for i := range 5 {
		list = append(list, &ahp.ToolResultTextContent{Text: fmt.Sprintf("func main%d() {\n\tfmt.Println(\"grüße\")\n}\n", i) +
			string(slices.Repeat([]byte("// a line of ordinary output; "), 9))})
	}
	return encoded(tb, &ahp.ActionEnvelope{Channel: "ahp-chat:/4f1c2a90", ServerSeq: 18735, Action: &ahp.ChatToolCallCompleteAction{
		TurnID: "turn-17", ToolCallID: "call-81",
		Result: ahp.ToolCallResult{Success: true, PastTenseMessage: ahp.StringOrMarkdownString("Ran the tests"), Content: list},
	}})
}

func encoded(tb testing.TB, v interface {
	AppendJSON([]byte) ([]byte, error)
}) []byte {
	data, err := v.AppendJSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
