// Made-up bumps: schemas are changed at random, and the findings of a bump are compared with the compiler and with what the
// program prints.

package upgrade

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// drawing is the protocol that is changed.
const drawing = `{
  "x-protocol": {"name": "drawing", "title": "Drawing Protocol", "version": "1.0.0"},
  "$defs": {
    "Drawing": {"type": "object", "properties": {"title": {"type": "string"}, "note": {"type": "string"}, "size": {"$ref": "#/$defs/Size"}, "shapes": {"type": "array", "items": {"$ref": "#/$defs/Shape"}}}, "required": ["title", "shapes"]},
    "Size": {"type": "object", "properties": {"width": {"type": "integer"}, "height": {"type": "integer"}}, "required": ["width", "height"]},
    "Shape": {"discriminator": {"propertyName": "kind"}, "oneOf": [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Square"}, {"$ref": "#/$defs/Line"}, {"type": "object", "x-unknown": true}]},
    "Circle": {"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"type": "integer"}, "color": {"$ref": "#/$defs/Color"}}, "required": ["kind", "radius"]},
    "Square": {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"type": "integer"}, "color": {"$ref": "#/$defs/Color"}}, "required": ["kind", "side"]},
    "Line": {"type": "object", "properties": {"kind": {"const": "line"}, "length": {"type": "integer"}}, "required": ["kind", "length"]},
    "Color": {"type": "string", "enum": ["red", "green", "blue"]}
  }
}`

// painter is a program that uses all of it.
const painter = `package main

import (
	"errors"
	"fmt"

	"example.com/m/drawing"
)

func name(s drawing.Shape) string {
	switch s := s.(type) {
	case *drawing.Circle:
		return fmt.Sprint("circle ", s.Radius, paint(s.Color))
	case *drawing.Square:
		return fmt.Sprint("square ", s.Side, paint(s.Color))
	case *drawing.Line:
		return fmt.Sprint("line ", s.Length)
	case *drawing.UnknownShape:
		return "unknown"
	}
	panic("no shape")
}

func paint(c *drawing.Color) string {
	if c == nil {
		return ""
	}
	switch *c {
	case drawing.ColorRed:
		return " red"
	case drawing.ColorGreen:
		return " green"
	case drawing.ColorBlue:
		return " blue"
	}
	return " " + errors.New("another color").Error()
}

func main() {
	d, err := drawing.Decode[drawing.Drawing]([]byte(` + "`" + `{"title":"t","note":"n","size":{"width":1,"height":2},"shapes":[
		{"kind":"circle","radius":1,"color":"red"},{"kind":"square","side":2,"color":"blue"},{"kind":"line","length":3},{"kind":"cloud"}]}` + "`" + `))
	if err != nil {
		fmt.Println(err)
		return
	}
	note := ""
	if d.Note != nil {
		note = *d.Note
	}
	if d.Size != nil {
		note += fmt.Sprint(d.Size.Width*d.Size.Height, *d.Size == drawing.Size{Width: 1, Height: 2})
	}
	fmt.Println(d.Title, note)
	for _, s := range d.Shapes {
		fmt.Println(name(s))
	}
	made := drawing.Drawing{Title: "made", Shapes: []drawing.Shape{&drawing.Circle{Radius: 1}, &drawing.Square{Side: 2}, &drawing.Line{Length: 3}}}
	text, err := made.AppendJSON(nil)
	fmt.Println(string(text), err)
}
`

// definitions are those of a schema.
type definitions map[string]map[string]any

