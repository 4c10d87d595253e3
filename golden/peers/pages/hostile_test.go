// Hostile text: whatever schemas say is text on a page, and nothing else.

package pages_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

func printing(ctx context.Context) error {
	return emulation.SetEmulatedMedia().WithMedia("print").Do(ctx)
}

// payloads would do something if they were more than text.
var payloads = []string{
	`</script><script>window.pwned = 1</script>`, `<img src=x onerror="window.pwned = 1">`, `"><svg onload="window.pwned = 1">`, `[x](javascript:window.pwned=1)`,
	`[x](&#106;avascript:window.pwned=1)`, "<javascript:window.pwned=1>", "</textarea></style></title><script>window.pwned = 1</script>", "{{.}} ${window.pwned = 1}",
	"\u202eright to left\u202c\u2066", strings.Repeat("long ", 2_000), strings.Repeat("x", 10_000), "[x](https://example.com/\"onclick=\"window.pwned=1)", "<a href='javascript:window.pwned=1'>x</a>",
	"--><!--", "]]>", "\u2028window.pwned = 1\u2029", "`</code><script>window.pwned = 1</script>`", "[broken](http://[::1", "<base href='//evil.example/'>", "<style>*{display:none}</style>",
	"<form action='//evil.example'><button>x", "![x](https://evil.example/x.png)", "<iframe src='javascript:parent.pwned=1'>",
}

// hostile writes schemas whose names and descriptions are payloads.
func hostile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	defs := map[string]any{}
	var variants, choices []any
	for i, p := range payloads {
		name := "T" + string(rune('A'+i))
		text := strings.Map(func(r rune) rune {
			if r < ' ' || r == '\u2028' || r == '\u2029' { // names with line breaks are refused
				return -1
			}
			return r
		}, p)
		defs[name] = map[string]any{
			"description": p, "type": "object", "x-since": "1.0.0", "x-client-dispatchable": i%2 == 0, "x-effects": []any{map[string]any{"set": "m" + name, "from": "m"}},
			"properties": map[string]any{
				"type": map[string]any{"const": "c/" + text[:min(len(text), 60)] + name}, "m": map[string]any{"type": "string", "description": p},
			},
			"required": []any{"type"},
		}
		variants = append(variants, map[string]any{"$ref": "#/$defs/" + name})
		choices = append(choices, text[:min(len(text), 60)])
	}
	state := map[string]any{}
	for name := range defs {
		state["m"+name] = map[string]any{"type": "string", "description": payloads[0], "x-go-name": "M" + name}
	}
	names := make([]any, len(choices))
	for i := range names {
		names[i] = "V" + string(rune('A'+i))
	}
	defs["State"] = map[string]any{"type": "object", "x-channel": map[string]any{"name": "c", "uri": payloads[0], "prefix": "c/", "description": payloads[1]}, "properties": state}
	defs["Action"] = map[string]any{"description": payloads[2], "x-actions": map[string]any{"client": "ClientAction"}, "oneOf": variants}
	defs["Choice"] = map[string]any{"type": "string", "enum": choices, "x-enum-names": names, "description": payloads[3]}
	data, err := json.Marshal(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": defs,
		"x-protocol": map[string]any{"name": "hostile", "title": payloads[0] + payloads[8], "version": "1.0.0"},
	})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.schema.json"), data, 0o600))
	return dir
}

func TestHostileTextIsText(t *testing.T) {
	b := open(t)
	dir := t.TempDir()
	ahpgen(t, t.TempDir(), "doc", "-q", "--schemas", hostile(t), "--out", dir)
	pages := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".html") {
			return err
		}
		pages++
		file, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		b.to(dir, filepath.ToSlash(file))
		require.Equal(t, "undefined", eval[string](b, `typeof window.pwned`), file)
		require.Equal(t, 1, eval[int](b, `document.scripts.length`), file)
		require.Empty(t, eval[[]string](b, `[...document.querySelectorAll('img, iframe, base, form, object, embed, style, [onclick], [onload], [onerror]')].map((e) => e.outerHTML)`), file)
		require.Empty(t, eval[[]string](b, `[...document.links].map((a) => a.protocol).filter((p) => !['file:', 'https:', 'http:', 'mailto:'].includes(p))`), file)
		require.Empty(t, eval[[]string](b, `[...document.links].filter((a) => a.protocol === 'file:' && a.origin !== location.origin).map((a) => a.href)`), file)
		require.False(t, eval[bool](b, `/[\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.textContent)`), file)
		require.True(t, eval[bool](b, `document.querySelector('h1').checkVisibility()`), file)
		require.LessOrEqual(t, eval[int64](b, `document.documentElement.scrollWidth - innerWidth`), int64(0), file)
		return nil
	}))
	require.Greater(t, pages, len(payloads))
	b.do(chromedp.SendKeys("#search", "window"), chromedp.WaitVisible("#found a"))
	require.Equal(t, "undefined", eval[string](b, `typeof window.pwned`))
}

// TestServedPagesRenewThemselves changes a schema while a browser looks at it.
func TestServedPagesRenewThemselves(t *testing.T) {
	b := open(t)
	b.allow("127.0.0.1")
	dir := t.TempDir()
	write := func(text string) {
		name := filepath.Join(dir, "a.schema.json")
		require.NoError(t, os.WriteFile(name+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(name+".new", name))
	}
	schema := func(words string) string {
		return `{"$defs": {"Thing": {"type": "object", "description": "` + words + `", "properties": {"a": {"type": "string"}}}}}`
	}
	write(schema("First words."))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	file, err := program()
	require.NoError(t, err)
	cmd := exec.Command(file, "doc", "--schemas", dir, "--serve", address)
	cmd.Dir = t.TempDir()
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	b.do(chromedp.Navigate("http://" + address + "/types/Thing.html"))
	b.until(`document.body.innerText.includes('First words.')`)
	write(schema("Second words."))
	b.until(`document.body.innerText.includes('Second words.')`)
	write(`{"$defs": {"Thing": {"type": "nothing"}}}`)
	b.until(`document.getElementById('ahpgen-problem')?.innerText.includes('a.schema.json:1:')`)
	b.until(`document.body.innerText.includes('Second words.')`)
	write(schema("Third words."))
	b.until(`document.body.innerText.includes('Third words.') && !document.getElementById('ahpgen-problem')`)
	b.do(chromedp.Navigate("about:blank")) // so that no request is open when the server ends
}
