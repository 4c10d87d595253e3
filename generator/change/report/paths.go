// Paths: file names relative to the reader's location.

package report

import (
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Paths holds the folders that file names are relative to. They are absolute, or "".
type Paths struct {
	Dir  string // working directory
	Root string // root of the repository
}

// shown returns a position relative to the working directory.
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

// attached returns a position relative to the repository, or the zero position if it is outside.
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

// remote reports whether a position is not in a local file.
func remote(pos diag.Pos) bool {
	return strings.HasPrefix(pos.File, "git:") || strings.HasPrefix(pos.File, "embedded:")
}

// fromRoot returns a position relative to the repository root if it is inside.
func (p Paths) fromRoot(pos diag.Pos) diag.Pos {
	if at, ok := p.attached(pos); ok {
		return at
	}
	return p.shown(pos)
}

// below returns a path relative to a parent folder.
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
