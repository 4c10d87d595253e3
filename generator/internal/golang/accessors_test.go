package golang_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// choice returns a union of two objects that are told apart by their kind, with members of each.
func choice(a, b []string) string {
	variant := func(name string, members []string) string {
		var required []string
		for _, m := range members {
			if member, ok := strings.CutPrefix(m, "!"); ok {
				required = append(required, strings.SplitAfter(member, `"`)[1])
			}
		}
		need := `"kind"`
		for _, r := range required {
			need += `, "` + r
		}
		properties := `"kind": {"const": "` + name + `"}`
		for _, m := range members {
			properties += ", " + strings.TrimPrefix(m, "!")
		}
		return `"` + name + `": {"type": "object", "properties": {` + properties + `}, "required": [` + need + `]}`
	}
	return variant("A", a) + ", " + variant("B", b) + `, "U": {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}`
}

func TestUnionsHaveMethodsForWhatAllVariantsHave(t *testing.T) {
	const text, number = `{"type": "string"}`, `{"type": "integer"}`
	for _, c := range []struct {
		name string
		a, b []string
		want []string
	}{
		{"required of all", []string{`!"id": ` + text}, []string{`!"id": ` + text}, []string{"GetID"}},
		{"optional of all", []string{`"id": ` + text}, []string{`"id": ` + text}, []string{"GetID"}},
		{"but not what is required of some", []string{`!"id": ` + text}, []string{`"id": ` + text}, nil},
		{"nor what has another type", []string{`"id": ` + text}, []string{`"id": ` + number}, nil},
		{"nor what some lack", []string{`"id": ` + text, `"n": ` + number}, []string{`"n": ` + number}, []string{"GetN"}},
		{"nor where a field has the name of the method", []string{`"id": ` + text, `"getID": ` + text}, []string{`"id": ` + text}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			pkg := build(t, choice(c.a, c.b), nil)
			require.Len(t, pkg.Unions, 1)
			require.Equal(t, c.want, accessorNames(pkg.Unions[0].Accessors))
			for _, s := range pkg.Structs {
				require.Equal(t, c.want, accessorNames(s.Accessors))
			}
			if u := pkg.Unions[0].Unknown; u != nil {
				require.Equal(t, c.want, accessorNames(u.Accessors))
			}
		})
	}
}

func accessorNames(list []golang.Accessor) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Name)
	}
	return out
}

func TestCommentsBeginWithTheName(t *testing.T) {
	for description, want := range map[string]string{
		"A place.":                 "T is a place.",
		"What it is for.":          "T is what it is for.",
		"Names the place.":         "T is an object: Names the place.",
		"T is there.":              "T is there.",
		"":                         "T is an object, of which the schema says nothing (T).",
		"- one\\n- two":            "T is an object.",
		"Something\\nin lines.":    "T is something in lines.",
		"Plain words.\\n\\n- more": "T is an object: Plain words.",
	} {
		pkg := build(t, `"T": {"type": "object", "properties": {"x": {"type": "string"}}, "description": "`+description+`"}`, nil)
		require.Equal(t, want, pkg.Structs[0].Doc[0], description)
	}
}
