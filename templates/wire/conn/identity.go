// Identity: what a client calls itself, and how it numbers what it does.

package conn

import (
	"crypto/rand"
	"time"
)

// Identity completes what a client calls itself and the number of its latest action. A client that nobody has
// met before gets an id that nobody else has. One that goes on under an id of its own, but does not say where
// its numbers were, goes on from the time in microseconds: no earlier process has used these, and an echo
// that is meant for that is not taken for the answer to something new.
func Identity(id string, sequence int64) (string, int64) {
	switch {
	case id == "":
		return rand.Text(), sequence
	case sequence == 0:
		return id, time.Now().UnixMicro()
	}
	return id, sequence
}
