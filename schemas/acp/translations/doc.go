// Package translations has the functions that convert objects of ACP between versions where the types do not say how. The
// entries of translations in the profile name them.
package translations
