package accept_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/internal/accept"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// finding is a field that an object gained.
func finding(subject string, required bool) verdict.Finding {
	field := &protocol.Field{Name: "id", Type: protocol.String, Required: required}
	return verdict.Finding{Rule: &verdict.Rule{}, Change: change.Change{
		Rule: change.FieldAdded, Subject: subject, Place: change.Place{NewType: &protocol.Struct{Fields: []*protocol.Field{field}}, NewField: field},
	}}
}

func TestAcceptedFindingsAreLeftOut(t *testing.T) {
	list, base := &accept.List{}, &protocol.Protocol{Version: "1.0.0"}
	require.Equal(t, 1, list.Add(base, []verdict.Finding{finding("A.id", false)}, "We want it."))
	advice := finding("A.other", false)
	advice.Rule = &verdict.Rule{Advice: true}
	require.Zero(t, list.Add(base, []verdict.Finding{advice}, "Advice needs no acceptance."))
	text, err := list.Format()
	require.NoError(t, err)

	list, found, err := accept.Parse("accepted.json", text)
	require.NoError(t, err)
	require.Empty(t, found)
	left, accepted, stale := list.Apply(base, []verdict.Finding{finding("A.id", false), finding("B.id", false)})
	require.Len(t, left, 1)
	require.Equal(t, "B.id", left[0].Subject)
	require.Equal(t, 1, accepted)
	require.Empty(t, stale)

	left, accepted, stale = list.Apply(base, []verdict.Finding{finding("A.id", true)})
	require.Len(t, left, 1, "the change has another shape")
	require.Zero(t, accepted)
	require.Len(t, stale, 1)
	require.Equal(t, "stale-acceptance", stale[0].Code)
	require.Equal(t, 3, stale[0].Pos.Line)

	_, _, stale = list.Apply(&protocol.Protocol{Version: "1.1.0"}, nil)
	require.Empty(t, stale, "it is for another version")
	has := &protocol.Struct{Fields: []*protocol.Field{{Name: "id", Type: protocol.String}}}
	has.Name = "A"
	_, _, stale = list.Apply(&protocol.Protocol{Version: "1.0.0", Types: []protocol.Type{has}}, nil)
	require.Empty(t, stale, "the base has it already")
}

func TestADefinitionMayHaveAnEmptyName(t *testing.T) {
	list, base := &accept.List{}, &protocol.Protocol{}
	list.Add(base, []verdict.Finding{finding("", false)}, "We want it.")
	text, err := list.Format()
	require.NoError(t, err)
	list, found, err := accept.Parse("accepted.json", text)
	require.NoError(t, err)
	require.Empty(t, found)
	_, accepted, _ := list.Apply(base, []verdict.Finding{finding("", false)})
	require.Equal(t, 1, accepted)
}

func TestFilesThatAreNoListsAreRefused(t *testing.T) {
	for _, text := range []string{`{`, `[]`, `{"accepted": [{"rule": "field-added"}]}`, `{"accepted": [], "more": 1}`} {
		list, found, err := accept.Parse("accepted.json", []byte(text))
		require.NoError(t, err)
		require.Nil(t, list, text)
		require.NotEmpty(t, found, text)
	}
	text, err := (&accept.List{}).Format()
	require.NoError(t, err)
	require.Equal(t, "{\n  \"accepted\": []\n}\n", string(text))
}
