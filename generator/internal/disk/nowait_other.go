//go:build !unix

package disk

// noWait is not needed if there are no named pipes among the files.
const noWait = 0
