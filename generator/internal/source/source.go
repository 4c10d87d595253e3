// Package source locates inputs: schemas on disk, in git or embedded, and profiles.
package source

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gitfs"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/internal/usage"
	"github.com/ahpgen/ahpgen/schemas"
)

// Folder is an open folder of schemas.
type Folder struct {
	Files fs.FS
	Dir   string // that positions begin with
	File  string // the one file that is meant, with those that it refers to; "" for all
	Name  string // as it is shown
	end   func() error
}

// Close closes the folder.
func (f *Folder) Close() {
	if f.end != nil {
		_ = f.end()
	}
}

// Load reads the schemas of the folder, of which a profile may name the first. If one file is meant, they are those that a folder
// would have which holds it and what it refers to, and in the same order.
func (f *Folder) Load(first []string) (*schema.Set, []diag.Diagnostic, error) {
	if f.File == "" {
		return schema.Load(f.Files, f.Dir, first)
	}
	set, found := schema.LoadFile(f.Files, f.Dir, f.File)
	if set.Partial {
		return set, found, nil
	}
	some := someFiles{f.Files, map[string]bool{}}
	for _, doc := range set.Docs {
		some.names[doc.Name] = true
	}
	return schema.Load(some, f.Dir, each.Where(first, func(name string) bool { return some.names[name] }))
}

// someFiles are files of a folder.
type someFiles struct {
	fs.FS
	names map[string]bool
}

// ReadDir lists those, and subfolders.
func (f someFiles) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, dir)
	return each.Where(entries, func(e fs.DirEntry) bool { return e.IsDir() || f.names[path.Join(dir, e.Name())] }), err
}

