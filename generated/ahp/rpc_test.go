// Tests of the emitted client and host ends, against each other and against messages.

package ahp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/ahpgen/ahpgen/generated/wire/rpc/spec"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

var ctx = context.Background()

// bytesConn is a connection that takes every message through its bytes, as a transport would.
type bytesConn struct {
	peer rpc.Handler
	mu   sync.Mutex
	next int
	sent []string
}

func (w *bytesConn) exchange(ctx context.Context, m rpc.Message) (*rpc.Message, error) {
	data, err := m.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.sent = append(w.sent, string(data))
	w.mu.Unlock()
	message, err := w.peer.DecodeRPC(data)
	if err != nil {
		return nil, err
	}
	reply, ok := rpc.Dispatch(ctx, w.peer, &message)
	if !ok {
		return nil, nil
	}
	if data, err = reply.AppendJSON(nil); err != nil {
		return nil, err
	}
	back, err := rpc.Decode(data, nil)
	return &back, err
}

func (w *bytesConn) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	w.mu.Lock()
	w.next++
	id := json.RawMessage(fmt.Sprintf(`"\u0063%d"`, w.next)) // an escape, which has to come back as it is
	w.mu.Unlock()
	reply, err := w.exchange(ctx, rpc.Message{Kind: rpc.Request, ID: id, Method: method, Params: params})
	switch {
	case err != nil:
		return nil, err
	case reply == nil || string(reply.ID) != string(id):
		return nil, fmt.Errorf("no answer to %s: %v", id, reply)
	case reply.Error != nil:
		return nil, reply.Error
	}
	return reply.Result, nil
}

func (w *bytesConn) Notify(ctx context.Context, method string, params json.RawMessage) error {
	reply, err := w.exchange(ctx, rpc.Message{Kind: rpc.Notification, Method: method, Params: params})
	if reply != nil {
		return fmt.Errorf("a notification was answered: %v", reply)
	}
	return err
}

// toHost is a client connected to handlers, over bytes.
func toHost(h *ahp.HostHandlers) (*ahp.HostConn, *bytesConn) {
	w := &bytesConn{peer: h}
	return ahp.NewHostConn(w), w
}

func toClient(h *ahp.ClientHandlers) (*ahp.ClientConn, *bytesConn) {
	w := &bytesConn{peer: h}
	return ahp.NewClientConn(w), w
}

