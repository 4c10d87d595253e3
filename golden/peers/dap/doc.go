// Package dap has a generated package of the Debug Adapter Protocol talk to what others wrote: Delve, whose adapter runs a
// program under our client, and the messages of go-dap, which a client of our adapter sends. It is a module of its own, so that other
// modules do not inherit these. The package is made from the schema of the corpus and the embedded profile.
//
//	AHPGEN_CORPUS=… go test ./...
package dap
