// Package a2a has a generated package of the Agent2Agent protocol talk to github.com/a2aproject/a2a-go over HTTP, as a client and as an agent,
// streams included. It is a module of its own, so that other modules do not inherit that. The package is made from the schema of the
// corpus and the embedded profile.
//
//	AHPGEN_CORPUS=… go test ./...
package a2a
