// Package schemas embeds what ahpgen brings along: the schemas of its own file formats and one
// profile per protocol.
package schemas

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ProfileSchema describes profile files.
//
//go:embed profile.schema.json
var ProfileSchema []byte

// ConfigSchema describes ahpgen.json.
//
//go:embed config.schema.json
var ConfigSchema []byte

// VocabularySchema describes the vendor keywords of schemas.
//
//go:embed vocabulary.schema.json
var VocabularySchema []byte

// AcceptancesSchema describes files of accepted changes.
//
//go:embed acceptances.schema.json
var AcceptancesSchema []byte

// DiffSchema describes what diff prints with --format json.
//
//go:embed diff.schema.json
var DiffSchema []byte

//go:embed */profile.json
var profiles embed.FS

//go:embed */*/*.schema.json
var protocols embed.FS

//go:embed */reducers/*.go */reducers/uses.json */reducers/*/*.go */reducers/*/uses.json
var reducers embed.FS

// standard is the protocol that is meant where none is named.
const standard = "ahp"

// defaults says which version a protocol's name alone stands for: the one that generated holds a package of.
var defaults = map[string]string{"ahp": "1.0.0"}

// Default is the embedded schemas that are meant where none are named.
func Default() string { return standard + "@" + defaults[standard] }

// Expand returns the whole name of embedded schemas, name@version, for a name that [Protocol] takes.
func Expand(name string) (whole string, ok bool) {
	for _, p := range Protocols() {
		protocol, version, _ := strings.Cut(p, "@")
		if name == p || name == version || name == protocol && version == defaults[protocol] {
			return p, true
		}
	}
	return "", false
}

// Protocols lists the embedded schemas as name@version, newest version of a protocol first.
func Protocols() []string {
	matches, err := fs.Glob(protocols, "*/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	slices.SortFunc(matches, func(a, b string) int {
		return cmp.Or(cmp.Compare(path.Dir(a), path.Dir(b)), compareVersions(path.Base(b), path.Base(a)))
	})
	for i, m := range matches {
		matches[i] = path.Dir(m) + "@" + path.Base(m)
	}
	return matches
}

// compareVersions orders versions by their numbers; a pre-release comes before its release.
func compareVersions(a, b string) int {
	coreA, preA, isPreA := strings.Cut(a, "-")
	coreB, preB, isPreB := strings.Cut(b, "-")
	byNumber := slices.CompareFunc(strings.Split(coreA, "."), strings.Split(coreB, "."), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) // numbers without leading zeros
	})
	switch {
	case byNumber != 0:
		return byNumber
	case isPreA != isPreB:
		if isPreA {
			return -1
		}
		return 1
	}
	return cmp.Compare(preA, preB)
}

// Protocol returns the embedded schemas of a protocol as a folder, and a name for its positions.
// They are named as name@version, by the protocol's name alone for its default version, or by a
// version alone.
func Protocol(name string) (folder fs.FS, display string, err error) {
	whole, ok := Expand(name)
	if !ok {
		return nil, "", fmt.Errorf("no embedded schemas %q; there is %s", name, strings.Join(Protocols(), ", "))
	}
	dir := strings.Replace(whole, "@", "/", 1)
	folder, err = fs.Sub(protocols, dir)
	return folder, "embedded:" + dir, err
}

// Profiles lists the embedded profiles by name.
func Profiles() []string {
	matches, err := fs.Glob(profiles, "*/profile.json")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, m := range matches {
		matches[i] = path.Dir(m)
	}
	slices.Sort(matches)
	return matches
}

// Profile returns the text of an embedded profile and a name for its positions.
func Profile(name string) (data []byte, display string, err error) {
	if !slices.Contains(Profiles(), name) {
		return nil, "", fmt.Errorf("no embedded profile %q; there is %s", name, strings.Join(Profiles(), ", "))
	}
	file := path.Join(name, "profile.json")
	data, err = profiles.ReadFile(file)
	return data, "embedded:" + file, err
}

// written says for which version of a protocol its finished reducers are written, but for those of [Editions].
var written = map[string]string{"ahp": "0.7.0"}

// Written is the embedded schemas that the finished reducers of a protocol are written for.
func Written(protocol string) string { return protocol + "@" + written[protocol] }

// Reducers returns the folder of the finished reducers of a protocol, with what is known about them. It
// is not ok where there are none.
func Reducers(protocol string) (folder fs.FS, ok bool) {
	dir := path.Join(protocol, "reducers")
	if info, err := fs.Stat(reducers, dir); err != nil || !info.IsDir() {
		return nil, false
	}
	folder, err := fs.Sub(reducers, dir)
	return folder, err == nil
}

// ReducersAt returns the folders of the finished reducers for a version of a protocol: the one of [Reducers], and
// those of its folders named after versions that are not newer, in rising order. A file of a later folder stands in place
// of the earlier one of its name.
func ReducersAt(protocol, version string) []fs.FS {
	base, ok := Reducers(protocol)
	if !ok {
		return nil
	}
	out := []fs.FS{base}
	for _, edition := range Editions(protocol) {
		if version != "" && compareVersions(edition, version) <= 0 {
			out = append(out, sub(base, edition))
		}
	}
	return out
}

// Editions lists the versions from which on some finished reducers of a protocol differ, oldest first.
func Editions(protocol string) []string {
	names, err := fs.Glob(reducers, path.Join(protocol, "reducers", "*", "uses.json"))
	if err != nil {
		panic(err) // the names of protocols are no patterns
	}
	for i, name := range names {
		names[i] = path.Base(path.Dir(name))
	}
	slices.SortFunc(names, compareVersions)
	return names
}

func sub(folder fs.FS, dir string) fs.FS {
	out, err := fs.Sub(folder, dir)
	if err != nil {
		panic(err) // the name comes from the folder itself
	}
	return out
}
