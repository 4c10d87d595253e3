// Benchmarks of the codec. The time of json.Valid on the same bytes is the yardstick: it scans
// without making anything.

package ahp_test

import (
	"encoding/json"
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

func BenchmarkDecode(b *testing.B) {
	envelope := func(data []byte) error { _, err := ahp.Decode[ahp.ActionEnvelope](data); return err }
	envelopeStd := func(data []byte) error { var v ahp.ActionEnvelope; return json.Unmarshal(data, &v) }
	for _, p := range []struct {
		name        string
		data        []byte
		direct, std func([]byte) error
	}{
		{"delta", encode(b, deltaEnvelope()), envelope, envelopeStd},
		{"toolresult", encode(b, toolResultEnvelope()), envelope, envelopeStd},
		{
			"snapshot", encode(b, snapshot()),
			func(data []byte) error { _, err := ahp.Decode[ahp.Snapshot](data); return err },
			func(data []byte) error { var v ahp.Snapshot; return json.Unmarshal(data, &v) },
		},
		{
			"tools", encode(b, serverTools()),
			func(data []byte) error { _, err := ahp.Decode[ahp.SessionServerToolsChangedAction](data); return err },
			func(data []byte) error { var v ahp.SessionServerToolsChangedAction; return json.Unmarshal(data, &v) },
		},
		{
			"config", encode(b, rootConfig()),
			func(data []byte) error { _, err := ahp.Decode[ahp.RootConfigChangedAction](data); return err },
			func(data []byte) error { var v ahp.RootConfigChangedAction; return json.Unmarshal(data, &v) },
		},
	} {
		measure := func(name string, f func([]byte) error) {
			b.Run(p.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(p.data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := f(p.data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		measure("ahp", p.direct)
		measure("ahp-std", p.std)
		measure("valid", valid)
	}
}

func valid(data []byte) error {
	if !json.Valid(data) {
		return errInvalid
	}
	return nil
}

func BenchmarkEncode(b *testing.B) {
	for _, p := range []struct {
		name  string
		value wire.Appender
	}{
		{"delta", deltaEnvelope()},
		{"toolresult", toolResultEnvelope()},
		{"snapshot", snapshot()},
	} {
		data := encode(b, p.value)
		measure := func(name string, f func() error) {
			b.Run(p.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		buffer := make([]byte, 0, 2*len(data))
		measure("ahp", func() error { _, err := p.value.AppendJSON(buffer); return err })
		measure("ahp-std", func() error { _, err := json.Marshal(p.value); return err })
		measure("valid", func() error { return valid(data) })
	}
}
