// What reducers do to customizations: which one is meant by an id, and those of unknown types.

package ahp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// Customizations to make lists from. Those that are off say so, those that are on where they have to.
func plugin(id, members string) string { return entry("plugin", id, members) }
func directory(id, members string) string {
	return entry("directory", id, `,"contents":"skill","writable":false`+members)
}
func mcpServer(id, state string) string {
	return entry("mcpServer", id, `,"state":{"kind":"`+state+`"}`)
}
func container(id string, children ...string) string {
	return plugin(id, `,"children":[`+join(children...)+`]`)
}

func entry(typ, id, members string) string {
	return `{"type":"` + typ + `","id":"` + id + `","uri":"file:///` + id + `","name":"N"` + off(typ) + members + `}`
}

func child(typ, id string) string {
	return `{"type":"` + typ + `","id":"` + id + `","uri":"file:///` + id + `","name":"N"}`
}

// on is a customization that was switched on.
func on(customization string) string {
	if strings.Contains(customization, `"enabled":false`) {
		return strings.Replace(customization, `"enabled":false`, `"enabled":true`, 1)
	}
	return strings.TrimSuffix(customization, "}") + `,"enabled":true}`
}

func customizations(list ...string) string {
	return object(`"customizations":[` + join(list...) + `]`)
}

func TestCustomizationToggled(t *testing.T) {
	toggle := toggled
	cases := []reduced{
		{"no list", `{}`, toggle("a"), same},
		{"no such id", customizations(container("a", child("skill", "b")), mcpServer("c", "ready")), toggle("x"), same},
		{"plugin", customizations(plugin("a", ""), plugin("b", "")), toggle("b"), customizations(plugin("a", ""), on(plugin("b", "")))},
		{"directory", customizations(directory("a", "")), toggle("a"), customizations(on(directory("a", "")))},
		{"server", customizations(mcpServer("a", "ready")), toggle("a"), customizations(on(mcpServer("a", "ready")))},
		{"unknown type", customizations(entry("theme", "a", `,"color":1`)), toggle("a"), customizations(on(entry("theme", "a", `,"color":1`)))},
		{"the top comes first", customizations(container("a", child("skill", "b")), plugin("b", "")), toggle("b"), customizations(container("a", child("skill", "b")), on(plugin("b", "")))},
		{"only the first at the top", customizations(plugin("a", ""), plugin("a", "")), toggle("a"), customizations(on(plugin("a", "")), plugin("a", ""))},
		{
			"only the first child of the first container",
			customizations(container("a", child("rule", "x")), container("b", child("skill", "c"), child("skill", "c")), container("d", child("skill", "c"))), toggle("c"),
			customizations(container("a", child("rule", "x")), container("b", on(child("skill", "c")), child("skill", "c")), container("d", child("skill", "c"))),
		},
		{"child of a directory", customizations(directory("a", `,"children":[`+child("skill", "b")+`]`)), toggle("b"), customizations(directory("a", `,"children":[`+on(child("skill", "b"))+`]`))},
		{"child that is a server", customizations(container("a", mcpServer("b", "ready"))), toggle("b"), customizations(container("a", on(mcpServer("b", "ready"))))},
		{
			"child of an unknown type of container",
			customizations(entry("bundle", "a", `,"children":[`+join(child("skill", "b"), child("charm", "c"))+`],"size":2`)), toggle("c"),
			customizations(entry("bundle", "a", `,"children":[`+join(child("skill", "b"), on(child("charm", "c")))+`],"size":2`)),
		},
		{"what an unknown type calls children need not be any", customizations(entry("bundle", "a", `,"children":["b"]`), entry("bundle", "c", `,"children":2`)), toggle("b"), same},
		{"an unknown type without id has none, not an empty one", customizations(`{"type":"theme"}`, container("a", `{"type":"charm"}`)), toggle(""), same},
		{"an id is a string", customizations(`{"type":"theme","id":7}`, `{"type":"theme","id":null}`), toggle("7"), same},
	}
	for _, typ := range []string{"agent", "skill", "prompt", "rule", "hook", "charm"} {
		cases = append(cases, reduced{"child: " + typ, customizations(container("a", child(typ, "b"))), toggle("b"), customizations(container("a", on(child(typ, "b"))))})
	}
	session(t, cases)
}