// edits change definitions, and return what they did, "" for nothing.
var edits = map[string]func(d definitions, r *rand.Rand) string{
	"an optional member more": func(d definitions, r *rand.Rand) string { return d.grow(r, false) },
	"a required member more":  func(d definitions, r *rand.Rand) string { return d.grow(r, true) },
	"a member less": func(d definitions, r *rand.Rand) string {
		name, member := d.member(r)
		d.take(name, member)
		return name + "." + member
	},
	"a member renamed": func(d definitions, r *rand.Rand) string {
		name, member := d.member(r)
		was, required := d.take(name, member)
		d.put(name, member+"Anew", was, required)
		return name + "." + member
	},
	"a member of another kind": func(d definitions, r *rand.Rand) string {
		name, member := d.member(r)
		_, required := d.take(name, member)
		d.put(name, member, map[string]any{"type": "boolean"}, required)
		return name + "." + member
	},
	"a member required or not": func(d definitions, r *rand.Rand) string {
		name, member := d.member(r)
		was, required := d.take(name, member)
		d.put(name, member, was, !required)
		return name + "." + member
	},
	"a member moved": func(d definitions, r *rand.Rand) string {
		name, member := d.member(r)
		to, _ := d.member(r)
		was, required := d.take(name, member)
		d.put(to, member, was, required)
		return name + "." + member + " to " + to
	},
	"a definition renamed": func(d definitions, r *rand.Rand) string {
		name, _ := d.member(r)
		if d[name+"Anew"] != nil || name == "Drawing" {
			return ""
		}
		text := compact(d)
		renamed := definitions{}
		_ = json.Unmarshal([]byte(strings.NewReplacer(`"`+name+`":`, `"`+name+`Anew":`, `/`+name+`"`, `/`+name+`Anew"`).Replace(text)), &renamed)
		clear(d)
		maps.Copy(d, renamed)
		return name
	},
	"a value more": func(d definitions, r *rand.Rand) string {
		d["Color"]["enum"] = append(d["Color"]["enum"].([]any), fmt.Sprint("hue", r.IntN(1000)))
		return "Color"
	},
	"a value less": func(d definitions, r *rand.Rand) string {
		values := d["Color"]["enum"].([]any)
		if len(values) < 2 {
			return ""
		}
		i := r.IntN(len(values))
		d["Color"]["enum"] = slices.Delete(slices.Clone(values), i, i+1)
		return fmt.Sprint(values[i])
	},
	"a variant more": func(d definitions, r *rand.Rand) string {
		name := fmt.Sprint("Blob", r.IntN(1000))
		d[name] = map[string]any{"type": "object", "properties": map[string]any{"kind": map[string]any{"const": strings.ToLower(name)}}, "required": []any{"kind"}}
		d["Shape"]["oneOf"] = append([]any{map[string]any{"$ref": "#/$defs/" + name}}, d["Shape"]["oneOf"].([]any)...)
		return name
	},
	"a variant less": func(d definitions, r *rand.Rand) string {
		list := d["Shape"]["oneOf"].([]any)
		if len(list) < 4 {
			return ""
		}
		d["Shape"]["oneOf"] = list[1:]
		return fmt.Sprint(list[0])
	},
	"other words": func(d definitions, r *rand.Rand) string {
		name, _ := d.member(r)
		d[name]["description"] = "It is described."
		return name
	},
}

// member chooses a member that is no constant.
func (d definitions) member(r *rand.Rand) (name, member string) {
	var all [][2]string
	for _, name := range slices.Sorted(maps.Keys(d)) {
		properties, _ := d[name]["properties"].(map[string]any)
		for _, member := range slices.Sorted(maps.Keys(properties)) {
			if member != "kind" && member != "shapes" {
				all = append(all, [2]string{name, member})
			}
		}
	}
	chosen := all[r.IntN(len(all))]
	return chosen[0], chosen[1]
}

// take removes a member, and says whether it was required.
func (d definitions) take(name, member string) (any, bool) {
	properties := d[name]["properties"].(map[string]any)
	was := properties[member]
	delete(properties, member)
	required, _ := d[name]["required"].([]any)
	i := slices.Index(required, any(member))
	if i >= 0 {
		d[name]["required"] = slices.Delete(slices.Clone(required), i, i+1)
	}
	return was, i >= 0
}

func (d definitions) put(name, member string, schema any, required bool) {
	d[name]["properties"].(map[string]any)[member] = schema
	if list, _ := d[name]["required"].([]any); required && !slices.Contains(list, any(member)) {
		d[name]["required"] = append(slices.Clone(list), member)
	}
}

func (d definitions) grow(r *rand.Rand, required bool) string {
	name, _ := d.member(r)
	member := fmt.Sprint("extra", r.IntN(1000))
	d.put(name, member, map[string]any{"type": "string"}, required)
	return name + "." + member
}

