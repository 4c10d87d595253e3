// Tests of translators between versions of MCP with random messages.

package translations

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/golden/kit/pairs"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

func TestMain(m *testing.M) { kit.Main(m) }

var functions = map[string]translate.Func{
	"lowerElicitation": lowerElicitation, "lowerField": lowerField, "lowerElicited": lowerElicited, "lowerSampled": lowerSampled,
	"lowerSamplingBlock": lowerSamplingBlock, "lowerTask": lowerTask, "lowerCancelled": lowerCancelled, "liftCapabilities": liftCapabilities,
	"dropReserved": dropReserved, "liftRequest": liftRequest, "lowerInput": lowerInput, "liftTask": liftTask, "lowerStructured": lowerStructured,
	"liftCancelled": liftCancelled,
}

func TestRandomMessages(t *testing.T) {
	count := pairs.Derive(t, "mcp@2025-11-25", "2025-06-18", functions).Valid()
	t.Log(count)
	require.Greater(t, count["lower"], 600)
	require.Greater(t, count["lower impossible"], 15)
	require.Zero(t, count["lift impossible"])
	require.Positive(t, count["lower left out notifications/cancelled"])
	require.Len(t, count, 4)
}

func TestListsAreExact(t *testing.T) {
	p := pairs.Derive(t, "mcp@2025-11-25", "2025-06-18", functions)
	t.Logf("%d values compared", p.List(nil, nil))
}

// TestMessagesWithoutAHandshake does so for a version without a handshake, which packages cannot speak versions before.
func TestMessagesWithoutAHandshake(t *testing.T) {
	p := pairs.Derive(t, "mcp@2026-07-28", "2025-11-25", functions)
	count := p.Valid()
	t.Log(count)
	require.Greater(t, count["lower"], 600)
	require.Greater(t, count["lift"], 600)
	require.Greater(t, count["lower impossible"], 30)
	require.Greater(t, count["lift impossible"], 5)
	require.Positive(t, count["lift left out notifications/cancelled"])
	require.Len(t, count, 5)
	t.Logf("%d values compared", p.List(nil, nil))
}
