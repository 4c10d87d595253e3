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

// fileName stands in the positions of findings about a draft.
const fileName = "profile.json"

// Draft is a profile for schemas that have none.
type Draft struct {
	Text   []byte
	Says   []string // what was found, a line each
	Points []Point  // what only a person can say

	Protocol *protocol.Protocol // what the schemas mean with the profile, or nil if it does not settle all
}

// Point is something that the schemas do not say, or say only between the lines.
type Point struct {
	Text string
	Line string // what to write into the profile, perhaps with words in capitals to replace
}

// rounds bounds how often the schemas are read: what one round settles may show something else.
const rounds = 30

// columns is the length of the lines of a profile.
const columns = 120

// New drafts a profile. Load reads the schemas anew each time, because reading changes them. Clashes returns what is wrong with
// the names of a protocol. Files are those that the profile has to name.
func New(load func() *schema.Set, clashes func(*protocol.Protocol) []diag.Diagnostic, name, title string, files []string) (Draft, error) {
	set := load()
	set.Merge(false)
	set.Parse(schema.Options{}, nil)
	f := find(set)
	var read *protocol.Protocol
	w := &writer{found: f, out: f.profile(name, title), repaired: map[string]bool{}, rawFor: map[string]string{}, groups: map[diag.Pos]string{}, gaveUp: map[place]int{}}
	w.out.Files = files
	for range rounds {
		text, err := w.text(nil)
		if err != nil {
			return Draft{}, err
		}
		p, found := profile.Parse(fileName, text)
		if p == nil {
			return Draft{}, fmt.Errorf("draft a profile: %s", found[0])
		}
		set = load()
		u := understand.Run(set, p, facts.Text{})
		w.left, w.stated = u.Found, u.Facts != nil && len(u.Facts.Methods) > 0
		if u.Protocol != nil {
			w.left = append(w.left, clashes(u.Protocol)...)
		}
		if w.mend(set, w.left) {
			continue
		}
		wrong, err := w.check(set)
		if err != nil {
			return Draft{}, err
		}
		if w.correctAll(set, wrong) {
			continue
		}
		w.left = append(w.left, wrong...)
		w.noteUndecided(u.Protocol)
		read = u.Protocol
		break
	}
	points := w.points()
	text, err := w.text(points)
	return Draft{Text: text, Says: w.says(), Points: points, Protocol: read}, err
}

// check returns what is wrong with the schemas as such.
func (w *writer) check(set *schema.Set) (wrong []diag.Diagnostic, err error) {
	for _, doc := range set.Docs {
		meta, err := schema.MetaValidator(doc.Dialect())
		if err != nil {
			return nil, fmt.Errorf("check the schemas: %w", err)
		}
		wrong = append(wrong, meta.Check(set.Repaired(doc), "meta-schema", diag.PlacesOf(w.left))...)
	}
	return wrong, nil
}

// correctAll corrects keywords whose values are wrong, and reports whether that is new.
func (w *writer) correctAll(set *schema.Set, wrong []diag.Diagnostic) (added bool) {
	at := indexOf(set)
	for _, d := range wrong {
		added = w.correct(at, d, "It is wrong: ") || added
	}
	return added
}

// writer is a profile on its way.
type writer struct {
	found     *found
	out       *profileText
	undecided []string            // unions that are raw JSON
	apart     []*protocol.Union   // unions with alternatives that are kept like unknown ones
	takenIn   []string            // choices whose alternatives' members are optional ones of the object around them
	left      []diag.Diagnostic   // what the profile does not settle
	stated    bool                // there are methods, even if the schemas state them themselves
	repaired  map[string]bool     // what the profile takes away, by place and keyword
	notRaw    []placeText         // what need not be raw JSON, since something around it is
	unchecked []string            // keywords that say something about values which Go does not check, with their first place
	enums     bool                // there are enums
	misspelt  []string            // keywords that are passed over though another one may be meant
	rawFor    map[string]string   // why a place is raw JSON, if that is not because of null
	groups    map[diag.Pos]string // what may be definitions by another name, by position
	dialect   string              // one that is not known, or ""
	elsewhere []string            // what refers to something that is not there, and is any JSON
	nowhere   []string            // what refers to something in the folder that is not there, and is any JSON
	gaveUp    map[place]int       // how often a place has lost what gives it no type in Go
	hopeless  []string            // places that have lost it
	dynamic   []string            // what refers to something that depends on where it is used, and is any JSON
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
