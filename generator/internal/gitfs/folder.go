// The folder as an fs.FS: read-only. Files, and the lists of subfolders, are read from git when asked for.

package gitfs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// entry is an entry of the tree, and its own fs.FileInfo and fs.DirEntry.
type entry struct {
	name, id string
	mode     fs.FileMode
	size     int64
}

func (e entry) Name() string               { return e.name }
func (e entry) Size() int64                { return e.size }
func (e entry) Mode() fs.FileMode          { return e.mode }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) IsDir() bool                { return e.mode.IsDir() }
func (e entry) Sys() any                   { return nil }
func (e entry) Type() fs.FileMode          { return e.mode.Type() }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }

// folder is a tree.
type folder struct {
	entries []entry
	below   map[string]*folder // subfolders that were asked for
}

// ReadDir lists the folder itself.
func (t *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	out := make([]fs.DirEntry, len(t.entries))
	for i, e := range t.entries {
		out[i] = e
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Open reads a regular file.
func (t *folder) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	if name == "." {
		return fail(errors.New("the folder itself is listed, not opened"))
	}
	e, err := t.find(name)
	switch {
	case err != nil:
		return fail(err)
	case !e.mode.IsRegular():
		return fail(errors.New("it is no regular file in that revision"))
	case e.size > MaxBytes:
		return fail(fmt.Errorf("it has %d bytes, more than the limit of %d", e.size, MaxBytes))
	}
	data, err := git("cat-file", "blob", e.id)
	if err != nil {
		return fail(err)
	}
	return &file{bytes.NewReader(data), e}, nil
}

// find returns the entry of a path. Links to folders are not followed.
func (t *folder) find(path string) (entry, error) {
	first, rest, deeper := strings.Cut(path, "/")
	i := slices.IndexFunc(t.entries, func(e entry) bool { return e.name == first })
	if i < 0 || deeper && !t.entries[i].IsDir() {
		return entry{}, fs.ErrNotExist
	}
	if !deeper {
		return t.entries[i], nil
	}
	if t.below[first] == nil {
		entries, err := list(t.entries[i].id)
		if err != nil {
			return entry{}, err
		}
		if t.below == nil {
			t.below = map[string]*folder{}
		}
		t.below[first] = &folder{entries: entries}
	}
	return t.below[first].find(rest)
}

type file struct {
	io.Reader
	entry entry
}

func (f *file) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *file) Close() error               { return nil }
