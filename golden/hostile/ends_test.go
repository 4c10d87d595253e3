// Peers that have to be cut off: silent ones, those with half a message, those without an end, those that do not read.

package hostile

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/flags"
)

// ending is a way to hold a connection to an impatient host. The host ends it.
type ending struct {
	name    string
	socket  bool // over WebSocket alone; otherwise over lines alone
	greeted bool // after the handshake
	hold    func(*peer)
	says    string // what a close frame says, for WebSocket
}

const (
	megabyte = 1 << 20
	tooMuch  = 33 * megabyte // a message may have 32 MiB
)

// drip sends one byte after the other, until the host has enough of it or this test has.
func drip(b byte) func(*peer) {
	return func(p *peer) {
		for end := time.Now().Add(patient); time.Now().Before(end) && p.raw([]byte{b}); {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// endless sends up to as many bytes as a host must not take, in pieces.
func endless(p *peer) {
	for range tooMuch / megabyte {
		if !p.raw(bytes.Repeat([]byte("x"), megabyte)) {
			return
		}
	}
}

// sends is one write.
func sends(b string) func(*peer) { return func(p *peer) { p.raw([]byte(b)) } }

func silent(*peer) {}

var endings = []ending{
	{name: "nothing at all", hold: silent},
	{name: "half a handshake", hold: sends(`{"jsonrpc":"2.0","id":0,"meth`)},
	{name: "half a message", greeted: true, hold: sends(`{"jsonrpc":`)},
	{name: "a byte now and then", greeted: true, hold: drip('x')},
	{name: "empty lines before the handshake", hold: drip('\n')},
	{name: "a line without an end", greeted: true, hold: endless},
	{name: "a handshake without an end", hold: func(p *peer) { p.raw(bytes.Repeat([]byte("x"), 2*megabyte)) }},
	{name: "HTTP", hold: sends("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")},
	{name: "HTTP/2", hold: sends("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")},
	{name: "TLS", hold: sends("\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + strings.Repeat("\x00", 161))},
	{name: "SSH", hold: sends("SSH-2.0-OpenSSH_9.6\r\n")},
	{name: "WebSocket", hold: sends(fmt.Sprintf(upgrade, "localhost"))},
	{name: "header fields", hold: sends("Content-Length: 2\r\n\r\n{}")},
	{name: "questions, answers unread", greeted: true, hold: deaf},

	{name: "nothing at all", socket: true, hold: silent, says: "1008 not initialized in time"},
	{name: "the first byte of a header", socket: true, greeted: true, hold: sends("\x81")},
	{name: "half a length", socket: true, greeted: true, hold: sends("\x81\xfe\x01")},
	{name: "half a long length", socket: true, greeted: true, hold: sends("\x81\xff\x00\x00\x00")},
	{name: "half a mask", socket: true, greeted: true, hold: sends("\x81\x85\x01\x02")},
	{name: "half a payload", socket: true, greeted: true, hold: sends("\x81\x85\x00\x00\x00\x00{")},
	{name: "half a ping", socket: true, greeted: true, hold: sends("\x89\x85\x00\x00\x00\x00{")},
	{name: "the first of two frames", socket: true, greeted: true, hold: sends("\x01\x81\x00\x00\x00\x00{")},
	{name: "the first of two frames, then pings", socket: true, greeted: true, hold: pings},
	{name: "empty frames without an end", socket: true, greeted: true, hold: empties},
	{name: "a byte now and then", socket: true, greeted: true, hold: func(p *peer) { p.raw([]byte("\x81\xfe\x40\x00\x00\x00\x00\x00")); drip('x')(p) }},
	{name: "a mask that is missing", socket: true, greeted: true, hold: sends("\x81\x02{}")},
	{name: "a reserved bit", socket: true, greeted: true, hold: sends("\xc1\x82\x00\x00\x00\x00{}"), says: "1002"},
	{name: "an operation that is none", socket: true, greeted: true, hold: sends("\x83\x80\x00\x00\x00\x00"), says: "1002"},
	{name: "a ping in two frames", socket: true, greeted: true, hold: sends("\x09\x80\x00\x00\x00\x00"), says: "1002"},
	{name: "a ping of 126 bytes", socket: true, greeted: true, hold: sends("\x89\xfe\x00\x7e\x00\x00\x00\x00" + strings.Repeat("x", 126)), says: "1002"},
	{name: "the rest of nothing", socket: true, greeted: true, hold: sends("\x80\x82\x00\x00\x00\x00{}"), says: "1002"},
	{name: "a message within another", socket: true, greeted: true, hold: sends("\x01\x81\x00\x00\x00\x00{" + "\x81\x82\x00\x00\x00\x00{}"), says: "1002"},
	{name: "bytes", socket: true, greeted: true, hold: sends("\x82\x82\x00\x00\x00\x00{}"), says: "1003"},
	{name: "text that is not UTF-8", socket: true, greeted: true, hold: sends("\x81\x84\x00\x00\x00\x00\"\xc0\xaf\""), says: "1007"},
	{name: "a length beyond all", socket: true, greeted: true, hold: sends("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00")},
	{name: "a length of 2^62", socket: true, greeted: true, hold: sends("\x81\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00x")},
	{name: "a message beyond the limit", socket: true, greeted: true, hold: func(p *peer) {
		p.raw([]byte("\x81\xff\x00\x00\x00\x00\x02\x10\x00\x00\x00\x00\x00\x00"))
		endless(p)
	}, says: "100"}, // 1009, or 1008 where the machine is too slow to get that far
	{name: "a goodbye of one byte", socket: true, greeted: true, hold: sends("\x88\x81\x00\x00\x00\x00x")},
	{name: "a goodbye that has no such code", socket: true, greeted: true, hold: sends("\x88\x82\x00\x00\x00\x00\x00\x01")},
	{name: "a goodbye, then nothing", socket: true, greeted: true, hold: sends("\x88\x80\x00\x00\x00\x00")},
	{name: "questions, answers unread", socket: true, greeted: true, hold: deaf},
}

// pings sends pings in the middle of a message.
func pings(p *peer) {
	p.raw([]byte("\x01\x81\x00\x00\x00\x00{"))
	for end := time.Now().Add(patient); time.Now().Before(end) && p.raw(frame(true, opPing, "")); {
		time.Sleep(20 * time.Millisecond)
	}
}

// empties sends frames without a byte.
func empties(p *peer) {
	p.raw(frame(false, opText, ""))
	for end := time.Now().Add(patient); time.Now().Before(end) && p.raw(bytes.Repeat(frame(false, opContinuation, ""), 100)); {
		time.Sleep(time.Millisecond)
	}
}

// deaf asks for a state again and again and reads no answer, until the host ends the connection.
func deaf(p *peer) {
	question := bytes.Repeat(p.bytesOf(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"channel":"ahp-session:/open"}}`), 1000)
	for end := time.Now().Add(patient); time.Now().Before(end) && p.raw(question); {
	}
}

// TestPeersThatHoldAConnection lets each come beside an honest one, which gets its answers all the time. The host ends the
// connection, and nothing is left of it. Unless all are asked for, it is a third of them.
func TestPeersThatHoldAConnection(t *testing.T) {
	some := endings
	if !flags.All(t) {
		some = nil
		for i := 0; i < len(endings); i += 3 {
			some = append(some, endings[i])
		}
	}
	requireEnded(t, dialects[0].start(t, withMessages), some)
}

// TestPeersThatAreSilent is the same where a host asks for signs of life.
func TestPeersThatAreSilent(t *testing.T) {
	requireEnded(t, dialects[0].start(t, withSilence), []ending{
		{name: "nothing after the handshake", socket: true, greeted: true, hold: silent, says: "1008 silent"},
		{name: "a goodbye, then nothing", socket: true, greeted: true, hold: sends("\x88\x80\x00\x00\x00\x00")},
	})
}

func requireEnded(t *testing.T, h *host, endings []ending) {
	for _, e := range endings {
		d := &dialects[0]
		if e.socket {
			d = &dialects[1]
		}
		t.Run(strings.TrimPrefix(d.name, "AHP over ")+", "+e.name, func(t *testing.T) {
			before := h.settled(20)
			honest := busy(t, h)
			p := d.connect(t, h, false)
			if e.greeted {
				require.True(t, p.send(fmt.Sprintf(d.opens, "bad")))
				p.first(d.opened)
			}
			if !strings.Contains(e.name, "unread") {
				p.listens()
			}
			e.hold(p)
			if strings.Contains(e.name, "unread") {
				requireCut(t, p)
			} else {
				require.True(t, strings.HasPrefix(p.awaitEnd(), e.says), "%q", p.why)
			}
			honest()
			after := h.settled(before.Goroutines)
			require.LessOrEqual(t, after.Held, before.Held+someMemory, "bytes that are held afterwards")
			require.LessOrEqual(t, after.Peak, before.Peak+4*tooMuch, "bytes in use")
		})
	}
}

// requireCut wants the next write to fail, which the kernel notices when the other end has gone.
func requireCut(t *testing.T, p *peer) {
	t.Helper()
	_ = p.stream.(net.Conn).SetWriteDeadline(time.Now().Add(patient))
	_, err := p.stream.Write(p.bytesOf("{}"))
	require.Error(t, err)
	require.NotErrorIs(t, err, net.ErrClosed)
	_ = p.stream.Close()
}

// busy has an honest peer ask again and again. The function that it returns ends that, and fails unless it was answered
// every time, at least once after the call.
func busy(t *testing.T, h *host) func() {
	d := &dialects[0]
	p := d.open(t, h, "honest")
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for last := false; ; {
			if !p.send(fmt.Sprintf(d.ask, `"honest"`)) || !p.sees(`"id":"honest","result"`) {
				done <- fmt.Errorf("the honest peer was not answered")
				return
			}
			if last {
				done <- nil
				return
			}
			select {
			case <-stop:
				last = true
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() {
		t.Helper()
		close(stop)
		require.NoError(t, <-done)
		require.NoError(t, p.stream.Close())
	}
}
