// Versions negotiated by peers. They equal the schema versions unless several schema versions share one wire version.

package facts

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// Wire maps schema versions to negotiated versions.
type Wire struct {
	Order    version.Order
	Versions []OnWire // the first matching range applies
}

// OnWire is a negotiated version with a range of schema versions.
type OnWire struct{ Version, Schemas string }

// SpokenOrder returns the order of negotiated versions.
func (v Versions) SpokenOrder() version.Order {
	if v.Wire != nil {
		return v.Wire.Order
	}
	return v.Order
}

// OnWire returns the version negotiated for a schema version, or "" if not stated.
func (v Versions) OnWire(at version.Version) string {
	if v.Wire == nil {
		return at.String()
	}
	for _, w := range v.Wire.Versions {
		if r, err := v.Order.ParseRange(w.Schemas); err == nil && r.Holds(at) {
			return w.Version
		}
	}
	return ""
}

// Spoken returns the versions an implementation can speak: its own, and the supported older ones down to the last
// breaking one.
func (v Versions) Spoken() []string {
	var out []string
	own := v.OnWire(v.At)
	if own != "" {
		out = append(out, own)
	}
	order := v.SpokenOrder()
	at, err := order.Parse(own)
	if err != nil {
		at = version.Version{} // unknown
	}
	return append(out, each.Where(v.Supported, func(text string) bool {
		s, err := order.Parse(text)
		return err == nil && (at.IsZero() || s.Compare(at) < 0) && !v.broken(s, at)
	})...)
}

// broken reports whether a version is older than a breaking one, relative to the current version or else the newest.
func (v Versions) broken(old, at version.Version) bool {
	return slices.ContainsFunc(v.Breaking, func(text string) bool {
		b, err := v.SpokenOrder().Parse(text)
		return err == nil && old.Compare(b) < 0 && (at.IsZero() || b.Compare(at) <= 0 && !at.Precedes(b))
	})
}

// Check rejects versions in an order other than the stated one.
func (v Versions) Check(stated *schema.Node) (found []diag.Diagnostic) {
	for _, n := range slices.Concat(stated.Get("supported").List(), stated.Get("breaking").List()) {
		found = append(found, CheckVersion(v.SpokenOrder(), n.Str(), n.Pos)...)
	}
	for _, n := range stated.At("/wire/versions").List() {
		found = append(found, CheckVersion(v.SpokenOrder(), n.Get("version").Str(), n.Pos)...)
		found = append(found, CheckRange(v.Order, n.Get("schemas").Str(), n.Pos)...)
	}
	return found
}

// CheckVersion rejects a version not in the order. "" is allowed.
func CheckVersion(order version.Order, text string, pos diag.Pos) []diag.Diagnostic {
	if _, err := order.Parse(text); text != "" && err != nil {
		return []diag.Diagnostic{diag.Errorf(pos, "bad-version", order.Hint(text), "%s", err)}
	}
	return nil
}

// CheckRange does the same for a range.
func CheckRange(order version.Order, text string, pos diag.Pos) []diag.Diagnostic {
	if _, err := order.ParseRange(text); err != nil {
		return []diag.Diagnostic{diag.Errorf(pos, "bad-version", order.RangeHint(), "%s", err)}
	}
	return nil
}
