package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func TestBothSidesMarkWhatDiffers(t *testing.T) {
	for _, c := range []struct{ before, after, wantBefore, wantAfter string }{
		{"a: string", "a: number", "a: <del>string</del>", "a: <ins>number</ins>"},
		{"a: string", "a?: string", "a: string", "a<ins>?</ins>: string"},
		{"", "a <b>", "", "a &lt;b&gt;"},
		{"same", "same", "same", "same"},
	} {
		before, after := compared(c.before, c.after)
		require.Equal(t, c.wantBefore, string(before))
		require.Equal(t, c.wantAfter, string(after))
	}
}

func TestHostileNamesInAComparisonAreText(t *testing.T) {
	evil := "</script><script>alert(1)</script>\u202e"
	field := &protocol.Field{Name: evil, Type: protocol.String}
	old := &protocol.Struct{Header: protocol.Header{Name: evil}, Fields: []*protocol.Field{field}}
	found := change.Change{
		Rule: change.FieldRemoved, Subject: evil + "." + evil, From: evil, Old: diag.Pos{File: evil, Line: 1}, Place: change.Place{OldType: old, NewType: old, OldField: field},
	}
	p := &protocol.Protocol{Name: evil, Version: evil, Types: []protocol.Type{old}}
	d := &Diff{
		Protocol: evil, Old: Version{Name: evil}, New: Version{Name: evil}, Findings: verdict.Judge(p, p, []change.Change{found}),
		Timeline: func() *Timeline { return &Timeline{[]*protocol.Protocol{p, {Version: "2"}}} },
		Left:     &Left{Changes: []diag.Diagnostic{{Pos: diag.Pos{File: evil}, Message: evil}}, Unchecked: evil, Settings: []string{evil}},
	}
	var out strings.Builder
	require.NoError(t, d.Write(&out, "html", protocol.FromBoth))
	require.Equal(t, 1, strings.Count(out.String(), "<script>"))
	require.NotContains(t, out.String(), "\u202e")
	require.Contains(t, out.String(), `\u202e`)
	require.Contains(t, out.String(), "gone in 2")
}

func TestATimelineSaysWhenThingsCameAndWent(t *testing.T) {
	version := func(v string, names ...string) *protocol.Protocol {
		p := &protocol.Protocol{Version: v, Actions: &protocol.ActionSet{}}
		for _, name := range names {
			p.Actions.Actions = append(p.Actions.Actions, &protocol.Action{Type: name, Since: map[string]string{"b": "1.5"}[name]})
		}
		return p
	}
	table := (&Timeline{[]*protocol.Protocol{version("1", "a", "c", "d"), version("2", "a", "b", "d"), version("3", "a", "b", "c")}}).table()
	require.Equal(t, []string{"1", "2", "3"}, table.Versions)
	require.Len(t, table.Groups, 1)
	var rows []string
	for _, r := range table.Groups[0].Rows {
		rows = append(rows, r.Name+" "+r.Text)
	}
	require.Equal(t, []string{"b came in 1.5", "c gone in 2, came in 3", "d gone in 3"}, rows)
	require.Nil(t, (&Timeline{[]*protocol.Protocol{version("1")}}).table())
}