// rpcError is the error in err that came from the peer.
func rpcError(t *testing.T, err error) *rpc.Error {
	t.Helper()
	var e *rpc.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestEveryMethodHasBothEnds(t *testing.T) {
	sends := map[string]reflect.Type{"client": reflect.TypeFor[*ahp.HostConn](), "host": reflect.TypeFor[*ahp.ClientConn]()}
	takes := map[string]reflect.Type{"client": reflect.TypeFor[ahp.HostHandlers](), "host": reflect.TypeFor[ahp.ClientHandlers]()}
	count := map[string]int{}
	for _, m := range ahp.Methods() {
		for _, side := range []string{"client", "host"} {
			if m.From != "both" && m.From != side {
				continue
			}
			kind := "request"
			if m.Notification {
				kind = "notification"
			}
			count[side+" "+kind]++
			name := ""
			for i := range takes[side].NumField() {
				if f := takes[side].Field(i); strings.EqualFold(f.Name, strings.ReplaceAll(m.Method, "/", "")) {
					name = f.Name
				}
			}
			require.NotEmpty(t, name, "no handler for %s of the %s", m.Method, side)
			_, ok := sends[side].MethodByName(name)
			require.True(t, ok, "no method for %s of the %s", m.Method, side)
		}
		require.NotEmpty(t, m.Since, m.Method)
		info, ok := ahp.LookupMethod(m.Method)
		require.True(t, ok)
		require.Equal(t, m.Since, info.Since)
	}
	// 20 requests of clients alone, 11 of both sides; of notifications, one of clients, eight of hosts, two of both.
	require.Equal(t, map[string]int{"client request": 31, "host request": 11, "client notification": 3, "host notification": 10}, count)
}

func TestAForkOfAnOlderClientNeedsNoKind(t *testing.T) {
	var got ahp.ChatSource
	h := &ahp.HostHandlers{CreateChat: func(_ context.Context, p *ahp.CreateChatParams) error { got = p.Source; return nil }}
	params := `{"channel":"ahp-session:/1","chat":"ahp-chat:/2","source":{"chat":"ahp-chat:/1","turnId":"t"}}` // as of 0.6.0
	_, err := rpc.Local(h).Call(ctx, "createChat", json.RawMessage(params))
	require.NoError(t, err)
	require.Equal(t, &ahp.ForkChatSource{Chat: "ahp-chat:/1", TurnID: "t"}, got)
}

func TestAHostWatchesFilesOfAClient(t *testing.T) {
	const watch = "ahp-resource-watch:/1"
	var steps []string
	changes := make(chan *ahp.ActionEnvelope, 1)
	client, _ := toHost(&ahp.HostHandlers{Action: func(_ context.Context, e *ahp.ActionEnvelope) { changes <- e }})
	host, _ := toClient(&ahp.ClientHandlers{
		CreateResourceWatch: func(_ context.Context, p *ahp.CreateResourceWatchParams) (*ahp.CreateResourceWatchResult, error) {
			steps = append(steps, "watch "+p.URI)
			return &ahp.CreateResourceWatchResult{Channel: watch}, nil
		},
		Subscribe: func(_ context.Context, p *ahp.SubscribeParams) (*ahp.SubscribeResult, error) {
			steps = append(steps, "subscribe "+p.Channel)
			return &ahp.SubscribeResult{Snapshot: &ahp.Snapshot{Resource: p.Channel, State: &ahp.ResourceWatchState{Root: "file:///a"}}}, nil
		},
		Unsubscribe: func(_ context.Context, p *ahp.UnsubscribeParams) {
			steps = append(steps, "unsubscribe "+p.Channel)
		},
	})

	made, err := host.CreateResourceWatch(ctx, &ahp.CreateResourceWatchParams{URI: "file:///a"})
	require.NoError(t, err)
	subscribed, err := host.Subscribe(ctx, &ahp.SubscribeParams{Channel: made.Channel})
	require.NoError(t, err)
	require.Equal(t, &ahp.ResourceWatchState{Root: "file:///a"}, subscribed.Snapshot.State)

	change := ahp.ResourceWatchChangedActionChanges{Items: []ahp.ResourceChange{{URI: "file:///a/b", Type: ahp.ResourceChangeTypeAdded}}}
	sent := &ahp.ActionEnvelope{Channel: watch, Action: &ahp.ResourceWatchChangedAction{Changes: change}, ServerSeq: 1}
	require.NoError(t, client.Action(ctx, sent))
	require.Equal(t, sent, <-changes)

	require.NoError(t, host.Unsubscribe(ctx, &ahp.UnsubscribeParams{Channel: watch}))
	require.Equal(t, []string{"watch file:///a", "subscribe " + watch, "unsubscribe " + watch}, steps)
}

func TestTypedCallsReachTypedHandlers(t *testing.T) {
	var dispatched *ahp.DispatchActionParams
	client, w := toHost(&ahp.HostHandlers{
		ListSessions: func(_ context.Context, p *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
			return &ahp.ListSessionsResult{NextCursor: p.Cursor}, nil
		},
		CreateSession:  func(_ context.Context, p *ahp.CreateSessionParams) error { return nil },
		Ping:           func(context.Context, *ahp.PingParams) error { return nil },
		DispatchAction: func(_ context.Context, p *ahp.DispatchActionParams) { dispatched = p },
		Reconnect: func(context.Context, *ahp.ReconnectParams) (ahp.ReconnectResult, error) {
			return &ahp.ReconnectReplayResult{Actions: []ahp.ActionEnvelope{}, Missing: []ahp.URI{"ahp-session:/1"}}, nil
		},
	})
	list, err := client.ListSessions(ctx, &ahp.ListSessionsParams{Cursor: ptr("c")})
	require.NoError(t, err)
	require.Equal(t, "c", *list.NextCursor)
	require.NoError(t, client.CreateSession(ctx, &ahp.CreateSessionParams{Channel: "ahp-session:/1"}))
	require.NoError(t, client.Ping(ctx, nil))
	result, err := client.Reconnect(ctx, &ahp.ReconnectParams{ClientID: "c", Subscriptions: []ahp.URI{}})
	require.NoError(t, err)
	require.IsType(t, &ahp.ReconnectReplayResult{}, result)
	want := &ahp.DispatchActionParams{Channel: "ahp-session:/1", ClientSeq: 3, Action: &ahp.SessionTitleChangedAction{Title: "Hello"}}
	require.NoError(t, client.DispatchAction(ctx, want))
	require.Equal(t, want, dispatched)
	require.Contains(t, w.sent, `{"jsonrpc":"2.0","id":"\u00633","method":"ping","params":{"channel":"ahp-root://"}}`)
}

func TestResourceMethodsGoBothWays(t *testing.T) {
	read := func(_ context.Context, p *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error) {
		return &ahp.ResourceReadResult{Data: p.URI, Encoding: ahp.ContentEncodingUTF8}, nil
	}
	client, _ := toHost(&ahp.HostHandlers{ResourceRead: read})
	host, _ := toClient(&ahp.ClientHandlers{ResourceRead: read})
	for _, side := range []interface {
		ResourceRead(context.Context, *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error)
		ResourceMkdir(context.Context, *ahp.ResourceMkdirParams) (*ahp.ResourceMkdirResult, error)
	}{client, host} {
		got, err := side.ResourceRead(ctx, &ahp.ResourceReadParams{URI: "file:///a"})
		require.NoError(t, err)
		require.Equal(t, "file:///a", got.Data)
		_, err = side.ResourceMkdir(ctx, &ahp.ResourceMkdirParams{URI: "file:///b"})
		require.ErrorIs(t, err, ahp.ErrorCodeMethodNotFound)
	}
}

func TestRequestsAreAnsweredWhateverHappens(t *testing.T) {
	var panics []any
	own := &rpc.Error{Code: 4711, Message: "own", Data: json.RawMessage(`{"n": 9007199254740993}`)}
	h := &ahp.HostHandlers{
		FetchTurns:    func(context.Context, *ahp.FetchTurnsParams) (*ahp.FetchTurnsResult, error) { panic("secret") },
		CreateSession: func(context.Context, *ahp.CreateSessionParams) error { return ahp.ErrorCodeSessionAlreadyExists },
		DisposeChat:   func(context.Context, *ahp.DisposeChatParams) error { return own },
		DisposeSession: func(context.Context, *ahp.DisposeSessionParams) error {
			return fmt.Errorf("disk: %w", errors.New("full"))
		},
		Authenticate: func(context.Context, *ahp.AuthenticateParams) (*ahp.AuthenticateResult, error) {
			return nil, &ahp.AuthRequiredErrorData{Resources: []ahp.ProtectedResourceMetadata{}}
		},
		Completions: func(context.Context, *ahp.CompletionsParams) (*ahp.CompletionsResult, error) { return nil, nil },
		ListSessions: func(ctx context.Context, _ *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
			return nil, ctx.Err()
		},
		OnPanic: func(_ context.Context, method string, value any) { panics = append(panics, method, value) },
	}
	const channel = `{"channel":"ahp-session:/1"`
	for _, c := range []struct {
		name, method, params string
		code                 ahp.ErrorCode
		message, data        string
	}{
		{"a method that the table does not know", "x", `{}`, -32601, `method not found: "x"`, ""},
		{"a method without a handler", "subscribe", channel + `}`, -32601, `method not found: "subscribe"`, ""},
		{"a notification's method", "unsubscribe", channel + `}`, -32601, `method not found: "unsubscribe"`, ""},
		{"a method of the other side", "action", `{}`, -32601, `method not found: "action"`, ""},
		{"bad parameters", "createSession", `{"channel":7}`, -32602, "params: channel: want string, got number", ""},
		{"no parameters", "createSession", ``, -32602, "params: missing", ""},
		{"parameters by position", "createSession", `["ahp-session:/1"]`, -32602, "params: want object, got array", ""},
		{"a panic", "fetchTurns", channel + `}`, -32603, "the handler failed", ""},
		{"a code", "createSession", channel + `}`, -32003, "SessionAlreadyExists", ""},
		{"an error of the handler's own", "disposeChat", channel + `}`, 4711, "own", `{"n": 9007199254740993}`},
		{"any other error", "disposeSession", channel + `}`, -32603, "disk: full", ""},
		{"data that stands for its error", "authenticate", `{"channel":"ahp-root://","resource":"r","token":"t"}`, -32007, "AuthRequired", `{"resources":[]}`},
		{"neither result nor error", "completions", `{"channel":"c","kind":"userMessage","text":"","offset":0}`, -32603, "result: missing: the value is nil", ""},
	} {
		_, err := rpc.Local(h).Call(ctx, c.method, json.RawMessage(c.params))
		e := rpcError(t, err)
		require.Equal(t, int64(c.code), e.Code, c.name+": "+e.Message)
		require.Equal(t, c.message, e.Message, c.name)
		require.Equal(t, c.data, string(e.Data), c.name)

		request := rpc.Message{Kind: rpc.Request, ID: json.RawMessage(`9007199254740993`), Method: c.method, Params: json.RawMessage(c.params)}
		reply, ok := rpc.Dispatch(ctx, h, &request)
		require.True(t, ok, c.name)
		require.Equal(t, rpc.Message{Kind: rpc.Failure, ID: json.RawMessage(`9007199254740993`), Error: e}, reply, c.name)
	}
	require.Equal(t, []any{"fetchTurns", "secret", "fetchTurns", "secret"}, panics)
	h.OnPanic = nil
	_, err := rpc.Local(h).Call(ctx, "fetchTurns", json.RawMessage(channel+`}`))
	require.ErrorIs(t, err, ahp.ErrorCodeInternalError, "without a hook too")
}

func TestCancelledRequestsAreNotHandled(t *testing.T) {
	done, cancel := context.WithCancelCause(ctx)
	called := false
	h := &ahp.HostHandlers{ListSessions: func(ctx context.Context, _ *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
		called = true
		cancel(errors.New("connection closed"))
		return nil, context.Cause(ctx)
	}}
	params := json.RawMessage(`{"channel":"ahp-root://"}`)
	for i := range 2 {
		_, err := rpc.Local(h).Call(done, "listSessions", params)
		e := rpcError(t, err)
		require.Equal(t, int64(ahp.ErrorCodeInternalError), e.Code)
		require.Equal(t, "connection closed", e.Message)
		require.Equal(t, i == 0, called)
		called = false
	}
	client, w := toHost(h)
	_, err := client.ListSessions(done, &ahp.ListSessionsParams{})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, w.sent)
}

