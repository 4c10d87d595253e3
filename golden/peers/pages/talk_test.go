// The page of a recorded conversation.

package pages_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// talk makes the page of a recording and opens it.
func talk(t *testing.T, recording string) *tab {
	t.Helper()
	dir := t.TempDir()
	recording, err := filepath.Abs(recording)
	require.NoError(t, err)
	ahpgen(t, dir, "show", recording, "--html", "talk.html")
	b := open(t)
	b.show(1280, 800, "light")
	b.to(dir, "talk.html")
	b.until(`document.querySelectorAll(".talk-row").length`)
	return b
}

var recordings = filepath.Join("..", "..", "tap", "testdata")

// put sets a control of the page, as a user does.
func (b *tab) put(id, value, event string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event(%q)); return true })()`, id, value, event))
}

// row is a script that finds the first row with a text.
func row(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".talk-row")].find(r => r.textContent.includes(%q))`, text)
}

func TestAConversationCanBeSearchedAndFollowed(t *testing.T) {
	b := talk(t, filepath.Join(recordings, "ahp.jsonl"))
	require.Equal(t, "50 messages", eval[string](b, `document.getElementById("talk-count").textContent`))

	// Search looks at methods and at the content; folding counts messages that repeat.
	require.True(t, eval[bool](b, `!!`+row("× 2")))
	b.do(chromedp.Click("#talk-fold", chromedp.ByQuery))
	b.until(`!` + row("× 2"))
	b.put("talk-find", "toolcallready", "input")
	b.until(`document.getElementById("talk-count").textContent === "1 of 50 messages"`)
	b.put("talk-find", "", "input")
	b.until(`document.getElementById("talk-count").textContent === "50 messages"`)

	// Filters by side and by channel.
	for id, value := range map[string]string{"talk-from": "host", "talk-channel": "ahp-chat:/demo"} {
		b.put(id, value, "change")
	}
	b.until(`document.querySelectorAll(".talk-row").length && ![...document.querySelectorAll(".talk-row")].some(r => !r.matches(".host") || !r.textContent.includes("ahp-chat:/demo"))`)

	// What an action changes, and the way to the next change.
	eval[bool](b, row("chat/turnStarted")+`.click() || true`)
	b.until(`document.querySelector(".talk-one .changes")?.textContent.includes("activeTurn")`)
	first := eval[string](b, `location.hash`)
	eval[bool](b, `[...document.querySelectorAll(".talk-one button")].find(e => e.textContent === "next change").click() || true`)
	b.until(fmt.Sprintf(`location.hash !== %q && document.querySelector(".talk-one .changes").textContent.includes("responseParts")`, first))
	eval[bool](b, `[...document.querySelectorAll(".talk-one button")].find(e => e.textContent === "change before").click() || true`)
	b.until(fmt.Sprintf(`location.hash === %q`, first))

	// From a request to its answer and back, also where a filter hides it.
	b.put("talk-channel", "", "change")
	eval[bool](b, row("createSession")+`.click() || true`)
	eval[bool](b, `[...document.querySelectorAll(".talk-one button")].find(e => e.textContent === "request").click() || true`)
	b.until(`document.querySelector(".talk-one h2").textContent === "createSession, request" && document.querySelector(".talk-row[aria-selected=true].client")`)
	eval[bool](b, `[...document.querySelectorAll(".talk-one button")].find(e => e.textContent === "answer").click() || true`)
	b.until(`document.querySelector(".talk-one h2").textContent === "createSession, result"`)

	// The keyboard.
	b.do(chromedp.Focus("#talk-list", chromedp.ByQuery), chromedp.KeyEvent("\u0304")) // up
	b.until(`document.querySelector(".talk-one h2").textContent !== "createSession, result"`)
	b.do(chromedp.KeyEvent("/"))
	b.until(`document.activeElement.id === "talk-find"`)
}

