package change_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/change"
)

func TestConversationsAreCompared(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(root map[string]any)
		want []string
	}{
		"another pass-through member": {
			func(root map[string]any) { object(root["x-channels"].([]any)[1])["passThrough"] = "target" },
			[]string{`channel-pass-through-changed: channel mcp: "channel" → "target"`},
		},
		"another handshake": {
			func(root map[string]any) { object(root["x-handshake"])["error"] = -32006 },
			nil, // refused: that error carries no versions
		},
		"no handshake": {
			func(root map[string]any) { delete(root, "x-handshake") },
			[]string{
				`handshake-changed: handshake answer: "protocolVersion" → ""`, `handshake-changed: handshake error: "-32005" → ""`,
				`handshake-changed: handshake method: "initialize" → ""`, `handshake-changed: handshake offer: "protocolVersions" → ""`,
				`handshake-changed: handshake supported: "supportedVersions" → ""`,
				`session-removed: session`,
			},
		},
		"names for extensions": {
			func(root map[string]any) { object(root["x-extensions"])["prefix"] = "_" },
			[]string{`extension-prefix-changed: extensions: "" → "_"`},
		},
		"no metadata": {
			func(root map[string]any) { root["x-extensions"] = map[string]any{"prefix": "x-"} },
			[]string{`extension-meta-changed: extensions: "_meta" → ""`, `extension-prefix-changed: extensions: "" → "x-"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			old, diags := analyse(embedded(t))
			require.NotNil(t, old, "%v", diags.Sorted())
			docs := embedded(t)
			c.edit(docs["state.schema.json"])
			if docs["state.schema.json"]["x-handshake"] == nil {
				delete(object(docs["commands.schema.json"]["x-replication"]), "session") // which begins with one
			}
			edited, diags := analyse(docs)
			if c.want == nil {
				require.Nil(t, edited)
				return
			}
			require.NotNil(t, edited, "%v", diags.Sorted())
			var got []string
			for _, ch := range change.Compare(old, edited) {
				got = append(got, ch.String())
			}
			require.Equal(t, c.want, got)
		})
	}
}