func TestNotificationsAreNeverAnswered(t *testing.T) {
	var dropped []string
	var panics []any
	got := 0
	h := &ahp.ClientHandlers{
		Action:           func(_ context.Context, e *ahp.ActionEnvelope) { got++ },
		RootSessionAdded: func(context.Context, *ahp.SessionAddedParams) { got++ },
		RootProgress:     func(context.Context, *ahp.ProgressParams) { panic("progress") },
		OnDrop: func(_ context.Context, method string, params json.RawMessage, err error) {
			dropped = append(dropped, fmt.Sprintf("%s %s: %v", method, params, err))
		},
		OnPanic: func(_ context.Context, method string, value any) { panics = append(panics, method, value) },
	}
	delta := string(encode(t, deltaEnvelope()))
	late, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		name, message, dropped string
		ctx                    context.Context
	}{
		{name: "a good one", message: `{"jsonrpc":"2.0","method":"action","params":` + delta + `}`},
		{name: "params before the method", message: `{"params":` + delta + `,"method":"action","jsonrpc":"2.0"}`},
		{
			name: "bad params", message: `{"jsonrpc":"2.0","method":"action","params":{"channel":"c","serverSeq":1,"action":{"type":"chat/delta","turnId":"t"}}}`,
			dropped: `action {"channel":"c","serverSeq":1,"action":{"type":"chat/delta","turnId":"t"}}: params: action: chat/delta: partId: missing (-32602)`,
		},
		{
			name: "bad params before the method", message: `{"jsonrpc":"2.0","params":{},"method":"action"}`,
			dropped: `action {}: params: channel: missing (-32602)`,
		},
		{name: "no params", message: `{"jsonrpc":"2.0","method":"action"}`, dropped: `action : params: missing (-32602)`},
		{name: "an unknown one", message: `{"jsonrpc":"2.0","method":"x/y","params":[1]}`, dropped: `x/y [1]: method not found: "x/y" (-32601)`},
		{name: "one without a handler", message: `{"jsonrpc":"2.0","method":"auth/required","params":{}}`, dropped: `auth/required {}: `},
		{name: "one of the other side", message: `{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":"c"}}`, dropped: `unsubscribe {"channel":"c"}: method not found: "unsubscribe"`},
		{name: "the method of a request", message: `{"jsonrpc":"2.0","method":"resourceRead","params":{}}`, dropped: `resourceRead {}: method not found: "resourceRead"`},
		{name: "a panic", message: `{"jsonrpc":"2.0","method":"root/progress","params":{"channel":"ahp-root://","progressToken":"t","progress":1}}`},
		{name: "too late", message: `{"jsonrpc":"2.0","method":"action","params":` + delta + `}`, dropped: "action " + delta + ": context canceled", ctx: late},
		{name: "an answer", message: `{"jsonrpc":"2.0","id":1,"result":null}`},
	} {
		dropped = nil
		message, err := h.DecodeRPC([]byte(c.message))
		require.NoError(t, err, c.name)
		if c.ctx == nil {
			c.ctx = ctx
		}
		_, ok := rpc.Dispatch(c.ctx, h, &message)
		require.False(t, ok, c.name)
		if c.dropped == "" {
			require.Empty(t, dropped, c.name)
			continue
		}
		require.Len(t, dropped, 1, c.name)
		if c.name == "one without a handler" { // its parameters are looked at by nobody
			require.Contains(t, dropped[0], "auth/required")
			continue
		}
		require.Contains(t, dropped[0], c.dropped, c.name)
	}
	require.Equal(t, 2, got)
	require.Equal(t, []any{"root/progress", "progress"}, panics)
	require.NoError(t, rpc.Local(&ahp.ClientHandlers{}).Notify(ctx, "action", nil), "nothing has to be set")
}

