//go:build ahpgen_reducers

package ahp

// sessionCustomizationToggled puts the customization with the id under other decisions on whether it is on: the one at
// the top, of whatever type, or else the first such child of the first container that has one.
//
// It does nothing when no customization has the id.
func (r *Reducer) sessionCustomizationToggled(s *SessionState, a *SessionCustomizationToggledAction) *SessionState {
	if i := customizationIndex(s.Customizations, a.ID); i >= 0 {
		return withCustomization(s, i, customizationEnabled(s.Customizations[i], a.Enablement))
	}
	for i, container := range s.Customizations {
		children := childrenOf(container)
		if k := childIndex(children, a.ID); k >= 0 {
			children = withItem(children, k, childEnabled(children[k], a.Enablement))
			return withCustomization(s, i, withChildren(container, children))
		}
	}
	return s
}