// TestUnknownCustomizationsKeepTheirBytes switches customizations of unknown types on, whose text is
// otherwise to stay: white space, order, numbers that no Go type holds, and a member that is there twice.
func TestUnknownCustomizationsKeepTheirBytes(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"first", `{"enabled": false, "type":"theme","id":"a"}`, `{"enabled": true, "type":"theme","id":"a"}`},
		{"last", "{ \"type\":\"theme\",\"id\":\"a\" , \"enabled\"\t:\nfalse }", "{ \"type\":\"theme\",\"id\":\"a\" , \"enabled\"\t:\ntrue }"},
		{"not there", "{\"z\":1e999, \"type\":\"theme\",\"id\":\"a\" \n}", "{\"z\":1e999, \"type\":\"theme\",\"id\":\"a\" \n,\"enabled\":true}"},
		{"of another type", `{"type":"theme","id":"a","enabled":{"since":[1, 2]}}`, `{"type":"theme","id":"a","enabled":true}`},
		{"deeper down only", `{"type":"theme","id":"a","x":{"enabled":false}}`, `{"type":"theme","id":"a","x":{"enabled":false},"enabled":true}`},
		{"twice", `{"type":"theme","enabled":false,"id":"a","enabled":null,"x":"<"}`, `{"type":"theme","enabled":true,"id":"a","enabled":true,"x":"<"}`},
		{"escaped", `{"type":"theme","id":"\u0061","en\u0061bled":false}`, `{"type":"theme","id":"\u0061","en\u0061bled":true}`},
		{"on already", `{"type":"theme","id":"a","enabled": true}`, `{"type":"theme","id":"a","enabled": true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			custom, err := ahp.DecodeCustomization([]byte(c.before))
			require.NoError(t, err)
			toggle, err := ahp.DecodeStateAction([]byte(toggled("a")))
			require.NoError(t, err)
			next := new(ahp.Reducer).Session(&ahp.SessionState{Customizations: []ahp.Customization{custom}}, toggle.(ahp.SessionAction))
			require.Equal(t, c.after, string(encode(t, next.Customizations[0])))
			require.Equal(t, c.before, string(encode(t, custom)))
		})
	}
}

// A program can put bytes into a customization that are no object. They come to no harm.
func TestUnknownCustomizationsThatAreNoObjects(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{`, `{"id":"a"`, `{"id":"a",}`, `null`} {
		s := &ahp.SessionState{Customizations: []ahp.Customization{
			&ahp.UnknownCustomization{Type: "theme", Raw: json.RawMessage(raw)},
		}}
		require.Same(t, s, new(ahp.Reducer).Session(s, &ahp.SessionCustomizationToggledAction{ID: "a"}), raw)
		require.Same(t, s, new(ahp.Reducer).Session(s, &ahp.SessionCustomizationRemovedAction{ID: "a"}), raw)
	}
}

func TestCustomizationRemoved(t *testing.T) {
	remove := func(id string) string {
		return `{"type":"session/customizationRemoved","id":"` + id + `"}`
	}
	session(t, []reduced{
		{"no list", `{}`, remove("a"), same},
		{"no such id", customizations(container("a", child("skill", "b"))), remove("x"), same},
		{"an emptied list stays", customizations(plugin("a", "")), remove("a"), customizations()},
		{"only the first at the top", customizations(plugin("a", ""), entry("theme", "a", ""), mcpServer("a", "ready")), remove("a"), customizations(entry("theme", "a", ""), mcpServer("a", "ready"))},
		{"unknown type", customizations(plugin("a", ""), entry("theme", "b", "")), remove("b"), customizations(plugin("a", ""))},
		{"the top comes first", customizations(container("a", child("skill", "b")), plugin("b", "")), remove("b"), customizations(container("a", child("skill", "b")))},
		{
			"the first child of every container, of whatever type",
			customizations(container("a", child("skill", "c"), child("rule", "c")), plugin("b", ""), container("d", child("charm", "c")), entry("bundle", "e", `,"children":[`+child("skill", "c")+`]`)), remove("c"),
			customizations(container("a", child("rule", "c")), plugin("b", ""), container("d"), entry("bundle", "e", `,"children":[]`)),
		},
	})
}

func TestMCPServers(t *testing.T) {
	changed := func(id, channel string) string {
		return `{"type":"session/mcpServerStateChanged","id":"` + id + `","state":{"kind":"ready"}` + channel + `}`
	}
	request := func(what, id string) string {
		return `{"type":"session/mcpServer` + what + `Requested","id":"` + id + `"}`
	}
	reachable := func(id, state string) string {
		return strings.TrimSuffix(mcpServer(id, state), "}") + `,"channel":"mcp://` + id + `"}`
	}
	session(t, []reduced{
		{"no list", `{}`, changed("a", ""), same},
		{"no such id", customizations(mcpServer("a", "starting"), container("b", mcpServer("c", "starting"))), changed("x", ""), same},
		{"ready, on a channel", customizations(mcpServer("a", "starting")), changed("a", `,"channel":"mcp://a"`), customizations(reachable("a", "ready"))},
		{"ready, on no channel any more", customizations(reachable("a", "starting")), changed("a", ""), customizations(mcpServer("a", "ready"))},
		{"to be started", customizations(reachable("a", "stopped")), request("Start", "a"), customizations(mcpServer("a", "starting"))},
		{"to be stopped", customizations(reachable("a", "ready")), request("Stop", "a"), customizations(mcpServer("a", "stopped"))},
		{"state of a kind that is not known", customizations(mcpServer("a", "dreaming")), request("Stop", "a"), customizations(mcpServer("a", "stopped"))},
		{"the top comes first", customizations(container("b", mcpServer("a", "starting")), mcpServer("a", "starting")), changed("a", ""), customizations(container("b", mcpServer("a", "starting")), mcpServer("a", "ready"))},
		{"something else at the top ends the search", customizations(plugin("a", ""), mcpServer("a", "starting"), container("b", mcpServer("a", "starting"))), changed("a", ""), same},
		{"even of an unknown type", customizations(entry("theme", "a", ""), container("b", mcpServer("a", "starting"))), request("Start", "a"), same},
		{
			"the first server of every container; other children do not end the search",
			customizations(container("b", child("skill", "a"), mcpServer("a", "starting"), mcpServer("a", "starting")), container("c", child("skill", "a")), entry("bundle", "d", `,"children":[`+mcpServer("a", "starting")+`]`)), changed("a", ""),
			customizations(container("b", child("skill", "a"), mcpServer("a", "ready"), mcpServer("a", "starting")), container("c", child("skill", "a")), entry("bundle", "d", `,"children":[`+mcpServer("a", "ready")+`]`)),
		},
	})
}
