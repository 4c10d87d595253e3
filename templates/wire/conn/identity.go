// Identity: client ids and sequence numbers.

package conn

import (
	"crypto/rand"
	"time"
)

// Identity completes a client's id and last sequence number. A new client gets a random id. A client with an id but
// no number continues from the time in microseconds: no earlier process has used these numbers, so old echoes are not
// mistaken for answers.
func Identity(id string, sequence int64) (string, int64) {
	switch {
	case id == "":
		return rand.Text(), sequence
	case sequence == 0:
		return id, time.Now().UnixMicro()
	}
	return id, sequence
}
