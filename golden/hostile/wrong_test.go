// Peers of another protocol, and requests for a WebSocket that are not let in.

package hostile

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNonsenseBeforeTheHandshake sends what belongs to other protocols as lines. An honest handshake behind it is answered.
func TestNonsenseBeforeTheHandshake(t *testing.T) {
	inEach(t, func(t *testing.T, d *dialect) {
		if d.socket {
			return
		}
		for name, text := range map[string]string{
			"HTTP":               "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
			"header fields":      "Content-Length: 2\r\n\r\n{}\n",
			"TLS":                "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + strings.Repeat("\x00", 161) + "\n",
			"SSH":                "SSH-2.0-OpenSSH_9.6\r\n",
			"a byte order mark":  "\xef\xbb\xbf{}\n",
			"control characters": "\x00\x01\x02\x1b[2J\x7f\n",
			"open brackets":      strings.Repeat("[", 1<<19) + "\n",
			"empty lines":        strings.Repeat("\n", 1<<19),
		} {
			t.Run(name, func(t *testing.T) {
				p := d.connect(t, d.start(t, asEmitted), true)
				require.True(t, p.raw([]byte(text)))
				require.True(t, p.send(strings.Replace(d.opens, "%s", "late", 1)))
				p.await(d.opened)
				d.check(t, p)
			})
		}
	})
}

// TestRequestsThatAreNotLetIn sends HTTP that leads to no WebSocket, and what is no HTTP. Each is answered as RFC 9110 and
// RFC 6455 have it, and the connection ends.
func TestRequestsThatAreNotLetIn(t *testing.T) {
	d := &dialects[1]
	h := d.start(t, withMessages)
	good := strings.ReplaceAll(upgrade, "%s", h.facts.WebSocket)
	without := func(field string) string { return strings.Replace(good, field, "X-Other: 1", 1) }
	for _, row := range []struct{ name, sent, status string }{
		{"lines", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n\r\n\r\n", "400"},
		{"frames", "\x81\x82\x00\x00\x00\x00{}\r\n\r\n", "400"},
		{"TLS", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + strings.Repeat("\x00", 161), ""},
		{"SSH", "SSH-2.0-OpenSSH_9.6\r\n\r\n", "400"},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "403"},
		{"a page", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "426"},
		{"no version", without("Sec-WebSocket-Version: 13"), "426"},
		{"an older version", strings.Replace(good, "Version: 13", "Version: 8", 1), "426"},
		{"no key", without("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), "400"},
		{"a short key", strings.Replace(good, "dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=", 1), "400"},
		{"two keys", strings.Replace(good, "Connection:", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nConnection:", 1), "400"},
		{"POST", strings.Replace(good, "GET", "POST", 1), "405"},
		{"another host", strings.Replace(good, h.facts.WebSocket, "evil.example", 1), "403"},
		{"no host", without("Host: " + h.facts.WebSocket), "400"},
		{"a page of another origin", strings.Replace(good, "Connection:", "Origin: http://evil.example\r\nConnection:", 1), "403"},
		{"a page of no origin", strings.Replace(good, "Connection:", "Origin: null\r\nConnection:", 1), "403"},
		{"a header without an end", "GET / HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X-Long: "+strings.Repeat("x", 1000)+"\r\n", 1000), "431"},
		{"a line without an end", "GET /" + strings.Repeat("x", megabyte), "431"},
		{"half a request", "GET / HT", ""},
		{"half a header", "GET / HTTP/1.1\r\nHost: localhost\r\nUpg", ""},
		{"nothing", "", ""},
		{"half a body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx", ""},
		{"lengths that differ", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "400"},
	} {
		t.Run(row.name, func(t *testing.T) {
			honest := busy(t, h)
			c := dial(t, h.facts.WebSocket)
			_, _ = io.WriteString(c, row.sent) // the host may have enough of it before the end
			require.NoError(t, c.SetReadDeadline(time.Now().Add(patient)))
			answer, err := io.ReadAll(c)
			if row.status != "" {
				require.True(t, strings.HasPrefix(string(answer), "HTTP/1.1 "+row.status+" "), "%.200s %v", answer, err)
			}
			var timeout interface{ Timeout() bool }
			if err != nil {
				require.ErrorAs(t, err, &timeout)
				require.False(t, timeout.Timeout(), "the host does not end the connection")
			}
			honest()
		})
	}
}
