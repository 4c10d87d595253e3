// Lock: one run at a time in a folder. The lock is the operating system's, so that it is gone with the
// process that holds it; its file is kept with the user's caches, where nobody commits it.

package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// LockError says that another process is at work.
type LockError struct {
	Folder string
	Holder string // the process, as far as it is known
}

func (e *LockError) Error() string {
	return fmt.Sprintf("%s is at work in %s: wait for it, or end it, and run ahpgen again", e.Holder, filepath.ToSlash(e.Folder))
}

// Lock waits until no other process has any of the folders locked, and locks them. What it waits for
// is told to waiting once. The folders need not be there.
func Lock(folders []string, wait time.Duration, waiting func(*LockError)) (release func(), err error) {
	dir, err := lockFolder()
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	type lock struct{ folder, file string }
	var locks []lock
	for _, folder := range folders {
		at, err := resolved(folder)
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		name := strings.TrimPrefix(digest([]byte(at)), "sha256:")
		locks = append(locks, lock{folder, filepath.Join(dir, name[:32]+".lock")})
	}
	// In one order, so that two runs never wait for each other.
	slices.SortFunc(locks, func(a, b lock) int { return strings.Compare(a.file, b.file) })
	locks = slices.CompactFunc(locks, func(a, b lock) bool { return a.file == b.file })
	var held []*flock.Flock
	release = func() {
		for _, l := range slices.Backward(held) {
			unlock(l)
		}
	}
	end, told := time.Now().Add(wait), false
	for _, l := range locks {
		for {
			got, err := tryLock(l.file)
			if err != nil {
				release()
				return nil, fmt.Errorf("lock: %w", err)
			}
			if got != nil {
				held = append(held, got)
				break
			}
			busy := &LockError{l.folder, holder(l.file)}
			if time.Now().After(end) {
				release()
				return nil, busy
			}
			if !told && waiting != nil {
				waiting(busy)
			}
			told = true
			time.Sleep(25 * time.Millisecond)
		}
	}
	return release, nil
}

// tryLock returns nil if another process has the lock.
func tryLock(file string) (*flock.Flock, error) {
	for {
		l := flock.New(file)
		ok, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, l.Close()
		}
		// Whoever had it may have removed the file after this process opened it: then nobody else sees
		// this lock.
		mine, err := l.Stat()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if now, err := os.Stat(file); err == nil && os.SameFile(mine, now) {
			note := fmt.Sprintf("process %d (%s, since %s)", os.Getpid(), command(), time.Now().Format(time.TimeOnly))
			_ = os.WriteFile(file+".holder", []byte(note), 0o600) // it is only for messages
			return l, nil
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
}

func unlock(l *flock.Flock) {
	// If a file that is open cannot be removed, it stays, which is no harm.
	_ = os.Remove(l.Path() + ".holder")
	_ = os.Remove(l.Path())
	_ = l.Close()
}

// command is what this process was started as, without what may be private in it.
func command() string {
	words := []string{filepath.Base(os.Args[0])}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		words = append(words, os.Args[1])
	}
	return strings.Join(words, " ")
}

func holder(file string) string {
	note, err := os.ReadFile(file + ".holder")
	if err != nil || len(note) == 0 {
		return "another process"
	}
	return string(note)
}

// lockFolder is where the files of locks are: with the user's caches, or if there are none with
// temporary files, in a folder that nobody else writes to.
func lockFolder() (string, error) {
	if caches, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(caches, "ahpgen", "locks")
		if os.MkdirAll(dir, 0o700) == nil && writable(dir) {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("ahpgen-locks-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || info.Mode().Perm()&0o022 != 0 && os.Getuid() >= 0 {
		return "", fmt.Errorf("%s is not a folder of this user's alone: remove it", dir)
	}
	return dir, nil
}

// writable reports whether files can be made in a folder.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return false
	}
	_ = f.Close()
	return os.Remove(f.Name()) == nil
}

// resolved is the one name of a folder, whatever links lead to it. Parts of it need not be there.
func resolved(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	rest := ""
	for at := abs; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest), nil
		}
		if at == filepath.Dir(at) {
			return abs, nil
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
