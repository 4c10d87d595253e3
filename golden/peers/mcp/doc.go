// Package mcp has generated packages of the Model Context Protocol talk to what others wrote:
// github.com/modelcontextprotocol/go-sdk, as a client and as a server, over the standard input and output of a process. It
// is a module of its own, so that other modules do not inherit that. The packages are made from the schemas of the corpus, of each version in
// which a connection begins with a request of its client.
//
//	AHPGEN_CORPUS=… go test ./...
package mcp
