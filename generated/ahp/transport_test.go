// A transport made of the emitted parts alone: messages as lines, both ends in both directions. It
// shows what is left to do for a program that uses no JSON-RPC library.

package ahp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// lines is a connection on which each message is a line.
type lines struct {
	handlers interface {
		Dispatch(context.Context, *ahp.Frame) (ahp.RPCMessage, bool)
	}
	stream io.ReadWriteCloser

	writing sync.Mutex
	mu      sync.Mutex // guards what follows
	next    int
	waiting map[string]chan ahp.RPCMessage
}

func (l *lines) write(m ahp.RPCMessage) error {
	data, err := m.AppendJSON(nil)
	if err != nil {
		return err
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err = l.stream.Write(append(data, '\n'))
	return err
}

func (l *lines) Notify(_ context.Context, method string, params json.RawMessage) error {
	return l.write(ahp.RPCMessage{Kind: ahp.RPCNotification, Method: method, Params: params})
}

func (l *lines) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	l.mu.Lock()
	l.next++
	id := strconv.Itoa(l.next)
	answer := make(chan ahp.RPCMessage, 1)
	l.waiting[id] = answer
	l.mu.Unlock()
	if err := l.write(ahp.RPCMessage{Kind: ahp.RPCRequest, ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case m, ok := <-answer:
		switch {
		case !ok:
			return nil, net.ErrClosed
		case m.Error != nil:
			return nil, m.Error
		}
		return m.Result, nil
	}
}

// run reads until the stream ends. Requests are handled at once, notifications in order.
func (l *lines) run(ctx context.Context) {
	scanner := bufio.NewScanner(l.stream)
	for scanner.Scan() {
		frame, err := ahp.DecodeFrame(append([]byte(nil), scanner.Bytes()...)) // raw parts outlive the line
		var bad *ahp.RPCError
		switch {
		case errors.As(err, &bad):
			_ = l.write(ahp.RPCMessage{Kind: ahp.RPCFailure, ID: json.RawMessage("null"), Error: bad}) // a dead stream ends the loop
		case frame.Kind == ahp.RPCNotification:
			l.handlers.Dispatch(ctx, &frame)
		case frame.Kind == ahp.RPCRequest:
			go func() {
				if reply, ok := l.handlers.Dispatch(ctx, &frame); ok {
					_ = l.write(reply)
				}
			}()
		default:
			l.mu.Lock()
			if answer := l.waiting[string(frame.ID)]; answer != nil {
				delete(l.waiting, string(frame.ID))
				answer <- frame.RPCMessage
			}
			l.mu.Unlock()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, answer := range l.waiting {
		delete(l.waiting, id)
		close(answer)
	}
}

func TestBothEndsOverAStream(t *testing.T) {
	a, b := net.Pipe()
	actions := make(chan ahp.ActionType, 1)
	clientEnd := &lines{stream: a, waiting: map[string]chan ahp.RPCMessage{}, handlers: &ahp.ClientHandlers{
		Action: func(_ context.Context, e *ahp.ActionEnvelope) { actions <- e.Action.ActionType() },
		ResourceRead: func(_ context.Context, p *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error) {
			return &ahp.ResourceReadResult{Data: "of " + p.URI}, nil
		},
	}}
	hostEnd := &lines{stream: b, waiting: map[string]chan ahp.RPCMessage{}}
	host := ahp.NewHost(hostEnd)
	hostEnd.handlers = &ahp.HostHandlers{
		// The answer needs the client's help, and so one more request the other way.
		ListSessions: func(ctx context.Context, p *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
			if p.Cursor == nil {
				panic("no cursor")
			}
			read, err := host.ResourceRead(ctx, &ahp.ResourceReadParams{URI: *p.Cursor})
			if err != nil {
				return nil, err
			}
			return &ahp.ListSessionsResult{NextCursor: &read.Data}, nil
		},
		DispatchAction: func(ctx context.Context, p *ahp.DispatchActionParams) {
			_ = host.Action(ctx, &ahp.ActionEnvelope{Channel: p.Channel, Action: p.Action})
		},
	}
	var ends sync.WaitGroup
	ends.Go(func() { clientEnd.run(ctx) })
	ends.Go(func() { hostEnd.run(ctx) })
	client := ahp.NewClient(clientEnd)

	var calls sync.WaitGroup
	for i := range 10 {
		calls.Go(func() {
			cursor := fmt.Sprint("file:///", i)
			got, err := client.ListSessions(ctx, &ahp.ListSessionsParams{Cursor: &cursor})
			if err != nil || *got.NextCursor != "of "+cursor {
				t.Error(got, err)
			}
		})
	}
	calls.Wait()
	_, err := client.ListSessions(ctx, &ahp.ListSessionsParams{})
	require.ErrorIs(t, err, ahp.ErrorCodeInternalError, "a panic is answered")
	require.NoError(t, client.DispatchAction(ctx, &ahp.DispatchActionParams{Channel: "ahp-session:/1", Action: ahp.NewSessionTitleChangedAction("Hello")}))
	require.Equal(t, ahp.ActionTypeSessionTitleChanged, <-actions)
	_, err = clientEnd.stream.Write([]byte("{\"jsonrpc\":\n"))
	require.NoError(t, err)
	require.ErrorIs(t, client.CreateSession(ctx, &ahp.CreateSessionParams{Channel: "ahp-session:/2"}), ahp.ErrorCodeMethodNotFound, "the connection lives on")

	require.NoError(t, a.Close())
	ends.Wait()
	require.Error(t, client.CreateSession(ctx, &ahp.CreateSessionParams{}))
}
