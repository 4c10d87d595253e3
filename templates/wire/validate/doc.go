// Package validate checks values against the constraints of their schemas. The methods Validate of generated types are made
// of it.
package validate
