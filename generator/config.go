// Configuration: the settings of a run and the file that holds them.

package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/schemas"
)

// ConfigName is the name of the configuration file.
const ConfigName = "ahpgen.json"

// Config states what to generate from what. Folders are relative to the working directory.
type Config struct {
	Schema          string `json:"$schema,omitempty"`         // for editors
	Schemas         string `json:"schemas,omitempty"`         // folder with the schema files, or one file
	Profile         string `json:"profile,omitempty"`         // name of an embedded profile, or a file
	ProtocolVersion string `json:"protocolVersion,omitempty"` // "" to detect it
	Out             string `json:"out,omitempty"`             // folder of the generated package
	Package         string `json:"package,omitempty"`         // "" to derive it from the folder
	Runtime         string `json:"runtime,omitempty"`         // folder of the runtime; "" for one below the package

	Parts      []string `json:"parts,omitzero"`       // parts beside types and codecs; nil for all
	Transports []string `json:"transports,omitempty"` // additional transports, such as "websocket"
	Logs       []string `json:"logs,omitempty"`       // server logs, such as "bolt"
	Observers  []string `json:"observers,omitempty"`  // observers with a dependency, such as "opentelemetry"

	Missing  string   `json:"missing,omitempty"` // what decoders do about missing required members: "report" or, by default, refuse
	Reducers Reducers `json:"reducers,omitzero"`
	Host     Host     `json:"host,omitzero"`

	Speaks []string `json:"speaks,omitempty"` // older versions, or folders with their schemas

	Names map[string]string `json:"names,omitempty"` // Go names by subject; see golang.Nameable

	Types []TypeEntry `json:"types,omitempty"` // types that are declared elsewhere
	Tags  []TagEntry  `json:"tags,omitempty"`  // struct tags

	file     *schema.Node // content of the configuration file, for positions; a flag may override what it says
	speaksAt []diag.Pos   // positions of Speaks, if from the file
	outIn    string       // Out as the file has it

	against     []string // schemas of older versions that a bump compares with beside the former one
	versionFlag string   // flag that states the version, if it is not --protocol-version
	lenient     bool     // tolerates names without a subject
	generated   bool     // lenient, but that a package follows from these schemas, which is read in earnest later
	compared    bool     // only compared with what is generated, so that two things may have one name
	moves       bool     // the stated version will be replaced by the detected one

	schemasNamed bool // the caller named the folder of the schemas that a bump replaces

	dir string // folder of the configuration file, or ""
	as  string // future folder of the schemas, if different
}

// named is relative, but keeps names of embedded schemas and profiles.
func (c Config) named(text string, isName bool) string {
	if isName {
		return text
	}
	return c.relative(text)
}

// relative returns a slash-separated path relative to the configuration's folder. The empty path stays empty.
func (c Config) relative(path string) string {
	if path == "" {
		return ""
	}
	rel, err := filepath.Rel(disk.Absolute(c.dir), disk.Absolute(path))
	if err != nil {
		return filepath.ToSlash(path) // on another volume
	}
	return filepath.ToSlash(rel)
}

// withDefaults fills in the default schemas and output folder.
func (c Config) withDefaults() Config {
	if c.Schemas == "" && c.Profile == "" {
		c.Schemas = schemas.Default()
		if c.Out == "" {
			c.Out = filepath.Join(c.dir, DefaultFolder())
			c.outIn = c.Out
		}
	}
	return c
}

// Reducers states which reducers are generated.
type Reducers struct {
	Omit bool     `json:"omit"` // none at all
	Own  []string `json:"own"`  // action types whose finished or stated reducers the user replaces
}

// Host configures what is generated for writing a host.
type Host struct {
	Skeleton bool `json:"skeleton"` // a user-defined type with a method for everything a host receives
}

// position returns the position of a setting by its pointer, zero if it is not from the file.
func (c Config) position(pointer string) diag.Pos { return positionIn(c.file, pointer) }

func positionIn(n *schema.Node, pointer string) diag.Pos {
	if n = n.At(pointer); n != nil {
		return n.Pos
	}
	return diag.Pos{}
}

