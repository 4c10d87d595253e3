// From: the initial files of a folder for published schemas.

package generator

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/discover"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Drafted is what InitFrom did.
type Drafted struct {
	Files  []StarterFile
	Next   []string // what is left to type before go generate
	Says   []string // what was found in the schemas, a line each
	Points []Point  // what only a person can say; none with an embedded profile
}

// Point is something that published schemas do not say, with what to write into the profile about it.
type Point = discover.Point

var protocolForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// ProfileName is the name of the profile that InitFrom writes.
const ProfileName = "profile.json"

// InitFrom does what [Init] does for published schemas: a file, with those that it refers to, or a folder. It drafts a profile
// with the given name; without one, an embedded profile is used if it fits. Schemas that state their facts themselves need none. Schemas from outside of the
// module are copied. An empty dir is named after the protocol. It fails with ErrFindings if the schemas cannot be read.
func InitFrom(dir, from, name string, config Config, diags *diag.List) (out Drafted, err error) {
	diags = cmp.Or(diags, &diag.List{})
	defer finish(diags, &err)
	if config.Schemas != "" || config.Profile != "" {
		return out, &FlagError{Message: "--from names the schemas, and the profile is drafted", Without: []string{"schemas", "profile"}}
	}
	if name != "" && !protocolForm.MatchString(name) {
		return out, &FlagError{Message: fmt.Sprintf("%q is not a name of lower-case letters, digits and dashes", name), Flag: "name", Value: cmp.Or(protocolName(name), "notes")}
	}
	p, found, err := readPublished(from)
	diags.Add(found...)
	if err == nil && diags.HasErrors() {
		err = ErrFindings
	}
	if err != nil {
		return out, err
	}
	p.named = name != ""
	name = cmp.Or(name, protocolName(dir), protocolName(from), "protocol")
	dir = cmp.Or(dir, packageOf(name))
	if err := config.begin(dir); err != nil {
		return out, err
	}
	config.Schemas, config.dir = p.in, dir
	if p.in == "" {
		config.Schemas = filepath.Join(dir, "schema")
	}
	text, err := p.profile(name, config.Schemas, &config, &out)
	if err == nil && p.empty {
		diags.Add(noTypes(p.set))
		err = ErrFindings
	}
	if err != nil {
		return out, err
	}
	if p.in == "" {
		read := each.Map(p.set.Docs, func(doc *schema.Document) file { return file{doc.Name, doc.Data} })
		for _, f := range append(read, p.copies...) {
			if err := writeStarter(&out.Files, filepath.Join(config.Schemas, filepath.FromSlash(f.name)), f.data); err != nil {
				return out, err
			}
		}
	}
	if text != nil {
		config.Profile = filepath.Join(dir, ProfileName)
		if err := writeStarter(&out.Files, config.Profile, text); err != nil {
			return out, err
		}
	}
	files, next, err := start(dir, config)
	out.Files, out.Next = append(out.Files, files...), next
	if err == nil && hasFindings(dir) {
		out.Next = slices.Insert(out.Next, len(out.Next)-1, "ahpgen lint "+filepath.ToSlash(dir))
	}
	return out, err
}

// hasFindings reports whether lint has something to say about a folder, such as names in Go that clash.
func hasFindings(dir string) bool {
	var diags diag.List
	config, err := ReadConfig(filepath.Join(dir, ConfigName), &diags)
	if err != nil {
		return true
	}
	g, err := New(config, &diags)
	return err != nil || g.Lint() != nil
}

// file is a file of a folder, by its path there.
type file struct {
	name string
	data []byte
}

// published are schemas as their authors published them.
type published struct {
	set *schema.Set
	in  string // the folder that they stay in, or "" if they are copied

	unread []string    // schema files that nothing refers to, if others are named like schemas
	copies []file      // those, if they are copied, so that a person can list them
	whole  *schema.Set // with those of the unread files that a profile has to list because they are in subfolders, or nil

	named bool // the profile was given a name, so that one is wanted
	empty bool // nothing can be made of them
}

// readPublished reads a file or a folder.
func readPublished(from string) (p published, found []diag.Diagnostic, _ error) {
	if _, err := os.Stat(from); disk.IsMissing(err) {
		return p, nil, &FlagError{Message: fmt.Sprintf("there is no file or folder %s", filepath.ToSlash(from)), Flag: "from", Value: "FILE"}
	}
	folder, err := source.Open(from)
	if err != nil {
		return p, nil, err
	}
	defer folder.Close()
	if folder.File != "" {
		if p.set = readList(from); p.set != nil {
			return p, nil, nil
		}
		p.set, found = schema.LoadFile(folder.Files, folder.Dir, folder.File)
		return p, found, nil
	}
	if _, ok := disk.Within(gomod.Root("."), disk.Absolute(from)); ok {
		p.in = from
	}
	p.set, found, err = folder.Load(nil)
	if err == nil {
		p.unread = schema.Unread(folder.Files, p.set.Docs)
		p.whole = withBelow(folder.Files, folder.Dir, p.set, p.unread)
	}
	for _, name := range p.unread {
		if data, err := fs.ReadFile(folder.Files, name); p.in == "" && err == nil {
			p.copies = append(p.copies, file{name, data})
		}
	}
	return p, found, err
}

