// What a person does with the pages: read, search, click, narrow the window, turn the light off.

package pages_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// kinds are a page of each kind.
var kinds = []string{
	"index.html", "actions/index.html", "types/index.html", "methods/index.html", "errors/index.html", "coverage.html",
	"channels/chat.html", "channels/otlp.html", "actions/chat.toolCallReady.html", "actions/chat.toolCallConfirmed.html", "actions/session.titleChanged.html",
	"methods/initialize.html", "methods/root.progress.html", "types/ToolCallState.html", "types/ChatState.html", "types/StateAction.html", "types/SessionStatus.html",
	"types/URI.html", "types/JsonPrimitive.html", "errors/AuthRequired.html", "changes/0.7.0-to-1.0.0.html", "source/errors.schema.html",
}

// contrast lists texts of a page that are hard to read on what is behind them, with their contrast.
const contrast = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => { const f = (v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const behind = (e) => {
    for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; }
    return rgba(getComputedStyle(document.documentElement).getPropertyValue('--ground'));
  };
  const inPicture = (text) => { // the last box under the middle of the text
    const svg = text.ownerSVGElement, t = text.getBBox(), x = t.x + t.width / 2, y = t.y + t.height / 2;
    let under = null;
    for (const box of svg.querySelectorAll('rect')) { const b = box.getBBox(); if (x >= b.x && x <= b.x + b.width && y >= b.y && y <= b.y + b.height) under = box; }
    return under ? rgba(getComputedStyle(under).fill) : behind(svg);
  };
  const bad = new Map();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const e = n.parentElement, style = getComputedStyle(e);
    if (!n.data.trim() || style.visibility === 'hidden' || +style.opacity === 0 || !e.getClientRects().length || e.closest('title, script, style')) continue;
    const svg = e instanceof SVGElement;
    const got = ratio(rgba(svg ? style.fill : style.color), svg ? inPicture(e) : behind(e));
    if (got < 4.5) bad.set(e.tagName + '.' + (e.getAttribute('class') || '') + ' in ' + (e.parentElement.getAttribute('class') || e.parentElement.tagName), got.toFixed(2) + ' ' + n.data.trim().slice(0, 30));
  }
  return [...bad].map(([where, what]) => where + ': ' + what);
})()`

// wide lists what is wider than the window.
const wide = `(() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.body.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.drawing, pre, .source, table')).slice(0, 5)
    .map((e) => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40)))()`

func TestPagesCanBeReadEverywhere(t *testing.T) {
	b := open(t)
	dir := site(t)
	for _, width := range []int64{360, 1600} {
		for _, theme := range []string{"light", "dark"} {
			b.show(width, 1000, theme)
			for _, file := range kinds {
				b.to(dir, file)
				require.Empty(t, eval[[]string](b, contrast), "%s, %d wide, %s: the contrast", file, width, theme)
				require.Empty(t, eval[[]string](b, wide), "%s, %d wide: too wide", file, width)
				require.LessOrEqual(t, eval[int64](b, `document.documentElement.scrollWidth`), width, file)
				require.Equal(t, int64(1), eval[int64](b, `document.querySelectorAll('h1').length`), file)
			}
		}
	}
}

// broken lists names that stand on several lines although one would do, or that are cut off.
const broken = `(() => {
  const room = Math.min(innerWidth - 40, document.querySelector('main').clientWidth - 40);
  return [...document.querySelectorAll('main h1 code, main h3 code, main .name, .changes dt code, .moves code, .table code, .uses code, .facts code, .todo code')].filter((e) => {
    if (!e.checkVisibility() || /\s/.test(e.textContent.trim())) return false;
    const lines = new Set([...e.getClientRects()].map((r) => Math.round(r.top)));
    const probe = e.cloneNode(true);
    probe.style.cssText = 'position: absolute; visibility: hidden; white-space: nowrap';
    e.after(probe);
    const width = probe.getBoundingClientRect().width;
    probe.remove();
    return lines.size > 1 && width <= room;
  }).map((e) => e.textContent).slice(0, 5);
})()`

// cut lists pictures of lives that are not seen whole.
const cutCharts = `[...document.querySelectorAll('div.life')].flatMap((life) => {
  const seen = [...life.querySelectorAll('.drawing')].filter((d) => d.checkVisibility());
  return seen.length === 1 && seen[0].scrollWidth <= seen[0].clientWidth ? [] : [life.textContent.trim().slice(0, 40) + ' ' + seen.length];
})`

// TestNamesAndChartsAreWhole looks at all widths between a phone and a wide screen.
func TestNamesAndChartsAreWhole(t *testing.T) {
	b := open(t)
	dir := site(t)
	for _, width := range []int64{360, 700, 1024, 1600} {
		b.show(width, 900, "light")
		for _, file := range append(kinds[:len(kinds):len(kinds)], "types/SessionState.html", "actions/automationRun.primarySessionChanged.html", "types/McpServerState.html") {
			b.to(dir, file)
			require.Empty(t, eval[[]string](b, broken), "%s, %d wide: broken names", file, width)
			require.Empty(t, eval[[]string](b, cutCharts), "%s, %d wide: cut charts", file, width)
		}
	}
}

// TestAComparisonBeginsWithThreeScreens measures the page before anything is opened.
func TestAComparisonBeginsWithThreeScreens(t *testing.T) {
	b := open(t)
	dir := site(t)
	for _, size := range [][2]int64{{360, 740}, {1024, 768}, {1600, 900}} {
		b.show(size[0], size[1], "light")
		for _, file := range []string{"changes/0.7.0-to-1.0.0.html", "changes/0.4.0-to-1.0.0.html"} {
			b.to(dir, file)
			require.LessOrEqual(t, eval[int64](b, `document.querySelector('main').scrollHeight`), 3*size[1], "%s at %d", file, size[0])
		}
	}
}

// TestErrorsOfMethodsAreLinked follows an error from the method to its page, and back.
func TestErrorsOfMethodsAreLinked(t *testing.T) {
	b := open(t)
	dir := site(t)
	b.show(1600, 1000, "light")
	b.to(dir, "methods/createSession.html")
	require.Contains(t, eval[string](b, `document.querySelector('#errors').innerText`), "InvalidParams")
	b.do(chromedp.Click(`//section[@id="errors"]//a[normalize-space(.)="SessionAlreadyExists"]`, chromedp.BySearch), chromedp.WaitVisible("#methods"))
	b.do(chromedp.Click(`//section[@id="methods"]//a[contains(., "createSession")]`, chromedp.BySearch), chromedp.WaitVisible("#errors"))
}

