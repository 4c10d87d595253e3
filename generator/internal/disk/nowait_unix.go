//go:build unix

package disk

import "syscall"

// noWait makes opening a named pipe return immediately. It has no effect on regular files.
const noWait = syscall.O_NONBLOCK
