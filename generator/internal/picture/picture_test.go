package picture_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/picture"
)

func TestAPictureCoversWhatIsDrawn(t *testing.T) {
	d := picture.New("a < b")
	d.Box(picture.Box{X: 10, Y: 20, W: 100, H: 40, Label: "One", Note: "note", Href: "#one", Class: "kind"})
	d.Line(0, 0, 150, 30, "thin", picture.Arrow)
	d.Curve(0, 0, 10, 10, "", picture.Plain)
	d.Dot(200, 70, "on")
	d.Linked("", func() { d.Text(1, 5, "plain", "t", "start") })
	d.Linked("#two", func() { d.Text(1, 5, "linked", "t", "end") })
	svg := string(d.SVG())
	require.Contains(t, svg, `width="205" height="75" aria-label="a &lt; b"`)
	require.Contains(t, svg, `<a href="#one"><rect class="box kind" x="10" y="20" width="100" height="40" rx="6"/>`)
	require.Contains(t, svg, `<path class="line thin" d="M0 0L150 30" marker-end="url(#arrowhead)"/>`)
	require.Contains(t, svg, `d="M0 0C5 0 5 10 10 10"/>`)
	require.Equal(t, 2, strings.Count(svg, "<a "), "an empty address is no link")
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}

func TestLabelsAreEscapedAndCut(t *testing.T) {
	d := picture.New("")
	d.Text(0, 10, `</text><script>"`, "t", "middle")
	require.NotContains(t, string(d.SVG()), "<script>")
	long := strings.Repeat("x", 100)
	require.InDelta(t, picture.Width(strings.Repeat("y", 60)), picture.Width(long), 0.001)
	require.InDelta(t, 2*picture.Width("a"), picture.Width("語"), 0.001, "wide letters take two places")
	require.Greater(t, picture.Box{Label: "a", Note: long}.Fit(), picture.Box{Label: "a"}.Fit())
	d = picture.New("")
	d.Text(0, 10, long, "t", "start")
	require.Contains(t, string(d.SVG()), "<title>"+long+"</title>"+strings.Repeat("x", 59)+"…</text>")
}
