// Package schemas embeds the schemas of the supported protocols and of ahpgen's own file formats, with one profile
// per protocol.
package schemas

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// ProfileSchema describes profile files.
//
//go:embed profile.schema.json
var ProfileSchema []byte

// ConfigSchema describes ahpgen.json.
//
//go:embed config.schema.json
var ConfigSchema []byte

// VocabularySchema describes the vendor keywords of schemas. ProfileSchema refers to it.
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

//go:embed example/*.schema.json
var example embed.FS

// Example is the folder of a small protocol that uses most of what schemas can say.
func Example() fs.FS {
	sub, err := fs.Sub(example, "example")
	if err != nil {
		panic(err) // the path is constant
	}
	return sub
}

//go:embed */reducers/*.go */reducers/*/*.go
var reducers embed.FS

//go:embed */translations/*.go
var translations embed.FS

// Translations returns the folder of functions that convert objects of a protocol between versions, or nil if it has none.
func Translations(protocol string) fs.FS {
	dir := path.Join(protocol, "translations")
	if info, err := fs.Stat(translations, dir); err != nil || !info.IsDir() {
		return nil
	}
	out, err := fs.Sub(translations, dir)
	if err != nil {
		panic(err) // the name is that of a folder
	}
	return out
}

//go:embed embedded.json
var embeddedIndex []byte

// index is the index of embedded protocols: the default version of each, the version in generated, and the base
// version of finished reducers.
var index = sync.OnceValue(func() (out struct {
	Standard  string // the default protocol
	Protocols map[string]struct{ Version, Reducers string }
}) {
	if err := json.Unmarshal(embeddedIndex, &out); err != nil {
		panic(err) // an embedded file
	}
	return out
})

// Default returns the name of the default schemas.
func Default() string { return index().Standard + "@" + index().Protocols[index().Standard].Version }

// Expand returns the full name of embedded schemas, name@version.
func Expand(name string) (whole string, ok bool) {
	for _, p := range Protocols() {
		protocol, version, _ := strings.Cut(p, "@")
		if name == p || name == version || name == protocol && version == index().Protocols[protocol].Version {
			return p, true
		}
	}
	return "", false
}

// Protocols returns the embedded schemas as name@version: the default protocol first, newest versions first.
func Protocols() []string {
	matches, err := fs.Glob(protocols, "*/*")
	if err != nil {
		panic(err) // the pattern is constant
	}
	matches = slices.AppendSeq(matches, maps.Keys(older()))
	slices.SortFunc(matches, func(a, b string) int {
		return cmp.Or(byProtocol(path.Dir(a), path.Dir(b)), compareVersions(path.Base(b), path.Base(a)))
	})
	for i, m := range matches {
		matches[i] = path.Dir(m) + "@" + path.Base(m)
	}
	return matches
}

// byProtocol orders protocol names, the default first.
func byProtocol(a, b string) int {
	switch standard := index().Standard; {
	case a == b:
		return 0
	case a == standard:
		return -1
	case b == standard:
		return 1
	}
	return cmp.Compare(a, b)
}

// compareVersions orders versions of one protocol numerically; a pre-release precedes its release. This also orders
// dates and integers.
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

// Protocol returns embedded schemas as a folder, with a name for positions. The name is name@version, a protocol for
// its default version, or a version.
func Protocol(name string) (folder fs.FS, display string, err error) {
	whole, ok := Expand(name)
	if !ok {
		return nil, "", fmt.Errorf("no embedded schemas %q; there is %s", name, strings.Join(Protocols(), ", "))
	}
	dir := strings.Replace(whole, "@", "/", 1)
	folder, err = folderOf(dir)
	return folder, "embedded:" + dir, err
}

// Profiles returns the names of embedded profiles, that of the default protocol first.
func Profiles() []string {
	matches, err := fs.Glob(profiles, "*/profile.json")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for i, m := range matches {
		matches[i] = path.Dir(m)
	}
	slices.SortFunc(matches, byProtocol)
	return matches
}

// Profile returns the text of an embedded profile and a name for positions.
func Profile(name string) (data []byte, display string, err error) {
	if !slices.Contains(Profiles(), name) {
		return nil, "", fmt.Errorf("no embedded profile %q; there is %s", name, strings.Join(Profiles(), ", "))
	}
	file := path.Join(name, "profile.json")
	data, err = profiles.ReadFile(file)
	return data, "embedded:" + file, err
}

// written returns the base version of a protocol's finished reducers.
func written(protocol string) string { return index().Protocols[protocol].Reducers }

// Written returns the embedded schemas of that version.
func Written(protocol string) string { return protocol + "@" + written(protocol) }

// Edition is a folder of finished reducers that apply from a version until the next edition.
type Edition struct {
	Version string // "" for the base
	Folder  fs.FS
}

// Reducers returns the editions of the finished reducers of a protocol that come together in one of them, each laid over
// the ones before: from the version that they are written for to the version of the edition, "" for the former alone. It
// is empty where there are none.
func Reducers(protocol, edition string) []Edition {
	dir := path.Join(protocol, "reducers")
	if info, err := fs.Stat(reducers, dir); err != nil || !info.IsDir() {
		return nil
	}
	out := []Edition{{"", sub(reducers, dir)}}
	for _, version := range Lineage(protocol, edition) {
		out = append(out, Edition{version, sub(reducers, path.Join(dir, version))})
	}
	return out
}

// Lineage returns the editions to be applied to the base to get one: those between the base version and its own, and
// the edition itself.
func Lineage(protocol, edition string) []string {
	if edition == "" {
		return nil
	}
	all := Editions(protocol)
	older := compareVersions(edition, written(protocol)) < 0
	if older {
		slices.Reverse(all)
	}
	return slices.DeleteFunc(all, func(version string) bool {
		if older {
			return compareVersions(version, written(protocol)) > 0 || compareVersions(version, edition) < 0
		}
		return compareVersions(version, written(protocol)) < 0 || compareVersions(version, edition) > 0
	})
}

// EditionsFor returns the edition of the finished reducers of a protocol that is chosen among the versions of all, oldest
// first, and then those beside it, the older before the newer; "" is the one that the others are laid over. It is the
// default.
func EditionsFor(protocol string, choose func(versions []string) int) []string {
	if len(Reducers(protocol, "")) == 0 {
		return nil
	}
	all := append(Editions(protocol), written(protocol))
	slices.SortFunc(all, compareVersions)
	at := slices.Index(all, written(protocol))
	if choose != nil {
		at = choose(all)
	}
	var out []string
	for _, i := range []int{at, at - 1, at + 1} {
		switch {
		case i < 0 || i >= len(all):
		case all[i] == written(protocol):
			out = append(out, "")
		default:
			out = append(out, all[i])
		}
	}
	return out
}

// Editions returns the versions with editions, oldest first.
func Editions(protocol string) []string {
	entries, err := fs.ReadDir(reducers, path.Join(protocol, "reducers"))
	if err != nil {
		return nil // there are none
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	slices.SortFunc(out, compareVersions)
	return out
}

func sub(folder fs.FS, dir string) fs.FS {
	out, err := fs.Sub(folder, dir)
	if err != nil {
		panic(err) // the name comes from the folder
	}
	return out
}
