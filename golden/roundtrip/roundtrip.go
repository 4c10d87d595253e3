// Package roundtrip tests that what a schema allows is decoded, and encoded as it was: on random schemas in the forms that
// published ones have, and random values that another validator accepts.
package roundtrip
