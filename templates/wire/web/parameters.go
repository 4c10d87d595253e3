// Parameters: arguments that headers repeat, where the schema of what is called asks for it.

package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Parameters says which arguments of requests headers repeat. What is called has a schema, in which a keyword beside the type
// of an argument is the rest of the name of its header.
type Parameters struct {
	Method    string // of the requests
	Called    string // member of their parameters: the name of what is called
	Arguments string // member of their parameters: an object
	Keyword   string // of schemas
	Prefix    string // of headers
}

// repeated is an argument that a header repeats.
type repeated struct {
	header string
	path   []string
	number bool
}

// Check returns an error if headers cannot repeat what a schema asks for. A client must not call what has such a schema.
func (p *Parameters) Check(schema json.RawMessage) error {
	_, err := p.read(schema)
	return err
}

// read returns what headers repeat of the arguments that a schema describes.
func (p *Parameters) read(schema json.RawMessage) ([]repeated, error) {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	r := schemaReader{keyword: p.Keyword, prefix: p.Prefix}
	r.read(root, []string{})
	slices.SortFunc(r.out, func(a, b repeated) int { return strings.Compare(a.header, b.header) })
	for i := 1; i < len(r.out); i++ {
		if r.out[i].header == r.out[i-1].header {
			r.errs = append(r.errs, fmt.Errorf("two arguments have the header %s", r.out[i].header))
		}
	}
	return r.out, errors.Join(r.errs...)
}

// schemaReader finds a keyword in a schema.
type schemaReader struct {
	keyword, prefix string
	out             []repeated
	errs            []error
}

// read looks into a schema. The path is that of the argument, or nil if the schema is not for one alone.
func (r *schemaReader) read(schema any, path []string) {
	if list, ok := schema.([]any); ok {
		for _, one := range list {
			r.read(one, nil)
		}
		return
	}
	object, _ := schema.(map[string]any)
	for name, value := range object {
		switch name {
		case r.keyword:
			r.add(value, object["type"], path)
		case "const", "default", "enum", "examples": // values, not schemas
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			parts, _ := value.(map[string]any)
			for part, schema := range parts {
				if name == "properties" && path != nil {
					r.read(schema, append(path[:len(path):len(path)], part))
				} else {
					r.read(schema, nil)
				}
			}
		default:
			r.read(value, nil)
		}
	}
}

// add adds an argument.
func (r *schemaReader) add(keyword, kind any, path []string) {
	name, _ := keyword.(string)
	refuse := func(why string) {
		r.errs = append(r.errs, fmt.Errorf("%s %q: %s", r.keyword, name, why))
	}
	switch {
	case name == "" || strings.ContainsFunc(name, func(c rune) bool { return !tokenChar(c) }):
		refuse("not the name of a header")
	case path == nil:
		refuse("not at a property that is reached by properties alone")
	case kind != "string" && kind != "integer" && kind != "boolean":
		refuse("the type is neither string nor integer nor boolean")
	default:
		r.out = append(r.out, repeated{http.CanonicalHeaderKey(r.prefix + name), path, kind == "integer"})
	}
}

func tokenChar(c rune) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c < 0x7f && strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}

// parameters returns what headers repeat of a request, and its arguments.
func (d *Dialect) parameters(m *rpc.Message, schemas func(called string) json.RawMessage) ([]repeated, json.RawMessage, error) {
	p := d.Parameters
	if p == nil || schemas == nil || m.Kind != rpc.Request || m.Method != p.Method {
		return nil, nil, nil
	}
	called, _ := at(m.Params, p.Called)
	schema := schemas(called)
	if schema == nil {
		return nil, nil, nil
	}
	all, err := p.read(schema)
	arguments, _ := member(m.Params, p.Arguments)
	return all, arguments, err
}

// text returns the value of an argument as the text of a header. It reports false if there is none.
func (a *repeated) text(arguments json.RawMessage) (text string, ok bool) {
	value, ok := member(arguments, a.path...)
	switch {
	case !ok || string(value) == "null" || value[0] == '{' || value[0] == '[':
		return "", false
	case value[0] == '"':
		return text, json.Unmarshal(value, &text) == nil
	}
	return string(value), true
}

// repeat sets the headers that repeat arguments.
func (d *Dialect) repeat(h http.Header, m *rpc.Message, schemas func(string) json.RawMessage) error {
	all, arguments, err := d.parameters(m, schemas)
	if err != nil {
		return err
	}
	for _, a := range all {
		if text, ok := a.text(arguments); ok {
			h[a.header] = []string{encodeValue(text)}
		}
	}
	return nil
}

// repeats checks the headers that repeat arguments.
func (d *Dialect) repeats(h http.Header, m *rpc.Message, schemas func(string) json.RawMessage) *rpc.Error {
	all, arguments, err := d.parameters(m, schemas)
	if err != nil {
		return &rpc.Error{Code: int64(rpc.InternalError), Message: "what is called has a schema that headers cannot follow"}
	}
	for _, a := range all {
		text, there := a.text(arguments)
		if got, ok := decodeValue(h.Get(a.header)); ok && a.number && there && len(h[a.header]) == 1 && equalNumbers(got, text) {
			continue
		}
		if err := d.same(h, a.header, text, there); err != nil {
			return err
		}
	}
	return nil
}

func equalNumbers(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, failed := strconv.ParseFloat(b, 64)
	return err == nil && failed == nil && x == y
}
