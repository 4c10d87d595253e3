//go:build ahpgen_reducers

package ahp

// sessionCustomizationToggled switches the customization with the id at the top on or off, of whatever type. What
// containers hold goes with them.
//
// It does nothing when no customization at the top has the id.
func (r *Reducer) sessionCustomizationToggled(s *SessionState, a *SessionCustomizationToggledAction) *SessionState {
	if i := customizationIndex(s.Customizations, a.ID); i >= 0 {
		return withCustomization(s, i, customizationEnabled(s.Customizations[i], a.Enabled))
	}
	return s
}