// TestMadeUpBumps: whatever changes, the lines that no longer compile are those that the bump lists, and where it lists
// nothing and breaks nothing, the program prints what it did.
func TestMadeUpBumps(t *testing.T) {
	kit.Long(t)
	tries := 4
	if *kit.Thorough {
		tries = 200
	}
	dir := kit.Place(t)
	t.Chdir(dir)
	kit.WriteFile(t, "go.mod", "module example.com/m\n\ngo 1.24\n")
	kit.WriteFile(t, "main.go", painter)
	config := `{"schemas": "schema", "out": "drawing"}`
	counted := map[string]int{}
	for try := range tries {
		r := rand.New(rand.NewPCG(uint64(try), 1))
		kit.WriteFile(t, "ahpgen.json", config)
		kit.WriteFile(t, filepath.Join("schema", "drawing.schema.json"), compact(parsed(t)))
		printed, code := kit.Ahpgen("generate")
		require.Zero(t, code, printed)
		before := kit.Run(t, dir, "go", "run", ".")
		what, schema := changed(t, r)
		kit.WriteFile(t, filepath.Join("next", "drawing.schema.json"), schema)
		report, code := kit.Ahpgen("bump", "--force", "--to", "next")
		if strings.Contains(report, "nothing was written") {
			counted["refused"]++
			continue
		}
		out, _ := kit.Command(dir, "go", "build", kit.EveryError, "./...")
		failing := kit.Positions(dir, ".", out)
		list, _, _ := strings.Cut(report, "\nThe protocol: ")
		must, _, _ := strings.Cut(list, "\nLook at: ")
		must, _, _ = strings.Cut(must, "\nLeave out what is new")
		for _, at := range failing {
			require.Contains(t, must, at, "%d: %s\n%s\n%s", try, what, report, out)
		}
		require.Equal(t, strings.Contains(must, "Must change"), code == 1, "%d: %s\n%s", try, what, report)
		for _, line := range regexp.MustCompile(`(?m)^main\.go:\d+:\d+: .*$`).FindAllString(must, -1) {
			compiles := !slices.ContainsFunc(failing, func(at string) bool { return strings.HasPrefix(line, at+":") })
			known := strings.Contains(line, "from now on") || strings.Contains(line, "no case of this switch")
			require.False(t, compiles && !known && len(failing) == 0, "%d: %s\nit compiles: %s\n%s", try, what, line, report)
		}
		if len(failing) > 0 {
			counted["does not compile"]++
			continue
		}
		for added, over := range map[string]string{`/Blob`: "Shape", `"hue`: "Color"} {
			require.Equal(t, strings.Contains(schema, added), strings.Contains(report, "no case of this switch over "+over+" takes"), "%d: %s\n%s", try, what, report)
		}
		after := kit.Run(t, dir, "go", "run", ".")
		quiet := strings.Contains(report, "nothing must change") && strings.Contains(report, "0 changes break a client, 0 a host")
		require.False(t, quiet && after != before && !strings.Contains(report, "to look at"), "%d: %s\nbefore: %s\nafter: %s\n%s", try, what, before, after, report)
		counted["compiles"]++
	}
	t.Log(counted)
}

// protocol is a schema.
type protocol struct {
	Protocol map[string]any `json:"x-protocol"`
	Defs     definitions    `json:"$defs"`
}

func parsed(t *testing.T) protocol {
	t.Helper()
	var p protocol
	require.NoError(t, json.Unmarshal([]byte(drawing), &p))
	return p
}

// changed returns what was done to the protocol, and its schema as it is then.
func changed(t *testing.T, r *rand.Rand) (what, schema string) {
	t.Helper()
	file := parsed(t)
	file.Protocol["version"] = "1.1.0"
	names := slices.Sorted(maps.Keys(edits))
	for range 1 + r.IntN(3) {
		name := names[r.IntN(len(names))]
		what += fmt.Sprintf("%s: %s; ", name, edits[name](file.Defs, r))
	}
	return what, compact(file)
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of plain values
	}
	return string(text)
}
