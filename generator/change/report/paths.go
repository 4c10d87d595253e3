// Paths: where the files of a report are, seen from where it is read.

package report

import (
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Paths are the folders that files are seen from, absolute; "" if there is none.
type Paths struct {
	Dir  string // where the program was called
	Root string // root of the repository, to which a forge attaches what it is told
}

// shown is a position as a terminal in the folder links it.
func (p Paths) shown(pos diag.Pos) diag.Pos {
	if filepath.IsAbs(pos.File) && p.Dir != "" {
		if rel, ok := below(p.Dir, pos.File); ok {
			pos.File = rel
		} else if _, ok := below(p.Root, pos.File); ok && p.Root != "" {
			if rel, err := filepath.Rel(p.Dir, pos.File); err == nil {
				pos.File = filepath.ToSlash(rel)
			}
		}
	}
	return pos
}

// attached is a position relative to the root of the repository. What is not in it, such as an embedded
// file or one at a revision, has none.
func (p Paths) attached(pos diag.Pos) (diag.Pos, bool) {
	if pos.IsZero() || remote(pos) {
		return pos, false
	}
	file := filepath.FromSlash(pos.File)
	if p.Root == "" {
		return pos, filepath.IsLocal(file)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.Dir, file)
	}
	rel, ok := below(p.Root, file)
	pos.File = rel
	return pos, ok
}

// remote reports whether a position is in no file of this machine.
func remote(pos diag.Pos) bool {
	return strings.HasPrefix(pos.File, "git:") || strings.HasPrefix(pos.File, "embedded:")
}

// fromRoot is a position for a reader of the repository: relative to its root if it is in it.
func (p Paths) fromRoot(pos diag.Pos) diag.Pos {
	if at, ok := p.attached(pos); ok {
		return at
	}
	return p.shown(pos)
}

// below is a path relative to a folder that it is in.
func below(dir, file string) (string, bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
