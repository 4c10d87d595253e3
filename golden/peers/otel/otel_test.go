// What OpenTelemetry's SDK gets to see of a host and its clients.

package otel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/observe"
	"github.com/ahpgen/ahpgen/generated/wire/otel"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

const channel = "ahp-session:/1"

// collected is an observer, and what it has reported.
type collected struct {
	*otel.Observer
	tracers *sdktrace.TracerProvider
	spans   *tracetest.InMemoryExporter
	reader  *metric.ManualReader
}

func collect(t *testing.T, o otel.Options) *collected {
	t.Helper()
	c := &collected{spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader()}
	c.tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(c.spans))
	meters := metric.NewMeterProvider(metric.WithReader(c.reader))
	o.MeterProvider, o.TracerProvider = meters, c.tracers
	var err error
	c.Observer, err = otel.New(&o)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		require.NoError(t, meters.Shutdown(context.Background()))
		require.NoError(t, c.tracers.Shutdown(context.Background()))
	})
	return c
}

// span returns the one span with a name and a kind.
func (c *collected) span(t *testing.T, name string, kind trace.SpanKind) tracetest.SpanStub {
	t.Helper()
	var found []tracetest.SpanStub
	for _, s := range c.spans.GetSpans() {
		if s.Name == name && s.SpanKind == kind {
			found = append(found, s)
		}
	}
	require.Len(t, found, 1, "%s %s of %v", kind, name, c.spans.GetSpans().Snapshots())
	return found[0]
}

// points returns the metrics by name, as lines of attributes and value.
func (c *collected) points(t *testing.T) map[string][]string {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, c.reader.Collect(context.Background(), &all))
	out := map[string][]string{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			var lines []string
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					lines = append(lines, fmt.Sprintf("%s %d", shown(p.Attributes), p.Value))
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					lines = append(lines, fmt.Sprintf("%s %d", shown(p.Attributes), p.Value))
				}
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					lines = append(lines, fmt.Sprintf("%s %t", shown(p.Attributes), p.Value > 0 && p.Value < 60))
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					require.Len(t, p.Bounds, 14)
					lines = append(lines, fmt.Sprintf("%s %d %t", shown(p.Attributes), p.Count, p.Sum > 0 && p.Sum < 60))
				}
			default:
				t.Fatalf("%s: %T", m.Name, m.Data)
			}
			slices.Sort(lines)
			out[m.Name] = lines
		}
	}
	return out
}

func shown(s attribute.Set) string { return s.Encoded(attribute.DefaultEncoder()) }

// host returns a host with a session, and what dials it.
func host(t *testing.T, o *ahp.ServerOptions) (*ahp.Server, func(context.Context) (rpc.Transport, error)) {
	t.Helper()
	s, err := ahp.NewServer(o)
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(channel, &ahp.SessionState{
		Title: "Draft", Lifecycle: ahp.SessionLifecycleReady, Status: ahp.SessionStatusIdle,
		ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{},
	}))
	var served sync.WaitGroup
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		served.Wait()
	})
	return s, func(context.Context) (rpc.Transport, error) {
		here, there := net.Pipe()
		served.Go(func() { _ = s.Serve(context.Background(), rpc.Stream(there)) })
		return rpc.Stream(here), nil
	}
}

