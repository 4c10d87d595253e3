// Versions that peers agree on. They are those of the schemas, or apart from them: then several versions of the schemas
// are one on the wire.

package facts

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// Wire says which version peers agree on, for each version of the schemas.
type Wire struct {
	Order    version.Order
	Versions []OnWire // the first whose range fits counts
}

// OnWire is one version that peers agree on, and the range of versions of the schemas that it is said for.
type OnWire struct{ Version, Schemas string }

// SpokenOrder is the order of the versions that peers agree on.
func (v Versions) SpokenOrder() version.Order {
	if v.Wire != nil {
		return v.Wire.Order
	}
	return v.Order
}

// OnWire is what peers agree on who speak a version of the schemas, "" if nothing says so.
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

// Spoken lists the versions that an implementation of the one at hand can speak: that one, then those that are supported
// and older, down to the latest that broke with what was before it.
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
	for _, text := range v.Supported {
		if s, err := order.Parse(text); err == nil && (at.IsZero() || s.Compare(at) < 0) && !v.broken(s, at) {
			out = append(out, text)
		}
	}
	return out
}

// broken reports whether a version lies behind one that broke with it, seen from the version at hand or, if that is
// unknown, from the newest.
func (v Versions) broken(old, at version.Version) bool {
	return slices.ContainsFunc(v.Breaking, func(text string) bool {
		b, err := v.SpokenOrder().Parse(text)
		return err == nil && old.Compare(b) < 0 && (at.IsZero() || b.Compare(at) <= 0 && !at.Precedes(b))
	})
}

// Check refuses versions that the object which states them has in other orders than it says.
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

// CheckVersion refuses a version that the order does not have. "" is none.
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
