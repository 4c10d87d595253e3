// Claims: which connection may be which client.

package server

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Claim is what a connection asks for that introduces itself, or comes back: to be the client with an id.
type Claim struct {
	Client string // the id
	Resume bool   // it comes back, and asks for what it has missed
	// Known says that there is a client with that id, and Owner which principal it belongs to: the one that used it first,
	// or "" if that was nobody in particular.
	Known bool
	Owner string
	// Holder is the connection that is the client now, nil if there is none. It ends if the claim is granted.
	Holder *Client
}

// ErrClaimed answers a connection that claims the id of somebody else.
var ErrClaimed error = &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "the client id belongs to somebody else"}

// Owned returns the rule for claims where Options.Authorize is nil: an id belongs to the principal that first used
// it, for as long as the client is remembered. An id that was used by nobody in particular is free as soon as its
// connection has ended, or does not answer any more. The error is [ErrClaimed].
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

// aliveFor is how long a client may take to show that it is there.
const aliveFor = 3 * time.Second

// Alive asks the client for a sign of life, and reports whether there was one within three seconds. Where the transport
// cannot ask, a request does: any answer to it is a sign.
func (c *Client) Alive(ctx context.Context) bool {
	// Nothing of the context goes along: a handler that calls with its own lets others go on.
	limit, cancel := context.WithTimeout(context.Background(), aliveFor)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return c.peer.Alive(limit, c.probe)
}

// claim asks whether a connection may be a client.
func (h *handler[S, A]) claim(ctx context.Context, id string, resume bool) (Claim, error) {
	s := h.server
	s.mu.Lock()
	claim := Claim{Client: id, Resume: resume, Holder: s.clients[id]}
	if k := s.known[id]; k != nil {
		claim.Known, claim.Owner = true, k.owner
	}
	s.mu.Unlock()
	if resume && !claim.Known {
		return claim, errStranger
	}
	authorize := s.options.Authorize
	if authorize == nil {
		authorize = Owned
	}
	err := authorize(ctx, h.client, claim)
	if err != nil && resume { // which must not tell whether there is such a client
		err = errStranger
	}
	return claim, err
}

// lockFor locks the server if a claim that was granted still is about things as they are, and asks again otherwise. With
// an error, the server is not locked.
func (h *handler[S, A]) lockFor(ctx context.Context, claim Claim) (err error) {
	s := h.server
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

// errNoID answers a client without an id.
var errNoID = errors.New("a client needs an id")

// knownData returns what the log keeps of a client: its version, and whose it is.
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