// TestStatesArePutTogether: at each step, the whole state is the one that show prints.
func TestStatesArePutTogether(t *testing.T) {
	recording, err := filepath.Abs(filepath.Join(recordings, "ahp.jsonl"))
	require.NoError(t, err)
	b := talk(t, recording)
	b.do(chromedp.Click("#talk-fold", chromedp.ByQuery))
	steps := 0
	for n := 1; n <= 50; n++ {
		eval[bool](b, fmt.Sprintf(`location.hash = "#%d"; true`, n))
		b.until(fmt.Sprintf(`document.querySelector(".talk-one .meta")?.textContent.startsWith("message %d ")`, n))
		for _, text := range eval[[]string](b, `[...document.querySelectorAll(".talk-one .whole")].map(e => { e.open = true; e.dispatchEvent(new Event("toggle")); return e.textContent })`) {
			summary, shown, _ := strings.Cut(text, fmt.Sprintf(" after message %d", n))
			channel := strings.TrimPrefix(summary, "whole state of ")
			require.JSONEq(t, ahpgen(t, t.TempDir(), "show", recording, "--state", channel, "--at", strconv.Itoa(n)), shown, "%s after message %d", channel, n)
			steps++
		}
	}
	require.Greater(t, steps, 25)
	// It stays open on the way from change to change.
	eval[bool](b, `location.hash = "#15"; true`)
	b.until(`document.querySelector(".talk-one .meta").textContent.startsWith("message 15 ") && document.querySelector(".talk-one .whole[open] pre")?.textContent.includes("activeTurn")`)
}

func TestFindingsStandOutAndTextIsText(t *testing.T) {
	b := talk(t, filepath.Join(recordings, "mistakes", "acp.jsonl"))
	b.do(chromedp.Click("#talk-wrong", chromedp.ByQuery))
	b.until(`document.getElementById("talk-count").textContent === "2 of 10 messages"`)
	eval[bool](b, row("session/rename")+`.click() || true`)
	b.until(`document.querySelector(".talk-one .finding").textContent.includes("unknown-method")`)

	file := filepath.Join(t.TempDir(), "talk.jsonl")
	message, err := json.Marshal(`{"jsonrpc":"2.0","method":"</script><script>alert(1)</script><img src=x onerror=alert(2)>","params":{"x":"<!--"}}` + "\n")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(`{"recording":1,"schemas":"acp@1","framing":"lines","started":"2026-01-02T03:04:05Z","command":["<script>alert(3)</script>"]}
{"at":"2026-01-02T03:04:05Z","from":"client","text":`+string(message)+`}
`), 0o644))
	b = talk(t, file)
	require.True(t, eval[bool](b, `!!`+row("</script><script>alert(1)")))
	require.Zero(t, eval[int](b, `document.querySelectorAll("img").length`))
}

// TestLongConversationsScroll: only what is in view is in the document.
func TestLongConversationsScroll(t *testing.T) {
	const n = 100_000
	var text strings.Builder
	text.WriteString(`{"recording":1,"schemas":"acp@1","framing":"lines","started":"2026-01-02T03:04:05Z"}` + "\n")
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range n {
		fmt.Fprintf(&text, `{"at":%q,"from":%q,"text":"{\"jsonrpc\":\"2.0\",\"method\":\"_m%d\",\"params\":{\"text\":\"some words of a message\"}}\n"}`+"\n",
			start.Add(time.Duration(i)*time.Millisecond).Format(time.RFC3339Nano), []string{"client", "host"}[i%2], i)
	}
	file := filepath.Join(t.TempDir(), "long.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	b := talk(t, file)
	t.Logf("shown after %.0f ms", eval[float64](b, `performance.now()`))
	t.Logf("the page is loaded after %.0f ms", eval[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`))
	require.Less(t, eval[int](b, `document.querySelectorAll(".talk-row").length`), 200)
	eval[int](b, `(() => { const l = document.getElementById("talk-list"); return l.scrollTop = l.scrollHeight })()`)
	b.until(row("_m99999"))
	b.put("talk-find", "_m47115", "input")
	b.until(`document.getElementById("talk-count").textContent === "1 of 100000 messages"`)
}

// TestAConversationCanBeReadEverywhere: nothing is wider than the window, and contrasts are those of all pages.
func TestAConversationCanBeReadEverywhere(t *testing.T) {
	b := talk(t, filepath.Join(recordings, "ahp.jsonl"))
	for _, width := range []int64{360, 800, 1440} {
		for _, theme := range []string{"light", "dark"} {
			b.show(width, 900, theme)
			eval[bool](b, row("action  chat/toolCallComplete")+`?.click() || true`)
			require.LessOrEqual(t, eval[int64](b, `document.documentElement.scrollWidth`), width, "%d %s", width, theme)
			if dir := os.Getenv("AHPGEN_SHOTS"); dir != "" {
				var picture []byte
				b.do(chromedp.CaptureScreenshot(&picture))
				require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("talk-%d-%s.png", width, theme)), picture, 0o644))
			}
		}
	}
}
