// Package jetstream is a [shared.Log] on NATS JetStream, for servers on several machines.
//
// A log is a stream with a subject for each key, and a second stream with one message for each checkpoint. The number of a record
// is the sequence of its message. The conditions of a batch are those of JetStream on the last sequence of a subject, and several
// records are stored by an atomic batch, which needs nats-server 2.12 or later.
//
// The stream keeps what it has: it refuses new messages if it is full, and has no limit on their age or on the number of
// messages of a subject. [Open] refuses a stream that is configured otherwise. Everything is read from the leader of the stream,
// or compared with what the leader has.
//
// The epoch is a record in the log. A process writes another one if the stream is new, ends before what the process has
// seen of it, or has another record at its end. If all processes are stopped while the stream is put back to a copy, none can see that:
// call [Log.NewEpoch] then, before they are started.
package jetstream
