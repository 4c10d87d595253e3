// Measures: throughput, latency, processor time and memory. They are not compared with anything.

package nats

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	log "github.com/ahpgen/ahpgen/generated/wire/jetstream"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

var (
	measure  = flag.Duration("measure", 0, "how long each measure takes")
	measured = flag.Int("measured-channels", 100_000, "channels that a log has")
)

// cpu returns the processor time that processes have used, and their memory in MB.
func cpu(t *testing.T, list []*process) (used time.Duration, memory int) {
	for _, p := range list {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
		require.NoError(t, err)
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
		var user, system, pages int64
		_, err = fmt.Sscan(fields[11]+" "+fields[12]+" "+fields[21], &user, &system, &pages)
		require.NoError(t, err)
		used += time.Duration(user+system) * 10 * time.Millisecond
		memory += int(pages * 4096 / 1e6)
	}
	return used, memory
}

// TestMeasureHosts lets clients of one, two and three hosts act, each as soon as it has its last action back.
func TestMeasureHosts(t *testing.T) {
	if *measure == 0 {
		t.Skip("-measure says for how long")
	}
	f := launch(t)
	addresses := f.addresses
	for n := 1; n <= 3; n++ {
		f.addresses = addresses[:n]
		var visitors []*visitor
		for i := range *clientCount {
			visitors = append(visitors, visit(t, f, fmt.Sprintf("client %d of %d", i, n), fmt.Sprintf("ahp-session:/%d/annotations", i%*channelCount)))
		}
		count := func() (envelopes int) {
			for _, v := range visitors {
				v.mu.Lock()
				envelopes += len(v.seen[v.channels[0]])
				v.mu.Unlock()
			}
			return envelopes
		}
		hostsBefore, _ := cpu(t, f.hosts)
		nodesBefore, _ := cpu(t, f.nodes)
		before, began := count(), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), *measure)
		var latencies []time.Duration
		var mu sync.Mutex
		var acting sync.WaitGroup
		for _, v := range visitors {
			acting.Go(func() {
				views, stop := v.Store.Watch(v.channels[0])
				defer stop()
				for k := 0; ctx.Err() == nil; k++ {
					at := time.Now()
					err := v.Dispatch(ctx, v.channels[0], &ahp.AnnotationsSetAction{Annotation: ahp.Annotation{
						ID: v.ID(), Origin: ahp.AnnotationOrigin{Session: "ahp-session:/0"}, Resource: "file:///a.go",
						Entries: []ahp.AnnotationEntry{{ID: v.ID(), Text: ahp.StringOrMarkdownString(fmt.Sprint(k))}},
					}})
					for err == nil && v.pending() > 0 {
						select {
						case <-views:
						case <-ctx.Done():
							err = ctx.Err()
						}
					}
					if err == nil {
						mu.Lock()
						latencies = append(latencies, time.Since(at))
						mu.Unlock()
					}
				}
			})
		}
		acting.Wait()
		cancel()
		took, envelopes := time.Since(began).Seconds(), count()-before
		hosts, memory := cpu(t, f.hosts)
		nodes, _ := cpu(t, f.nodes)
		slices.Sort(latencies)
		per := func(d time.Duration) time.Duration {
			return (d / time.Duration(max(envelopes, 1))).Round(time.Microsecond)
		}
		t.Logf("%d hosts, %d clients: %.0f actions/s, %.0f envelopes/s, latency %v, 99 %% %v; processor time for an envelope: hosts %v, servers %v; hosts have %d MB",
			n, len(visitors), float64(len(latencies))/took, float64(envelopes)/took, latencies[len(latencies)/2].Round(10*time.Microsecond),
			latencies[len(latencies)*99/100].Round(10*time.Microsecond), per(hosts-hostsBefore), per(nodes-nodesBefore), memory)
		for _, v := range visitors {
			require.NoError(t, v.Close())
		}
	}
	nc, err := nats.Connect(f.urls)
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	s, err := js.Stream(t.Context(), "ahp")
	require.NoError(t, err)
	records, _ := f.records(t)
	data := 0
	for _, r := range records {
		data += len(r.Data)
	}
	info := s.CachedInfo().State
	t.Logf("%d messages of %d bytes, %d records with %d bytes of data", info.Msgs, info.Bytes, len(records), data)
}

// TestMeasureMemory starts a host on a log with many channels, and uses some of them.
func TestMeasureMemory(t *testing.T) {
	if *measure == 0 {
		t.Skip("-measure says for how long, of the others")
	}
	f := launch(t)
	nc, err := nats.Connect(f.urls, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1))
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	var l *log.Log
	eventually(t, func(ctx context.Context) (err error) {
		l, err = log.Open(ctx, js, &log.Options{Name: "ahp", Replicas: 3})
		return err
	})
	defer func() { _ = l.Close() }()
	time.Sleep(5 * time.Second)
	for _, p := range f.hosts {
		p.kill()
	}
	state := `{"resource":%q,"state":{"annotations":[{"id":"1","origin":{"session":"ahp-session:/0"},"resource":"file:///a.go","resolved":false,"entries":[{"id":"1","text":%q}]}]},"fromSeq":0}`
	const size = 500
	for i := 0; i < *measured; i += size {
		var batch []shared.Record
		for j := i; j < i+size; j++ {
			name := fmt.Sprintf("ahp-session:/%d/annotations", j)
			batch = append(batch, shared.Record{
				Key: "c/" + name, Kind: byte(server.ChannelState), Writer: "1.0.0 filler", Serial: int64(j), Time: time.Now(),
				Data: fmt.Appendf(nil, state, name, strings.Repeat("text ", 400)),
			})
		}
		_, err := l.Append(t.Context(), shared.Batch{Records: batch})
		require.NoError(t, err)
	}
	began := time.Now()
	f.hosts[0].begin()
	f.addresses = f.addresses[:1]
	v := visit(t, f, "first", "ahp-session:/0/annotations")
	t.Logf("a client of a host with %d channels has its state %v after the host began", *measured, time.Since(began).Round(time.Millisecond))
	_, before := cpu(t, f.hosts[:1])
	for i := 1; i <= 100; i++ {
		eventually(t, func(ctx context.Context) error {
			return v.Subscribe(ctx, fmt.Sprintf("ahp-session:/%d/annotations", i))
		})
	}
	_, after := cpu(t, f.hosts[:1])
	view, ok := v.Store.View("ahp-session:/100/annotations")
	require.True(t, ok)
	require.Len(t, view.Confirmed.(*ahp.AnnotationsState).Annotations, 1)
	_, nodes := cpu(t, f.nodes)
	t.Logf("%d channels, resident: a host %d MB, %d MB with 100 channels in use; three servers %d MB", *measured, before, after, nodes)
}
