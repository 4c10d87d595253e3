// Hosts and clients with packages of older versions, against those of the newest over a WebSocket: they play on random states,
// with all actions that a client may dispatch, and connections are cut in between.

package ahp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"laws/ahp"
	"laws/wire/rpc"
	"laws/wire/translate"
	"laws/wire/ws"
)

// host is a peer.Host of any version.
type host interface {
	Serve(ctx context.Context, t rpc.Transport) error
	Open(snapshot []byte) error
	End(channel string) error
	State(channel string) []byte
	Publish(channel string, action []byte) error
	Close() error
}

// caller is a peer.Client of any version.
type caller interface {
	Version() string
	Subscribe(ctx context.Context, channel string) error
	Unsubscribe(ctx context.Context, channel string) error
	Dispatch(ctx context.Context, channel string, action []byte) error
	Settle(ctx context.Context, channel string) error
	State(channel string) (confirmed []byte, pending int)
	Faults() []error
	Close() error
}

// program makes hosts and clients with the package of a version.
type program struct {
	host    func(seen func(channel string)) (host, error)
	connect func(ctx context.Context, id string, dial func(context.Context) (rpc.Transport, error)) (caller, error)
}

// line is how a client reaches a host.
type line struct {
	url string

	mu   sync.Mutex
	last rpc.Transport
}

func (l *line) dial(ctx context.Context) (rpc.Transport, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	l.last, err = ws.Dial(ctx, l.url, nil)
	return l.last, err
}

// cut cuts the connection, which does not come back before something was done.
func (l *line) cut(meanwhile func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.last.Close("")
	meanwhile()
}

// said is an action that was said, and the law that is for it.
type said struct{ law, kind string }

// game is a host and a client, one of which has an older version.
type game struct {
	*pair
	host          host
	client        caller
	line          *line
	of, by        *schemas // what the host and the client say
	sends, sees   string   // the laws for what the client dispatches, and for what the host publishes
	hostIsOlder   bool
	round, marked int
	sent, refused map[string]int // how often the client dispatched each type of action, and was refused

	// Since the states were compared:
	said []said
	log  []string
	own  int // what the client has dispatched
	mu   sync.Mutex
	seen int // what of that has reached the host
}

const marker = "ahp-session:/marker"

func TestOlderClients(t *testing.T) { programsOf(t, false) }

func TestOlderHosts(t *testing.T) { programsOf(t, true) }

func programsOf(t *testing.T, hostIsOlder bool) {
	rounds, err := strconv.Atoi(os.Getenv("LAWS_ROUNDS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, peer := range peers {
		own, ok := programs[peer.version]
		if !ok {
			continue
		}
		t.Run(peer.version, func(t *testing.T) {
			i := slices.IndexFunc(ahp.Older, func(v *translate.Version) bool { return v.Name == peer.version })
			g := &game{pair: &pair{
				t: t, peer: peer, v: ahp.Older[i], exceptions: exceptions(t), failed: map[string]int{}, ran: map[string]int{},
				newer: load("../schemas/newest", rand.New(rand.NewPCG(4, 1))),
				older: load("../schemas/"+peer.version, rand.New(rand.NewPCG(4, 2))),
			}, hostIsOlder: hostIsOlder, sent: map[string]int{}, refused: map[string]int{}}
			g.older.counts = peer.version < "0.8.0"
			hosts, clients := programs["newest"], own
			g.of, g.by, g.sends, g.sees = g.newer, g.older, "dispatch", "lower"
			if hostIsOlder {
				hosts, clients = own, programs["newest"]
				g.of, g.by, g.sends, g.sees = g.older, g.newer, "host", "host"
			}
			g.start(hosts, clients)
			g.play(rounds)
			g.all()
			as := map[bool]string{true: "a host", false: "a client"}[hostIsOlder]
			t.Logf("%s ran: %s, with %s", peer.version, as, counts(g.ran))
		})
	}
}

// start has the host listen, and the client connect to it.
func (g *game) start(hosts, clients program) {
	var err error
	g.host, err = hosts.host(func(channel string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if channel != marker {
			g.seen++
		}
	})
	g.must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- ws.Serve(ctx, listener, &ws.Handler{Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
			_ = g.host.Serve(ctx, t)
		}})
	}()
	g.line = &line{url: "ws://" + listener.Addr().String()}
	g.client, err = clients.connect(ctx, "the client", g.line.dial)
	g.must(err)
	g.t.Cleanup(func() {
		g.must(g.client.Close())
		cancel()
		g.must(<-served)
		g.must(g.host.Close())
	})
	if g.client.Version() != g.peer.version {
		g.t.Fatalf("they agreed on %s", g.client.Version())
	}
	state := g.of.state("SessionState")
	state["inputNeeded"], state["title"] = []any{}, "0"
	g.must(g.host.Open(at(marker, state)))
	g.must(g.client.Subscribe(ctx, marker))
}

