// The file: locking, format check, and errors.

package bolt

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/ahpgen/ahpgen/templates/wire/server"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// The errors of a log. Other errors come from the file system.
var (
	// ErrInUse is returned if another process, or this one, has the log open.
	ErrInUse = errors.New("the log is in use")
	// ErrNotALog is returned if the file is something else.
	ErrNotALog = errors.New("not the log of a server")
	// ErrNewer is returned if a later version of this package wrote the log.
	ErrNewer = errors.New("the log has a newer format")
	// ErrDamaged is returned if the file's content is inconsistent.
	ErrDamaged = errors.New("the log is damaged")
	// ErrClosed is returned after Close.
	ErrClosed = shared.ErrClosed
)

// Options configures a log. Zero fields use defaults.
type Options struct {
	// Wait is how long Open waits while the log is in use. The default is one second.
	Wait time.Duration
	// Warn is called with defects of a file that can still be opened.
	Warn func(error)
	// Mode is the permission of a new file. The default is 0600.
	Mode os.FileMode
}

// Log is a log in a file. It implements [server.Log] for one server.
type Log struct {
	db *bbolt.DB

	mu     sync.Mutex
	failed error // the first error
}

var _ server.Log = (*Log)(nil)

// Open opens the log at a path, or makes one if there is no file or an empty one. The folder must
// exist. Until Close, opening it again fails with [ErrInUse].
func Open(path string, o *Options) (*Log, error) {
	return open(path, o, (*Log).loadAll, (*Log).prepare)
}

// open opens a file. It is checked before it is opened for writing: all reads all of it. Then prepare makes it ready for use.
func open(path string, o *Options, all func(*Log) error, prepare func(l *Log, dir string) error) (*Log, error) {
	var options Options
	if o != nil {
		options = *o
	}
	options.Wait = cmp.Or(options.Wait, time.Second)
	options.Mode = cmp.Or(options.Mode, 0o600)
	if options.Warn == nil {
		options.Warn = func(error) {}
	}
	l, err := openChecked(path, options, all, prepare)
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w (put a copy of the log in its place, or move it away to begin anew: clients that come back get new states)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return l, nil
}

func openChecked(path string, o Options, all func(*Log) error, prepare func(l *Log, dir string) error) (*Log, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		reading := o.database()
		reading.ReadOnly = true
		l, err := openFile(path, o.Mode, reading)
		if err != nil {
			return nil, err
		}
		warning, err := l.check(path, all)
		if err := errors.Join(err, l.db.Close()); err != nil {
			return nil, err
		}
		if warning != nil {
			o.Warn(fmt.Errorf("open %s: %w", path, warning))
		}
	}
	l, err := openFile(path, o.Mode, o.database())
	if err != nil {
		return nil, err
	}
	if err := prepare(l, filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, l.db.Close())
	}
	return l, nil
}

// database returns the bbolt options.
func (o Options) database() *bbolt.Options {
	return &bbolt.Options{
		Timeout: o.Wait,
		// With much to trim, the other kind is slow. The file is read as a whole anyway, which finds the free
		// pages, so a list of them would be one page more to write and to be damaged.
		FreelistType: bbolt.FreelistMapType, NoFreelistSync: true,
		NoStatistics: true,
	}
}

func openFile(path string, mode os.FileMode, options *bbolt.Options) (*Log, error) {
	var l Log
	err := guard(func() (err error) {
		l.db, err = bbolt.Open(path, mode, options)
		return err
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, ErrInUse
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return nil, fmt.Errorf("%w, or nothing that can be read of it is left: %w", ErrNotALog, err)
	case err != nil && !errors.Is(err, ErrDamaged) && !ofSystem(err): // what the library has no name for: too short
		return nil, fmt.Errorf("%w, or too little of it is left: %w", ErrNotALog, err)
	case err != nil:
		return nil, err
	}
	return &l, nil
}

// ofSystem reports whether an error is one of the disk or the system.
func ofSystem(err error) bool {
	var path *os.PathError
	var call *os.SyscallError
	var number syscall.Errno
	return errors.As(err, &path) || errors.As(err, &call) || errors.As(err, &number)
}

// check reads a file, and sees that its pages are in order and that all of it is there.
func (l *Log) check(path string, all func(*Log) error) (warning, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	err = l.view(func(tx *bbolt.Tx) (err error) {
		warning, err = checkPages(tx, file)
		return err
	})
	if err != nil {
		return nil, err
	}
	return warning, all(l)
}

// loadAll sees that a file is a log and that all of it is there, or that it is as new.
func (l *Log) loadAll() error {
	empty := false
	err := l.view(func(tx *bbolt.Tx) (err error) {
		empty, err = isEmpty(tx)
		return err
	})
	if err == nil && !empty {
		err = l.Load(func(server.Record) error { return nil })
	}
	return err
}

// isNew reports whether there is nothing in a file yet.
func isNew(tx *bbolt.Tx) bool {
	k, _ := tx.Cursor().First()
	return k == nil
}

// isEmpty reports whether a file is as new. It is an error if it is no log.
func isEmpty(tx *bbolt.Tx) (bool, error) {
	if isNew(tx) {
		return true, nil
	}
	_, err := readHead(tx)
	return false, err
}

// prepare makes a file that is new a log, and one of an older format one of this.
func (l *Log) prepare(dir string) error {
	empty := false
	var h head
	err := l.view(func(tx *bbolt.Tx) (err error) {
		if empty, err = isEmpty(tx); err == nil && !empty {
			h, err = readHead(tx)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case empty:
		if err := l.db.Update(setUp); err != nil {
			return err
		}
		return syncFolder(dir)
	case h.format < format:
		if h.sum, err = l.records(h, func(server.Record) error { return nil }); err != nil {
			return err
		}
		return l.db.Update(h.write)
	}
	return nil
}

// syncFolder makes the directory entry of a new file durable.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced on this system
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Sync()
}

// Close closes the file. Close the server first.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = cmp.Or(l.failed, ErrClosed)
	return l.db.Close()
}

// guard calls f and makes an error of a panic: the library panics if a page of the file makes no sense,
// and reads the file as memory, where the lack of a page is a fault.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	return f()
}
