// The hosts: this test binary, started anew as one of them, so that -race covers them too.

package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/hostile/gauge"
	"github.com/ahpgen/ahpgen/golden/yard"
)

// The environment of a process that is to be a host: which one, and whether its patience is short. One that is short with
// messages never asks a peer whether it is there.
const (
	asHost          = "HOSTILE_HOST"
	isImpatient     = "HOSTILE_IMPATIENT"
	withMessages    = "messages"
	withSilence     = "silence"
	asEmitted       = ""
	shortOfPatience = 300 * time.Millisecond
)

func TestMain(m *testing.M) {
	switch os.Getenv(asHost) {
	case "ahp":
		serveAHP()
	case "acp":
		serveACP()
	default:
		if flags.Updating() {
			return // there are no golden files here
		}
		os.Exit(yard.Run("hostile", m))
	}
}

// facts are what a host tells the test: where it listens.
type facts struct{ Lines, WebSocket string }

// patience is what a host waits for; the zero value is what emitted code has by default.
func patience() (o rpc.Options, short time.Duration) {
	const s = shortOfPatience
	switch os.Getenv(isImpatient) {
	case withMessages:
		return rpc.Options{MessageTimeout: s, WriteTimeout: s, DrainTimeout: s, Silence: -1}, s
	case withSilence:
		return rpc.Options{Silence: s, DrainTimeout: s}, s
	}
	return o, 0
}

// The channels of the AHP host: one for everybody, and one for alice.
const (
	openSession   = "ahp-session:/open"
	secretSession = "ahp-session:/secret"
)

// serveAHP serves AHP over TCP, and over WebSocket where a bearer token is the name of a principal.
func serveAHP() {
	o, short := patience()
	host, err := ahp.NewServer(&ahp.ServerOptions{
		Limits: server.Limits{Greeting: short, Peer: &o, Known: 100},
		Admit: func(_ context.Context, c *server.Client, channel string) error {
			if channel == secretSession && c.Principal().Name != "alice" {
				return ahp.ErrorCodePermissionDenied
			}
			return nil
		},
	})
	must(err)
	for _, name := range []string{openSession, secretSession} {
		must(host.OpenChannel(name, &ahp.SessionState{
			Title: "open", Status: ahp.SessionStatusIdle, Lifecycle: ahp.SessionLifecycleReady,
			ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{},
		}))
	}
	lines, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go func() {
		for {
			c, err := lines.Accept()
			must(err)
			go func() { _ = host.Serve(context.Background(), rpc.Stream(c)) }()
		}
	}()
	sockets, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	web := ws.NewServer(&ws.Handler{
		MessageTimeout: o.MessageTimeout, CloseTimeout: short, Authorize: bearer,
		Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) { _ = host.Serve(ctx, t) },
	})
	if short != 0 {
		web.ReadHeaderTimeout, web.ReadTimeout, web.IdleTimeout = short, short, short
	}
	web.ErrorLog = log.New(discard{}, "", 0)
	go func() { must(web.Serve(sockets)) }()
	gauge.Serve(facts{Lines: lines.Addr().String(), WebSocket: sockets.Addr().String()})
}

func bearer(r *http.Request) (rpc.Principal, error) {
	return rpc.Principal{Name: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}, nil
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// serveACP is an agent over the standard input and output, whose turns last until they are cancelled.
func serveACP() {
	o, _ := patience()
	peer := rpc.NewPeer(rpc.Stdio(), &o)
	go func() {
		_ = peer.Serve(context.Background(), &acp.AgentHandlers{
			Initialize: func(context.Context, *acp.InitializeRequest) (*acp.InitializeResponse, error) {
				return &acp.InitializeResponse{ProtocolVersion: 1}, nil
			},
			SessionNew: func(context.Context, *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
				return &acp.NewSessionResponse{SessionID: "s1"}, nil
			},
			SessionPrompt: func(ctx context.Context, p *acp.PromptRequest) (*acp.PromptResponse, error) {
				if p.SessionID == "waits" {
					rpc.Async(ctx)
					<-ctx.Done()
				}
				return &acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
			},
			SessionCancel: func(context.Context, *acp.CancelNotification) {},
			Extensions: map[string]rpc.ExtensionHandler{
				"_panic": func(context.Context, string, json.RawMessage) (json.RawMessage, error) { panic("secret") },
			},
		})
	}()
	gauge.Serve(facts{})
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
