// A host that is killed over and over, and clients that go on: what was acknowledged is never lost, and in the
// end all have the same states.

package ahp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/bolt"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

var kills = flag.Int("kills", 10, "how often the host of TestKilledServersLoseNothing is killed")

// hostsIn makes this test binary a host, with its log and its socket in the folder that it names.
const hostsIn = "AHP_TEST_HOSTS_IN"

func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // little in the heaps of these tests lives long
	}
	if dir := os.Getenv(hostsIn); dir != "" {
		if err := hostUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, "host:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	annotationsChannel = "ahp-session:/s/annotations"
	terminalChannel    = "ahp-terminal:/t"
)

// beginnings are the states that the host starts with.
func beginnings() map[string]ahp.SnapshotState {
	return map[string]ahp.SnapshotState{
		sessionChannel:     emptySession(),
		annotationsChannel: &ahp.AnnotationsState{Annotations: []ahp.Annotation{}},
		terminalChannel:    &ahp.TerminalState{Content: []ahp.TerminalContentPart{}, Claim: &ahp.TerminalClientClaim{ClientID: "c"}, Lifecycle: &ahp.TerminalRunningLifecycleState{}},
	}
}

// scarce are limits of a host whose log is trimmed all the time.
var scarce = server.Limits{Window: 2000, WindowBytes: 1 << 20}

// hostUntilKilled hosts until the process ends, or in good order until its input ends.
func hostUntilKilled(dir string) error {
	log, err := bolt.Open(filepath.Join(dir, "log"), &bolt.Options{Wait: 10 * time.Second})
	if err != nil {
		return err
	}
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, Limits: scarce, OnError: func(err error) { fmt.Fprintln(os.Stderr, "host:", err) }})
	if err != nil {
		return err
	}
	for name, first := range beginnings() {
		if err := s.OpenChannel(name, first); err != nil && !errors.Is(err, server.ErrChannelExists) {
			return err
		}
	}
	socket := filepath.Join(dir, "socket")
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = s.Serve(context.Background(), rpc.Stream(c)) }()
		}
	}()
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { stopped <- print(s, stop) }()
	fmt.Println("hosting")
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan() // be quiet
	close(stop)
	if err := <-stopped; err != nil {
		return err
	}
	fmt.Println("quiet")
	lines.Scan() // be gone
	return errors.Join(s.Close(), log.Close())
}

// print makes the host dispatch as well: output of a terminal, which counts on from what is there.
func print(s *ahp.Server, stop chan struct{}) error {
	fresh := true // nothing was printed yet
	if now, ok := s.State(terminalChannel); ok {
		fresh = len(now.(*ahp.TerminalState).Content) == 0
	}
	for n := s.Sequence(); ; n++ {
		select {
		case <-stop:
			return nil
		case <-time.After(2 * time.Millisecond):
		}
		if fresh && s.Subscribers(terminalChannel) == 0 {
			continue // somebody has to see the first one
		}
		fresh = false
		var action ahp.StateAction = &ahp.TerminalDataAction{Data: fmt.Sprintln(n)}
		if n%100 == 0 {
			action = &ahp.TerminalClearedAction{}
		}
		if err := s.Publish(terminalChannel, action); err != nil {
			return err
		}
	}
}

// witness notes the envelopes that reach any client. One number has one envelope, for all times and clients.
type witness struct {
	mu        sync.Mutex
	envelopes map[int64]string
	conflicts []string
	highest   int64
	replays   int
	snapshots int
}

func (w *witness) note(raw json.RawMessage) {
	e, err := ahp.Decode[ahp.ActionEnvelope](raw)
	if err != nil {
		w.conflicts = append(w.conflicts, err.Error())
		return
	}
	if had, ok := w.envelopes[e.ServerSeq]; ok && had != string(raw) {
		w.conflicts = append(w.conflicts, fmt.Sprintf("%d was %.200s and is %.200s", e.ServerSeq, had, raw))
	}
	w.envelopes[e.ServerSeq] = string(raw)
	w.highest = max(w.highest, e.ServerSeq)
}