func TestHostOnlyActionsCannotBeDispatched(t *testing.T) {
	_, err := ahp.Decode[ahp.DispatchActionParams]([]byte(`{"channel":"c","clientSeq":1,"action":{"type":"chat/delta","turnId":"t","partId":"p","content":"x"}}`))
	require.EqualError(t, err, `action: chat/delta: "chat/delta" is not a ClientAction`)
	p, err := ahp.Decode[ahp.DispatchActionParams]([]byte(`{"channel":"c","clientSeq":1,"action":{"type":"future/x","n":9007199254740993}}`))
	require.NoError(t, err)
	require.Equal(t, `{"type":"future/x","n":9007199254740993}`, string(p.Action.(*ahp.UnknownStateAction).Raw))
	for _, a := range ahp.Actions() {
		_, ok := a.New().(ahp.ClientAction)
		require.Equal(t, a.Client, ok, a.Type)
	}
}

func TestErrorsAreFoundByCodeAndData(t *testing.T) {
	answer := &rpc.Error{}
	client, _ := toHost(&ahp.HostHandlers{Ping: func(context.Context, *ahp.PingParams) error { return answer }})
	for _, code := range ahp.ErrorCodes() {
		answer = &rpc.Error{Code: int64(code.Code), Message: "m", Data: json.RawMessage(`{"resources":7,"supportedVersions":{},"request":[]}`)}
		err := client.Ping(ctx, &ahp.PingParams{})
		require.ErrorIs(t, err, code.Code)
		require.EqualError(t, err, fmt.Sprintf("ping: m (%d)", code.Code))
		for _, other := range ahp.ErrorCodes() {
			require.Equal(t, other.Code == code.Code, errors.Is(err, other.Code))
		}
		// Malformed data is no data, and no reason to panic.
		for _, data := range []string{string(answer.Data), `null`, `7`, ``, `{`} {
			malformed := fmt.Errorf("around: %w", &rpc.Error{Code: int64(code.Code), Data: json.RawMessage(data)})
			require.NotErrorAs(t, malformed, new(*ahp.AuthRequiredErrorData), data)
			require.NotErrorAs(t, malformed, new(*ahp.UnsupportedProtocolVersionErrorData), data)
			require.NotErrorAs(t, malformed, new(*ahp.PermissionDeniedErrorData), data)
		}
	}
	var err error
	answer, err = rpc.NewError(ahp.ErrorCodePermissionDenied, "no", &ahp.PermissionDeniedErrorData{Request: &ahp.ResourceRequestParams{URI: "file:///a", Read: ptr(true)}})
	require.NoError(t, err)
	err = client.Ping(ctx, &ahp.PingParams{})
	var denied *ahp.PermissionDeniedErrorData
	require.ErrorAs(t, err, &denied)
	require.Equal(t, "file:///a", denied.Request.URI)
	require.NotErrorAs(t, err, new(*ahp.AuthRequiredErrorData), "the data of another code")
}

