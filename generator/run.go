// Run: the time in which one process alone writes to the folders of a configuration, and which folders these may be.

package generator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/apply"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/source"
)

// Run holds the locks of a configuration's folders.
type Run struct {
	// Notice says that an earlier run was cut short, "" if none was.
	Notice string

	release func()
}

// RunOptions says how Begin takes the locks.
type RunOptions struct {
	Wait    time.Duration     // how long to wait for another process
	Waiting func(text string) // called once before waiting; may be nil
	Bump    *BumpOptions      // set if the schemas are written too
}

// Begin makes this process the only one that writes to the folders of a configuration, until End is called. It removes the
// temporary files of runs that were killed.
func Begin(config Config, o RunOptions) (*Run, error) {
	config = config.withDefaults()
	if o.Bump != nil {
		var err error
		if config, err = o.Bump.allow(config); err != nil {
			return nil, err
		}
	}
	if err := config.checkOwner(); err != nil {
		return nil, err
	}
	if err := config.checkFolders(o.Bump != nil); err != nil {
		return nil, err
	}
	folders := config.locked(o.Bump != nil)
	release, err := apply.Lock(folders, o.Wait, func(busy *apply.LockError) {
		if o.Waiting != nil {
			o.Waiting(fmt.Sprintf("waiting for %s in %s", busy.Holder, filepath.ToSlash(busy.Folder)))
		}
	})
	if err != nil {
		return nil, err
	}
	r := &Run{release: release}
	swept, err := apply.Sweep(slices.Concat(folders, config.runtimeFolders()))
	if err == nil {
		err = checkJournal(config.Out)
	}
	if err != nil {
		r.End()
		return nil, err
	}
	if swept > 0 {
		r.Notice = "an earlier run was cut short: this one writes what it did not"
	}
	return r, nil
}

// End lets other processes go on.
func (r *Run) End() { r.release() }

// journalName is the file in which older builds of ahpgen noted what they were about to replace.
const journalName = ".ahpgen-journal"

// checkJournal refuses to go on where an older build of ahpgen was killed: what it kept beside the files of the package may
// be the user's work, and nothing in a repository says what was meant to become of it.
func checkJournal(out string) error {
	path := filepath.Join(out, journalName)
	if _, err := os.Lstat(path); err != nil {
		return nil //nolint:nilerr // there is no such file
	}
	return &diag.HintError{
		Err:  fmt.Errorf("%s is from an older ahpgen, or was planted: it is not read, and nothing was done", filepath.ToSlash(path)),
		Hint: "remove it and the other files named .ahpgen-* beside it, once nothing in them is missing elsewhere",
	}
}

// locked lists the folders whose locks a run holds.
func (c Config) locked(schemas bool) []string {
	folders := []string{c.Out, c.dir}
	if _, inside := disk.Within(c.home(), c.Runtime); inside && c.Runtime != "" {
		folders = append(folders, c.Runtime)
	}
	if schemas {
		folders = append(folders, c.schemasFolder())
	}
	return slices.DeleteFunc(folders, func(dir string) bool { return dir == "" })
}

// runtimeFolders lists the folders of what does not depend on the protocol, where it is and where it would be if the
// configuration did not say.
func (c Config) runtimeFolders() []string {
	standard := filepath.Join(c.Out, gomod.RuntimeFolder)
	var out []string
	for _, dir := range slices.Compact([]string{cmp.Or(c.Runtime, standard), standard}) {
		for _, sub := range append([]string{""}, emit.Folders()...) {
			out = append(out, filepath.Join(dir, sub))
		}
	}
	return out
}

// schemasFolder returns the folder on disk whose schemas a bump replaces, or "".
func (c Config) schemasFolder() string {
	if c.as != "" {
		return c.as
	}
	if c.Schemas == "" || IsEmbedded(c.Schemas) || source.IsGit(c.Schemas) {
		return ""
	}
	if isFile(c.Schemas) {
		return filepath.Dir(c.Schemas)
	}
	return c.Schemas
}

// isFile reports whether schemas are one file on disk.
func isFile(schemas string) bool {
	info, err := os.Stat(schemas)
	return err == nil && !info.IsDir()
}

