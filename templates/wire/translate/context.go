// Context: what functions know beside the object, and what they can say beside changing it.

package translate

import (
	"encoding/json"
	"fmt"
	"time"
)

// Context is what a function knows beside the object that it changes.
type Context struct {
	// Channel is the channel that the message or the state belongs to, or "".
	Channel string
	// State returns the state of a channel before the message, in the version of the package. It is nil if states are not
	// known; see [Context.Known].
	State func(channel string) json.RawMessage
	// Now returns the time. The default is [time.Now].
	Now func() time.Time

	valid   bool // what is converted is known to be valid JSON
	dropped bool
	instead []json.RawMessage
	several bool
	again   bool // the actions in instead are still to be converted
	before  []json.RawMessage
	resent  bool // the action stands in the place of another, or before one
}

// Known returns the state of the context's channel, in the version of the package. It returns ErrNeedsState if it is not
// known, and the caller returns that.
func (c *Context) Known() (*Object, error) {
	if c.State == nil {
		return nil, ErrNeedsState
	}
	data := c.State(c.Channel)
	if data == nil {
		return nil, ErrNeedsState
	}
	return Parse(data)
}

// Time returns the time in RFC 3339, with milliseconds.
func (c *Context) Time() string {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	return now().UTC().Format("2006-01-02T15:04:05.000Z")
}

// Drop leaves the object out: of the list or the map that it is in, or as a member. A message whose action is left out is
// not sent.
func (c *Context) Drop() { c.dropped = true }

// Instead replaces an action by several, which are in the other version already. Without any, the message is not sent. They
// are sent as messages of their own, the last one with the number of the message.
func (c *Context) Instead(actions ...*Object) {
	c.several, c.again = true, false
	c.instead = nil
	for _, a := range actions {
		c.instead = append(c.instead, a.JSON())
	}
}

// Resend replaces an action by several of the version that it came in. Each is converted as if it had come instead; State
// remains that before all of them. See [Context.Instead].
func (c *Context) Resend(actions ...*Object) {
	c.Instead(actions...)
	c.again = true
}

// Resent reports whether the action was made by Resend or Before: others may have come between the state and it.
func (c *Context) Resent() bool { return c.resent }

// Before sends other actions before the one that is converted. They are of the version that it came in, and are converted as
// if they had come before it; State remains that before all of them. The last message has the number of the one. Functions
// that replace the action, or leave it out, take these with it.
func (c *Context) Before(actions ...*Object) {
	for _, a := range actions {
		c.before = append(c.before, a.JSON())
	}
}

// Impossible returns an error for a value that cannot be said in the other version. The peer is told why.
func (c *Context) Impossible(reason string) error {
	return fmt.Errorf("%w: %s", ErrImpossible, reason)
}
