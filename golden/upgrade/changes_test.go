// Made-up changes of the schemas of any protocol.

package upgrade

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// protocolFiles are the schemas of a protocol by name.
type protocolFiles map[string]map[string]any

func readProtocol(t *testing.T, folder string) protocolFiles {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.schema.json"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	out := protocolFiles{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var doc map[string]any
		require.NoError(t, json.Unmarshal(text, &doc))
		out[filepath.Base(name)] = doc
	}
	return out
}

// write puts the schemas into a folder.
func (p protocolFiles) write(t *testing.T, folder string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(folder))
	for name, doc := range p {
		kit.WriteFile(t, filepath.Join(folder, name), compact(doc))
	}
}

// made is a change of a protocol that is under way. Definitions may stand in several files; all are changed.
type made struct {
	files protocolFiles
	r     *rand.Rand
}

func (m *made) defs(file string) map[string]any {
	defs, _ := m.files[file]["$defs"].(map[string]any)
	return defs
}

// all calls do for each definition with a name.
func (m *made) all(name string, do func(def map[string]any)) {
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		if def, ok := m.defs(file)[name].(map[string]any); ok {
			do(def)
		}
	}
}

// names lists the definitions for which something is true of one in any file.
func (m *made) names(is func(def map[string]any) bool) []string {
	found := map[string]bool{}
	for file := range m.files {
		for name, def := range m.defs(file) {
			if def, ok := def.(map[string]any); ok && is(def) {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func pick[T any](r *rand.Rand, list []T) (out T) {
	if len(list) > 0 {
		out = list[r.IntN(len(list))]
	}
	return out
}

func propertiesOf(def map[string]any) map[string]any {
	out, _ := def["properties"].(map[string]any)
	return out
}

func listOf(def map[string]any, key string) []any {
	out, _ := def[key].([]any)
	return out
}

// isUnion reports whether a schema is a choice between references.
func isUnion(def map[string]any) bool {
	return slices.ContainsFunc(listOf(def, "oneOf"), func(v any) bool { _, ok := v.(map[string]any)["$ref"]; return ok })
}

// object chooses a definition with members.
func (m *made) object() string {
	return pick(m.r, m.names(func(def map[string]any) bool { return len(propertiesOf(def)) > 0 }))
}

// member chooses a member that is no constant.
func (m *made) member() (name, member string) {
	for range 100 {
		name = m.object()
		var list []string
		m.all(name, func(def map[string]any) {
			for key, value := range propertiesOf(def) {
				if v, ok := value.(map[string]any); ok && v["const"] == nil && !strings.HasPrefix(key, "_") {
					list = append(list, key)
				}
			}
		})
		slices.Sort(list)
		if len(list) > 0 {
			return name, pick(m.r, slices.Compact(list))
		}
	}
	return name, ""
}

func (m *made) take(name, member string) (was any, required bool) {
	m.all(name, func(def map[string]any) {
		if v, ok := propertiesOf(def)[member]; ok {
			was = v
			delete(propertiesOf(def), member)
		}
		if i := slices.Index(listOf(def, "required"), any(member)); i >= 0 {
			required = true
			def["required"] = slices.Delete(slices.Clone(listOf(def, "required")), i, i+1)
		}
	})
	return was, required
}

func (m *made) put(name, member string, schema any, required bool) {
	m.all(name, func(def map[string]any) {
		if propertiesOf(def) == nil {
			return
		}
		propertiesOf(def)[member] = schema
		if required && !slices.Contains(listOf(def, "required"), any(member)) {
			def["required"] = append(slices.Clone(listOf(def, "required")), member)
		}
	})
}

// replace changes the text of all schemas.
func (m *made) replace(pairs ...string) {
	replacer := strings.NewReplacer(pairs...)
	for name, doc := range m.files {
		var changed map[string]any
		_ = json.Unmarshal([]byte(replacer.Replace(compact(doc))), &changed)
		m.files[name] = changed
	}
}

// constants are the constants of the members of a definition that tell variants apart.
func (m *made) tag(name string) (member, value string) {
	m.all(name, func(def map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(propertiesOf(def))) {
			if v, ok := propertiesOf(def)[key].(map[string]any); ok {
				if text, ok := v["const"].(string); ok {
					member, value = key, text
				}
			}
		}
	})
	return member, value
}

// unionOf chooses a union whose first variant has a constant text as its tag, of actions or of others.
func (m *made) union(actions bool) (name, member, value string) {
	list := m.names(func(def map[string]any) bool {
		if !isUnion(def) {
			return false
		}
		ref, _ := listOf(def, "oneOf")[0].(map[string]any)["$ref"].(string)
		_, value := m.tag(ref[strings.LastIndex(ref, "/")+1:])
		return value != "" && strings.Contains(value, "/") == actions
	})
	name = pick(m.r, list)
	m.all(name, func(def map[string]any) {
		ref, _ := listOf(def, "oneOf")[0].(map[string]any)["$ref"].(string)
		member, value = m.tag(ref[strings.LastIndex(ref, "/")+1:])
	})
	return name, member, value
}

// addVariant gives every union with one variant another, and every list of tags its tag.
func (m *made) addVariant(actions bool) string {
	union, member, tag := m.union(actions)
	if union == "" {
		return ""
	}
	number := m.r.IntN(1000)
	name, value := fmt.Sprintf("Made%dVariant", number), fmt.Sprintf("made%d", number)
	if prefix, _, ok := strings.Cut(tag, "/"); ok {
		name, value = fmt.Sprintf("Made%dAction", number), prefix+"/"+value
	}
	first := ""
	m.all(union, func(def map[string]any) { first = listOf(def, "oneOf")[0].(map[string]any)["$ref"].(string) })
	sibling := first[strings.LastIndex(first, "/")+1:]
	for file := range m.files {
		for _, def := range m.defs(file) {
			def, _ := def.(map[string]any)
			for _, v := range listOf(def, "oneOf") {
				ref, _ := v.(map[string]any)["$ref"].(string)
				if strings.HasSuffix(ref, "#/$defs/"+sibling) {
					def["oneOf"] = append([]any{map[string]any{"$ref": strings.TrimSuffix(ref, sibling) + name}}, listOf(def, "oneOf")...)
					break
				}
			}
			if slices.Contains(listOf(def, "enum"), any(tag)) {
				addValue(def, value)
			}
		}
		if m.defs(file)[sibling] != nil {
			m.defs(file)[name] = map[string]any{
				"type": "object", "required": []any{member, "extra"},
				"properties": map[string]any{member: map[string]any{"const": value}, "extra": map[string]any{"type": "string"}},
			}
		}
	}
	return union + " " + name
}

// removeVariant takes a variant out of every union, and its tag out of every list.
func (m *made) removeVariant(actions bool) string {
	union, _, _ := m.union(actions)
	if union == "" {
		return ""
	}
	var list []any
	m.all(union, func(def map[string]any) { list = listOf(def, "oneOf") })
	if len(list) < 4 {
		return ""
	}
	ref, _ := pick(m.r, list).(map[string]any)["$ref"].(string)
	if ref == "" {
		return ""
	}
	name := ref[strings.LastIndex(ref, "/")+1:]
	_, tag := m.tag(name)
	for file := range m.files {
		for _, def := range m.defs(file) {
			def, _ := def.(map[string]any)
			if list := listOf(def, "oneOf"); list != nil {
				def["oneOf"] = slices.DeleteFunc(slices.Clone(list), func(v any) bool {
					ref, _ := v.(map[string]any)["$ref"].(string)
					return strings.HasSuffix(ref, "#/$defs/"+name)
				})
			}
			if i := slices.Index(listOf(def, "enum"), any(tag)); tag != "" && i >= 0 {
				removeValue(def, i)
			}
		}
		delete(m.defs(file), name)
	}
	return union + " " + name
}

// enum chooses a list of texts that are no tags of variants.
func (m *made) enum() string {
	tags := map[any]bool{}
	for file := range m.files {
		for name := range m.defs(file) {
			if _, tag := m.tag(name); tag != "" {
				tags[tag] = true
			}
		}
	}
	return pick(m.r, m.names(func(def map[string]any) bool {
		list := listOf(valuesOf(def), "enum")
		return len(list) > 1 && isText(list[0]) && !slices.ContainsFunc(list, func(v any) bool { return tags[v] })
	}))
}

// valuesOf returns the schema with the list of values, which is one of two where others are allowed.
func valuesOf(def map[string]any) map[string]any {
	if either := listOf(def, "anyOf"); len(either) > 0 {
		if v, ok := either[0].(map[string]any); ok && v["enum"] != nil {
			return v
		}
	}
	return def
}

// value chooses a value of an enum, by its place.
func (m *made) value() (name string, which int) {
	name = m.enum()
	m.all(name, func(def map[string]any) { which = len(listOf(valuesOf(def), "enum")) })
	if which > 0 {
		which = m.r.IntN(which)
	}
	return name, which
}

// named says what was changed of a definition, "" for none.
func named(name string, what any) string {
	if name == "" {
		return ""
	}
	return fmt.Sprint(name, " ", what)
}

// besideValues are lists with an item for each value of an enum.
var besideValues = []string{"x-enum-names", "x-enum-descriptions"}

func addValue(def map[string]any, value string) {
	def["enum"] = append(slices.Clone(listOf(def, "enum")), value)
	for _, key := range besideValues {
		if list := listOf(def, key); list != nil {
			word := value[strings.LastIndex(value, "/")+1:]
			def[key] = append(slices.Clone(list), strings.ToUpper(word[:1])+word[1:])
		}
	}
}

func removeValue(def map[string]any, i int) {
	for _, key := range append([]string{"enum"}, besideValues...) {
		if list := listOf(def, key); list != nil {
			def[key] = slices.Delete(slices.Clone(list), i, i+1)
		}
	}
}

func isText(v any) bool { _, ok := v.(string); return ok }

// madeUp are kinds of changes. They say what they did, "" for nothing.
var madeUp = map[string]func(m *made) string{
	"an optional member more": func(m *made) string { return m.grow(false) },
	"a required member more":  func(m *made) string { return m.grow(true) },
	"a member less": func(m *made) string {
		name, member := m.member()
		m.take(name, member)
		return name + "." + member
	},
	"a member renamed": func(m *made) string {
		name, member := m.member()
		was, required := m.take(name, member)
		m.put(name, member+"Anew", was, required)
		return name + "." + member
	},
	"a member of another kind": func(m *made) string {
		name, member := m.member()
		was, required := m.take(name, member)
		kind := "integer"
		if v, ok := was.(map[string]any); ok && v["type"] == "integer" {
			kind = "string"
		}
		m.put(name, member, map[string]any{"type": kind}, required)
		return name + "." + member
	},
	"a member required or not": func(m *made) string {
		name, member := m.member()
		was, required := m.take(name, member)
		m.put(name, member, was, !required)
		return name + "." + member
	},
	"a member moved": func(m *made) string {
		name, member := m.member()
		to, _ := m.member()
		was, required := m.take(name, member)
		m.put(to, member, was, required)
		return name + "." + member + " to " + to
	},
	"a definition renamed": func(m *made) string {
		name := m.object()
		m.replace(`"`+name+`"`, `"`+name+`Anew"`, `/`+name+`"`, `/`+name+`Anew"`)
		return name
	},
	"a value more": func(m *made) string {
		name, value := m.enum(), fmt.Sprint("hue", m.r.IntN(1000))
		m.all(name, func(def map[string]any) { addValue(valuesOf(def), value) })
		return named(name, value)
	},
	"a value less": func(m *made) string {
		name, which := m.value()
		m.all(name, func(def map[string]any) { removeValue(valuesOf(def), which) })
		return named(name, which)
	},
	"a value renamed": func(m *made) string {
		name, which := m.value()
		m.all(name, func(def map[string]any) {
			in := valuesOf(def)
			in["enum"] = slices.Clone(listOf(in, "enum"))
			listOf(in, "enum")[which] = fmt.Sprint(listOf(in, "enum")[which], "Anew")
		})
		return named(name, which)
	},
	"a variant more": func(m *made) string { return m.addVariant(false) },
	"a variant less": func(m *made) string { return m.removeVariant(false) },
	"an action more": func(m *made) string { return m.addVariant(true) },
	"an action less": func(m *made) string { return m.removeVariant(true) },
	"an action renamed": func(m *made) string {
		name := pick(m.r, m.names(func(def map[string]any) bool {
			v, _ := propertiesOf(def)["type"].(map[string]any)
			text, _ := v["const"].(string)
			return strings.Contains(text, "/")
		}))
		_, tag := m.tag(name)
		m.replace(`"`+tag+`"`, `"`+tag+`Anew"`)
		return tag
	},
	"other words": func(m *made) string {
		name := m.object()
		m.all(name, func(def map[string]any) { def["description"] = "It is described." })
		return name
	},
}

func (m *made) grow(required bool) string {
	name, member := m.object(), fmt.Sprint("extra", m.r.IntN(1000))
	m.put(name, member, map[string]any{"type": "string"}, required)
	return name + "." + member
}

// parse reads the schemas.
func (m *made) parse(text string) {
	if err := json.Unmarshal([]byte(text), &m.files); err != nil {
		panic(err) // they were written here
	}
}

// version sets the version that schemas themselves state, and those that are supported.
func (m *made) version(version string, others ...any) {
	for _, doc := range m.files {
		if p, ok := doc["x-protocol"].(map[string]any); ok {
			p["version"], p["supported"] = version, append([]any{version}, others...)
		}
	}
}
