// Marks: what tells the versions of a protocol apart in schemas that do not say which they are of.

package profile

import (
	"encoding/json"
	"slices"
)

// Marks are definitions by which versions are recognised, newest first.
type Marks []Marking

// ReadMarks reads the marks that a profile states and nothing else of it, which takes little time.
func ReadMarks(data []byte) (Marks, error) {
	var p struct{ Versions struct{ Recognise Marks } }
	err := json.Unmarshal(data, &p)
	return p.Versions.Recognise, err
}

// On reports whether schemas bear the marks of any version.
func (m Marks) On(has func(definition string) bool) bool { return m.find(has) != nil }

// find returns the newest version whose marks the schemas bear, nil if they bear none.
func (m Marks) find(has func(definition string) bool) *Marking {
	i := slices.IndexFunc(m, func(v Marking) bool {
		return !slices.ContainsFunc(v.Definitions, func(name string) bool { return !has(name) })
	})
	if i < 0 {
		return nil
	}
	return &m[i]
}
