// What ahpgen emits today: the files, and what those that depend on the input use of other packages.
// Whoever changes the emitted package on purpose changes these lists, and nothing else here.

package mutation

import (
	"regexp"

	"github.com/ahpgen/ahpgen/generator/emit"
	"github.com/ahpgen/ahpgen/templates"
)

// standardImports are the only ones that files beside the runtime have.
var standardImports = []string{"bytes", "cmp", "context", "encoding/json", "errors", "fmt", "maps", "slices", "strconv", "strings", "time"}

// runtimeImports are those that the runtime has besides.
var runtimeImports = []string{"encoding/binary", "math/bits", "sync/atomic", "unicode/utf16"}

// calledFrom lists what files beside the runtime use of other packages.
var calledFrom = map[string]bool{
	"json.RawMessage": true, "json.Marshaler": true, "json.Number": true, "json.Unmarshal": true, "json.Marshal": true, "json.Unmarshaler": true,
	"context.Context": true, "fmt.Errorf": true, "fmt.Sprintf": true, "errors.New": true, "errors.As": true, "errors.Is": true,
}

// emittedNames are the files that depend on the input, without their suffix.
var emittedNames = suffixed(
	"types", "enums", "unions", "codec", "codec_unions", "actions", "reducers", "store", "methods", "errors", "client", "host", "handlers", "host_server", "rpc_protocol", "doc",
)

// handNames are the files that a person goes on with.
var handNames = regexp.MustCompile(`^(reducers_[\p{L}\p{N}_]+|host_server)\.go$`)

// runtimeTexts are the files that depend on nothing but their header and the name of the package.
func runtimeTexts(header, pkg string) (map[string][]byte, error) {
	out, err := templates.Runtime(header, pkg, "nullable", "reducer", "store")
	if err != nil {
		return nil, err
	}
	calls, err := templates.RPC(header, pkg, true, true)
	for name, text := range calls {
		out[name] = text
	}
	return out, err
}

var runtimeFiles = func() map[string]bool {
	list, err := runtimeTexts("// x", "p")
	if err != nil {
		panic(err)
	}
	out := map[string]bool{}
	for name := range list {
		out[name+emit.Suffix] = true
	}
	return out
}()

func suffixed(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name+emit.Suffix] = true
	}
	return out
}
