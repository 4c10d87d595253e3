// Text of a protocol in the files that the user gets.

package generator

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

func TestAChannelsNameCannotEndTheCommentOfItsStubs(t *testing.T) {
	pkg := &golang.Package{Name: "p", Reducers: &golang.Reducers{Channels: []*golang.ChannelReducer{
		{Method: "Log", Channel: "log\n\n//go:build pwned\npackage q\nfunc init() {}\n/*\u202e"},
	}}}
	header := stubHeader(pkg, stubChannels(pkg.Reducers)["reducers_log.go"])
	require.Equal(t, "// Reducers of the log  //go:build pwned package q func init() {} /* channel that are written by hand. When the protocol gains actions,\n"+
		"// ahpgen adds stubs for them; what you write here stays as it is.\n\npackage p\n", header)
	file, err := parser.ParseFile(token.NewFileSet(), "", header, parser.ParseComments)
	require.NoError(t, err)
	require.Empty(t, file.Decls)
}
