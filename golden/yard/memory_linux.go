package yard

import "syscall"

// memory is a folder of the system that is kept in memory and has plenty of room, or nothing. Programs can be run from there.
func memory() string {
	const (
		dir    = "/dev/shm"
		tmpfs  = 0x01021994
		noexec = 8
		room   = 4 << 30
	)
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Type != tmpfs || s.Flags&noexec != 0 {
		return ""
	}
	if float64(s.Bavail)*float64(s.Bsize) < room || syscall.Access(dir, 2) != nil {
		return ""
	}
	return dir
}
