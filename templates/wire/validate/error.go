// Errors: what violates constraints, and where.

package validate

import (
	"fmt"
	"strings"
)

// Error lists the violations of a value, in the order of its members.
type Error struct {
	Violations []Violation
	// Unreported is the number of further violations.
	Unreported int
}

// maxViolations is the number of violations that an error lists, and maxShown the number in its text.
const (
	maxViolations = 100
	maxShown      = 10
)

// Violation is a constraint that a value violates.
type Violation struct {
	Path string // such as items[3].name, or "" for the whole value
	Rule string // the keyword and its value, such as "minLength 1"
	Got  string // the value or its length, shortened
}

// String returns the path, the rule and the value.
func (v Violation) String() string {
	text := v.Rule
	if v.Got != "" {
		text += ", got " + v.Got
	}
	if v.Path == "" {
		return text
	}
	return v.Path + ": " + text
}

// Error returns the first violations and the number of the others.
func (e *Error) Error() string {
	var texts []string
	for _, v := range e.Violations[:min(maxShown, len(e.Violations))] {
		texts = append(texts, v.String())
	}
	if more := len(e.Violations) - len(texts) + e.Unreported; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}
