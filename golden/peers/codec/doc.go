// Package codec compares decoding with what people would pick instead: encoding/json, its second version
// where the toolchain has it (GOEXPERIMENT=jsonv2), bytedance/sonic and goccy/go-json, and with the tape of
// minio/simdjson-go, which is the limit of parsing. It is a module of its own, so that other modules do not inherit these.
//
//	go test -bench . -count 10
//	go test -run Rounds -v -rounds 40
//
// The second takes decoders by turns, in processor time and beside a live heap of 64 MB. Ratios of it can be compared on a
// busy machine, times cannot. What json.Valid takes changes with the toolchain, by more than twice between Go 1.26 and 1.27.
package codec
