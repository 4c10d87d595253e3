// Package apply replaces several files, all of them or none, also when the program is killed while
// it does: what was decided is in a journal before the first file changes, and the next run goes on
// from there.
package apply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// File is one file as it is and as it shall be.
type File struct {
	Path string
	Old  []byte // nil where there is none
	New  []byte // nil to remove it
	// Guarded says that somebody else may be working on the file: it has to be as Old says right
	// up to the end, and keeps its permissions.
	Guarded bool
}

// Names of the files that only exist while others are replaced. The go command does not look at
// names with a dot in front.
const (
	prefix      = ".ahpgen-"
	JournalName = prefix + "journal"
)

// journal lists what is left to do. Paths are relative to the folder it is in.
type journal struct {
	Rename []string `json:"rename"` // staged beside it under the prefix
	Remove []string `json:"remove"`
}

// ErrChanged says that a guarded file is not what it was when the change was planned.
var ErrChanged = errors.New("has changed meanwhile: run ahpgen again")

// Write makes every file as it shall be. The journal is kept in dir. On an error, everything is as
// it was before.
func Write(dir string, files []File) error {
	if len(files) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	j := journal{Rename: []string{}, Remove: []string{}}
	for _, f := range files {
		rel, err := filepath.Rel(dir, f.Path)
		if err != nil {
			return err
		}
		if f.New == nil {
			j.Remove = append(j.Remove, filepath.ToSlash(rel))
			continue
		}
		j.Rename = append(j.Rename, filepath.ToSlash(rel))
	}
	if err := stage(files); err != nil {
		discard(files)
		return err
	}
	text, err := json.MarshalIndent(j, "", "  ")
	if err != nil {
		discard(files)
		return err
	}
	// From here on the change is decided: it is finished now or by the next run.
	if err := writeSynced(filepath.Join(dir, JournalName), text, 0o666); err != nil {
		discard(files)
		return errors.Join(err, removeIfThere(filepath.Join(dir, JournalName)))
	}
	for i, f := range files {
		if err := take(f); err != nil {
			restore(files[:i])
			discard(files)
			return errors.Join(err, removeIfThere(filepath.Join(dir, JournalName)))
		}
	}
	return removeIfThere(filepath.Join(dir, JournalName))
}

// staged is where the new content of a file waits.
func staged(path string) string {
	return filepath.Join(filepath.Dir(path), prefix+filepath.Base(path))
}

// stage puts all new content on disk, and looks at guarded files for the last time.
func stage(files []File) error {
	for _, f := range files {
		mode, existing := fs.FileMode(0o666), false
		if f.Guarded {
			now, err := os.ReadFile(f.Path)
			if err != nil && (f.Old != nil || !errors.Is(err, fs.ErrNotExist)) {
				return err
			}
			if (err == nil) != (f.Old != nil) || !bytes.Equal(now, f.Old) {
				return fmt.Errorf("%s %w", filepath.ToSlash(f.Path), ErrChanged)
			}
			if info, err := os.Stat(f.Path); err == nil {
				mode, existing = info.Mode().Perm(), true
			}
		}
		if f.New == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
			return err
		}
		if err := writeSynced(staged(f.Path), f.New, mode); err != nil {
			return err
		}
		if existing {
			if err := os.Chmod(staged(f.Path), mode); err != nil { // the umask does not count here
				return err
			}
		}
	}
	return nil
}

// writeSynced writes a file and waits until it is on the disk. A link that stands there is replaced,
// not followed.
func writeSynced(path string, content []byte, mode fs.FileMode) error {
	if err := removeIfThere(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// take gives one file its new content.
func take(f File) error {
	if f.New == nil {
		return removeIfThere(f.Path)
	}
	return os.Rename(staged(f.Path), f.Path)
}

// discard removes what has not taken its place.
func discard(files []File) {
	for _, f := range files {
		_ = removeIfThere(staged(f.Path)) // the error that led here is the one to report
	}
}

// restore puts back what was there before.
func restore(done []File) {
	for _, f := range slices.Backward(done) {
		if f.Old == nil {
			_ = removeIfThere(f.Path) // the error that led here is the one to report
			continue
		}
		_ = os.WriteFile(f.Path, f.Old, 0o666)
	}
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Recover finishes a change that was decided and then cut short, and reports whether there was one.
// It only ever moves files that wait beside their place, in one of the folders given: a journal that
// somebody else left cannot reach further.
func Recover(dir string, folders ...string) (bool, error) {
	path := filepath.Join(dir, JournalName)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false, nil // what else is wrong with the folder is found when it is read
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	var j journal
	if err := json.Unmarshal(text, &j); err != nil {
		// It was cut short itself, so nothing has changed yet.
		return false, removeIfThere(path)
	}
	for _, rel := range slices.Concat(j.Rename, j.Remove) {
		if !inside(filepath.Join(dir, filepath.FromSlash(rel)), append(folders, dir)) {
			return false, fmt.Errorf("%s names %s, which is none of ahpgen's business: look at it, and remove it", filepath.ToSlash(path), rel)
		}
	}
	for _, rel := range j.Rename {
		target := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.Rename(staged(target), target); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	for _, rel := range j.Remove {
		if err := removeIfThere(filepath.Join(dir, filepath.FromSlash(rel))); err != nil {
			return false, err
		}
	}
	return true, removeIfThere(path)
}

// inside reports whether a file is directly in one of the folders.
func inside(path string, folders []string) bool {
	at, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(folders, func(folder string) bool {
		abs, err := filepath.Abs(folder)
		return err == nil && abs == at
	})
}
