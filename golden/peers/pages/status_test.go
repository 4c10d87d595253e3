// The page of the demo's status, while a host carries something.

package pages_test

import (
	"net"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

func TestTheStatusOfAHostIsDrawn(t *testing.T) {
	b := open(t)
	address := demo(t, "load", "--clients", "20", "--channels", "4", "--rate", "200", "--for", "600", "--status")
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond)

	b.allow("127.0.0.1")
	b.show(1024, 800, "light")
	b.do(chromedp.Navigate("http://" + address))
	// The lines have several points, and the values are those of the load.
	b.until(`[...document.querySelectorAll(".chart svg path.a")].filter(p => p.getAttribute("d").split("L").length > 2).length >= 6`)
	b.until(`document.querySelector(".chart .legend").textContent === "clients 20connections 20"`)
	b.until(`[...document.querySelectorAll("#methods tr")].some(r => r.textContent.startsWith("action") && r.cells[2].textContent !== "0")`)
	require.Equal(t, 9, eval[int](b, `document.querySelectorAll(".chart").length`))
	require.True(t, eval[bool](b, `document.getElementById("trouble").hidden`))
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 1024, 1600} {
			b.show(width, 800, theme)
			require.LessOrEqual(t, eval[int](b, `document.documentElement.scrollWidth`), int(width), "%d %s", width, theme)
			require.Empty(t, eval[[]string](b, crowded), "%d %s", width, theme)
		}
		require.Equal(t, theme == "dark", eval[bool](b, `(([r, g, b]) => r + g + b < 384)(getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number))`), theme)
	}
	b.show(360, 800, "light")
	require.Contains(t, eval[[]string](b, `[...document.querySelectorAll("#methods td")].map(c => getComputedStyle(c, "::before").content)`), `"99 % within"`, "numbers without a head have names")
}

// crowded finds texts that lie on others, of legends and of the axes.
const crowded = `(() => {
	const texts = [...document.querySelectorAll(".chart h2, .chart .axis > span, .chart .legend > span")].map(e => [e.textContent, e.getBoundingClientRect()]);
	const out = [];
	for (const [i, [a, x]] of texts.entries())
		for (const [b, y] of texts.slice(i + 1))
			if (x.left < y.right - 1 && y.left < x.right - 1 && x.top < y.bottom - 1 && y.top < x.bottom - 1) out.push(a + " on " + b);
	return out;
})()`
