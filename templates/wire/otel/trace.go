// Spans: one for each request that is sent or handled, and for notifications within a trace.

package otel

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/meta"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// propagator has the members of metadata that are for trace context.
var propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// TraceSent implements [rpc.Tracer].
func (o *Observer) TraceSent(ctx context.Context, e rpc.Event) (context.Context, map[string]string, func(error)) {
	carrier := propagation.MapCarrier{}
	if e.Kind != rpc.Request && !trace.SpanContextFromContext(ctx).IsValid() {
		propagator.Inject(ctx, carrier) // baggage
		return ctx, carrier, func(error) {}
	}
	ctx, span := o.start(ctx, &e, trace.SpanKindClient)
	propagator.Inject(ctx, carrier)
	return ctx, carrier, o.ended(ctx, span, o.client, &e)
}

// TraceHandled implements [rpc.Tracer].
func (o *Observer) TraceHandled(ctx context.Context, e rpc.Event, metadata json.RawMessage) (context.Context, func(error)) {
	var members map[string]json.RawMessage
	if len(metadata) > 0 && json.Unmarshal(metadata, &members) == nil {
		t := meta.TraceOf(members)
		ctx = propagator.Extract(ctx, propagation.MapCarrier{"traceparent": t.Traceparent, "tracestate": t.Tracestate, "baggage": t.Baggage})
	}
	peer := trace.SpanContextFromContext(ctx)
	if e.Kind != rpc.Request && !peer.IsValid() {
		return ctx, func(error) {}
	}
	var options []trace.SpanStartOption
	if o.options.Public && peer.IsRemote() {
		options = append(options, trace.WithNewRoot(), trace.WithLinks(trace.Link{SpanContext: peer}))
	}
	ctx, span := o.start(ctx, &e, trace.SpanKindServer, options...)
	return ctx, o.ended(ctx, span, o.server, &e)
}

// start starts a span.
func (o *Observer) start(ctx context.Context, e *rpc.Event, kind trace.SpanKind, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	name, method := e.Method, e.Method
	if !e.Known {
		name, method = o.options.System, other
	}
	attributes := append(make([]attribute.KeyValue, 0, 8), systemKey.String(o.options.System), methodKey.String(method))
	if !e.Known {
		attributes = append(attributes, originalKey.String(wire.Readable(e.Method)))
	}
	if o.options.System == jsonRPC {
		attributes = append(attributes, versionKey.String("2.0"))
	}
	if id := text(e.ID); id != "" {
		attributes = append(attributes, idKey.String(id))
	}
	attributes = append(attributes, o.options.Attributes...)
	return o.tracer.Start(ctx, name, append(options, trace.WithSpanKind(kind), trace.WithTimestamp(e.Time), trace.WithAttributes(attributes...))...)
}

// text returns the text of an id, "" for none.
func text(id json.RawMessage) string {
	d := wire.NewDecoder(id)
	switch d.Kind() {
	case '"':
		return wire.Readable(d.Str())
	case '0':
		return wire.Readable(string(id))
	}
	return ""
}

// ended returns the function that ends a span, and measures a request.
func (o *Observer) ended(ctx context.Context, span trace.Span, durations metric.Float64Histogram, e *rpc.Event) func(error) {
	kind, start := e.Kind, e.Time
	s := set{method: e.Method}
	if !e.Known {
		s.method = other
	}
	return func(err error) {
		s := s
		if err != nil {
			s.status, s.kind = outcome(err)
			span.SetAttributes(s.failure()...)
			span.SetStatus(codes.Error, wire.Readable(err.Error()))
		}
		end := time.Now()
		span.End(trace.WithTimestamp(end))
		if kind == rpc.Request {
			durations.Record(ctx, end.Sub(start).Seconds(), o.measured(s)...)
		}
	}
}

// outcome returns the code of an error answer, and the kind of an error: the code, or why there is none.
func outcome(err error) (status, kind string) {
	var answer *rpc.Error
	switch {
	case errors.As(err, &answer):
		status = code(answer.Code)
		return status, status
	case errors.Is(err, context.DeadlineExceeded):
		return "", "timeout"
	case errors.Is(err, context.Canceled):
		return "", "cancelled"
	case errors.Is(err, rpc.ErrClosed):
		return "", "closed"
	}
	return "", other
}