// ownReducers pairs the user's own actions with their positions.
func (c Config) ownReducers() []golang.Own {
	var out []golang.Own
	for i, typ := range c.Reducers.Own {
		out = append(out, golang.Own{Type: typ, Pos: c.position("/reducers/own/" + strconv.Itoa(i))})
	}
	return out
}

var configValidator = sync.OnceValues(func() (*schema.Validator, error) {
	return schema.NewValidator("config.schema.json", schemas.ConfigSchema)
})

// ReadConfig reads a configuration file. Paths in it are relative to the file; in the result they
// are relative to the working directory. What is wrong goes to diags, with ErrFindings.
func ReadConfig(path string, diags *diag.List) (_ Config, err error) {
	diags = cmp.Or(diags, &diag.List{})
	defer finish(diags, &err)
	var c Config
	data, err := disk.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	root, found := schema.ParseJSON(DisplayPath(path), data)
	diags.Add(found...)
	if root == nil {
		return c, ErrFindings
	}
	v, err := configValidator()
	if err != nil {
		return c, err
	}
	diags.Add(v.Check(root, "bad-config", diags.Places())...)
	if diags.HasErrors() {
		return c, ErrFindings
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	c.file = root
	for i, n := range root.Get("types").List() {
		c.Types[i].file = n
	}
	for i, n := range root.Get("tags").List() {
		c.Tags[i].file = n
	}
	dir := filepath.Dir(DisplayPath(path))
	c.dir = dir
	for _, p := range []*string{&c.Schemas, &c.Out, &c.Runtime} {
		if *p != "" && !filepath.IsAbs(*p) && !(p == &c.Schemas && (IsEmbedded(*p) || source.IsGit(*p))) {
			*p = filepath.Join(dir, *p)
		}
	}
	c.placeSpeaks(root, dir)
	c.outIn = c.Out
	if strings.HasSuffix(c.Profile, ".json") && !filepath.IsAbs(c.Profile) {
		// The separator marks it as a file even in the same folder.
		c.Profile = "." + string(filepath.Separator) + filepath.Join(dir, c.Profile)
	}
	return c, nil
}

// DisplayPath returns a path relative to the working directory if possible.
func DisplayPath(path string) string { return disk.Display(path) }

// Option is a setting in ahpgen.json.
type Option struct {
	Name string // dotted if nested, such as reducers.omit
	Kind string // "text", "true or false", "list of text", "text by name",
	// "list of objects with …", or the allowed words
	Meaning string
}

// Options returns all settings in schema order.
func Options() []Option {
	root, _ := schema.ParseJSON("config.schema.json", schemas.ConfigSchema)
	return optionsOf("", root)
}

func optionsOf(prefix string, object *schema.Node) []Option {
	var out []Option
	properties := object.Get("properties")
	if properties == nil {
		return nil
	}
	for _, m := range properties.Members {
		name := prefix + m.Key
		if inner := optionsOf(name+".", m.Value); inner != nil {
			out = append(out, inner...)
			continue
		}
		o := Option{Name: name, Kind: optionKind(m.Value)}
		if doc := m.Value.Get("description"); doc != nil {
			o.Meaning = doc.Text
		}
		out = append(out, o)
	}
	return out
}

// optionKind describes the type of a setting.
func optionKind(n *schema.Node) string {
	if words := n.Get("enum"); words != nil {
		return strings.Join(each.Map(words.Items, (*schema.Node).Compact), " or ")
	}
	kind := n.Get("type")
	if kind == nil {
		return "any"
	}
	switch kind.Text {
	case "string":
		return "text"
	case "boolean":
		return "true or false"
	case "object":
		if members := n.Get("properties"); members != nil {
			names := each.Map(members.Members, func(m schema.Member) string { return m.Key })
			return "objects with " + strings.Join(names, ", ")
		}
		return optionKind(n.Get("additionalProperties")) + " by name"
	case "array":
		return "list of " + optionKind(n.Get("items"))
	}
	return kind.Text
}
