// Tests of what a terminal is given. None of them needs one.

package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMessagesHaveStyles(t *testing.T) {
	for line, want := range map[string]string{
		"":                              "",
		"plain":                         "plain",
		"a.json:1:2: no such type":      bold + "a.json:1:2: " + plain + "no such type",
		"a.json:1:2: warning: odd":      bold + "a.json:1:2: " + plain + yellow + "warning: " + plain + "odd",
		"a.json:7: 10:30: late":         bold + "a.json:7: " + plain + "10:30: late",
		"    hint: add it":              dim + "    hint: " + plain + "add it",
		"    type: ahpgen init":         dim + "    type: " + plain + bold + "ahpgen init" + plain,
		"ahpgen: 1 error, 0 warnings":   bold + "ahpgen: " + plain + "1 error, 0 warnings",
		"  indented.json:1:2: is plain": "  indented.json:1:2: is plain",
	} {
		require.Equal(t, want, messageStyle(line), line)
	}
	for line, want := range map[string]string{
		"--- a": bold + "--- a" + plain, "+++ b": bold + "+++ b" + plain, "+x": green + "+x" + plain,
		"-x": red + "-x" + plain, "@@ -1 +1 @@": cyan + "@@ -1 +1 @@" + plain, " x": " x", "": "",
	} {
		require.Equal(t, want, diffStyle(line), line)
	}
}

func TestColoursCanBeRefused(t *testing.T) {
	for _, c := range []struct {
		noColour, term string
		want           bool
	}{{"", "xterm", true}, {"", "", true}, {"1", "xterm", false}, {"0", "xterm", false}, {"", "dumb", false}} {
		env := map[string]string{"NO_COLOR": c.noColour, "TERM": c.term}
		require.Equal(t, c.want, coloured(func(name string) string { return env[name] }), c)
	}
}

func TestLinesArePaintedWhole(t *testing.T) {
	var b bytes.Buffer
	p := &painter{to: &b, style: func(line string) string { return "<" + line + ">" }}
	for _, piece := range []string{"on", "e\ntwo\nth", "", "ree"} {
		n, err := p.Write([]byte(piece))
		require.NoError(t, err)
		require.Equal(t, len(piece), n)
	}
	require.Equal(t, "<one>\n<two>\n", b.String())
	require.NoError(t, p.Flush())
	require.NoError(t, p.Flush())
	require.Equal(t, "<one>\n<two>\n<three>", b.String())
}

func TestWhatIsNoTerminalGetsTextAlone(t *testing.T) {
	var out, err bytes.Buffer
	s := newScreen(&out, &err)
	require.Nil(t, s.progress)
	_, writeErr := s.err.Write([]byte("a.json:1:2: warning: odd"))
	require.NoError(t, writeErr)
	require.Equal(t, "a.json:1:2: warning: odd", err.String())
	done := (&app{screen: s}).working("thinking")
	done()
	require.Empty(t, out.String())
}

func TestProgressGivesWay(t *testing.T) {
	var b bytes.Buffer
	p := &progress{to: &b}
	lines := &painter{to: &b, before: p.giveWay}
	p.giveWay()()
	require.Empty(t, b.String(), "nothing is there to be cleared")
	p.draw("comparing", 1)
	p.draw("comparing", 2)
	_, err := lines.Write([]byte("a line\n"))
	require.NoError(t, err)
	_, err = lines.Write([]byte("another\n"))
	require.NoError(t, err)
	require.Equal(t, "\r\x1b[Kcomparing… 1 s\r\x1b[Kcomparing… 2 s\r\x1b[Ka line\nanother\n", b.String())
}

func TestProgressEndsWithTheWork(t *testing.T) {
	var b bytes.Buffer
	a := &app{screen: &screen{progress: &progress{to: &b}}}
	a.working("waiting")()
	require.Regexp(t, `^$|\x1b\[K$`, b.String(), "a line is left")
	b.Reset()
	a.quiet = true
	a.working("waiting")()
	require.Empty(t, b.String())
}

// TestProgressNamesStages checks that the current stage is shown when it changes, with the one around it.
func TestProgressNamesStages(t *testing.T) {
	var told []string
	a := &app{}
	a.diags.Stage("nobody watches")
	a.diags.OnStage(func(what string) { told = append(told, what) })
	a.diags.Stage("reading")
	a.diags.Phase("comparing the versions")
	a.diags.Stage("reading")
	a.diags.Phase("")
	a.diags.Stage("writing")
	require.Equal(t, []string{"reading", "comparing the versions", "comparing the versions: reading", "writing"}, told)
}
