//go:build ahpgen_reducers

package ahp

// customizationEnabled returns a copy of an entry under other decisions on whether it is on. Plugins and MCP servers
// keep all of them, in order; what else there is knows only on and off.
func customizationEnabled(c Customization, decisions []CustomizationEnablement) Customization {
	switch c := c.(type) {
	case *PluginCustomization:
		next := *c
		next.Enablement = absentIfEmpty(decisions)
		return &next
	case *DirectoryCustomization:
		next := *c
		next.Enabled = isEnabled(decisions)
		return &next
	case *MCPServerCustomization:
		next := *c
		next.Enablement = absentIfEmpty(decisions)
		return &next
	case *UnknownCustomization:
		next := *c
		next.Raw = rawEnabled(c.Raw, isEnabled(decisions))
		return &next
	}
	return c
}

// childEnabled returns a copy of a child under other decisions on whether it is on. See [customizationEnabled].
func childEnabled(c ChildCustomization, decisions []CustomizationEnablement) ChildCustomization {
	enabled := isEnabled(decisions)
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
		next.Enablement = absentIfEmpty(decisions)
		return &next
	case *UnknownChildCustomization:
		next := *c
		next.Raw = rawEnabled(c.Raw, enabled)
		return &next
	}
	return c
}

// isEnabled reports what the decisions come to: the first counts, and without any it is on.
func isEnabled(decisions []CustomizationEnablement) bool {
	return len(decisions) == 0 || decisions[0] != nil && decisions[0].GetEnabled()
}
