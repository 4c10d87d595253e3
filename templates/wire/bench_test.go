// Benchmarks of the codec on the sample types.

package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

func BenchmarkCodec(b *testing.B) {
	run := func(name string, data []byte, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	samples := append(envelopes(), sample{"history", []byte(historyJSON())})
	for _, s := range samples {
		run(s.name+"/valid", s.data, func() { json.Valid(s.data) })
		run(s.name+"/skip", s.data, func() { d := wire.NewDecoder(s.data); d.Skip(); _ = d.Finish() })
		if s.name == "history" {
			benchBoth[history](b, s, run)
		} else {
			benchBoth[envelope](b, s, run)
		}
	}
	list := []byte("[" + strings.TrimSuffix(strings.Repeat("123456,7,-89012345678,", 5000), ",") + "]")
	run("ints/valid", list, func() { json.Valid(list) })
	run("ints/decode", list, func() { d := wire.NewDecoder(list); codec.List(&d, (*wire.Decoder).Int64) })
	list2 := []byte("[" + strings.TrimSuffix(strings.Repeat("1.25,-0.001,3.141592653589793,", 5000), ",") + "]")
	run("floats/valid", list2, func() { json.Valid(list2) })
	run("floats/decode", list2, func() { d := wire.NewDecoder(list2); codec.List(&d, (*wire.Decoder).Float64) })
}

func benchBoth[T any, P interface {
	*T
	wire.Decodable
	wire.Encodable
}](b *testing.B, s sample, run func(string, []byte, func())) {
	v, err := wire.Decode[T, P](s.data)
	if err != nil {
		b.Fatal(err)
	}
	run(s.name+"/decode", s.data, func() { _, _ = wire.Decode[T, P](s.data) })
	buf, _ := wire.Append(nil, P(v))
	run(s.name+"/encode", s.data, func() { buf, _ = wire.Append(buf[:0], P(v)) })
	if s.name != "last" && string(buf) != string(s.data) {
		b.Fatalf("encoded as %s", buf)
	}
}
