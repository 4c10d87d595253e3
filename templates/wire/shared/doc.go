// Package shared is the log that several servers have in common. The log is the truth, and each server is a replica of it:
// what a server wants to happen it appends on condition that nothing else came in between, and it applies what it reads, in the
// order of the log. No server owns a channel, and correctness depends on no lease and no clock.
//
// [Memory] is a log for servers of one process, such as tests. Emitted on request, package bolt has one in a file for servers of one
// process, and package jetstream one for servers on several machines. Package shared/logtest tests implementations.
package shared
