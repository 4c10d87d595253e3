package behave_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/behave"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

var (
	id    = &protocol.Field{Name: "id", Type: protocol.String, Required: true}
	label = &protocol.Field{Name: "label", Type: protocol.String}
	item  = &protocol.Struct{Header: protocol.Header{Name: "Item"}, Fields: []*protocol.Field{id, label}}
	items = &protocol.Field{Name: "items", Type: protocol.List{Elem: protocol.Ref{Type: item}}, Required: true}
	title = &protocol.Field{Name: "title", Type: protocol.String}
	count = &protocol.Field{Name: "count", Type: protocol.Integer, Required: true}
	board = &protocol.Struct{Header: protocol.Header{Name: "Board"}, Fields: []*protocol.Field{items, title, count}}

	which = &protocol.Field{Name: "which", Type: protocol.String, Required: true}
	text  = &protocol.Field{Name: "text", Type: protocol.String, Required: true}
	whole = &protocol.Field{Name: "item", Type: protocol.Ref{Type: item}, Required: true}
	act   = &protocol.Struct{Header: protocol.Header{Name: "Act"}, Fields: []*protocol.Field{which, text, whole}}
	byID  = protocol.Key{Paths: [][]string{{"id"}}}
)

func action(effects ...*protocol.Effect) *protocol.Action {
	return &protocol.Action{Type: "act", Struct: act, Channel: &protocol.Channel{State: board}, Stated: true, Effects: effects}
}

func on(target *protocol.Field, do protocol.Operation) *protocol.Effect {
	return &protocol.Effect{Target: protocol.Path{target}, Do: do}
}

func labelled(every bool) *protocol.Effect {
	return on(items, &protocol.Patch{Key: byID, From: protocol.Path{which}, Every: every, Effects: []*protocol.Effect{
		on(label, &protocol.Set{From: protocol.Path{text}}),
	}})
}

func TestRulesInOtherWordsDoTheSame(t *testing.T) {
	set := on(title, &protocol.Set{From: protocol.Path{text}})
	add := on(items, &protocol.Append{From: protocol.Path{whole}})
	noTitle := &protocol.Effect{When: []*protocol.Condition{{Empty: protocol.Path{items}}}, Target: protocol.Path{title}, Do: &protocol.Clear{}}
	for name, pair := range map[string][2]*protocol.Action{
		"order":                {action(set, add), action(add, set)},
		"an effect undone":     {action(set), action(on(title, &protocol.Clear{}), set)},
		"removed before":       {action(on(items, &protocol.Remove{Key: byID, From: protocol.Path{which}, Every: true})), action(labelled(true), on(items, &protocol.Remove{Key: byID, From: protocol.Path{which}, Every: true}))},
		"exchange of the same": {action(on(items, &protocol.Set{Empty: true})), action(add, on(items, &protocol.Set{Empty: true}))},
		"what follows": {
			action(on(items, &protocol.Remove{Key: byID, From: protocol.Path{which}}), noTitle, set),
			action(on(items, &protocol.Remove{Key: byID, From: protocol.Path{which}, Then: []*protocol.Effect{noTitle}}), set),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := behave.Compare(pair[0], pair[1])
			require.Nil(t, got.Proof)
			require.Greater(t, got.Runs, 100)
		})
	}
}

