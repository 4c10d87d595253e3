// The folder as an fs.FS: flat and read-only. Files are read from git when opened.

package gitfs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
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

// folder is a single tree without subfolders.
type folder struct{ entries []entry }

// ReadDir lists the folder without subfolders.
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
	i := slices.IndexFunc(t.entries, func(e entry) bool { return e.name == name })
	if i < 0 {
		return fail(fs.ErrNotExist)
	}
	e := t.entries[i]
	switch {
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

type file struct {
	io.Reader
	entry entry
}

func (f *file) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *file) Close() error               { return nil }
