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
	"strconv"
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
		if err != nil {
			diags.Errorf(root.Pos, code, "", "cannot be checked: %s", err)
		}
		return
	}
	for _, leaf := range leaves(invalid) {
		location, err := url.PathUnescape(leaf.InstanceLocation)
		if err != nil {
			location = leaf.InstanceLocation
		}
		at := root.At(location)
		if members := unwanted(leaf, at); len(members) > 0 {
			for _, m := range members {
				diags.Errorf(m.KeyPos, code, "", "unknown member %q", m.Key)
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

// unwanted lists the members that an object may not have. The library names them in its message only, as
// Go quotes them but in other quotes.
func unwanted(e *jsonschema.ValidationError, object *Node) []Member {
	rest, ok := strings.CutPrefix(e.Message, "additionalProperties ")
	if !ok || object == nil {
		return nil
	}
	named := map[string]bool{}
	for _, quoted := range quotedName.FindAllString(rest, -1) {
		named[quoted] = true
	}
	var out []Member
	for _, m := range object.Members {
		quoted := strings.NewReplacer(`\"`, `"`, `\\`, `\\`, `'`, `\'`).Replace(strconv.Quote(m.Key))
		if named["'"+quoted[1:len(quoted)-1]+"'"] {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
	return out
}

var quotedName = regexp.MustCompile(`'(?:[^'\\]|\\.)*'`)

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
