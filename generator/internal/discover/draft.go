// Draft: the profile as a file, completed by what reading the schemas with it reports.

package discover

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Draft is a profile for schemas that have none.
type Draft struct {
	Text   []byte
	Says   []string // what was found, a line each
	Points []Point  // what only a person can say
}

// Point is something that the schemas do not say, or say only between the lines.
type Point struct {
	Text string
	Line string // what to write into the profile, perhaps with words in capitals to replace
}

// rounds bounds how often the schemas are read: what one round settles may show something else.
const rounds = 10

// columns is the length of the lines of a profile.
const columns = 120

// New drafts a profile. Load reads the schemas anew each time, because reading changes them. Clashes returns what is wrong with
// the names of a protocol. Files are those that the profile has to name.
func New(load func() *schema.Set, clashes func(*protocol.Protocol) []diag.Diagnostic, name, title string, files []string) (Draft, error) {
	set := load()
	set.Merge(false)
	set.Parse(schema.Options{}, nil)
	f := find(set)
	w := &writer{found: f, out: f.profile(name, title)}
	w.out.Files = files
	for range rounds {
		text, err := w.text(nil)
		if err != nil {
			return Draft{}, err
		}
		p, found := profile.Parse("profile.json", text)
		if p == nil {
			return Draft{}, fmt.Errorf("draft a profile: %s", found[0])
		}
		set = load()
		u := understand.Run(set, p, facts.Text{})
		w.left, w.stated = u.Found, u.Facts != nil && len(u.Facts.Methods) > 0
		if u.Protocol != nil {
			w.left = append(w.left, clashes(u.Protocol)...)
		}
		if !w.mend(set, w.left) {
			break
		}
	}
	if err := w.check(set); err != nil {
		return Draft{}, err
	}
	points := w.points()
	text, err := w.text(points)
	return Draft{Text: text, Says: w.says(), Points: points}, err
}

// check adds what is wrong with the schemas as such.
func (w *writer) check(set *schema.Set) error {
	for _, doc := range set.Docs {
		meta, err := schema.MetaValidator(doc.Dialect())
		if err != nil {
			return fmt.Errorf("check the schemas: %w", err)
		}
		w.left = append(w.left, meta.Check(set.Repaired(doc), "meta-schema", diag.PlacesOf(w.left))...)
	}
	return nil
}

// writer is a profile on its way.
type writer struct {
	found     *found
	out       *profileText
	undecided []string          // unions that are raw JSON
	left      []diag.Diagnostic // what the profile does not settle
	stated    bool              // there are methods, even if the schemas state them themselves
	repaired  map[string]bool   // what the profile takes away, by path and keyword
}

// text returns the profile, with the points as a comment.
func (w *writer) text(points []Point) ([]byte, error) {
	out := *w.out
	for i, p := range points {
		line := fmt.Sprintf("%d. %s", i+1, p.Text)
		if p.Line != "" {
			line += ": " + p.Line
		}
		out.Comment = append(out.Comment, line)
	}
	text, err := jsontext.Wrapped(out, columns)
	if err != nil {
		return nil, fmt.Errorf("write the profile: %w", err)
	}
	return text, nil
}

