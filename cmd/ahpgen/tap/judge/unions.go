// Unions: which variant a value is.

package judge

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// union checks a value against the variant that it is.
func (c *checker) union(u *protocol.Union, v any, path string) {
	at := place{u.Name, u.Pos.String()}
	object, isObject := v.(map[string]any)
	if list, isList := v.([]any); isList {
		c.lists(u, list, path, at)
		return
	}
	if isObject && u.Dispatch != nil {
		variant, unknown := choose(u.Dispatch, object)
		switch {
		case variant != nil:
			c.object(variant, v, path)
		case !u.Open:
			c.fail(path, "no variant of "+u.Name+" fits: "+unknown, at)
		}
		return
	}
	if variant := c.scalar(u, v); variant != nil {
		if c.expr(variant.Type, v, path, at) {
			c.limits(variant.Limits, v, path, at)
		}
		return
	}
	if !u.Anything && !(isObject && u.Open) {
		c.fail(path, "no variant of "+u.Name+" is such a value, got "+excerpt(v), at)
	}
}

// scalar returns the variant of the JSON type of a value, or nil.
func (c *checker) scalar(u *protocol.Union, v any) *protocol.Variant {
	i := slices.IndexFunc(u.Variants, func(variant *protocol.Variant) bool { return takes(variant.Type, v) })
	if i < 0 {
		return nil
	}
	return u.Variants[i]
}

// takes reports whether a type has values of the JSON type of v.
func takes(e protocol.Expr, v any) bool {
	_, isObject := v.(map[string]any)
	_, isList := v.([]any)
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return isScalar(e, v)
	case protocol.List:
		return isList
	case protocol.Map:
		return isObject
	case protocol.Ref:
		switch t := e.Type.(type) {
		case *protocol.Enum:
			return isScalar(t.Kind, v)
		case *protocol.Union:
			return slices.ContainsFunc(t.Variants, func(variant *protocol.Variant) bool { return takes(variant.Type, v) })
		case *protocol.Struct:
			return isObject
		}
	}
	return false
}

// lists checks an array against the variant that is one. Several of them differ by the first item.
func (c *checker) lists(u *protocol.Union, list []any, path string, at place) {
	variants := u.Lists()
	if len(variants) == 0 {
		if nested := c.scalar(u, list); nested != nil {
			c.expr(nested.Type, list, path, at)
		} else if !u.Anything {
			c.fail(path, "no variant of "+u.Name+" is an array", at)
		}
		return
	}
	variant := variants[0]
	if u.Elements != nil && len(list) > 0 {
		if first, ok := list[0].(map[string]any); ok {
			item, _ := choose(u.Elements, first)
			if i := slices.IndexFunc(variants, func(v *protocol.Variant) bool { return item != nil && v.Item() == item }); i >= 0 {
				variant = variants[i]
			}
		}
	}
	if c.expr(variant.Type, list, path, at) {
		c.limits(variant.Limits, list, path, at)
	}
}

// choose returns the variant of an object, or nil with the reason.
func choose(d *protocol.Dispatch, object map[string]any) (variant *protocol.Struct, unknown string) {
	if d.Stated {
		i := slices.IndexFunc(d.Cases, func(c *protocol.Case) bool {
			return !slices.ContainsFunc(c.Signs, func(s protocol.Sign) bool { return !holds(s, object) })
		})
		if i < 0 {
			return nil, "none of the members that tell them apart is there"
		}
		return d.Cases[i].Struct, ""
	}
	if d.Member == "" {
		return chooseByMembers(d, object)
	}
	value, there := object[d.Member]
	_, isText := value.(string)
	if !there || value == nil && d.Absent || !isText && d.Lenient {
		switch {
		case d.Untagged != "":
			value = d.Untagged
		case d.Absent || d.Lenient:
			value = ""
		default:
			return d.General(), d.Member + " is required"
		}
	}
	for _, c := range d.Cases {
		if slices.ContainsFunc(c.Values, func(want protocol.Value) bool { return want.Plain() == value }) {
			if c.Next != nil {
				return choose(c.Next, object)
			}
			return c.Struct, ""
		}
	}
	return d.General(), d.Member + " is " + excerpt(value)
}

// chooseByMembers returns the variant that has its marker. Without a marker a variant is the one of all other objects.
func chooseByMembers(d *protocol.Dispatch, object map[string]any) (variant *protocol.Struct, unknown string) {
	var markers []string
	for _, c := range d.Cases {
		if _, there := object[c.Marker]; there || c.Marker == "" {
			if c.Next != nil {
				return choose(c.Next, object)
			}
			return c.Struct, ""
		}
		markers = append(markers, c.Marker)
	}
	return nil, "none of " + strings.Join(markers, ", ") + " is there"
}

// holds reports whether an object has a sign.
func holds(s protocol.Sign, object map[string]any) bool {
	var v any = object
	for _, name := range strings.Split(s.Member, ".") {
		in, _ := v.(map[string]any)
		next, there := in[name]
		if !there {
			return false
		}
		v = next
	}
	text, isText := v.(string)
	return len(s.Is) == 0 || isText && slices.Contains(s.Is, text)
}
