// Bump: taking a repository from one protocol version to another. The package, stubs, lock and configuration change
// together.

package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gitfs"
	"github.com/ahpgen/ahpgen/generator/internal/jsonedit"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/schemas"
)

// Bump is a planned step to another version.
type Bump struct {
	Diff *report.Diff
	Plan *Plan
	// Todo lists the work the step creates for the user, by position; Open the work that existed before.
	Todo, Open []diag.Diagnostic
	// Looks are places that go on to compile and run, and take no notice of what is new. Skips did not of other things before.
	Looks, Skips []diag.Diagnostic
	Stubs        int // number of stubs in Todo
	// Unchecked says why it is unknown what no longer compiles, or is "".
	Unchecked string
	// UncheckedFiles are files for which no build was found, such as one tagged "ignore".
	UncheckedFiles []string

	// Owned are the action types added to the user's own reducers, so that the package compiles. Disowned are removed
	// ones that no longer have an effect.
	Owned, Disowned []string
	// Fixed are files of the user's in which renamed things get their new names, and FixDiff what changes there.
	Fixed   []string
	FixDiff string
	// Candidates are flags that take something for renamed, which may be.
	Candidates []string
	// Version holds the configured protocol version before and after, or "".
	Version [2]string
	// Unnamed are the configured Go names that the new version does not use.
	Unnamed []string

	// Unkept are files of the user's that would be replaced or removed although version control does not have them.
	// NoRepository reports that there is no repository.
	Unkept       []string
	NoRepository bool

	out string // folder of the package
}

// BumpOptions says where a bump goes.
type BumpOptions struct {
	To              string   // the new schemas: a folder or a file, git:REV:PATH, or embedded ones by version
	ProtocolVersion string   // version of the new schemas, "" to recognise it
	Profile         string   // profile of the new schemas, "" for the configured one
	Fix             bool     // edit the user's files where things have other names
	Renamed         []string // names in the protocol that others take the place of, as OLD=NEW
	Against         []string // schemas of older versions to compare with as well, which were refused before
	Replace         string   // the configured folder of schemas, where they are to be replaced although it is outside of the module
}

// allow takes the folder of schemas that the options name for one that the caller wants to be written.
func (o BumpOptions) allow(c Config) (Config, error) {
	if o.Replace == "" {
		return c, nil
	}
	if folder := c.schemasFolder(); folder == "" || !sameFolder(folder, o.Replace) {
		return c, &FlagError{
			Message: fmt.Sprintf("a bump replaces the schemas that the configuration names, %s: --replace allows it where that is outside of the module, and names no other", filepath.ToSlash(c.Schemas)),
			Without: []string{"replace"},
		}
	}
	c.schemasNamed = true
	return c, nil
}

// PlanBump plans the step of the repository with the configuration file to other schemas: a folder,
// git:REV:PATH, or embedded ones by version. If the configuration names a folder, the schemas in
// it are replaced; if it names embedded ones, it is made to name the others. What is wrong goes to
// diags with ErrFindings; nothing is written.
func PlanBump(configPath string, o BumpOptions, diags *diag.List) (_ *Bump, err error) {
	diags = cmp.Or(diags, &diag.List{})
	defer finish(diags, &err)
	config, err := ReadConfig(configPath, diags)
	if err != nil {
		return nil, err
	}
	if config, err = o.allow(config); err != nil {
		return nil, err
	}
	if config.Out == "" {
		diags.Errorf(diag.Pos{File: filepath.ToSlash(DisplayPath(configPath)), Line: 1, Col: 1}, "no-out",
			fmt.Sprintf("say where the package is: \"out\": %q", "./"+DefaultFolder()), "the configuration names no output folder")
		return nil, ErrFindings
	}
	next, err := nextConfig(config, o.To, o.ProtocolVersion)
	if err != nil {
		return nil, err
	}
	next.Profile, next.against = cmp.Or(o.Profile, next.Profile), o.Against
	b := &Bump{out: config.Out}
	diags.Phase("comparing the versions")
	if b.Diff, err = (comparing{diags: diags}).configs(config, next); err != nil {
		return nil, err
	}
	b.settleSpeaks(config, &next)
	g, err := New(next, diags)
	if err != nil {
		return nil, err
	}
	diags.Phase("planning the package as it is")
	f := formerOf(config)
	b.Candidates = candidates(b.Diff)
	if err := b.fix(g, f, o); err != nil {
		return nil, err
	}
	diags.Phase("planning the new package")
	var r reading
	if b.Plan, r, err = g.plan(f); err != nil {
		return nil, err
	}
	b.Plan.addFixes(f.fixes)
	if o.ProtocolVersion == "" && config.ProtocolVersion != "" && b.Plan.Protocol.Version == "" {
		return nil, &FlagError{Message: "the profile does not recognise the version of these schemas: say it with --protocol-version", Flag: "protocol-version", Value: "VERSION"}
	}
	if err := b.planConfig(configPath, config, next); err != nil {
		return nil, err
	}
	diags.Phase("looking after the schemas")
	if err := b.planSchemas(config, next, r.set, f.set); err != nil {
		return nil, err
	}
	b.Plan.sort()
	diags.Phase("type checking your module")
	defer diags.Phase("")
	b.findTodo(f)
	return b, nil
}

