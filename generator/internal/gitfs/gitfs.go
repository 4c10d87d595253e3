// Package gitfs reads a folder at a git revision through the git command, without a checkout.
package gitfs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
)

// Prefix begins a name that refers to a folder at a revision: git:REV:PATH.
const Prefix = "git:"

// MaxBytes is the maximum size of a file.
const MaxBytes = 64 * 1024 * 1024

// SpecError reports a name that is not git:REV:PATH.
type SpecError struct{ message string }

func (e *SpecError) Error() string { return e.message }

// Is reports whether a name refers to git.
func Is(name string) bool { return strings.HasPrefix(name, Prefix) }

// Open opens a folder at a revision, or that of a file, which it returns too. The path is relative to the root of the current
// repository, or to the working directory if it starts with "./" or "../". The display name of the folder is used in positions.
func Open(name string) (files fs.FS, display, file string, err error) {
	rev, dir, err := parse(name)
	if err != nil {
		return nil, "", "", err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, "", "", fmt.Errorf("%s needs the git command, which is not on the path", name)
	}
	if _, err := git("rev-parse", "--git-dir"); err != nil {
		return nil, "", "", fmt.Errorf("%s: the working directory is in no git repository: %w", name, err)
	}
	commit, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return nil, "", "", fmt.Errorf("%s: there is no revision %q here; fetch it if it is elsewhere", name, rev)
	}
	at := strings.TrimSpace(string(commit)) + ":"
	id, kind, err := object(at + dir)
	if err != nil {
		return nil, "", "", fmt.Errorf("%s: revision %s has no folder or file %q; the path counts from the root of the repository unless it starts with ./", name, rev, dir)
	}
	display = name
	if kind == "blob" {
		display = strings.TrimSuffix(strings.TrimSuffix(name, path.Base(dir)), "/")
		dir, file = path.Split(dir)
		id, kind, err = object(at + dir)
	}
	if err == nil && kind != "tree" {
		err = &SpecError{fmt.Sprintf("%s: %q is a %s, not a folder", name, dir, kind)}
	}
	t := &folder{}
	if err == nil {
		t.entries, err = list(id)
	}
	if err != nil {
		return nil, "", "", fmt.Errorf("%s: %w", name, err)
	}
	return t, display, file, nil
}

// object returns the id and the kind of what git knows by a name.
func object(name string) (id, kind string, err error) {
	out, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", name)
	if err != nil {
		return "", "", err
	}
	id = strings.TrimSpace(string(out))
	out, err = git("cat-file", "-t", id)
	return id, strings.TrimSpace(string(out)), err
}

// parse splits git:REV:PATH and rejects anything git could take for an option.
func parse(name string) (rev, dir string, err error) {
	rev, dir, ok := strings.Cut(strings.TrimPrefix(name, Prefix), ":")
	switch {
	case !ok || rev == "" || dir == "":
		return "", "", &SpecError{fmt.Sprintf("%q: a folder in git is named git:REV:PATH, such as git:HEAD~1:schema", name)}
	case strings.HasPrefix(rev, "-") || strings.HasPrefix(dir, "-"):
		return "", "", &SpecError{fmt.Sprintf("%q: neither revision nor path may start with a hyphen; write such a path as ./-name", name)}
	case strings.ContainsAny(rev+dir, "\x00\n\r"):
		return "", "", &SpecError{fmt.Sprintf("%q: neither revision nor path may hold line breaks", name)}
	}
	if dir = strings.TrimSuffix(dir, "/"); dir == "." || dir == ".." {
		dir += "/" // git requires a path
	}
	return rev, dir, nil
}

// git runs a read-only command in the working directory.
func git(args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := command("", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, fmt.Errorf("git %s: %s", args[0], strings.SplitN(text, "\n", 2)[0])
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// command returns a git command that runs no program that the repository's configuration names: neither hooks nor a
// monitor of the file system, nor what fetches missing objects, asks for credentials or signs. Attributes are not
// read either, so no filter applies; see [Unkept] for contents.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{
		"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.attributesFile=" + os.DevNull,
		"-c", "credential.helper=", "-c", "protocol.allow=never", "-c", "core.sshCommand=false", "-c", "core.askPass=", "-c", "log.showSignature=false",
	}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=none")
	return cmd
}

// list reads the entries of a tree.
func list(id string) ([]entry, error) {
	out, err := git("ls-tree", "--full-tree", "-z", "-l", id)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		meta, name, ok := strings.Cut(line, "\t")
		if !ok {
			continue // an empty tree
		}
		words := strings.Fields(meta)
		if len(words) != 4 {
			return nil, errors.New("git ls-tree: unexpected output")
		}
		e := entry{name: name, id: words[2], mode: modes[words[0]]}
		if e.size, err = strconv.ParseInt(words[3], 10, 64); err != nil {
			e.size = 0 // folders have no size
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// modes maps git's modes to file modes. Others are not regular files.
var modes = map[string]fs.FileMode{
	"100644": 0o444, "100755": 0o555, "040000": fs.ModeDir | 0o555, "120000": fs.ModeSymlink | 0o777, "160000": fs.ModeIrregular,
}
