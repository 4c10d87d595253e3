//go:build !linux

package golden

// memory is nothing where no folder is known to be kept in memory.
func memory() string { return "" }
