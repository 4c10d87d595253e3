// Wording shared by messages of several packages.

package diag

import (
	"errors"
	"io/fs"
	"strings"
)

// Enumerate joins words with commas, the last with a word such as "and".
func Enumerate(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Reason returns the message of an I/O error without its path, which the position contains.
func Reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
