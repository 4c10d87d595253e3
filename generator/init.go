// Init: the initial files of a consumer's folder.

package generator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/schemas"
	"github.com/ahpgen/ahpgen/templates"
)

// StarterFile is a file written by Init, or left alone because it existed.
type StarterFile struct {
	Path    string
	Written bool
	Lacks   string // line missing from an existing file
}

// ConfigSchemaName is the name of a copy of the schema of ahpgen.json, beside that file. An editor finds it
// there without the network, as does everybody who checks the repository out, and it is that of the ahpgen
// in use: generate brings it up to date. An address on the web could promise neither.
const ConfigSchemaName = "ahpgen-schema.json"

// attributes make forges collapse generated files.
const attributes = `*_gen.go linguist-generated
` + LockName + ` linguist-generated
` + ConfigSchemaName + ` linguist-generated
`

// Init writes what a folder starts with into dir: a configuration with its schema, a file with a go:generate
// line, and attributes. Paths in config are relative to the working directory; in the file they are relative
// to dir. Existing files stay. Without schemas in config, a folder named after an embedded protocol gets those of that one. What is left to type before go generate is returned as well.
func Init(dir string, config Config) (_ []StarterFile, next []string, _ error) {
	if err := config.begin(dir); err != nil {
		return nil, nil, err
	}
	if config.Schemas == "" && config.Profile != "" {
		return nil, nil, &FlagError{Message: "a profile goes with a folder of schemas: name it with --schemas DIR", Flag: "schemas", Value: "DIR"}
	}
	if err := checkSchemas(config.Schemas); err != nil {
		return nil, nil, err
	}
	return start(dir, config)
}

// begin names the package of a new folder, and checks what was asked for.
func (c *Config) begin(dir string) error {
	c.Package = cmp.Or(c.Package, packageOf(dir))
	if !gotext.IsPackageName(c.Package) {
		return badPackage(c.Package)
	}
	return c.checkChoices()
}

// start writes the initial files for schemas that are there, or will be.
func start(dir string, config Config) (_ []StarterFile, next []string, _ error) {
	config.Schema = "./" + ConfigSchemaName
	if config.Schemas == "" {
		name := filepath.Base(disk.Absolute(dir))
		if slices.Contains(schemas.Profiles(), name) && !slices.Contains(source.Protocols(), name) {
			return nil, nil, &FlagError{Message: fmt.Sprintf("ahpgen has a profile %q, and no schemas for it: name the folder of the published ones with --schemas DIR, and --profile %s", name, name), Flag: "schemas", Value: "DIR"}
		}
	}
	config.Schemas = cmp.Or(config.Schemas, schemasFor(dir))
	config.Out = "."
	config.dir = dir
	config.Schemas = config.named(config.Schemas, IsEmbedded(config.Schemas))
	config.Profile = config.named(config.Profile, !strings.HasSuffix(config.Profile, ".json"))
	text, err := jsontext.File(config)
	if err != nil {
		return nil, nil, fmt.Errorf("write configuration: %w", err)
	}
	modfile, next, err := gomod.ToolLines(dir)
	if err != nil {
		return nil, nil, err
	}
	starter, err := templates.Starter(config.Package, modfile)
	if err != nil {
		return nil, nil, err
	}
	var out []StarterFile
	for _, f := range []struct {
		name    string
		content []byte
	}{{ConfigName, text}, {ConfigSchemaName, schemas.ConfigSchema}, {"generate.go", starter}, {".gitattributes", []byte(attributes)}} {
		if err := writeStarter(&out, filepath.Join(dir, f.name), f.content); err != nil {
			return out, next, err
		}
	}
	if attributes := &out[len(out)-1]; !attributes.Written {
		attributes.Lacks = lackingLine(attributes.Path, "*_gen.go linguist-generated")
	}
	return out, next, nil
}

// checkSchemas refuses a folder that has no schemas. One that is not there yet may come.
func checkSchemas(name string) error {
	if name == "" || source.IsEmbedded(name) || source.IsGit(name) {
		return nil
	}
	folder, err := source.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer folder.Close()
	_, found, err := folder.Load(nil)
	for _, d := range found {
		if d.Code == "no-schemas" {
			return &FlagError{Message: folder.Name + ": " + d.Message + "; " + d.Hint, Flag: "schemas", Value: "DIR"}
		}
	}
	return err
}

