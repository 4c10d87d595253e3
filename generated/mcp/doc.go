// The generated files of this folder come from the schemas in schemas/mcp. This one and the examples are
// written by hand.

package mcp

//go:generate go run ../../cmd/ahpgen generate
