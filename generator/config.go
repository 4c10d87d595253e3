// Configuration: what a run needs to know, and the file it can come from.

package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/schemas"
)

// ConfigName is the name of the configuration file.
const ConfigName = "ahpgen.json"

// Config says what to generate from what. Folders are relative to the working directory.
type Config struct {
	Schema          string `json:"$schema"`         // for editors
	Schemas         string `json:"schemas"`         // folder with the schema files
	Profile         string `json:"profile"`         // name of an embedded profile, or a file
	ProtocolVersion string `json:"protocolVersion"` // "" to recognise it
	Out             string `json:"out"`             // folder of the generated package
	Package         string `json:"package"`         // "" to take it from the folder
	Runtime         string `json:"runtime"`         // folder of what does not depend on the protocol; "" for one below the package

	Transports []string `json:"transports"` // what is to be there beside the package: "websocket"
	Logs       []string `json:"logs"`       // the same for what a server is kept in: "bolt"

	Reducers Reducers `json:"reducers"`
	Host     Host     `json:"host"`

	Names map[string]string `json:"names"` // Go names by what they are for; see golang.Nameable

	transportsAt diag.Pos // where Transports is written; empty if it is not from a file
	logsAt       diag.Pos // the same for Logs
	runtimeAt    diag.Pos // the same for Runtime

	outIn     string     // Out as the file has it; a flag may name another
	versionIn facts.Text // ProtocolVersion as it stands in the file; a flag may state another
	profileIn facts.Text // the same for Profile

	namesAt map[string]diag.Pos // where Names are written; nil if they are not from a file
	lenient bool                // names may be for something that there is not
	moves   bool                // it states a version, which is about to become the one that is recognised

	schemasNamed bool // the caller named the folder of the schemas that a bump replaces

	dir string // folder of the configuration file, "" if there is none
	as  string // folder that the schemas will be in, if that is another one
}

// named is relative for what may also be the name of something embedded, which stays.
func (c Config) named(text string, isName bool) string {
	if isName {
		return text
	}
	return c.relative(text)
}

// relative is a path as it looks from the folder of the configuration, with slashes. No path stays none.
func (c Config) relative(path string) string {
	if path == "" {
		return ""
	}
	from, err := filepath.Abs(c.dir)
	if err != nil {
		return filepath.ToSlash(path)
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return filepath.ToSlash(path) // another volume
	}
	return filepath.ToSlash(rel)
}

// withDefaults names the default embedded schemas if a configuration names none, and a folder beside it.
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

// Reducers says which reducers are generated.
type Reducers struct {
	Omit bool     `json:"omit"` // none at all
	Own  []string `json:"own"`  // types of actions whose reducers the user writes although there are some

	at []diag.Pos // where Own is written, in its order; empty if it is not from a file
}

// Host says what the user gets to write a host.
type Host struct {
	Skeleton bool `json:"skeleton"` // a type of the user's with a method for all that a host receives

	at diag.Pos // where Skeleton is written; empty if it is not from a file
}

// own pairs the actions that the user takes over with their positions.
func (r Reducers) own() []golang.Own {
	var out []golang.Own
	for i, typ := range r.Own {
		o := golang.Own{Type: typ}
		if i < len(r.at) {
			o.Pos = r.at[i]
		}
		out = append(out, o)
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
	root := schema.ParseJSON(DisplayPath(path), data, diags)
	if root == nil {
		return c, ErrFindings
	}
	v, err := configValidator()
	if err != nil {
		return c, err
	}
	v.Check(root, "bad-config", diags)
	if diags.HasErrors() {
		return c, ErrFindings
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	for _, item := range root.At("/reducers/own").List() {
		c.Reducers.at = append(c.Reducers.at, item.Pos)
	}
	if n := root.Get("protocolVersion"); n != nil {
		c.versionIn = facts.Text{Text: n.Text, Pos: n.Pos}
	}
	c.namesAt = positionsOf(root.Get("names"))
	for pointer, at := range map[string]*diag.Pos{
		"/transports": &c.transportsAt, "/runtime": &c.runtimeAt, "/logs": &c.logsAt, "/host/skeleton": &c.Host.at,
	} {
		if n := root.At(pointer); n != nil {
			*at = n.Pos
		}
	}
	dir := filepath.Dir(DisplayPath(path))
	c.dir = dir
	for _, p := range []*string{&c.Schemas, &c.Out, &c.Runtime} {
		if *p != "" && !filepath.IsAbs(*p) && !(p == &c.Schemas && (IsEmbedded(*p) || source.IsGit(*p))) {
			*p = filepath.Join(dir, *p)
		}
	}
	c.outIn = c.Out
	if strings.HasSuffix(c.Profile, ".json") && !filepath.IsAbs(c.Profile) {
		// With a separator it stays a file even if it is in the same folder.
		c.Profile = "." + string(filepath.Separator) + filepath.Join(dir, c.Profile)
	}
	if n := root.Get("profile"); n != nil {
		c.profileIn = facts.Text{Text: c.Profile, Pos: n.Pos}
	}
	return c, nil
}

// positionsOf are the places of an object's members, by their keys.
func positionsOf(object *schema.Node) map[string]diag.Pos {
	if object == nil {
		return nil
	}
	out := map[string]diag.Pos{}
	for _, m := range object.Members {
		out[m.Key] = m.KeyPos
	}
	return out
}

// DisplayPath shortens a path to one relative to the working directory if that is possible.
func DisplayPath(path string) string { return disk.Display(path) }
