// Stability: findings about what its owner calls experimental.

package verdict

import (
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// unstable returns what is experimental about a change, such as "CanvasState is experimental (1)", or "". A change of something that
// was stable before is not excused if the new version calls it experimental.
func unstable(p change.Place) string {
	marks := [][2]mark{
		{field(p.OldField), field(p.NewField)},
		{variant(p.OldVariant), {}}, // a new variant is what the union promises
		{row(p.OldRow), row(p.NewRow)},
		{head(p.OldType), head(p.NewType)},
	}
	for _, m := range marks {
		m := m[0].or(m[1])
		if m.name != "" && m.is != "" {
			if m.is.Experimental() {
				return m.name + " is " + m.is.String()
			}
			return ""
		}
	}
	return ""
}

// mark is what is stated of one side of a change.
type mark struct {
	name string
	is   protocol.Stability
}

// or returns the mark of the old side, and that of the new one only if nothing was there.
func (m mark) or(new mark) mark {
	if m.name != "" {
		return m
	}
	return new
}

func field(f *protocol.Field) mark {
	if f == nil {
		return mark{}
	}
	return mark{"its member " + f.Name, f.Stability}
}

func variant(e protocol.Expr) mark {
	ref, ok := e.(protocol.Ref)
	if !ok {
		return mark{}
	}
	return head(ref.Type)
}

func head(t protocol.Type) mark {
	if t == nil {
		return mark{}
	}
	return mark{t.Head().Name, t.Head().Stability}
}

func row(r change.Row) mark {
	switch r := r.(type) {
	case *protocol.Action:
		return mark{r.Type, r.Stability()}
	case *protocol.Method:
		return mark{r.Name, r.Stability()}
	case *protocol.Channel:
		return mark{r.Name, r.Stability}
	}
	return mark{}
}
