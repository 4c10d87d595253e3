// Sessions: how they begin, and what they wait for.

package translations

import (
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// liftSessionFork refuses to begin a session with a copy of another.
func liftSessionFork(o *translate.Object, c *translate.Context) error {
	if o.Has("fork") {
		return c.Impossible("a session cannot begin as a copy of another one")
	}
	return nil
}

// liftClientExecution makes a running call of the call that a client is to run. Before 0.9.0 it could be in any state.
func liftClientExecution(o *translate.Object, _ *translate.Context) error {
	call := o.Object("toolCall")
	if call == nil || call.Text("status") == "running" {
		return nil
	}
	call.SetText("status", "running")
	if !call.Has("confirmed") {
		call.SetText("confirmed", "not-needed")
	}
	if !call.Has("invocationMessage") {
		call.SetText("invocationMessage", call.Text("displayName"))
	}
	o.SetObject("toolCall", call)
	return nil
}

// translationOnlyExecutions reports whether a session waits for clients that run tools, and for nothing else. Since 0.8.0
// its status does not call that a need for input.
func translationOnlyExecutions(o *translate.Object) bool {
	waiting := o.Items("inputNeeded")
	for _, item := range waiting {
		if request, err := translate.Parse(item); err != nil || request.Text("kind") != "toolClientExecution" {
			return false
		}
	}
	return len(waiting) > 0
}

// lowerSessionStatus counts tools that clients run as a need for input.
func lowerSessionStatus(o *translate.Object, _ *translate.Context) error {
	if translationOnlyExecutions(o) {
		o.Set("status", translationInt(o.Int("status")&^translationActivity|translationInputNeeded))
	}
	return nil
}

// liftSessionStatus does not count them.
func liftSessionStatus(o *translate.Object, _ *translate.Context) error {
	if translationOnlyExecutions(o) {
		o.Set("status", translationInt(o.Int("status")&^(translationInputNeeded&^translationAtWork)))
	}
	return nil
}

// lowerChatsReordered removes the chats behind those that are in their places, adds them again in the new order, and makes
// the default chat the default again.
func lowerChatsReordered(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	order, chats := o.Items("chats"), known.Items("chats")
	byURI := map[string]*translate.Object{}
	for _, item := range chats {
		if chat, err := translate.Parse(item); err == nil {
			byURI[chat.Text("resource")] = chat
		}
	}
	moved := map[string]bool{}
	for _, item := range order {
		moved[translationText(item)] = byURI[translationText(item)] != nil
	}
	if len(order) != len(chats) || len(moved) != len(chats) || len(byURI) != len(chats) {
		c.Instead()
		return nil
	}
	var actions []*translate.Object
	again, same := false, true
	for i, item := range order {
		uri := translationText(item)
		if !moved[uri] {
			c.Instead()
			return nil
		}
		at, _ := translate.Parse(chats[i])
		if same = same && at.Text("resource") == uri; same {
			continue
		}
		removed := translationAction("session/chatRemoved")
		removed.SetText("chat", uri)
		added := translationAction("session/chatAdded")
		added.SetObject("summary", byURI[uri])
		actions = append(actions, removed, added)
		again = again || known.Text("defaultChat") == uri
	}
	if again {
		chosen := translationAction("session/defaultChatChanged")
		chosen.Set("defaultChat", known.Get("defaultChat"))
		actions = append(actions, chosen)
	}
	c.Resend(actions...)
	return nil
}
