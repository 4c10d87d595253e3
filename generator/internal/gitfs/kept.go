// Kept: which files on disk could be restored from git.

package gitfs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoRepository reports a folder outside any repository, or a missing git command.
var ErrNoRepository = errors.New("not in a git repository")

// Unkept returns the files of a folder that could not be restored from git: they are untracked, or their content
// differs. It is read-only.
func Unkept(dir string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, ErrNoRepository
	}
	run := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1")
		out, err := cmd.Output()
		return string(out), err
	}
	if inside, err := run("rev-parse", "--is-inside-work-tree"); err != nil || strings.TrimSpace(inside) != "true" {
		return nil, ErrNoRepository
	}
	// Names are relative to the folder in both cases.
	known, err := run(append([]string{"ls-files", "-z", "--cached", "--"}, names...)...)
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	// Compared with the index, which git keeps as well.
	other, err := run(append([]string{"diff", "--no-ext-diff", "--no-textconv", "--relative", "--name-only", "-z", "--"}, names...)...)
	if err != nil {
		return nil, fmt.Errorf("git diff: %w", err)
	}
	kept := map[string]bool{}
	for name := range strings.SplitSeq(known, "\x00") {
		kept[filepath.FromSlash(name)] = true
	}
	for name := range strings.SplitSeq(other, "\x00") {
		delete(kept, filepath.FromSlash(name))
	}
	var out []string
	for _, name := range names {
		if !kept[filepath.FromSlash(name)] {
			out = append(out, name)
		}
	}
	return out, nil
}
