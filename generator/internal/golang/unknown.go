// Unknown variants: what an open union keeps, and its tags.

package golang

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// unknown adds the unknown variant of an open union. A nested open union uses that of the outer one.
func (b *builder) unknown(in *protocol.Union) {
	u := b.UnionOf(in)
	if u.Unknown != nil {
		return
	}
	open := each.Where(in.Parents, func(p *protocol.Union) bool { return p.Open && p.Dispatch.Member == in.Dispatch.Member })
	if len(open) == 1 {
		b.unknown(open[0])
		u.Unknown = b.UnionOf(open[0]).Unknown
	} else {
		u.Unknown = &Unknown{Name: "Unknown" + u.Name, Owner: u, Tag: u.Tag}
		u.Unknown.Name = b.derive(u.Unknown.Name, "unknown variants of "+in.Name, in.Pos)
	}
	if len(u.Unknown.Markers) == 0 {
		u.Unknown.Markers = slices.Clone(u.Family())
		return
	}
	for _, m := range u.Family() {
		u.Unknown.Markers = each.With(u.Unknown.Markers, m)
	}
}

// unknownTags adds the tag methods of unknown variants, for all unions they belong to.
func (b *builder) unknownTags(x *Unknown) {
	taken := map[string]bool{"Raw": true, "AppendJSON": true, "MarshalJSON": true, "EncodeJSON": true}
	if x.Tag != nil {
		taken[x.Tag.Name] = true
	}
	for _, u := range x.Markers {
		known := slices.ContainsFunc(x.Others, func(t OtherTag) bool { return t.Enum == u.Tag })
		if u.Tag == nil || u.Tag == x.Tag || known {
			continue
		}
		x.Others = append(x.Others, OtherTag{u.Tag, u.Cases.Member})
		taken[u.Tag.Name] = true
	}
	if x.Owner.Kind != protocol.Tagged {
		return
	}
	// The field's name must not conflict with another field or a method.
	for _, name := range []string{b.namer.exported(x.Owner.Cases.Member), "Tag", "Kind", "Name", "TagValue", "KindValue", "NameValue"} {
		if !taken[name] {
			x.Field = name
			return
		}
	}
	for i := 2; x.Field == "" || taken[x.Field]; i++ {
		x.Field = "Tag" + strconv.Itoa(i)
	}
}
