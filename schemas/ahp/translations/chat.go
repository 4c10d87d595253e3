// Chats: flags that came with 1.0.0, and turns that go on, which came with 0.9.0.

package translations

import (
	"encoding/json"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerChatFlags leaves out whether a chat was read or archived: no older action changes either.
func lowerChatFlags(o *translate.Object, _ *translate.Context) error {
	if o.Has("status") {
		o.Set("status", translationInt(o.Int("status")&^(translationRead|translationArchived)))
	}
	return nil
}

// lowerTurnResume forgets the turn and says all of it again: it starts, has its parts, and its usage.
func lowerTurnResume(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	turns := known.Items("turns")
	c.Instead()
	if known.Has("activeTurn") || len(turns) == 0 {
		return nil
	}
	turn, err := translate.Parse(turns[len(turns)-1])
	if err != nil {
		return err
	}
	if turn.Text("id") != o.Text("turnId") || !translationResumable(turn) {
		return nil
	}
	actions := translationForget(known, turns[:len(turns)-1])
	c.Resend(append(actions, translationTurn(turn, known)...)...)
	return nil
}

// translationForget returns the actions that leave some turns of a chat, and none that is open.
func translationForget(chat *translate.Object, turns []json.RawMessage) []*translate.Object {
	truncated := translationAction("chat/truncated")
	actions := []*translate.Object{truncated}
	if len(turns) > 0 {
		if last, err := translate.Parse(turns[len(turns)-1]); err == nil {
			truncated.Set("turnId", last.Get("id"))
		}
	} else if cursor := chat.Get("turnsNextCursor"); cursor != nil { // which goes if nothing is left
		loaded := translationAction("chat/turnsLoaded")
		loaded.SetItems("turns", nil)
		loaded.Set("turnsNextCursor", cursor)
		actions = append(actions, loaded)
	}
	return actions
}

// translationResumable reports whether a turn has failed in a way that lets it go on.
func translationResumable(turn *translate.Object) bool {
	parts := turn.Items("responseParts")
	if turn.Text("state") != "error" || len(parts) == 0 {
		return false
	}
	last, err := translate.Parse(parts[len(parts)-1])
	return err == nil && last.Text("kind") == "error" && last.True("resumable")
}

// translationTurn returns the actions that make an open turn of one.
func translationTurn(turn, chat *translate.Object) []*translate.Object {
	started := translationAction("chat/turnStarted")
	started.Set("turnId", turn.Get("id"))
	started.Set("message", turn.Get("message"))
	if started.Set("startedAt", turn.Get("startedAt")); !turn.Has("startedAt") {
		started.Set("startedAt", chat.Get("modifiedAt"))
	}
	actions := []*translate.Object{started}
	waits := false
	for _, item := range turn.Items("responseParts") {
		part, err := translate.Parse(item)
		if err != nil || part.Text("kind") == "error" {
			continue
		}
		if part.Text("kind") == "inputRequest" && !part.Has("response") {
			asked := translationAction("chat/inputRequested")
			asked.Set("request", part.Get("request"))
			actions = append(actions, asked)
			continue
		}
		a := translationAction("chat/responsePart")
		a.Set("turnId", turn.Get("id"))
		a.SetObject("part", part)
		actions = append(actions, a)
		call := part.Object("toolCall")
		waits = waits || call != nil && strings.HasPrefix(call.Text("status"), "pending-")
	}
	if waits { // which a new part does not change the status for
		actions = append(actions, translationRefresh())
	}
	if usage := turn.Get("usage"); usage != nil {
		a := translationAction("chat/usage")
		a.Set("turnId", turn.Get("id"))
		a.Set("usage", usage)
		actions = append(actions, a)
	}
	return actions
}

// translationRefresh returns an action that only works out the status of a chat anew, being about no call.
func translationRefresh() *translate.Object {
	o := translationAction("chat/toolCallResultConfirmed")
	o.SetText("turnId", "")
	o.SetText("toolCallId", "")
	o.Set("approved", translationBool(true))
	return o
}
