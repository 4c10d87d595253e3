// Requests for input: since 0.6.0 those that are open are parts of the open turn, and before that they stand beside the turns
// and become parts at the end of the open one when they are settled.

package translations

import (
	"bytes"
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerRequests puts requests that are open beside the turns, and does not count calls that wait for a client to sign in as a
// need for input.
func lowerRequests(o *translate.Object, _ *translate.Context) error {
	if !o.Has("activeTurn") {
		return nil
	}
	parts := o.Object("activeTurn").Items("responseParts")
	o.Set("status", translationStatus(o.Get("status"), parts))
	var requests []json.RawMessage
	for _, item := range parts {
		if part, err := translate.Parse(item); err == nil && translationIsOpen(part) {
			requests = append(requests, part.Get("request"))
		}
	}
	if len(requests) > 0 {
		o.SetItems("inputRequests", requests)
	}
	return nil
}

// liftRequests makes parts of the requests, at the end of the open turn.
func liftRequests(o *translate.Object, c *translate.Context) error {
	requests := o.Items("inputRequests")
	o.Take("inputRequests")
	if turn := o.Object("activeTurn"); turn != nil && len(requests) > 0 {
		parts := turn.Items("responseParts")
		for _, request := range requests {
			part := &translate.Object{}
			part.SetText("kind", "inputRequest")
			part.Set("request", request)
			parts = append(parts, part.JSON())
		}
		turn.SetItems("responseParts", parts)
		o.SetObject("activeTurn", turn)
	}
	return liftOpenTurn(o, c)
}

// lowerRequestPart leaves out requests that are open: those of the open turn are beside it, and nobody answers others any more.
func lowerRequestPart(o *translate.Object, c *translate.Context) error {
	if !o.Has("response") {
		c.Drop()
	}
	return nil
}

// translationIsOpen reports whether a part is a request that is open.
func translationIsOpen(part *translate.Object) bool {
	return part.Text("kind") == "inputRequest" && !part.Has("response")
}

// translationStatus returns the status of a chat, given the parts of its open turn. One that only waits for a client to sign in
// is at work.
func translationStatus(status json.RawMessage, parts []json.RawMessage) json.RawMessage {
	holder := &translate.Object{}
	holder.Set("status", status)
	n := holder.Int("status")
	if n&translationActivity != translationInputNeeded {
		return status
	}
	stopped := false
	for _, item := range parts {
		part, err := translate.Parse(item)
		if err != nil {
			continue
		}
		if translationIsOpen(part) {
			return status
		}
		if call := part.Object("toolCall"); call != nil {
			switch call.Text("status") {
			case "pending-confirmation", "pending-result-confirmation":
				return status
			case "auth-required":
				stopped = true
			}
		}
	}
	if !stopped {
		return status
	}
	return translationInt(n&^translationActivity | translationAtWork)
}

// lowerRequested leaves out a request while no turn is open: it does nothing then.
func lowerRequested(_ *translate.Object, c *translate.Context) error {
	if c.Resent() {
		return nil
	}
	known, err := c.Known()
	if err == nil && !known.Has("activeTurn") {
		c.Instead()
	}
	return err
}

// lowerRequestCompleted says all of the open turn again if the request does not become the last part of it.
func lowerRequestCompleted(o *translate.Object, c *translate.Context) error {
	if c.Resent() {
		return nil
	}
	known, err := c.Known()
	if err != nil {
		return err
	}
	turn := known.Object("activeTurn")
	if turn == nil {
		return nil
	}
	parts := turn.Items("responseParts")
	at := -1
	behind := false
	for i, item := range parts {
		part, err := translate.Parse(item)
		switch {
		case err != nil:
			return err
		case at < 0 && translationIsOpen(part) && part.Object("request").Text("id") == o.Text("requestId"):
			at = i
			parts[i] = translationSettled(part, o)
		case at >= 0 && !translationIsOpen(part):
			behind = true
		}
	}
	if !behind {
		return nil
	}
	turn.SetItems("responseParts", parts)
	actions := translationForget(known, known.Items("turns"))
	c.Resend(append(actions, translationTurn(turn, known)...)...)
	return nil
}

// translationSettled returns a part that is a request as an action leaves it.
func translationSettled(part, action *translate.Object) json.RawMessage {
	request := part.Object("request")
	answers := request.Object("answers")
	if answers == nil {
		answers = &translate.Object{}
	}
	if last := action.Object("answers"); last != nil {
		for _, name := range last.Names() {
			answers.Set(name, last.Get(name))
		}
	}
	if request.Take("answers"); len(answers.Names()) > 0 {
		request.SetObject("answers", answers)
	}
	part.SetObject("request", request)
	part.Set("response", action.Get("response"))
	return part.JSON()
}

// lowerTurnStarted takes requests back that are open: before 0.6.0 they outlive the turn in which they arose.
func lowerTurnStarted(_ *translate.Object, c *translate.Context) error {
	if c.Resent() {
		return nil
	}
	known, err := c.Known()
	if err != nil {
		return err
	}
	turn := known.Object("activeTurn")
	if turn == nil {
		return nil
	}
	for _, item := range turn.Items("responseParts") {
		if part, err := translate.Parse(item); err == nil && translationIsOpen(part) {
			cancelled := translationAction("chat/inputCompleted")
			cancelled.Set("requestId", part.Object("request").Get("id"))
			cancelled.SetText("response", "cancel")
			c.Before(cancelled)
		}
	}
	return nil
}

// lowerNewPart asks for input where a request comes as a part. A part that changes what the chat waits for without its status
// needs a snapshot.
func lowerNewPart(o *translate.Object, c *translate.Context) error {
	part := o.Object("part")
	if part == nil || c.Resent() || !translationIsOpen(part) && part.Text("kind") != "toolCall" {
		return nil
	}
	known, err := c.Known()
	if err != nil {
		return err
	}
	turn := known.Object("activeTurn")
	if turn == nil || turn.Text("id") != o.Text("turnId") {
		if translationIsOpen(part) {
			c.Instead()
		}
		return nil
	}
	status, parts := known.Get("status"), turn.Items("responseParts")
	if !bytes.Equal(translationStatus(status, parts), translationStatus(status, append(parts, part.JSON()))) {
		return translate.ErrNeedsState
	}
	if !translationIsOpen(part) {
		return nil
	}
	if known.Int("status")&translationActivity != translationInputNeeded {
		return translate.ErrNeedsState
	}
	for _, item := range parts {
		other, err := translate.Parse(item)
		if err == nil && translationIsOpen(other) && other.Object("request").Text("id") == part.Object("request").Text("id") {
			return translate.ErrNeedsState
		}
	}
	asked := translationAction("chat/inputRequested")
	asked.Set("request", part.Get("request"))
	c.Resend(asked)
	return nil
}
