// Random schemas: scalars, choices, objects and lists, nested in all the ways that published schemas nest them.

package roundtrip

import (
	"fmt"
	"math/rand/v2"
)

// object is a JSON object.
type object = map[string]any

// author writes the definitions of one case.
type author struct {
	*rand.Rand
	defs  object
	names []string // of definitions that may be referred to: those that follow, so that none is made of itself
	bases []string // of objects among them
}

// newCase returns definitions: one by the given name, whose members have random schemas, and those that it refers to.
func newCase(seed uint64, name string) object {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 1)), defs: object{}}
	for i := range a.IntN(4) {
		ref := fmt.Sprintf("%sT%d", name, i)
		if a.IntN(3) > 0 {
			s := a.tagged(fmt.Sprint("k", i))
			if properties, ok := s["properties"].(object); ok && a.IntN(3) == 0 {
				properties["more"] = object{"type": "array", "items": object{"$ref": "#/$defs/" + ref}}
			}
			a.defs[ref], a.bases = s, append(a.bases, ref)
		} else {
			a.defs[ref] = a.schema(2)
		}
		a.names = append(a.names, ref)
	}
	member := a.schema(3)
	properties := object{"m": member}
	switch a.IntN(4) {
	case 0:
		properties["l"] = object{"type": "array", "items": member}
	case 1:
		properties["d"] = object{"type": "object", "additionalProperties": member}
	}
	holder := object{"type": "object", "properties": properties}
	if a.IntN(2) == 0 {
		holder["required"] = []any{"m"}
	}
	a.defs[name] = holder
	return a.defs
}

// pick returns one of the values.
func pick[T any](a *author, of ...T) T { return of[a.IntN(len(of))] }

// schema returns one that nests at most so deep.
func (a *author) schema(depth int) any {
	if depth == 0 || a.IntN(4) == 0 {
		return a.leaf()
	}
	switch a.IntN(14) {
	case 0, 1, 2, 3:
		return a.choice(depth)
	case 13:
		return a.beside(depth)
	case 12:
		return a.rest(depth)
	case 4, 5:
		return object{"type": "array", "items": a.schema(depth - 1)}
	case 6:
		return a.list(depth)
	case 7, 8:
		return a.object(depth)
	case 9:
		return object{"type": "object", "additionalProperties": a.schema(depth - 1)}
	case 10:
		return a.kinds(depth)
	}
	return a.leaf()
}

func (a *author) leaf() any {
	if len(a.names) > 0 && a.IntN(4) == 0 {
		name := pick(a, a.names...)
		s := object{"$ref": "#/$defs/" + name}
		if target, _ := a.defs[name].(object); target["type"] != nil && a.IntN(2) == 0 {
			s["type"] = target["type"] // says nothing
		}
		return s
	}
	switch a.IntN(16) {
	case 13:
		return pick[any](a, object{"type": "object", "additionalProperties": false}, object{"required": []any{"a"}},
			object{"type": "array", "items": false, "maxItems": 0}, object{"type": "object", "properties": object{"a": false}}, object{"not": object{"type": "string"}},
			object{"anyOf": []any{object{"pattern": "^a"}, object{"pattern": "^b"}}}, object{"minLength": 1}, object{"type": "string", "anyOf": []any{object{"format": "date"}, object{"const": "one"}}},
			object{"type": "object", "required": []any{"a"}}, object{"propertyNames": object{"pattern": "^x-"}, "type": "object"})
	case 14:
		return pick[any](a, object{"type": "object", "patternProperties": object{"^x-": object{"type": "string"}}, "additionalProperties": false},
			object{"type": "object", "patternProperties": object{"^x-": object{"type": "string"}, "^[yz]$": object{"type": "integer"}}},
			object{"type": "string", "default": "x"}, object{"type": "integer", "default": "no integer"}, object{"type": "array", "contains": object{"type": "string"}})
	case 0, 1, 2:
		return a.text()
	case 3, 4:
		return a.number()
	case 5:
		return object{"type": "boolean"}
	case 6:
		return pick[any](a, object{}, true, object{"description": "Anything."})
	case 7, 8:
		return a.constants()
	case 9:
		return object{"type": "null"}
	case 10:
		return object{"type": "object"}
	case 11:
		return object{"additionalProperties": true}
	case 12:
		return object{"type": "array"}
	}
	return object{"type": []any{pick(a, "string", "integer", "boolean", "number"), "null"}}
}

