// Tests of how a report shows what differs, and where.

package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
)

func TestAnExcerptShowsWhatDiffers(t *testing.T) {
	values := func(list ...string) string { return strings.Join(list, " | ") }
	for _, c := range []struct{ from, to, want string }{
		{"", "optional string", "optional string"},
		{"string", "Size", "string → Size"},
		{
			values(`"monday"`, `"tuesday"`, `"wednesday"`, `"friday"`), values(`"monday"`, `"tuesday"`, `"thursday"`, `"friday"`),
			`… | "wednesday" | … → … | "thursday" | …`,
		},
		{
			values(`"monday"`, `"tuesday"`, `"wednesday"`), values(`"monday"`, `"tuesday"`, `"wednesday"`, `"thursday"`),
			`… → … | "thursday"`,
		},
		{
			"list of map of list of AVeryLongNameOfAType", "list of map of list of AnotherLongNameOfAType",
			"… AVeryLongNameOfAType → … AnotherLongNameOfAType",
		},
	} {
		require.Equal(t, c.want, excerpt(c.from, c.to))
	}
}

func TestLinesFold(t *testing.T) {
	require.Equal(t, "short\n", fold("short", "    "))
	long := "    " + strings.Repeat("word ", 40) + "end"
	folded := fold(long, "        ")
	for line := range strings.Lines(folded) {
		require.LessOrEqual(t, len(line), columns+1)
	}
	require.Equal(t, strings.Fields(long), strings.Fields(folded))
	require.Contains(t, folded, "\n        word")
}

func TestPathsAttachToTheRepository(t *testing.T) {
	p := Paths{Dir: "/repo/sub", Root: "/repo"}
	for file, want := range map[string]string{
		"a.json": "sub/a.json", "../schema/a.json": "schema/a.json", "/repo/schema/a.json": "schema/a.json",
		"/elsewhere/a.json": "", "../../a.json": "", "git:HEAD:schema/a.json": "", "embedded:p/1.0.0/a.json": "",
	} {
		at, ok := p.attached(diag.Pos{File: file, Line: 1})
		require.Equal(t, want != "", ok, file)
		if ok {
			require.Equal(t, want, at.File)
		}
	}
	for file, want := range map[string]string{
		"a.json": "a.json", "/repo/sub/a.json": "a.json", "/repo/schema/a.json": "../schema/a.json", "/elsewhere/a.json": "/elsewhere/a.json",
	} {
		require.Equal(t, want, p.shown(diag.Pos{File: file}).File)
	}
	at, ok := Paths{}.attached(diag.Pos{File: "schema/a.json"})
	require.True(t, ok, "without a repository, the working directory stands for it")
	require.Equal(t, "schema/a.json", at.File)
}

func TestTheLastAnnotationSpeaksForTheRest(t *testing.T) {
	var notes []note
	for range 14 {
		notes = append(notes, note{title: "rule", lines: []string{"line"}, about: 2})
	}
	got := limited(notes)
	require.Len(t, got, maxAnnotations)
	require.Equal(t, "10 more", got[maxAnnotations-1].title)
	require.Len(t, got[maxAnnotations-1].lines, 5)
	require.Len(t, limited(notes[:10]), 10)
}

func TestACommentStaysShort(t *testing.T) {
	c := &comment{}
	var entries []string
	for range 1_000 {
		entries = append(entries, "- "+strings.Repeat("x", 100)+"\n")
	}
	c.folded("first", entries)
	c.folded("second", entries)
	require.Less(t, c.Len(), maxMarkdown)
	require.Greater(t, c.dropped, 1_000)
	require.Equal(t, strings.Count(c.String(), "<details>"), strings.Count(c.String(), "</details>"))
}
