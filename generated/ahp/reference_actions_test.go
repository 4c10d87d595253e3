// What random states and actions are about: which channels, which actions, and what in the state they aim at.

package ahp_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

const stepsPerSequence = 30

// withoutEffect are the actions that ask somebody for something, or tell, and leave states alone.
var withoutEffect = []string{
	"terminal/input", "resourceWatch/changed", "automation/createRequested", "automation/updateRequested", "automationRun/cancelRequested",
}

// channel favours chats, and then sessions, which have most of the rules.
func (r *random) channel() channel {
	if r.chance(40) {
		return channels[2]
	}
	if r.chance(20) {
		return channels[1]
	}
	return oneOf(r, channels...)
}

// state makes a state as the channel's decoder and encoder leave it. Only through them are the state under test
// and the reference's the same to begin with: the codec drops members a type does not have, takes a null for an
// absent member, and writes numbers its own way.
func (r *random) state(c channel) wire.Appender {
	o := r.definition(c.state, 0).(jsonObject)
	if queue, ok := o["queuedMessages"].(jsonList); ok {
		o["queuedMessages"] = distinct(queue, "id") // how one id twice would be reordered, no rule tells
	}
	if chats, ok := o["chats"].(jsonList); ok && r.chance(75) {
		o["chats"] = distinct(chats, "resource") // or there is no order of them
	}
	return newState(r.tb, c, o)
}

// distinct keeps the first of those that a member is the same of.
func distinct(l jsonList, member string) jsonList {
	var ids jsonList
	return filtered(l, func(o jsonObject) bool {
		if slices.Contains(ids, o[member]) {
			return false
		}
		ids = append(ids, o[member])
		return true
	})
}

// action makes an action of the channel, mostly about the open turn if the state has one.
func (r *random) action(c channel, state jsonObject) ahp.StateAction {
	if r.chance(2) {
		return newAction(r.tb, jsonObject{"type": c.name + "/fromTheFuture", "turnId": "a", "id": "a"})
	}
	turn := inner(state, "activeTurn")
	name := oneOf(r, r.actions[c.name]...)
	for r.rare(r.actionType(name), turn != nil) {
		name = oneOf(r, r.actions[c.name]...)
	}
	a := r.definition(name, 1).(jsonObject)
	if a["turnId"] != nil && turn != nil && a["type"] != "chat/turnStarted" && r.chance(75) {
		a["turnId"] = turn["id"]
	}
	if a["partId"] != nil && r.chance(75) {
		a["partId"] = either(r.idOfText(turn), a["partId"])
	}
	if a["toolCallId"] != nil && r.chance(60) {
		a["toolCallId"] = either(r.idOfCall(turn, callsFor[text(a, "type")]), a["toolCallId"])
	}
	if a["type"] == "chat/toolCallReady" && !slices.Contains([]any{"client", "mcp"}, inner(a, "contributor")["kind"]) {
		delete(a, "contributor") // whether one of an unknown kind counts, no rule tells
	}
	r.aim(a, state)
	return newAction(r.tb, a)
}

// idOfText is the id of a part of the open turn that holds text, if there is one.
func (r *random) idOfText(turn jsonObject) any {
	parts := filtered(elements(turn, "responseParts"), func(part jsonObject) bool { return in(part, "kind", "markdown", "reasoning") })
	if len(parts) == 0 {
		return nil
	}
	return oneOf(r, parts...).(jsonObject)["id"]
}

// callsFor tells which states of a tool call the actions are meant for.
var callsFor = map[string][]string{
	"chat/toolCallDelta":           {"streaming"},
	"chat/toolCallReady":           {"streaming", "running", "pending-confirmation"},
	"chat/toolCallConfirmed":       {"pending-confirmation"},
	"chat/toolCallContentChanged":  {"running"},
	"chat/toolCallAuthRequired":    {"running"},
	"chat/toolCallAuthResolved":    {"auth-required"},
	"chat/toolCallComplete":        {"running", "pending-confirmation", "auth-required"},
	"chat/toolCallResultConfirmed": {"pending-result-confirmation"},
}

// idOfCall is the id of a tool call of the open turn in one of the states, if there is one.
func (r *random) idOfCall(turn jsonObject, states []string) any {
	parts := filtered(elements(turn, "responseParts"), func(part jsonObject) bool { return inState(inner(part, "toolCall"), states...) })
	if len(parts) == 0 {
		return nil
	}
	return inner(oneOf(r, parts...).(jsonObject), "toolCall")["toolCallId"]
}

// rare asks for another action most times when this one would leave later ones nothing to do.
func (r *random) rare(action string, open bool) bool {
	switch action {
	case "chat/turnComplete", "chat/turnCancelled", "chat/error", "chat/truncated", "chat/turnsLoaded", "session/customizationsChanged",
		"changeset/cleared", "changeset/contentChanged", "terminal/cleared":
		return r.chance(75)
	case "chat/turnStarted", "chat/turnResume":
		return open && r.chance(75)
	default:
		return strings.HasPrefix(action, "chat/") && !open && r.chance(60)
	}
}

// Without this, agreement could come from actions that never find anything to do.
func TestRandomActionsHaveEffects(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this test tries often")
	}
	effects := map[string]int{}
	for seed := range uint64(750) {
		r := newRandom(t, rand.NewPCG(seed, 0))
		c := r.channel()
		state := plain(t, encode(t, r.state(c)))
		for range stepsPerSequence {
			action := plain(t, encode(t, r.action(c, state)))
			next := refer(state, action, "2026-01-01T00:00:00.000Z")
			if len(differences(state, next)) > 0 {
				effects[text(action, "type")]++
			}
			state = next
		}
	}
	const enough = 5
	for name := range referenceRules {
		if slices.Contains(withoutEffect, name) {
			require.Zero(t, effects[name], name)
		} else {
			require.GreaterOrEqual(t, effects[name], enough, "%s hardly ever finds anything to do", name)
		}
	}
}
