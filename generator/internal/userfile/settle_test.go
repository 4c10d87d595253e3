package userfile

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// settled loads files, with all methods of the stubs' texts as the tool's, and settles them on the wanted ones.
func settled(t *testing.T, files map[string]string, written, wanted []Stub) (map[string]string, []Settled) {
	t.Helper()
	texts := map[string]string{}
	for _, s := range written {
		method, text, err := (&Package{}).Text(s)
		require.NoError(t, err)
		texts[method] = text
	}
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, found, err := Load(tree, Source{Package: "p"})
	require.NoError(t, err)
	require.Empty(t, found)
	require.NotNil(t, p)
	p.Follow(func(method string, text func() string) bool { return texts[method] != "" && texts[method] == text() })
	next, said, err := p.Settle(wanted, func(string) string { return "// Start.\n\npackage p\n" })
	require.NoError(t, err)
	out := map[string]string{}
	for name, content := range next.Sources() {
		out[name] = string(content)
	}
	return out, said
}

func settleStub(name, doc string) Stub {
	return Stub{
		Receiver: "s *Server", Name: name, Signature: "(ctx context.Context) error", Body: "// TODO: write it.\nreturn rpc.ErrNot",
		Doc: []string{name + " " + doc}, Imports: map[string]string{"context": "context", "rpc": "x/rpc"}, File: "server.go",
	}
}

const settleHead = "// Start.\n\npackage p\n\nimport (\n\t\"context\"\n\n\t\"x/rpc\"\n)\n\n"

func settleMethod(receiver, name, doc string) string {
	return "// " + name + " " + doc + "\nfunc (" + receiver + " *Server) " + name + "(ctx context.Context) error {\n\t// TODO: write it.\n\treturn rpc.ErrNot\n}\n"
}

func TestSettleTakesBackWhatNobodyTouched(t *testing.T) {
	a, b := settleStub("A", "does."), settleStub("B", "does.")
	text := settleHead + settleMethod("s", "A", "does.") + "\n" + settleMethod("host", "B", "does.")
	for _, eol := range []string{"\n", "\r\n"} {
		files := map[string]string{"server.go": strings.ReplaceAll(text, "\n", eol)}
		now, said := settled(t, files, []Stub{a, b}, []Stub{b})
		require.Equal(t, []Settled{{File: "server.go", Gone: []string{"Server.A"}}}, said)
		require.Equal(t, strings.ReplaceAll(settleHead+settleMethod("host", "B", "does."), "\n", eol), now["server.go"])

		now, said = settled(t, files, []Stub{a, b}, nil)
		require.Equal(t, []Settled{{File: "server.go", Gone: []string{"Server.A", "Server.B"}}}, said)
		require.NotContains(t, now, "server.go", "the file goes with the last of them")
	}
}

func TestSettleBringsUpToDateWhatNobodyTouched(t *testing.T) {
	text := settleHead + settleMethod("host", "A", "does.") + "\nvar mine = 1\n"
	now, said := settled(t, map[string]string{"server.go": text}, []Stub{settleStub("A", "does.")}, []Stub{settleStub("A", "does more.")})
	require.Equal(t, []Settled{{File: "server.go", Changed: []string{"Server.A"}}}, said)
	require.Equal(t, settleHead+settleMethod("host", "A", "does more.")+"\nvar mine = 1\n", now["server.go"])
}

func TestSettleKeepsEveryByteOfAPersons(t *testing.T) {
	stub := settleStub("A", "does.")
	plain := settleMethod("s", "A", "does.")
	for what, text := range map[string]string{
		"a word in the comment":    strings.Replace(plain, "does.", "does it.", 1),
		"a word in the body":       strings.Replace(plain, "ErrNot", "ErrYes", 1),
		"the mark is gone":         strings.Replace(plain, "\t// TODO: write it.\n", "", 1),
		"a comment behind it":      strings.TrimSuffix(plain, "\n") + " // mine\n",
		"something on its lines":   "var x int; " + strings.TrimPrefix(plain, "// A does.\n"),
		"a comment in between":     strings.Replace(plain, "return", "// mine\n\treturn", 1),
		"another type in its head": strings.Replace(plain, "ctx context.Context", "ctx rpc.Context", 1),
	} {
		t.Run(what, func(t *testing.T) {
			files := map[string]string{"server.go": settleHead + text}
			now, said := settled(t, files, []Stub{stub}, nil)
			require.Empty(t, said)
			require.Equal(t, files, now)
		})
	}
	// What is around it stays, and so do imports that something else needs, or that was unused before.
	files := map[string]string{"server.go": "// Mine.\n\npackage p\n\nimport (\n\t\"context\"\n\t\"os\"\n\n\t\"x/rpc\" // why\n)\n\n// Detached.\n\n" + plain + "\n// B is mine.\nfunc B(context.Context) {}\n"}
	now, _ := settled(t, files, []Stub{stub}, nil)
	require.Equal(t, "// Mine.\n\npackage p\n\nimport (\n\t\"context\"\n\t\"os\"\n\n\t\"x/rpc\" // why\n)\n\n// Detached.\n\n// B is mine.\nfunc B(context.Context) {}\n", now["server.go"])
}
