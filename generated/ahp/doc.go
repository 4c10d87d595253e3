// The generated files of this folder come from the schemas in schemas/ahp, those of finished reducers from
// the sources beside these. This one, the examples and the tests are written by hand.

package ahp

//go:generate go run ../../cmd/ahpgen generate
