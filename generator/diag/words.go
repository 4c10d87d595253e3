// Words of messages that several packages need.

package diag

import (
	"errors"
	"io/fs"
	"strings"
)

// Enumerate lists words as people do, the last behind a word such as "and".
func Enumerate(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Reason strips the path from an error of reading or writing: the position says it already.
func Reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
