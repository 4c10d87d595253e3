// Package schemas embeds what ahpgen brings along: the schemas of its own file formats and one
// profile per protocol.
package schemas

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
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

// VocabularySchema describes the vendor keywords of schemas, and with them what profiles state in the same words:
// ProfileSchema refers to it.
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

//go:embed */reducers/*.go */reducers/*/*.go
var reducers embed.FS

//go:embed embedded.json
var embeddedIndex []byte

// index says of the embedded protocols which version of each is meant where none is named, the one that generated holds a
// package of, and for which version its finished reducers are written, but for those of [Editions].
var index = sync.OnceValue(func() (out struct {
	Standard  string // the protocol that is meant where none is named
	Protocols map[string]struct{ Version, Reducers string }
}) {
	if err := json.Unmarshal(embeddedIndex, &out); err != nil {
		panic(err) // the file comes with the program
	}
	return out
})

// Default is the embedded schemas that are meant where none are named.
func Default() string { return index().Standard + "@" + index().Protocols[index().Standard].Version }

// Expand returns the whole name of embedded schemas, name@version, for a name that [Protocol] takes.
func Expand(name string) (whole string, ok bool) {
	for _, p := range Protocols() {
		protocol, version, _ := strings.Cut(p, "@")
		if name == p || name == version || name == protocol && version == index().Protocols[protocol].Version {
			return p, true
		}
	}
	return "", false
}

// Protocols lists the embedded schemas as name@version, first those of the protocol that is meant where none is named, and
// of each protocol the newest version first.
func Protocols() []string {
	matches, err := fs.Glob(protocols, "*/*")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	slices.SortFunc(matches, func(a, b string) int {
		return cmp.Or(byProtocol(path.Dir(a), path.Dir(b)), compareVersions(path.Base(b), path.Base(a)))
	})
	for i, m := range matches {
		matches[i] = path.Dir(m) + "@" + path.Base(m)
	}
	return matches
}

// byProtocol orders names of protocols, first the one that is meant where none is named.
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

// compareVersions orders versions of one protocol by their numbers; a pre-release comes before its release. Dates and whole
// numbers come in their order, too.
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

// Profiles lists the embedded profiles by name, first that of the protocol that is meant where none is named.
func Profiles() []string {
	matches, err := fs.Glob(profiles, "*/profile.json")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, m := range matches {
		matches[i] = path.Dir(m)
	}
	slices.SortFunc(matches, byProtocol)
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

// written is the version that the finished reducers of a protocol are written for.
func written(protocol string) string { return index().Protocols[protocol].Reducers }

// Written is the embedded schemas that the finished reducers of a protocol are written for.
func Written(protocol string) string { return protocol + "@" + written(protocol) }

// Edition is a folder of finished reducers, for a version of the protocol and those behind it up to the next edition.
type Edition struct {
	Version string // "" for the one that the others are laid over
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

// Lineage lists the editions that are laid over the finished reducers of a protocol to get one, in this order: those
// that lie between the version that they are written for and its own, newer or older, and the edition itself.
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
// first, and then those beside it, the older before the newer; "" is the one that the others are laid over. It is the one
// that is chosen where nobody chooses.
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

// Editions lists the versions for which some finished reducers of a protocol differ, oldest first.
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
		panic(err) // the name comes from the folder itself
	}
	return out
}