// nextConfig returns the configuration after the step.
func nextConfig(config Config, to, protocolVersion string) (Config, error) {
	next := config
	next.Speaks, next.speaksAt = config.bumpedSpeaks(), nil
	next.ProtocolVersion, next.moves = protocolVersion, config.ProtocolVersion != ""
	if name, ok := source.Whole(to); ok {
		if !IsEmbedded(config.Schemas) {
			return next, &FlagError{
				Message: fmt.Sprintf("the configuration names the folder %s: name the folder of the new schemas, or set schemas to %q by hand", filepath.ToSlash(config.Schemas), name),
				Flag:    "to", Value: "DIR",
			}
		}
		if now, _ := source.Whole(config.Schemas); now == name {
			return next, &FlagError{
				Message: fmt.Sprintf("%s are the schemas in use; embedded are %s", name, strings.Join(schemas.Protocols(), ", ")), Flag: "to", Value: otherThan(name),
			}
		}
		next.Schemas = name
	} else {
		next.Schemas, next.Profile = to, config.ProfileForOthers()
	}
	if !IsEmbedded(config.Schemas) {
		if isFile(config.Schemas) {
			return next, &diag.HintError{
				Err:  fmt.Errorf("the configuration names %s, which is a file: a bump replaces the schemas of a folder", filepath.ToSlash(config.Schemas)),
				Hint: "name the folder, with no other schemas in it, or replace the file by hand and run ahpgen generate",
			}
		}
		if disk.Absolute(config.Schemas) == disk.Absolute(next.Schemas) {
			return next, &FlagError{
				Message: "these are the schemas in use: name the folder of the new ones, or run ahpgen generate if they were replaced already",
				Flag:    "to", Value: "DIR", Lines: []string{"ahpgen generate"},
			}
		}
		next.as = config.Schemas
	}
	return next, nil
}

// otherThan returns the newest embedded schemas of the protocol other than the given ones.
func otherThan(name string) string {
	protocol, at, _ := strings.Cut(name, "@")
	if others := each.Without(embeddedVersions(protocol), []string{at}); len(others) > 0 {
		return protocol + "@" + others[0]
	}
	return "DIR"
}

// replacedPartly reports whether a schema of a configuration is the new one already, although the lock knows another.
func replacedPartly(old, new Config) bool {
	locked := (&Generator{config: old}).lockedQuietly()
	if locked == nil || old.schemasFolder() == "" {
		return false
	}
	folder, err := source.Open(new.Schemas)
	if err != nil {
		return false
	}
	defer folder.Close()
	for name, digest := range locked.Inputs {
		is, err := disk.ReadFile(filepath.Join(old.Schemas, filepath.FromSlash(name)))
		if err != nil {
			continue
		}
		text, err := fs.ReadFile(folder.Files, name)
		if err == nil && bytes.Equal(is, text) && lock.Digest(is) != digest {
			return true
		}
	}
	return false
}

