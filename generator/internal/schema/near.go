// Similar names, for "did you mean".

package schema

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
)

// maxSearch bounds the number of comparisons in a run.
const maxSearch = 10_000_000

// DidYouMean returns a hint with a similarly named definition in any file and what to do if it is not meant, "" for nothing. If there
// is no such definition, it returns the other hint.
func (s *Set) DidYouMean(name, remedy, otherwise string) string {
	for _, doc := range s.Docs {
		near := s.nearest(name, doc)
		switch {
		case near == "":
		case remedy == "":
			return fmt.Sprintf("did you mean %q?", near)
		default:
			return fmt.Sprintf("did you mean %q? Otherwise %s", near, remedy)
		}
	}
	return otherwise
}

// nearest returns a similarly named definition in a document.
func (s *Set) nearest(name string, doc *Document) string {
	if doc.lower == nil {
		doc.lower = each.Map(doc.defs, func(def *Definition) string { return strings.ToLower(def.Name) })
	}
	best, bestDistance := "", min(3, len(name)/3+1)
	name = strings.ToLower(name)
	for i, other := range doc.lower {
		s.searched++
		if d := len(name) - len(other); max(d, -d) >= bestDistance {
			continue
		}
		s.searched += len(name) / 8
		if s.searched > maxSearch {
			return ""
		}
		if d := similar.Distance(name, other, bestDistance); d < bestDistance {
			best, bestDistance = doc.defs[i].Name, d
		}
	}
	return best
}
