// Bump: from one version of a protocol to another, in a repository that uses the package. What
// changed, the new package, the stubs, the lock and the configuration are one step.

package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/compile"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/disk"
	"github.com/ahpgen/ahpgen/generator/schema"
	"github.com/ahpgen/ahpgen/schemas"
)

// Bump is a step to another version, ready to be applied.
type Bump struct {
	Diff *report.Diff
	Plan *Plan
	// Todo is what a person has to do afterwards, by position.
	Todo []diag.Diagnostic
	// Unchecked says why it is not known what no longer compiles; "" where it is.
	Unchecked string
}

// PlanBump plans the step of the repository with the configuration file to other schemas: a folder,
// git:REV:PATH, or embedded ones by version. Where the configuration names a folder, the schemas in
// it are replaced; where it names embedded ones, it is made to name the others. What is wrong goes to
// diags with ErrFindings; nothing is written.
func PlanBump(configPath, to, protocolVersion string, diags *diag.List) (_ *Bump, err error) {
	defer diags.Catch(&err)
	config, err := ReadConfig(configPath, diags)
	if err != nil {
		return nil, err
	}
	if config.Out == "" {
		return nil, &UsageError{"the configuration names no output folder: set out in " + displayPath(configPath)}
	}
	next, err := nextConfig(config, to, protocolVersion)
	if err != nil {
		return nil, err
	}
	b := &Bump{}
	if b.Diff, err = compareConfigs(config, next, diags); err != nil {
		return nil, err
	}
	g, err := New(next, diags)
	if err != nil {
		return nil, err
	}
	if b.Plan, err = g.Plan(); err != nil {
		return nil, err
	}
	if protocolVersion == "" && config.ProtocolVersion != "" && b.Plan.Protocol.Version == "" {
		return nil, &UsageError{"the profile does not recognise the version of these schemas: say it with --protocol-version"}
	}
	if err := b.planConfig(configPath, config, next); err != nil {
		return nil, err
	}
	if err := b.planSchemas(config, next, g.set); err != nil {
		return nil, err
	}
	b.Plan.sort()
	return b, b.findTodo()
}

// nextConfig is the configuration after the step.
func nextConfig(config Config, to, protocolVersion string) (Config, error) {
	next := config
	next.ProtocolVersion = protocolVersion
	if name, ok := embeddedVersion(to); ok {
		if !IsEmbedded(config.Schemas) {
			return next, &UsageError{fmt.Sprintf("the configuration names the folder %s: name the folder of the new schemas, or set schemas to %q by hand", filepath.ToSlash(config.Schemas), name)}
		}
		if now, _ := embeddedVersion(config.Schemas); now == name {
			return next, &UsageError{fmt.Sprintf("%s are the schemas in use; embedded are %s", name, strings.Join(schemas.Protocols(), ", "))}
		}
		next.Schemas = name
	} else {
		next.Schemas = to
		if next.Profile == "" && IsEmbedded(config.Schemas) {
			protocol, _, _ := strings.Cut(config.Schemas, "@")
			if slices.Contains(schemas.Profiles(), protocol) {
				next.Profile = protocol
			}
		}
	}
	if !IsEmbedded(config.Schemas) {
		if same, err := samePath(config.Schemas, next.Schemas); err != nil || same {
			return next, cmp.Or(err, error(&UsageError{"these are the schemas in use: name the folder of the new ones, or run ahpgen generate if they were replaced already"}))
		}
		next.as = config.Schemas
	}
	return next, nil
}

func samePath(a, b string) (bool, error) {
	x, err := filepath.Abs(a)
	if err != nil {
		return false, err
	}
	y, err := filepath.Abs(b)
	return x == y, err
}

// embeddedVersion is the whole name of embedded schemas.
func embeddedVersion(name string) (string, bool) {
	if whole, ok := schemas.Expand(name); ok {
		return whole, true
	}
	return name, IsEmbedded(name)
}

func compareConfigs(old, new Config, diags *diag.List) (*report.Diff, error) {
	profile := cmp.Or(new.Profile, old.Profile)
	return Compare(old.Schemas, new.Schemas, DiffOptions{Profile: profile}, diags)
}

// planConfig plans the change of the configuration file, which stays as it is but for the values
// that change.
func (b *Bump) planConfig(path string, old, next Config) error {
	text, err := disk.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	version := old.ProtocolVersion
	if version != "" {
		version = b.Plan.Protocol.Version
	}
	edits := map[string]string{}
	if IsEmbedded(old.Schemas) {
		edits["schemas"] = next.relative(next.Schemas, IsEmbedded(next.Schemas))
		if next.Profile != old.Profile {
			edits["profile"] = next.Profile
		}
	}
	if version != old.ProtocolVersion {
		edits["protocolVersion"] = version
	}
	edited, err := editStrings(text, edits)
	if err != nil || bytes.Equal(edited, text) {
		return err
	}
	b.Plan.Files = append(b.Plan.Files, PlannedFile{
		Name: filepath.Base(path), Dir: filepath.Dir(displayPath(path)), in: inConfig, State: Stale, Old: text, New: edited, Hand: true, Aside: true,
	})
	return nil
}

