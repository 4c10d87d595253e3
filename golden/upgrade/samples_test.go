// Values of all definitions of a protocol, and how programs decode them.

package upgrade

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// deepest is how far values of members go that need not be there.
const deepest = 6

// samples returns lines for a consumer: each definition with all members, and with those alone that have to be there.
func (p protocolFiles) samples() (out []string) {
	for _, file := range slices.Sorted(maps.Keys(p)) {
		defs, _ := p[file]["$defs"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(defs)) {
			def, _ := defs[name].(map[string]any)
			for _, v := range listOf(valuesOf(def), "enum") {
				out = append(out, fmt.Sprintf("value%s %v", name, v))
			}
			out = append(out, "make"+name+" ", "same"+name+" "+compact(p.sample(file, def, 0)))
			whole, _ := p.sample(file, def, 0).(map[string]any)
			least, _ := p.sample(file, def, deepest).(map[string]any)
			for _, member := range slices.Sorted(maps.Keys(whole)) {
				if _, ok := least[member]; !ok { // one more than has to be there
					more := maps.Clone(least)
					more[member] = whole[member]
					out = append(out, "same"+name+" "+compact(more), name+" "+compact(more))
				}
			}
			for _, v := range listOf(def, "oneOf") {
				out = append(out, name+" "+compact(p.sample(file, v.(map[string]any), 0)))
			}
			out = append(out, name+" "+compact(p.sample(file, def, 0)), name+" "+compact(p.sample(file, def, deepest)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sample returns a value of a schema in a file.
func (p protocolFiles) sample(file string, def map[string]any, depth int) any {
	if depth > 3*deepest {
		return nil
	}
	if ref, ok := def["$ref"].(string); ok {
		other, name, _ := strings.Cut(ref, "#/$defs/")
		if other != "" {
			file = other
		}
		defs, _ := p[file]["$defs"].(map[string]any)
		to, _ := defs[name].(map[string]any)
		return p.sample(file, to, depth+1)
	}
	if v, ok := def["const"]; ok {
		return v
	}
	for _, key := range []string{"enum", "oneOf", "anyOf"} {
		if list := listOf(def, key); len(list) > 0 {
			if variant, ok := list[0].(map[string]any); ok {
				return p.sample(file, variant, depth+1)
			}
			return list[0]
		}
	}
	out := map[string]any{}
	for _, base := range listOf(def, "allOf") {
		if more, ok := p.sample(file, base.(map[string]any), depth+1).(map[string]any); ok {
			maps.Copy(out, more)
		}
	}
	for member, schema := range propertiesOf(def) {
		if schema, ok := schema.(map[string]any); ok && (depth < deepest || slices.Contains(listOf(def, "required"), any(member))) {
			out[member] = p.sample(file, schema, depth+1)
		}
	}
	kind := def["type"]
	if several, ok := kind.([]any); ok && len(several) > 0 {
		kind = several[0]
	}
	switch kind {
	case "string":
		return "s"
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		items, _ := def["items"].(map[string]any)
		if depth >= deepest {
			return []any{}
		}
		return []any{p.sample(file, items, depth+1)}
	}
	return out
}

// program builds a package of a module with some files replaced.
func program(t *testing.T, dir, pkg string, overlay map[string][]byte) string {
	t.Helper()
	replaced := map[string]string{}
	place := t.TempDir()
	for name, text := range overlay {
		if text == nil {
			replaced[filepath.Join(dir, name)] = ""
			continue
		}
		with := filepath.Join(place, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, os.WriteFile(with, text, 0o644))
		replaced[filepath.Join(dir, name)] = with
	}
	list := filepath.Join(place, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(list, text, 0o644))
	out := filepath.Join(place, "program")
	cmd := exec.Command("go", "build", "-gcflags=-N -l", "-ldflags=-s -w", "-overlay", list, "-o", out, "./"+pkg)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, string(said))
	return out
}

// outcomes runs a program, and returns what it prints for each line that it reads.
func outcomes(t *testing.T, program string, lines []string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	text, err := cmd.Output()
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		name, said, _ := strings.Cut(line, " ")
		out[name] = append(out[name], said)
	}
	return out
}
