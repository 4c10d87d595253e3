// Sessions of older clients with a host of the newest version: the clients know nothing but JSON and the reducers of their
// version. Connections are cut in between.

package ahp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"laws/ahp"
	"laws/wire/rpc"
	"laws/wire/server"
	"laws/wire/translate"
)

// client is a client of an older version.
type client struct {
	t      *testing.T
	peer   peer
	server *ahp.Server
	conn   *rpc.Peer
	ended  chan struct{}
	id     string

	mu        sync.Mutex
	sequence  int64
	snapshots map[string][]byte
	cuts      int
	holding   bool              // the answer that a new connection begins with has not been applied
	held      []json.RawMessage // what came meanwhile
}

func (c *client) dial() {
	c.mu.Lock()
	c.holding, c.held = true, nil
	c.mu.Unlock()
	here, there := net.Pipe()
	go c.server.Serve(context.Background(), rpc.Stream(there))
	conn, ended := rpc.NewPeer(rpc.Stream(here), nil), make(chan struct{})
	c.conn, c.ended = conn, ended
	go func() {
		_ = conn.Serve(context.Background(), c)
		close(ended)
	}()
}

func (c *client) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

// ServeRPC applies actions.
func (c *client) ServeRPC(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
	if m.Method == "action" {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.holding {
			c.held = append(c.held, m.Params)
		} else {
			c.apply(m.Params)
		}
	}
	return nil, nil
}

// begin applies the answer that a connection begins with, then what came meanwhile.
func (c *client) begin(snapshots, actions []json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(snapshots)
	for _, e := range append(actions, c.held...) {
		c.apply(e)
	}
	c.holding, c.held = false, nil
}

// apply applies an envelope. The caller must hold the lock.
func (c *client) apply(envelope json.RawMessage) {
	var e struct {
		Channel         string
		Action          json.RawMessage
		ServerSeq       int64
		RejectionReason *string
	}
	if err := json.Unmarshal(envelope, &e); err != nil {
		c.t.Error(err)
		return
	}
	if e.ServerSeq <= c.sequence {
		return
	}
	c.sequence = e.ServerSeq
	if e.RejectionReason != nil || c.snapshots[e.Channel] == nil {
		return
	}
	next, err := c.peer.reduce(c.snapshots[e.Channel], e.Action)
	if err != nil {
		c.t.Errorf("%s: %v: %s", c.peer.version, err, e.Action)
		return
	}
	c.snapshots[e.Channel] = next
}

// take takes snapshots over. The caller must hold the lock.
func (c *client) take(list []json.RawMessage) {
	for _, s := range list {
		o := parsed(s).(object)
		n, _ := o["fromSeq"].(json.Number).Int64()
		c.sequence = max(c.sequence, n)
		if _, err := c.peer.reduce(s, []byte(`{"type":"nothing/atAll"}`)); err != nil {
			c.t.Errorf("%s: %v: %s", c.peer.version, err, s)
			continue
		}
		c.snapshots[o["resource"].(string)] = s
	}
}

func (c *client) ask(method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return c.conn.Call(ctx, method, text(params))
}

func (c *client) open(channels []string) {
	c.dial()
	result, err := c.ask("initialize", object{"channel": "ahp-root://", "clientId": c.id, "protocolVersions": []string{c.peer.version}, "initialSubscriptions": channels})
	if err != nil {
		c.t.Fatal(err)
	}
	var r struct {
		ProtocolVersion string
		Snapshots       []json.RawMessage
	}
	if err := json.Unmarshal(result, &r); err != nil || r.ProtocolVersion != c.peer.version || len(r.Snapshots) != len(channels) {
		c.t.Fatalf("%v: %s", err, result)
	}
	c.begin(r.Snapshots, nil)
}

// again connects after a cut.
func (c *client) again(channels []string) {
	c.cuts++
	c.dial()
	c.mu.Lock()
	seen := c.sequence
	c.mu.Unlock()
	result, err := c.ask("reconnect", object{"channel": "ahp-root://", "clientId": c.id, "lastSeenServerSeq": seen, "subscriptions": channels})
	if err != nil {
		c.t.Fatal(err)
	}
	var r struct {
		Type               string
		Actions, Snapshots []json.RawMessage
		Missing            []string
	}
	if err := json.Unmarshal(result, &r); err != nil || len(r.Missing) > 0 {
		c.t.Fatalf("%v: %s", err, result)
	}
	c.begin(r.Snapshots, r.Actions)
}