// editStrings changes string members of the object at the root of a JSON text, and adds those that
// it lacks behind the first. All other bytes stay.
func editStrings(text []byte, values map[string]string) ([]byte, error) {
	var none diag.List
	root := schema.ParseJSON("", text, &none)
	if root == nil || len(root.Members) == 0 {
		return nil, errors.New("write configuration: it is no JSON object") // it was read before
	}
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	for key, value := range values {
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		node := root.Get(key)
		if node != nil {
			from := offsetOf(text, node.Pos)
			var old json.RawMessage
			if err := json.NewDecoder(bytes.NewReader(text[from:])).Decode(&old); err != nil {
				return nil, err
			}
			edits = append(edits, edit{from, from + len(old), string(quoted)})
			continue
		}
		at := offsetOf(text, root.Members[0].KeyPos)
		edits = append(edits, edit{at, at, fmt.Sprintf("%q: %s, ", key, quoted)})
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.from]...), e.text...)
		done = e.to
	}
	return append(out, text[done:]...), nil
}

// offsetOf is the place of a position in a text.
func offsetOf(text []byte, pos diag.Pos) int {
	offset := 0
	for range pos.Line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	return offset + pos.Col - 1
}

// planSchemas plans the new schemas in the folder that the configuration names.
func (b *Bump) planSchemas(config, next Config, set *schema.Set) error {
	if next.as == "" {
		return nil
	}
	old, err := New(config, &diag.List{})
	if err != nil {
		return err
	}
	if _, err := old.Analyze(); err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, doc := range set.Docs {
		kept[doc.Name] = true
		f := PlannedFile{Name: filepath.FromSlash(doc.Name), Dir: config.Schemas, in: inSchemas, New: doc.Data, State: Missing, Aside: true}
		switch data, err := disk.ReadFile(filepath.Join(config.Schemas, f.Name)); {
		case isMissing(err):
		case err != nil:
			return fmt.Errorf("read schemas: %w", err)
		case bytes.Equal(data, doc.Data):
			continue
		default:
			f.State, f.Old = Stale, data
		}
		b.Plan.Files = append(b.Plan.Files, f)
	}
	for _, doc := range old.set.Docs {
		if !kept[doc.Name] {
			b.Plan.Files = append(b.Plan.Files, PlannedFile{
				Name: filepath.FromSlash(doc.Name), Dir: config.Schemas, in: inSchemas, Old: doc.Data, State: Orphaned, Aside: true,
			})
		}
	}
	return nil
}

// findTodo lists what a person has to do: the stubs, what was unfinished or out of date before, and
// what no longer compiles anywhere in the module.
func (b *Bump) findTodo() error {
	overlay := map[string][]byte{}
	for _, f := range b.Plan.Files {
		if f.Aside || f.State == Unchanged {
			continue
		}
		overlay[b.Plan.path(f)] = f.New
		if f.New == nil {
			overlay[b.Plan.path(f)] = []byte("package " + b.Plan.Package + "\n")
		}
		for _, stub := range f.Stubs {
			b.Todo = append(b.Todo, diag.Diagnostic{
				Pos: stubPosition(b.Plan.Path(f), f.New, stub), Severity: diag.Warning, Code: "stub", Message: "write " + stub,
			})
		}
	}
	b.Todo = append(b.Todo, b.Plan.Findings...)
	broken, err := compile.Errors(b.Plan.Out, overlay)
	if err != nil {
		b.Unchecked = err.Error()
	}
	known := map[diag.Pos]bool{}
	for _, d := range b.Todo {
		known[d.Pos] = true
	}
	for _, d := range broken {
		if !known[d.Pos] {
			b.Todo = append(b.Todo, d)
		}
	}
	slices.SortStableFunc(b.Todo, func(x, y diag.Diagnostic) int { return x.Pos.Compare(y.Pos) })
	return nil
}

// stubPosition finds a stub in the file that it was put into.
func stubPosition(path string, content []byte, stub string) diag.Pos {
	_, method, _ := strings.Cut(stub, ".")
	for i, line := range strings.Split(string(content), "\n") {
		if col := strings.Index(line, ") "+method+"("); strings.HasPrefix(line, "func (") && col >= 0 {
			return diag.Pos{File: path, Line: i + 1, Col: col + len(") ") + 1}
		}
	}
	return diag.Pos{File: path}
}
