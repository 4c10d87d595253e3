package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/web"
)

// adder adds numbers. Generated packages have handlers with a field for each method instead.
type adder struct{}

func (adder) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

func (adder) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	var numbers []int
	if m.Method != "add" || json.Unmarshal(m.Params, &numbers) != nil {
		return nil, m.NotFound()
	}
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	if asked := rpc.PrincipalOf(ctx); !asked.Anonymous() {
		fmt.Println(asked.Name, "asks")
	}
	return json.Marshal(sum)
}

// A server that answers each request by itself, and knows who asks.
func ExampleHandler() {
	server := httptest.NewServer(&web.Handler{
		Handler: adder{},
		Access: web.Access{Authorize: func(r *http.Request) (rpc.Principal, error) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				return rpc.Principal{}, &web.Refusal{Challenge: `Bearer realm="sums"`}
			}
			return rpc.Principal{Name: "alice"}, nil
		}},
	})
	defer server.Close()
	client := web.NewClient(server.URL, nil, &web.Options{Header: http.Header{"Authorization": {"Bearer secret"}}})
	fmt.Println(resultOf(client.Call(context.Background(), "add", json.RawMessage("[1, 2]"))))
	stranger := web.NewClient(server.URL, nil, nil)
	fmt.Println(resultOf(stranger.Call(context.Background(), "add", json.RawMessage("[1, 2]"))))
	// Output:
	// alice asks
	// 3
	// HTTP status 401 Unauthorized: not authorized
}

// A server of sessions, whose connections are like those over any other transport.
func ExampleSessions() {
	dialect := &web.Dialect{Session: "Sum-Session", Get: true, Delete: true, LastEvent: "Last-Event-ID"} // generated packages have it as HTTP
	server := httptest.NewServer(&web.Sessions{Dialect: dialect, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(t, nil).Serve(ctx, adder{})
	}})
	defer server.Close()
	peer := rpc.NewPeer(web.Dial(server.URL, dialect, nil), nil)
	go func() { _ = peer.Serve(context.Background(), nil) }()
	fmt.Println(resultOf(peer.Call(context.Background(), "add", json.RawMessage("[1, 2]"))))
	fmt.Println(peer.Close())
	// Output:
	// 3
	// <nil>
}

func resultOf(result json.RawMessage, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(result)
}
