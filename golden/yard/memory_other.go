//go:build !linux

package yard

// memory is nothing where no folder is known to be kept in memory.
func memory() string { return "" }