// connection notes what one connection brings.
func (w *witness) connection(t rpc.Transport) rpc.Transport {
	last := int64(0)
	return noted{t, func(data []byte) {
		var m struct {
			Params json.RawMessage
			Result struct {
				Type    string
				Actions []json.RawMessage
			}
			Method string
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if err := json.Unmarshal(data, &m); err != nil {
			w.conflicts = append(w.conflicts, err.Error())
		}
		list := m.Result.Actions
		switch {
		case m.Method == "action":
			list = []json.RawMessage{m.Params}
		case m.Result.Type == "replay":
			w.replays++
		case m.Result.Type == "snapshot":
			w.snapshots++
		}
		for _, raw := range list {
			var e struct{ ServerSeq int64 }
			_ = json.Unmarshal(raw, &e)
			if e.ServerSeq <= last {
				w.conflicts = append(w.conflicts, fmt.Sprintf("%d after %d", e.ServerSeq, last))
			}
			last = e.ServerSeq
			w.note(raw)
		}
	}}
}

// tireless is a client that dispatches all the time.
type tireless struct {
	name string
	conn *ahp.Conn

	mu       sync.Mutex
	number   int
	acked    map[int64]string // action by the number of its envelope
	latest   map[string]int   // number of the latest that was acknowledged for each annotation
	lost     int
	rejected int
}

// places is how many annotations a client has. It writes to one after the other.
const places = 20

func (c *tireless) received(e *ahp.ActionEnvelope, outcome state.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch outcome {
	case state.Confirmed:
		text, _ := e.Action.AppendJSON(nil)
		c.acked[e.ServerSeq] = string(text)
		if a, ok := e.Action.(*ahp.AnnotationsSetAction); ok {
			c.latest[a.Annotation.ID] = turnOf(a.Annotation)
		}
	case state.Rejected:
		c.rejected++
	}
}

// turnOf is the number of the action that an annotation comes from.
func turnOf(a ahp.Annotation) (n int) {
	_, _ = fmt.Sscan(*a.Origin.TurnID, &n)
	return n
}

// toil dispatches until ctx ends, with a few actions on the way at a time.
func (c *tireless) toil(ctx context.Context) {
	for ctx.Err() == nil {
		session, _ := c.conn.Store.Session(sessionChannel)
		annotations, _ := c.conn.Store.Annotations(annotationsChannel)
		if session.Pending+annotations.Pending > 8 {
			time.Sleep(200 * time.Microsecond)
			continue
		}
		c.number++
		action, channel := ahp.ClientAction(titled(fmt.Sprint(c.name, " ", c.number))), sessionChannel
		if c.number%3 > 0 {
			channel = annotationsChannel
			action = &ahp.AnnotationsSetAction{Annotation: ahp.Annotation{
				ID: fmt.Sprint(c.name, c.number%places), Origin: ahp.AnnotationOrigin{Session: sessionChannel, TurnID: ptr(fmt.Sprint(c.number))}, Resource: "file:///x",
				Entries: []ahp.AnnotationEntry{{ID: "1", Text: ahp.StringOrMarkdownString(strings.Repeat("x", 1000))}},
			}}
		}
		// An action that is given up while it is sent would stay pending for as long as the connection holds.
		_ = c.conn.Dispatch(context.WithoutCancel(ctx), channel, action)
	}
}

// waits reports whether an answer is due to an action of the client.
func (c *tireless) waits() bool {
	for name := range beginnings() {
		if view, _ := c.conn.Store.View(name); view.Pending > 0 {
			return true
		}
	}
	return false
}

func TestKilledServersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	begin := time.Now()
	w := &witness{envelopes: map[int64]string{}}
	dial := func(ctx context.Context) (rpc.Transport, error) {
		c, err := new(net.Dialer).DialContext(ctx, "unix", filepath.Join(dir, "socket"))
		if err != nil {
			return nil, err
		}
		return w.connection(rpc.Stream(c)), nil
	}
	h := startHost(t, dir)
	h.hears("hosting")
	var clients []*tireless
	toiling, rest := context.WithCancel(context.WithoutCancel(t.Context()))
	defer rest()
	var group sync.WaitGroup
	for i := range 3 {
		c := &tireless{name: string(rune('a' + i)), acked: map[int64]string{}, latest: map[string]int{}}
		var err error
		c.conn, err = ahp.Connect(within(t), dial, &ahp.ConnOptions{
			Keep: quick, Received: c.received, ClientID: c.name,
			Reconnected: func(r *ahp.Reconnection) {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.lost += len(r.Lost)
			},
		})
		require.NoError(t, err)
		for name := range beginnings() {
			require.NoError(t, c.conn.Subscribe(within(t), name))
		}
		clients = append(clients, c)
		group.Go(func() { c.toil(toiling) })
	}
	acknowledged := func() (n int) {
		for _, c := range clients {
			c.mu.Lock()
			n += len(c.acked)
			c.mu.Unlock()
		}
		return n
	}
	chance := rand.New(rand.NewPCG(uint64(begin.UnixNano()), 0))
	for round := range *kills {
		if before := acknowledged(); chance.IntN(4) > 0 { // the others are killed as they begin
			require.Eventually(t, func() bool { return acknowledged() > before }, time.Minute, time.Millisecond, "round %d", round)
		}
		time.Sleep(rand.N(60 * time.Millisecond))
		h.kill()
		h = startHost(t, dir)
	}

	// The last host goes on in peace; then all come to rest, and have the same.
	before := acknowledged()
	require.Eventually(t, func() bool { return acknowledged() > before+30 }, time.Minute, time.Millisecond)
	rest()
	group.Wait()
	h.says()
	h.hears("quiet")
	newcomer, err := ahp.Connect(within(t), dial, nil)
	require.NoError(t, err)
	for name := range beginnings() {
		require.NoError(t, newcomer.Subscribe(within(t), name))
	}
	var want map[string]string
	agree := func() bool {
		want = confirmed(t, newcomer)
		return !slices.ContainsFunc(clients, func(c *tireless) bool { return c.waits() || !maps.Equal(want, confirmed(t, c.conn)) })
	}
	if !assert.Eventually(t, agree, time.Minute, 10*time.Millisecond) {
		for _, c := range clients {
			t.Logf("%s: %+v, has seen %d of %d, waits: %t", c.name, c.conn.Status(), c.conn.Store.LastSeen(), newcomer.Store.LastSeen(), c.waits())
		}
		t.FailNow()
	}
	for _, c := range clients {
		require.NoError(t, c.conn.Close())
	}
	require.NoError(t, newcomer.Close())
	h.says()
	require.NoError(t, h.cmd.Wait())

	require.Empty(t, w.conflicts)
	require.Equal(t, want, explained(t, w), "the actions in their order explain the states")
	missing, took := 0, time.Since(begin)
	for _, c := range clients {
		missing += c.missing(t, w, want)
	}
	t.Logf("%d kills, %d actions, %d of clients acknowledged, %d of these lost, %d without an answer, %d resumed by replay and %d by snapshots, in %v",
		*kills, len(w.envelopes), acknowledged(), missing, unanswered(clients), w.replays, w.snapshots, took.Round(time.Millisecond))
	require.Zero(t, missing)
	log, err := bolt.Open(filepath.Join(dir, "log"), nil)
	require.NoError(t, err)
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, Limits: scarce})
	require.NoError(t, err)
	for name, state := range want {
		now, ok := s.State(name)
		require.True(t, ok)
		require.Equal(t, state, asJSON(t, now))
	}
	require.Greater(t, s.Sequence(), w.highest)
	require.NoError(t, s.Close())
	require.NoError(t, log.Close())
}

