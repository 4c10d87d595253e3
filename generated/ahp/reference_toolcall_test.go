// The reference's rules for tool calls, which go from state to state within the open turn.

package ahp_test

import "encoding/json"

var toolCallRules = map[string]rule{
	"chat/toolCallStart": func(s, a jsonObject, _ string) jsonObject {
		return inTurn(s, a, func(turn jsonObject) jsonObject {
			call := spread(pick(a, "toolCallId", "toolName", "displayName", "intention", "contributor", "_meta"), jsonObject{"status": "streaming"})
			return with(turn, "responseParts", appended(elements(turn, "responseParts"), jsonObject{"kind": "toolCall", "toolCall": call}))
		})
	},
	"chat/toolCallDelta":           onCalls(callDelta),
	"chat/toolCallContentChanged":  onCalls(callContentChanged),
	"chat/toolCallReady":           refreshing(onCalls(callReady)),
	"chat/toolCallConfirmed":       refreshing(onCalls(callConfirmed)),
	"chat/toolCallComplete":        refreshing(onCalls(callComplete)),
	"chat/toolCallResultConfirmed": refreshing(onCalls(callResultConfirmed)),
	"chat/toolCallAuthRequired":    refreshing(onCalls(callAuthRequired)),
	"chat/toolCallAuthResolved":    refreshing(onCalls(callAuthResolved)),
}

// refreshing works the status out anew, whether or not there was anything to change.
func refreshing(apply rule) rule {
	return func(s, a jsonObject, now string) jsonObject { return refreshed(apply(s, a, now)) }
}

// onCalls changes every tool call that has the id; change returns the call itself to leave it.
func onCalls(change func(call, action jsonObject) jsonObject) rule {
	return func(s, a jsonObject, _ string) jsonObject {
		return inTurn(s, a, func(turn jsonObject) jsonObject {
			next, changed := jsonList{}, false
			for _, v := range elements(turn, "responseParts") {
				part := v.(jsonObject)
				if call := inner(part, "toolCall"); part["kind"] == "toolCall" && call["toolCallId"] == a["toolCallId"] {
					if c := change(call, a); !identical(c, call) {
						part, changed = with(part, "toolCall", c), true
					}
				}
				next = append(next, part)
			}
			if !changed {
				return turn
			}
			return with(turn, "responseParts", next)
		})
	}
}

// callBase is what a call keeps for life. An action's own extra data takes the place of the stored one.
func callBase(call, a jsonObject) jsonObject {
	base := pick(call, "toolCallId", "toolName", "displayName", "intention", "contributor", "_meta")
	return with(base, "_meta", either(a["_meta"], base["_meta"]))
}

func inState(call jsonObject, states ...string) bool { return in(call, "status", states...) }

func callDelta(call, a jsonObject) jsonObject {
	if !inState(call, "streaming") {
		return call
	}
	next := with(call, "_meta", either(a["_meta"], call["_meta"]), "invocationMessage", either(a["invocationMessage"], call["invocationMessage"]))
	if a["content"] != nil {
		next["partialInput"] = text(call, "partialInput") + text(a, "content")
	}
	return next
}

func callContentChanged(call, a jsonObject) jsonObject {
	if !inState(call, "running") {
		return call
	}
	return with(call, "content", a["content"], "_meta", either(a["_meta"], call["_meta"]))
}

func callReady(call, a jsonObject) jsonObject {
	if !inState(call, "streaming", "running", "pending-confirmation") {
		return call
	}
	next := with(callBase(call, a),
		"intention", either(a["intention"], call["intention"]),
		"contributor", contributor(inner(call, "contributor"), inner(a, "contributor")),
		"invocationMessage", a["invocationMessage"],
		"toolInput", a["toolInput"])
	if a["toolInput"] == nil && !inState(call, "streaming") {
		next = with(next, "toolInput", call["toolInput"])
	}
	if a["confirmed"] != nil {
		return with(next, "status", "running", "confirmed", a["confirmed"])
	}
	asked := []string{"confirmationTitle", "riskAssessment", "edits", "editable", "options"}
	if inState(call, "pending-confirmation") {
		next = spread(next, pick(call, asked...))
	}
	return with(spread(next, pick(a, asked...)), "status", "pending-confirmation")
}