// TestLinksOfAPageAreFollowed clicks what can be clicked on some pages. That every link of every page leads somewhere is
// tested where the pages are made.
func TestLinksOfAPageAreFollowed(t *testing.T) {
	b := open(t)
	dir := site(t)
	b.show(1600, 1000, "light")
	for _, file := range []string{"index.html", "actions/chat.toolCallReady.html"} {
		b.to(dir, file)
		n := eval[int](b, `document.querySelectorAll('main a[href]').length`)
		require.Greater(t, n, 5)
		for i := range n {
			b.to(dir, file)
			b.do(chromedp.Evaluate(`document.querySelectorAll('main a[href]')[`+strconv.Itoa(i)+`].dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))`, nil))
			b.until(`document.readyState === 'complete' && !!document.querySelector('h1')`)
			b.until(`!location.hash || document.getElementById(decodeURIComponent(location.hash.slice(1)))`)
		}
	}
}

// TestThreeClicks follows the first three clicks of a newcomer.
func TestThreeClicks(t *testing.T) {
	b := open(t)
	dir := site(t)
	b.show(1600, 1000, "light")
	click := func(text string) chromedp.Action {
		return chromedp.Click(`//main//a[.//*[normalize-space(.)="`+text+`"] or normalize-space(.)="`+text+`"]`, chromedp.BySearch)
	}
	b.to(dir, "index.html")
	b.do(click("chat"), chromedp.WaitVisible("#client"))
	require.Contains(t, eval[string](b, `document.querySelector('#client').innerText`), "chat/turnStarted")
	b.do(click("chat/toolCallReady"), chromedp.WaitVisible("#lives"))
	moves := eval[string](b, `document.querySelector('#lives table').innerText`)
	require.Contains(t, moves, "pending-confirmation")
	require.Contains(t, moves, "running")

	b.to(dir, "index.html")
	b.do(click("From 0.7.0 to 1.0.0"), chromedp.Click(`[data-filter="client"]`))
	shown := `[...document.querySelectorAll('.change')].filter((e) => e.checkVisibility())`
	require.Equal(t, eval[int](b, `document.querySelectorAll('.change[data-is~="client"]').length`), eval[int](b, shown+`.length`))
	require.Greater(t, eval[int](b, shown+`.length`), 5)
}

