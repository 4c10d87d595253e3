// The answer to a prompt is never there before the last update that was sent ahead of it, over the standard input and
// output of a process.

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

var orderPrompts = flag.Int("prompts", 200, "how many prompts are answered in order")

// updates are those of one prompt.
const updates = 50

// serveCounter returns an agent that counts, and keeps nothing of it.
func serveCounter(ctx context.Context) error {
	conn := rpc.NewPeer(rpc.Stdio(), nil)
	client := acp.NewClientConn(conn)
	return conn.Serve(ctx, &acp.AgentHandlers{SessionPrompt: func(ctx context.Context, p *acp.PromptRequest) (*acp.PromptResponse, error) {
		rpc.Async(ctx)
		for i := range updates {
			chunk := &acp.SessionUpdateAgentMessageChunk{Content: &acp.TextContent{Text: strconv.Itoa(i)}}
			if err := client.SessionUpdate(ctx, &acp.SessionNotification{SessionID: p.SessionID, Update: chunk}); err != nil {
				return nil, err
			}
		}
		return &acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
	}})
}

func TestAnAnswerIsNeverBeforeTheLastUpdate(t *testing.T) {
	t.Setenv(is, "counter")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Duration(*orderPrompts)*100*time.Millisecond)
	defer cancel()
	p, err := start(ctx, []string{os.Args[0]}, os.Stderr)
	require.NoError(t, err)
	conn := rpc.NewPeer(p.transport, nil)
	agent := acp.NewAgentConn(conn)
	// Nothing guards these: the handler is done with an update before the answer behind it is there, which the race
	// detector looks at as well.
	next, wrong := 0, ""
	go func() {
		_ = conn.Serve(ctx, &acp.ClientHandlers{SessionUpdate: func(_ context.Context, n *acp.SessionNotification) {
			text := n.Update.(*acp.SessionUpdateAgentMessageChunk).Content.(*acp.TextContent).Text
			if text != strconv.Itoa(next) && wrong == "" {
				wrong = fmt.Sprintf("%s came after %d updates", text, next)
			}
			next++
		}})
	}()
	prompt := []acp.ContentBlock{&acp.TextContent{Text: "Count"}}
	began := time.Now()
	for i := range *orderPrompts {
		_, err := agent.SessionPrompt(ctx, &acp.PromptRequest{SessionID: "s", Prompt: prompt})
		require.NoError(t, err)
		require.Empty(t, wrong, "prompt %d", i)
		require.Equal(t, updates, next, "prompt %d", i)
		next = 0
	}
	took := time.Since(began)
	t.Logf("%d prompts with %d updates each in %v: %.0f updates a second", *orderPrompts, updates, took.Round(time.Millisecond),
		float64(*orderPrompts*updates)/took.Seconds())
	require.NoError(t, p.end(conn.Close()))
}