// contributor keeps a call with the client that brought it, and gives it to no client later on.
func contributor(old, refined jsonObject) any {
	switch {
	case refined == nil || refined["kind"] == "client" || old["kind"] == "client":
		if old == nil {
			return nil // not an object without members
		}
		return old
	default:
		return refined
	}
}

func callConfirmed(call, a jsonObject) jsonObject {
	if !inState(call, "pending-confirmation") {
		return call
	}
	var selected any
	if i := find(elements(call, "options"), "id", a["selectedOptionId"]); i >= 0 {
		selected = elements(call, "options")[i]
	}
	next := with(spread(callBase(call, a), pick(call, "invocationMessage", "toolInput")), "selectedOption", selected)
	if !isTrue(a["approved"]) {
		return spread(next, pick(a, "reason", "reasonMessage", "userSuggestion"), jsonObject{"status": "cancelled"})
	}
	if _, inline := call["toolInput"].(string); inline && a["editedToolInput"] != nil {
		next["toolInput"] = a["editedToolInput"]
	}
	return with(next, "status", "running", "confirmed", a["confirmed"])
}

func callComplete(call, a jsonObject) jsonObject {
	result := inner(a, "result")
	waiting := inState(call, "auth-required")
	if !inState(call, "running", "pending-confirmation", "auth-required") || waiting && isTrue(result["success"]) {
		return call
	}
	next := spread(callBase(call, a), pick(call, "invocationMessage", "toolInput"), jsonObject{"status": "completed", "confirmed": "not-needed"})
	if !inState(call, "pending-confirmation") {
		next = spread(next, pick(call, "confirmed", "selectedOption"))
	}
	if waiting {
		next = spread(next, pick(call, "content"))
	} else if isTrue(a["requiresResultConfirmation"]) {
		next["status"] = "pending-result-confirmation"
	}
	return spread(next, pick(result, "success", "pastTenseMessage", "content", "structuredContent", "error"))
}

func callResultConfirmed(call, a jsonObject) jsonObject {
	if !inState(call, "pending-result-confirmation") {
		return call
	}
	if isTrue(a["approved"]) {
		return with(call, "status", "completed", "_meta", either(a["_meta"], call["_meta"]))
	}
	return spread(callBase(call, a), pick(call, "invocationMessage", "toolInput", "selectedOption"),
		jsonObject{"status": "cancelled", "reason": "result-denied"})
}

func callAuthRequired(call, a jsonObject) jsonObject {
	if !inState(call, "running") || inner(call, "contributor")["kind"] != "mcp" {
		return call
	}
	return spread(callBase(call, a), pick(call, "invocationMessage", "toolInput", "confirmed", "selectedOption", "content"),
		jsonObject{"status": "auth-required", "auth": a["auth"]})
}

func callAuthResolved(call, a jsonObject) jsonObject {
	if !inState(call, "auth-required") {
		return call
	}
	return spread(callBase(call, a), pick(call, "invocationMessage", "toolInput", "confirmed", "selectedOption", "content"),
		jsonObject{"status": "running"})
}

// settled ends the tool call in a part, if it holds one that is still open when its turn ends.
func settled(part jsonObject) jsonObject {
	call := inner(part, "toolCall")
	if part["kind"] != "toolCall" || inState(call, "completed", "cancelled") {
		return part
	}
	next := with(callBase(call, nil), "status", "cancelled", "reason", "skipped", "invocationMessage", either(call["invocationMessage"], ""))
	if !inState(call, "streaming") {
		next = with(next, "toolInput", call["toolInput"])
	}
	return with(part, "toolCall", next)
}

func numberOf(v any) json.Number {
	n, _ := v.(json.Number)
	return n
}