// TestSearchFindsEverything asks for each thing by its name on the wire, its name in Go, and by words about it.
func TestSearchFindsEverything(t *testing.T) {
	b := open(t)
	dir := site(t)
	b.to(dir, "index.html")
	b.do(chromedp.KeyEvent("/"), chromedp.KeyEvent("c"), chromedp.WaitVisible("#found a"))
	result := eval[struct {
		Missing []string
		Asked   int
		Slowest float64
		Total   float64
		Kinds   []string
	}](b, `(() => {
      const rows = []; const keep = window.ahpgenIndex; window.ahpgenIndex = (r) => rows.push(...r);
      const text = document.createElement('script'); // the index once more, as it is
      return new Promise((done) => {
        text.src = 'assets/search.js'; text.onload = () => done(check(rows)); document.head.append(text);
      });
      function check(rows) {
        window.ahpgenIndex = keep;
        const out = { missing: [], asked: 0, slowest: 0, total: 0, kinds: [...new Set(rows.map((r) => r[0]))].sort() };
        const ask = (question, row) => {
          const start = performance.now();
          const found = ahpgenFind(question);
          const took = performance.now() - start;
          out.slowest = Math.max(out.slowest, took);
          out.total += took;
          out.asked++;
          if (!found.some((f) => f.href === row[4])) out.missing.push(row[0] + ' ' + row[1] + ' by ' + JSON.stringify(question));
        };
        for (const row of rows) {
          const [kind, name, go = '', owner = '', , about = ''] = row;
          ask(owner ? owner + ' ' + name : name, row);
          for (const g of go.split(' ').filter(Boolean)) ask(g, row);
          const words = [...new Set(about.toLowerCase().split(/[^a-z]+/))].filter((w) => w.length > 3).sort((a, b) => b.length - a.length).slice(0, 5);
          if (words.length > 3) ask(words.join(' ') + ' ' + (owner || name), row);
        }
        return out;
      }
    })()`)
	require.Empty(t, result.Missing)
	require.Greater(t, result.Asked, 4000)
	for _, kind := range []string{"action", "channel", "member", "object", "request", "value"} {
		require.Contains(t, result.Kinds, kind)
	}
	t.Logf("%d questions took %.1f ms on average, the slowest %.1f ms", result.Asked, result.Total/float64(result.Asked), result.Slowest)
}

// TestTheFirstHitOfASearch asks what people ask, and looks at what comes first.
func TestTheFirstHitOfASearch(t *testing.T) {
	b := open(t)
	dir := site(t)
	b.show(1600, 1000, "light")
	for _, c := range []struct{ question, name string }{
		{"create session", "createSession"},
		{"delete session", "disposeSession"},
		{"add tool call", "chat/toolCallStart"},
		{"creat sesion", "createSession"},
		{"approve tool call", "chat/toolCallConfirmed"},
		{"send message", "chat/turnStarted"},
		{"stop turn", "chat/turnCancelled"},
		{"rename session", "session/titleChanged"},
		{"read file", "resourceRead"},
		{"tolcall ready", "chat/toolCallReady"},
		{"how do I open a terminal?", "createTerminal"},
		{"login", "authenticate"},
	} {
		b.to(dir, "index.html")
		b.do(chromedp.SendKeys("#search", c.question))
		b.until(`document.querySelector('#found a')`)
		require.Equal(t, c.name, eval[string](b, `document.querySelector('#found [aria-selected="true"] .name').textContent`), c.question)
		require.Contains(t, []string{"action", "request"}, eval[string](b, `document.querySelector('#found a .kind').textContent`), c.question)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.until(`document.readyState === 'complete' && document.querySelector('h1').textContent === ` + strconv.Quote(c.name))
	}
}

