// Package translations has the functions that convert objects of MCP between versions where the types do not say how. The
// entries of translations in the profile name them. Packages that speak an older version get a copy of the files that they
// need, so each file stands for itself and for those whose names it uses.
package translations
