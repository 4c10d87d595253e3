// Sides: what diff compares if a configuration says one side of it, or both.

package generator

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/schemas"
)

// NoSideError says that a configuration names one side of a comparison only.
type NoSideError struct{ Schemas string }

func (e *NoSideError) Error() string {
	return fmt.Sprintf("the configuration names %s: say what to compare it with", filepath.ToSlash(e.Schemas))
}

// Unwrap makes it a mistake in how ahpgen was called.
func (e *NoSideError) Unwrap() error { return &UsageError{Message: e.Error()} }

// Sides are what a comparison of the configured schemas with others is between: folders, embedded ones or
// git:REV:PATH. If new is "", it is the newest that is embedded, for a configuration with embedded
// schemas; others have no newer ones that ahpgen could know.
func (c Config) Sides(new string, opts DiffOptions) (string, string, DiffOptions, error) {
	c = c.withDefaults()
	if c.Schemas == "" {
		return "", "", opts, &FlagError{Message: "no schemas: the configuration names a profile alone", Lines: []string{"ahpgen diff OLD NEW"}}
	}
	if new == "" {
		if !IsEmbedded(c.Schemas) {
			return "", "", opts, &NoSideError{c.Schemas}
		}
		new = newestOf(c.Schemas)
	}
	opts.Names = c.Names
	opts.OldVersion = c.ProtocolVersion
	opts.Profile = cmp.Or(opts.Profile, c.ProfileForOthers())
	return c.Schemas, new, opts, nil
}

// ProfileForOthers is the profile for schemas of the same protocol that are in a folder: the configured
// one, or for a configuration with embedded schemas the embedded one of that protocol.
func (c Config) ProfileForOthers() string {
	if c.Profile != "" || !IsEmbedded(c.Schemas) {
		return c.Profile
	}
	name, _ := source.Whole(c.Schemas)
	protocol, _, _ := strings.Cut(name, "@")
	if slices.Contains(schemas.Profiles(), protocol) {
		return protocol
	}
	return ""
}

// newestOf names the newest embedded schemas of the protocol that others are of.
func newestOf(name string) string {
	full, _ := source.Whole(name)
	protocol, _, _ := strings.Cut(full, "@")
	return append(embeddedVersions(protocol), full)[0]
}
