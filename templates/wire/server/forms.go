// Forms: which channels there can be, by their names and states.

package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// What [Server.OpenChannel] and [Server.OpenStateless] refuse besides.
var (
	// ErrNoForm: no channel of the protocol has such a name.
	ErrNoForm = errors.New("no channel of the protocol has such a name")
	// ErrForeignState: the state is one for another kind of channel.
	ErrForeignState = errors.New("the state belongs to another kind of channel")
)

// Form is what a protocol says of the channels of one kind.
type Form[S any] struct {
	// URI is what their names look like; what stands between angle brackets is for some text. It is "" where
	// nothing is said of it.
	URI string
	// Other says that their names may look otherwise.
	Other bool
	// Is reports whether a state is one of theirs; nil if they have none.
	Is func(S) bool
	// Ignored says that an action for such a channel is not answered where there is no channel of its name.
	Ignored bool
}

// formsOf returns the forms that a name has: of those that it fits, the ones that say most of it.
func (p *Protocol[S, A]) formsOf(name string) (out []Form[S]) {
	most := -1
	for _, f := range p.Forms {
		said, ok := fitsForm(f.URI, name)
		if f.URI == "" || !ok || said < most {
			continue
		}
		if said > most {
			most, out = said, nil
		}
		out = append(out, f)
	}
	return out
}

// fitsForm reports whether a name has a form, and how much of the name the form says.
func fitsForm(form, name string) (said int, ok bool) {
	start, rest, some := strings.Cut(form, "<")
	if !some {
		return len(form), form == name
	}
	if !strings.HasPrefix(name, start) {
		return 0, false
	}
	_, rest, _ = strings.Cut(rest, ">")
	name = name[len(start):]
	for i := 1; i <= len(name); i++ { // the text has at least a byte
		if more, ok := fitsForm(rest, name[i:]); ok {
			return len(start) + more, true
		}
	}
	return 0, false
}

// fits says what is wrong with a channel that is to be opened.
func (p *Protocol[S, A]) fits(c *channel[S]) error {
	if len(p.Forms) == 0 {
		return nil
	}
	is := func(f Form[S]) bool { return !c.hasState || f.Is != nil && f.Is(c.state) }
	forms := p.formsOf(c.name)
	for _, f := range forms {
		if is(f) {
			return nil
		}
	}
	if len(forms) > 0 {
		return fmt.Errorf("%s: %w", wire.Excerpt(c.name), ErrForeignState)
	}
	for _, f := range p.Forms {
		if (f.Other || f.URI == "") && is(f) && c.hasState == (f.Is != nil) {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", wire.Excerpt(c.name), ErrNoForm)
}

// ignores reports whether an action for a channel that there is not is not answered.
func (p *Protocol[S, A]) ignores(name string) bool {
	for _, f := range p.formsOf(name) {
		if f.Ignored {
			return true
		}
	}
	return false
}
