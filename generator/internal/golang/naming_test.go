package golang

import (
	"go/token"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/gotext"
)

func TestNamesAreSpelledAsGoDoes(t *testing.T) {
	n := newNamer([]string{"MCP", "pty"})
	for _, c := range []struct{ in, exported, local string }{
		// Case and separators.
		{"name", "Name", "name"},
		{"camelCase", "CamelCase", "camelCase"},
		{"PascalCase", "PascalCase", "pascalCase"},
		{"snake_case", "SnakeCase", "snakeCase"},
		{"kebab-case", "KebabCase", "kebabCase"},
		{"with space", "WithSpace", "withSpace"},
		{"chat/turn", "ChatTurn", "chatTurn"},
		{"$ref", "Ref", "ref"},
		{"_meta", "Meta", "meta"},
		{"__init__", "Init", "init"},
		{"A", "A", "a"},
		// Initialisms, common and stated, alone and inside a name.
		{"id", "ID", "id"},
		{"ID", "ID", "id"},
		{"toolCallId", "ToolCallID", "toolCallID"},
		{"idToken", "IDToken", "idToken"},
		{"apiURL", "APIURL", "apiURL"},
		{"HTTPServer", "HTTPServer", "httpServer"},
		{"useHttps", "UseHTTPS", "useHTTPS"},
		{"mcpServers", "MCPServers", "mcpServers"},
		{"MCPServers", "MCPServers", "mcpServers"},
		{"ptySize", "PTYSize", "ptySize"},
		{"identity", "Identity", "identity"},
		{"uriTemplate", "URITemplate", "uriTemplate"},
		// Plurals of initialisms, and what only looks like one.
		{"toolCallIds", "ToolCallIDs", "toolCallIDs"},
		{"ids", "IDs", "ids"},
		{"urls", "URLs", "urls"},
		{"ptys", "PTYs", "ptys"},
		{"IDs", "IDs", "ids"},
		{"toolCallIDs", "ToolCallIDs", "toolCallIDs"},
		{"URLsSeen", "URLsSeen", "urlsSeen"},
		{"MCPs_2", "MCPs2", "mcps2"},
		{"utf8", "UTF8", "utf8"},
		{"utf8Text", "UTF8Text", "utf8Text"},
		{"status", "Status", "status"},
		{"is", "Is", "is"},
		// Digits.
		{"1", "X1", "x1"},
		{"-1", "X1", "x1"},
		{"2x", "X2X", "x2X"},
		{"x2", "X2", "x2"},
		{"v2Id", "V2ID", "v2ID"},
		{"sha256", "Sha256", "sha256"},
		// Nothing but symbols, and nothing.
		{"", "Empty", "value"},
		{"+", "U002B", "value"},
		{"<=", "U003CU003D", "value"},
		{"\u202e", "U202E", "value"},
		{"\x00", "U0000", "value"},
		{"😀", "U1F600", "value"},
		// Letters beyond ASCII.
		{"größe", "Größe", "größe"},
		{"éa", "Éa", "éa"},
		{"日本", "X日本", "日本"},
		{"ßa", "Xßa", "ßa"},
		// Keywords and predeclared names.
		{"func", "Func", "funcValue"},
		{"type", "Type", "typeValue"},
		{"range", "Range", "rangeValue"},
		{"nil", "Nil", "nilValue"},
		{"string", "String", "stringValue"},
		{"any", "Any", "anyValue"},
		{"len", "Len", "lenValue"},
	} {
		t.Run(c.in, func(t *testing.T) {
			require.Equal(t, c.exported, n.exported(c.in))
			require.Equal(t, c.local, n.local(c.in))
		})
	}
}

func TestDotsSeparateThePartsOfAPath(t *testing.T) {
	n := newNamer(nil)
	for in, want := range map[string]string{
		"Turn.state": "TurnState", "Turn.ids.item": "TurnIDsItem", "a.+": "AU002B", "a.": "AEmpty", ".a": "EmptyA", "turn.2": "Turn2", "x.日本": "X日本",
	} {
		require.Equal(t, want, n.exported(in), in)
	}
}

func TestPartsMayStartWithADigit(t *testing.T) {
	n := newNamer(nil)
	for in, want := range map[string]string{"2x": "2X", "404": "404", "": "Empty", "dark blue": "DarkBlue", "+": "U002B", "日本": "日本"} {
		require.Equal(t, want, n.part(in), in)
	}
}

func TestInitialismsAreThoseStated(t *testing.T) {
	require.Equal(t, "Mcp", newNamer(nil).exported("mcp"))
	require.Equal(t, "MCP", newNamer([]string{"mcp"}).exported("mcp"))
	require.Equal(t, "MCPs", newNamer([]string{"MCP"}).exported("mcps"))
}

// FuzzNames: whatever a protocol calls something, Go can say it.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"", "toolCallIds", "+", "1st", "größe", "日本", "a.b", "func", "\u202e", "\xff", "ª", "ǆ", "x\u0301", "İ", "a\x00b", "goto", "İd"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !utf8.ValidString(name) {
			return // the loader refuses it
		}
		n := newNamer([]string{"MCP"})
		require.True(t, gotext.IsExported(n.exported(name)), "%q becomes %q", name, n.exported(name))
		require.True(t, token.IsIdentifier(n.local(name)), "%q becomes %q", name, n.local(name))
		require.True(t, token.IsIdentifier("X"+n.part(name)), "%q becomes %q", name, n.part(name))
		require.Equal(t, n.exported(name), newNamer([]string{"MCP"}).exported(name))
	})
}
