// Sides: who sends a message, by unions that are named after a side, and by descriptions.

package discover

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// setSides finds the two sides and who sends what. Where nothing says so, requests go from the side that opens the
// connection, and notifications go the other way.
func (f *found) setSides() {
	if !f.unions() {
		f.descriptions()
	}
	for _, m := range f.messages {
		switch {
		case m.from != "":
		case m.kind == request || f.envelope == nil:
			m.from = f.sides[0]
		default:
			m.from = f.sides[1]
		}
	}
}

// listing is a union of messages that is named after the side that sends them.
type listing struct {
	def  *schema.Definition
	side string
	of   []*message
}

// unions goes by unions of messages, such as ClientRequest and ServerNotification.
func (f *found) unions() bool {
	sides := map[string]int{}
	byDef, byAlone := map[*schema.Definition]*message{}, map[*schema.Schema]*message{}
	for _, m := range f.messages {
		if m.def != nil {
			byDef[m.def] = m
		} else {
			byAlone[m.alone] = m
		}
	}
	for _, def := range f.set.Definitions() {
		of := f.listed(def, byDef, byAlone, 0)
		side := strings.ToLower(stemOf(def.Name))
		if len(of) == 0 || !sideForm.MatchString(side) {
			continue
		}
		f.lists = append(f.lists, listing{def, side, of})
		for _, m := range of {
			if m.kind == request {
				sides[side]++
			}
		}
		sides[side] += 0
	}
	if len(sides) != 2 {
		f.lists = nil
		return false
	}
	for _, l := range f.lists {
		for _, m := range l.of {
			if m.from == "" || m.from == l.side {
				m.from = l.side
			} else {
				m.from = both
			}
		}
	}
	names := byCount(sides)
	if names[1] == "client" { // what opens connections, in every protocol that has the word
		slices.Reverse(names)
	}
	f.sides, f.told, f.phrase = [2]string(names), true, "the names of unions of messages"
	return true
}

// both is who sends what either side may send.
const both = "both"

var sideForm = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// listed returns the messages of a union that lists nothing else. Unions may be nested a few times.
func (f *found) listed(def *schema.Definition, byDef map[*schema.Definition]*message, byAlone map[*schema.Schema]*message, depth int) (out []*message) {
	const deepest = 3
	if def.Schema == nil || depth > deepest {
		return nil
	}
	for _, choice := range def.Schema.Choices() {
		ref, ok := choice.Reference()
		switch {
		case !ok && byAlone[choice] != nil:
			out = append(out, byAlone[choice])
		case ok && byDef[ref.Target] != nil:
			out = append(out, byDef[ref.Target])
		case ok && ref.Target != nil:
			inner := f.listed(ref.Target, byDef, byAlone, depth+1)
			if len(inner) == 0 {
				return nil
			}
			out = append(out, inner...)
		default:
			return nil
		}
	}
	return out
}

// way is a phrase that says from where to where a message goes.
var way = regexp.MustCompile(`\bfrom (?:the|a|an) ([a-z][a-z ]{1,30}?) to (?:the|a|an) ([a-z][a-z ]{1,30}?)\b(?:[^a-z ]| (?:to|in|that|which|when|with|as|and|for|if|after|before|on)\b|$)`)

// descriptions goes by what descriptions of messages say, as in "sent from the client to the server".
func (f *found) descriptions() {
	ways := map[*message][2]string{}
	sides := map[string]int{}
	for _, m := range f.messages {
		text := m.schema().OwnDescription()
		if words := way.FindStringSubmatch(text); words != nil {
			from, to := side(words[1]), side(words[2])
			ways[m] = [2]string{from, to}
			sides[from]++
			sides[to]++
		}
	}
	names := slices.Sorted(maps.Keys(sides))
	if len(names) != 2 {
		return
	}
	said := map[string]int{}
	for m, w := range ways {
		if m.kind == request {
			said[w[0]]++
		}
	}
	if names[1] == "client" || names[0] != "client" && said[names[1]] > said[names[0]] {
		slices.Reverse(names)
	}
	f.sides, f.told, f.phrase = [2]string(names), true, "descriptions of messages"
	for m, w := range ways {
		m.from = w[0]
	}
}

// side returns the word that a side is called by, of several the last.
func side(words string) string {
	list := strings.Fields(words)
	return list[len(list)-1]
}

// byCount returns names by how often they occur.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}