// planConfig plans the changes to the configuration file, preserving everything else.
func (b *Bump) planConfig(path string, old, next Config) error {
	text, err := disk.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	edit, err := jsonedit.Parse(text)
	if err != nil {
		return err
	}
	version := ""
	if next.moves || next.ProtocolVersion != "" { // what is stated now applies from now on
		version = b.Plan.Protocol.Version
	}
	set := func(key, before, after string) {
		if before != after {
			err = errors.Join(err, edit.Set(edit.Root, key, after))
		}
	}
	if IsEmbedded(old.Schemas) {
		set("schemas", old.Schemas, next.named(next.Schemas, IsEmbedded(next.Schemas)))
	}
	set("profile", old.named(old.Profile, !source.IsPath(old.Profile)), next.named(next.Profile, !source.IsPath(next.Profile)))
	set("protocolVersion", old.ProtocolVersion, version)
	b.Version = [2]string{old.ProtocolVersion, version}
	if !slices.Equal(old.Speaks, next.Speaks) {
		entries := each.Map(next.Speaks, func(entry string) string { return next.named(entry, !isFolder(entry)) })
		err = errors.Join(err, edit.SetList(edit.Root.Get("speaks"), entries))
	}
	if !slices.Equal(old.Reducers.Own, b.Plan.own) {
		err = errors.Join(err, b.planOwn(edit, old.Reducers.Own))
	}
	for _, at := range slices.Sorted(maps.Keys(old.Names)) {
		if _, ok := b.Plan.names[at]; !ok {
			b.Unnamed = append(b.Unnamed, at)
		}
	}
	if len(b.Unnamed) > 0 {
		err = errors.Join(err, edit.Remove(edit.Root.Get("names"), b.Unnamed))
	}
	edited := edit.Apply()
	if err != nil || bytes.Equal(edited, text) {
		return err
	}
	b.Plan.Files = append(b.Plan.Files, PlannedFile{
		Name: filepath.Base(path), Dir: filepath.Dir(DisplayPath(path)), State: Stale, Old: text, New: edited, Hand: true, Aside: true,
	})
	return nil
}

// planOwn changes the list of the user's own reducers.
func (b *Bump) planOwn(edit *jsonedit.Text, old []string) error {
	now := b.Plan.own
	b.Owned, b.Disowned = each.Without(now, old), each.Without(old, now)
	switch list, reducers := edit.Root.At("/reducers/own"), edit.Root.Get("reducers"); {
	case list != nil:
		return edit.SetList(list, now)
	case reducers != nil:
		return edit.Set(reducers, "own", now)
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return edit.Add(edit.Root, fmt.Sprintf("%q: {%q: %s}", "reducers", "own", jsonedit.Spaced(text)))
}

// planSchemas plans replacing the schemas in the configured folder.
func (b *Bump) planSchemas(config, next Config, set, former *schema.Set) error {
	if next.as == "" {
		return nil
	}
	if former == nil {
		return fmt.Errorf("read schemas: %s cannot be read", filepath.ToSlash(config.Schemas)) // they were just compared
	}
	var doomed []string // the user's files that would be lost
	kept := map[string]bool{}
	for _, doc := range set.Docs {
		kept[doc.Name] = true
		if strings.Contains(doc.Name, "/") {
			if err := withinSchemas(config.Schemas, filepath.FromSlash(doc.Name)); err != nil {
				return err
			}
		}
		f := PlannedFile{Name: filepath.FromSlash(doc.Name), Dir: config.Schemas, New: doc.Data, State: Missing, Aside: true}
		switch data, err := disk.ReadFile(filepath.Join(config.Schemas, f.Name)); {
		case disk.IsMissing(err):
		case err != nil:
			return fmt.Errorf("read schemas: %w", err)
		case bytes.Equal(data, doc.Data):
			continue
		default:
			f.State, f.Old = Stale, data
			doomed = append(doomed, f.Name)
		}
		b.Plan.Files = append(b.Plan.Files, f)
	}
	for _, doc := range former.Docs {
		if !kept[doc.Name] {
			doomed = append(doomed, filepath.FromSlash(doc.Name))
			b.Plan.Files = append(b.Plan.Files, PlannedFile{
				Name: filepath.FromSlash(doc.Name), Dir: config.Schemas, Old: doc.Data, State: Orphaned, Aside: true,
			})
		}
	}
	return b.findUnkept(config.Schemas, doomed)
}

// withinSchemas refuses to replace a schema in a subfolder that is a symbolic link to somewhere else.
func withinSchemas(dir, name string) error {
	real, ok := realPath(filepath.Join(dir, filepath.Dir(name)))
	realDir, _ := realPath(dir)
	if _, inside := disk.Within(realDir, real); inside && ok {
		return nil
	}
	return &diag.HintError{
		Err:  fmt.Errorf("ahpgen does not replace %s, from where a symbolic link leads out of the folder of the schemas", filepath.ToSlash(filepath.Join(dir, name))),
		Hint: "make a folder of the link",
	}
}

// findUnkept records the files that could not be restored.
func (b *Bump) findUnkept(dir string, names []string) error {
	unkept, err := gitfs.Unkept(dir, names)
	switch {
	case errors.Is(err, gitfs.ErrNoRepository):
		b.NoRepository, unkept = true, names
	case err != nil:
		return err
	}
	for _, name := range unkept {
		b.Unkept = append(b.Unkept, filepath.ToSlash(filepath.Join(dir, name)))
	}
	return nil
}
