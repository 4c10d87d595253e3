// Sides: the sides of a comparison that follow from a configuration.

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

// NoSideError reports that a configuration names only one side.
type NoSideError struct{ Schemas string }

func (e *NoSideError) Error() string {
	return fmt.Sprintf("the configuration names %s: say what to compare it with", filepath.ToSlash(e.Schemas))
}

// Unwrap marks it as a usage error.
func (e *NoSideError) Unwrap() error { return &UsageError{Message: e.Error()} }

// Sides returns what a comparison of the configured schemas with others is between: folders, embedded ones or
// git:REV:PATH. If new is "", it is the newest that is embedded, for a configuration with embedded schemas; others
// have no newer ones that ahpgen could know.
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
	opts.Names, opts.Types, opts.speaks = c.Names, c.Types, c.bumpedSpeaks()
	opts.Profile = cmp.Or(opts.Profile, c.ProfileForOthers())
	if source.IsGit(new) { // what was there at a revision is older than what is there
		opts.NewVersion = cmp.Or(opts.NewVersion, c.ProtocolVersion)
		return new, c.Schemas, opts, nil
	}
	opts.OldVersion = cmp.Or(opts.OldVersion, c.ProtocolVersion)
	return c.Schemas, new, opts, nil
}

// Speaking adds the versions that the configured package speaks to a comparison: a change that is translated breaks no peer.
func (c Config) Speaking(opts DiffOptions) DiffOptions {
	opts.speaks = c.Speaks
	return opts
}

// ProfileForOthers returns the profile for schemas of the same protocol in a folder: the configured one, or the
// embedded one of the protocol.
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

// newestOf returns the newest embedded schemas of a protocol.
func newestOf(name string) string {
	full, _ := source.Whole(name)
	protocol, at, _ := strings.Cut(full, "@")
	return protocol + "@" + append(embeddedVersions(protocol), at)[0]
}
