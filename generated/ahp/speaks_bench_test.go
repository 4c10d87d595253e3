// Benchmarks of speaking older versions: what is sent to a client of an older version, and what a host of one sent. The
// time of decoding the same bytes is the yardstick.

package ahp_test

import (
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/translate"
)

// speaking returns a translator of a connection on which a version was agreed.
func speaking(version string) rpc.Translator {
	t := ahp.NewTranslator()
	t.(*translate.Connection).Use(version)
	return t
}

func BenchmarkSpeaks(b *testing.B) {
	state := encode(b, snapshot())
	answer := rpc.Message{Kind: rpc.Result, Method: "subscribe", Result: append(append([]byte(`{"snapshot":`), state...), '}')}
	note := rpc.Message{Kind: rpc.Notification, Method: "action", Params: encode(b, deltaEnvelope())}
	for _, version := range []string{ahp.ProtocolVersion(), "0.8.0", "0.7.0", "0.6.0"} {
		t := speaking(version)
		if v := translate.Find(t.(*translate.Connection).Versions, version); v != nil {
			b.Run("delta/published to "+version, func(b *testing.B) {
				b.SetBytes(int64(len(note.Params)))
				b.ReportAllocs()
				for b.Loop() {
					if out, err := v.Lowered(note.Params, nil); err != nil || len(out) != 1 {
						b.Fatal(len(out), err)
					}
				}
			})
		}
		for _, c := range []struct {
			name string
			m    rpc.Message
		}{{"snapshot", answer}, {"delta", note}} {
			b.Run(c.name+"/sent to "+version, func(b *testing.B) {
				b.SetBytes(int64(len(c.m.Result) + len(c.m.Params)))
				b.ReportAllocs()
				for b.Loop() {
					m := c.m
					if keep, err := t.Sent(&m); err != nil || !keep {
						b.Fatal(keep, err)
					}
				}
			})
		}
		older := answer
		if _, err := t.Sent(&older); err != nil {
			b.Fatal(err)
		}
		b.Run("snapshot/received from "+version, func(b *testing.B) {
			b.SetBytes(int64(len(older.Result)))
			b.ReportAllocs()
			for b.Loop() {
				m := older
				if keep, err := t.Received(&m); err != nil || !keep {
					b.Fatal(keep, err)
				}
			}
		})
	}
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"snapshot", func() error { _, err := ahp.Decode[ahp.Snapshot](state); return err }},
		{"delta", func() error { _, err := ahp.Decode[ahp.ActionEnvelope](note.Params); return err }},
	} {
		b.Run(c.name+"/decoded", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
