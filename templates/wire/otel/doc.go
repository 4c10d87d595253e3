// Package otel observes connections, sessions and servers with OpenTelemetry: metrics, and spans whose context travels in the
// metadata of messages.
//
//	observer, err := otel.New(&otel.Options{MeterProvider: meters, TracerProvider: tracers})
//	...
//	defer observer.Close()
//	host, err := ahp.NewServer(&ahp.ServerOptions{Observe: observer})
//
// By the semantic conventions for RPC, version 1.43.0, there is a span for each request that is sent or handled, named after its
// method and with the attributes rpc.system.name, rpc.method, jsonrpc.protocol.version, jsonrpc.request.id, and for an error
// rpc.response.status_code and error.type. The metrics rpc.client.call.duration and rpc.server.call.duration have the durations of
// these spans: that of a handled request begins when it was read. A notification has a span if it belongs to a trace. A method
// that is not in the protocol is _OTHER, and rpc.method_original of its span is the name.
//
// A request is sent with traceparent, tracestate and baggage of its context, if the protocol has metadata in its parameters. The
// context of a handler has those of the peer.
//
// The other metrics begin with [Options.Prefix]. They are totals or current values, read when they are collected:
//
//	connection.count       open connections
//	connection.cut         connections that this side ended, because of a limit or a silent peer
//	connection.lost        connections that ended with an error
//	client.count           clients of a server
//	channel.count          channels of a server
//	subscription.count     subscriptions
//	message.sent           messages, by rpc.method: requests, notifications, and answers to them
//	message.received       the same
//	message.malformed      messages that could not be decoded
//	io.sent, io.received   bytes of messages
//	action.published       actions that a server applied
//	action.rejected        actions that it refused
//	request.refused        requests that were refused because of a limit
//	reconnection.replayed  reconnections with a replay of missed actions
//	reconnection.snapshots reconnections with new states
//	session.ready          how often sessions became ready; all but the first are reconnections
//	session.waiting        how often sessions wait before another attempt
//	queue.messages         the longest queue of a connection since the last collection
//	queue.size             its bytes
//	queue.actions          the longest queue of a server since the last collection
//	log.commit, log.size   commits of a server's log, and their bytes
//	delivery.duration      by quantile, 0.5 or 0.99: from a published action until it was written to a connection, since the last collection
//	log.commit.duration    by quantile: how long commits took, since the last collection
//
// This package is there on request, since it imports more than the standard library: the API of OpenTelemetry, and not what
// collects and exports. The providers come from the program.
//
//	go get go.opentelemetry.io/otel go.opentelemetry.io/otel/metric go.opentelemetry.io/otel/trace
package otel
