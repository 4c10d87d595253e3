// Tests of single functions.

package translations

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

func TestFunctions(t *testing.T) {
	const impossible = "cannot be said in the other version: "
	for _, c := range []struct {
		name             string
		f                translate.Func
		in, want, reason string
	}{
		{"a form", lowerElicitation, `{"mode":"form","message":"m"}`, `{"mode":"form","message":"m"}`, ""},
		{"a page", lowerElicitation, `{"mode":"url","url":"u"}`, ``, impossible + "the user is asked by a url"},
		{"titled choices", lowerField, `{"type":"string","title":"t","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}],"default":"a"}`,
			`{"type":"string","title":"t","enum":["a","b"],"enumNames":["A","B"]}`, ""},
		{"no choices", lowerField, `{"type":"string","oneOf":[]}`, `{"type":"string","enum":[],"enumNames":[]}`, ""},
		{"choices", lowerField, `{"type":"string","enum":["a"],"default":"a"}`, `{"type":"string","enum":["a"]}`, ""},
		{"a number", lowerField, `{"type":"number","default":1}`, `{"type":"number"}`, ""},
		{"yes or no", lowerField, `{"type":"boolean","default":true}`, `{"type":"boolean","default":true}`, ""},
		{"a choice of several values", lowerField, `{"type":"array","items":{"enum":["a"]}}`, ``, impossible + "a form has a choice of several values"},
		{"an answer", lowerElicited, `{"action":"accept","content":{"a":1,"b":null}}`, `{"action":"accept","content":{"a":1,"b":null}}`, ""},
		{"no answer", lowerElicited, `{"action":"decline"}`, `{"action":"decline"}`, ""},
		{"several values", lowerElicited, `{"content":{"a":["b"]}}`, ``, impossible + "a field of the answer has several values"},
		{"one block", lowerSampled, `{"content":[{"type":"text","text":"a"}]}`, `{"content":{"type":"text","text":"a"}}`, ""},
		{"a block", lowerSampled, `{"content":{"type":"text","text":"a"}}`, `{"content":{"type":"text","text":"a"}}`, ""},
		{"two blocks", lowerSampled, `{"content":[{},{}]}`, ``, impossible + "a message has several blocks, or none"},
		{"no block", lowerSampled, `{"content":[]}`, ``, impossible + "a message has several blocks, or none"},
		{"a call", lowerSamplingBlock, `{"type":"tool_use"}`, ``, impossible + "a block of a message is a tool_use"},
		{"a task", lowerTask, `{"task":{}}`, ``, impossible + "the answer is a task"},
		{"parts of capabilities", liftCapabilities, `{"elicitation":{"form":1,"url":{},"more":1},"sampling":{"tools":true},"roots":{}}`,
			`{"elicitation":{"url":{},"more":1},"sampling":{},"roots":{}}`, ""},
		{"names of the protocol", dropReserved, `{"_meta":{"io.modelcontextprotocol/serverInfo":{},"a":1}}`, `{"_meta":{"a":1}}`, ""},
		{"names of the other version", dropReserved, `{"_meta":{"io.modelcontextprotocol/related-task":{},"a":1}}`, `{"_meta":{"a":1}}`, ""},
		{"no names", dropReserved, `{"a":1}`, `{"a":1}`, ""},
		{"a request", liftRequest, `{"_meta":{"io.modelcontextprotocol/clientCapabilities":7,"progressToken":1}}`,
			`{"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`, ""},
		{"a request that says nothing", liftRequest, `{}`,
			`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`, ""},
		{"questions", lowerInput, `{"resultType":"input_required","inputRequests":{}}`, ``, impossible + "the result asks for input"},
		{"a result", lowerInput, `{"content":[]}`, `{"content":[]}`, ""},
		{"a task as the result", liftTask, `{"task":{}}`, ``, impossible + "the result is a task"},
		{"a result that is there", liftTask, `{"content":[]}`, `{"content":[]}`, ""},
		{"structured content", lowerStructured, `{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":1}}`, ""},
		{"structured content that is a list", lowerStructured, `{"structuredContent":[1]}`, `{}`, ""},
		{"a request is cancelled", liftCancelled, `{"requestId":1}`, `{"requestId":1}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := translate.Parse([]byte(c.in))
			require.NoError(t, err)
			if err = c.f(o, &translate.Context{}); c.reason != "" {
				require.EqualError(t, err, c.reason)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(o.JSON()))
		})
	}
}
