// Speaks: what templates ask about translators for older versions.

package emit

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// way is a direction of a translator.
type way struct {
	Name  string
	Table *table.Direction
}

// Ways lists the directions in which something differs.
func (v view) Ways(of *table.Version) []way {
	return each.Where([]way{{"Lower", &of.Lower}, {"Lift", &of.Lift}}, func(w way) bool { return !w.Table.Empty() })
}

// kinds are the names of kinds of types in package translate.
var kinds = map[translate.Kind]gotext.Code{
	translate.Struct: "translate.Struct", translate.List: "translate.List", translate.Map: "translate.Map", translate.Tagged: "translate.Tagged",
	translate.Shaped: "translate.Shaped", translate.Mixed: "translate.Mixed", translate.Text: "translate.Text",
}

// KindOf returns the name of a kind.
func (v view) KindOf(k translate.Kind) gotext.Code { return kinds[k] }

// IsOwn reports whether a function between versions is the user's, and not one that comes with the protocol.
func (v view) IsOwn(name string) bool { return slices.Contains(v.OwnTranslations, name) }
