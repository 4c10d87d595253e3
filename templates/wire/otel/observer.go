// The observer: its options, and what it counts.

package otel

import (
	"cmp"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/ahpgen/ahpgen/templates/wire/observe"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Options configures an [Observer]. Zero fields use defaults.
type Options struct {
	// MeterProvider makes the instruments. Without one there are no metrics.
	MeterProvider metric.MeterProvider
	// TracerProvider makes the spans. Without one there are none, and trace context is passed on as it is.
	TracerProvider trace.TracerProvider
	// System is rpc.system.name. The default is jsonrpc.
	System string
	// Prefix begins the names of the metrics that the semantic conventions do not have. The default is "ahpgen.".
	Prefix string
	// Attributes are added to all metrics and spans. They distinguish several observers of one process.
	Attributes []attribute.KeyValue
	// Public makes the spans of handled messages begin traces of their own, with a link to the peer's span, which is not trusted
	// to be their parent.
	Public bool
}

// Observer is an observer of connections, sessions and one server. It is an [rpc.Tracer].
type Observer struct {
	counts observe.Counts
	lost   atomic.Int64

	options        Options
	tracer         trace.Tracer
	client, server metric.Float64Histogram // durations
	registration   metric.Registration

	sets  sync.Map // set to []metric.RecordOption
	known atomic.Int64
}

var (
	_ rpc.Tracer  = (*Observer)(nil)
	_ rpc.Counter = (*Observer)(nil)
)

// scope is the name of the instrumentation.
const scope = "github.com/ahpgen/ahpgen/wire/otel"

// New returns an observer. It fails if an instrument cannot be made. A nil o means defaults.
func New(o *Options) (*Observer, error) {
	out := &Observer{}
	if o != nil {
		out.options = *o
	}
	out.options.System = cmp.Or(out.options.System, jsonRPC)
	out.options.Prefix = cmp.Or(out.options.Prefix, "ahpgen.")
	if out.options.MeterProvider == nil {
		out.options.MeterProvider = metricnoop.NewMeterProvider()
	}
	if out.options.TracerProvider == nil {
		out.options.TracerProvider = tracenoop.NewTracerProvider()
	}
	out.tracer = out.options.TracerProvider.Tracer(scope)
	if err := out.instruments(out.options.MeterProvider.Meter(scope)); err != nil {
		return nil, fmt.Errorf("make instruments: %w", err)
	}
	return out, nil
}

// Close ends the reporting of metrics. Connections may still have the observer.
func (o *Observer) Close() error { return o.registration.Unregister() }

// Observe implements [rpc.Observer].
func (o *Observer) Observe(e rpc.Event) {
	o.counts.Observe(e)
	if e.Type == rpc.EventEnded && e.Err != nil {
		o.lost.Add(1)
	}
}

// CountSent implements [rpc.Counter].
func (o *Observer) CountSent(m rpc.Sent) { o.counts.CountSent(m) }

// Names of attributes and values, by the semantic conventions.
const (
	jsonRPC = "jsonrpc"
	other   = "_OTHER"

	systemKey   = attribute.Key("rpc.system.name")
	methodKey   = attribute.Key("rpc.method")
	originalKey = attribute.Key("rpc.method_original")
	statusKey   = attribute.Key("rpc.response.status_code")
	errorKey    = attribute.Key("error.type")
	versionKey  = attribute.Key("jsonrpc.protocol.version")
	idKey       = attribute.Key("jsonrpc.request.id")

	quantileKey = attribute.Key("quantile")
)

// set is what distinguishes the durations of requests.
type set struct {
	method string // or other
	status string // the code of an error answer, or ""
	kind   string // of an error, or ""
}

// maxSets bounds the distinct attributes of durations: peers choose the codes of errors, and relays pass names on.
const maxSets = 1000

// measured returns the attributes of a duration.
func (o *Observer) measured(s set) []metric.RecordOption {
	if found, ok := o.sets.Load(s); ok {
		return found.([]metric.RecordOption)
	}
	if o.known.Add(1) > maxSets {
		s.method = other
		if s.kind != "" {
			s.status, s.kind = "", other
		}
	}
	attributes := append([]attribute.KeyValue{systemKey.String(o.options.System), methodKey.String(s.method)}, o.options.Attributes...)
	out := []metric.RecordOption{metric.WithAttributes(append(attributes, s.failure()...)...)}
	found, _ := o.sets.LoadOrStore(s, out)
	return found.([]metric.RecordOption)
}

// failure returns the attributes of an error.
func (s set) failure() (out []attribute.KeyValue) {
	if s.status != "" {
		out = append(out, statusKey.String(s.status))
	}
	if s.kind != "" {
		out = append(out, errorKey.String(s.kind))
	}
	return out
}

// code returns the text of an error code.
func code(n int64) string { return strconv.FormatInt(n, 10) }