// checkChoices refuses unknown parts, transports, logs and observers.
func (c *Config) checkChoices() error {
	if slices.Equal(c.Parts, []string{noParts}) {
		c.Parts = []string{}
	}
	for _, choice := range []struct {
		flag, kind, some, value string
		named, known            []string
	}{
		{"parts", "part", "", strings.Join(Parts(), ","), c.Parts, Parts()},
		{"transports", "transport", fmt.Sprintf(": %q and %q are some", golang.WebSocket, golang.Web), golang.WebSocket, c.Transports, Transports()},
		{"observers", "observer", fmt.Sprintf(": %q is one", golang.OpenTelemetry), golang.OpenTelemetry, c.Observers, []string{golang.OpenTelemetry}},
		{"logs", "log", fmt.Sprintf(": %q and %q are some", golang.Bolt, golang.JetStream), golang.Bolt, c.Logs, golang.Logs()},
	} {
		if unknown := each.Without(choice.named, choice.known); unknown != nil {
			return &FlagError{Message: fmt.Sprintf("there is no %s %q%s", choice.kind, unknown[0], choice.some), Flag: choice.flag, Value: choice.value}
		}
	}
	return nil
}

// InitExample writes a package of a small protocol to begin with into dir: its schemas, and Go files with a reducer, its
// test, and a host with a client, beside what Init writes.
func InitExample(dir string, config Config) (_ []StarterFile, next []string, _ error) {
	if config.Schemas != "" || config.Profile != "" {
		return nil, nil, &FlagError{Message: "the example brings its own schemas", Without: []string{"schemas", "profile", "protocol-version"}}
	}
	m, err := gomod.Of(dir)
	if err != nil {
		return nil, nil, err
	}
	importPath, ok := m.ImportPath(dir)
	if !ok {
		return nil, nil, &UsageError{Message: fmt.Sprintf("%s is in no Go module: type go mod init example.com/NAME first", filepath.ToSlash(dir))}
	}
	config.Package = cmp.Or(config.Package, packageOf(dir))
	config.Schemas = filepath.Join(dir, "schema")
	files, err := templates.Example(config.Package, importPath)
	if err != nil {
		return nil, nil, err
	}
	err = fs.WalkDir(schemas.Example(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files[path.Join("schema", name)], err = fs.ReadFile(schemas.Example(), name)
		}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read example: %w", err)
	}
	out, next, err := Init(dir, config)
	if err != nil {
		return out, next, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeStarter(&out, filepath.Join(dir, filepath.FromSlash(name)), files[name]); err != nil {
			return out, next, err
		}
	}
	return out, append(next, "go test ./"+filepath.ToSlash(dir)+"/...", "go run ./"+path.Join(filepath.ToSlash(dir), "demo")), nil
}

// schemasFor returns the embedded schemas named like a folder, or the default.
func schemasFor(dir string) string {
	if name := filepath.Base(disk.Absolute(dir)); slices.Contains(source.Protocols(), name) {
		if whole, ok := schemas.Expand(name); ok {
			return whole
		}
	}
	return schemas.Default()
}

// libraries are the modules that transports, logs and observers need, beyond the standard library.
var libraries = map[string][]string{
	"websocket": {"github.com/coder/websocket"}, "bolt": {"go.etcd.io/bbolt"}, "jetstream": {"github.com/nats-io/nats.go"},
	"opentelemetry": {"go.opentelemetry.io/otel", "go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/trace"},
}

// Libraries returns the modules that a package with some transports, logs and observers needs, in alphabetical order.
func Libraries(choices ...[]string) (out []string) {
	for _, name := range slices.Concat(choices...) {
		out = append(out, libraries[name]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Transports returns the optional transports.
func Transports() []string { return golang.Transports() }

// noParts stands for types and codecs alone, among the parts that Init is given.
const noParts = "none"

// Parts returns the parts that a package can have beside types and codecs.
func Parts() []string { return slices.Clone(golang.PartNames) }

// lackingLine returns a line if an existing file lacks it.
func lackingLine(path, line string) string {
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte(line)) {
		return ""
	}
	return line
}

// planSchema adds the configuration's schema to a plan if the configuration refers to its copy.
func (g *Generator) planSchema(plan *Plan) error {
	if g.config.dir == "" || path.Clean(filepath.ToSlash(g.config.Schema)) != ConfigSchemaName {
		return nil
	}
	f := PlannedFile{Name: ConfigSchemaName, Dir: g.config.dir, New: schemas.ConfigSchema, State: Missing, Aside: true}
	switch old, err := disk.ReadFile(filepath.Join(g.config.dir, ConfigSchemaName)); {
	case disk.IsMissing(err):
	case err != nil:
		return fmt.Errorf("read schema of the configuration: %w", err)
	case sameLines(old, f.New):
		f.State, f.New, f.Old = Unchanged, old, old
	default:
		f.State, f.Old = Stale, old
	}
	plan.Files = append(plan.Files, f)
	plan.sort()
	return nil
}

// writeStarter writes a file, the folder of which may be new, unless it exists, and adds it to the list.
func writeStarter(list *[]StarterFile, name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case err == nil:
		_, err = f.Write(content)
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(name) // a partial file would be kept next time
			return fmt.Errorf("write: %w", err)
		}
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("write: %w", err)
	}
	*list = append(*list, StarterFile{Path: name, Written: err == nil})
	return nil
}
