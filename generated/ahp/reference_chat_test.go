// The reference's rules for chats: turns, their parts, questions to the user and messages that wait. Tool calls
// have a file of their own.

package ahp_test

import (
	"slices"
	"strings"
	"time"
)

var chatRules = map[string]rule{
	"chat/turnStarted": turnStarted,
	"chat/delta":       appendToPart("markdown"),
	"chat/reasoning":   appendToPart("reasoning"),
	"chat/usage": func(s, a jsonObject, _ string) jsonObject {
		return inTurn(s, a, func(turn jsonObject) jsonObject { return with(turn, "usage", a["usage"]) })
	},
	"chat/turnComplete":            endTurn("complete"),
	"chat/turnCancelled":           endTurn("cancelled"),
	"chat/error":                   endTurn("error"),
	"chat/activityChanged":         assign("activity", "activity"),
	"chat/workingDirectorySet":     addDirectory,
	"chat/workingDirectoryRemoved": removeDirectory,
	"chat/draftChanged":            assign("draft", "draft"),
	"chat/pendingMessageSet":       pendingMessageSet,
	"chat/pendingMessageRemoved":   pendingMessageRemoved,
	"chat/queuedMessagesReordered": reorderQueue,
	"chat/inputRequested":          inputRequested,
	"chat/inputAnswerChanged":      inputAnswerChanged,
	"chat/inputCompleted":          inputCompleted,
	"chat/truncated":               truncated,
	"chat/turnsLoaded":             turnsLoaded,
}

// inTurn applies change to the open turn if the action is about that one.
func inTurn(s, a jsonObject, change func(turn jsonObject) jsonObject) jsonObject {
	turn := inner(s, "activeTurn")
	if turn == nil || turn["id"] != a["turnId"] {
		return s
	}
	if next := change(turn); !identical(turn, next) {
		return with(s, "activeTurn", next)
	}
	return s
}

// activity is what the open turn, or the lack of one, makes of a chat.
func activity(s jsonObject) uint64 {
	turn := inner(s, "activeTurn")
	switch {
	case turn == nil:
		return bitIdle
	case slices.ContainsFunc(elements(turn, "responseParts"), waitsForUser):
		return bitsNeedInput
	default:
		return bitInProgress
	}
}

func waitsForUser(v any) bool {
	part := v.(jsonObject)
	switch part["kind"] {
	case "inputRequest":
		return part["response"] == nil
	case "toolCall":
		switch inner(part, "toolCall")["status"] {
		case "pending-confirmation", "pending-result-confirmation", "auth-required":
			return true
		}
	}
	return false
}

func refreshed(s jsonObject) jsonObject { return withActivity(s, activity(s)) }

// withActivity leaves every bit alone that does not tell the activity, known or not.
func withActivity(s jsonObject, bits uint64) jsonObject {
	if next := statusBits(s)&^bitsActivity | bits; next != statusBits(s) {
		return withStatus(s, next)
	}
	return s
}

func unread(s jsonObject) jsonObject { return withStatus(s, statusBits(s)&^bitRead) }

func turnStarted(s, a jsonObject, now string) jsonObject {
	turn := with(jsonObject{}, "id", a["turnId"], "startedAt", a["startedAt"], "message", a["message"], "responseParts", jsonList{})
	next := unread(refreshed(with(s, "activeTurn", turn, "modifiedAt", modified(a["startedAt"], now))))
	id := a["queuedMessageId"]
	if id == nil {
		return next
	}
	if steering := inner(s, "steeringMessage"); steering != nil && steering["id"] == id {
		next = with(next, "steeringMessage", nil)
	}
	if queue, ok := s["queuedMessages"].(jsonList); ok {
		next = with(next, "queuedMessages", unlessEmpty(filtered(queue, func(m jsonObject) bool { return m["id"] != id })))
	}
	return next
}

func appendPart(s, a jsonObject, _ string) jsonObject {
	return inTurn(s, a, func(turn jsonObject) jsonObject {
		return with(turn, "responseParts", appended(elements(turn, "responseParts"), a["part"]))
	})
}

// appendToPart adds to the first part with the id, and to no part if that one is of another kind.
func appendToPart(kind string) rule {
	return func(s, a jsonObject, _ string) jsonObject {
		return inTurn(s, a, func(turn jsonObject) jsonObject {
			parts := elements(turn, "responseParts")
			i := slices.IndexFunc(parts, func(v any) bool { return partID(v.(jsonObject)) == a["partId"] })
			if i < 0 || parts[i].(jsonObject)["kind"] != kind {
				return turn
			}
			part := parts[i].(jsonObject)
			return with(turn, "responseParts", replaced(parts, i, with(part, "content", text(part, "content")+text(a, "content"))))
		})
	}
}

func partID(part jsonObject) any {
	if part["kind"] == "toolCall" {
		return inner(part, "toolCall")["toolCallId"]
	}
	return part["id"]
}

func endTurn(how string) rule {
	return func(s, a jsonObject, now string) jsonObject {
		turn := inner(s, "activeTurn")
		if turn == nil || turn["id"] != a["turnId"] {
			return s
		}
		duration := a["duration"]
		if strings.HasPrefix(string(numberOf(duration)), "-") {
			duration = number(0)
		}
		parts := jsonList{}
		for _, part := range elements(turn, "responseParts") {
			parts = append(parts, settled(part.(jsonObject)))
		}
		ended := with(turn, "duration", duration, "responseParts", parts, "state", how)
		if how == "error" {
			ended = withFailure(ended, a)
		}
		next := with(s, "turns", appended(elements(s, "turns"), ended), "activeTurn", nil, "modifiedAt", modified(endOf(s, duration), now))
		if how == "error" {
			return withActivity(next, bitError)
		}
		return refreshed(next)
	}
}

