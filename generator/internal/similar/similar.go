// Package similar finds words that are spelt alike, for "did you mean".
package similar

import (
	"fmt"
	"strings"
)

// Nearest returns the most similar word, or "".
func Nearest(word string, words []string) string {
	best, bestDistance := "", min(4, len(word)/3+1)
	for _, other := range words {
		if d := Distance(strings.ToLower(word), strings.ToLower(other), bestDistance); d < bestDistance {
			best, bestDistance = other, d
		}
	}
	return best
}

// DidYouMean returns a hint with the most similar word, or else the given hint.
func DidYouMean(word string, words []string, otherwise string) string {
	if near := Nearest(word, words); near != "" && near != word {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// Distance returns the edit distance between a and b in letters, counting transpositions as one, or limit if it is at
// least that.
func Distance(a, b string, limit int) int {
	if abs(len(a)-len(b)) >= limit {
		return limit
	}
	// Only cells within limit of the diagonal are computed: cell k of row i is column i+k-limit.
	width := 2*limit + 1
	var few [3 * 8]int // avoids allocation for small limits
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

// table holds the current row and the two before it.
type table struct {
	a, b               string
	before, above, row []int
}

// cell computes the distance between a[:i] and b[:j].
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

func abs(n int) int { return max(n, -n) }
