// What reading lines takes.

package rpc_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// again is an input that says the same for ever, one text for each read.
type again string

func (a again) Read(p []byte) (int, error) { return copy(p, a), nil }
func (a again) Close() error               { return nil }

// Small messages: many that come at once, and one after the other.
func BenchmarkReadLine(b *testing.B) {
	line := `{"x":"` + strings.Repeat("x", 140) + `"}` + "\n"
	for name, in := range map[string]again{"row": again(strings.Repeat(line, 20)), "one": again(line)} {
		b.Run(name, func(b *testing.B) {
			lines := rpc.Pipes(in, struct {
				io.Writer
				io.Closer
			}{io.Discard, in})
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				_, err := lines.Read(1 << 20)
				if err != nil {
					require.NoError(b, err)
				}
			}
		})
	}
}
