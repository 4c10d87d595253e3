// Test of the report on the way from AHP 0.7.0 to 1.0.0, against all that is known to have changed on it.

package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// knownChanges are the changes since the development before 0.8.0.
type knownChanges struct {
	Channels struct {
		New []struct{ State string }
	}
	Actions struct {
		ReducerOnlyChanges []struct{ Action string } // several with commas between them

		New     []struct{ Type, Def string }
		Removed []any
		Changed map[string]knownMembers
	}
	Types struct {
		New     map[string]knownMembers
		Removed map[string]any
		Changed map[string]knownMembers
	}
	Enums struct {
		New     map[string]any
		Changed map[string]struct{ Added, Removed []any }
	}
	Unions struct {
		New     map[string]any
		Changed map[string]struct {
			Added, Removed []struct{ TagValue string }
		}
	}
	Methods struct {
		New     []struct{ Name, Params, Result string }
		Removed []any
	}
	ErrorCodes struct {
		Removed []struct{ Code int }
	}
}

type knownMembers struct {
	Def            string
	Added, Removed map[string]any
	Changed        map[string]struct {
		ReleasedIn string
		From, To   struct{ Type string }
	}
	ChangesMember *knownMembers
}

// add lists the changes of a definition's members. Members that only got a named model are as they were on the wire.
func (m knownMembers) add(name string, out map[string]bool) {
	for member := range m.Added {
		out["field-added: "+name+"."+member] = true
	}
	for member := range m.Removed {
		out["field-removed: "+name+"."+member] = true
	}
	for member, c := range m.Changed {
		at := name + "." + member
		switch {
		case strings.Contains(c.ReleasedIn, "wire unchanged"):
		case strings.HasPrefix(c.To.Type, "("):
			for _, variant := range strings.Split(strings.Trim(c.To.Type, "()"), "|") {
				if !strings.Contains(c.From.Type+"|", variant+"|") && !strings.Contains(c.From.Type, variant+")") {
					out["variant-added: "+at+": "+variant] = true
				}
			}
		default:
			out["changed: "+at] = true
		}
	}
}

// inline are objects that have a name with us.
var inlineChanges = map[string]string{"SessionChatUpdatedAction": "PartialChatSummary", "SessionSummaryChangedParams": "PartialSessionSummary"}

// never are definitions that are only taken in by others, or name models of what was there before.
var never = []string{"SessionMetadata", "ContainerCustomizationBase", "BackgroundWorkBase", "FileEditSide", "FileEditDiffStats", "FileEditCollection"}

// aliases are definitions that only name another.
var aliases = []string{"SessionOrigin"}

func (k knownChanges) expected(t *testing.T) map[string]bool {
	t.Helper()
	require.Empty(t, k.Actions.Removed)
	require.Empty(t, k.Methods.Removed)
	out := map[string]bool{}
	typ := func(name string) {
		if !slices.Contains(never, name) && !slices.Contains(aliases, name) {
			out["type-added: "+name] = true
		}
	}
	for _, a := range k.Actions.New {
		out["action-added: action "+a.Type], out[fmt.Sprintf("variant-added: StateAction: %q", a.Type)] = true, true
		typ(a.Def)
	}
	for _, m := range k.Methods.New {
		out["method-added: method "+m.Name] = true
		typ(m.Params)
		typ(m.Result)
	}
	for name := range k.Types.New {
		typ(name)
	}
	for name := range k.Enums.New {
		typ(name)
	}
	for name := range k.Unions.New {
		typ(name)
	}
	for name := range k.Types.Removed {
		out["type-removed: "+name] = true
	}
	changed := func(name string, m knownMembers) {
		if slices.Contains(never, name) {
			return
		}
		m.add(name, out)
		if m.ChangesMember != nil {
			m.ChangesMember.add(inlineChanges[name], out)
		}
	}
	for name, m := range k.Types.Changed {
		changed(name, m)
	}
	for _, m := range k.Actions.Changed {
		changed(m.Def, m)
	}
	for name, e := range k.Enums.Changed {
		if name == "AhpErrorCode" {
			continue // the codes are listed by themselves
		}
		for _, v := range e.Added {
			out[fmt.Sprintf("enum-value-added: %s: %q", name, v)] = true
		}
		for _, v := range e.Removed {
			out[fmt.Sprintf("enum-value-removed: %s: %q", name, v)] = true
		}
	}
	for name, u := range k.Unions.Changed {
		for _, v := range u.Added {
			out[fmt.Sprintf("variant-added: %s: %q", name, v.TagValue)] = true
		}
		require.Empty(t, u.Removed)
	}
	for _, c := range k.ErrorCodes.Removed {
		out[fmt.Sprintf("error-removed: error %d", c.Code)] = true
	}
	for _, c := range k.Channels.New {
		out["channel-added: "+c.State] = true
	}
	return out
}