// mend adds what settles problems without a person, and reports whether there was anything to add.
func (w *writer) mend(set *schema.Set, found []diag.Diagnostic) (added bool) {
	keys, paths, defaults, holders := map[diag.Pos]string{}, map[diag.Pos]string{}, map[diag.Pos]string{}, map[diag.Pos]string{}
	for _, doc := range set.Docs {
		keysOf(doc.Root, keys)
	}
	if w.explain(set, found, keys) {
		return true
	}
	set.Visit(func(path string, n *schema.Node) {
		paths[n.Pos] = path
		for _, m := range n.Members {
			holders[m.KeyPos] = path
		}
		if value := n.Get("default"); value != nil {
			defaults[value.Pos] = path
		}
	})
	for _, d := range found {
		switch key, path, value := keys[d.Pos], paths[d.Pos], defaults[d.Pos]; d.Code {
		case "unknown-keyword", "misspelt-keyword":
			meant := d.Code == "misspelt-keyword" && !strings.HasPrefix(key, "_") && !strings.HasPrefix(key, "x-") || key == "nullable"
			near, _ := firstQuoted(d.Hint)
			added = (!meant || near == "$comment") && w.ignore(key) || added // no spelling of a comment says anything
		case "unchecked-keyword":
			added = w.ignore(key) || added
		case "open-branch", "unclear-branch", "conflicting-member", "undeclared-required":
			if d.Severity == diag.Error && w.out.Unions.Undecided == "" {
				w.out.Unions.Undecided, added = "raw", true
			}
		case "name-collision":
			added = w.pin(d.Hint) || added
		case "ambiguous-union", "map-variant":
			union, _, _ := strings.Cut(d.Message, ": ")
			if !slices.Contains(w.undecided, union) {
				w.undecided = append(w.undecided, union)
			}
			if w.out.Unions.Undecided == "" {
				w.out.Unions.Undecided, added = "raw", true
			}
		case "nullable-element":
			if text, ok := firstQuoted(d.Hint); ok {
				path = text
			}
			if at := (placeText{path}); path != "" && !slices.Contains(w.out.Raw, at) {
				w.out.Raw, added = append(w.out.Raw, at), true
			}
		case "bad-default":
			added = w.takeAway(value, "default", "It is no value that the member can have.") || added
		case "without-effect":
			if key == "additionalProperties" { // with others, the type may be what is wrong
				added = w.takeAway(holders[d.Pos], key, "It has no effect.") || added
			}
		}
	}
	return added
}

// takeAway takes a keyword away from what has a path, and reports whether that is new.
func (w *writer) takeAway(path, keyword, why string) bool {
	r := repairText{Definition: path, Patch: map[string]any{keyword: nil}, Why: why}
	if path == "" || keyword == "" || w.repaired[path+"\x00"+keyword] {
		return false
	}
	if w.repaired == nil {
		w.repaired = map[string]bool{}
	}
	w.repaired[path+"\x00"+keyword] = true
	w.out.Overlay = append(w.out.Overlay, r)
	return true
}

// firstQuoted returns the first text in quotes.
func firstQuoted(text string) (string, bool) {
	i := strings.IndexByte(text, '"')
	if i < 0 {
		return "", false
	}
	prefix, err := strconv.QuotedPrefix(text[i:])
	if err != nil {
		return "", false
	}
	out, err := strconv.Unquote(prefix)
	return out, err == nil
}

// pin takes over the line that a hint has for a name, and reports whether that is new.
func (w *writer) pin(hint string) bool {
	i := strings.IndexByte(hint, '{')
	var pin struct {
		nameText
		enumText
	}
	if i < 0 || json.NewDecoder(strings.NewReader(hint[i:])).Decode(&pin) != nil {
		return false
	}
	if pin.Enum != "" {
		return w.pinValues(pin.enumText)
	}
	if pin.At == "" {
		return false
	}
	if w.out.Naming == nil {
		w.out.Naming = &namingText{}
	}
	if slices.ContainsFunc(w.out.Naming.Names, func(n nameText) bool { return n.At == pin.At }) {
		return false
	}
	w.out.Naming.Names = append(w.out.Naming.Names, pin.nameText)
	return true
}

// pinValues takes over names for values of an enum, and reports whether one is new.
func (w *writer) pinValues(pin enumText) (added bool) {
	rules := &w.out.Enums.Rules
	i := slices.IndexFunc(*rules, func(r enumText) bool { return r.Enum == pin.Enum })
	if i < 0 {
		i, *rules = len(*rules), append(*rules, enumText{pin.Enum, map[string]string{}})
	}
	for value, name := range pin.Names {
		if (*rules)[i].Names[value] == "" {
			(*rules)[i].Names[value], added = name, true
		}
	}
	return added
}

// ignore passes over a keyword, and reports whether that is new.
func (w *writer) ignore(key string) bool {
	if key == "" || slices.Contains(w.out.Ignored, key) {
		return false
	}
	w.out.Ignored = append(w.out.Ignored, key)
	return true
}

// keysOf collects the keys of all objects by their positions.
func keysOf(n *schema.Node, keys map[diag.Pos]string) {
	for _, m := range n.Members {
		keys[m.KeyPos] = m.Key
		keysOf(m.Value, keys)
	}
	for _, item := range n.Items {
		keysOf(item, keys)
	}
}
