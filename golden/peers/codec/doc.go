// Package codec compares decoding with what people would pick instead: encoding/json, its second version
// where the toolchain has it (GOEXPERIMENT=jsonv2), bytedance/sonic and goccy/go-json. It is a module of
// its own, so that nobody inherits these.
//
//	go test -bench . -count 10
package codec
