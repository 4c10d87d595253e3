// Package acp has the generated package of the Agent Client Protocol talk to what others wrote: github.com/coder/acp-go-sdk
// and the TypeScript SDK, as agents and as clients, over the standard input and output of processes. It also compares
// how fast the two Go packages decode and encode. It is a module of its own, so that other modules do not inherit these.
//
//	go test ./...
//	go test -bench . -count 6
package acp