func TestRawMethodsPassThroughOnTheirChannel(t *testing.T) {
	params := json.RawMessage(`{"name":"t", "channel":"mcp://server","n":9007199254740993}`)
	var seen []string
	record := func(_ context.Context, channel, method string, params json.RawMessage) (json.RawMessage, error) {
		seen = append(seen, channel+" "+method+" "+string(params))
		if method == "fail" {
			return nil, &rpc.Error{Code: -1, Message: "no"}
		}
		return json.RawMessage(`{"ok": true}`), nil
	}
	client, _ := toHost(&ahp.HostHandlers{PassThrough: record})
	host, _ := toClient(&ahp.ClientHandlers{PassThrough: record})
	for _, side := range []interface {
		PassThrough(context.Context, string, json.RawMessage) (json.RawMessage, error)
		NotifyPassThrough(context.Context, string, json.RawMessage) error
	}{client, host} {
		seen = nil
		result, err := side.PassThrough(ctx, "tools/call", params)
		require.NoError(t, err)
		require.JSONEq(t, `{"ok": true}`, string(result))
		require.NoError(t, side.NotifyPassThrough(ctx, "notifications/progress", params))
		_, err = side.PassThrough(ctx, "fail", params)
		require.EqualError(t, err, "fail: no (-1)")
		want := "mcp://server %s " + string(params)
		require.Equal(t, []string{fmt.Sprintf(want, "tools/call"), fmt.Sprintf(want, "notifications/progress"), fmt.Sprintf(want, "fail")}, seen)
		for _, bad := range []string{`{"channel":"ahp-root://"}`, `{}`, `[]`, ``} {
			_, err = side.PassThrough(ctx, "tools/call", json.RawMessage(bad))
			require.ErrorContains(t, err, "name no channel", bad)
			require.ErrorContains(t, side.NotifyPassThrough(ctx, "tools/call", json.RawMessage(bad)), "name no channel", bad)
		}
		_, err = side.PassThrough(ctx, "resourceRead", params)
		require.ErrorContains(t, err, "a method of the protocol itself")
		require.Len(t, seen, 3)
	}
	// What arrives on another channel, or has a name of the protocol's, is not passed through.
	h := &ahp.HostHandlers{PassThrough: record}
	for method, params := range map[string]string{"tools/call": `{"channel":"ahp-root://"}`, "unsubscribe": string(params), "subscribe": string(params)} {
		_, err := rpc.Local(h).Call(ctx, method, json.RawMessage(params))
		require.ErrorIs(t, err, ahp.ErrorCodeMethodNotFound, method)
	}
	_, err := rpc.Local(&ahp.HostHandlers{}).Call(ctx, "tools/call", params)
	require.ErrorIs(t, err, ahp.ErrorCodeMethodNotFound)
}

