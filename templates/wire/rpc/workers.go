// Workers: the goroutines on which handlers run. A handler needs more stack than a goroutine begins with, and growing it takes
// a quarter of the time of a small message; so a goroutine that is done waits a moment for other work, of any connection.

package rpc

import "time"

// idle hands work to a goroutine that waits for some.
var idle = make(chan *server)

// patience is how long a goroutine waits for work before it ends.
const patience = 20 * time.Millisecond

// start lets a goroutine handle the messages of a connection.
func start(s *server) {
	select {
	case idle <- s:
	default:
		go workOn(s)
	}
}

// workOn handles messages of one connection, then of others.
func workOn(s *server) {
	s.work()
	end := time.NewTimer(patience)
	defer end.Stop()
	for {
		select {
		case s = <-idle:
		case <-end.C:
			return
		}
		s.work()
		end.Reset(patience)
	}
}
