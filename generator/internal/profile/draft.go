// Drafts: overlays for missing definitions, with gaps for the user to fill in.

package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// gap marks a place where the user must write a schema. Parse rejects a profile with gaps.
var gap = json.RawMessage("{}")

// draft is a profile consisting of repairs.
type draft struct {
	Extends string   `json:"extends,omitempty"`
	Name    string   `json:"name,omitempty"`
	Title   string   `json:"title,omitempty"`
	Overlay []*entry `json:"overlay"`
}

// entry is a repair, with members in reading order.
type entry struct {
	Definition  string          `json:"definition"`
	At          string          `json:"at,omitempty"`
	Versions    string          `json:"versions,omitempty"`
	Why         string          `json:"why"`
	Define      json.RawMessage `json:"define,omitempty"`
	Enumeration members         `json:"enumeration,omitempty"`
	Remove      json.RawMessage `json:"remove,omitempty"`

	places []string
}

// members are the members of an enumeration whose values are unknown.
type members []string

// MarshalJSON writes null, which no profile may contain, for each value.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, name := range m {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		b.WriteString([]string{"{", ","}[min(i, 1)])
		b.Write(key)
		b.WriteString(":null")
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Draft returns the text of a profile with an entry for every missing definition, limited to the given version. It
// extends the given embedded profile, or none for "". Nothing is guessed: unknown parts are gaps.
func Draft(set *schema.Set, f *facts.Facts, extends string) ([]byte, error) {
	w := &drafter{out: []*entry{}, taken: dottedNames(set), entries: map[string]*entry{}, known: map[string]bool{}}
	for _, m := range set.Missing() {
		if e := w.entry(m); e != nil {
			e.places = append(e.places, fmt.Sprintf("%s:%d:%d", m.File, m.Pos.Line, m.Pos.Col))
		}
	}
	for _, e := range w.out {
		e.Versions = f.Versions.At.String()
		e.Why += ": " + strings.Join(e.places, ", ") + "."
	}
	d := draft{"", f.Name, f.Title, w.out}
	if extends != "" { // an embedded profile cannot be edited
		d = draft{Extends: extends, Overlay: w.out}
	}
	text, err := jsontext.File(d)
	if err != nil {
		return nil, fmt.Errorf("write the overlay: %w", err)
	}
	return text, nil
}

// drafter collects the entries of a draft, one for each definition.
type drafter struct {
	taken   map[string]bool // name prefixes that contain a dot
	out     []*entry
	entries map[string]*entry
	known   map[string]bool // known enum values, as Enum.Member
}

// entry returns the entry that repairs a reference, or nil if the intended target is unclear.
func (w *drafter) entry(m schema.Missing) *entry {
	if m.Name == "" {
		return w.nameless(m)
	}
	enum, member, dotted := strings.Cut(m.Name, ".")
	if !dotted || enum == "" || member == "" || strings.Contains(member, ".") || w.taken[enum] {
		e := w.get("", entry{Definition: m.Name, Why: "The schemas refer to it and nowhere define it"})
		if e.Enumeration == nil {
			e.Define = gap
		}
		return e
	}
	e := w.get("", entry{Definition: enum, Why: "The schemas refer to values of it and nowhere give them"})
	e.Define = nil // an earlier reference to the enum itself was inconclusive
	if !w.known[m.Name] {
		w.known[m.Name] = true
		e.Enumeration = append(e.Enumeration, member)
	}
	return e
}

// nameless returns the entry for an alternative that references an unnamed definition.
func (w *drafter) nameless(m schema.Missing) *entry {
	list, item := path.Dir(m.At), path.Base(m.At)
	if _, err := strconv.Atoi(item); err != nil || !slices.Contains([]string{"oneOf", "anyOf", "allOf"}, path.Base(list)) {
		return nil
	}
	text := m.Schema.Compact()
	return w.get(list+" "+text, entry{Definition: m.Definition, At: list, Remove: json.RawMessage(text), Why: "The reference names nothing"})
}

// get returns the entry with the given key, adding the given one if there is none.
func (w *drafter) get(key string, e entry) *entry {
	key = e.Definition + " " + key
	if w.entries[key] == nil {
		w.entries[key] = &e
		w.out = append(w.out, &e)
	}
	return w.entries[key]
}

// dottedNames returns the prefixes after which a dot does not denote an enum member: names of definitions, and the
// beginnings of dotted names.
func dottedNames(set *schema.Set) map[string]bool {
	out := map[string]bool{}
	for _, d := range set.Definitions() {
		word, _, dotted := strings.Cut(d.Name, ".")
		if dotted || !d.Supplied {
			out[word] = true
		}
	}
	return out
}

// checkGaps reports definitions with gaps. Enumeration values that are null are rejected by the profile's schema.
func checkGaps(root *schema.Node) (found []diag.Diagnostic) {
	overlay := root.Get("overlay")
	if overlay == nil {
		return nil
	}
	for i, e := range overlay.Items {
		if v := e.Get("define"); v != nil && v.Kind == schema.Object && len(v.Members) == 0 {
			found = append(found, diag.Errorf(v.Pos, "gap", "write the schema in place of {}; one that anything fits is true", "overlay/%d/define: not filled in", i))
		}
	}
	return found
}
