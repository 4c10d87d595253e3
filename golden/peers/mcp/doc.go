// Package mcp has generated packages of the Model Context Protocol talk to what others wrote:
// github.com/modelcontextprotocol/go-sdk, as a client and as a server, over the standard input and output of a process and over HTTP. It
// is a module of its own, so that other modules do not inherit that. The packages are made from the schemas of the corpus, of each version.
// The schemas are compared with the TypeScript that they are made from, and values of the types there come back the same.
//
//	AHPGEN_CORPUS=… go test ./...
package mcp
