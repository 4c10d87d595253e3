// Silence: detecting dead peers, and peers that do not complete the handshake.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Welcome marks the handshake as complete, which lifts the greeting limits of [Options].
func (p *Peer) Welcome() { p.welcome.Store(true) }

// greets reports whether the size of messages is limited until the peer has introduced itself, which it has not.
func (p *Peer) greets() bool {
	return !p.welcome.Load() && p.options.MaxGreeting < p.options.MaxMessage
}

// readLimit returns the current message size limit.
func (p *Peer) readLimit() int64 {
	if p.welcome.Load() {
		return p.options.MaxMessage
	}
	return p.options.MaxGreeting
}

// heard records the arrival of a message.
func (p *Peer) heard() { p.lastHeard.Store(Now()) }

// Asking is a [Handler] of a protocol with a request that asks the peer for a sign of life. Handlers of a generated package
// are, where the schema or the profile states that request.
type Asking interface {
	// AskRPC returns the request; "" for none.
	AskRPC() (method string, params json.RawMessage)
}

// asking asks for a sign of life by a request.
type asking struct {
	peer   *Peer
	method string
	params json.RawMessage
}

// Ping implements [Pinger]. Any answer is a sign of life. A peer that may be busy with requests is not asked, unless the
// caller has said how long it may be silent.
func (a asking) Ping(ctx context.Context) error {
	if a.peer.patient && a.peer.awaits() {
		return nil
	}
	_, err := a.peer.Call(ctx, a.method, a.params)
	var answer *Error
	if errors.As(err, &answer) {
		return nil
	}
	return err
}

// awaits reports whether this side waits for answers.
func (p *Peer) awaits() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) > 0
}

// pinger returns what can ask the peer for a sign of life, nil for nothing.
func (p *Peer) pinger(h Handler) Pinger {
	if transport, ok := Find[Pinger](p.transport); ok {
		return transport
	}
	if protocol, ok := h.(Asking); ok {
		if method, params := protocol.AskRPC(); method != "" {
			return asking{p, method, params}
		}
	}
	return nil
}

// watch ends the connection if the peer does not complete the handshake in time, or is silent and does not answer a
// ping. It runs until stopped.
func (p *Peer) watch(h Handler) (stop func()) {
	stops := []func() bool{}
	if greeting := p.options.GreetingTimeout; greeting > 0 {
		stops = append(stops, time.AfterFunc(greeting, func() {
			if !p.welcome.Load() {
				p.cut(fmt.Errorf("the peer did not initialize within %v", greeting), "not initialized in time")
			}
		}).Stop)
	}
	if pinger := p.pinger(h); pinger != nil && p.options.Silence > 0 {
		p.heard()
		stops = append(stops, p.listen(pinger))
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// listen pings after each silence. In between it only needs a timer.
func (p *Peer) listen(transport Pinger) (stop func() bool) {
	var timer *time.Timer
	set := make(chan struct{})
	timer = time.AfterFunc(p.options.Silence, func() {
		<-set
		quiet := time.Duration(Now() - p.lastHeard.Load())
		if !p.reading.Load() { // what it says waits until handlers have made room
			p.heard()
			quiet = 0
		}
		if quiet >= p.options.Silence {
			if err := p.ask(transport); err != nil {
				p.abandon(err)
				return
			}
			p.heard()
			quiet = 0
		}
		select {
		case <-p.severed:
		default:
			timer.Reset(p.options.Silence - quiet)
		}
	})
	close(set)
	return timer.Stop
}

// ask pings the peer. Any message counts as an answer.
func (p *Peer) ask(transport Pinger) error {
	before := p.lastHeard.Load()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Silence)
	defer cancel()
	err := transport.Ping(ctx)
	if err == nil || p.lastHeard.Load() != before {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the peer is silent: no sign of life for %v", 2*p.options.Silence)
	}
	return fmt.Errorf("the peer is silent: %w", err)
}

// Alive reports whether the peer gives a sign of life before ctx ends. Where the transport cannot ask for one, a
// request of the given method does, to which any answer is a sign.
func (p *Peer) Alive(ctx context.Context, method string) bool {
	if transport, ok := Find[Pinger](p.transport); ok {
		return transport.Ping(ctx) == nil
	}
	_, err := p.Call(ctx, method, nil)
	var answered *Error
	return err == nil || errors.As(err, &answered)
}
