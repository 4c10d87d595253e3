// Package finished chooses reducers that come with a protocol, written by hand in Go, for a package: one
// by one, each with the helpers that it needs, if the package declares alike all that they use. It
// takes them from text and emits text; nothing is type-checked then.
package finished

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/schemas"
)

// UsesName is the name of the file beside the sources that says what they use.
const UsesName = "uses.json"

// Tag is the build tag that keeps the sources out of ordinary builds: they are compiled as emitted.
const Tag = "ahpgen_reducers"

// FloorPath is how the sources import what does not depend on the protocol.
const FloorPath = "github.com/ahpgen/ahpgen/templates/wire"

// Set is the finished reducers of one protocol.
type Set struct {
	versions version.Order // of the protocol
	uses     Uses
	editions []string          // versions, "" for the one that the others are laid over
	texts    map[string]string // of the sources, by [SourceName]
	units    map[string]*unit
	order    []*unit          // by file and place
	byAction map[string]*unit // by the definition of the action
	words    func() map[string]bool
}

type unit struct {
	*Declaration
	versions version.Range
}

// Digest tells one text of a source from another.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Load reads sources and what is known about them, of a protocol whose versions are in an order. Each edition is laid over the ones before.
func Load(versions version.Order, editions ...schemas.Edition) (*Set, error) {
	set := &Set{versions: versions, uses: Uses{Sources: map[string]string{}, Types: map[string]string{}}, units: map[string]*unit{}, byAction: map[string]*unit{}}
	for _, e := range editions {
		data, err := fs.ReadFile(e.Folder, UsesName)
		if err != nil {
			return nil, fmt.Errorf("read finished reducers: %w", err)
		}
		var uses Uses
		if err := json.Unmarshal(data, &uses); err != nil {
			return nil, fmt.Errorf("read finished reducers: %s: %w", SourceName(e.Version, UsesName), err)
		}
		set.uses = *uses.Onto(&set.uses)
		set.editions = append(set.editions, e.Version)
	}
	var err error
	if set.texts, err = Sources(editions...); err != nil {
		return nil, fmt.Errorf("read finished reducers: %w", err)
	}
	for name, text := range set.texts {
		if set.uses.Sources[name] != Digest([]byte(text)) {
			return nil, fmt.Errorf("read finished reducers: %s does not know this %s: run go generate where it comes from", UsesName, name)
		}
	}
	for _, d := range set.uses.Units {
		u := &unit{Declaration: d}
		if u.versions, err = versions.ParseRange(d.Versions); err != nil {
			return nil, fmt.Errorf("read finished reducers: %s: %w", d.Name, err)
		}
		if _, ok := set.texts[d.File]; !ok {
			return nil, fmt.Errorf("read finished reducers: %s is missing", d.File)
		}
		set.units[d.Name] = u
		set.order = append(set.order, u)
		if d.Action != "" {
			set.byAction[d.Action] = u
		}
	}
	set.words = sync.OnceValue(set.allWords)
	return set, nil
}

// Sources reads the sources of editions, by [SourceName].
func Sources(editions ...schemas.Edition) (map[string]string, error) {
	out := map[string]string{}
	for _, e := range editions {
		names, err := fs.Glob(e.Folder, "*.go")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(e.Folder, name)
			if err != nil {
				return nil, err
			}
			out[SourceName(e.Version, name)] = string(text)
		}
	}
	return out, nil
}

// allWords lists every word of the sources: a name that is made up must be none of them.
func (s *Set) allWords() map[string]bool {
	out := map[string]bool{}
	for _, text := range s.texts {
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
			out[w] = true
		}
	}
	return out
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// Has reports whether there is a finished reducer for a type of actions, whether or not it goes with a package.
func (s *Set) Has(tag string) bool {
	return s != nil && slices.ContainsFunc(s.order, func(u *unit) bool { return u.Tag == tag && tag != "" })
}

func (s *Set) symbol(i int) Symbol { return s.uses.Symbols[i] }

// named are the symbols that a declaration names.
func (u *unit) named() func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 1; i < len(u.Refs); i += 2 {
			if !yield(u.Refs[i]) {
				return
			}
		}
	}
}

// receiver splits the name of a method.
func (u *unit) receiver() (typ, name string) {
	typ, name, ok := strings.Cut(u.Name, ".")
	if !ok {
		return "", typ
	}
	return typ, name
}

// files lists the names of the sources in order. Editions have sources of the same names.
func (s *Set) files() []string {
	var out []string
	for name := range s.texts {
		out = append(out, path.Base(name))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Words are the comments on the finished reducers for the actions of a type, as paragraphs with line breaks; "" where
// there are none.
func (s *Set) Words(tag string) string {
	if s == nil || tag == "" {
		return ""
	}
	var out []string
	for _, u := range s.order {
		if u.Tag != tag {
			continue
		}
		var lines []string
		for line := range strings.Lines(s.texts[u.File][u.Doc:u.From]) {
			lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "//"), " "))
		}
		out = append(out, strings.TrimSpace(strings.Join(lines, "\n")))
	}
	return strings.Join(out, "\n\n")
}
