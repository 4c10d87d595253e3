// Validation of a document against a JSON Schema, with the positions that the validator lacks.

package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Validator checks documents against one schema.
type Validator struct{ compiled *jsonschema.Schema }

// metaSchemas are known by the dialect they describe; the validator carries their text.
var metaSchemas = map[string]string{
	dialects[0]: "https://json-schema.org/draft/2020-12/schema",
	dialects[1]: "http://json-schema.org/draft-07/schema#",
}

// NewValidator compiles the schema in data. References to other schemas by URL are not followed.
func NewValidator(name string, data []byte) (*Validator, error) {
	compiler := jsonschema.NewCompiler()
	compiler.LoadURL = refuseURL
	url := "mem:///" + name
	if err := compiler.AddResource(url, bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("read schema %s: %w", name, err)
	}
	compiled, err := compiler.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", name, err)
	}
	return &Validator{compiled}, nil
}

// MetaValidator returns the validator for schemas of a dialect, 2020-12 where dialect is empty.
func MetaValidator(dialect string) (*Validator, error) {
	url, ok := metaSchemas[strings.TrimSuffix(dialect, "#")]
	if !ok {
		url = metaSchemas[dialects[0]]
	}
	compiler := jsonschema.NewCompiler()
	compiled, err := compiler.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile meta-schema: %w", err)
	}
	return &Validator{compiled}, nil
}

func refuseURL(url string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s is not part of ahpgen and is not fetched", url)
}

// Check reports everything in the document that the schema does not allow.
func (v *Validator) Check(root *Node, code string, diags *diag.List) {
	err := v.compiled.Validate(root.Value())
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return
	}
	for _, leaf := range leaves(invalid) {
		location, err := url.PathUnescape(leaf.InstanceLocation)
		if err != nil {
			location = leaf.InstanceLocation
		}
		at := root.At(location)
		if names := unwanted(leaf); at != nil && len(names) > 0 {
			for _, name := range names {
				if m, ok := at.keyword(name); ok {
					diags.Errorf(m.KeyPos, code, "", "unknown member %q", name)
				}
			}
			continue
		}
		pos := root.Pos
		if at != nil {
			pos = at.Pos
		}
		where := strings.TrimPrefix(location, "/")
		if where != "" {
			where += ": "
		}
		diags.Errorf(pos, code, "", "%s%s", where, leaf.Message)
	}
}

// unwanted lists the members that an object may not have.
func unwanted(e *jsonschema.ValidationError) []string {
	rest, ok := strings.CutPrefix(e.Message, "additionalProperties ")
	if !ok {
		return nil
	}
	var names []string
	for _, m := range quotedName.FindAllStringSubmatch(rest, -1) {
		names = append(names, strings.ReplaceAll(strings.ReplaceAll(m[1], `\'`, "'"), `\\`, `\`))
	}
	slices.Sort(names)
	return names
}

var quotedName = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'`)

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if strings.HasPrefix(e.Message, "valid against schemas") {
		c := *e
		c.Message = "holds several alternatives, of which one is allowed"
		return []*jsonschema.ValidationError{&c}
	}
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	if missing := alternatives(e); missing != "" {
		c := *e
		c.Message = missing
		return []*jsonschema.ValidationError{&c}
	}
	var out []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		out = append(out, leaves(cause)...)
	}
	return out
}

// alternatives says in one line that none of several required members is there, "" where that is
// not what is wrong.
func alternatives(e *jsonschema.ValidationError) string {
	if !strings.HasSuffix(e.KeywordLocation, "/oneOf") && !strings.HasSuffix(e.KeywordLocation, "/anyOf") {
		return ""
	}
	var names []string
	for _, cause := range e.Causes {
		name, ok := strings.CutPrefix(cause.Message, "missing properties: ")
		if len(cause.Causes) > 0 || !ok || cause.InstanceLocation != e.InstanceLocation {
			return ""
		}
		names = append(names, strings.ReplaceAll(name, "'", `"`))
	}
	return "needs one of " + strings.Join(names, ", ")
}
