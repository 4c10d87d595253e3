// Metrics: the instruments, and what they read from the counts.

package otel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/ahpgen/ahpgen/templates/wire/observe"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// gauge is an instrument for one of the figures.
type gauge struct {
	name, unit, description string
	current                 bool // goes up and down
	read                    func(f *observe.Figures) int64
}

// gauges are those that have no attributes of their own.
var gauges = []gauge{
	{"connection.count", "{connection}", "Open connections.", true, func(f *observe.Figures) int64 { return f.Connections }},
	{"connection.cut", "{connection}", "Connections that this side ended.", false, func(f *observe.Figures) int64 { return f.Cut }},
	{"client.count", "{client}", "Clients of the server.", true, func(f *observe.Figures) int64 { return f.Clients }},
	{"channel.count", "{channel}", "Channels of the server.", true, func(f *observe.Figures) int64 { return f.Channels }},
	{"subscription.count", "{subscription}", "Subscriptions.", true, func(f *observe.Figures) int64 { return f.Subscriptions }},
	{"message.malformed", "{message}", "Messages that could not be decoded.", false, func(f *observe.Figures) int64 { return f.Malformed }},
	{"io.sent", "By", "Bytes of messages that were sent.", false, func(f *observe.Figures) int64 { return f.Sent.Bytes }},
	{"io.received", "By", "Bytes of messages that were received.", false, func(f *observe.Figures) int64 { return f.Received.Bytes }},
	{"action.published", "{action}", "Actions that the server applied.", false, func(f *observe.Figures) int64 { return f.Published }},
	{"action.rejected", "{action}", "Actions that the server refused.", false, func(f *observe.Figures) int64 { return f.Rejected }},
	{"request.refused", "{request}", "Requests that were refused because of a limit.", false, func(f *observe.Figures) int64 { return f.Refused }},
	{"reconnection.replayed", "{reconnection}", "Reconnections with a replay.", false, func(f *observe.Figures) int64 { return f.Replayed }},
	{"reconnection.snapshots", "{reconnection}", "Reconnections with new states.", false, func(f *observe.Figures) int64 { return f.Snapshots }},
	{"session.ready", "{connection}", "How often sessions became ready.", false, func(f *observe.Figures) int64 { return f.Ready }},
	{"session.waiting", "{attempt}", "How often sessions wait before another attempt.", false, func(f *observe.Figures) int64 { return f.Waiting }},
	{"queue.messages", "{message}", "The longest queue of a connection.", true, func(f *observe.Figures) int64 { return f.Queued }},
	{"queue.size", "By", "The most bytes in the queue of a connection.", true, func(f *observe.Figures) int64 { return f.QueuedBytes }},
	{"queue.actions", "{action}", "The longest queue of the server.", true, func(f *observe.Figures) int64 { return f.QueuedActions }},
	{"log.commit", "{commit}", "Commits of the server's log.", false, func(f *observe.Figures) int64 { return f.Logged.Messages }},
	{"log.size", "By", "Bytes of these.", false, func(f *observe.Figures) int64 { return f.Logged.Bytes }},
}

// boundaries are the buckets that the semantic conventions want for durations, in seconds.
var boundaries = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}

// maker makes instruments, and keeps what goes wrong.
type maker struct {
	metric.Meter
	prefix string
	all    []metric.Observable
	errs   []error
}

func (m *maker) duration(name, description string) metric.Float64Histogram {
	out, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(boundaries...))
	m.errs = append(m.errs, err)
	return out
}

func (m *maker) counter(name, unit, description string) metric.Int64Observable {
	out, err := m.Int64ObservableCounter(m.prefix+name, metric.WithUnit(unit), metric.WithDescription(description))
	m.all, m.errs = append(m.all, out), append(m.errs, err)
	return out
}

func (m *maker) current(name, unit, description string) metric.Int64Observable {
	out, err := m.Int64ObservableGauge(m.prefix+name, metric.WithUnit(unit), metric.WithDescription(description))
	m.all, m.errs = append(m.all, out), append(m.errs, err)
	return out
}

func (m *maker) quantiles(name, description string) metric.Float64Observable {
	out, err := m.Float64ObservableGauge(m.prefix+name, metric.WithUnit("s"), metric.WithDescription(description))
	m.all, m.errs = append(m.all, out), append(m.errs, err)
	return out
}

// instruments makes the instruments, and registers the function that reads the counts.
func (o *Observer) instruments(meter metric.Meter) error {
	m := &maker{Meter: meter, prefix: o.options.Prefix}
	o.client = m.duration("rpc.client.call.duration", "Measures the duration of an outgoing Remote Procedure Call (RPC).")
	o.server = m.duration("rpc.server.call.duration", "Measures the duration of an incoming Remote Procedure Call (RPC).")
	simple := make([]metric.Int64Observable, len(gauges))
	for i, g := range gauges {
		if g.current {
			simple[i] = m.current(g.name, g.unit, g.description)
		} else {
			simple[i] = m.counter(g.name, g.unit, g.description)
		}
	}
	lost := m.counter("connection.lost", "{connection}", "Connections that ended with an error.")
	sent := m.counter("message.sent", "{message}", "Messages that were sent.")
	received := m.counter("message.received", "{message}", "Messages that were received.")
	delivery := m.quantiles("delivery.duration", "From a published action until it was written to a connection.")
	commit := m.quantiles("log.commit.duration", "How long commits of the server's log took.")
	if err := errors.Join(m.errs...); err != nil {
		return err
	}
	plain := metric.WithAttributes(o.options.Attributes...)
	var before observe.Figures // collections are not concurrent
	var err error
	o.registration, err = meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		f := o.counts.Read()
		for i, g := range gauges {
			to.ObserveInt64(simple[i], g.read(&f), plain)
		}
		to.ObserveInt64(lost, o.lost.Load(), plain)
		for _, method := range f.Methods {
			name := method.Method
			if name == rpc.Other {
				name = other
			}
			by := o.with(methodKey.String(name))
			to.ObserveInt64(sent, method.Sent, by)
			to.ObserveInt64(received, method.Received, by)
		}
		o.spread(to, delivery, f.Waited.Since(before.Waited))
		o.spread(to, commit, f.Commits.Since(before.Commits))
		before = f
		return nil
	}, m.all...)
	return err
}

// with returns the attributes of all metrics and another one.
func (o *Observer) with(one attribute.KeyValue) metric.ObserveOption {
	return metric.WithAttributes(append([]attribute.KeyValue{one}, o.options.Attributes...)...)
}

// spread reports how durations are spread, if there were any.
func (o *Observer) spread(to metric.Observer, in metric.Float64Observable, s observe.Spread) {
	if s.Count == 0 {
		return
	}
	for _, q := range [...]struct {
		name string
		d    time.Duration
	}{{"0.5", s.Half}, {"0.99", s.Most}} {
		to.ObserveFloat64(in, q.d.Seconds(), o.with(quantileKey.String(q.name)))
	}
}
