package diag

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPosLeavesOutWhatIsUnknown(t *testing.T) {
	for want, pos := range map[string]Pos{
		"":        {},
		"a.json":  {File: "a.json"},
		"a:3":     {File: "a", Line: 3},
		"a:3:7":   {File: "a", Line: 3, Col: 7},
		"a.json2": {File: "a.json2", Col: 9}, // a column without a line says nothing
	} {
		require.Equal(t, want, pos.String())
		require.Equal(t, pos == Pos{}, pos.IsZero())
	}
}

func TestPosComparesByFileThenLineThenColumn(t *testing.T) {
	sorted := []Pos{
		{}, {File: "a"}, {File: "a", Line: 1, Col: 9}, {File: "a", Line: 2, Col: 1}, {File: "a", Line: 2, Col: 10},
		{File: "a", Line: 10, Col: 1}, {File: "b", Line: 1, Col: 1},
	}
	for i, a := range sorted {
		for j, b := range sorted {
			got := a.Compare(b)
			require.Equal(t, i < j, got < 0, "%v, %v", a, b)
			require.Equal(t, i == j, got == 0, "%v, %v", a, b)
		}
	}
}

func TestSeverityWords(t *testing.T) {
	require.Equal(t, "error", Error.String())
	require.Equal(t, "warning", Warning.String())
}

func TestDiagnosticAsPrinted(t *testing.T) {
	pos := Pos{File: "a.json", Line: 3, Col: 7}
	for _, c := range []struct {
		name string
		in   Diagnostic
		want string
	}{
		{"error", Diagnostic{Pos: pos, Message: "bad"}, "a.json:3:7: bad"},
		{"warning", Diagnostic{Pos: pos, Severity: Warning, Message: "odd"}, "a.json:3:7: warning: odd"},
		{"no position", Diagnostic{Message: "bad"}, "bad"},
		{"warning without position", Diagnostic{Severity: Warning, Message: "odd"}, "warning: odd"},
		{"hint", Diagnostic{Pos: pos, Message: "bad", Hint: "do this"}, "a.json:3:7: bad\n    hint: do this"},
		{"hint of two lines", Diagnostic{Message: "bad", Hint: "do this\nand that"}, "bad\n    hint: do this\n          and that"},
		{"the code is not printed", Diagnostic{Code: "x", Message: "bad"}, "bad"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, c.in.String()) })
	}
}

func TestListKeepsEachDiagnosticOnce(t *testing.T) {
	var l List
	l.Errorf(Pos{File: "a"}, "code", "hint", "value %d", 1)
	l.Errorf(Pos{File: "a"}, "code", "hint", "value %d", 1)
	require.Equal(t, 1, l.Len())
	l.Errorf(Pos{File: "a"}, "code", "another hint", "value %d", 1)
	l.Errorf(Pos{File: "b"}, "code", "hint", "value %d", 1)
	l.Errorf(Pos{File: "a"}, "another", "hint", "value %d", 1)
	l.Warnf(Pos{File: "a"}, "code", "hint", "value %d", 1)
	require.Equal(t, 5, l.Len())
}

func TestListCounts(t *testing.T) {
	var l List
	require.False(t, l.HasErrors())
	require.Zero(t, l.Len())
	l.Warnf(Pos{}, "w", "", "odd")
	require.False(t, l.HasErrors())
	l.Errorf(Pos{}, "e", "", "bad")
	l.Errorf(Pos{}, "e", "", "worse")
	require.True(t, l.HasErrors())
	require.Equal(t, 2, l.Count(Error))
	require.Equal(t, 1, l.Count(Warning))
}

func TestListSortsByPositionSeverityText(t *testing.T) {
	var l List
	at := func(file string, line int) Pos { return Pos{File: file, Line: line, Col: 1} }
	l.Errorf(at("b", 1), "", "", "six")
	l.Warnf(at("a", 2), "", "", "a warning")
	l.Errorf(at("a", 10), "", "", "five")
	l.Errorf(at("a", 2), "", "", "three")
	l.Errorf(at("a", 2), "", "", "an error")
	l.Errorf(Pos{}, "", "", "nowhere")
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Message)
	}
	require.Equal(t, []string{"nowhere", "an error", "three", "a warning", "five", "six"}, got)
	require.Equal(t, got[0], l.Sorted()[0].Message, "sorting again gives the same")
}

func TestSortedIsACopy(t *testing.T) {
	var l List
	l.Errorf(Pos{}, "", "", "bad")
	l.Sorted()[0].Message = "changed"
	require.Equal(t, "bad", l.Sorted()[0].Message)
}

func TestAddAddsWhatIsNew(t *testing.T) {
	var a, b List
	a.Errorf(Pos{}, "", "", "both")
	b.Errorf(Pos{}, "", "", "both")
	b.Warnf(Pos{}, "", "", "only b")
	a.Add(b.Items()...)
	require.Equal(t, 2, a.Len())
	require.Equal(t, 2, b.Len(), "the other list stays as it is")
	a.Add(a.Items()...)
	require.Equal(t, 2, a.Len())
}

func TestPrintWritesLinesInOrder(t *testing.T) {
	var l List
	l.Warnf(Pos{File: "b", Line: 1, Col: 1}, "", "", "odd")
	l.Errorf(Pos{File: "a", Line: 1, Col: 1}, "", "mend it", "100%% bad")
	var out strings.Builder
	require.NoError(t, l.Print(&out))
	require.Equal(t, "a:1:1: 100% bad\n    hint: mend it\nb:1:1: warning: odd\n", out.String())
}

type fullDisk struct{}

var errFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestPrintReportsWriteErrors(t *testing.T) {
	var l List
	require.NoError(t, l.Print(fullDisk{}), "nothing to write")
	l.Errorf(Pos{}, "", "", "bad")
	require.ErrorIs(t, l.Print(fullDisk{}), errFull)
}

func TestADiagnosticShowsInputAsWhatItIs(t *testing.T) {
	d := Diagnostic{Pos: Pos{File: "a\n::error::b\u202e", Line: 1, Col: 2}, Message: "x\x1b[31m\ny\u2028", Hint: "one\ntwo\u200b"}
	require.Equal(t, "a\\n::error::b\\u202e:1:2: x\\x1b[31m\\ny\\u2028\n    hint: one\n          two\\u200b", d.String())
}

func TestAMessageDoesNotRepeatAMegabyte(t *testing.T) {
	long := strings.Repeat("a", 1<<20)
	var l List
	l.Errorf(Pos{}, "c", long, "%s %q %v", long, long, errors.New(long))
	l.Warnf(Pos{}, "c", "", "%q", Pos{File: long})
	for _, d := range l.Sorted() {
		require.Less(t, len(d.String()), 13_000)
		require.Contains(t, d.Message, "(1048576 bytes)")
	}
}