func TestATraceGoesFromACallToItsHandler(t *testing.T) {
	for _, public := range []bool{false, true} {
		t.Run(fmt.Sprintf("public=%t", public), func(t *testing.T) {
			here, there := collect(t, otel.Options{}), collect(t, otel.Options{Public: public, Attributes: []attribute.KeyValue{attribute.String("zone", "b")}})
			admitted := make(chan context.Context, 2)
			_, dial := host(t, &ahp.ServerOptions{
				Observe: observe.All(new(observe.Counts), there.Observer),
				Admit: func(ctx context.Context, _ *server.Client, _ string) error {
					admitted <- ctx
					return nil
				},
			})
			session, err := ahp.Connect(context.Background(), dial, &ahp.ConnOptions{Keep: conn.Options{Observe: here.Observer}})
			require.NoError(t, err)
			defer session.Close()
			here.spans.Reset()

			member, err := baggage.NewMemberRaw("user", "amélie")
			require.NoError(t, err)
			bag, err := baggage.New(member)
			require.NoError(t, err)
			ctx, outer := here.tracers.Tracer("program").Start(baggage.ContextWithBaggage(context.Background(), bag), "program")
			require.NoError(t, session.Subscribe(ctx, channel))
			outer.End()

			sent, handled := here.span(t, "subscribe", trace.SpanKindClient), there.span(t, "subscribe", trace.SpanKindServer)
			require.Equal(t, outer.SpanContext().SpanID(), sent.Parent.SpanID())
			inner := <-admitted
			require.Equal(t, handled.SpanContext, trace.SpanContextFromContext(inner), "the handler is within the span")
			require.Equal(t, "amélie", baggage.FromContext(inner).Member("user").Value())
			if public {
				require.NotEqual(t, sent.SpanContext.TraceID(), handled.SpanContext.TraceID())
				require.Equal(t, sent.SpanContext.SpanID(), handled.Links[0].SpanContext.SpanID())
			} else {
				require.Equal(t, sent.SpanContext.SpanID(), handled.Parent.SpanID())
				require.Equal(t, sent.SpanContext.TraceID(), handled.SpanContext.TraceID())
				require.True(t, handled.Parent.IsRemote())
			}
			require.False(t, handled.StartTime.After(handled.EndTime))
			const want = "jsonrpc.protocol.version=2.0,jsonrpc.request.id=2,rpc.method=subscribe,rpc.system.name=jsonrpc"
			require.Equal(t, want, ordered(sent.Attributes))
			require.Equal(t, want+",zone=b", ordered(handled.Attributes))
			require.Equal(t, codes.Unset, handled.Status.Code)

			for name, c := range map[string]*collected{"rpc.client.call.duration": here, "rpc.server.call.duration": there} {
				zone := map[*collected]string{there: ",zone=b"}[c]
				require.Contains(t, c.points(t)[name], "rpc.method=subscribe,rpc.system.name=jsonrpc"+zone+" 1 true", name)
			}
		})
	}
}

// ordered returns attributes as text.
func ordered(attributes []attribute.KeyValue) string {
	var out []string
	for _, a := range attributes {
		out = append(out, string(a.Key)+"="+a.Value.Emit())
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

func TestMadeUpMethodsAreOne(t *testing.T) {
	c := collect(t, otel.Options{})
	_, dial := host(t, &ahp.ServerOptions{Observe: c.Observer})
	transport, err := dial(context.Background())
	require.NoError(t, err)
	peer := rpc.NewPeer(transport, nil)
	var served sync.WaitGroup
	served.Go(func() { _ = peer.Serve(context.Background(), &ahp.ClientHandlers{}) })
	_, err = ahp.NewHostConn(peer).Initialize(context.Background(), &ahp.InitializeParams{ClientID: "me", ProtocolVersions: ahp.SupportedVersions()})
	require.NoError(t, err)
	for i := range 200 {
		_, err := peer.Call(context.Background(), fmt.Sprint("made-up-", i), nil)
		require.Error(t, err)
	}
	require.NoError(t, peer.Close())
	served.Wait()
	found := 0
	for _, s := range c.spans.GetSpans() {
		if s.Name == "jsonrpc" {
			require.Contains(t, ordered(s.Attributes), "error.type=-32601")
			require.Contains(t, ordered(s.Attributes), "rpc.method=_OTHER,rpc.method_original=made-up-"+fmt.Sprint(found)+",rpc.response.status_code=-32601")
			require.Equal(t, codes.Error, s.Status.Code)
			found++
		}
	}
	require.Equal(t, 200, found)
	points := c.points(t)
	require.Equal(t, []string{
		"error.type=-32601,rpc.method=_OTHER,rpc.response.status_code=-32601,rpc.system.name=jsonrpc 200 true",
		"rpc.method=initialize,rpc.system.name=jsonrpc 1 true",
	}, points["rpc.server.call.duration"])
	require.Equal(t, []string{"rpc.method=_OTHER 200", "rpc.method=initialize 1"}, points["ahpgen.message.received"])
	require.Empty(t, points["rpc.client.call.duration"])
}

func TestCodesOfErrorsAreBounded(t *testing.T) {
	c := collect(t, otel.Options{})
	a, b := net.Pipe()
	ours, theirs := rpc.NewPeer(rpc.Stream(a), &rpc.Options{Observe: c.Observer}), rpc.NewPeer(rpc.Stream(b), nil)
	var both sync.WaitGroup
	both.Go(func() { _ = ours.Serve(context.Background(), nil) })
	both.Go(func() { _ = theirs.Serve(context.Background(), new(codesOf)) })
	for range 3000 {
		_, err := ours.Call(context.Background(), "x", nil)
		require.Error(t, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := ours.Call(ctx, "x", nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, ours.Close())
	_, err = ours.Call(context.Background(), "x", nil)
	require.ErrorIs(t, err, rpc.ErrClosed)
	both.Wait()
	lines := c.points(t)["rpc.client.call.duration"]
	require.LessOrEqual(t, len(lines), 1003)
	require.True(t, slices.ContainsFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "error.type=_OTHER,rpc.method=_OTHER,rpc.system.name=jsonrpc 200")
	}), "%s", lines[:3])
}

// codesOf answers each request with another code.
type codesOf struct{ n int64 }

func (*codesOf) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

func (c *codesOf) ServeRPC(context.Context, *rpc.Message) (json.RawMessage, error) {
	c.n++
	return nil, &rpc.Error{Code: c.n, Message: "no"}
}

func TestCallsWithoutAnAnswerAreMeasured(t *testing.T) {
	c := collect(t, otel.Options{})
	a, b := net.Pipe()
	ours, theirs := rpc.NewPeer(rpc.Stream(a), &rpc.Options{Observe: c.Observer, CallTimeout: time.Nanosecond}), rpc.NewPeer(rpc.Stream(b), nil)
	var both sync.WaitGroup
	both.Go(func() { _ = ours.Serve(context.Background(), nil) })
	both.Go(func() { _ = theirs.Serve(context.Background(), nil) })
	_, err := ours.Call(context.Background(), "x", nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, ours.Close())
	both.Wait()
	require.Equal(t, []string{"error.type=timeout,rpc.method=x,rpc.system.name=jsonrpc 1 true"}, c.points(t)["rpc.client.call.duration"])
	require.Equal(t, "error.type=timeout,jsonrpc.protocol.version=2.0,jsonrpc.request.id=1,rpc.method=x,rpc.system.name=jsonrpc", ordered(c.spans.GetSpans()[0].Attributes))
}

// documented returns the names of the metrics in the comment of the package.
func documented(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "templates", "wire", "otel", "doc.go"))
	require.NoError(t, err)
	for _, line := range regexp.MustCompile(`(?m)^//\t([a-z]+\.[a-z.]+(?:, [a-z.]+)*) +[a-z]`).FindAllStringSubmatch(string(text), -1) {
		for _, name := range strings.Split(line[1], ", ") {
			out = append(out, "test."+name)
		}
	}
	slices.Sort(out)
	return out
}

