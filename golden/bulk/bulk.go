// Package bulk generates schemas of any size for tests of scalability.
package bulk

import (
	"fmt"
	"strings"
)

// Shape generates a schema that is large in one respect.
type Shape struct {
	Name string
	Make func(n int) string
	// Refused reports whether the schema is invalid.
	Refused bool
}

// Shapes lists the respects in which schemas can be large.
func Shapes() []Shape {
	return []Shape{
		{Name: "mixed definitions", Make: Mixed},
		{Name: "structs", Make: Structs},
		{Name: "enums", Make: Enums},
		{Name: "unions", Make: func(n int) string { return file(unions(n)...) }},
		{Name: "actions on one channel", Make: func(n int) string { return Actions(n, 1) }},
		{Name: "channels", Make: func(n int) string { return Actions(n, n) }},
		{Name: "methods", Make: func(n int) string { return file(methods(n)...) }},
		{Name: "error codes", Make: errorCodes},
		{Name: "members of a struct", Make: members},
		{Name: "required members", Make: requiredMembers},
		{Name: "inline structs", Make: inlineStructs},
		{Name: "variants of a union", Make: variants},
		{Name: "shaped variants", Make: shaped},
		{Name: "values of an enum", Make: values},
		{Name: "values of a choice", Make: constants},
		{Name: "aliases in a chain", Make: aliasChain},
		{Name: "aliases in a star", Make: aliasStar},
		{Name: "bases in a chain", Make: baseChain},
		{Name: "bases beside each other", Make: baseStar},
		{Name: "unions in a union", Make: unionStar},
		{Name: "overlapping unions", Make: overlapping},
		{Name: "structs that hold two of the next", Make: doubling},
		{Name: "structs in a ring", Make: ring},
		{Name: "length of a description", Make: description},
		{Name: "length of a name", Make: longName},
		{Name: "choices of choices", Make: choices},
		{Name: "variants that nothing tells apart", Make: alike, Refused: true},
		{Name: "references to nothing", Make: dangling, Refused: true},
		{Name: "references without a name", Make: nameless, Refused: true},
		{Name: "length of a name that nothing has", Make: longReference, Refused: true},
		{Name: "unknown keywords", Make: unknownKeywords, Refused: true},
		{Name: "members of two types", Make: conflicts, Refused: true},
		{Name: "equal Go names", Make: collisions, Refused: true},
	}
}

func file(defs ...string) string {
	return `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{` + "\n" + strings.Join(defs, ",\n") + "\n}}\n"
}

// times joins the text for each number below n.
func times(n int, of func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(of(i))
	}
	return b.String()
}