func (c *client) isCut() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// TestSessions has a client of each version dispatch all that it may, while the host publishes what it likes.
func TestSessions(t *testing.T) {
	var accepted atomic.Int64
	host, err := ahp.NewServer(&ahp.ServerOptions{OwnLists: true, Accepted: func(*server.Client, string, ahp.StateAction) { accepted.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	newer := load("../schemas/newest", rand.New(rand.NewPCG(3, 1)))
	var names []string
	kinds := []string{"SessionState", "ChatState", "TerminalState", "ChangesetState", "AnnotationsState"}
	for _, kind := range kinds {
		state := newer.state(kind)
		delete(state, "inputNeeded") // what a session that is not at work waits for is one of the exceptions
		s, err := ahp.Decode[ahp.Snapshot](snapshotOf(kind, state))
		if err != nil {
			t.Fatal(err)
		}
		if err := host.OpenChannel(channels[kind], s.State); err != nil {
			t.Fatal(err)
		}
		names = append(names, channels[kind])
	}
	var clients []*client
	for _, p := range peers {
		c := &client{t: t, peer: p, server: host, id: "client " + p.version, snapshots: map[string][]byte{}}
		c.open(names)
		clients = append(clients, c)
	}
	sessions(t, host, newer, clients, kinds, names)
	for _, c := range clients {
		c.settle(names)
		t.Logf("%s ran: a session with %d cuts", c.peer.version, c.cuts)
	}
	t.Logf("all ran: %d actions of clients", accepted.Load())
	if accepted.Load() < 500 {
		t.Error("few actions of clients were accepted")
	}
	if err := host.Close(); err != nil {
		t.Error(err)
	}
}

func sessions(t *testing.T, host *ahp.Server, newer *schemas, clients []*client, kinds, names []string) {
	older := map[string]*schemas{}
	for _, c := range clients {
		older[c.peer.version] = load("../schemas/"+c.peer.version, rand.New(rand.NewPCG(3, 2)))
	}
	sent := 0
	for i := range 1500 {
		kind := kinds[i%len(kinds)]
		channel := channels[kind]
		now, _ := host.State(channel)
		state := parsed(must(json.Marshal(now))).(object)
		c := clients[i%len(clients)]
		if c.isCut() {
			c.again(names)
		} else if i%97 == 0 {
			c.conn.Close()
			<-c.ended
			c.again(names)
		}
		s := older[c.peer.version]
		mine := slices.DeleteFunc(slices.Clone(s.actions[s.prefix[kind]]), func(name string) bool { return !s.client[name] })
		if i%3 == 0 || len(mine) == 0 {
			name := pick(newer, newer.actions[newer.prefix[kind]]...)
			if strings.Contains(name, "InputNeeded") {
				continue
			}
			a, err := ahp.DecodeStateAction(text(newer.action(name, state)))
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Publish(channel, a); err != nil {
				t.Fatal(err)
			}
			continue
		}
		sent++
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		_ = c.conn.Notify(ctx, "dispatchAction", text(object{"channel": channel, "clientSeq": sent, "action": s.action(pick(s, mine...), state)}))
		cancel()
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// settle waits until the client has what the host has, and compares both.
func (c *client) settle(names []string) {
	i := slices.IndexFunc(ahp.Older, func(v *translate.Version) bool { return v.Name == c.peer.version })
	var different []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c.isCut() {
			c.again(names)
		}
		different = nil
		for _, name := range names {
			now, _ := c.server.State(name)
			whole := text(object{"resource": name, "state": json.RawMessage(must(json.Marshal(now))), "fromSeq": 1})
			want, err := ahp.Older[i].Lower.State(whole, &translate.Context{})
			if err != nil {
				c.t.Fatal(err)
			}
			want, err = fold(c.peer.reduce, want, nil)
			if err != nil {
				c.t.Fatal(err)
			}
			c.mu.Lock()
			got := c.snapshots[name]
			c.mu.Unlock()
			got, _ = fold(c.peer.reduce, got, nil)
			for _, at := range differences(parsed(got), parsed(want), "") {
				if at != "/fromSeq" && at != "/state/modifiedAt" {
					different = append(different, fmt.Sprintf("%s %s\ngot  %s\nwant %s", name, at, got, want))
				}
			}
		}
		if different == nil {
			return
		}
	}
	c.t.Errorf("%s: %s", c.peer.version, strings.Join(different, "\n"))
}
