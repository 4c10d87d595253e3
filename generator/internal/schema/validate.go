// Validation against a JSON Schema, with positions.

package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Validator checks documents against one schema.
type Validator struct {
	compiled *jsonschema.Schema
	texts    map[string]*Node // by URL: this schema and its neighbours; nil for those of the library
	valid    sync.Map         // digests of valid documents, since several packages may share one
}

// Text is a schema's text with the name for references.
type Text struct {
	Name string
	Data []byte
}

// metaValidators are the validators by dialect. The library contains the meta-schemas.
var metaValidators = func() map[string]func() (*Validator, error) {
	out := map[string]func() (*Validator, error){}
	for _, dialect := range dialects {
		url := dialect
		if !strings.Contains(url, "/draft/") {
			url += "#" // older dialects have it in their names
		}
		out[dialect] = metaValidator(url)
	}
	return out
}()

func metaValidator(url string) func() (*Validator, error) {
	return sync.OnceValues(func() (*Validator, error) {
		compiled, err := jsonschema.NewCompiler().Compile(url)
		if err != nil {
			return nil, fmt.Errorf("compile meta-schema: %w", err)
		}
		return &Validator{compiled: compiled}, nil
	})
}

// folder is the URL of ahpgen's own schemas, for references by name.
const folder = "mem:///"

// NewValidator compiles a schema, which may refer to the given neighbours by name. Other URLs are not followed.
func NewValidator(name string, data []byte, beside ...Text) (*Validator, error) {
	compiler := jsonschema.NewCompiler()
	compiler.LoadURL = refuseURL
	v := &Validator{texts: map[string]*Node{}}
	for _, t := range append([]Text{{name, data}}, beside...) {
		if err := compiler.AddResource(folder+t.Name, bytes.NewReader(t.Data)); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", t.Name, err)
		}
		root, found := ParseJSON(t.Name, t.Data)
		if len(found) > 0 {
			return nil, fmt.Errorf("read schema %s: %s", t.Name, found)
		}
		v.texts[folder+t.Name] = root
	}
	var err error
	if v.compiled, err = compiler.Compile(folder + name); err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", name, err)
	}
	return v, nil
}

// MetaValidator returns the validator for a dialect, 2020-12 if it is empty.
func MetaValidator(dialect string) (*Validator, error) {
	known, ok := metaValidators[dialectOf(dialect)]
	if !ok {
		known = metaValidators[dialects[0]]
	}
	return known()
}

func refuseURL(url string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s is not part of ahpgen and is not fetched", url)
}

// Check reports all violations, one for each place. Places that are known to be wrong are skipped.
func (v *Validator) Check(root *Node, code string, wrong diag.Places) []diag.Diagnostic {
	digest := root.digest()
	if _, ok := v.valid.Load(digest); ok {
		return nil
	}
	err := v.compiled.Validate(root.Value())
	var invalid *jsonschema.ValidationError
	switch {
	case err == nil:
		v.valid.Store(digest, true)
		return nil
	case !errors.As(err, &invalid):
		return []diag.Diagnostic{diag.Errorf(root.Pos, code, "", "cannot be checked: %s", err)}
	}
	found := each.Map(leaves(invalid), func(leaf *jsonschema.ValidationError) complaint { return v.complaint(root, leaf) })
	var own diag.List
	for _, c := range found {
		if code == vocabularyCode && c.keyword == "type" && !slices.ContainsFunc(c.path, isVendor) {
			continue // not about the vocabulary, and reported by the parser
		}
		if c.isOtherRegex() {
			continue
		}
		for _, f := range c.explain(found) {
			if !wrong[f.Pos] && !own.At(f.Pos) && !(c.keyPos != f.Pos && wrong[c.keyPos]) {
				if c.at.Kind == Array && slices.ContainsFunc(c.at.Items, func(item *Node) bool { return wrong[item.Pos] }) {
					continue // something inside it is reported
				}
				own.Errorf(f.Pos, code, f.Hint, "%s", f.Message)
			}
		}
	}
	return own.Items()
}

// vocabularyCode is the code of diagnostics about vendor keywords.
const vocabularyCode = "vocabulary"

