//go:build !unix

// Where the processor time of a process is not available, the elapsed time is used.

package mutation

import "time"

var began = time.Now()

func cpuTime() time.Duration { return time.Since(began) }
