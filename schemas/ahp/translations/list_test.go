// Tests of the lists of what is not the same in older versions: they name all that is lost, and nothing else.

package translations

import (
	"testing"

	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/golden/kit/pairs"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

func TestMain(m *testing.M) { kit.Main(m) }

var functions = map[string]translate.Func{
	"liftActiveClient":       liftActiveClient,
	"liftAnnotationOrigin":   liftAnnotationOrigin,
	"liftAuthResource":       liftAuthResource,
	"liftCallReady":          liftCallReady,
	"liftChatError":          liftChatError,
	"liftClientExecution":    liftClientExecution,
	"liftContentChanged":     liftContentChanged,
	"liftDirectories":        liftDirectories,
	"liftEnablement":         liftEnablement,
	"liftOpenTurn":           liftOpenTurn,
	"liftRequests":           liftRequests,
	"liftSessionFork":        liftSessionFork,
	"liftSessionStatus":      liftSessionStatus,
	"liftSessionTimes":       liftSessionTimes,
	"liftTerminalClaim":      liftTerminalClaim,
	"liftTerminalComplete":   liftTerminalComplete,
	"liftTerminalLifecycle":  liftTerminalLifecycle,
	"liftTurnEnd":            liftTurnEnd,
	"liftTurnError":          liftTurnError,
	"liftTurnStart":          liftTurnStart,
	"lowerAnnotationOrigin":  lowerAnnotationOrigin,
	"lowerAuthResource":      lowerAuthResource,
	"lowerCallComplete":      lowerCallComplete,
	"lowerCallContent":       lowerCallContent,
	"lowerCallReady":         lowerCallReady,
	"lowerCallStopped":       lowerCallStopped,
	"lowerChatError":         lowerChatError,
	"lowerChatFlags":         lowerChatFlags,
	"lowerChatSource":        lowerChatSource,
	"lowerChatsReordered":    lowerChatsReordered,
	"lowerChoices":           lowerChoices,
	"lowerContentChanged":    lowerContentChanged,
	"lowerDirectories":       lowerDirectories,
	"lowerDirectoriesChange": lowerDirectoriesChange,
	"lowerDirectoryChanged":  lowerDirectoryChanged,
	"lowerDirectoryReplaced": lowerDirectoryReplaced,
	"lowerEnablement":        lowerEnablement,
	"lowerNewPart":           lowerNewPart,
	"lowerRequestCompleted":  lowerRequestCompleted,
	"lowerRequestPart":       lowerRequestPart,
	"lowerRequested":         lowerRequested,
	"lowerRequests":          lowerRequests,
	"lowerSessionStatus":     lowerSessionStatus,
	"lowerSessionTimes":      lowerSessionTimes,
	"lowerStoppedCall":       lowerStoppedCall,
	"lowerTerminalLifecycle": lowerTerminalLifecycle,
	"lowerTerminalResult":    lowerTerminalResult,
	"lowerToolApproved":      lowerToolApproved,
	"lowerToolDelta":         lowerToolDelta,
	"lowerToolReady":         lowerToolReady,
	"lowerTurnError":         lowerTurnError,
	"lowerTurnResume":        lowerTurnResume,
	"lowerTurnStarted":       lowerTurnStarted,
}

// TestListsAreExact wants the lists to name each loss, at its place, and to name nothing that is not lost.
func TestListsAreExact(t *testing.T) {
	status := "the status itself comes back as it was"
	for older, unseen := range map[string]map[string]string{
		"0.8.0": nil, "0.7.0": nil, "0.6.0": nil,
		"0.5.2": {"lowered: lost: ChatSummary: That a chat which": status, "lowered: lost: PartialChatSummary: That a chat which": status},
	} {
		t.Run(older, func(t *testing.T) {
			p := pairs.Derive(t, "ahp@1.0.0", older, functions)
			t.Logf("%d values compared", p.List(steer, unseen))
		})
	}
}

// steer lets an action name the open turn, and a call in it.
func steer(state, action map[string]any) {
	turn, ok := state["activeTurn"].(map[string]any)
	if !ok || action["turnId"] == nil {
		return
	}
	action["turnId"] = turn["id"]
	parts, _ := turn["responseParts"].([]any)
	for _, part := range parts {
		if call, ok := part.(map[string]any)["toolCall"].(map[string]any); ok && action["toolCallId"] != nil {
			action["toolCallId"] = call["toolCallId"]
		}
	}
}
