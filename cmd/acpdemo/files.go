// The files an agent may access: those below one folder.

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// maxFile is the maximum size of a file sent to an agent.
const maxFile = 8 << 20

// files is a folder that paths and symbolic links cannot leave.
type files struct {
	*os.Root
	path   string // absolute, with links resolved
	screen *screen
}

func openFiles(path string, s *screen) (*files, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	s.folder = path
	return &files{root, path, s}, nil
}

// name returns a path relative to the root.
func (f *files) name(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", refused(path, "want an absolute path")
	}
	name, err := filepath.Rel(f.path, path)
	if err != nil || !filepath.IsLocal(name) {
		return "", refused(path, "is outside the folder of the session")
	}
	return name, nil
}

// refused returns an invalid params error.
func refused(path, reason string) error {
	return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "params: path: " + inside.VisibleName(path) + " " + reason}
}

func (f *files) read(_ context.Context, p *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	text, err := f.text(p.Path)
	if err != nil {
		f.screen.say("client", "does not read %s: %v", f.screen.short(p.Path), err)
		return nil, err
	}
	part := lines(text, p.Line, p.Limit)
	f.screen.say("client", "reads %s: %d bytes", f.screen.short(p.Path), len(part))
	return &acp.ReadTextFileResponse{Content: part}, nil
}

func (f *files) text(path string) (string, error) {
	name, err := f.name(path)
	if err != nil {
		return "", err
	}
	info, err := f.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		// Agents recognise the usual message when they check whether a file exists.
		return "", acp.ErrorCodeResourceNotFound
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", refused(path, "is no file of at most 8 MB")
	}
	data, err := f.ReadFile(name)
	if err == nil && !utf8.Valid(data) {
		err = refused(path, "is not text")
	}
	return string(data), err
}

// lines returns up to limit lines of a text, starting at a line counted from 1.
func lines(text string, from, limit *uint32) string {
	if from == nil && limit == nil {
		return text
	}
	all := strings.SplitAfter(text, "\n")
	if from != nil && *from > 1 {
		all = all[min(int64(*from)-1, int64(len(all))):]
	}
	if limit != nil {
		all = all[:min(int64(*limit), int64(len(all)))]
	}
	return strings.Join(all, "")
}

func (f *files) write(_ context.Context, p *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error) {
	name, err := f.name(p.Path)
	if err == nil {
		if err = f.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = f.WriteFile(name, []byte(p.Content), 0o644)
		}
	}
	if err != nil {
		f.screen.say("client", "does not write %s: %v", f.screen.short(p.Path), err)
		return nil, err
	}
	f.screen.say("client", "writes %s: %d bytes", f.screen.short(p.Path), len(p.Content))
	return &acp.WriteTextFileResponse{}, nil
}
