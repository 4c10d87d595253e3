package golang

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// links of a package that has the type Turn with a field ID, and the type TurnID.
func someLinks(name string) (string, bool) {
	goName, ok := map[string]string{"Turn": "Turn", "turn": "Turn", "Turn.id": "Turn.ID", "TurnId": "TurnID"}[name]
	return goName, ok
}

func TestDescriptionsBecomeDocComments(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"only space", " \n\t\n ", nil},
		{"one line", "A thing.", []string{"A thing."}},
		{"several lines", "A thing.\nAnd more.", []string{"A thing.", "And more."}},
		{"blank lines at the ends and doubled ones", "\n\nA.\n\n\n\nB.\n\n", []string{"A.", "", "B."}},
		{"space at line ends", "A.  \nB.\t", []string{"A.", "B."}},
		{"CRLF", "A.\r\nB.\r\n", []string{"A.", "B."}},
		{"tabs", "A\tB", []string{"A B"}},
		// Links.
		{"link to a type", "See {@link Turn}.", []string{"See [Turn]."}},
		{"link to a type with another Go name", "{@link TurnId}", []string{"[TurnID]"}},
		{"link to a member", "{@link Turn.id}", []string{"[Turn.ID]"}},
		{"link with a text", "{@link Turn | the turn}", []string{"[Turn]"}},
		{"link with a text and no space", "{@link Turn|the turn}", []string{"[Turn]"}},
		{"link with a text after a space", "{@link Nothing the text}", []string{"the text"}},
		{"link to what is not there", "{@link Nothing}", []string{"`Nothing`"}},
		{"link to what is not there, with a text", "{@link Nothing | the text}", []string{"the text"}},
		{"link to a function", "{@link connect()}", []string{"`connect`"}},
		{"other kinds of link", "{@linkcode Turn} {@linkplain Nothing}", []string{"[Turn] `Nothing`"}},
		{"two links in a line", "{@link Turn} or {@link TurnId}", []string{"[Turn] or [TurnID]"}},
		{"link over two lines", "See {@link\nTurn}.", []string{"See [Turn]."}},
		{"link with a text over two lines", "See {@link Nothing |\n  the\n text} here.", []string{"See the text here."}},
		{"link without a name", "{@link} {@link }", []string{"{@link} {@link }"}},
		{"link that does not end", "{@link Turn", []string{"{@link Turn"}},
		{"type in code quotes", "A `TurnId`.", []string{"A [TurnID]."}},
		{"wire name in code quotes", "The `turn` member.", []string{"The `turn` member."}},
		{"what is not there in code quotes", "A `Nothing`.", []string{"A `Nothing`."}},
		// Tags of blocks.
		{"remarks", "A.\n\n@remarks More.", []string{"A.", "", "More."}},
		{"remarks alone", "@remarks\nMore.", []string{"More."}},
		{"deprecated", "@deprecated Use B.", []string{"Deprecated: Use B."}},
		{"see", "@see {@link Turn}", []string{"See: [Turn]"}},
		{"a tag inside a line", "Write to a@see.org @see it", []string{"Write to a@see.org @see it"}},
		{"an unknown tag", "@unknown x", []string{"@unknown x"}},
		{"a word that starts like a tag", "@seen x", []string{"@seen x"}},
		// Code.
		{"code fence", "Like:\n```json\n{\"a\": 1}\n\n  b\n```\nDone.", []string{"Like:", "", "\t{\"a\": 1}", "", "\t  b", "", "Done."}},
		{"other code fence", "~~~\nx\n~~~", []string{"\tx"}},
		{"code is not touched", "```\n{@link Turn} `Turn` @remarks\n```", []string{"\t{@link Turn} `Turn` @remarks"}},
		{"a fence with text in code quotes is none", "```json x``` A.", []string{"```json x``` A."}},
		{"code fence that does not end", "A.\n```\nx", []string{"A.", "", "\tx"}},
		// Text that would like to be code.
		{"end of a block comment", "*/ func init() {}", []string{"*/ func init() {}"}},
		{"control characters", "A\x00B\x1b[31mC\x7fD\u0085E", []string{"AB[31mCDE"}},
		{"bidirectional marks", "A\u202eB\u2066C\u200fD", []string{"ABCD"}},
		{"invisible characters", "A\u200bB\ufeffC\u00adD", []string{"ABCD"}},
		{"line and paragraph separators", "A\u2028B\u2029C", []string{"A B C"}},
		{"line and paragraph separators at the ends", "\u2028A.\u2029", []string{" A."}},
		{"other scripts stay", "größe 日本 😀", []string{"größe 日本 😀"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, comment(c.in, someLinks)) })
	}
}

// FuzzComment: every line of a comment is one line, and holds nothing that hides.
func FuzzComment(f *testing.F) {
	for _, seed := range []string{
		"", "A.\n\nB.", "{@link Turn | x}", "```\n\tx\r\n```", "*/", "//go:generate rm", "go:build x", "+build x", "@remarks\r", "a\rb\u2028c\u202ed",
		"`Turn`", "{@link Turn\n}", "@see\t{@link x}", "\x00\x1b", "\xff\xfe", "\n\n\n", "```", "\v\f\u0085",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, description string) {
		lines := comment(description, someLinks)
		for i, line := range lines {
			for _, r := range strings.TrimPrefix(line, "\t") {
				require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029', "%q in %q", r, line)
			}
			require.True(t, utf8.ValidString(line), "%q", line)
			blank := strings.TrimSpace(line) == ""
			require.Equal(t, blank, line == "", "%q is neither blank nor text", line)
			require.False(t, blank && (i == 0 || i == len(lines)-1 || lines[i-1] == ""), "blank line %d of %q", i, lines)
		}
	})
}
