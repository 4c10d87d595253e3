// Logging: events as records of log/slog.

package observe

import (
	"context"
	"log/slog"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// LogOptions configures [Log].
type LogOptions struct {
	// Level returns the level of an event. The default is [Level].
	Level func(*rpc.Event) slog.Level
	// IDs adds the ids of messages, which peers choose.
	IDs bool
	// Redact returns the text to log for the name of a channel or client, and for the text of an error, which may quote a peer.
	// The key is channel, client or err. The default logs them, shortened and with control characters escaped.
	Redact func(key, text string) string
}

// Level is the default level of an event: errors for a server that failed, warnings for what is cut off, refused, malformed or
// lost, debug for single messages and actions, and info for the rest.
func Level(e *rpc.Event) slog.Level {
	switch e.Type {
	case rpc.EventFailed:
		return slog.LevelError
	case rpc.EventCut, rpc.EventRefused, rpc.EventMalformed, rpc.EventWaiting:
		return slog.LevelWarn
	case rpc.EventEnded, rpc.EventClosed, rpc.EventLogged:
		switch {
		case e.Err != nil:
			return slog.LevelWarn
		case e.Type == rpc.EventLogged:
			return slog.LevelDebug
		}
	case rpc.EventSent, rpc.EventReceived, rpc.EventPublished, rpc.EventRejected, rpc.EventConflict:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// Log returns an observer that logs events. The message is the type of the event. Its attributes are grouped: message for kind,
// method, size, latency, code and id, queue for lengths; conn, channel, client, version, count and err are at the top.
// Payloads are not logged. A nil o means defaults.
func Log(l *slog.Logger, o *LogOptions) rpc.Observer {
	out := &logger{to: l.Handler()}
	if o != nil {
		out.options = *o
	}
	if out.options.Level == nil {
		out.options.Level = Level
	}
	if out.options.Redact == nil {
		out.options.Redact = func(_, text string) string { return wire.Readable(text) }
	}
	return out
}

type logger struct {
	to      slog.Handler
	options LogOptions
}

// Observe implements [rpc.Observer].
func (l *logger) Observe(e rpc.Event) {
	ctx := context.Background()
	level := l.options.Level(&e)
	if !l.to.Enabled(ctx, level) {
		return
	}
	r := slog.NewRecord(e.Time, level, e.Type.String(), 0)
	if e.Conn != 0 {
		r.AddAttrs(slog.Uint64("conn", e.Conn))
	}
	for _, name := range [...]struct{ key, text string }{{"client", e.Client}, {"channel", e.Channel}, {"version", e.Version}} {
		if name.text != "" {
			r.AddAttrs(slog.String(name.key, l.options.Redact(name.key, name.text)))
		}
	}
	if message := l.message(&e); len(message) > 0 {
		r.AddAttrs(slog.Attr{Key: "message", Value: slog.GroupValue(message...)})
	}
	if counts(e.Type) {
		r.AddAttrs(slog.Int("count", e.Count))
	}
	if e.Queued > 0 || e.QueuedBytes > 0 {
		r.AddAttrs(slog.Group("queue", slog.Int("messages", e.Queued), slog.Int64("bytes", e.QueuedBytes)))
	}
	if e.Err != nil {
		r.AddAttrs(slog.String("err", l.options.Redact("err", e.Err.Error())))
	}
	_ = l.to.Handle(ctx, r)
}

// counts reports whether Count says something about an event.
func counts(t rpc.EventType) bool {
	return t >= rpc.EventConnecting && t != rpc.EventClosed && t != rpc.EventFailed
}

// message returns the attributes about a message.
func (l *logger) message(e *rpc.Event) (out []slog.Attr) {
	if e.Kind != "" {
		out = append(out, slog.String("kind", string(e.Kind)))
	}
	if e.Method != "" {
		out = append(out, slog.String("method", wire.Readable(e.Method)))
	}
	if l.options.IDs && e.ID != nil {
		out = append(out, slog.String("id", wire.Readable(string(e.ID))))
	}
	if e.Size > 0 {
		out = append(out, slog.Int("size", e.Size))
	}
	if e.Latency > 0 {
		out = append(out, slog.Duration("latency", e.Latency))
	}
	if e.Code != 0 {
		out = append(out, slog.Int64("code", e.Code))
	}
	return out
}
