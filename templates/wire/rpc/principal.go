// Principals: who is at the other end of a connection.

package rpc

import "context"

// Principal identifies the peer of a connection, as authenticated by the code that accepted it: by a token, a
// certificate, a user of the operating system. Messages of the peer do not change it. The zero value means that the peer
// was not authenticated.
type Principal struct {
	// Name tells principals apart: two connections with the same name belong to the same one.
	Name string
	// Details is what else was found out, for the program that put it there.
	Details any
}

// Anonymous reports whether nothing was found out.
func (p Principal) Anonymous() bool { return p.Name == "" }

type principalKey struct{}

// WithPrincipal returns a context for serving a connection of a principal: [Peer.Serve] hands it on to all handlers.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns the principal behind what a handler handles. It is the zero value where nothing was found out.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}