func TestHandshakeSettlesTheVersion(t *testing.T) {
	supported := []string{"0.7.0", "0.6.0"}
	answer := ""
	client, _ := toHost(&ahp.HostHandlers{Initialize: func(_ context.Context, p *ahp.InitializeParams) (*ahp.InitializeResult, error) {
		version, err := ahp.NegotiateVersion(p.ProtocolVersions, supported...)
		if answer != "" {
			version, err = answer, nil
		}
		return &ahp.InitializeResult{ProtocolVersion: version, Snapshots: []ahp.Snapshot{}}, err
	}})
	open := func(offered ...string) (*ahp.InitializeResult, error) {
		return client.Initialize(ctx, &ahp.InitializeParams{ProtocolVersions: offered, ClientID: "c"})
	}
	result, err := open("0.5.2", "0.6.0", "0.7.1", "0.8.0")
	require.NoError(t, err)
	require.Equal(t, "0.7.1", result.ProtocolVersion)

	_, err = open("0.5.2", "0.8.0-dev")
	require.ErrorIs(t, err, ahp.ErrorCodeUnsupportedProtocolVersion)
	var data *ahp.UnsupportedProtocolVersionErrorData
	require.ErrorAs(t, err, &data)
	require.Equal(t, supported, data.SupportedVersions)

	// What is malformed fits nobody, and is in the way of nothing that fits.
	result, err = open("0.7", "0.7.0")
	require.NoError(t, err)
	require.Equal(t, "0.7.0", result.ProtocolVersion)
	_, err = open("0.8.0", "0.7")
	require.ErrorIs(t, err, ahp.ErrorCodeUnsupportedProtocolVersion)
	require.ErrorContains(t, err, `protocolVersions[1]: version "0.7" is not of the form MAJOR.MINOR.PATCH`)
	_, err = open("0.7", "latest")
	require.ErrorIs(t, err, ahp.ErrorCodeInvalidParams)
	require.ErrorContains(t, err, `params: protocolVersions[0]: version "0.7" is not of the form MAJOR.MINOR.PATCH`)

	// A handler that does not ask cannot answer with just anything, and a client does not believe it.
	answer = "0.9.0"
	_, err = open("0.7.0")
	require.ErrorContains(t, err, `result: protocolVersion: version "0.9.0" was not offered`)
	require.ErrorIs(t, err, ahp.ErrorCodeInternalError)
	lying := ahp.NewHostConn(answering(`{"protocolVersion":"0.7.1","serverSeq":0,"snapshots":[]}`))
	_, err = lying.Initialize(ctx, &ahp.InitializeParams{ProtocolVersions: []string{"0.7.0"}, ClientID: "c"})
	require.EqualError(t, err, `initialize: result: protocolVersion: version "0.7.1" was not offered`)
	_, err = lying.Initialize(ctx, nil)
	require.Error(t, err)

	// Whoever is built on this package offers what it speaks, and finds itself.
	version, err := ahp.NegotiateVersion(ahp.SupportedVersions())
	require.NoError(t, err)
	require.Equal(t, ahp.ProtocolVersion(), version)
}