func TestSearchByKeyboard(t *testing.T) {
	b := open(t)
	dir := site(t)
	b.show(1600, 1000, "light")
	b.to(dir, "methods/initialize.html")
	b.do(chromedp.KeyEvent("/"))
	require.Equal(t, "search", eval[string](b, `document.activeElement.id`))
	b.do(chromedp.KeyEvent("toolCallReady"), chromedp.WaitVisible("#found a"))
	require.Contains(t, eval[string](b, `document.querySelector('#found [aria-selected="true"]').textContent`), "chat/toolCallReady")
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	require.Equal(t, "found-1", eval[string](b, `document.activeElement.getAttribute('aria-activedescendant')`))
	b.do(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname.endsWith('/actions/chat.toolCallReady.html') && document.readyState === 'complete'`)
	b.do(chromedp.KeyEvent("/"), chromedp.KeyEvent("xyzzy plugh"), chromedp.WaitVisible("#found p"), chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible("#found"))
	b.to(dir, "index.html")
	b.do(chromedp.KeyEvent(kb.Tab))
	require.Equal(t, "#main", eval[string](b, `document.activeElement.getAttribute('href')`), "the first stop leads to the content")
	b.do(chromedp.KeyEvent(kb.Enter))
	require.Equal(t, "main", eval[string](b, `document.activeElement.id`))
}

func TestLightAndDark(t *testing.T) {
	b := open(t)
	dir := site(t)
	ground := `getComputedStyle(document.body).backgroundColor`
	b.show(1600, 1000, "light")
	b.to(dir, "index.html")
	light := eval[string](b, ground)
	b.show(1600, 1000, "dark")
	dark := eval[string](b, ground)
	require.NotEqual(t, light, dark, "the system decides")
	b.do(chromedp.Click(".theme"))
	require.Equal(t, light, eval[string](b, ground), "the switch comes first")
	b.to(dir, "channels/chat.html")
	require.Equal(t, light, eval[string](b, ground), "and stays")
	b.do(chromedp.Click(".theme"))
	require.Equal(t, dark, eval[string](b, ground))
}

func TestFiltersAndTheMenu(t *testing.T) {
	b := open(t)
	dir := site(t)
	visible := func(what string) int {
		return eval[int](b, `[...document.querySelectorAll('`+what+`')].filter((e) => e.checkVisibility()).length`)
	}
	b.show(1600, 1000, "light")
	b.to(dir, "actions/index.html")
	all := visible("main .row")
	b.do(chromedp.SendKeys("#filter", "no such row"))
	require.Zero(t, visible("main .block, main h2"))
	require.Equal(t, 1, visible("#nothing"))
	b.to(dir, "actions/index.html")
	b.do(chromedp.SendKeys("#filter", "toolcall"))
	require.Less(t, visible("main .row"), all)
	require.Equal(t, visible("main .row"), eval[int](b, `[...document.querySelectorAll('main .row')].filter((e) => e.textContent.toLowerCase().includes('toolcall')).length`))
	b.to(dir, "coverage.html")
	generated := eval[int](b, `document.querySelectorAll('tr[data-is="generated"]').length`)
	b.do(chromedp.Click(`[data-filter="generated"]`))
	require.Equal(t, generated, visible("tr[data-is]"))
	b.do(chromedp.Click(`[data-filter="generated"]`))
	require.Greater(t, visible("tr[data-is]"), generated, "without any all are shown")

	b.show(360, 740, "light")
	b.to(dir, "index.html")
	require.Zero(t, visible("#side a"))
	b.do(chromedp.Click(".menu"), chromedp.WaitVisible("#side"))
	require.Equal(t, "true", eval[string](b, `document.querySelector('.menu').getAttribute('aria-expanded')`))
	b.do(chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible("#side"))
}

func TestAComparisonIsOneFile(t *testing.T) {
	b := open(t)
	dir := t.TempDir()
	ahpgen(t, configured, "diff", "0.7.0", "1.0.0", "-q", "--fail-on", "none", "--format", "text", "--out", filepath.Join(dir, "changes.html"))
	for _, width := range []int64{360, 1600} {
		for _, theme := range []string{"light", "dark"} {
			b.show(width, 1000, theme)
			b.to(dir, "changes.html")
			require.Empty(t, eval[[]string](b, contrast), theme)
			require.LessOrEqual(t, eval[int64](b, `document.documentElement.scrollWidth`), width)
		}
	}
	shown := `[...document.querySelectorAll('.change')].filter((e) => e.checkVisibility()).length`
	require.Zero(t, eval[int](b, shown), "folded")
	all := eval[int](b, `document.querySelectorAll('.change').length`)
	for _, is := range []string{"client", "host", "go", "rest"} {
		b.to(dir, "changes.html")
		b.do(chromedp.Click(`[data-filter="` + is + `"]`))
		require.Equal(t, eval[int](b, `document.querySelectorAll('.change[data-is~="`+is+`"]').length`), eval[int](b, shown))
		require.Less(t, eval[int](b, shown), all)
	}
	require.Contains(t, eval[string](b, `document.querySelector('#timeline').textContent`), "came in 0.9.0")
	hidden := `[...document.querySelectorAll('.contents a')].filter((a) => document.getElementById(a.hash.slice(1)).hidden !== a.parentElement.hidden).length`
	b.do(chromedp.Click(`[data-filter="rest"]`), chromedp.Click(`[data-filter="host"]`))
	require.Zero(t, eval[int](b, hidden), "links to what is empty")
	require.Zero(t, eval[int](b, `[...document.querySelectorAll('.group, .block')].filter((e) => e.checkVisibility() && e.querySelector('[data-is]') && [...e.querySelectorAll('[data-is]')].every((x) => x.hidden)).length`))
	b.to(dir, "changes.html#"+eval[string](b, `document.querySelector('.change').id`))
	b.until(`document.querySelector('.change:target')?.checkVisibility()`)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// TestAComparisonRunsItsOwnScriptAlone plants scripts in a page that is one file.
func TestAComparisonRunsItsOwnScriptAlone(t *testing.T) {
	b := open(t)
	dir := t.TempDir()
	ahpgen(t, configured, "diff", "0.7.0", "1.0.0", "-q", "--fail-on", "none", "--format", "text", "--out", filepath.Join(dir, "changes.html"))
	text, err := os.ReadFile(filepath.Join(dir, "changes.html"))
	require.NoError(t, err)
	planted := strings.Replace(string(text), "<h1>", `<script>window.pwned = 1</script><img src="data:," onerror="window.pwned = 1"><h1>`, 1)
	require.NotEqual(t, string(text), planted)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "planted.html"), []byte(planted), 0o600))
	b.show(1600, 1000, "light")
	b.to(dir, "planted.html")
	require.Equal(t, "undefined", eval[string](b, `typeof window.pwned`))
	require.Equal(t, "dark", eval[string](b, `(document.querySelector('.theme').click(), document.documentElement.dataset.theme)`), "its own script runs")
	require.Contains(t, strings.Join(b.said(), "\n"), "Content Security Policy")
	require.Empty(t, b.said())
}

func TestPagesPrint(t *testing.T) {
	b := open(t)
	dir := site(t)
	b.do(chromedp.ActionFunc(printing))
	b.to(dir, "actions/chat.toolCallReady.html")
	for _, gone := range []string{".top", ".side", ".pager", ".copy"} {
		require.False(t, eval[bool](b, `document.querySelector('`+gone+`').checkVisibility()`), gone)
	}
	require.True(t, strings.Contains(eval[string](b, `document.body.innerText`), "toolCallId"))
}
