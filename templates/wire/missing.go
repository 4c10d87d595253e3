// Missing members: required ones that peers leave out, and that a package takes all the same, with a report.

package wire

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// missing is the hook that OnMissing sets.
var missing atomic.Pointer[func(*DecodeError)]

// OnMissing sets a hook that is called for each required member that an object lacks, if it was decoded by a package that is
// generated with "missing": "report". The member then has its zero value. Without a hook such objects are refused, and
// objects that lack the member that tells variants of a union apart always are. The error has the path of the member. Of one
// text at most 100 are reported so; one more call, with an error for which [DecodeError.Unreported] is not 0, has the number
// of the rest. The hook is called by whatever decodes at the time, possibly by several goroutines at once. Nil removes it.
func OnMissing(hook func(*DecodeError)) {
	if hook == nil {
		missing.Store(nil)
		return
	}
	missing.Store(&hook)
}

// NeedOrReport is [Decoder.Need] for members that may be missing if there is a hook, apart from those with a bit in must.
func (d *Decoder) NeedOrReport(seen, all, must uint64, names string) {
	if seen != all {
		d.needOrReport(seen, must, names)
	}
}

func (d *Decoder) needOrReport(seen, must uint64, names string) {
	hook := missing.Load()
	if hook == nil || must&^seen != 0 || d.err != nil {
		d.missingOf(seen, names)
		return
	}
	for bit, all := uint64(1), strings.Split(names[1:], names[:1]); len(all) > 0; bit, all = bit<<1, all[1:] {
		if seen&bit == 0 {
			d.takeMissing(*hook, all[0])
		}
	}
}

// takeMissing reports a missing member, and goes on.
func (d *Decoder) takeMissing(hook func(*DecodeError), name string) {
	a := d.memory()
	if a.missing == maxReported {
		a.moreMissing++
		return
	}
	a.missing++
	here := Place{pos: d.pos, depth: d.depth}
	d.Missing(name)
	e := d.err
	d.retry(here)
	e.locate(&a.locator)
	hook(e)
}

// finishMissing reports how many members were missing that the hook was not called for.
func (a *again) finishMissing() {
	n := a.moreMissing
	a.moreMissing = 0
	if hook := missing.Load(); n > 0 && hook != nil {
		(*hook)(&DecodeError{more: n, reason: strconv.Itoa(n) + " more members are missing"})
	}
}