func isVendor(key string) bool { return strings.HasPrefix(key, "x-") }

// complaint adds positions to a library error.
func (v *Validator) complaint(root *Node, leaf *jsonschema.ValidationError) complaint {
	c := complaint{said: leaf.Message, at: root, keyPos: root.Pos}
	if location, err := url.PathUnescape(leaf.InstanceLocation); err == nil {
		for _, token := range SplitPointer(location) {
			next := c.at.At("/" + PointerToken(token))
			if next == nil {
				break
			}
			c.keyPos = next.Pos
			if m, ok := c.at.keyword(token); ok {
				c.keyPos = m.KeyPos
			}
			c.path = append(c.path, token)
			c.at = next
		}
	}
	c.keyword = leaf.KeywordLocation[strings.LastIndexByte(leaf.KeywordLocation, '/')+1:]
	if _, after, ok := strings.Cut(leaf.KeywordLocation, "/dependentSchemas/"); ok {
		c.beside, _, _ = strings.Cut(after, "/")
	}
	from, pointer, _ := strings.Cut(leaf.AbsoluteKeywordLocation, "#")
	if unescaped, err := url.PathUnescape(pointer); err == nil && v.texts[from] != nil {
		c.rule = v.texts[from].At(unescaped)
		c.schema = v.texts[from].At(unescaped[:max(strings.LastIndexByte(unescaped, '/'), 0)])
		c.members = v.declared(from, c.schema)
	}
	return c
}

// declared returns the members declared by a schema, directly or through references.
func (v *Validator) declared(in string, s *Node) []string {
	if s == nil {
		return nil
	}
	out := each.Map(s.Get("properties").members(), func(m Member) string { return m.Key })
	for _, part := range s.Get("allOf").List() {
		out = append(out, v.declared(in, part)...)
	}
	if file, pointer, ok := strings.Cut(s.Get("$ref").Str(), "#"); ok {
		if file != "" {
			in = folder + file
		}
		out = append(out, v.declared(in, v.texts[in].At(pointer))...)
	}
	return out
}

// leaves returns the innermost errors. Of failed alternatives, only the intended one is followed, if it can be
// determined.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	if strings.HasSuffix(e.KeywordLocation, "/oneOf") || strings.HasSuffix(e.KeywordLocation, "/anyOf") {
		return alternatives(e)
	}
	var out []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		out = append(out, leaves(cause)...)
	}
	return out
}

// alternatives says in one line what is wrong if several things were allowed and none is there: that
// none of some members is, that the type is another, or what is wrong with the alternative that is nearest.
func alternatives(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var members, types []string
	var best []*jsonschema.ValidationError
	fewest, alike := 0, true // complaints about the value itself, not about what is inside it
	for _, cause := range e.Causes {
		list := leaves(cause)
		one := list[0]
		here := one.InstanceLocation == e.InstanceLocation
		if expected, ok := strings.CutPrefix(one.Message, "expected "); ok && here {
			expected, _, _ = strings.Cut(expected, ", but got ")
			types = append(types, expected)
			continue
		}
		if names, ok := strings.CutPrefix(one.Message, "missing properties: "); ok && here {
			members = append(members, names)
		}
		own := 0
		for _, leaf := range list {
			if leaf.InstanceLocation == e.InstanceLocation {
				own++
			}
		}
		alike = alike && (best == nil || own == fewest && len(list) == len(best))
		if best == nil || own < fewest || own == fewest && len(list) < len(best) {
			best, fewest = list, own
		}
	}
	c := *e
	switch {
	case alike && len(members) == len(e.Causes):
		c.Message, c.KeywordLocation = "needs one of "+strings.Join(members, ", "), e.KeywordLocation+"/needs"
	case best == nil:
		_, got, _ := strings.Cut(e.Causes[0].Message, ", but got ")
		if got == "" {
			return leaves(e.Causes[0])
		}
		c.Message, c.KeywordLocation = fmt.Sprintf("expected %s, but got %s", strings.Join(slices.Compact(types), " or "), got), e.KeywordLocation+"/type"
	default:
		return best
	}
	return []*jsonschema.ValidationError{&c}
}
