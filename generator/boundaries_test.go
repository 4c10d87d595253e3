package generator_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/emit"
)

const module = "github.com/ahpgen/ahpgen"

// folder is one package of this module: what it imports, and where. Folders count from the module's root.
type folder struct {
	own     map[string]string // folder of ours → file that imports it
	foreign map[string]string // any other path → file that imports it
	tests   map[string]string // the same for foreign imports of test files
}

// readImports reads the import clauses of every package of the module.
func readImports(t *testing.T) map[string]folder {
	t.Helper()
	out := map[string]folder{}
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasPrefix(base, ".") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		f, ok := out[dir]
		if !ok {
			f = folder{map[string]string{}, map[string]string{}, map[string]string{}}
			out[dir] = f
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			ours, isOurs := strings.CutPrefix(imported, module+"/")
			switch isTest := strings.HasSuffix(base, "_test.go"); {
			case isTest && !isOurs:
				f.tests[imported] = name
			case isTest: // tests may use any package of ours
			case isOurs:
				f.own[ours] = name
			default:
				f.foreign[imported] = name
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Contains(t, out, "generator", "the walk starts at the wrong place")
	return out
}

// reach returns every folder of ours that dir imports, itself or through others, and the way to it.
func reach(imports map[string]folder, dir string) map[string]string {
	ways := map[string]string{dir: dir}
	for queue := []string{dir}; len(queue) > 0; queue = queue[1:] {
		for _, next := range slices.Sorted(maps.Keys(imports[queue[0]].own)) {
			if _, seen := ways[next]; !seen {
				ways[next] = ways[queue[0]] + " → " + next
				queue = append(queue, next)
			}
		}
	}
	delete(ways, dir)
	return ways
}

func TestPackagesImportOnlyWhatTheyMayKnow(t *testing.T) {
	imports := readImports(t)
	for dir, may := range map[string][]string{
		"generator/internal/visible":  nil,
		"generator/internal/jsontext": nil,
		"generator/internal/gotext":   {"generator/internal/visible"},
		"generator/diag":              {"generator/internal/visible"},
		"generator/protocol":          {"generator/diag", "generator/internal/jsontext"},
		"generator/internal/schema":   {"generator/diag", "generator/internal/jsontext", "generator/internal/graph", "generator/internal/similar", "generator/internal/visible", "schemas"},
		"generator/internal/version":  nil,
		"generator/internal/similar":  nil,
		"generator/internal/facts":    {"templates/wire/rpc/spec", "generator/diag", "generator/internal/schema", "generator/internal/version"},
		"generator/internal/profile":  {"generator/diag", "generator/internal/facts", "generator/internal/jsontext", "generator/internal/schema", "generator/internal/similar", "generator/internal/version", "schemas"},
		"generator/internal/keyword":  {"templates/wire/rpc/spec", "generator/internal/graph", "generator/diag", "generator/internal/facts", "generator/internal/schema", "generator/internal/similar", "generator/internal/version"},
		"generator/internal/analyze": {
			"generator/diag", "generator/internal/facts", "generator/internal/facts/fit", "generator/protocol", "generator/internal/schema",
			"generator/internal/analyze/phase", "generator/internal/analyze/types", "generator/internal/analyze/dispatch", "generator/internal/analyze/tables", "generator/internal/analyze/complaints", "generator/internal/analyze/behaviour",
		},
		"generator/internal/analyze/shape": {"generator/internal/graph", "generator/internal/schema"},
		"generator/internal/analyze/phase": {"generator/diag", "generator/internal/facts", "generator/internal/facts/fit", "generator/internal/schema", "generator/protocol"},
		"generator/internal/analyze/types": {
			"generator/diag", "generator/internal/facts", "generator/internal/graph", "generator/internal/holding", "generator/internal/schema", "generator/protocol",
			"generator/internal/analyze/phase", "generator/internal/analyze/shape",
		},
		"generator/internal/analyze/dispatch": {"generator/internal/facts", "generator/protocol", "generator/internal/analyze/phase", "generator/internal/analyze/types"},
		"generator/internal/analyze/tables": {
			"generator/diag", "generator/internal/facts", "generator/internal/graph", "generator/internal/schema", "generator/protocol",
			"generator/internal/analyze/phase", "generator/internal/analyze/shape", "generator/internal/analyze/types",
		},
		"generator/internal/analyze/complaints": {"generator/diag", "generator/internal/facts", "generator/internal/schema", "generator/protocol", "generator/internal/analyze/phase", "generator/internal/analyze/types"},
		"generator/internal/analyze/behaviour": {
			"generator/internal/graph", "generator/diag", "generator/internal/facts", "generator/internal/schema", "generator/internal/similar", "generator/internal/version", "generator/protocol",
			"generator/internal/analyze/phase", "generator/internal/analyze/tables", "generator/internal/analyze/types",
		},
		"generator/internal/discover": {
			"generator/internal/graph", "generator/diag", "generator/internal/facts", "generator/internal/jsontext", "generator/internal/profile", "generator/internal/schema",
			"generator/internal/understand", "generator/protocol",
		},
		"generator/internal/declared": nil,
		"generator/internal/userfile": {"generator/diag", "generator/internal/declared", "generator/internal/gotext", "generator/internal/similar"},
		"generator/internal/behave":   {"generator/protocol", "templates/wire/state"},
		"generator/internal/finished": {"generator/protocol", "generator/internal/declared", "generator/internal/graph", "generator/internal/golang", "generator/internal/gotext", "generator/internal/version", "schemas"},
		"generator/internal/gitfs":    nil,
		"generator/internal/disk":     nil,
		"generator/internal/apply":    {"generator/internal/disk"},
		"generator/change":            {"generator/diag", "generator/internal/behave", "generator/internal/jsontext", "generator/protocol"},

		"generator/internal/usage":    nil,
		"generator/internal/jsonedit": {"generator/diag", "generator/internal/schema"},
		"generator/internal/gomod":    {"generator/diag", "generator/internal/disk", "generator/internal/visible", "generator/internal/usage"},
		"generator/internal/lock":     {"generator/diag", "generator/internal/jsontext", "generator/internal/schema", "generator/internal/visible", "generator/internal/golang", "generator/internal/gotext"},
		"generator/internal/inspect":  {"generator/protocol", "generator/internal/golang", "generator/internal/similar"},
		"generator/internal/source": {
			"generator/diag", "generator/internal/disk", "generator/internal/schema", "generator/internal/gitfs", "generator/internal/gomod",
			"generator/internal/profile", "generator/internal/similar", "generator/internal/usage", "schemas",
		},

		"generator/internal/markup":    {"generator/internal/visible"},
		"generator/internal/picture":   {"generator/internal/visible"},
		"generator/internal/page":      {"generator/internal/picture", "generator/internal/visible", "templates"},
		"generator/internal/example":   {"generator/internal/golang", "generator/internal/jsontext", "generator/protocol"},
		"generator/internal/reference": {"generator/diag", "generator/internal/behave", "generator/internal/example", "generator/internal/golang", "generator/internal/graph", "generator/internal/markup", "generator/internal/page", "generator/internal/picture", "generator/protocol", "generator/internal/visible"},

		"generator/internal/facts/fit": {"generator/diag", "generator/internal/facts", "generator/internal/version", "generator/internal/schema"},
		"generator/internal/flow":      {"generator/protocol"},
		"generator/internal/holding":   {"generator/internal/schema", "generator/protocol"},
		"generator/internal/translation": {
			"generator/diag", "generator/internal/facts", "generator/internal/holding", "generator/internal/jsontext", "generator/internal/schema", "generator/internal/similar", "generator/internal/version", "generator/protocol",
			"generator/internal/translation/table", "templates/wire/translate", "generator/change",
		},
		"generator/internal/translation/table": {"templates/wire/translate"},
		"generator/internal/graph":             nil,
		"generator/internal/each":              nil,
		"generator/change/verdict":             {"generator/change", "generator/internal/flow", "generator/protocol", "generator/internal/version"},
		"generator/internal/goapi":             {"generator/change", "generator/change/verdict", "generator/internal/golang", "generator/internal/graph", "generator/protocol"},
		"schemas":                              nil,
		"templates":                            nil,
		"templates/wire":                       nil,
		"templates/wire/codec":                 {"templates/wire"},
		"templates/wire/meta":                  {"templates/wire", "templates/wire/codec"},
		"templates/wire/internal/hooks":        {},
		"templates/wire/rpc":                   {"templates/wire", "templates/wire/codec", "templates/wire/internal/hooks", "templates/wire/rpc/spec"},
		"templates/wire/rpc/spec":              {"templates/wire"},
		"templates/wire/rpc/typed":             {"templates/wire/codec", "templates/wire", "templates/wire/rpc", "templates/wire/rpc/spec"},
		"templates/wire/gate":                  {"templates/wire", "templates/wire/rpc"},
		"templates/wire/state":                 {"templates/wire", "templates/wire/codec"},
		"templates/wire/conn":                  {"templates/wire", "templates/wire/internal/hooks", "templates/wire/rpc"},
		"templates/wire/server":                {"templates/wire", "templates/wire/codec", "templates/wire/internal/hooks", "templates/wire/rpc", "templates/wire/rpc/spec", "templates/wire/shared"},
		"templates/wire/site":                  {},
		"templates/wire/ws":                    {"templates/wire", "templates/wire/rpc", "templates/wire/site"},
		"templates/wire/web":                   {"templates/wire", "templates/wire/internal/hooks", "templates/wire/rpc", "templates/wire/rpc/spec", "templates/wire/site"},
		"templates/wire/bolt":                  {"templates/wire/server", "templates/wire/shared"},
		"templates/wire/shared":                {},
		"templates/wire/shared/logtest":        {"templates/wire/shared"},
		"templates/wire/jetstream":             {"templates/wire/shared"},
		"templates/wire/otel":                  {"templates/wire", "templates/wire/meta", "templates/wire/observe", "templates/wire/rpc"},
		"templates/wire/translate":             {"templates/wire", "templates/wire/rpc", "templates/wire/rpc/spec"},
		"templates/wire/observe":               {"templates/wire", "templates/wire/rpc"},
		"templates/wire/health":                {},
	} {
		t.Run(dir, func(t *testing.T) {
			require.Contains(t, imports, dir)
			for imported, file := range imports[dir].own {
				require.Contains(t, append(may, "generator/internal/each"), imported, "%s imports it", file)
			}
		})
	}
}

func TestPackagesNeverReachWhatTheyMustNotKnow(t *testing.T) {
	imports := readImports(t)
	for dir, never := range map[string][]string{
		"generator/internal/analyze": {"generator/internal/golang", "generator/internal/emit", "generator/internal/profile", "generator/internal/keyword"},
		"generator/internal/golang":  {"generator/internal/schema", "generator/internal/analyze", "generator/internal/profile"},
		"generator/change":           {"generator/internal/golang", "generator/internal/emit"},

		"generator/change/verdict": {"generator/internal/golang", "generator/internal/emit"},
		"generator/internal/goapi": {"generator/internal/schema", "generator/internal/emit"},
		"generator/change/report":  {"generator/internal/golang", "generator/internal/emit", "generator/internal/analyze"},
		"generator/internal/emit":  {"generator/internal/schema", "generator/internal/analyze", "generator/internal/profile"},
	} {
		t.Run(dir, func(t *testing.T) {
			require.Contains(t, imports, dir)
			ways := reach(imports, dir)
			for _, forbidden := range never {
				require.Contains(t, imports, forbidden, "the rule names a package that is not there")
				require.NotContains(t, ways, forbidden, "%s", ways[forbidden])
			}
		})
	}
}

func TestOnlyCommandsImportCommands(t *testing.T) {
	for dir, f := range readImports(t) {
		if dir == "cmd" || strings.HasPrefix(dir, "cmd/") || dir == "golden/kit" { // the last is for tests alone
			continue
		}
		for imported, file := range f.own {
			require.False(t, imported == "cmd" || strings.HasPrefix(imported, "cmd/"), "%s imports %s", file, imported)
		}
	}
}

func TestEachLibraryHasOneHome(t *testing.T) {
	imports := readImports(t)
	for library, home := range map[string]struct {
		folder string // that folder, or with a final slash everything below it
		also   []string
		tests  bool // tests elsewhere may use it
	}{
		"github.com/iancoleman/strcase":            {folder: "generator/internal/golang"},
		"github.com/dave/jennifer/jen":             {folder: "generator/internal/emit"},
		"github.com/santhosh-tekuri/jsonschema/v5": {folder: "generator/internal/schema", also: []string{"cmd/mcpdemo", "golden/kit/pairs"}, tests: true},
		"github.com/spf13/cobra":                   {folder: "cmd/"},
		"golang.org/x/term":                        {folder: "cmd/"},
		"golang.org/x/exp/apidiff":                 {folder: "golden/apicheck"},
		"github.com/yuin/goldmark":                 {folder: "generator/internal/markup"},
		"os/exec":                                  {folder: "generator/internal/gitfs", also: []string{"cmd/acpdemo", "cmd/ahpgen/browser", "cmd/ahpgen/tap", "golden/between", "golden/kit"}, tests: true},
		"github.com/gofrs/flock":                   {folder: "generator/internal/apply"},
		"golang.org/x/sys/unix":                    {folder: "generator/internal/apply"},
	} {
		t.Run(library, func(t *testing.T) {
			used := false
			for dir, f := range imports {
				_, imported := f.foreign[library]
				if dir == home.folder || strings.HasSuffix(home.folder, "/") && strings.HasPrefix(dir, home.folder) {
					used = used || imported
					continue
				}
				require.False(t, imported && !slices.Contains(home.also, dir), "%s imports it, only %s may", f.foreign[library], home.folder)
				require.True(t, home.tests || f.tests[library] == "", "%s imports it, only %s may", f.tests[library], home.folder)
			}
			require.True(t, used, "%s does not use it: the rule names a wrong path", home.folder)
		})
	}
}

// TestStagesTouchNoDisk holds "no stage but the last touches the disk": the stages get their input
// from an fs.FS or as values.
func TestStagesTouchNoDisk(t *testing.T) {
	imports := readImports(t)
	for _, dir := range []string{
		"generator/diag", "generator/internal/schema", "generator/protocol", "generator/internal/profile", "generator/internal/version", "generator/internal/facts", "generator/internal/facts/fit", "generator/internal/keyword", "generator/internal/understand", "generator/internal/discover", "generator/internal/analyze",
		"generator/internal/golang", "generator/internal/emit", "generator/internal/userfile", "generator/internal/visible", "generator/internal/gotext", "generator/internal/finished", "schemas", "templates",
		"templates/wire", "templates/wire/codec", "templates/wire/rpc/spec", "templates/wire/rpc/typed", "templates/wire/gate", "templates/wire/meta", "templates/wire/state", "templates/wire/conn", "templates/wire/server", "templates/wire/translate",
		"generator/change", "generator/internal/flow", "generator/change/verdict", "generator/internal/goapi",
		"generator/internal/accept", "generator/change/report", "generator/internal/holding", "generator/internal/translation", "generator/internal/translation/table",
		"generator/internal/markup", "generator/internal/picture", "generator/internal/page", "generator/internal/example", "generator/internal/reference",
	} {
		for _, forbidden := range []string{"os", "os/exec", "net", "net/http"} {
			require.NotContains(t, imports[dir].foreign, forbidden, "%s", imports[dir].foreign[forbidden])
		}
	}
}

// TestTheFloorNeedsOnlyTheStandardLibrary: its text becomes packages of other people's modules. What is
// there on request alone may need one library more, each its own.
func TestTheFloorNeedsOnlyTheStandardLibrary(t *testing.T) {
	var api []string // of OpenTelemetry, without what collects and exports
	for _, name := range []string{"attribute", "codes", "metric", "metric/noop", "propagation", "trace", "trace/noop"} {
		api = append(api, "go.opentelemetry.io/otel/"+name)
	}
	found := 0
	for dir, f := range readImports(t) {
		if dir != "templates/wire" && !strings.HasPrefix(dir, "templates/wire/") {
			continue
		}
		found++
		for imported, file := range f.foreign {
			first, _, _ := strings.Cut(imported, "/")
			onRequest := dir == "templates/wire/ws" && imported == "github.com/coder/websocket" ||
				dir == "templates/wire/bolt" && strings.HasPrefix(imported, "go.etcd.io/bbolt") ||
				dir == "templates/wire/jetstream" && strings.HasPrefix(imported, "github.com/nats-io/nats.go") ||
				dir == "templates/wire/otel" && slices.Contains(api, imported)
			require.True(t, onRequest || !strings.Contains(first, "."), "%s imports %s", file, imported)
		}
		for imported, file := range f.own {
			require.True(t, imported == "templates/wire" || strings.HasPrefix(imported, "templates/wire/"), "%s imports %s", file, imported)
		}
	}
	require.Equal(t, 1+len(emit.Folders()), found, "emit.Folders says what there is below templates/wire")
}
