// Options: the settings in ahpgen.json, according to its schema.

package generator

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/schemas"
)

// Option is a setting in ahpgen.json.
type Option struct {
	Name string // dotted if nested, such as reducers.omit
	Kind string // "text", "true or false", "list of text", "text by name",
	// "list of objects with …", or the allowed words
	Meaning string
}

// Options returns all settings in schema order.
func Options() []Option {
	root, _ := schema.ParseJSON("config.schema.json", schemas.ConfigSchema)
	return optionsOf("", root)
}

func optionsOf(prefix string, object *schema.Node) []Option {
	var out []Option
	properties := object.Get("properties")
	if properties == nil {
		return nil
	}
	for _, m := range properties.Members {
		name := prefix + m.Key
		if inner := optionsOf(name+".", m.Value); inner != nil {
			out = append(out, inner...)
			continue
		}
		o := Option{Name: name, Kind: optionKind(m.Value)}
		if doc := m.Value.Get("description"); doc != nil {
			o.Meaning = doc.Text
		}
		out = append(out, o)
	}
	return out
}

// optionKind describes the type of a setting.
func optionKind(n *schema.Node) string {
	if words := n.Get("enum"); words != nil {
		return strings.Join(each.Map(words.Items, (*schema.Node).Compact), " or ")
	}
	kind := n.Get("type")
	if kind == nil {
		return "any"
	}
	switch kind.Text {
	case "string":
		return "text"
	case "boolean":
		return "true or false"
	case "object":
		if members := n.Get("properties"); members != nil {
			names := each.Map(members.Members, func(m schema.Member) string { return m.Key })
			return "objects with " + strings.Join(names, ", ")
		}
		return optionKind(n.Get("additionalProperties")) + " by name"
	case "array":
		return "list of " + optionKind(n.Get("items"))
	}
	return kind.Text
}
