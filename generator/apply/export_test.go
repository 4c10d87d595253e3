package apply

import (
	"testing"
	"time"
)

func init() { unsynced, patience = true, 300*time.Millisecond }

// OnStep calls a function before each step that touches the disk, as long as a test runs.
func OnStep(t testing.TB, do func(step, path string) error) {
	old := hook
	hook = do
	t.Cleanup(func() { hook = old })
}

// PlainSystem makes the test see a system on which two files cannot trade places.
func PlainSystem(t testing.TB) {
	plain = true
	t.Cleanup(func() { plain = false })
}

// LockFolder is where locks are kept.
var LockFolder = lockFolder
