// Names: file names and anchors of pages. They are stable, since they depend only on the name of what is shown.

package page

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// maxName is the length beyond which file names are truncated.
const maxName = 100

// reserved are the file names that Windows does not allow.
var reserved = []string{"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "index"}

// Slug returns a name as part of an address: letters, digits, - and _ stay, a slash becomes a dot, and anything else
// is written as its number. What would be too long, or cannot be a file, ends in a digest.
func Slug(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			b.WriteRune(r)
		case (r == '/' || r == '.') && i > 0 && !strings.HasSuffix(b.String(), "."):
			b.WriteByte('.')
		default:
			fmt.Fprintf(&b, "~%x", r)
		}
	}
	out := strings.TrimSuffix(b.String(), ".")
	stem, _, _ := strings.Cut(strings.ToLower(out), ".")
	if len(out) > maxName || out == "" || slices.Contains(reserved, stem) || out != b.String() {
		return out[:min(len(out), maxName)] + "~" + digest(name)
	}
	return out
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// Names returns a unique slug for each name, also on case-insensitive file systems. The first of two equal slugs is
// kept.
type Names struct {
	slugs map[string]string
	taken map[string]bool
}

// Of returns the slug of a name.
func (n *Names) Of(name string) string {
	if n.slugs == nil {
		n.slugs, n.taken = map[string]string{}, map[string]bool{}
	}
	if slug, ok := n.slugs[name]; ok {
		return slug
	}
	slug := Slug(name)
	if n.taken[strings.ToLower(slug)] {
		slug += "~" + digest(name)
	}
	n.slugs[name], n.taken[strings.ToLower(slug)] = slug, true
	return slug
}