func list(n int, of func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

func ref(name string, i int) string { return fmt.Sprintf(`{"$ref":"#/$defs/%s%d"}`, name, i) }

func structDef(name string, i, next int) string {
	return fmt.Sprintf(`"%[1]s%[2]d":{"type":"object","description":"%[1]s number %[2]d, with a sentence about what it is for and {@link %[1]s%[3]d}.",
  "properties":{"id":{"type":"string","description":"What it is called."},"count":{"type":"integer"},"ratio":{"type":"number"},
  "next":{"$ref":"#/$defs/%[1]s%[3]d"},"list":{"type":"array","items":{"$ref":"#/$defs/%[1]s%[3]d"}},"labels":{"type":"object","additionalProperties":{"type":"string"}},
  "title":{"anyOf":[{"type":"string"},{"type":"null"}]},"done":{"type":"boolean"}},"required":["id","count"]}`, name, i, next)
}

// Structs returns n objects that refer to each other.
func Structs(n int) string {
	return file(list(n, func(i int) string { return structDef("Thing", i, (i+1)%n) })...)
}

func enumDef(i int) string {
	return fmt.Sprintf(`"Level%d":{"type":"string","description":"How much of it.","enum":["low","middle","high","x%d"]}`, i, i)
}

// Enums returns n enums.
func Enums(n int) string { return file(list(n, enumDef)...) }

// unions returns n unions of four, with their variants.
func unions(n int) []string {
	var out []string
	for i := range max(1, n/5) {
		out = append(out, fmt.Sprintf(`"Choice%d":{"oneOf":[%s]}`, i, times(4, func(j int) string { return ref("Variant", 4*i+j) })))
		for j := range 4 {
			out = append(out, fmt.Sprintf(`"Variant%d":{"type":"object","properties":{"kind":{"const":"k%d"},"text":{"type":"string"},"level":{"enum":["a","b"]}},"required":["kind"]}`, 4*i+j, j))
		}
	}
	return out
}

// Mixed returns n definitions of all common kinds.
func Mixed(n int) string {
	n = max(n, 10)
	structs, enums := n*6/10, n*2/10
	out := list(structs, func(i int) string { return structDef("Thing", i, (i+1)%structs) })
	out = append(out, list(enums, enumDef)...)
	return file(append(out, unions(n-structs-enums)...)...)
}

// Actions returns n actions on several channels.
func Actions(n, channels int) string {
	var out []string
	for c := range channels {
		out = append(out, fmt.Sprintf(`"State%[1]d":{"type":"object","x-channel":{"name":"ch%[1]d","uri":"ch%[1]d:/<id>","prefix":"ch%[1]d/"},
  "properties":{"title":{"type":"string"},"log":{"type":"array","items":{"type":"string"}}},"required":["title"]}`, c))
	}
	for i := range n {
		out = append(out, fmt.Sprintf(`"Do%[1]dAction":{"type":"object","x-since":"1.0.0","x-client-dispatchable":%[3]v,
  "properties":{"type":{"const":"ch%[2]d/do%[1]d"},"title":{"type":"string"}},"required":["type","title"]%[4]s}`,
			i, i%channels, i%2 == 0, []string{"", `,"x-effects":[{"set":"title","from":"title"}]`}[i%2]))
	}
	out = append(out, fmt.Sprintf(`"Action":{"x-actions":{"client":"ClientAction"},"discriminator":{"propertyName":"type"},"oneOf":[%s,{"x-unknown":true}]}`,
		times(n, func(i int) string { return fmt.Sprintf(`{"$ref":"#/$defs/Do%dAction"}`, i) })))
	return file(out...)
}

// methods returns n methods with parameters and results.
func methods(n int) []string {
	var out []string
	for i := range n {
		out = append(out,
			fmt.Sprintf(`"Do%[1]dParams":{"type":"object","x-method":"do/m%[1]d","x-side":"%[2]s","x-result":"Do%[1]dResult","x-since":"1.0.0","properties":{"id":{"type":"string"}},"required":["id"]}`,
				i, []string{"host", "client", "both"}[i%3]),
			fmt.Sprintf(`"Do%dResult":{"type":"object","properties":{"text":{"type":"string"}}}`, i))
	}
	return out
}

func errorCodes(n int) string {
	return file(fmt.Sprintf(`"Codes":{"x-error-codes":true,"enum":[%s],"x-enum-names":[%s]}`,
		times(n, func(i int) string { return fmt.Sprint(-i - 1) }), times(n, func(i int) string { return fmt.Sprintf(`"Bad%d"`, i) })))
}

func object(name, properties, required string) string {
	return fmt.Sprintf(`"%s":{"type":"object","properties":{%s},"required":[%s]}`, name, properties, required)
}

func member(i int) string { return fmt.Sprintf(`"m%d":{"type":"string"}`, i) }

func members(n int) string { return file(object("Wide", times(n, member), "")) }

func requiredMembers(n int) string {
	return file(object("Wide", times(n, member), times(n, func(i int) string { return fmt.Sprintf(`"m%d"`, i) })))
}

func inlineStructs(n int) string {
	return file(object("Wide", times(n, func(i int) string {
		return fmt.Sprintf(`"m%d":{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"type":"string"}}}`, i)
	}), ""))
}

func variants(n int) string {
	out := list(n, func(i int) string {
		return object(fmt.Sprintf("V%d", i), fmt.Sprintf(`"kind":{"const":"k%d"}`, i), `"kind"`)
	})
	return file(append(out, fmt.Sprintf(`"U":{"oneOf":[%s]}`, times(n, func(i int) string { return ref("V", i) })))...)
}

// shaped returns a union of at most 60 variants distinguished by members, with n other members each.
func shaped(n int) string {
	out := list(40, func(i int) string {
		return object(fmt.Sprintf("V%d", i), fmt.Sprintf(`"own%d":{"type":"string"},`, i)+times(n, func(j int) string { return fmt.Sprintf(`"v%dm%d":{"type":"string"}`, i, j) }), fmt.Sprintf(`"own%d"`, i))
	})
	return file(append(out, fmt.Sprintf(`"U":{"oneOf":[%s]}`, times(40, func(i int) string { return ref("V", i) })))...)
}

func values(n int) string {
	return file(fmt.Sprintf(`"Many":{"type":"string","enum":[%s]}`, times(n, func(i int) string { return fmt.Sprintf(`"v%d"`, i) })))
}

func constants(n int) string {
	return file(fmt.Sprintf(`"Many":{"oneOf":[%s]}`, times(n, func(i int) string { return fmt.Sprintf(`{"const":"v%d","description":"V."}`, i) })))
}

func aliasChain(n int) string {
	out := list(n, func(i int) string { return fmt.Sprintf(`"A%d":%s`, i, ref("A", i+1)) })
	return file(append(out, fmt.Sprintf(`"A%d":{"type":"string"}`, n))...)
}

func aliasStar(n int) string {
	out := list(n, func(i int) string { return fmt.Sprintf(`"A%d":{"$ref":"#/$defs/End"}`, i) })
	return file(append(out, object("End", `"a":{"type":"string"}`, ""))...)
}

func baseChain(n int) string {
	out := []string{object("B0", `"m":{"type":"string"}`, "")}
	for i := 1; i < n; i++ {
		out = append(out, fmt.Sprintf(`"B%d":{"allOf":[%s]}`, i, ref("B", i-1)+`,{"properties":{"m":{"type":"string","description":"M."}}}`))
	}
	return file(out...)
}

func baseStar(n int) string {
	out := list(n, func(i int) string { return object(fmt.Sprintf("B%d", i), member(i), "") })
	return file(append(out, fmt.Sprintf(`"All":{"allOf":[%s]}`, times(n, func(i int) string { return ref("B", i) })))...)
}

// unionStar returns a union of n unions with two variants each.
func unionStar(n int) string {
	out := list(2*n, func(i int) string {
		return object(fmt.Sprintf("V%d", i), fmt.Sprintf(`"kind":{"const":"k%d"}`, i), `"kind"`)
	})
	out = append(out, list(n, func(i int) string { return fmt.Sprintf(`"U%d":{"oneOf":[%s,%s]}`, i, ref("V", 2*i), ref("V", 2*i+1)) })...)
	return file(append(out, fmt.Sprintf(`"All":{"oneOf":[%s]}`, times(n, func(i int) string { return ref("U", i) })))...)
}

// NestedUnions returns unions of a variant and the next union, nested n deep.
func NestedUnions(n int) string {
	var out []string
	for i := range n {
		out = append(out, object(fmt.Sprintf("V%d", i), fmt.Sprintf(`"kind":{"const":"k%d"}`, i), `"kind"`))
		if i < n-1 {
			out = append(out, fmt.Sprintf(`"U%d":{"oneOf":[%s,%s]}`, i, ref("V", i), ref([]string{"U", "V"}[max(0, i-n+3)], i+1)))
		}
	}
	return file(out...)
}

// overlapping returns n unions of ten variants that share nine with the next.
func overlapping(n int) string {
	out := list(n+10, func(i int) string {
		return object(fmt.Sprintf("V%d", i), fmt.Sprintf(`"kind":{"const":"k%d"}`, i), `"kind"`)
	})
	for i := range n {
		out = append(out, fmt.Sprintf(`"U%d":{"oneOf":[%s]}`, i, times(10, func(j int) string { return ref("V", i+j) })))
	}
	return file(out...)
}

func doubling(n int) string {
	out := list(n, func(i int) string {
		return object(fmt.Sprintf("D%d", i), `"a":`+ref("D", i+1)+`,"b":`+ref("D", i+1), `"a","b"`)
	})
	return file(append(out, object(fmt.Sprintf("D%d", n), `"a":{"type":"string"}`, `"a"`))...)
}

func ring(n int) string {
	return file(list(n, func(i int) string {
		required := `"a"`
		if i == 0 {
			required = ""
		}
		return object(fmt.Sprintf("R%d", i), `"a":`+ref("R", (i+1)%n), required)
	})...)
}

// description returns a text of n lines.
func description(n int) string {
	return file(fmt.Sprintf(`"A":{"type":"object","description":"%s","properties":{"a":{"type":"string"}}}`,
		strings.Repeat(`A line of words about {@link A} that goes on and on, and says **nothing** in the end.\n`, n)))
}

// longName returns a definition and a member with names of 10 n letters.
func longName(n int) string {
	long := "N" + strings.Repeat("abcdefghij", n)
	return file(object(long, fmt.Sprintf(`"%s":{"type":"string"}`, long), ""))
}

// InheritedMembers returns n objects with one more member each than its base.
func InheritedMembers(n int) string {
	out := []string{object("B0", member(0), "")}
	for i := 1; i < n; i++ {
		out = append(out, fmt.Sprintf(`"B%d":{"allOf":[%s],"properties":{%s}}`, i, ref("B", i-1), member(i)))
	}
	return file(out...)
}

// SharedValues returns n enums that include the n values of another.
func SharedValues(n int) string {
	out := list(n, func(i int) string { return fmt.Sprintf(`"E%d":{"oneOf":[{"const":"own"},{"$ref":"#/$defs/Many"}]}`, i) })
	return file(append(out, fmt.Sprintf(`"Many":{"enum":[%s]}`, times(n, func(i int) string { return fmt.Sprintf(`"v%d"`, i) })))...)
}

// choices returns nine nested choices, each listing the next n times.
func choices(n int) string {
	out := list(9, func(i int) string {
		return fmt.Sprintf(`"C%d":{"oneOf":[%s]}`, i, times(n, func(int) string { return ref("C", i+1) }))
	})
	return file(append(out, `"C9":{"const":"x"}`)...)
}

// alike returns a union whose variants have n members that each could distinguish some of them.
func alike(n int) string {
	variant := func(i int) string {
		return object(fmt.Sprintf("V%d", i), times(n, func(j int) string { return fmt.Sprintf(`"m%d":{"const":"c%d"}`, j, i*(j+2)/(j+5)) }),
			times(n, func(j int) string { return fmt.Sprintf(`"m%d"`, j) }))
	}
	return file(append(list(12, variant), fmt.Sprintf(`"U":{"oneOf":[%s]}`, times(12, func(i int) string { return ref("V", i) })))...)
}

// nameless returns n references to an unnamed definition.
func nameless(n int) string {
	return file(list(n, func(i int) string { return object(fmt.Sprintf("D%d", i), `"a":{"$ref":"#/$defs/"}`, "") })...)
}

// longReference returns a reference that differs from a definition's name in one of 10 n letters.
func longReference(n int) string {
	long := strings.Repeat("abcdefghij", n)
	return file(object(long+"kk", `"a":{"type":"string"}`, ""), object("User", fmt.Sprintf(`"a":{"$ref":"#/$defs/%skl"}`, long), ""))
}

// dangling returns n dangling references with similar names.
func dangling(n int) string {
	out := list(n, func(i int) string {
		return object(fmt.Sprintf("Definition%d", i), fmt.Sprintf(`"a":{"$ref":"#/$defs/Definitoin%d"}`, i), "")
	})
	return file(out...)
}

func unknownKeywords(n int) string {
	return file(list(n, func(i int) string { return fmt.Sprintf(`"D%d":{"type":"string","maxLenght":3,"propertees%d":1}`, i, i) })...)
}

func conflicts(n int) string {
	return file(object("Base", times(n, member), ""),
		fmt.Sprintf(`"All":{"allOf":[{"$ref":"#/$defs/Base"}],"properties":{%s}}`, times(n, func(i int) string { return fmt.Sprintf(`"m%d":{"type":"integer"}`, i) })))
}

func collisions(n int) string {
	return file(list(n, func(i int) string {
		return fmt.Sprintf(`"thing%d":{"type":"string"},"Thing%d":{"type":"string"}`, i, i)
	})...)
}
