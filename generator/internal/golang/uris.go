// URIs: members that must be there and cannot be empty.

package golang

import "github.com/ahpgen/ahpgen/generator/protocol"

// uris marks the required members that are URIs: because the schema says so, because they name a channel, or because they are of
// the type by which such members go.
func (b *builder) uris() {
	channels := map[*protocol.Field]bool{}
	types := map[protocol.Type]bool{}
	for _, f := range channelMembers(b.in.Replication) {
		channels[f] = true
		if t := aliasOf(f); t != nil {
			types[t] = true
		}
	}
	for in, field := range b.fieldOf {
		if field.Presence == Required && Underlying(field.Type) == String {
			t := aliasOf(in)
			field.URI = in.URI || channels[in] || t != nil && types[t]
		}
	}
}

// channelMembers returns the members that are stated to name a channel.
func channelMembers(r *protocol.Replication) []*protocol.Field {
	if r == nil {
		return nil
	}
	out := []*protocol.Field{r.Envelope.Channel, r.Snapshot.Channel, r.Dispatch.Channel}
	if s := r.Session; s != nil {
		out = append(out, s.Subscribe.Channel, s.Unsubscribe.Channel)
	}
	return out
}

// aliasOf returns the alias that a member is declared with, nil if it is declared with something else.
func aliasOf(f *protocol.Field) protocol.Type {
	if ref, ok := f.Type.(protocol.Ref); ok {
		if a, ok := ref.Type.(*protocol.Alias); ok {
			return a
		}
	}
	return nil
}
