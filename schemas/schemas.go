// Package schemas embeds what ahpgen brings along: the schemas of its own file formats and one
// profile per protocol.
package schemas

import (
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

//go:embed */profile.json
var profiles embed.FS

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
