// Rules: what tells the rule of a finished reducer from another one, whatever the package calls things.

package finished

import (
	"go/scanner"
	gotoken "go/token"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
)

// Rules are the digests of the finished reducers that follow the rules of a version, by the types of the actions: of the
// words of a reducer and of all that it reaches, without comments and white space. Ask it with [Rules.Of].
type Rules map[string]string

// Of returns the digest for a type of actions, "" if there is no finished reducer.
func (r Rules) Of(tag string) string { return r[fold(tag)] }

// Rules returns the digests for a version.
func (s *Set) Rules(of string) Rules {
	if s == nil {
		return nil
	}
	at := s.version(of)
	out := Rules{}
	for _, u := range s.order {
		if u.tag == "" {
			continue
		}
		var texts []string
		holds := true
		for r := range graph.Reached([]*unit{u}, s.mentioned) {
			holds = holds && r.versions.Holds(at)
			texts = append(texts, r.name+"\n"+tokens(s.text(r)[r.from:r.to]))
		}
		if holds {
			slices.Sort(texts)
			out[u.tag] += digest(strings.Join(texts, "\n")) // several structs may carry one action
		}
	}
	return out
}

// mentioned returns the units that a unit mentions by name. Methods are known by their names alone.
func (s *Set) mentioned(u *unit) []*unit {
	return each.Where(s.order, func(other *unit) bool {
		typ, name := other.receiver()
		if typ != "" {
			name = "." + name
		}
		return u.uses[name]
	})
}

// tokens returns the text of a declaration without comments and white space.
func tokens(text string) string {
	fset := gotoken.NewFileSet()
	var sc scanner.Scanner
	sc.Init(fset.AddFile("", fset.Base(), len(text)), []byte(text), nil, 0)
	var out []string
	for {
		_, tok, lit := sc.Scan()
		if tok == gotoken.EOF {
			return strings.Join(out, " ")
		}
		if !tok.IsLiteral() && !tok.IsKeyword() {
			lit = tok.String()
		}
		out = append(out, lit)
	}
}
