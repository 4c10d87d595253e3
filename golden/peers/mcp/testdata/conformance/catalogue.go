// What both servers have: tools, resources and prompts, as JSON.

package main

import (
	"encoding/json"
	"strings"
)

const (
	pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	sound = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
)

// contents are what tools return that only return something.
var contents = map[string]string{
	"test_simple_text":       `[{"type":"text","text":"This is a simple text response for testing."}]`,
	"test_image_content":     `[{"type":"image","data":"` + pixel + `","mimeType":"image/png"}]`,
	"test_audio_content":     `[{"type":"audio","data":"` + sound + `","mimeType":"audio/wav"}]`,
	"test_embedded_resource": `[{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}]`,
	"test_multiple_content_types": `[{"type":"text","text":"Multiple content types test:"},{"type":"image","data":"` + pixel + `","mimeType":"image/png"},
		{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}]`,
}

// schemas are those of the arguments of tools that have any.
var schemas = map[string]string{
	"test_sampling":    `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`,
	"test_elicitation": `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
	"test_headers":     `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"}},"required":["region"]}`,
	"json_schema_2020_12_tool": `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`,
}

// commonTools are the tools of both eras.
var commonTools = []string{
	"test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource", "test_multiple_content_types",
	"test_error_handling", "test_tool_with_progress", "json_schema_2020_12_tool",
}

// schemaOf returns the schema of a tool's arguments.
func schemaOf(tool string) json.RawMessage {
	if schema, ok := schemas[tool]; ok {
		return json.RawMessage(schema)
	}
	return json.RawMessage(`{"type":"object","properties":{}}`)
}

// listTools returns the members of a list of tools.
func listTools(names ...string) string {
	var all []string
	for _, name := range names {
		all = append(all, `{"name":`+quote(name)+`,"description":`+quote("For the test of "+name)+`,"inputSchema":`+string(schemaOf(name))+`}`)
	}
	return `"tools":[` + strings.Join(all, ",") + `]`
}

const (
	listResources = `"resources":[{"uri":"test://static-text","name":"text","description":"A text","mimeType":"text/plain"},{"uri":"test://static-binary","name":"binary","description":"A picture","mimeType":"image/png"}]`
	listTemplates = `"resourceTemplates":[{"uriTemplate":"test://template/{id}/data","name":"template","description":"Data of an id","mimeType":"application/json"}]`
	listPrompts   = `"prompts":[{"name":"test_simple_prompt","description":"Has no arguments"},
		{"name":"test_prompt_with_arguments","description":"Has two arguments","arguments":[{"name":"arg1","required":true},{"name":"arg2","required":true}]},
		{"name":"test_prompt_with_embedded_resource","description":"Has a resource","arguments":[{"name":"resourceUri","required":true}]},
		{"name":"test_prompt_with_image","description":"Has a picture"}`
	completions = `"completion":{"values":["paris","park","party"],"total":150,"hasMore":false}`
)

// resource returns the contents of a resource.
func resource(uri string) (contents string, ok bool) {
	id, template := strings.CutPrefix(uri, "test://template/")
	id, data := strings.CutSuffix(id, "/data")
	switch {
	case uri == "test://static-text":
		contents = `"mimeType":"text/plain","text":"This is the content of the static text resource."`
	case uri == "test://static-binary":
		contents = `"mimeType":"image/png","blob":"` + pixel + `"`
	case uri == "test://watched-resource":
		contents = `"mimeType":"text/plain","text":"It is watched."`
	case template && data:
		contents = `"mimeType":"application/json","text":` + quote(`{"id":`+quote(id)+`,"templateTest":true,"data":`+quote("Data for ID: "+id)+`}`)
	default:
		return "", false
	}
	return `"contents":[{"uri":` + quote(uri) + `,` + contents + `}]`, true
}

// prompt returns the messages of a prompt.
func prompt(name string, arguments map[string]string) (messages string, ok bool) {
	text := func(text string) string {
		return `{"role":"user","content":{"type":"text","text":` + quote(text) + `}}`
	}
	switch name {
	case "test_simple_prompt":
		messages = text("This is a simple prompt for testing.")
	case "test_prompt_with_arguments":
		messages = text("Prompt with arguments: arg1='" + arguments["arg1"] + "', arg2='" + arguments["arg2"] + "'")
	case "test_prompt_with_embedded_resource":
		messages = `{"role":"user","content":{"type":"resource","resource":{"uri":` + quote(arguments["resourceUri"]) + `,"mimeType":"text/plain","text":"Embedded resource content for testing."}}},` +
			text("Please process the embedded resource above.")
	case "test_prompt_with_image":
		messages = `{"role":"user","content":{"type":"image","data":"` + pixel + `","mimeType":"image/png"}},` + text("Please analyze the image above.")
	default:
		return "", false
	}
	return `"messages":[` + messages + `]`, true
}
