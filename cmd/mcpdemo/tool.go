// Tools: functions whose arguments are a Go struct. Clients see a schema of that struct, and arguments are validated against it.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/ahpgen/ahpgen/generated/wire"
)

// tool is a function that clients can call.
type tool struct {
	name, description string
	schema            json.RawMessage // of the arguments
	slow              bool            // it can run as a task
	run               func(ctx context.Context, c caller, arguments json.RawMessage) (text string, err error)
}

// caller is the client whose call runs a tool, whichever version it speaks.
type caller interface {
	// Progress reports how far the call is, if the client wants to know.
	Progress(ctx context.Context, done, total float64) error
	// Ask has the user fill in a form. The schema of each answer is that of a string, boolean or number. It returns nil if the
	// user declines, and an [*unanswered] error if the call has to be made again with the answers.
	Ask(ctx context.Context, f form) (answers map[string]json.RawMessage, err error)
}

// form is what a tool asks the user.
type form struct {
	name    string // identifies it within the call
	message string
	fields  json.RawMessage // properties of a schema
}

// unanswered is the error of a tool that cannot go on without the user.
type unanswered struct{ form form }

func (*unanswered) Error() string { return "the user has to answer first" }

// invalid is the error of arguments that do not match the schema of the tool.
type invalid struct{ reason string }

func (e *invalid) Error() string { return e.reason }

// newTool returns a tool with arguments of type A, a struct. See [schemaOf] for its tags.
func newTool[A any](name, description string, run func(ctx context.Context, c caller, arguments A) (string, error)) *tool {
	schema := schemaOf(reflect.TypeFor[A]())
	validator := jsonschema.MustCompileString(name+".json", string(schema))
	return &tool{name: name, description: description, schema: schema, run: func(ctx context.Context, c caller, arguments json.RawMessage) (string, error) {
		var value any
		if err := json.Unmarshal(arguments, &value); err != nil {
			return "", &invalid{err.Error()}
		}
		if err := validator.Validate(value); err != nil {
			return "", &invalid{reasonOf(err)}
		}
		var a A
		if err := json.Unmarshal(arguments, &a); err != nil {
			return "", &invalid{err.Error()}
		}
		return run(ctx, c, a)
	}}
}

// withArguments calls the tool with arguments, which are optional for the client.
func (t *tool) withArguments(ctx context.Context, c caller, arguments map[string]json.RawMessage) (string, error) {
	if arguments == nil {
		arguments = map[string]json.RawMessage{}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return "", &invalid{err.Error()}
	}
	return t.run(ctx, c, text)
}

// reasonOf returns what a validator found, one line for each place.
func reasonOf(err error) string {
	var found *jsonschema.ValidationError
	if !errors.As(err, &found) {
		return err.Error()
	}
	var lines []string
	for _, e := range found.BasicOutput().Errors {
		if e.Error != "" && !strings.HasPrefix(e.Error, "doesn't validate with") {
			lines = append(lines, strings.TrimPrefix(e.InstanceLocation+": ", ": ")+e.Error)
		}
	}
	return "invalid arguments: " + strings.Join(lines, "; ")
}

// schemaOf returns the JSON Schema of a type of arguments: strings, booleans, numbers, slices, maps and structs. Members are
// required unless their tag has omitempty or omitzero. The tag doc is a description, and schema holds further keywords, as in
// `schema:"\"minimum\":1"`.
func schemaOf(t reflect.Type) json.RawMessage {
	switch t.Kind() {
	case reflect.String:
		return json.RawMessage(`{"type":"string"}`)
	case reflect.Bool:
		return json.RawMessage(`{"type":"boolean"}`)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return json.RawMessage(`{"type":"integer"}`)
	case reflect.Float32, reflect.Float64:
		return json.RawMessage(`{"type":"number"}`)
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return json.RawMessage(`{"type":"array","items":` + string(schemaOf(t.Elem())) + `}`)
	case reflect.Map:
		return json.RawMessage(`{"type":"object","additionalProperties":` + string(schemaOf(t.Elem())) + `}`)
	case reflect.Struct:
		return schemaOfStruct(t)
	}
	panic(fmt.Sprintf("arguments of type %v have no schema", t))
}

func schemaOfStruct(t reflect.Type) json.RawMessage {
	var members, required []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		schema := strings.TrimSuffix(string(schemaOf(f.Type)), "}")
		if doc := f.Tag.Get("doc"); doc != "" {
			schema += `,"description":` + quoted(doc)
		}
		if more := f.Tag.Get("schema"); more != "" {
			schema += "," + more
		}
		members = append(members, quoted(name)+":"+schema+"}")
		if !strings.Contains(options, "omit") {
			required = append(required, quoted(name))
		}
	}
	out := `{"type":"object","properties":{` + strings.Join(members, ",") + `}`
	if len(required) > 0 {
		out += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return json.RawMessage(out + `,"additionalProperties":false}`)
}

// quoted returns text as JSON.
func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings always have JSON
	}
	return string(out)
}

// paramsOf returns the parameters of a request that has the user fill in a form, as a version decodes them.
func paramsOf[P any](f form, decode func([]byte) (P, error)) (P, error) {
	return decode([]byte(`{"mode":"form","message":` + quoted(f.message) + `,"requestedSchema":{"type":"object","properties":` + string(f.fields) + `}}`))
}

// contentOf returns the answers of a form, whose values are those of a version.
func contentOf[V wire.Value](content map[string]V) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for name, value := range content {
		text, err := value.AppendJSON(nil)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}
