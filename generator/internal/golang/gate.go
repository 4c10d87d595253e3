// Gate: rejects unreadable names, and verifies that all output is valid Go.

package golang

import (
	"fmt"
	"reflect"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Check returns an error for the first string that is not of its declared kind. An error is a bug in ahpgen.
func (p *Package) Check() error {
	if err := gotext.Check(p, opaque); err != nil {
		return fmt.Errorf("declarations of package %s: %w", visible.Name(p.Name), err)
	}
	return nil
}

// opaque are types that are not checked: the protocol, whose strings are text, and the basic types.
func opaque(t reflect.Type) bool {
	return t == reflect.TypeFor[Basic]() || t.PkgPath() == reflect.TypeFor[protocol.Value]().PkgPath() || t == reflect.TypeFor[diag.Pos]()
}

// refuseNames reports names with control characters. Values may contain anything.
func (b *builder) refuseNames() {
	refuse := func(what, name string, pos diag.Pos) {
		if visible.HasControl(name) {
			b.Errorf(pos, "control-character", "write it without line breaks and other control characters", "the name of %s holds a control character: %q", what, name)
		}
	}
	for _, t := range b.in.Types {
		h := t.Head()
		if !h.Inline {
			refuse("a type", h.Name, h.Pos)
		}
		if s, ok := t.(*protocol.Struct); ok {
			for _, f := range s.Fields {
				refuse("a member", f.Name, f.Pos)
			}
		}
	}
	for _, c := range b.in.Channels {
		refuse("a channel", c.Name, c.Pos)
		refuse("a channel's URIs", c.URI, c.Pos)
		refuse("a channel's actions", c.Prefix, c.Pos)
	}
	if b.in.Actions != nil {
		for _, a := range b.in.Actions.Actions {
			refuse("an action", a.Type, a.Pos)
		}
	}
	for _, m := range b.in.Methods {
		refuse("a method", m.Name, m.Pos)
	}
	for _, e := range b.in.Errors {
		refuse("an error", e.Name, e.Pos)
	}
}
