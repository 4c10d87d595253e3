// Kept: which files on disk could be restored from git.

package gitfs

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the name that git gives to contents
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// ErrNoRepository reports a folder outside any repository, or a missing git command.
var ErrNoRepository = errors.New("not in a git repository")

// Unkept returns the files of a folder that could not be restored from git: they are untracked, or their content
// differs from the index. It is read-only, and compares contents itself, since git would run the filters that a
// repository configures.
func Unkept(dir string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, ErrNoRepository
	}
	if inside, err := command(dir, "rev-parse", "--is-inside-work-tree").Output(); err != nil || strings.TrimSpace(string(inside)) != "true" {
		return nil, ErrNoRepository
	}
	known, err := command(dir, append([]string{"ls-files", "-z", "--stage", "--"}, names...)...).Output() // relative to the folder
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	ids := map[string]string{} // of contents by name
	for line := range strings.SplitSeq(string(known), "\x00") {
		entry, name, _ := strings.Cut(line, "\t")
		if words := strings.Fields(entry); len(words) == 3 && words[2] == "0" && strings.HasPrefix(words[0], "100") {
			ids[filepath.FromSlash(name)] = words[1]
		}
	}
	out := each.Where(names, func(name string) bool { return !holds(filepath.Join(dir, name), ids[filepath.FromSlash(name)]) })
	return out, nil
}

// holds reports whether a file has the content that git knows by an id, perhaps with other line breaks.
func holds(name, id string) bool {
	data, err := os.ReadFile(name)
	return err == nil && (id == objectID(data, len(id)) || id == objectID(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), len(id)))
}

// objectID returns the id of a content, with as many digits as other ids of the repository.
func objectID(data []byte, digits int) string {
	h := sha1.New() //nolint:gosec // see the import
	if digits == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
