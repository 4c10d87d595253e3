// Package mutation attacks the generator: it mutates schemas, profiles, configurations and locks by
// their structure, and holds what comes out against what must never be there. It consists of tests.
//
//	go test ./golden/mutation -run Mutation -mutations 500000 -seed 7 -timeout 0
//
// What a run comprises is said at [oracle].
package mutation