// endOf is when the open turn ends that takes so many milliseconds, which are at most some centuries. Where it does not
// start at a time, the chat is taken to have changed when it had before.
func endOf(s jsonObject, duration any) any {
	start, err := time.Parse(time.RFC3339Nano, text(inner(s, "activeTurn"), "startedAt"))
	ms, overflow := numberOf(duration).Int64()
	if err != nil || overflow != nil {
		return s["modifiedAt"]
	}
	end := start.Truncate(time.Millisecond).Add(time.Duration(ms) * time.Millisecond).UTC()
	return strings.Replace(end.Format("2006-01-02 15:04:05.000Z"), " ", "T", 1)
}

func pendingMessageSet(s, a jsonObject, _ string) jsonObject {
	message := pick(a, "id", "message")
	if a["kind"] == "steering" {
		return with(s, "steeringMessage", message)
	}
	return upsert(s, "queuedMessages", "id", message)
}

func pendingMessageRemoved(s, a jsonObject, _ string) jsonObject {
	if a["kind"] == "steering" {
		if steering := inner(s, "steeringMessage"); steering != nil && steering["id"] == a["id"] {
			return with(s, "steeringMessage", nil)
		}
		return s
	}
	queue := elements(s, "queuedMessages")
	rest := filtered(queue, func(m jsonObject) bool { return m["id"] != a["id"] })
	if len(rest) == len(queue) {
		return s
	}
	return with(s, "queuedMessages", unlessEmpty(rest))
}

func reorderQueue(s, a jsonObject, _ string) jsonObject {
	queue, ok := s["queuedMessages"].(jsonList)
	if !ok {
		return s
	}
	next, placed := jsonList{}, map[any]bool{}
	for _, id := range elements(a, "order") {
		if i := find(queue, "id", id); i >= 0 && !placed[id] {
			next, placed[id] = append(next, queue[i]), true
		}
	}
	return with(s, "queuedMessages", append(next, filtered(queue, func(m jsonObject) bool { return !placed[m["id"]] })...))
}

// openRequest finds the first unanswered question with the id in the open turn.
func openRequest(s jsonObject, id any) (turn jsonObject, parts jsonList, index int) {
	turn = inner(s, "activeTurn")
	parts = elements(turn, "responseParts")
	return turn, parts, slices.IndexFunc(parts, func(v any) bool {
		part := v.(jsonObject)
		return part["kind"] == "inputRequest" && part["response"] == nil && inner(part, "request")["id"] == id
	})
}

func inputRequested(s, a jsonObject, now string) jsonObject {
	request := inner(a, "request")
	turn, parts, i := openRequest(s, request["id"])
	if turn == nil {
		return s
	}
	if i >= 0 {
		old := inner(parts[i].(jsonObject), "request")
		request = with(request, "answers", either(request["answers"], old["answers"]))
		parts = replaced(parts, i, jsonObject{"kind": "inputRequest", "request": request})
	} else {
		parts = appended(parts, jsonObject{"kind": "inputRequest", "request": request})
	}
	return unread(refreshed(with(s, "activeTurn", with(turn, "responseParts", parts), "modifiedAt", modified(s["modifiedAt"], now))))
}

func inputAnswerChanged(s, a jsonObject, now string) jsonObject {
	turn, parts, i := openRequest(s, a["requestId"])
	if i < 0 {
		return s
	}
	part := parts[i].(jsonObject)
	request := inner(part, "request")
	answers := with(spread(inner(request, "answers")), text(a, "questionId"), a["answer"])
	part = with(part, "request", with(request, "answers", unlessEmpty(answers)))
	return with(s, "activeTurn", with(turn, "responseParts", replaced(parts, i, part)), "modifiedAt", modified(s["modifiedAt"], now))
}

func inputCompleted(s, a jsonObject, now string) jsonObject {
	turn, parts, i := openRequest(s, a["requestId"])
	if i < 0 {
		return s
	}
	part := parts[i].(jsonObject)
	request := inner(part, "request")
	answers := spread(inner(request, "answers"), inner(a, "answers"))
	part = with(part, "request", with(request, "answers", unlessEmpty(answers)), "response", a["response"])
	return refreshed(with(s, "activeTurn", with(turn, "responseParts", replaced(parts, i, part)), "modifiedAt", modified(s["modifiedAt"], now)))
}

func truncated(s, a jsonObject, now string) jsonObject {
	var next jsonObject
	if id := a["turnId"]; id == nil {
		next = with(s, "turns", jsonList{}, "turnsNextCursor", nil)
	} else {
		last := find(elements(s, "turns"), "id", id)
		if last < 0 {
			return s
		}
		next = with(s, "turns", slices.Clone(elements(s, "turns")[:last+1]))
	}
	return refreshed(with(next, "activeTurn", nil, "modifiedAt", modified(s["modifiedAt"], now)))
}

// turnsLoaded compares the page with the turns there are, not with itself.
func turnsLoaded(s, a jsonObject, _ string) jsonObject {
	turns := elements(s, "turns")
	older := filtered(elements(a, "turns"), func(turn jsonObject) bool { return find(turns, "id", turn["id"]) < 0 })
	return with(s, "turns", append(older, turns...), "turnsNextCursor", a["turnsNextCursor"])
}