// answering is a connection that answers everything alike.
type answering string

func (a answering) Call(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(a), nil
}

func (a answering) Notify(context.Context, string, json.RawMessage) error { return nil }

// knows reports whether a version of the protocol has an action.
func knows(version string, action ahp.ActionType) bool {
	info, ok := action.Info()
	return ok && spec.Numbers.KnownIn(version, info.Since)
}

func TestHostSendsOnlyWhatTheAgreedVersionKnows(t *testing.T) {
	var got []ahp.ActionType
	host, w := toClient(&ahp.ClientHandlers{Action: func(_ context.Context, e *ahp.ActionEnvelope) { got = append(got, e.Action.ActionType()) }})
	old, err := host.AtVersion("0.6.0")
	require.NoError(t, err)
	for _, a := range []ahp.StateAction{&ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: "c"}, &ahp.ChatWorkingDirectorySetAction{Directory: "file:///a"}, &ahp.UnknownStateAction{Type: "x", Raw: json.RawMessage(`{"type":"x"}`)}} {
		require.NoError(t, host.Action(ctx, &ahp.ActionEnvelope{Channel: "c", Action: a}), "without a version everything passes")
		sent := len(w.sent)
		if err := old.Action(ctx, &ahp.ActionEnvelope{Channel: "c", Action: a}); knows("0.6.0", a.ActionType()) {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, rpc.ErrNotInVersion)
			require.Len(t, w.sent, sent, "nothing is written")
		}
	}
	require.Equal(t, []ahp.ActionType{"chat/delta", "chat/delta", "chat/workingDirectorySet", "x"}, got)

	// Whoever dispatched an action waits for its echo, even where the agreed version does not have it.
	got = nil
	why := "not part of 0.6.0"
	for _, a := range []ahp.StateAction{&ahp.ChatWorkingDirectorySetAction{Directory: "file:///a"}, &ahp.UnknownStateAction{Type: "x", Raw: json.RawMessage(`{"type":"x"}`)}} {
		require.NoError(t, old.Action(ctx, &ahp.ActionEnvelope{Channel: "c", Action: a, RejectionReason: &why}))
	}
	require.Equal(t, []ahp.ActionType{"chat/workingDirectorySet", "x"}, got)

	info, ok := ahp.ActionTypeChatWorkingDirectorySet.Info()
	require.True(t, ok)
	require.Equal(t, "0.7.0", info.Since)
	require.Error(t, old.Action(ctx, nil))
	require.Error(t, old.Action(ctx, &ahp.ActionEnvelope{}))
	_, err = host.AtVersion("0.6")
	require.Error(t, err)

	older, err := host.AtVersion("0.3.0")
	require.NoError(t, err)
	require.NoError(t, older.RootSessionRemoved(ctx, &ahp.SessionRemovedParams{Channel: "ahp-root://", Session: "ahp-session:/1"}))
	client, err := ahp.NewHostConn(answering(`null`)).AtVersion("0.3.0")
	require.NoError(t, err)
	require.ErrorIs(t, client.CreateChat(ctx, &ahp.CreateChatParams{}), rpc.ErrNotInVersion)
	require.ErrorIs(t, client.DispatchAction(ctx, &ahp.DispatchActionParams{Action: &ahp.ChatWorkingDirectorySetAction{Directory: "file:///a"}}), rpc.ErrNotInVersion)
}