func (a *author) text() object {
	s := object{"type": "string"}
	if a.IntN(8) == 0 {
		return object{"allOf": []any{s, object{"minLength": 1}}}
	}
	switch a.IntN(5) {
	case 0:
		s["format"] = pick(a, "date-time", "uri", "uuid", "date", "byte", "email", "ipv4", "ipv6")
	case 1:
		s["pattern"] = pick(a, "^[a-z]+$", "^x-", "^(a|b)$")
	case 2:
		s["minLength"] = 1 + a.IntN(3)
	}
	return s
}

func (a *author) number() object {
	switch a.IntN(8) {
	case 0:
		return object{"type": "number"}
	case 1:
		return object{"type": "number", "minimum": 0.5}
	case 2:
		return object{"type": "integer", "minimum": 0}
	case 3:
		return object{"type": "integer", "minimum": 0, "maximum": pick[any](a, 255, 65535, 4294967295, uint64(18446744073709551615))}
	case 4:
		return object{"type": "integer", "format": pick(a, "int64", "uint64"), "minimum": 0} // as for int32, Go's type has limits
	case 5:
		return object{"type": "integer", "minimum": pick[any](a, -128, -32768, int64(-9223372036854775808)), "maximum": pick[any](a, 127, int64(9223372036854775807))}
	}
	return object{"type": "integer"}
}

func (a *author) constants() object {
	switch a.IntN(9) {
	case 0:
		return object{"const": pick[any](a, "one", 1, true, false, nil, 2.5)}
	case 1:
		return object{"type": "string", "const": "one"}
	case 2:
		return object{"enum": []any{1, 2, 3}}
	case 3:
		return object{"enum": []any{"a", "b", nil}}
	case 4:
		return object{"enum": []any{"a", 1, true}}
	case 5:
		return object{"type": "integer", "enum": []any{0, 10}}
	case 6:
		return object{"enum": []any{pick[any](a, 2.5, object{"a": 1}, []any{}), "a"}}
	}
	return object{"type": "string", "enum": []any{"a", "b", "c"}}
}

func (a *author) choice(depth int) object {
	list := make([]any, 1+a.IntN(4))
	for i := range list {
		if a.IntN(3) == 0 {
			list[i] = a.leaf()
		} else {
			list[i] = a.schema(depth - 1)
		}
	}
	if a.IntN(4) == 0 {
		list = append(list, object{"type": "null"})
	}
	s := object{pick(a, "anyOf", "anyOf", "oneOf"): list}
	if a.IntN(6) == 0 {
		s["type"] = pick(a, "string", "object", "array", "integer")
	}
	return s
}

// kinds returns a schema with a list of types, and keywords that are for some of them.
func (a *author) kinds(depth int) object {
	kinds := []any{"string", "integer", "number", "boolean", "null", "object", "array"}
	a.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	s := object{"type": kinds[:2+a.IntN(3)]}
	if a.IntN(2) == 0 {
		s["properties"] = object{"a": a.schema(depth - 1)}
	}
	if a.IntN(3) == 0 {
		s["items"] = a.schema(depth - 1)
	}
	if a.IntN(5) == 0 {
		s["minLength"] = 2
	}
	if a.IntN(5) == 0 {
		s["minimum"] = 0
	}
	if a.IntN(4) == 0 {
		s["enum"] = constantsOf(asList(s["type"]))
		if a.IntN(4) == 0 {
			delete(s, "type")
		}
	}
	return s
}

