// HTTP: how messages travel over it, checked against the methods.

package behaviour

import (
	"maps"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// http determines how messages travel over HTTP.
func (b *builder) http() {
	if in := b.Facts.HTTP; in != nil {
		b.fitting(in, "bad-http", "statement about HTTP", func(b *builder) { b.overHTTP(in) }, func() { b.out.HTTP = nil })
	}
}

func (b *builder) overHTTP(in *facts.HTTP) {
	out := &protocol.HTTP{
		Session: in.Session, Version: in.Version, VersionAt: in.VersionAt, Method: in.Method, Name: in.Name, Mismatch: in.Mismatch, Status: map[int64]int{},
		LastEvent: in.LastEvent, Get: in.Get, Delete: in.Delete, Prime: in.Prime,
		Deferred: in.Deferred, Scope: in.Scope, ScopeAt: in.ScopeAt, Pos: in.Pos,
	}
	for code, status := range in.Status {
		n, err := strconv.ParseInt(code, 10, 64)
		if err != nil {
			b.Errorf(in.Pos, "bad-http", "write it as a 64-bit integer, such as \"-32601\"", "http: status: %q is no error code", code)
			continue
		}
		out.Status[n] = status
	}
	for _, name := range slices.Sorted(maps.Keys(in.Names)) {
		m := b.out.Method(name)
		if m == nil || m.Notification {
			b.Errorf(in.Pos, "bad-http", "name a request of the protocol, or take it away", "http: names: there is no request %q", name)
			continue
		}
		if s := phase.ObjectOf(m.Params); s == nil || s.Field(in.Names[name]) == nil {
			b.Errorf(in.Pos, "bad-http", "name a member that they have", "http: names: the parameters of %s have no member %q", name, in.Names[name])
			continue
		}
		out.Names = append(out.Names, protocol.HTTPName{Method: m, Member: in.Names[name]})
	}
	for _, name := range in.Unscoped {
		m := b.out.Method(name)
		if m == nil || m.Notification {
			b.Errorf(in.Pos, "bad-http", "name a request of the protocol, or take it away", "http: unscoped: there is no request %q", name)
			continue
		}
		out.Unscoped = append(out.Unscoped, m)
	}
	b.out.HTTP = out
	b.divided(out)
}

// divided checks that what divides a session is in the parameters of some method.
func (b *builder) divided(out *protocol.HTTP) {
	if out.Deferred && b.out.Batches != nil {
		b.Errorf(out.Pos, "bad-http", "take one of the two away", "http: deferred: the answers to a batch cannot be deferred")
	}
	if out.ScopeAt == "" {
		return
	}
	for _, m := range b.out.Methods {
		if s := phase.ObjectOf(m.Params); s != nil && s.Field(out.ScopeAt) != nil {
			return
		}
	}
	b.Errorf(out.Pos, "bad-http", "name a member of the parameters of some method", "http: scopeAt: no parameters have a member %q", out.ScopeAt)
}
