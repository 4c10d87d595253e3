// Package nats tests package jetstream with NATS servers: one, and a cluster of three, in this process. It is a
// module of its own, so that other modules do not inherit the server.
package nats