func (g *game) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatalf("%v\n%s", err, strings.Join(g.log, "\n"))
	}
}

func at(channel string, state any) []byte {
	return text(object{"resource": channel, "state": state, "fromSeq": json.Number("1")})
}

// play has the client dispatch every action that it may, as often as there are rounds.
func (g *game) play(rounds int) {
	type choice struct{ state, action string }
	var all []choice
	for _, state := range g.of.states {
		for _, action := range g.by.actions[g.of.prefix[state]] {
			if channels[state] != "" && g.by.client[action] {
				all = append(all, choice{state, action})
			}
		}
	}
	for i := range rounds * len(all) {
		c := all[i%len(all)]
		g.round = i
		g.one(c.state, c.action)
	}
	g.ran["types"] = len(all)
}

// all wants every type of action to have been dispatched, unless clients of the older version have none such. These have to have been
// refused each time.
func (g *game) all() {
	older := map[string]bool{}
	for name := range g.older.client {
		older[g.older.actionType(name)] = g.older.client[name]
	}
	for kind := range g.sent {
		if !older[kind] {
			g.broken("refusal", kind, "", "it was dispatched, and clients of the older version do not")
		}
	}
	for kind := range g.refused {
		if older[kind] && g.sent[kind] == 0 {
			g.broken("refusal", kind, "", "it was refused each time")
		}
	}
}

// one plays on one channel.
func (g *game) one(kind, first string) {
	channel := strings.Replace(channels[kind], ":/a", ":/"+strconv.Itoa(g.round), 1)
	state := g.of.state(kind)
	action := g.by.action(first, state)
	snapshot := at(channel, state)
	if g.hostIsOlder { // without what the newest version cannot say: the lists name that
		lifted, err := g.v.Lift.State(snapshot, &translate.Context{Now: now})
		g.must(err)
		snapshot, err = g.v.Lower.State(lifted, &translate.Context{Now: now})
		g.must(err)
	}
	g.said, g.log = nil, []string{string(snapshot)}
	g.must(g.host.Open(snapshot))
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	g.must(g.client.Subscribe(ctx, channel))
	defer func() {
		g.must(g.client.Unsubscribe(ctx, channel))
		g.must(g.host.End(channel))
	}()
	if !g.same(ctx, channel) {
		return
	}
	g.dispatch(ctx, channel, action)
	if !g.same(ctx, channel) {
		return
	}
	g.publish(channel, kind)
	if !g.same(ctx, channel) {
		return
	}
	mine := slices.DeleteFunc(slices.Clone(g.by.actions[g.of.prefix[kind]]), func(name string) bool { return !g.by.client[name] })
	g.dispatch(ctx, channel, g.by.action(pick(g.by, mine...), g.now(channel)))
	if g.round%3 == 0 {
		g.ran["cuts"]++
		g.line.cut(func() {
			for range g.round % 4 {
				g.publish(channel, kind)
			}
		})
	}
	g.same(ctx, channel)
}

// now returns the state of a channel at the host.
func (g *game) now(channel string) object { return parsed(g.host.State(channel)).(object) }

// publish has the host publish a random action.
func (g *game) publish(channel, kind string) {
	a := g.of.action(pick(g.of, g.of.actions[g.of.prefix[kind]]...), g.now(channel))
	g.note(g.sees, text(a))
	g.must(g.host.Publish(channel, text(a)))
	g.ran["published"]++
}

func (g *game) note(law string, action []byte) {
	g.said = append(g.said, said{law, kindOf(action)})
	g.log = append(g.log, law+" "+string(action))
}

// dispatch has the client dispatch an action. Where that is refused, nothing has happened.
func (g *game) dispatch(ctx context.Context, channel string, a object) {
	action := text(a)
	_, before := g.client.State(channel)
	err := g.client.Dispatch(ctx, channel, action)
	if err == nil {
		g.note(g.sends, action)
		g.ran["dispatched"]++
		g.sent[kindOf(action)]++
		g.own++
		return
	}
	g.ran["refused"]++
	g.refused[kindOf(action)]++
	if _, now := g.client.State(channel); now != before {
		g.broken("refusal", kindOf(action), "", fmt.Sprintf("%v, and the action is pending all the same\n%s", err, action))
	}
	if !g.hostIsOlder || !strings.Contains(err.Error(), g.peer.version) {
		g.broken("refusal", kindOf(action), "", fmt.Sprintf("the version is not what is in the way: %v\n%s", err, action))
	}
}

