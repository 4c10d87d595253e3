package visible_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

func TestWhatCannotBeSeenIsHidden(t *testing.T) {
	for _, r := range "\x00\t\n\r\x1b\x7f\u0085\u00a0\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200d\u200e\u2028\u202e\u2060\u2066\u2800\u3000\u3164\ufe0f\ufeff\uffa0\ue000\U000e0041\U000e0101" {
		require.True(t, visible.Hidden(r), "%U", r)
	}
	for _, r := range " ~aZ0ß日ü😀⚠\u0301" {
		require.False(t, visible.Hidden(r), "%U", r)
	}
}

func TestALineStaysALine(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "größe 日本 😀": "größe 日本 😀", "a\nb\tc\r": `a\nb\tc\r`, "\x1b[31m": `\x1b[31m`, "\u202e\u2028": `\u202e\u2028`,
		"\U000e0041": `\U000e0041`, "\xff": `\xff`, "\ufffd": "\ufffd", `a\nb`: `a\nb`,
	} {
		require.Equal(t, want, visible.Line(in), "%q", in)
		require.Equal(t, want, visible.Line(visible.Line(in)), "%q twice", in)
	}
	require.Equal(t, "a\nb\\u202e", visible.Lines("a\nb\u202e"))
}

func TestALongNameIsCut(t *testing.T) {
	require.Equal(t, "short", visible.Name("short"))
	long := visible.Name(strings.Repeat("ü", 1<<20))
	require.Less(t, len(long), 300)
	require.Contains(t, long, "ü… (2097152 bytes)")
	require.Equal(t, "ab… (3 bytes)", visible.Cut("abc", 2))
	require.Equal(t, "… (2 bytes)", visible.Cut("ü", 1))
}

// written passes text through a writer in pieces of a size.
func written(t *testing.T, text string, size int, commands bool) string {
	t.Helper()
	var b bytes.Buffer
	w := &visible.Writer{To: &b, Commands: commands}
	for len(text) > 0 {
		n := min(size, len(text))
		got, err := w.Write([]byte(text[:n]))
		require.NoError(t, err)
		require.Equal(t, n, got)
		text = text[n:]
	}
	require.NoError(t, w.Flush())
	return b.String()
}

func TestAWriterShowsWhatATerminalWouldObey(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"a\tb\nc\r\nd\n":              "a\tb\nc\r\nd\n",
		"\x1b]0;x\x07":                `\u001b]0;x\u0007`,
		"over\rwritten":               `over\u000dwritten`,
		"\r":                          `\u000d`,
		"\u202eabc\u2069":             `\u202eabc\u2069`,
		"\U000e0041":                  `\udb40\udc41`,
		"größe 😀":                     "größe 😀",
		"a\xffb\xf0\x9f":              `a\xffb\xf0\x9f`,
		"::error::x\n  ::add-mask::y": `\u003a:error::x` + "\n  " + `\u003a:add-mask::y`,
		"a::b : c:":                   "a::b : c:",
		":":                           ":",
		"x ##[error]y ## #[":          `x \u0023#[error]y ## #[`,
	} {
		for _, size := range []int{1, 2, 3, 1 << 20} {
			require.Equal(t, want, written(t, in, size, false), "%q in pieces of %d", in, size)
		}
	}
	require.Equal(t, "::error::x\\u001b", written(t, "::error::x\x1b", 1, true))
}

func TestWhatAWriterShowsOfJSONMeansTheSame(t *testing.T) {
	const text = "\u202e ##[x \U000e0041 :: \u2028 \ufe0f \u007f"
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(text))
	var got string
	require.NoError(t, json.Unmarshal([]byte(written(t, b.String(), 3, false)), &got))
	require.Equal(t, text, got)
}
