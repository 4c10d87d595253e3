// What Linux does in one step.

package apply

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// exchange exchanges two files in one step.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP):
		return errUnsupported
	}
	return &os.LinkError{Op: "rename", Old: a, New: b, Err: err}
}

// local are the file systems on which a lease tells who writes. Network file systems refuse leases for other reasons.
var local = []int64{
	unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
	unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
}

// holdStill takes a read lease on a file, which keeps other programs from opening it for writing until release is called.
// It fails with ErrBusy if one has it open for writing, because its next write would be lost. Without support for leases
// it is a no-op.
func holdStill(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK); errors.Is(err, unix.EAGAIN) {
		var fs unix.Statfs_t
		if err := unix.Statfs(path, &fs); err == nil && slices.Contains(local, int64(fs.Type)) {
			return nil, errors.Join(ErrBusy, f.Close())
		}
	}
	return func() { _ = f.Close() }, nil // which ends the lease
}
