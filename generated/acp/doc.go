// The generated files of this folder come from the schemas in schemas/acp. This one, the examples and the tests are
// written by hand.

package acp

//go:generate go run ../../cmd/ahpgen generate
