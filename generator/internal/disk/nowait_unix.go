//go:build unix

package disk

import "syscall"

// noWait makes opening a named pipe return at once. It means nothing for regular files.
const noWait = syscall.O_NONBLOCK
