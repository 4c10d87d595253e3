// Scopes: unique names. Names are claimed first, and conflicts reported at the end.

package golang

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

// declared is an identifier with its subject.
type declared struct {
	what    string
	pos     diag.Pos
	hint    rename   // nil if it cannot be renamed
	defined bool     // the type of a definition
	locked  bool     // named by an earlier run
	stated  diag.Pos // position in ahpgen.json, if named there
}

// rename returns the remedy for a name, with a suggestion.
type rename func(suggestion string) string

// rank returns a lower number for names with higher precedence.
func (d declared) rank() int {
	switch {
	case d.pos.IsZero():
		return 0
	case d.locked:
		return 1
	case d.defined:
		return 2
	}
	return 3
}

// scope detects identifiers claimed twice.
type scope struct {
	names     map[string][]declared
	order     []string
	inSchemas bool            // see Options
	inConfig  string          // likewise
	had       map[string]bool // names from an earlier run, by definition or definition.member
	pins      pins
}

func newScope(o Options) *scope {
	return &scope{names: map[string][]declared{}, inSchemas: o.InSchemas, inConfig: o.InConfig, pins: pinsOf(o.Pins)}
}

// add claims a name that a profile can override through pin, which is "" if it cannot.
func (s *scope) add(name, what, pin string, pos diag.Pos) {
	var hint rename
	if pin != "" {
		hint = func(suggestion string) string {
			if !gotext.IsExported(suggestion) { // a method named after the type
				suggestion = pin + strings.TrimPrefix(suggestion, name)
			}
			switch {
			case s.inConfig != "":
				return s.renameInConfig(pin, suggestion)
			case s.inSchemas && !strings.HasSuffix(pin, "()") && strings.Count(pin, ".") < 2:
				return fmt.Sprintf(`write "x-go-name": %q beside it`, suggestion)
			}
			return fmt.Sprintf(`pin another name under naming.names in the profile: {"at": %q, "name": %q}`, pin, suggestion)
		}
	}
	s.addHint(name, what, hint, pos)
	list := s.names[name]
	list[len(list)-1].locked = pin != "" && s.had[pin]
	s.state(name, pin)
}

// renameInConfig returns the remedy if neither schemas nor profile are the user's.
func (s *scope) renameInConfig(pin, suggestion string) string {
	return fmt.Sprintf(`state another name in %s: "names": {%q: %q}`, s.inConfig, pin, suggestion)
}

func (s *scope) addHint(name, what string, hint rename, pos diag.Pos) {
	if len(s.names[name]) == 0 {
		s.order = append(s.order, name)
	}
	s.names[name] = append(s.names[name], declared{what: what, pos: pos, hint: hint})
}

// method claims a name for a method. It returns "" if the name is taken.
func (s *scope) method(name string) string {
	if name == "" || len(s.names[name]) > 0 {
		return ""
	}
	s.addHint(name, "a method", nil, diag.Pos{})
	return name
}

// taken returns the claimed identifiers.
func (s *scope) taken() map[string]bool {
	out := make(map[string]bool, len(s.names))
	for name := range s.names {
		out[name] = true
	}
	return out
}

// clashes reports the names that several things have.
func (s *scope) clashes() (found []diag.Diagnostic) {
	for _, name := range s.order {
		list := slices.Clone(s.names[name])
		// Names of the package itself stay, then locked names, then those of definitions; others give way.
		slices.SortStableFunc(list, func(a, b declared) int { return cmp.Compare(a.rank(), b.rank()) })
		next := 2
		for _, d := range list[1:] {
			first := list[0]
			where := ""
			if !first.pos.IsZero() {
				where = " at " + first.pos.String()
			}
			pos, hint := d.pos, "rename one of them in the schema"
			how := d.hint
			if how == nil {
				how = first.hint
			}
			if how != nil {
				for len(s.names[name+strconv.Itoa(next)]) > 0 {
					next++
				}
				hint = how(name + strconv.Itoa(next))
				next++
			}
			if at := cmp.Or(d.stated, first.stated); !at.IsZero() {
				pos, hint = at, statedHint
			}
			found = append(found, diag.Errorf(pos, collision, hint, "%s and %s%s would both be called %s in Go", d.what, first.what, where, name))
		}
	}
	return found
}

// derive claims a name derived from a definition. Definitions take precedence.
func (b *builder) derive(name, what string, pos diag.Pos) string {
	taken := map[string]bool{}
	for n := name; len(b.scope.names[n]) > 0; n = free(name, b.out.prefix, taken) {
		taken[n] = true
	}
	name = free(name, b.out.prefix, taken)
	b.scope.add(name, what, "", pos)
	return name
}
