// The generated files of this folder come from the schemas in schemas/ahp; this one, the reducers
// whose rules cannot be stated as data, the examples and the tests are written by hand.

package ahp

//go:generate go run ../../cmd/ahpgen generate
