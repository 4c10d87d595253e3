// What Linux does in one step.

package apply

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// errNotFolder says that a folder of a path is a file.
var errNotFolder = syscall.ENOTDIR

// swapAtOnce makes two files trade places.
func swapAtOnce(a, b string) error { return rename(a, b, unix.RENAME_EXCHANGE) }

// moveAtOnce renames a file unless something is at the new name.
func moveAtOnce(from, to string) error { return rename(from, to, unix.RENAME_NOREPLACE) }

func rename(from, to string, flags uint) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
		return errUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}

// local are the file systems that tell by a lease who writes. Network file systems refuse leases for
// reasons of their own.
var local = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
	unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
}

// holdStill waits for nobody: it keeps a file from being opened for writing until release is called,
// and fails with ErrBusy if somebody has it open. A lease does that. If there are none, nothing
// is known, and that is no error.
func holdStill(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	lease := func(kind int) error {
		var leased error
		err := raw.Control(func(fd uintptr) { _, leased = unix.FcntlInt(fd, unix.F_SETLEASE, kind) })
		return errors.Join(err, leased)
	}
	if err := lease(unix.F_RDLCK); errors.Is(err, unix.EAGAIN) {
		var fs unix.Statfs_t
		if err := unix.Statfs(path, &fs); err == nil && slices.Contains(local, int64(fs.Type)) {
			return nil, errors.Join(ErrBusy, f.Close())
		}
	}
	return func() {
		_ = lease(unix.F_UNLCK) // closing it does the same
		_ = f.Close()
	}, nil
}
