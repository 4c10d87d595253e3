// Lock: one process at a time writes to a folder. The lock is the operating system's, on a hidden file in the folder
// itself, so that a process with another home or in another container sees it, and it ends with the process.

package apply

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
)

// lockName is the name of the file that is locked. It is removed when the lock is released.
const lockName = prefix + "lock"

// LockError is returned if another process holds the lock of a folder.
type LockError struct {
	Folder string
	Holder string // the process, as far as it is known
}

func (e *LockError) Error() string {
	return fmt.Sprintf("%s is at work in %s: wait for it, or end it, and run ahpgen again", e.Holder, filepath.ToSlash(e.Folder))
}

// Lock locks folders. It waits for other processes that hold one of the locks, calls waiting once with the first of them,
// and fails with a LockError when the time is over. Folders that are not there are made, and removed again by release if
// they are still empty: another process that waits may have its lock there by then.
func Lock(folders []string, wait time.Duration, waiting func(*LockError)) (release func(), err error) {
	var made []string
	var held []*flock.Flock
	free := func() {
		for _, l := range slices.Backward(held) {
			unlock(l)
		}
		removeEmpty(made)
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	files := map[string]string{} // the file to lock → the folder as it was named
	for _, folder := range folders {
		real, err := makeReal(folder, &made)
		if err != nil {
			return nil, err
		}
		files[filepath.Join(real, lockName)] = folder
	}
	end, told := time.Now().Add(wait), false
	for _, file := range slices.Sorted(maps.Keys(files)) { // in one order, so that two processes never wait for each other
		for {
			l, err := tryLock(file)
			if errors.Is(err, fs.ErrNotExist) { // the process that made the folder has removed it since
				if err = makeAll(filepath.Dir(file), &made); err == nil {
					continue
				}
			}
			if err != nil {
				return nil, fmt.Errorf("lock: %w", err)
			}
			if l != nil {
				held = append(held, l)
				break
			}
			busy := &LockError{files[file], holder(file)}
			if time.Now().After(end) {
				return nil, busy
			}
			if !told && waiting != nil {
				waiting(busy)
			}
			told = true
			time.Sleep(25 * time.Millisecond)
		}
	}
	return free, nil
}

// makeReal makes a folder and returns its path without links. The process that made the folder may remove it meanwhile.
func makeReal(folder string, made *[]string) (string, error) {
	for tries := 100; ; tries-- {
		if err := makeAll(folder, made); err != nil {
			return "", fmt.Errorf("make folder %s: %w", filepath.ToSlash(folder), err)
		}
		real, err := filepath.EvalSymlinks(disk.Absolute(folder))
		if err == nil {
			return real, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || tries == 0 {
			return "", fmt.Errorf("lock: %w", err)
		}
	}
}

// notePrefix begins the content of a file that is locked: which process holds the lock.
const notePrefix = "ahpgen: "

// tryLock locks a file. It returns nil if another process has it locked.
func tryLock(file string) (*flock.Flock, error) {
	for {
		if err := ours(file); err != nil {
			return nil, err
		}
		l := flock.New(file, flock.SetPermissions(0o666))
		ok, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, l.Close()
		}
		// The process that had it may have removed the file after this one opened it: then no other process sees this lock.
		mine, err := l.Stat()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if now, err := os.Lstat(file); err == nil && os.SameFile(mine, now) {
			note := fmt.Sprintf("%sprocess %d (%s, since %s)", notePrefix, os.Getpid(), command(), time.Now().Format(time.TimeOnly))
			_ = os.WriteFile(file, []byte(note), 0o666) // it is only for messages
			return l, nil
		}
		if err := l.Close(); err != nil {
			return nil, err
		}
	}
}

// ours refuses a file that is not one of these locks: a link, or a file with other content.
func ours(file string) error {
	text, _, err := disk.ReadPlain(file)
	foreign := err == nil && len(text) > 0 && !bytes.HasPrefix(text, []byte(notePrefix))
	if foreign || errors.Is(err, disk.ErrIrregular) {
		return fmt.Errorf("%s is not a lock of ahpgen's: remove it", filepath.ToSlash(disk.Display(file)))
	}
	return nil // no system lets every process read a lock that is held
}

func unlock(l *flock.Flock) {
	_ = os.Remove(l.Path())
	_ = l.Close()
	if runtime.GOOS == "windows" { // a file that is open cannot be removed there, one that another process has locked neither
		_ = os.Remove(l.Path())
	}
}

// command returns what this process was started as, without what may be private in it.
func command() string {
	words := []string{filepath.Base(os.Args[0])}
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		words = append(words, os.Args[1])
	}
	return strings.Join(words, " ")
}

// holder names the process that holds a lock.
func holder(file string) string {
	text, _, err := disk.ReadPlain(file)
	if note, ok := bytes.CutPrefix(text, []byte(notePrefix)); ok && err == nil {
		return string(note)
	}
	return "another process"
}
