// Helpers: what packages have for those who program, and no message shows: handles and constructors.

package change

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// helpers compares handles and constructors by their names. Methods that one side lacks are changes of their own.
func (c *comparer) helpers() {
	c.metadata()
	join(c.old.Constructors, c.new.Constructors, func(f *protocol.Constructor) string { return f.Name },
		func(o *protocol.Constructor) {
			c.add(HelperRemoved, o.Name, "", spot{subject: "constructor " + o.Name, old: o.Pos})
		},
		func(n *protocol.Constructor) {
			c.add(HelperAdded, "", n.Name, spot{subject: "constructor " + n.Name, new: n.Pos})
		},
		func(o, n *protocol.Constructor) {
			from, to := publicName(o.Of)+" of "+strings.Join(o.Parameters, ", "), publicName(n.Of)+" of "+strings.Join(n.Parameters, ", ")
			c.text(HelperChanged, from, to, spot{"constructor " + o.Name, o.Pos, n.Pos, Place{}})
		})
	join(c.old.Handles, c.new.Handles, func(h *protocol.Handle) string { return h.Name },
		func(o *protocol.Handle) {
			c.add(HelperRemoved, o.Name, "", spot{subject: "handle " + o.Name, old: o.Pos})
		},
		func(n *protocol.Handle) {
			c.add(HelperAdded, "", n.Name, spot{subject: "handle " + n.Name, new: n.Pos})
		},
		func(o, n *protocol.Handle) {
			c.text(HelperChanged, handle(o, c.new), handle(n, c.old), spot{"handle " + o.Name, o.Pos, n.Pos, Place{}})
		})
}

// metadata compares the parameter in which requests describe their sender, and which connections fill in.
func (c *comparer) metadata() {
	old, new := cmp.Or(c.old.Calls, &protocol.Calls{}), cmp.Or(c.new.Calls, &protocol.Calls{})
	rule := HelperChanged
	switch "" {
	case old.Metadata:
		rule = HelperAdded
	case new.Metadata:
		rule = HelperRemoved
	}
	c.text(rule, old.Metadata, new.Metadata, spot{"metadata of requests", old.Pos, new.Pos, Place{}})
}

// handle describes a handle by the methods that another protocol has too.
func handle(h *protocol.Handle, other *protocol.Protocol) string {
	names := func(methods []*protocol.Method) string {
		methods = slices.DeleteFunc(slices.Clone(methods), func(m *protocol.Method) bool { return m == nil || other.Method(m.Name) == nil })
		return strings.Join(slices.Sorted(slices.Values(each.Map(methods, func(m *protocol.Method) string { return m.Name }))), ", ")
	}
	parts := []string{"with " + strings.Join(h.IDs, ", ")}
	for _, part := range []struct {
		what    string
		methods []*protocol.Method
	}{{"opened by ", []*protocol.Method{h.Opens}}, {"for ", h.Methods}, {"turns of ", h.Turns}, {"updates by ", []*protocol.Method{h.Updates}}} {
		if list := names(part.methods); list != "" {
			parts = append(parts, part.what+list)
		}
	}
	return strings.Join(parts, "; ")
}
