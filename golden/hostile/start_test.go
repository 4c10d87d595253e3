// Starting hosts, and what they take.

package hostile

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/hostile/gauge"
)

// patient is how long a test waits for what has to come; only a failure takes that long.
const patient = time.Minute

// host is a process that serves peers.
type host struct {
	t       *testing.T
	facts   facts
	control net.Conn
	lines   *bufio.Reader
	in      io.WriteCloser // its standard input and output
	out     io.ReadCloser
}

// start starts a program as a host. It ends with the test.
func start(t *testing.T, program, name, patience string) *host {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this test starts hosts and sends them megabytes")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), gauge.Environment+"="+l.Addr().String(), asHost+"="+name, isImpatient+"="+patience, "GOGC=100")
	cmd.Stderr = os.Stderr
	h := &host{t: t}
	h.in, err = cmd.StdinPipe()
	require.NoError(t, err)
	h.out, err = cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	require.NoError(t, l.(*net.TCPListener).SetDeadline(time.Now().Add(patient)))
	h.control, err = l.Accept()
	require.NoError(t, err, "the host did not start")
	h.lines = bufio.NewReader(h.control)
	h.next(&h.facts)
	t.Cleanup(func() { h.stop(); _ = cmd.Wait() })
	return h
}

// stop ends the process.
func (h *host) stop() {
	_ = h.control.Close()
	_ = h.in.Close()
}

func (h *host) next(v any) {
	h.t.Helper()
	require.NoError(h.t, h.control.SetReadDeadline(time.Now().Add(patient)))
	line, err := h.lines.ReadBytes('\n')
	require.NoError(h.t, err, "the host is gone")
	require.NoError(h.t, json.Unmarshal(line, v))
}

// used is what the host has used since the last call.
func (h *host) used() (r gauge.Reading) {
	h.t.Helper()
	_, err := h.control.Write([]byte("\n"))
	require.NoError(h.t, err)
	h.next(&r)
	return r
}

// settled is used once the goroutines are no more than a number, which says that the host is done.
func (h *host) settled(goroutines int) gauge.Reading {
	h.t.Helper()
	total := h.used()
	for end := time.Now().Add(patient); total.Goroutines > goroutines; {
		require.True(h.t, time.Now().Before(end), "%d goroutines are left, and there were %d", total.Goroutines, goroutines)
		time.Sleep(20 * time.Millisecond)
		r := h.used()
		r.Processor, r.Allocated, r.Peak = r.Processor+total.Processor, r.Allocated+total.Allocated, max(r.Peak, total.Peak)
		total = r
	}
	return total
}

// limits are what an attack may take, as multiples of what an honest peer takes with as many bytes.
type limits struct{ time, allocated, peak float64 }

// What every run may take besides, so that a ratio is never one of two small numbers.
const (
	someTime   = 100 * time.Millisecond
	someMemory = 8 << 20
)

// hold compares an attack with an honest run whose reading is known. What exceeds the processor time is measured again, both,
// up to three times in all: other programs slow either down at times, but an attack that costs too much does so each time.
func (l limits) hold(t *testing.T, known gauge.Reading, honest, attack func() gauge.Reading) {
	t.Helper()
	cost := attack()
	for range 2 {
		if float64(cost.Processor) <= l.time*float64(known.Processor)+float64(someTime) {
			break
		}
		t.Logf("measured again: time %v : %v", cost.Processor, known.Processor)
		known, cost = honest(), attack()
	}
	l.require(t, known, cost)
}

// require compares an attack with an honest run.
func (l limits) require(t *testing.T, honest, attack gauge.Reading) {
	t.Helper()
	t.Logf("time %v : %v, allocated %.1f : %.1f MB, peak %.1f : %.1f MB", attack.Processor, honest.Processor,
		mb(attack.Allocated), mb(honest.Allocated), mb(attack.Peak), mb(honest.Peak))
	require.LessOrEqual(t, float64(attack.Processor), l.time*float64(honest.Processor)+float64(someTime), "processor time")
	require.LessOrEqual(t, float64(attack.Allocated), l.allocated*float64(honest.Allocated)+someMemory, "bytes allocated")
	require.LessOrEqual(t, float64(attack.Peak), l.peak*float64(honest.Peak)+someMemory, "bytes in use")
}

func mb(n uint64) float64 { return float64(n) / (1 << 20) }