func TestRulesThatDifferAreProvedBySmallStates(t *testing.T) {
	remove := func(every bool) *protocol.Effect {
		return on(items, &protocol.Remove{Key: byID, From: protocol.Path{which}, Every: every})
	}
	for name, pair := range map[string][2]*protocol.Action{
		"the first or every": {action(remove(false)), action(remove(true))},
		"patch every":        {action(labelled(false)), action(labelled(true))},
		"upsert":             {action(on(items, &protocol.Append{From: protocol.Path{whole}})), action(on(items, &protocol.Upsert{Key: byID, From: protocol.Path{whole}}))},
		"exchange":           {action(on(items, &protocol.Exchange{Key: byID, From: protocol.Path{whole}})), action(on(items, &protocol.Upsert{Key: byID, From: protocol.Path{whole}}))},
		"set":                {action(on(title, &protocol.Set{From: protocol.Path{text}})), action(on(title, &protocol.Set{From: protocol.Path{which}}))},
		"flag":               {action(on(count, &protocol.Flag{Bits: 2})), action(on(count, &protocol.Flag{Bits: 2, Mask: 1}))},
		"clear or empty":     {action(on(items, &protocol.Set{Empty: true})), action(on(items, &protocol.Clear{}))},
		"append or set":      {action(on(title, &protocol.Append{From: protocol.Path{text}})), action(on(title, &protocol.Set{From: protocol.Path{text}}))},
	} {
		t.Run(name, func(t *testing.T) {
			got, back := behave.Compare(pair[0], pair[1]), behave.Compare(pair[1], pair[0])
			require.NotNil(t, got.Proof)
			require.NotNil(t, back.Proof, "in the other direction")
			require.Less(t, len(got.Proof.State), 90, "%s", got.Proof.State)
			require.NotEqual(t, string(got.Proof.Old), string(got.Proof.New))
			require.Equal(t, got, behave.Compare(pair[0], pair[1]), "the same each time")
		})
	}
	first := behave.Compare(action(remove(false)), action(remove(true))).Proof
	require.Contains(t, first.OldPart, `"items":[{`)
	require.Equal(t, `{"items":[]}`, first.NewPart)
}

// TestWhatHappensTooSeldomIsNotCompared: rules that do nothing on nearly all states may differ on others.
func TestWhatHappensTooSeldomIsNotCompared(t *testing.T) {
	seldom := on(title, &protocol.Set{From: protocol.Path{text}})
	seldom.When = []*protocol.Condition{{Member: protocol.Path{text}, Is: &protocol.Value{Kind: protocol.String, Str: "elsewhere"}}}
	require.Equal(t, behave.Result{}, behave.Compare(action(seldom), action(seldom, seldom)))
	unknown := *action()
	unknown.Stated, unknown.Apply = false, func(map[string]any, map[string]any) (map[string]any, bool) { return nil, false }
	require.Equal(t, behave.Result{}, behave.Compare(action(), &unknown))
	unknown.Apply = nil
	require.Equal(t, behave.Result{}, behave.Compare(action(), &unknown))
}

// TestWhatOneVersionAloneHas: a new member of the action that changes what both have counts; a new member of the state
// does not, since that is a separate change.
func TestWhatOneVersionAloneHas(t *testing.T) {
	more := &protocol.Field{Name: "more", Type: protocol.String}
	newAct := &protocol.Struct{Header: act.Header, Fields: append([]*protocol.Field{more}, act.Fields...)}
	newBoard := &protocol.Struct{Header: board.Header, Fields: append([]*protocol.Field{more}, board.Fields...)}
	set := on(title, &protocol.Set{From: protocol.Path{text}})
	with := func(e *protocol.Effect) *protocol.Action {
		return &protocol.Action{Type: "act", Struct: newAct, Channel: &protocol.Channel{State: newBoard}, Stated: true, Effects: []*protocol.Effect{set, e}}
	}
	reset := &protocol.Effect{When: []*protocol.Condition{{Present: protocol.Path{more}}}, Target: protocol.Path{title}, Do: &protocol.Clear{}}
	got := behave.Compare(action(set), with(reset))
	require.NotNil(t, got.Proof)
	require.Contains(t, string(got.Proof.Action), `"more":`)
	require.NotNil(t, behave.Compare(with(reset), action(set)).Proof)
	got = behave.Compare(action(set), with(on(more, &protocol.Set{From: protocol.Path{more}})))
	require.Nil(t, got.Proof)
	require.Equal(t, 200, got.Runs)
}
