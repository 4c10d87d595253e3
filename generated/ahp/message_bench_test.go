// Benchmark of whole messages: from the bytes of a notification to its typed action.

package ahp_test

import (
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// deltaMessage is an action notification of about 200 bytes.
func deltaMessage(tb testing.TB) []byte {
	tb.Helper()
	params, err := deltaEnvelope().AppendJSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	data, err := (&rpc.Message{Kind: rpc.Notification, Method: "action", Params: params}).AppendJSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func BenchmarkMessage(b *testing.B) {
	data := deltaMessage(b)
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
	var handlers ahp.ClientHandlers
	run("ahp", func() error {
		m, err := handlers.DecodeRPC(data)
		if err != nil {
			return err
		}
		if m.Decoded.(*ahp.ActionEnvelope).Action == nil {
			return errInvalid
		}
		return nil
	})
	run("valid", func() error { return valid(data) })
}
