// Package observe has observers for connections, sessions and servers: one that logs with log/slog, and one that counts. An
// observer is set as Observe in rpc.Options, conn.Options or the options of a server.
package observe

import "github.com/ahpgen/ahpgen/templates/wire/rpc"

// All returns an observer that passes each event to several. Nil ones are left out. If one is an [rpc.Tracer], so is the result;
// of several, the first one traces.
func All(observers ...rpc.Observer) rpc.Observer {
	var out all
	for _, o := range observers {
		if o != nil {
			out = append(out, o)
		}
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	for _, o := range out {
		if t, ok := o.(rpc.Tracer); ok {
			return tracing{out, t}
		}
	}
	return out
}

// tracing is several observers, of which one traces.
type tracing struct {
	all
	rpc.Tracer
}

// Observe implements [rpc.Observer].
func (t tracing) Observe(e rpc.Event) { t.all.Observe(e) }

type all []rpc.Observer

// Observe implements [rpc.Observer].
func (a all) Observe(e rpc.Event) {
	for _, o := range a {
		o.Observe(e)
	}
}

// Func is a function as an observer.
type Func func(e rpc.Event)

// Observe implements [rpc.Observer].
func (f Func) Observe(e rpc.Event) { f(e) }
