// What reading takes.

package ws_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

// Messages that come in rows of so many, each row in one write.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{150, 20_000} {
		for _, row := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%dB/%d", size, row), func(b *testing.B) {
				sockets, over := make(chan rpc.Transport, 1), make(chan struct{})
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					socket, err := ws.Accept(w, r, nil)
					if err != nil {
						b.Error(err)
					}
					sockets <- socket
					<-over
				}))
				defer server.Close()
				defer close(over)
				s, _ := knock(b, at(server))
				require.NoError(b, s.SetDeadline(time.Time{}))
				socket := <-sockets
				frames := bytes.Repeat(frame(final|text, strings.Repeat("x", size)), row)
				wrote := make(chan struct{}, 1)
				go func() {
					for i := 0; i < b.N; i += row {
						_, _ = s.Write(frames)
						wrote <- struct{}{}
					}
				}()
				b.SetBytes(int64(size))
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					if i%row == 0 {
						<-wrote
					}
					if _, err := socket.Read(1 << 20); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
