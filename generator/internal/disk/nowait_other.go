//go:build !unix

package disk

// noWait is not needed without named pipes.
const noWait = 0
