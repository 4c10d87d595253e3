package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/page"
)

func TestSlugsFollowFromNames(t *testing.T) {
	for name, want := range map[string]string{
		"chat/toolCallReady": "chat.toolCallReady", "ChatState": "ChatState", "Snapshot.state": "Snapshot.state", "_meta": "_meta", "a b": "a~20b",
		"é": "~e9", "<script>": "~3cscript~3e", "$/cancel": "~24.cancel",
	} {
		require.Equal(t, want, page.Slug(name))
	}
	for _, name := range []string{"", "..", "../x", "con", "CON", "nul.txt", "index", "a/", "/a", "a//b", "a/../b", strings.Repeat("x", 5_000), "\x00", "\u202e"} {
		slug := page.Slug(name)
		require.Regexp(t, `^[A-Za-z0-9._~-]+$`, slug, "%q", name)
		require.NotContains(t, slug, "..", "%q", name)
		require.Less(t, len(slug), 120)
		require.NotContains(t, []string{"con", "nul", "index"}, strings.ToLower(slug))
	}
}

func TestNamesThatAreAlikeHaveSlugsOfTheirOwn(t *testing.T) {
	var names page.Names
	first, second := names.Of("Same"), names.Of("same")
	require.Equal(t, "Same", first)
	require.NotEqual(t, "same", second)
	require.NotEqual(t, strings.ToLower(first), strings.ToLower(second))
	require.Equal(t, second, names.Of("same"))
}

func TestAPageCanBeOneFile(t *testing.T) {
	data, err := page.Single("source", page.Frame{Title: "</title><script>", Site: "a & b", Content: struct {
		Name  string
		Lines []string
	}{"n", []string{"<b>"}}})
	require.NoError(t, err)
	text := string(data)
	require.Contains(t, text, "&lt;/title&gt;&lt;script&gt;")
	require.Contains(t, text, "&lt;b&gt;")
	require.Equal(t, 1, strings.Count(text, "<script>"))
	require.Contains(t, text, "color-scheme: light")
	require.NotContains(t, text, "assets/style.css")
}

func TestAPageOfOneFileRunsItsOwnScriptAlone(t *testing.T) {
	data, err := page.Single("source", page.Frame{Title: "x", Content: struct {
		Name  string
		Lines []string
	}{"n", nil}})
	require.NoError(t, err)
	text := string(data)
	policy := html.UnescapeString(regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(text)[1])
	require.Contains(t, policy, "default-src 'none'")
	for _, tag := range []string{"style", "script"} {
		inside := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(text, -1)
		require.Len(t, inside, 1)
		sum := sha256.Sum256([]byte(inside[0][1]))
		require.Contains(t, policy, tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	require.NotRegexp(t, `<[^>]* (style|on[a-z]+)=`, regexp.MustCompile(`(?s)<s(tyle|cript)>.*?</s(tyle|cript)>`).ReplaceAllString(text, ""))
	require.Less(t, strings.Index(text, "http-equiv"), strings.Index(text, "<style>"), "a policy counts from where it stands")
}
