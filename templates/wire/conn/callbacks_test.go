// Callbacks that use the connection that calls them.

package conn

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// soon returns what comes from a channel.
func soon[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came within 10 seconds")
	}
	return v
}

// observer is a function.
type observer func(e rpc.Event)

func (f observer) Observe(e rpc.Event) { f(e) }

// tracer is an observer with a function that is called with what is traced, and at its end once more without a type.
type tracer struct {
	observer
	trace func(e rpc.Event)
}

func (t tracer) TraceSent(ctx context.Context, e rpc.Event) (context.Context, map[string]string, func(error)) {
	t.trace(e)
	return ctx, nil, nil
}

func (t tracer) TraceHandled(ctx context.Context, e rpc.Event, _ json.RawMessage) (context.Context, func(error)) {
	t.trace(e)
	return ctx, func(error) { t.trace(rpc.Event{Method: e.Method}) }
}

// later is a connection that callbacks get when there is one.
type later chan *Conn

func (l later) conn() *Conn {
	c := <-l
	l <- c
	return c
}

// TestACallbackMayCloseTheConnection closes it from each kind of callback.
func TestACallbackMayCloseTheConnection(t *testing.T) {
	for name, hook := range map[string]func(o *Options, closes func()){
		"status": func(o *Options, closes func()) {
			o.Status = func(s Status) {
				if s.State == Waiting {
					closes()
				}
			}
		},
		"error": func(o *Options, closes func()) { o.OnError = func(error) { closes() } },
		"bad":   func(o *Options, closes func()) { o.Peer = &rpc.Options{OnBad: func(error) { closes() }} },
		"waiting": func(o *Options, closes func()) {
			o.Observe = observer(func(e rpc.Event) {
				if e.Type == rpc.EventWaiting {
					closes()
				}
			})
		},
		"received": func(o *Options, closes func()) {
			o.Observe = observer(func(e rpc.Event) {
				if e.Type == rpc.EventReceived && e.Method == "action" {
					closes()
				}
			})
		},
		"sent": func(o *Options, closes func()) {
			o.Observe = observer(func(e rpc.Event) {
				if e.Type == rpc.EventSent && e.Method == "x" {
					closes()
				}
			})
		},
		"traced": func(o *Options, closes func()) {
			o.Observe = tracer{observer(func(rpc.Event) {}), func(e rpc.Event) {
				if e.Method == "action" {
					closes()
				}
			}}
		},
		"trace ended": func(o *Options, closes func()) {
			o.Observe = tracer{observer(func(rpc.Event) {}), func(e rpc.Event) {
				if e.Type == 0 && e.Method == "action" {
					closes()
				}
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			hosts := make(chan *rpc.Peer, 10)
			p := simplest()
			p.Handler = handles(func(context.Context, *rpc.Message) (json.RawMessage, error) { return nil, errors.New("not decoded") })
			made, closed := make(later, 1), make(chan error, 100)
			o := Options{MinWait: time.Minute, MaxWait: time.Minute}
			hook(&o, func() { closed <- made.conn().Close() })
			c, err := Connect(t.Context(), hosted(func(p *rpc.Peer) handles {
				hosts <- p
				return null
			}), p, o)
			require.NoError(t, err)
			made <- c
			host := <-hosts
			require.NoError(t, c.Notify(t.Context(), "x", nil))
			switch name {
			case "error", "received", "traced", "trace ended":
				require.NoError(t, host.Notify(t.Context(), "action", json.RawMessage(`{"channel":"a"}`)))
			case "bad":
				require.NoError(t, host.Send([]byte("{}")))
			case "status", "waiting":
				require.NoError(t, host.Close())
			}
			require.NoError(t, soon(t, closed))
			soon(t, c.Done())
			require.NoError(t, c.Close())
			require.Equal(t, Closed, c.Status().State)
		})
	}
}

// TestACallbackThatTakesLongHoldsUpNothing has errors reported by a callback that asks the host.
func TestACallbackThatTakesLongHoldsUpNothing(t *testing.T) {
	hosts := make(chan *rpc.Peer, 10)
	p := simplest()
	p.Handler = handles(func(context.Context, *rpc.Message) (json.RawMessage, error) { return nil, errors.New("not decoded") })
	made, answers := make(later, 1), make(chan error, 10)
	var told []State
	goOn := make(chan bool)
	c, err := Connect(t.Context(), hosted(func(p *rpc.Peer) handles {
		hosts <- p
		return null
	}), p, Options{MinWait: time.Millisecond, MaxWait: time.Millisecond, Status: func(s Status) { told = append(told, s.State) }, OnError: func(error) {
		_, err := made.conn().Call(t.Context(), "x", nil)
		answers <- err
		<-goOn
	}})
	require.NoError(t, err)
	require.Equal(t, []State{Connecting, Ready}, told, "before Connect returns")
	made <- c
	host := <-hosts
	require.NoError(t, host.Notify(t.Context(), "action", json.RawMessage(`{"channel":"a"}`)))
	require.NoError(t, soon(t, answers))
	require.NoError(t, host.Close())
	soon(t, hosts)
	require.Eventually(t, func() bool { return c.Status().State == Ready }, 10*time.Second, time.Millisecond)
	_, err = c.Call(t.Context(), "y", nil)
	require.NoError(t, err)
	close(goOn)
	require.NoError(t, c.Close())
	require.Equal(t, []State{Connecting, Ready, Waiting, Connecting, Ready, Closed}, told, "all of them, before Close returns")
}

// TestACallbackMayDispatchBeforeTheConnectionIsReadyAgain: what it is told of has come before the answer to the reconnection, after which
// the host is asked for more.
func TestACallbackMayDispatchBeforeTheConnectionIsReadyAgain(t *testing.T) {
	hosts, dispatched := make(chan *rpc.Peer, 10), make(chan bool, 10)
	p := simplest()
	p.Callbacks = new(Callbacks)
	made, results := make(later, 1), make(chan error, 10)
	var order []string
	p.Handler = handles(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		params := string(m.Params)
		p.Callbacks.Call(func() {
			order = append(order, params)
			results <- made.conn().InOrder(t.Context(), func(to rpc.Conn) error { return to.Notify(t.Context(), "dispatched", nil) })
		})
		return nil, nil
	})
	p.Resume = func(ctx context.Context, to rpc.Conn, _ []string) (Take, error) {
		_, err := to.Call(ctx, "resume", nil)
		return nothingTaken, err
	}
	p.Ready = func(ctx context.Context, to rpc.Conn) error {
		if len(made) == 0 {
			return nil
		}
		_, err := to.Call(ctx, "ready", nil)
		return err
	}
	c, err := Connect(t.Context(), hosted(func(host *rpc.Peer) handles {
		hosts <- host
		return func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			say := func(params string) { require.NoError(t, host.Notify(ctx, "action", json.RawMessage(params))) }
			switch m.Method {
			case "resume":
				say("[1]")
				say("[2]")
			case "ready":
				say("[3]")
			case "dispatched":
				dispatched <- true
			}
			return json.RawMessage("null"), nil
		}
	}), p, Options{MinWait: time.Millisecond, MaxWait: time.Millisecond})
	require.NoError(t, err)
	made <- c
	require.NoError(t, (<-hosts).Close())
	for range 3 {
		require.NoError(t, soon(t, results))
		require.True(t, soon(t, dispatched))
	}
	require.NoError(t, c.Close())
	require.Equal(t, []string{"[1]", "[2]", "[3]"}, order)
}

// TestACallbackThatPanicsIsReported also where it is called on a goroutine of its own: what a handler calls may panic as well.
func TestACallbackThatPanicsIsReported(t *testing.T) {
	hosts, reported := make(chan *rpc.Peer, 10), make(chan error, 10)
	p := simplest()
	p.Callbacks = new(Callbacks)
	p.Resume = func(context.Context, rpc.Conn, []string) (Take, error) {
		return func() (Taken, error) {
			p.Callbacks.Call(func() { panic("oops") })
			p.Callbacks.Call(func() { reported <- errors.New("the next one") })
			return Taken{}, nil
		}, nil
	}
	c, err := Connect(t.Context(), hosted(func(host *rpc.Peer) handles {
		hosts <- host
		return null
	}), p, Options{MinWait: time.Millisecond, MaxWait: time.Millisecond, OnError: func(err error) { reported <- err }})
	require.NoError(t, err)
	require.NoError(t, (<-hosts).Close())
	got := []string{soon(t, reported).Error(), soon(t, reported).Error()}
	require.ElementsMatch(t, []string{"a callback panicked: oops", "the next one"}, got)
	require.NoError(t, c.Close())
}
