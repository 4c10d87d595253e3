// What ahpgen emits today: the files, and what those that depend on the input use of other packages.
// An intended change of the emitted package changes these lists, and nothing else here.

package mutation

import (
	"regexp"

	"github.com/ahpgen/ahpgen/generator"
)

// standardImports are those that files have which depend on the input, besides the floor.
var standardImports = []string{"bytes", "cmp", "context", "encoding/json", "errors", "fmt", "iter", "maps", "slices", "strconv", "strings", "time"}

// calledFrom lists what these files use of the standard library. All of the floor is there to be used.
var calledFrom = map[string]bool{
	"json.RawMessage": true, "json.Marshaler": true, "json.Number": true, "json.Unmarshal": true, "json.Marshal": true, "json.Unmarshaler": true,
	"cmp.Or": true, "context.Context": true, "iter.Seq2": true, "context.WithoutCancel": true, "fmt.Errorf": true, "fmt.Sprintf": true, "errors.New": true, "errors.As": true, "errors.Is": true,
	"strconv.FormatInt": true, "strings.HasPrefix": true,
	"time.Time": true, "time.Duration": true, "time.Second": true, "time.Millisecond": true, "time.UnixMilli": true, "time.Unix": true,
}

// calledAtLoad is what variables may call when the package is loaded, which only makes functions of
// functions.
var calledAtLoad = map[string]bool{
	"codec.Appending": true, "codec.NullOr": true, "codec.Reencoding": true, "validate.NewRegexp": true,
	"spec.MustEnvelope": true, // which reads forms that the generator has read
}

// emittedNames are the files that depend on the input, without their suffix.
var emittedNames = suffixed(
	"types", "enums", "unions", "codec", "codec_json", "codec_unions", "actions", "reducers", "store", "methods", "errors", "handlers", "members",
	"rpc_protocol", "conn", "server", "doc", "http", "validate", "random",
)

// sideNames are those that are named after a side of the protocol, which is one word, and may be that of another file.
var sideNames = regexp.MustCompile(`^[a-z][a-z0-9]*(_server|_side|_conn)?_gen\.go$`)

// handNames are the files that a person goes on with.
var handNames = regexp.MustCompile(`^(reducers_[\p{L}\p{N}_]+|[a-z][a-z0-9]*_server)\.go$`)

func suffixed(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name+generator.Suffix] = true
	}
	return out
}
