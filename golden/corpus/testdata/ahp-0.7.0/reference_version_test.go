// What the tests of reducers know about 0.7.0 and is not so in the version that generated/ahp is made from.

package ahp_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

const protocolVersion = "0.7.0"

var versionChannels []channel

var versionRules = map[string]rule{
	"session/creationFailed": func(s, a jsonObject, _ string) jsonObject {
		return with(s, "lifecycle", "creationFailed", "creationError", a["error"])
	},
	"session/customizationToggled": onCustomization(func(c, a jsonObject) jsonObject { return with(c, "enabled", a["enabled"]) }),
	"chat/responsePart":            appendPart,
	"terminal/exited":              assign("exitCode", "exitCode"),
	"changeset/contentChanged": func(s, a jsonObject, _ string) jsonObject {
		return with(s, "files", a["files"], "operations", either(a["operations"], s["operations"]), "error", a["error"])
	},
	"annotations/updated": updateAnnotation("turnId", "resource", "range", "resolved"),
}

// modified is when a chat has last changed: it is the clock that says so.
func modified(_ any, now string) any { return now }

func withFailure(turn, a jsonObject) jsonObject { return with(turn, "error", a["error"]) }

// waitsForPerson is true: here every request does.
func waitsForPerson(jsonObject) bool { return true }

func (r *random) instead(string) any { return nil }

func (r *random) aim(_, _ jsonObject) {}

const terminalDefaults = `{"title":"T","content":[],"claim":{"kind":"client","clientId":"c"}}`

func stamped(string) string { return `"modifiedAt":"` + fixtureNow + `"` }

func off(string) string { return `,"enabled":false` }

func toggled(id string) string {
	return `{"type":"session/customizationToggled","id":"` + id + `","enabled":true}`
}

// failure is what a turn that failed with an error has, and the action that says so.
func failure(parts ...string) (inTurn, inAction string) {
	const failure = `"error":{"errorType":"e","message":"m"}`
	return fmt.Sprintf(`"responseParts":[%s],"state":"error",%s`, join(parts...), failure), failure
}

// TestVersion: these tests run on the package that they are for.
func TestVersion(t *testing.T) { require.Equal(t, protocolVersion, ahp.ProtocolVersion()) }
