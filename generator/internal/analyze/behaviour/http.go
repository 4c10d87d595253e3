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
func (b *builder) http(in *facts.HTTP) {
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
	if r := in.Refusal; r != nil {
		out.Refusal = &protocol.HTTPRefusal{Code: r.Code, Supported: r.Supported, Requested: r.Requested}
	}
	b.httpArguments(out, in)
	for _, name := range slices.Sorted(maps.Keys(in.Names)) {
		if m := b.repeated(in, "names", name, in.Names[name]); m != nil {
			out.Names = append(out.Names, protocol.HTTPName{Method: m, Member: in.Names[name]})
		}
	}
	for _, name := range in.Unscoped {
		if m := b.repeated(in, "unscoped", name); m != nil {
			out.Unscoped = append(out.Unscoped, m)
		}
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

// httpArguments determines the arguments that headers repeat.
func (b *builder) httpArguments(out *protocol.HTTP, in *facts.HTTP) {
	if a := in.Arguments; a != nil {
		if m := b.repeated(in, "arguments", a.Method, a.Called, a.In); m != nil {
			out.Arguments = &protocol.HTTPArguments{Method: m, Called: a.Called, In: a.In, Keyword: a.Keyword, Prefix: a.Prefix}
		}
	}
}

// repeated returns the request of a name, or nil if there is none with these members of its parameters, which headers repeat.
func (b *builder) repeated(in *facts.HTTP, what, name string, members ...string) *protocol.Method {
	m := b.out.Method(name)
	if m == nil || m.Notification {
		b.Errorf(in.Pos, "bad-http", "name a request of the protocol, or take it away", "http: %s: there is no request %q", what, name)
		return nil
	}
	for _, member := range members {
		if s := phase.ObjectOf(m.Params); s == nil || s.Field(member) == nil {
			b.Errorf(in.Pos, "bad-http", "name a member that they have", "http: %s: the parameters of %s have no member %q", what, name, member)
			return nil
		}
	}
	return m
}