// failing is a log that fails when it is told to.
type failing struct{ err error }

func (*failing) Load(func(server.Record) error) error { return nil }

func (f *failing) Append([]server.Record) error { return f.err }

func TestMetricsAreThoseThatAreDocumented(t *testing.T) {
	c := collect(t, otel.Options{Prefix: "test."})
	_, dial := host(t, &ahp.ServerOptions{Observe: c.Observer, Log: &failing{}})
	session, err := ahp.Connect(context.Background(), dial, nil)
	require.NoError(t, err)
	require.NoError(t, session.Subscribe(context.Background(), channel))
	require.NoError(t, session.Dispatch(context.Background(), channel, &ahp.SessionTitleChangedAction{Title: "Mine"}))
	require.NoError(t, session.Host.Ping(context.Background(), &ahp.PingParams{}))
	points := c.points(t)
	var names []string
	for name := range points {
		if strings.HasPrefix(name, "test.") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	want := documented(t)
	require.Greater(t, len(want), 20)
	require.Equal(t, want, names)
	for name, value := range map[string]string{
		"connection.count": " 1", "client.count": " 1", "channel.count": " 1", "subscription.count": " 1", "connection.lost": " 0",
		"action.published": " 1", "action.rejected": " 0", "queue.size": " ", "delivery.duration": "quantile=0.5 true",
	} {
		require.True(t, strings.HasPrefix(points["test."+name][0], value), "%s: %q", name, points["test."+name])
	}
	require.Contains(t, points["test.message.sent"], "rpc.method=action 1")
	require.NoError(t, session.Close())
	require.NotContains(t, c.points(t), "test.delivery.duration", "nothing was published since")
}

func TestNothingIsTracedWithoutAProvider(t *testing.T) {
	o, err := otel.New(nil)
	require.NoError(t, err)
	spans := tracetest.NewInMemoryExporter()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	ctx, span := tracers.Tracer("program").Start(context.Background(), "program")
	sent, metadata, ended := o.TraceSent(ctx, rpc.Event{Kind: rpc.Request, Method: "x", Known: true})
	require.Contains(t, metadata["traceparent"], span.SpanContext().TraceID().String(), "context is passed on")
	ended(errors.New("no"))
	require.Equal(t, span.SpanContext().SpanID(), trace.SpanContextFromContext(sent).SpanID())
	require.Empty(t, spans.GetSpans())
	require.NoError(t, o.Close())
}