// details is what a change says beyond where it is and what it is.
var details = regexp.MustCompile(`^((?:field|type|method|action|error)-\w+: [^:]+): .*$`)

func key(c change.Change, channels map[string]string) string {
	text := details.ReplaceAllString(c.String(), "$1")
	if name, ok := strings.CutPrefix(text, "channel-added: channel "); ok {
		return "channel-added: " + channels[name]
	}
	for _, rule := range []string{"type-changed", "type-narrowed", "type-widened"} {
		text = strings.Replace(text, rule+": ", "changed: ", 1)
	}
	return text
}

func readKnownChanges(t *testing.T) (known knownChanges) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(kit.Corpus(t), "ahp", "1.0.0", "changes.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &known))
	return known
}

// TestChangesTo100 composes what changed from 0.7.0 to the development before 0.8.0 with what is known of the way
// from there. All of it has to be found, in our schemas and in the publisher's, and nothing else.
func TestChangesTo100(t *testing.T) {
	known := readKnownChanges(t)
	own := kit.Analyse(t, generator.Config{Schemas: "ahp@1.0.0"})
	channels := map[string]string{}
	for _, c := range own.Channels {
		if c.State != nil {
			channels[c.Name] = c.State.Name
		}
	}
	older := kit.Analyse(t, releaseConfig(t, "0.7.0", ""))
	want := known.expected(t)
	want["type-added: SessionOrigin"] = true // another name for AutomationSessionOrigin, which the list of changes leaves out
	for _, c := range change.Compare(older, kit.Analyse(t, releaseConfig(t, "0.8.0-dev", ""))) {
		if !offTheWire(c) {
			want[key(c, channels)] = true
		}
	}
	official := kit.Analyse(t, generator.Config{Schemas: publish(t, "1.0.0").write(t, t.TempDir()), Profile: "ahp"})
	for name, found := range map[string][]change.Change{
		"ours": change.Compare(kit.Analyse(t, generator.Config{Schemas: "ahp@0.7.0"}), own), "the publisher's": change.Compare(older, official),
	} {
		got := map[string]bool{}
		for _, c := range found {
			if !offTheWire(c) {
				got[key(c, channels)] = true
			}
		}
		require.Equal(t, want, got, name)
	}

	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, cli.Run([]string{"diff", "0.7.0", "1.0.0"}, &stdout, &stderr), stderr.String())
	report := strings.Join(strings.Fields(stdout.String()), " ")
	for change := range want {
		rule, place, _ := strings.Cut(change, ": ")
		if strings.HasPrefix(rule, "type-") || strings.HasPrefix(place, "StateAction: ") || rule == "channel-added" {
			continue // said with what uses it, as an action, and by its name
		}
		require.Contains(t, report, place)
	}
}

// offTheWire reports whether a change shows in states only, or in Go only: in no message.
func offTheWire(c change.Change) bool {
	return strings.HasPrefix(string(c.Rule), "action-rule-") || c.Rule == change.TypeRenamed
}

// rulesOfOtherShapes are the actions with another rule besides those whose shape stays.
var rulesOfOtherShapes = map[string]string{
	"changeset/contentChanged":     "what it sets has gone",
	"session/customizationToggled": "it brings scopes in place of one switch",
	"session/inputNeededSet":       "some requests no longer count, since 0.8.0-dev",
	"session/inputNeededRemoved":   "some requests no longer count, since 0.8.0-dev",
}

// TestChangedRulesTo100: each reducer that does something else from 1.0.0 on is reported, and no other.
func TestChangedRulesTo100(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, cli.Run([]string{"diff", "0.7.0", "1.0.0", "--format", "json"}, &stdout, &stderr), stderr.String())
	var report struct {
		Changes []struct{ Rule, Subject string }
	}
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &report))
	got := map[string]bool{}
	for _, c := range report.Changes {
		if strings.HasPrefix(c.Rule, "action-rule-") {
			got[strings.TrimPrefix(c.Subject, "action ")] = true
		}
	}
	want := map[string]bool{}
	for action := range rulesOfOtherShapes {
		want[action] = true
	}
	for _, c := range readKnownChanges(t).Actions.ReducerOnlyChanges {
		for action := range strings.SplitSeq(c.Action, ", ") {
			want[action] = true
		}
	}
	delete(want, "changeset/statusChanged") // the same rule for one more status
	require.Equal(t, want, got)
}
