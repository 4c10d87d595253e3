// Ended: how programs end, and whether that is wrong.

package conform

import (
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// ended reports whether the program has ended in a way that is a finding by itself, and notes that.
func (t *talk) ended() bool {
	const soon = 500 * time.Millisecond
	if !t.closed || t.link.Ended == nil {
		return false
	}
	exit, over := t.link.Ended(soon)
	switch {
	case !over:
		return false
	case t.crashed(exit):
		return true
	case t.Side == protocol.FromHost && t.mute():
		t.wrong(Lost, t.subject, "the program has ended with exit code %d, and has not answered", exit.Code)
		return true
	}
	return false
}

// mute reports whether the program says nothing at all: then its end is no answer to anything. If it has not been heard yet, it
// gets one more chance, with what each program answers.
func (t *talk) mute() bool {
	if r := t.run; !r.said && !r.tried {
		r.tried = true
		found := t.findings
		again := t.dial()
		again.judge = judge.New(t.judged)
		if t.Protocol.Handshake != nil {
			again.greet(again.hello())
		} else {
			again.await(again.probe())
		}
		t.findings = found // scenarios that are about this have their own
	}
	return !t.run.said
}

// crashed reports whether a program has ended by a signal or a panic, and notes that.
func (t *talk) crashed(exit tap.Exit) bool {
	const panicked = 2
	switch {
	case exit.Signal:
		t.wrong(Crashed, t.subject, "the program was ended by a signal")
	case exit.Code == panicked:
		t.wrong(Crashed, t.subject, "the program has ended with the exit code %d", exit.Code)
	default:
		return false
	}
	return true
}