// constantsOf returns a constant of each type.
func constantsOf(types []any) []any {
	var out []any
	for _, t := range types {
		switch t {
		case "string":
			out = append(out, "a")
		case "integer":
			out = append(out, 1)
		case "number":
			out = append(out, 2)
		case "boolean":
			out = append(out, true)
		case "null":
			out = append(out, nil)
		case "object":
			out = append(out, object{"a": 1})
		case "array":
			out = append(out, []any{"a"})
		}
	}
	return out
}

func (a *author) object(depth int) object {
	properties := object{}
	var required []any
	for _, name := range []string{"a", "b", "c"}[:1+a.IntN(3)] {
		properties[name] = a.schema(depth - 1)
		if a.IntN(3) == 0 {
			required = append(required, name)
		}
	}
	s := object{"type": "object", "properties": properties}
	if required != nil {
		s["required"] = required
	}
	switch a.IntN(6) {
	case 0:
		s["additionalProperties"] = false
	case 1:
		s["additionalProperties"] = a.schema(depth - 1)
	case 2:
		s["additionalProperties"] = true
	case 3:
		s["patternProperties"] = object{"^x-": a.schema(depth - 1)}
	}
	if len(a.bases) > 0 && a.IntN(6) == 0 {
		return object{"allOf": []any{object{"$ref": "#/$defs/" + pick(a, a.bases...)}, s}}
	}
	return s
}

// rest returns alternatives of which the last one has no member of its own, and may forbid those of the others.
func (a *author) rest(depth int) object {
	last := a.object(depth)
	delete(last, "required")
	if a.IntN(3) > 0 {
		last["additionalProperties"] = false
	}
	list := []any{object{"type": "object", "required": []any{"own"}, "properties": object{"own": a.schema(depth - 1)}}, last}
	if a.IntN(3) == 0 {
		list = append(list, object{"type": "object", "required": []any{"also"}, "properties": object{"also": a.schema(depth - 1)}})
	}
	return object{pick(a, "oneOf", "anyOf"): list}
}

// beside returns an object with members of its own and alternatives, which may repeat them, declare what it requires, or be no object.
func (a *author) beside(depth int) object {
	id := a.schema(depth - 1)
	s := object{"type": "object", "properties": object{"id": id}}
	var list []any
	for _, name := range []string{"x", "y", "z"}[:1+a.IntN(3)] {
		properties := object{name: a.schema(depth - 1)}
		alternative := object{"required": []any{name}, "properties": properties}
		if a.IntN(2) == 0 {
			properties["id"] = id
		}
		list = append(list, alternative)
	}
	if a.IntN(2) == 0 {
		for i, alternative := range list {
			alternative.(object)["properties"].(object)["kind"] = object{"const": fmt.Sprint("k", i)}
			delete(alternative.(object), "required")
		}
		s["required"] = []any{"kind"}
	}
	if a.IntN(3) == 0 {
		delete(s, "type")
		for _, alternative := range list {
			alternative.(object)["type"] = "object"
		}
		list = append(list, a.text())
	}
	s[pick(a, "oneOf", "anyOf")] = list
	return s
}

// tagged returns an object that a constant tells from others, if it is there.
func (a *author) tagged(tag string) object {
	s := a.object(1)
	if properties, ok := s["properties"].(object); ok {
		kind := object{"type": "string", "const": tag}
		properties["kind"] = kind
		switch a.IntN(6) {
		case 0:
		case 1:
			kind["default"] = tag
		default:
			s["required"] = append(asList(s["required"]), "kind")
		}
	}
	return s
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

func (a *author) list(depth int) object {
	s := object{"type": "array"}
	switch a.IntN(4) {
	case 0:
		s["items"], s["minItems"], s["maxItems"] = a.schema(depth-1), 2, 2
	case 1:
		s["prefixItems"] = []any{a.schema(depth - 1), a.schema(depth - 1)}
	case 2:
		s["items"], s["uniqueItems"] = a.schema(depth-1), true
	default:
		s["items"], s["minItems"] = a.schema(depth-1), 1
	}
	return s
}
