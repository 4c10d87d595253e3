// Forms: the valid channels by URI and state.

package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Further errors of [Server.OpenChannel] and [Server.OpenStateless].
var (
	// ErrNoForm is returned for a URI that no channel of the protocol has.
	ErrNoForm = errors.New("the name matches no channel of the protocol")
	// ErrForeignState is returned for the state of another kind of channel.
	ErrForeignState = errors.New("the state is of another kind of channel")
)

// Form describes the channels of one kind.
type Form[S any] struct {
	// URI is the pattern of their URIs, with placeholders in angle brackets, or "".
	URI string
	// Other reports whether other URIs are allowed.
	Other bool
	// Is reports whether a state belongs to such a channel; nil if they have none.
	Is func(S) bool
	// Ignored reports whether actions for nonexistent channels of this kind are not answered.
	Ignored bool
}

// formsOf returns the most specific forms that match a URI.
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

// fitsForm reports whether a URI matches a form, and how specifically.
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
	for i := 1; i <= len(name); i++ { // a placeholder matches at least one byte
		if more, ok := fitsForm(rest, name[i:]); ok {
			return len(start) + more, true
		}
	}
	return 0, false
}

// fits returns an error if a channel cannot be opened.
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

// ignores reports whether an action for a nonexistent channel is not answered.
func (p *Protocol[S, A]) ignores(name string) bool {
	for _, f := range p.formsOf(name) {
		if f.Ignored {
			return true
		}
	}
	return false
}