// Open opens a folder of schemas on disk, in git or embedded, or that of a file.
func Open(name string) (*Folder, error) {
	if IsEmbedded(name) {
		files, display, err := schemas.Protocol(name)
		if err != nil {
			return nil, &usage.FlagError{Message: err.Error(), Flag: "schemas", Value: cmp.Or(similar.Nearest(name, schemas.Protocols()), schemas.Default())}
		}
		return &Folder{Files: files, Dir: display, Name: display}, nil
	}
	if gitfs.Is(name) {
		files, dir, file, err := gitfs.Open(name)
		var spec *gitfs.SpecError
		if errors.As(err, &spec) {
			return nil, &usage.FlagError{Message: err.Error(), Flag: "schemas", Value: "git:REV:PATH"}
		}
		if err != nil {
			return nil, fmt.Errorf("read schemas: %w", err)
		}
		return &Folder{Files: files, Dir: dir, File: file, Name: name}, nil
	}
	f := &Folder{Name: filepath.ToSlash(name)}
	dir := name
	info, err := os.Stat(name)
	switch {
	case disk.IsMissing(err):
		return nil, missing(name)
	case err != nil:
		return nil, fmt.Errorf("read schemas: %w", err)
	case !info.IsDir():
		dir, f.File = filepath.Split(name)
		dir = filepath.Clean(dir)
	}
	root, err := os.OpenRoot(dir) // symbolic links cannot leave the folder
	if err != nil {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	f.Files, f.Dir, f.end = disk.RootFS(root), filepath.ToSlash(dir), root.Close
	return f, nil
}

// missing reports a folder that does not exist, with what may have been meant.
func missing(name string) error {
	hint := similar.DidYouMean(filepath.Base(name), beside(name), "name a folder with files *.schema.json, or embedded schemas: "+strings.Join(schemas.Protocols(), ", "))
	if whole, _, _ := strings.Cut(name, "@"); !strings.ContainsAny(name, `/\`) {
		hint = similar.DidYouMean(whole, append(Protocols(), versions()...), hint)
	}
	return &diag.HintError{Err: fmt.Errorf("read schemas: %w", noFolder(name)), Hint: hint}
}

// noFolder is a folder that does not exist.
type noFolder string

func (e noFolder) Error() string { return "there is no folder " + filepath.ToSlash(string(e)) }

// Unwrap returns fs.ErrNotExist.
func (e noFolder) Unwrap() error { return fs.ErrNotExist }

// beside lists the folders in the folder that one would be in.
func beside(name string) (out []string) {
	entries, _ := os.ReadDir(filepath.Dir(name))
	for _, entry := range entries {
		if entry.IsDir() {
			out = append(out, entry.Name())
		}
	}
	return out
}

// IsEmbedded reports whether a name refers to embedded schemas. A folder of the same name must be written as a path,
// such as ./ahp.
func IsEmbedded(name string) bool {
	if protocol, _, ok := strings.Cut(name, "@"); ok && slices.Contains(Protocols(), protocol) {
		return true // even if the version does not exist
	}
	_, ok := schemas.Expand(name)
	return ok
}

// Protocols returns the protocol name of each embedded schema version.
func Protocols() []string {
	return each.Map(schemas.Protocols(), func(p string) string { return strings.Split(p, "@")[0] })
}

// versions returns the version of each of the embedded schemas.
func versions() []string {
	return each.Map(schemas.Protocols(), func(p string) string { return strings.Split(p, "@")[1] })
}

// Whole returns the full name of embedded schemas.
func Whole(name string) (string, bool) {
	if whole, ok := schemas.Expand(name); ok {
		return whole, true
	}
	return name, IsEmbedded(name)
}

// IsGit reports whether a name refers to a folder in git.
func IsGit(name string) bool { return gitfs.Is(name) }

// IsPath reports whether a profile's name refers to a file.
func IsPath(profile string) bool {
	return strings.HasSuffix(profile, ".json") || strings.ContainsAny(profile, `/\`)
}

// Profile reads an embedded profile or a file, with the texts of all profiles it extends.
func Profile(name string) (out profile.Reading, err error) {
	if name == "" {
		return profile.Reading{Profile: profile.Empty()}, nil
	}
	var data []byte
	var display string
	if IsPath(name) {
		display = filepath.ToSlash(name)
		data, err = disk.ReadFile(name)
		if err != nil {
			return out, fmt.Errorf("read profile: %w", err)
		}
	} else if data, display, err = schemas.Profile(name); err != nil {
		return out, &usage.FlagError{Message: err.Error() + "; a profile file is named with its path, such as ./my-profile.json", Flag: "profile", Value: cmp.Or(similar.Nearest(name, schemas.Profiles()), schemas.Profiles()[0])}
	}
	first := profile.Text{Name: display, Key: display, Data: data, Fixed: !IsPath(name)}
	if IsPath(name) {
		first.Key = disk.Absolute(name)
	}
	if out, err = profile.ParseAll(first, extending(name)); err != nil {
		return out, fmt.Errorf("read profile: %w", err)
	}
	if out.Profile == nil {
		return out, usage.ErrFindings
	}
	if !IsPath(name) {
		out.Profile.Extends = name
	}
	return out, nil
}

// Fitting returns the embedded profile that matches the schemas by definitions and keywords, or nil.
func Fitting(has, mentions func(name string) bool) (*profile.Selected, error) {
	all, err := embeddedProfiles()
	if err != nil {
		return nil, err
	}
	for _, known := range all {
		if !known.marks.On(has) {
			continue
		}
		p, err := known.read()
		if err != nil {
			return nil, err
		}
		if fitting := p.Fits(has, mentions); fitting != nil {
			return fitting, nil
		}
	}
	return nil, nil
}

// Resembling returns the embedded profile that recognises no versions and names definitions which the schemas have, or nil.
func Resembling(has func(name string) bool) (*profile.Profile, error) {
	all, err := embeddedProfiles()
	if err != nil {
		return nil, err
	}
	for _, known := range all {
		if len(known.marks) > 0 {
			continue
		}
		if p, err := known.read(); err != nil || p.Resembles(has) {
			return p, err
		}
	}
	return nil, nil
}

// Recognised returns the versions that the embedded profile of a protocol tells by their definitions.
func Recognised(protocol string) []string {
	var out []string
	if data, _, err := schemas.Profile(protocol); err == nil {
		marks, _ := profile.ReadMarks(data) // a test reads all of them
		for _, m := range marks {
			out = append(out, m.Version)
		}
	}
	return out
}

// Parsed only if the schemas have its marks, since most runs do not need it.
type embeddedProfile struct {
	marks profile.Marks
	read  func() (*profile.Profile, error)
}

// embeddedProfiles returns all of them.
var embeddedProfiles = sync.OnceValues(func() ([]embeddedProfile, error) {
	var out []embeddedProfile
	for _, name := range schemas.Profiles() {
		data, display, err := schemas.Profile(name)
		if err != nil {
			return nil, err
		}
		marks, err := profile.ReadMarks(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", display, err)
		}
		out = append(out, embeddedProfile{marks, sync.OnceValues(func() (*profile.Profile, error) {
			p, _ := profile.Parse(display, data)
			if p == nil {
				return nil, fmt.Errorf("%s cannot be used", display) // ruled out by a test
			}
			p.Name = name
			return p, nil
		})})
	}
	return out, nil
})

// extending opens the profiles that a profile extends. Paths are relative to the file that contains them and must
// stay in the module of the first one, or in its folder if there is no module, after links are resolved: a profile cannot
// read files outside.
func extending(first string) profile.Open {
	root := gomod.Root(filepath.Dir(first))
	return func(from profile.Text, extends string) (base profile.Text, wrong, hint string, err error) {
		if !IsPath(extends) {
			if !slices.Contains(schemas.Profiles(), extends) {
				hint = similar.DidYouMean(extends, schemas.Profiles(), "name one of these, or a file with its path, such as ./base.json: "+strings.Join(schemas.Profiles(), ", "))
				return base, fmt.Sprintf("there is no embedded profile %q to extend", extends), hint, nil
			}
			base.Data, base.Name, err = schemas.Profile(extends)
			base.Key, base.Fixed = base.Name, true
			return base, "", "", err
		}
		const stay = "name a file of the same module by its path from here"
		if path.IsAbs(filepath.ToSlash(extends)) || filepath.IsAbs(extends) || strings.Contains(extends, `\`) {
			return base, "a profile is extended by a path from this file on, with slashes", stay, nil
		}
		file := filepath.Join(filepath.Dir(from.Key), filepath.FromSlash(extends))
		base = profile.Text{Name: filepath.ToSlash(disk.Display(file)), Key: file}
		rel, inside := disk.Within(root, file)
		if !inside {
			return base, fmt.Sprintf("%s is outside of the module", extends), stay, nil
		}
		base.Data, err = readInside(root, rel)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return base, fmt.Sprintf("there is no %s", base.Name), missingHint(root, rel), nil
		case err != nil:
			return base, fmt.Sprintf("%s cannot be read: %s", base.Name, err), stay, nil
		}
		return base, "", "", nil
	}
}

// readInside reads a file of a folder, which no link leads out of.
func readInside(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return fs.ReadFile(disk.RootFS(root), filepath.ToSlash(name))
}

// missingHint names a file of the same folder that is called alike.
func missingHint(root, name string) string {
	entries, _ := os.ReadDir(filepath.Join(root, filepath.Dir(name))) // those that could be read
	names := each.Map(entries, os.DirEntry.Name)
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".json") || n == filepath.Base(name) })
	return similar.DidYouMean(filepath.Base(name), names, "paths count from the file that they stand in")
}
