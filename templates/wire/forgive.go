// Forgiving: members and items that are dropped if malformed, where the protocol allows it.

package wire

import (
	"encoding/json"
	"strconv"
	"sync/atomic"
)

// forgiven is the hook that OnForgiven sets.
var forgiven atomic.Pointer[func(*DecodeError)]

// maxReported is how many values that were dropped from one text are reported one by one.
const maxReported = 100

// OnForgiven sets a hook that is called for each member or item that a decoder drops because it is malformed, where the
// protocol wants that. The error says where it is and why, and [DecodeError.Dropped] returns its bytes. Of one text at most
// 100 are reported so; one more call, with an error for which [DecodeError.Unreported] is not 0, has the number of the rest.
// The hook is called by whatever decodes at the time, possibly by several goroutines at once. Nil removes it.
func OnForgiven(hook func(*DecodeError)) {
	if hook == nil {
		forgiven.Store(nil)
		return
	}
	forgiven.Store(&hook)
}

// Dropped returns the text of the member or item that was dropped, nil for an error that was not forgiven. It must not be
// changed.
func (e *DecodeError) Dropped() json.RawMessage { return e.dropped }

// Unreported returns how many values were dropped from a text beside those that a hook was called for. It is 0 for an error
// that is about one value.
func (e *DecodeError) Unreported() int { return e.more }

// Forgive takes back a failure in the member whose value is at a place, if it is one of those that may be malformed. The
// names of these stand behind the character that separates them. What it had is kept, unless there is nothing to keep it in.
func (d *Decoder) Forgive(p Place, key []byte, r *Rest, names string) {
	if d.err == nil || key == nil || !IsListed(string(key), names) {
		return
	}
	text := d.takeBack(p)
	switch {
	case text == nil || r == nil:
	case len(text) <= maxCopied && d.mayKeep(len(text)):
		r.add(key, text)
	default:
		r.addKept(key, d.keep(p.pos, p.pos+len(text)))
	}
}

// takeBack goes on behind the value at a place, which was found malformed, and returns its text. It is nil if that is
// no JSON: then nothing is taken back, here or further out.
func (d *Decoder) takeBack(p Place) []byte {
	e := d.err
	if e.syntax {
		return nil
	}
	d.retry(p)
	d.passedTwice = max(d.passedTwice, d.passed) // malformed values in it were skipped, and there may be more levels
	d.Skip()
	if d.Failed() {
		return nil
	}
	d.report(e, p.pos, d.pos)
	return d.data[p.pos:d.pos]
}

// report calls the hook with an error that was forgiven, if there is a hook and the limit of reports is not reached.
func (d *Decoder) report(e *DecodeError, start, end int) {
	a := d.memory()
	hook := forgiven.Load()
	switch {
	case hook == nil:
		a.failure = e
	case a.reported == maxReported:
		a.failure = e
		a.unreported++
	default:
		a.reported++
		e.locate(&a.locator)
		e.dropped = d.keep(start, end)
		(*hook)(e)
	}
}

// finish reports how many values were dropped, and members missing, that the hooks were not called for.
func (a *again) finish() {
	a.finishMissing()
	n := a.unreported
	a.unreported = 0
	if hook := forgiven.Load(); n > 0 && hook != nil {
		(*hook)(&DecodeError{more: n, reason: strconv.Itoa(n) + " more malformed values were dropped"})
	}
}

// Otherwise goes back to the value at a place, which was found to be none of what it could be, and returns its text: it
// is something else. Nothing goes back for what is no JSON.
func (d *Decoder) Otherwise(p Place) json.RawMessage {
	if d.err == nil || d.err.syntax {
		return d.Raw()
	}
	d.memory().failure = d.err
	d.retry(p)
	if d.Skip(); d.Failed() {
		return nil
	}
	return d.keep(p.pos, d.pos)
}

// retry goes back to a place in spite of a failure, which is forgotten.
func (d *Decoder) retry(p Place) { d.err, d.data, d.pos, d.depth = nil, d.err.input, p.pos, p.depth }

// KeepDropped takes back the failure of an item that comes behind so many others, and notes it if there is something to keep it in.
func (d *Decoder) KeepDropped(at Place, r *Rest, before int, dropped *DroppedItems) bool {
	if d.takeBack(at) == nil {
		return false
	}
	if r != nil {
		*dropped = append(*dropped, droppedItem{before, d.keep(at.pos, d.pos)})
	}
	return true
}

// KeptItems are the malformed items of a list that an object keeps.
type KeptItems struct {
	rest Rest
	name string
}

// Of returns the items if the list in the member, whose first item is at a place, is the one that was decoded.
func (k KeptItems) Of(first any) DroppedItems { return k.rest.items(k.name, first) }

// Items returns the malformed items of the list in a member.
func (r Rest) Items(name string) KeptItems { return KeptItems{r, name} }

// Append appends the items that were dropped before so many others, or all of them for -1, each with a comma behind
// it, and returns the rest.
func (dropped DroppedItems) Append(dst []byte, before int) ([]byte, DroppedItems) {
	for len(dropped) > 0 && (before < 0 || dropped[0].before <= before) {
		dst = append(append(dst, dropped[0].text...), ',')
		dropped = dropped[1:]
	}
	return dst, dropped
}

// DropItems has the decoder go on without items that are malformed, up to so many, if they are in lists that are members of
// the object that comes next. [Decoder.DroppedItems] has them.
func (d *Decoder) DropItems(most int) {
	if d.Kind() == '{' {
		d.mayDrop = most
	}
}

// DroppedItems returns what is wrong with each item that was dropped so. [DecodeError.Item] says where it was, and
// [DecodeError.Dropped] returns its bytes, which are those of the input.
func (d *Decoder) DroppedItems() []*DecodeError {
	if d.again == nil {
		return nil
	}
	return d.again.items
}

// Undivided says that the next value is a list of which no item may be dropped: it is, as a whole.
func (d *Decoder) Undivided() { d.undivided = d.pos }

// itemDepth is how deep items are of lists that are members of the outermost object.
const itemDepth = 2

// DropItem takes back a failure in the item at a place, if it may be dropped, and notes it.
//
//go:noinline
func (d *Decoder) DropItem(at Place) bool {
	e := d.err
	if d.mayDrop == 0 || at.depth != itemDepth || e.syntax {
		return false
	}
	l := &d.memory().locator
	l.data = e.input
	open := l.openAt(at.pos)
	if len(open) != itemDepth || open[1].start == d.undivided {
		return false
	}
	list, index := open[1].start, open[1].at
	d.retry(at)
	d.passedTwice = max(d.passedTwice, d.passed)
	if d.Skip(); d.Failed() {
		return false
	}
	d.mayDrop--
	e.locate(l)
	e.dropped = json.RawMessage(d.data[at.pos:d.pos:d.pos])
	for _, o := range d.again.items { // of an object that is read as several things
		if o.listStart == list && o.index == index {
			d.mayDrop++
			return true
		}
	}
	d.again.items = append(d.again.items, e)
	return true
}
