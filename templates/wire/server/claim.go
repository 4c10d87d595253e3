// Claims: which connection may act as which client.

package server

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Claim is a connection's request to act as the client with an id, made in the handshake or on reconnect.
type Claim struct {
	Client string // the id
	Resume bool   // on reconnect, asking for missed actions
	// Known reports whether there is a client with that id, and Owner which principal first used it, or "" if it had
	// none.
	Known bool
	Owner string
	// Holder is the connection that currently acts as the client, or nil. It is closed if the claim is granted.
	// With a shared log, it is nil as well if the client is connected to another server.
	Holder *Client

	number  int64  // of the last record about the client in a shared log
	version string // that it spoke last
}

// ErrClaimed is returned for the id of another principal.
var ErrClaimed error = &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "the client id belongs to another client"}

// Owned returns the default rule for claims: an id belongs to the principal that first used it, for as long as the
// client is remembered. An id used without a principal is free once its connection has ended or no longer answers.
// The error is [ErrClaimed].
func Owned(ctx context.Context, c *Client, claim Claim) error {
	switch {
	case !claim.Known:
		return nil
	case claim.Owner != "" && claim.Owner != c.principal.Name:
		return ErrClaimed
	case claim.Owner == "" && claim.Holder != nil && claim.Holder.Alive(ctx):
		return ErrClaimed
	}
	return nil
}

// aliveFor is the time a client has to show that it is alive.
const aliveFor = 3 * time.Second

// Alive pings the client and reports whether it answered within three seconds. If the transport cannot ping, a
// request is sent; any answer counts.
func (c *Client) Alive(ctx context.Context) bool {
	// The handler's context is not used: calls with it let later messages be handled.
	limit, cancel := context.WithTimeout(context.Background(), aliveFor)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return c.peer.Alive(limit, c.probe)
}

// claim decides whether a connection may act as a client.
func (h *handler[S, A]) claim(ctx context.Context, id string, resume bool) (Claim, error) {
	s := h.server
	claim := Claim{Client: id, Resume: resume}
	var k known
	if s.replica != nil {
		var err error
		if k, err = s.learn(ctx, id); err != nil {
			return claim, s.unavailable(err)
		}
	}
	s.mu.Lock()
	claim.Holder = s.clients[id]
	if now := s.known[id]; now != nil && s.replica == nil {
		k = *now
		claim.Known = true
	}
	s.mu.Unlock()
	claim.Known = claim.Known || k.number > 0
	claim.Owner, claim.version, claim.number = k.owner, k.version, k.number
	spoken := claim.Known && s.protocol.speaks(k.version)
	if resume && !spoken { // it must say hello, and which versions it speaks now
		return claim, errNotInitialized
	}
	authorize := s.options.Authorize
	if authorize == nil {
		authorize = Owned
	}
	err := authorize(ctx, h.client, claim)
	if err != nil && resume { // which must not reveal whether the client exists
		err = errNotInitialized
	}
	return claim, err
}

// lockFor locks the server, with the states of some channels, if a granted claim is still up to date, and otherwise decides
// again. After an error the server is not locked.
func (h *handler[S, A]) lockFor(ctx context.Context, claim Claim, channels []string) (err error) {
	s := h.server
	if s.replica != nil {
		return h.lockJoined(ctx, claim, channels)
	}
	for {
		s.mu.Lock()
		holder, k := s.clients[claim.Client], s.known[claim.Client]
		same := k == nil && !claim.Resume || k != nil && claim.Known && k.owner == claim.Owner
		if same && (holder == nil || holder == claim.Holder) {
			return nil
		}
		s.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return err
		}
		if claim, err = h.claim(ctx, claim.Client, claim.Resume); err != nil {
			return err
		}
	}
}

// errNoID is the answer to a client without an id.
var errNoID = errors.New("a client needs an id")

// knownData returns a client's version and owner as stored in the log.
func knownData(version, owner string) []byte {
	if owner == "" {
		return []byte(version)
	}
	return []byte(version + "\x00" + owner)
}

func readKnown(data []byte) (version, owner string) {
	version, owner, _ = strings.Cut(string(data), "\x00")
	return version, owner
}
