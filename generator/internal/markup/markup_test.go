package markup_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/markup"
)

func link(name string) string {
	if name == "chat/delta" || name == "ChatState" {
		return "../x/" + name + ".html"
	}
	return ""
}

func TestDescriptionsAreMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"paragraphs", "One.\n\nTwo.", "<p>One.</p><p>Two.</p>"},
		{"emphasis and code", "*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>"},
		{"a list", "- a\n- b", "<ul><li>a</li><li>b</li></ul>"},
		{"code", "```json\n{\"a\": 1}\n```", "<pre><code>{&#34;a&#34;: 1}\n</code></pre>"},
		{"a known name in code", "`ChatState`", `<p><a class="ref" href="../x/ChatState.html"><code>ChatState</code></a></p>`},
		{"a known name in a sentence", "See chat/delta.", `<p>See <a class="ref" href="../x/chat/delta.html">chat/delta</a>.</p>`},
		{"a reference as TypeScript has it", "{@link ChatState | the state}", `<p><a class="ref" href="../x/ChatState.html"><code>ChatState</code></a></p>`},
		{"a link", "[x](https://example.com/a?b=c&d)", `<p><a rel="noreferrer noopener nofollow" href="https://example.com/a?b=c&amp;d">x</a></p>`},
		{"a name within a link", "[ChatState](https://example.com)", `<p><a rel="noreferrer noopener nofollow" href="https://example.com">ChatState</a></p>`},
		{"an image", "![x](https://example.com/a.png)", "<p>x</p>"},
		{"a sign by its name", "a &lt; b &copy; &#x202e;", `<p>a &lt; b © \u202e</p>`},
		{"an escaped sign", `\*a\*`, "<p>*a*</p>"},
		{"a table", "| a |\n|---|\n| b |", "<table><tr><th>a</th></tr><tr><td>b</td></tr></table>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, string(markup.HTML(c.in, link)))
		})
	}
}

func TestTextIsWhatIsLeftWithoutMarkup(t *testing.T) {
	require.Equal(t, "A b and c, see d.", markup.Text("A *b*\nand `c`, see [d](https://example.com)."))
	require.Equal(t, "Starts with e.g. this.", markup.First("Starts with e.g. this. And goes on."))
}

// hostile are descriptions that try to inject content into a page.
var hostile = []string{
	"</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- --><svg/onload=alert(1)>", "[x](javascript:alert(1))",
	"[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))", "[x](&#106;avascript:alert(1))", "[x](data:text/html,<script>alert(1)</script>)", "[x](vbscript:x)",
	"<javascript:alert(1)>", "![x](javascript:alert(1))", "[x](https://e.com/\"onmouseover=\"alert(1))", "[x]: javascript:alert(1)\n\n[x]",
	"[x](//evil.example)", "[x](../../index.html)", "[x](file:///etc/passwd)", "[a](http://[::1", "`</code><script>alert(1)</script>`",
	"```\n</code></pre><script>alert(1)</script>\n```", "~~~ \"><script>\n~~~", "{{.}}", "${alert(1)}", "{@link x\"><script>}", "<div>\n<script>alert(1)</script>\n\n</div>",
	"| <script> |\n|---|\n| </table><script> |", "\u202eright to left\u202c", strings.Repeat("[", 10_000), strings.Repeat("> ", 3_000) + "x", strings.Repeat("*a", 5_000),
	"<a href=\"javascript:alert(1)\">x</a>", "\x00<script>\x00", "@see <script>", "chat/delta\"><script>",
}

// allowed are the elements of a description with the attributes that they may have.
var allowed = map[string]string{
	"p": "", "em": "", "strong": "", "del": "", "code": "", "pre": "", "ul": "", "ol": "", "li": "", "blockquote": "", "h4": "", "hr": "",
	"table": "", "tr": "", "th": "", "td": "", "a": "class href rel",
}

// requireText wants HTML to be well-formed, with nothing in it but what is allowed. What is well-formed without
// any declaration is read the same way by all.
func requireText(t *testing.T, in, out string) {
	t.Helper()
	reader := xml.NewDecoder(strings.NewReader("<x>" + out + "</x>"))
	for {
		token, err := reader.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, "%q became %q", in, out)
		switch token := token.(type) {
		case xml.CharData:
			require.NotContains(t, string(token), "\u202e")
		case xml.StartElement:
			if token.Name.Local == "x" {
				continue
			}
			attributes, known := allowed[token.Name.Local]
			require.True(t, known, "%q became %q", in, out)
			for _, a := range token.Attr {
				require.Contains(t, attributes, a.Name.Local, "%q became %q", in, out)
				if a.Name.Local == "href" {
					require.Regexp(t, `^(https?://[^/]|mailto:|\.\./x/)`, a.Value, "%q became %q", in, out)
				}
			}
		case xml.EndElement:
		default:
			require.Failf(t, "more than text", "%q became %q", in, out)
		}
	}
}

func TestNothingInADescriptionIsMoreThanText(t *testing.T) {
	for _, text := range hostile {
		requireText(t, text, string(markup.HTML(text, link)))
		requireText(t, text, string(markup.Inline(text, link)))
	}
}

func FuzzHTML(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { requireText(t, text, string(markup.HTML(text, link))) })
}
