package apply

import (
	"testing"
	"time"
)

// OnStep has the steps of changes call a function for the length of a test.
func OnStep(t *testing.T, do func(step, path string) error) {
	was := hook
	t.Cleanup(func() { hook = was })
	hook = do
}

// Patience sets how long to wait for another program that has a file open.
func Patience(t *testing.T, d time.Duration) {
	was := patience
	t.Cleanup(func() { patience = was })
	patience = d
}
