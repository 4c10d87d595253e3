// Marks: definitions that identify a version when schemas do not state it.

package profile

import (
	"encoding/json"
	"slices"
)

// Marks are version marks, newest first.
type Marks []Marking

// ReadMarks reads only the version marks of a profile, which is fast.
func ReadMarks(data []byte) (Marks, error) {
	var p struct{ Versions struct{ Recognise Marks } }
	err := json.Unmarshal(data, &p)
	return p.Versions.Recognise, err
}

// On reports whether the schemas have the marks of any version.
func (m Marks) On(has func(definition string) bool) bool { return m.find(has) != nil }

// find returns the newest version whose marks are present, or nil.
func (m Marks) find(has func(definition string) bool) *Marking {
	i := slices.IndexFunc(m, func(v Marking) bool {
		return !slices.ContainsFunc(v.Definitions, func(name string) bool { return !has(name) })
	})
	if i < 0 {
		return nil
	}
	return &m[i]
}
