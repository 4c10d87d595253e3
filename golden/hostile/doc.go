// Package hostile has emitted hosts of AHP, ACP and MCP meet peers that mean them harm, over real sockets and pipes. What
// these peers send was written down from the specifications of JSON-RPC, RFC 6455 and the protocols, byte by byte: no
// encoder of this project has a part in it.
//
// Each attack is a row of a table, with the limits that hold for it. The hosts are processes of their own, which measure
// themselves. An attack may take a multiple of what an honest peer takes that sends as many bytes to another process
// of the same host: of processor time, of memory that is allocated, and of memory that is in use. No limit is a time on
// a clock.
package hostile