// checkFolders refuses to write to a folder that is outside of the module once symbolic links are followed, unless the
// caller named it. A configuration comes with a repository, and so do links.
func (c Config) checkFolders(schemas bool) error {
	if c.Out == "" {
		return nil
	}
	home, followed := c.home(), links{}
	if !c.outNamed() {
		if err := followed.within(home, c.Out, "out"); err != nil {
			return err
		}
	}
	for _, dir := range c.runtimeFolders() {
		if _, inside := disk.Within(home, dir); !inside {
			continue // where a configuration may put the runtime is checked when its import path is known
		}
		if err := followed.within(home, dir, "out"); err != nil {
			return err
		}
	}
	if dir := c.schemasFolder(); schemas && dir != "" && !c.schemasNamed {
		return followed.within(c.around(dir), dir, "replace")
	}
	return nil
}

// outNamed reports whether the caller named the folder of the package, and not the configuration file.
func (c Config) outNamed() bool {
	return c.dir == "" || c.outIn == "" || disk.Absolute(c.Out) != disk.Absolute(c.outIn)
}

// home returns the folder that what is generated has to be in.
func (c Config) home() string {
	if c.outNamed() {
		out, _ := realPath(c.Out)
		return gomod.Root(out)
	}
	home := c.around(c.Out)
	if _, below := disk.Within(home, c.Out); !below {
		return cmp.Or(gomod.Above(c.Out), home) // the configuration names another module, in so many words
	}
	return home
}

// around returns the root of the module that the configuration is in. If there is none, it is the folder that a
// folder which the configuration names has in common with it.
func (c Config) around(dir string) string {
	at := cmp.Or(gomod.Above(c.dir), disk.Absolute(c.dir))
	for gomod.Above(c.dir) == "" {
		if _, below := disk.Within(at, dir); below || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return at
}

// within refuses a folder that is not in another one, once links are followed, and names the flag that allows it.
func (l links) within(home, dir, flag string) error {
	real, ok := l.follow(dir)
	realHome, _ := l.follow(home)
	if _, inside := disk.Within(realHome, real); inside && ok {
		return nil
	}
	why := "which is outside of the module"
	if _, inside := disk.Within(home, dir); inside {
		why = "from where a symbolic link leads out of the module"
	}
	return &diag.HintError{
		Err:  fmt.Errorf("ahpgen does not write to %s, %s", filepath.ToSlash(DisplayPath(dir)), why),
		Hint: "name a folder inside of the module, or allow another one with --" + flag,
	}
}

// links has the paths whose links were followed. Folders of one package share most of theirs.
type links map[string]realFolder

// realFolder is where a path leads. It is not ok if a link in it leads nowhere.
type realFolder struct {
	path string
	ok   bool
}

// realPath follows the links in a path, the end of which need not be there. It is not ok if a link leads nowhere.
func realPath(path string) (real string, ok bool) { return links{}.follow(path) }

func (l links) follow(path string) (real string, ok bool) {
	path = disk.Absolute(path)
	known, ok := l[path]
	if !ok {
		known = l.find(path)
		l[path] = known
	}
	return known.path, known.ok
}

func (l links) find(path string) realFolder {
	parent := filepath.Dir(path)
	if parent == path {
		return realFolder{path, true}
	}
	at, ok := l.follow(parent)
	if !ok {
		return realFolder{path, false}
	}
	at = filepath.Join(at, filepath.Base(path))
	if info, err := os.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return realFolder{at, true}
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return realFolder{path, false}
	}
	return realFolder{real, true}
}

// checkSources reports a file of the user's that was saved after stubs were planned with it: a method in it may be one of
// those that are about to be inserted elsewhere.
func (p *Plan) checkSources() error {
	if p.sources == nil {
		return nil
	}
	now, err := sources(p.Out)
	if err != nil {
		return err
	}
	was := maps.Clone(p.sources)
	for _, f := range p.Files {
		if f.Hand && f.Dir == "" {
			delete(was, f.Name)
			delete(now, f.Name)
		}
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(now))
	slices.Sort(names)
	for _, name := range names {
		before, hadIt := was[name]
		if text, hasIt := now[name]; hadIt != hasIt || !bytes.Equal(before, text) {
			return fmt.Errorf("%s %w", filepath.ToSlash(filepath.Join(p.Out, name)), apply.ErrChanged)
		}
	}
	return nil
}

// sources reads the Go files in a folder that the user owns.
func sources(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !disk.IsMissing(err) {
		return nil, fmt.Errorf("read output folder: %w", err)
	}
	out := map[string][]byte{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		text, err := disk.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // it has just gone
		case err != nil:
			return nil, fmt.Errorf("read output folder: %w", err)
		case !isOurs(text):
			out[name] = text
		}
	}
	return out, nil
}
