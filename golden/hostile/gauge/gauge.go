// Package gauge measures a process from inside, for a test that started it. It depends on nothing but the standard library,
// so that a copy of it works in any module.
package gauge

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// Reading is what a process has used since the reading before it.
type Reading struct {
	Processor  time.Duration // time of all threads
	Allocated  uint64        // bytes
	Peak       uint64        // the most bytes of the heap in use at a time, garbage that is not collected included
	Held       uint64        // bytes of the heap after a collection
	Goroutines int
}

// Environment is the variable with the address at which the test listens.
const Environment = "HOSTILE_GAUGE"

// gauge is the state between two readings.
type gauge struct {
	processor time.Duration
	allocated uint64
	peak      atomic.Uint64
}

// Serve connects to the test and sends it a line of JSON with facts, such as addresses. It answers each line that comes with
// a reading, and ends the process when the connection ends.
func Serve(facts any) {
	c, err := net.Dial("tcp", os.Getenv(Environment)) //nolint:gosec // the address of the test that started this process
	if err == nil {
		err = json.NewEncoder(c).Encode(facts)
	}
	if err != nil {
		panic(err)
	}
	g := &gauge{}
	go g.watch()
	g.read()
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		_ = json.NewEncoder(c).Encode(g.read())
	}
	os.Exit(0)
}

// watch keeps the peak.
func (g *gauge) watch() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(3 * time.Millisecond) {
		metrics.Read(sample)
		if now := sample[0].Value.Uint64(); now > g.peak.Load() {
			g.peak.Store(now)
		}
	}
}

// read returns what was used since the last call, without the collection that it makes itself.
func (g *gauge) read() Reading {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r := Reading{Processor: processor() - g.processor, Allocated: m.TotalAlloc - g.allocated, Peak: max(g.peak.Load(), m.HeapAlloc), Goroutines: runtime.NumGoroutine()}
	runtime.GC()
	runtime.GC() // pools are emptied by the second
	runtime.ReadMemStats(&m)
	r.Held = m.HeapAlloc
	g.peak.Store(0)
	g.allocated, g.processor = m.TotalAlloc, processor()
	return r
}
