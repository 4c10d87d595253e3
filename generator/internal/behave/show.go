// Showing what an action does: a state before it and after it.

package behave

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Part is a part of a state that an action changes. Before and After are JSON, "" where there is nothing.
type Part struct{ Path, Before, After string }

// Show returns what an action does to a small state that it changes. There is nothing to show if its rule is not known, or
// if it changes none of the states that are tried. The same action always shows the same.
func Show(rule *protocol.Action, action json.RawMessage) []Part {
	object, ok := Decode(action).(map[string]any)
	if !ok || !has(rule) {
		return nil
	}
	digest := fnv.New64a()
	digest.Write([]byte(rule.Type))
	m := maker{rand: rand.New(rand.NewPCG(digest.Sum64(), 2)), texts: append(textsOf(object, []string{rule.Type})[1:], "earlier")} //nolint:gosec // the same states each time
	var best []Part
	for i := range runs {
		m.full = maxFull * float64(i) / runs // small ones first
		state, ok := m.object(rule.Channel.State, rule.Channel.State, 0)
		if !ok {
			continue
		}
		after, ok := apply(rule, state, object)
		if !ok {
			return nil
		}
		parts := changed("", state, after, nil)
		if len(parts) > 0 && (best == nil || weight(parts) < weight(best)) {
			best = parts
		}
	}
	return best
}

// weight is how much there is to read. What only adds shows less than what changes something, and what only takes away
// shows least.
func weight(parts []Part) int {
	n := 0
	for _, p := range parts {
		n += 20 + len(p.Path) + len(p.Before) + len(p.After)
		if p.Before == "" {
			n += 25
		}
		if p.After == "" {
			n += 75
		}
	}
	return n
}

// Decode decodes JSON as reducers take it, with integers as int64. It returns nil for what is not JSON.
func Decode(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return plain(v)
}

func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // as near as it gets
		return f
	case map[string]any:
		for name, item := range v {
			v[name] = plain(item)
		}
	case []any:
		for i, item := range v {
			v[i] = plain(item)
		}
	}
	return v
}

// textsOf appends the texts in a value, each once, so that a state can have the identifiers that an action names.
func textsOf(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		out = each.With(out, v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = textsOf(v[name], out)
		}
	case []any:
		for _, item := range v {
			out = textsOf(item, out)
		}
	}
	return out
}

// Changed returns the smallest parts in which two states differ.
func Changed(before, after map[string]any) []Part { return changed("", before, after, nil) }

// changed appends the smallest parts in which two values differ.
func changed(path string, before, after any, out []Part) []Part {
	was, isObject := before.(map[string]any)
	is, still := after.(map[string]any)
	list, isList := before.([]any)
	items, stillList := after.([]any)
	switch {
	case isObject && still:
		names := maps.Clone(was)
		maps.Copy(names, is)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			to := name
			if path != "" {
				to = path + "." + name
			}
			out = changed(to, value(was, name), value(is, name), out)
		}
	case isList && stillList:
		out = changedItems(path, list, items, out)
	case !reflect.DeepEqual(before, after):
		out = append(out, Part{path, shown(before), shown(after)})
	}
	return out
}

// changedItems appends the items that came, went or differ.
func changedItems(path string, before, after []any, out []Part) []Part {
	start := 0
	for start < min(len(before), len(after)) && reflect.DeepEqual(before[start], after[start]) {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && reflect.DeepEqual(before[len(before)-1-end], after[len(after)-1-end]) {
		end++
	}
	old, new := before[start:len(before)-end], after[start:len(after)-end]
	for i := range max(len(old), len(new)) {
		at := fmt.Sprintf("%s[%d]", path, start+i)
		var was, is any = absent{}, absent{}
		if i < len(old) {
			was = old[i]
		}
		if i < len(new) {
			is = new[i]
		}
		out = changed(at, was, is, out)
	}
	return out
}

// absent is the value of what is not there.
type absent struct{}

func value(object map[string]any, name string) any {
	if v, ok := object[name]; ok {
		return v
	}
	return absent{}
}

func shown(v any) string {
	if _, ok := v.(absent); ok {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