func unanswered(clients []*tireless) (n int) {
	for _, c := range clients {
		n += c.lost
	}
	return n
}

// missing counts the actions that were acknowledged and are not there.
func (c *tireless) missing(t *testing.T, w *witness, states map[string]string) (n int) {
	t.Helper()
	require.Zero(t, c.rejected)
	for sequence, action := range c.acked {
		if !strings.Contains(w.envelopes[sequence], action) {
			t.Errorf("%s: %d was acknowledged as %.100s and is %.200s", c.name, sequence, action, w.envelopes[sequence])
			n++
		}
	}
	annotations, err := ahp.Decode[ahp.AnnotationsState]([]byte(states[annotationsChannel]))
	require.NoError(t, err)
	there := map[string]int{}
	for _, a := range annotations.Annotations {
		there[a.ID] = turnOf(a)
	}
	for id, latest := range c.latest {
		if there[id] < latest {
			t.Errorf("annotation %s is that of %d, and %d was acknowledged", id, there[id], latest)
			n++
		}
	}
	return n
}

// confirmed is what a client has, as JSON.
func confirmed(t *testing.T, c *ahp.Conn) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name := range beginnings() {
		view, ok := c.Store.View(name)
		require.True(t, ok, name)
		out[name] = asJSON(t, view.Confirmed)
	}
	return out
}

// explained applies all envelopes to the states that the host began with.
func explained(t *testing.T, w *witness) map[string]string {
	t.Helper()
	var r ahp.Reducer
	states := beginnings()
	last, starts := int64(0), 0
	for _, n := range slices.Sorted(maps.Keys(w.envelopes)) {
		if n != last+1 { // a host went on after a number of its own
			starts++
			require.Greater(t, n, last+1000, "an envelope that nobody has seen")
		}
		last = n
		e, err := ahp.Decode[ahp.ActionEnvelope]([]byte(w.envelopes[n]))
		require.NoError(t, err)
		if e.RejectionReason == nil {
			states[e.Channel] = r.Apply(states[e.Channel], e.Action)
		}
	}
	require.LessOrEqual(t, starts, *kills+1)
	out := map[string]string{}
	for name, state := range states {
		out[name] = asJSON(t, state)
	}
	return out
}

// hostProcess is a host in a process of its own.
type hostProcess struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

func startHost(t *testing.T, dir string) *hostProcess {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), hostsIn+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	h := &hostProcess{t, cmd, in, bufio.NewReader(out)}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return h
}

// kill ends the process with no chance to do anything more.
func (h *hostProcess) kill() {
	require.NoError(h.t, h.cmd.Process.Kill())
	require.Error(h.t, h.cmd.Wait())
}

// says gives the host its next order.
func (h *hostProcess) says() {
	h.t.Helper()
	_, err := io.WriteString(h.in, "\n")
	require.NoError(h.t, err)
}

// hears waits until the host has said something.
func (h *hostProcess) hears(want string) {
	h.t.Helper()
	for {
		line, err := h.out.ReadString('\n')
		require.NoError(h.t, err)
		if strings.TrimSpace(line) == want {
			return
		}
	}
}
