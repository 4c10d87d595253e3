// Package lines lets clients and hosts on two JSON-RPC libraries that others wrote, github.com/creachadair/jrpc2 and
// golang.org/x/exp/jsonrpc2, talk with what is generated over lines of JSON, as on standard input and output.
package lines
