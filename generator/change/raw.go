// Raw JSON: what schemas say of values that have no type in Go.

package change

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// isRaw reports whether a limit is all that a schema says of raw JSON.
func isRaw(l protocol.Limit) bool {
	return l.Keyword == protocol.Schema || strings.HasSuffix(l.Keyword, "."+protocol.Schema)
}

// raw reports in one change how what is said of raw JSON differs.
func (c *comparer) raw(from, to []protocol.Limit, at spot) {
	var gone, came []string
	for _, keyword := range keywordsOf(from, to) {
		is := func(l protocol.Limit) bool { return l.Keyword == keyword }
		old, new := each.Where(from, is), each.Where(to, is)
		for i := range max(len(old), len(new)) {
			d := &divergence{}
			d.compare(strings.TrimSuffix(strings.TrimSuffix(keyword, protocol.Schema), "."), said(old, i), said(new, i))
			gone, came = append(gone, d.gone...), append(came, d.came...)
		}
	}
	if len(gone)+len(came) > 0 {
		c.add(RawChanged, textOr(gone, "none"), textOr(came, "none"), at)
	}
}

// said returns the schema at an index, or the one that says nothing.
func said(list []protocol.Limit, i int) any {
	if i < len(list) {
		return decoded(list[i].Value)
	}
	return map[string]any{}
}

// decoded returns the value of a text of JSON, with numbers as they are written.
func decoded(text string) (out any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		panic(err) // it has been read before
	}
	return out
}

func textOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// divergence collects the smallest parts in which two schemas differ.
type divergence struct{ gone, came []string }

func (d *divergence) compare(path string, old, new any) {
	switch o := old.(type) {
	case map[string]any:
		if n, ok := new.(map[string]any); ok {
			d.members(path, o, n)
			return
		}
	case []any:
		if n, ok := new.([]any); ok && !strings.HasSuffix(path, "type") {
			d.items(path, o, n)
			return
		}
	}
	if jsonOf(old) != jsonOf(new) {
		d.gone, d.came = append(d.gone, part(path, old)), append(d.came, part(path, new))
	}
}

func (d *divergence) members(path string, old, new map[string]any) {
	var names []string
	for _, m := range []map[string]any{old, new} {
		for name := range m {
			names = each.With(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		o, had := old[name]
		n, has := new[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		switch {
		case had && has:
			d.compare(at, o, n)
		case had:
			d.gone = append(d.gone, part(at, o))
		default:
			d.came = append(d.came, part(at, n))
		}
	}
}

// items compares lists. What both have does not count, so that an item that came does not make others differ.
func (d *divergence) items(path string, old, new []any) {
	gone, came := without(old, new), without(new, old)
	if ordered(path) {
		gone, came = indices(old), indices(new)
	}
	both := 0
	if ordered(path) || len(gone) == len(came) {
		both = min(len(gone), len(came))
	}
	item := func(at int) string { return fmt.Sprintf("%s[%d]", path, at) }
	for i := range both {
		d.compare(item(gone[i]), old[gone[i]], new[came[i]])
	}
	for _, at := range gone[both:] {
		d.gone = append(d.gone, part(item(at), old[at]))
	}
	for _, at := range came[both:] {
		d.came = append(d.came, part(item(at), new[at]))
	}
}

func indices(list []any) (out []int) {
	for i := range list {
		out = append(out, i)
	}
	return out
}

// ordered reports whether the order of a list says something.
func ordered(path string) bool {
	return !slices.Contains([]string{"anyOf", "oneOf", "allOf", "type", "enum", "required"}, path[strings.LastIndexByte(path, '.')+1:])
}

// without returns the indices of the items that another list does not have.
func without(list, other []any) (out []int) {
	has := each.SetFunc(other, jsonOf)
	for i, item := range list {
		if !has[jsonOf(item)] {
			out = append(out, i)
		}
	}
	return out
}

func jsonOf(v any) string { return jsontext.Line(v) }

// mostText is how long a value may be in a line. What is cut off is there as a digest, so that other values have other texts.
const mostText = 120

func part(path string, value any) string {
	text := jsonOf(value)
	if runes := []rune(text); len(runes) > mostText {
		text = fmt.Sprintf("%s… (%.4x)", string(runes[:mostText]), sha256.Sum256([]byte(text)))
	}
	return strings.TrimPrefix(path+"="+text, "=") // without a space, so that excerpts keep the path
}
