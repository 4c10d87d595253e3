//go:build ahpgen_reducers

// Customizations as reducers see them: entries with an id at the top, some of which are containers of
// children with ids of their own. What is of an unknown type takes part as far as its members tell.

package ahp

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// withCustomization returns a copy of the session that has another customization at i.
func withCustomization(s *SessionState, i int, c Customization) *SessionState {
	next := *s
	next.Customizations = withItem(s.Customizations, i, c)
	return &next
}

// customizationIndex returns the index of the first entry with the id, of whatever type, or -1.
func customizationIndex(list []Customization, id string) int {
	return slices.IndexFunc(list, func(c Customization) bool {
		if unknown, ok := c.(*UnknownCustomization); ok {
			return rawHasID(unknown.Raw, id)
		}
		return c != nil && c.GetID() == id
	})
}

// childIndex returns the index of the first child with the id, of whatever type, or -1.
func childIndex(list []ChildCustomization, id string) int {
	return slices.IndexFunc(list, func(c ChildCustomization) bool {
		if unknown, ok := c.(*UnknownChildCustomization); ok {
			return rawHasID(unknown.Raw, id)
		}
		return c != nil && c.GetID() == id
	})
}

// customizationEnabled returns a copy of an entry that is switched on or off.
func customizationEnabled(c Customization, enabled bool) Customization {
	switch c := c.(type) {
	case *PluginCustomization:
		next := *c
		next.Enabled = enabled
		return &next
	case *DirectoryCustomization:
		next := *c
		next.Enabled = enabled
		return &next
	case *MCPServerCustomization:
		next := *c
		next.Enabled = enabled
		return &next
	case *UnknownCustomization:
		next := *c
		next.Raw = rawEnabled(c.Raw, enabled)
		return &next
	}
	return c
}

// childEnabled returns a copy of a child that is switched on or off.
func childEnabled(c ChildCustomization, enabled bool) ChildCustomization {
	switch c := c.(type) {
	case *AgentCustomization:
		next := *c
		next.Enabled = &enabled
		return &next
	case *SkillCustomization:
		next := *c
		next.Enabled = &enabled
		return &next
	case *PromptCustomization:
		next := *c
		next.Enabled = &enabled
		return &next
	case *RuleCustomization:
		next := *c
		next.Enabled = &enabled
		return &next
	case *HookCustomization:
		next := *c
		next.Enabled = &enabled
		return &next
	case *MCPServerCustomization:
		next := *c
		next.Enabled = enabled
		return &next
	case *UnknownChildCustomization:
		next := *c
		next.Raw = rawEnabled(c.Raw, enabled)
		return &next
	}
	return c
}

func rawEnabled(raw json.RawMessage, enabled bool) json.RawMessage {
	return withRawMember(raw, "enabled", strconv.AppendBool(nil, enabled))
}

// childrenOf returns the children of a container, none for what holds none.
//
//ahpgen:others MCPServerCustomization
func childrenOf(c Customization) []ChildCustomization {
	switch c := c.(type) {
	case *PluginCustomization:
		return c.Children
	case *DirectoryCustomization:
		return c.Children
	case *UnknownCustomization:
		return rawChildren(c.Raw)
	default:
		return nil
	}
}

// withChildren returns a copy of a container with other children.
//
//ahpgen:others MCPServerCustomization
func withChildren(c Customization, children []ChildCustomization) Customization {
	switch c := c.(type) {
	case *PluginCustomization:
		next := *c
		next.Children = children
		return &next
	case *DirectoryCustomization:
		next := *c
		next.Children = children
		return &next
	case *UnknownCustomization:
		data, err := codec.AppendAs(nil, children, func(list []ChildCustomization, dst []byte, e *wire.Encoder) []byte {
			return codec.AppendList(dst, e, "", list, codec.ValueItem[ChildCustomization])
		})
		if err != nil {
			return c
		}
		next := *c
		next.Raw = withRawMember(c.Raw, "children", data)
		return &next
	default:
		return c
	}
}

// rawChildren reads the children of a container of unknown type. A list that holds anything else is
// not taken for one of children.
func rawChildren(raw json.RawMessage) []ChildCustomization {
	var items []json.RawMessage
	if json.Unmarshal(rawMember(raw, "children"), &items) != nil {
		return nil
	}
	children := make([]ChildCustomization, len(items))
	for i, item := range items {
		child, err := DecodeChildCustomization(item)
		if err != nil {
			return nil
		}
		children[i] = child
	}
	return children
}
