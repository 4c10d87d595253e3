// Type names: names of definitions and inline types.

package golang

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// name names all types.
func (b *builder) name() {
	pinned := map[string]string{} // stated Go names by definition, for the paths of inline types
	for _, t := range b.in.Types {
		b.Working(t.Head().Pos)
		if h := t.Head(); b.stated(t) != "" {
			pinned[h.Name] = b.stated(t)
		}
	}
	taken := map[string]bool{}
	given := map[string]bool{}
	defined := map[string]bool{} // names of definitions
	for _, t := range b.types {
		name := cmp.Or(b.claim(t), b.path(t.Head().Name, pinned))
		taken[name], defined[name] = true, defined[name] || !t.Head().Inline
	}
	for _, t := range b.types {
		b.Working(t.Head().Pos)
		h := t.Head()
		name := b.claim(t)
		if name == "" || b.stated(t) == "" && h.Inline && given[name] { // previously equal types have diverged
			name = b.nameShared(t, pinned, taken)
		}
		if ofChannel(t) && b.stated(t) == "" && defined[name] {
			name = free(name, b.out.prefix, taken) // a definition listing other actions keeps the name
			taken[name] = true
		}
		given[name] = true
		b.recordType(h.Name, name)
		if !gotext.IsExported(name) {
			b.Errorf(h.Pos, "bad-name", "names start with an upper-case letter and hold letters and digits only", "%q cannot be a Go type name", name)
		}
		b.names[t] = name
		for _, other := range b.together[t][min(1, len(b.together[t])):] {
			b.names[other] = name
			b.recordType(other.Head().Name, name)
		}
		b.claimType(name, t)
	}
}

// claimType claims the name of a type.
func (b *builder) claimType(name string, t protocol.Type) {
	h := t.Head()
	b.scope.add(name, describe(t), h.Name, h.Pos)
	claimed := &b.scope.names[name][len(b.scope.names[name])-1]
	claimed.defined = !h.Inline
	if e, ok := t.(*protocol.Enum); ok && b.scope.inSchemas {
		stated := claimed.hint
		claimed.hint = func(suggestion string) string {
			if b.isOfTags(e) {
				return fmt.Sprintf(`write "x-tag": %q beside it`, suggestion)
			}
			return stated(suggestion)
		}
	}
}

// ofChannel reports whether a type is a derived union of a channel's actions.
func ofChannel(t protocol.Type) bool {
	u, ok := t.(*protocol.Union)
	return ok && u.Inline && u.Scope == protocol.ChannelScope
}

// path returns the name of an inline type, starting from its longest named prefix.
func (b *builder) path(name string, pinned map[string]string) string {
	for end := len(name); end > 0; end = strings.LastIndex(name[:end], ".") {
		if stated := pinned[name[:end]]; stated != "" {
			if end == len(name) {
				return stated
			}
			return stated + strings.TrimPrefix(b.namer.exported("X."+name[end+1:]), "X")
		}
	}
	return b.namer.exported(name)
}

func describe(t protocol.Type) string {
	kind := "type"
	switch t.(type) {
	case *protocol.Struct:
		kind = "object"
	case *protocol.Union:
		kind = "union"
	case *protocol.Enum:
		kind = "enum"
	}
	return kind + " " + t.Head().Name
}
