// Package bolt keeps the log of a server on disk, so that a host which is closed, killed or loses its power
// goes on where it was: with the same states, numbers and clients. A log is one file, in the format of bbolt.
//
//	log, err := bolt.Open("host.log", nil)
//	...
//	defer log.Close()
//	host, err := ahp.NewServer(&ahp.ServerOptions{Log: log}) // has the channels that the log has
//	...
//	err = host.OpenChannel("ahp-root://", &ahp.RootState{})
//	if errors.Is(err, server.ErrChannelExists) { // it was opened by an earlier process
//		err = nil
//	}
//	...
//	err = host.Close() // first, so that all is kept
//
// Records are stored in batches, one transaction with two calls of fsync each, before they are sent to any
// client. The server decides when older actions are no longer needed; their space is reused,
// but the file does not shrink.
//
// [OpenShared] opens a file of another kind: a [shared.Log], for several servers of one process. All of them serve the same
// channels. No other process can open the file: for that, there is package jetstream.
//
//	log, err := bolt.OpenShared("hosts.log", nil)
//	...
//	defer log.Close() // after the servers
//	one, err := ahp.NewServer(&ahp.ServerOptions{Shared: log})
//	two, err := ahp.NewServer(&ahp.ServerOptions{Shared: log})
//
// Each batch is on disk when Append returns, and batches that come at the same time share a transaction. Each time the file
// is opened, another epoch begins, so clients that come back get new states. A disk that is full refuses what is appended, and
// the log goes on once there is room; after any other failed write, the servers end, and the log has to be opened again.
//
// This package is there on request, since it imports more than the standard library:
//
//	go get go.etcd.io/bbolt
//
// That library is the store of etcd. It keeps all of a transaction or none of it, whenever the process or the
// machine ends, needs no server and no cgo, and imports golang.org/x/sys alone.
package bolt
