// Benchmark of whole messages: from the bytes of a notification to its typed action.

package ahp_test

import (
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// deltaFrame is an action notification of about 200 bytes.
func deltaFrame(tb testing.TB) []byte {
	tb.Helper()
	data, err := ahp.AppendNotification(nil, ahp.MethodAction, deltaEnvelope())
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func BenchmarkFrame(b *testing.B) {
	data := deltaFrame(b)
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("ahp", func() error {
		f, err := ahp.DecodeFrame(data)
		if err != nil {
			return err
		}
		if f.Decoded.(*ahp.ActionEnvelope).Action == nil {
			return errInvalid
		}
		return nil
	})
	run("valid", func() error { return valid(data) })
}
