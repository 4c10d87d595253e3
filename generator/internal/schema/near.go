// Names close to others, for "did you mean".

package schema

import (
	"fmt"
	"strings"
)

// maxSearch bounds how many names are held against others in a run. Whoever has more references to
// nothing than that has another problem than spelling.
const maxSearch = 10_000_000

// Near suggests a definition of any file whose name differs from one that there is not by a few letters.
func (s *Set) Near(name string) string {
	for _, doc := range s.Docs {
		if near := s.nearest(name, doc); near != "" {
			return near
		}
	}
	return ""
}

// nearest suggests a definition of a document whose name differs in case or by one or two letters.
func (s *Set) nearest(name string, doc *Document) string {
	if doc.lower == nil {
		doc.lower = make([]string, len(doc.defs))
		for i, def := range doc.defs {
			doc.lower[i] = strings.ToLower(def.Name)
		}
	}
	best, bestDistance := "", min(3, len(name)/3+1)
	name = strings.ToLower(name)
	for i, other := range doc.lower {
		s.searched++
		if abs(len(name)-len(other)) >= bestDistance {
			continue
		}
		s.searched += len(name) / 8
		if s.searched > maxSearch {
			return ""
		}
		if d := Distance(name, other, bestDistance); d < bestDistance {
			best, bestDistance = doc.defs[i].Name, d
		}
	}
	return best
}

// NearestOf returns the word that differs from another by a few letters, or in case, "" for none.
func NearestOf(word string, words []string) string {
	best, bestDistance := "", min(4, len(word)/3+1)
	for _, other := range words {
		if d := Distance(strings.ToLower(word), strings.ToLower(other), bestDistance); d < bestDistance {
			best, bestDistance = other, d
		}
	}
	return best
}

// DidYouMean hints at the word that was probably meant, or at something else if none is near.
func DidYouMean(word string, words []string, otherwise string) string {
	if near := NearestOf(word, words); near != "" && near != word {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

func abs(n int) int { return max(n, -n) }

// Distance is the number of single letters to insert, delete, replace or swap with their neighbour
// to turn a into b, or limit if it takes that many or more.
func Distance(a, b string, limit int) int {
	if abs(len(a)-len(b)) >= limit {
		return limit
	}
	// Only cells less than limit away from the diagonal count: cell k of row i is column i+k-limit.
	width := 2*limit + 1
	var few [3 * 8]int // most limits are small: nothing is allocated
	cells := few[:]
	if 3*width > len(few) {
		cells = make([]int, 3*width)
	}
	t := table{a: a, b: b, before: cells[:width], above: cells[width : 2*width], row: cells[2*width : 3*width]}
	for k := range t.above {
		t.above[k] = min(abs(k-limit), limit)
		if k < limit {
			t.above[k] = limit
		}
	}
	for i := 1; i <= len(a); i++ {
		best := limit
		for k := range t.row {
			t.row[k] = limit
			j := i + k - limit
			if j < 0 || j > len(b) {
				continue
			}
			t.row[k] = min(limit, t.cell(i, j, k))
			best = min(best, t.row[k])
		}
		if best == limit {
			return limit
		}
		t.before, t.above, t.row = t.above, t.row, t.before
	}
	return t.above[len(b)-len(a)+limit]
}

// table is what [Distance] needs of its table: the row that is being filled, and the two above it.
type table struct {
	a, b               string
	before, above, row []int
}

// cell is the distance between the first i letters of a and the first j of b, for cell k of the row.
func (t *table) cell(i, j, k int) int {
	if j == 0 {
		return i
	}
	d := t.above[k]
	if t.a[i-1] != t.b[j-1] {
		d++
	}
	if k+1 < len(t.above) {
		d = min(d, t.above[k+1]+1)
	}
	if k > 0 {
		d = min(d, t.row[k-1]+1)
	}
	if i > 1 && j > 1 && t.a[i-1] == t.b[j-2] && t.a[i-2] == t.b[j-1] {
		d = min(d, t.before[k]+1)
	}
	return d
}