// withBelow returns what was read from a folder with the schemas in its subfolders that belong to it, or nil if there are none.
func withBelow(folder fs.FS, display string, set *schema.Set, unread []string) *schema.Set {
	below := schema.Belonging(folder, set.Docs, unread)
	if len(below) == 0 {
		return nil
	}
	names := append(each.Map(set.Docs, func(doc *schema.Document) string { return doc.Name }), below...)
	whole, found, err := schema.Load(folder, display, names)
	if err != nil || len(found) > 0 {
		return nil
	}
	return whole
}

// takeWhole counts the schemas in subfolders as read.
func (p *published) takeWhole() {
	if p.whole == nil {
		return
	}
	p.set, p.whole = p.whole, nil
	isRead := func(name string) bool {
		return slices.ContainsFunc(p.set.Docs, func(doc *schema.Document) bool { return doc.Name == name })
	}
	p.unread = slices.DeleteFunc(p.unread, isRead)
	p.copies = slices.DeleteFunc(p.copies, func(f file) bool { return isRead(f.name) })
}

// profile returns the text of a profile. There is none if the schemas need none, or if an embedded one fits, which it enters
// into the configuration.
func (p *published) profile(name, display string, config *Config, out *Drafted) ([]byte, error) {
	if stated := p.set.Protocol(); stated != "" {
		out.Says = append(out.Says, "the schemas of "+stated+", which state everything themselves")
		return nil, nil
	}
	if title, err := p.known(config); err != nil || title != "" {
		out.Says = append(out.Says, fmt.Sprintf("the schemas of %s, for which ahpgen has a profile; with --name NAME one is drafted nevertheless", title))
		return nil, err
	}
	p.takeWhole()
	var files []string
	if schema.Unlisted(p.set.Docs) {
		for _, doc := range p.set.Docs {
			files = append(files, doc.Name)
		}
	}
	load := func() *schema.Set { return schema.Again(p.set.Docs, filepath.ToSlash(display)) }
	clashes := func(p *protocol.Protocol) []diag.Diagnostic {
		_, found := golang.Build(p, golang.Options{Package: name, Wire: "wire", WireDir: "wire"})
		return found
	}
	draft, err := discover.New(load, clashes, name, p.title(name), files)
	p.empty = draft.Protocol != nil && isEmpty(draft.Protocol)
	out.Says = append(slices.Clone(draft.Says), out.Says...)
	if n := len(p.unread); n > 0 {
		out.Says = append(out.Says, fmt.Sprintf("not read: %d more, such as %s; list what is wanted under \"files\" in the profile", n, diag.Enumerate(onePerFolder(p.unread), "and")))
	}
	out.Points = draft.Points
	return draft.Text, err
}

// onePerFolder returns the first file of each folder, of the first few folders.
func onePerFolder(files []string) (out []string) {
	const few = 5
	seen := map[string]bool{}
	for _, name := range files {
		if dir := path.Dir(name); !seen[dir] && len(out) < few {
			seen[dir] = true
			out = append(out, name)
		}
	}
	return out
}

// known enters the embedded profile for the schemas into the configuration, and returns the title of its protocol, or "" for none.
func (p *published) known(config *Config) (title string, _ error) {
	if p.named {
		return "", nil
	}
	fitting, err := source.Fitting(p.set.Has, p.set.Mentions)
	if err != nil {
		return "", err
	}
	if fitting != nil {
		config.Profile = fitting.Profile.Name
		return strings.TrimSpace(fitting.Profile.Title + " " + fitting.Version.String()), nil
	}
	like, err := source.Resembling(p.set.Has)
	if err != nil || like == nil {
		return "", err
	}
	config.Profile = like.Name
	return like.Title, nil
}

// title returns the title of the only file, or one made of the name.
func (p *published) title(name string) string {
	made := name + " protocol"
	if len(p.set.Docs) == 1 {
		return cmp.Or(p.set.Docs[0].Root.Get("title").Str(), made)
	}
	return made
}

// protocolName returns the protocol after which a file or folder is named, or "". A file named schema counts as named like its
// folder.
func protocolName(from string) string {
	if from == "" {
		return ""
	}
	base := filepath.Base(disk.Absolute(from))
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".json"), ".schema")
	if base == "schema" || base == "schemas" {
		return protocolName(path.Dir(filepath.ToSlash(disk.Absolute(from))))
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(base))
	return strings.TrimLeft(name, "0123456789")
}