func TestEndsServeManyAtOnce(t *testing.T) {
	client, w := toHost(&ahp.HostHandlers{ListSessions: func(_ context.Context, p *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
		if *p.Cursor == "5" {
			panic("five")
		}
		return &ahp.ListSessionsResult{NextCursor: p.Cursor}, nil
	}})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			cursor := fmt.Sprint(i)
			got, err := client.ListSessions(ctx, &ahp.ListSessionsParams{Cursor: &cursor})
			if failed := err != nil; failed != (i == 5) || !failed && *got.NextCursor != cursor {
				t.Errorf("%d: %v %v", i, got, err)
			}
		})
	}
	group.Wait()
	require.Len(t, w.sent, 20)
}

func TestAMessageHoldsTheTypedAction(t *testing.T) {
	data := deltaMessage(t)
	message, err := (&ahp.ClientHandlers{}).DecodeRPC(data)
	require.NoError(t, err)
	require.Equal(t, deltaEnvelope(), message.Decoded)
	for i := range data {
		data[i] = 'x' // the input may be used again
	}
	require.Equal(t, deltaEnvelope(), message.Decoded)
}

func TestAListComesWithoutItsBadItem(t *testing.T) {
	client := ahp.NewHostConn(answering(`{"type":"replay","missing":["c:/2"],"actions":[
		{"channel":"c:/1","serverSeq":1,"action":{"type":"session/titleChanged","title":"a"}},
		{"channel":"c:/1","serverSeq":2,"action":{"type":"session/titleChanged","title":2}},
		{"channel":"c:/1","serverSeq":3,"action":{"type":"session/titleChanged","title":"c"}}]}`))
	result, err := client.Reconnect(ctx, &ahp.ReconnectParams{ClientID: "me"})
	require.EqualError(t, err, "reconnect: result: without an item that cannot be decoded: actions[1]: action: session/titleChanged: title: want string, got number")
	var bad *rpc.ItemsError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "actions[1]", bad.Items[0].Path)
	require.Contains(t, string(bad.Items[0].Raw), `"serverSeq":2`)
	replay := result.(*ahp.ReconnectReplayResult)
	require.Len(t, replay.Actions, 2)
	require.Equal(t, int64(3), replay.Actions[1].ServerSeq)
	require.Equal(t, []ahp.URI{"c:/2"}, replay.Missing)

	// The states of a handshake can be had as well, and a part of one is never left out.
	client = ahp.NewHostConn(answering(`{"protocolVersion":"1.0.0","serverSeq":1,"snapshots":[
		{"resource":"c:/1","fromSeq":1,"state":{"root":"file:///a","recursive":true}},{"resource":"c:/2","fromSeq":1,"state":{"root":7,"recursive":true}}]}`))
	opened, err := client.Initialize(ctx, &ahp.InitializeParams{ProtocolVersions: []string{"1.0.0"}, ClientID: "me"})
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "snapshots[1]", bad.Items[0].Path)
	require.Len(t, opened.Snapshots, 1)
}