// same waits until the client has all that the host has said, compares the states, and reports whether they are the same.
func (g *game) same(ctx context.Context, channel string) bool {
	g.marked++
	title := text(object{"type": "session/titleChanged", "title": strconv.Itoa(g.marked)})
	err := g.client.Dispatch(ctx, marker, title)
	for errors.Is(err, rpc.ErrClosed) {
		err = g.client.Dispatch(ctx, marker, title)
	}
	g.must(err)
	g.must(g.client.Settle(ctx, marker))
	g.must(g.client.Settle(ctx, channel))
	faults := g.faults(channel)
	got, want, found := g.compare(channel)
	// Clients are told of what could not be said on another goroutine, perhaps not yet. The state is fetched again then.
	for range 1000 {
		if len(faults) > 0 || g.explained(found, got, want) {
			break
		}
		time.Sleep(5 * time.Millisecond)
		faults = g.faults(channel)
	}
	if len(faults) > 0 {
		for _, err := range faults {
			if text := err.Error(); !strings.Contains(text, translate.ErrImpossible.Error()) && !strings.Contains(text, translate.ErrNeedsState.Error()) {
				g.broken("fault", g.kinds(), "", err.Error()+"\n"+strings.Join(g.log, "\n"))
			}
		}
		g.ran["renewed"]++
		g.must(g.client.Subscribe(ctx, channel))
		got, want, found = g.compare(channel)
	}
	g.ran["comparisons"]++
	for _, path := range found {
		g.differs(path, got, want)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.hostIsOlder && g.seen > g.own {
		g.broken("refusal", g.kinds(), "", "more has reached the host than was dispatched\n"+strings.Join(g.log, "\n"))
	}
	g.said, g.log, g.own, g.seen = nil, []string{string(at(channel, json.RawMessage(g.host.State(channel))))}, 0, 0
	return len(found) == 0
}

// faults are what the client was told since the last time, without errors of channels that have ended before they were fetched again.
func (g *game) faults(channel string) []error {
	return slices.DeleteFunc(g.client.Faults(), func(err error) bool {
		return strings.HasPrefix(err.Error(), "subscribe to ") && !strings.HasPrefix(err.Error(), "subscribe to "+channel+" ")
	})
}

// compare returns the state that the client has, the one that it should have, both in the older version, and where they differ.
func (g *game) compare(channel string) (got, want []byte, found []string) {
	older, _ := g.client.State(channel)
	newer := g.host.State(channel)
	if g.hostIsOlder {
		older, newer = newer, older
	}
	lowered, err := g.v.Lower.State(at(channel, json.RawMessage(newer)), &translate.Context{Now: now})
	g.must(err)
	lowered, err = fold(g.peer.reduce, lowered, nil)
	g.must(err)
	got, want = at(channel, json.RawMessage(older)), lowered
	if g.hostIsOlder {
		got, want = want, got
	}
	found = differences(parsed(got), parsed(want), "")
	return got, want, slices.DeleteFunc(found, func(path string) bool { return path == "/fromSeq" })
}

func (g *game) kinds() string {
	var out []string
	for _, s := range g.said {
		out = append(out, s.kind)
	}
	return strings.Join(out, ", ")
}

// explained reports whether each of some differences is an exception.
func (g *game) explained(found []string, got, want []byte) bool {
	about := g.about(got, want)
	return !slices.ContainsFunc(found, func(path string) bool { return !g.accounted(path, about) })
}

// accounted reports whether a difference is an exception, for one of the actions since the states were the same or for all of them.
func (g *game) accounted(path, about string) bool {
	law, kinds := g.blamed()
	return g.excepted(law, kinds, path, about) ||
		slices.ContainsFunc(g.said, func(s said) bool { return g.excepted(s.law, s.kind, path, about) })
}

// blamed is the law that is broken where the states differ, and the types of the actions.
func (g *game) blamed() (law, kinds string) {
	if len(g.said) == 0 {
		return "snapshot", ""
	}
	return g.said[0].law, g.kinds()
}

func (g *game) about(got, want []byte) string {
	return fmt.Sprintf("state %s\ngot  %s\nwant %s", strings.Join(g.log, "\n"), got, want)
}

// differs reports a difference, unless it is accounted for.
func (g *game) differs(path string, got, want []byte) {
	if about := g.about(got, want); !g.accounted(path, about) {
		law, kinds := g.blamed()
		g.broken(law, kinds, path, about)
	}
}
