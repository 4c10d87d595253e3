// Tables: the entities of a protocol as rows indexed by key.

package codec

import (
	"slices"
	"sync"
)

// Table is a list of rows. The first row with a key is found.
type Table[K comparable, R any] struct {
	Key  func(row *R) K
	Rows []R

	once sync.Once
	at   map[K]int
}

// List returns a copy of the rows.
func (t *Table[K, R]) List() []R { return slices.Clone(t.Rows) }

// Find returns the row for a key.
func (t *Table[K, R]) Find(key K) (row R, ok bool) {
	i, ok := t.index()[key]
	if ok {
		row = t.Rows[i]
	}
	return row, ok
}

func (t *Table[K, R]) index() map[K]int {
	t.once.Do(func() {
		t.at = make(map[K]int, len(t.Rows))
		for i := len(t.Rows) - 1; i >= 0; i-- { // the first of several rows counts
			t.at[t.Key(&t.Rows[i])] = i
		}
	})
	return t.at
}

// FindName returns a key equal to text without allocating.
func FindName[R any](t *Table[string, R], text []byte) (string, bool) {
	i, ok := t.index()[string(text)]
	if !ok {
		return "", false
	}
	return t.Key(&t.Rows[i]), true
}
