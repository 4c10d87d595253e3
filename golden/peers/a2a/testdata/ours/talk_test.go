// Our client and their agent, their client and our agent, over HTTP.

package ours

import (
	"context"
	"errors"
	"net/http/httptest"
	"strconv"
	"testing"

	theirs "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"github.com/stretchr/testify/require"

	"ours/a2a"
	"ours/a2a/wire/rpc"
	"ours/a2a/wire/web"
)

// counter is their agent: it answers "hello" with a message, and counts with a task otherwise.
type counter struct{}

func (counter) Execute(ctx context.Context, r *a2asrv.RequestContext, out eventqueue.Queue) error {
	if part, ok := r.Message.Parts[0].(theirs.TextPart); ok && part.Text == "hello" {
		return out.Write(ctx, theirs.NewMessage(theirs.MessageRoleAgent, theirs.TextPart{Text: "hello yourself"}))
	}
	if err := out.Write(ctx, theirs.NewSubmittedTask(r, r.Message)); err != nil {
		return err
	}
	for i := range 3 {
		if err := out.Write(ctx, theirs.NewArtifactEvent(r, theirs.TextPart{Text: strconv.Itoa(i)})); err != nil {
			return err
		}
	}
	done := theirs.NewStatusUpdateEvent(r, theirs.TaskStateCompleted, nil)
	done.Final = true
	return out.Write(ctx, done)
}

func (counter) Cancel(ctx context.Context, r *a2asrv.RequestContext, out eventqueue.Queue) error {
	return theirs.ErrTaskNotCancelable
}

func say(text string) *a2a.MessageSendParams {
	return &a2a.MessageSendParams{Message: a2a.Message{MessageID: "m-" + text, Role: a2a.MessageRoleUser, Parts: []a2a.Part{&a2a.TextPart{Text: text}}}}
}

func TestOurClientAndTheirAgent(t *testing.T) {
	agent := httptest.NewServer(a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(counter{})))
	defer agent.Close()
	conn := a2a.NewAgentConn(web.NewClient(agent.URL, nil, nil))
	ctx := t.Context()

	answer, err := conn.MessageSend(ctx, say("hello"))
	require.NoError(t, err)
	message, ok := answer.(*a2a.Message)
	require.True(t, ok, "%T", answer)
	require.Equal(t, "hello yourself", message.Parts[0].(*a2a.TextPart).Text)

	var counted []string
	var task string
	final := false
	for update, err := range conn.MessageStream(ctx, say("count")) {
		require.NoError(t, err)
		switch update := update.(type) {
		case *a2a.Task:
			task = update.ID
		case *a2a.TaskArtifactUpdateEvent:
			counted = append(counted, update.Artifact.Parts[0].(*a2a.TextPart).Text)
		case *a2a.TaskStatusUpdateEvent:
			final = update.Final
			require.Equal(t, a2a.TaskStateCompleted, update.Status.State)
		}
	}
	require.Equal(t, []string{"0", "1", "2"}, counted)
	require.True(t, final)

	kept, err := conn.TasksGet(ctx, &a2a.TaskQueryParams{ID: task})
	require.NoError(t, err)
	require.Equal(t, a2a.TaskStateCompleted, kept.Status.State)
	require.Len(t, kept.Artifacts, 3)

	_, err = conn.TasksGet(ctx, &a2a.TaskQueryParams{ID: "nothing"})
	require.ErrorIs(t, err, a2a.ErrorCodeTaskNotFound)
	_, err = conn.TasksCancel(ctx, &a2a.TaskIDParams{ID: task})
	require.ErrorIs(t, err, a2a.ErrorCodeTaskNotCancelable)
	for range conn.MessageStream(ctx, say("count")) {
		break // in the middle
	}
	_, err = conn.TasksPushNotificationConfigList(ctx, &a2a.ListTaskPushNotificationConfigParams{ID: task})
	require.ErrorIs(t, err, a2a.ErrorCodePushNotificationNotSupported)
}

// ours is an agent of ours that does the same.
func ours() *a2a.AgentHandlers {
	status := func(state a2a.TaskState) a2a.TaskStatus { return a2a.TaskStatus{State: state} }
	return &a2a.AgentHandlers{
		MessageSend: func(_ context.Context, p *a2a.MessageSendParams) (a2a.SendResult, error) {
			return &a2a.Message{MessageID: "a", Role: a2a.MessageRoleAgent, Parts: []a2a.Part{&a2a.TextPart{Text: "hello yourself"}}}, nil
		},
		MessageStream: func(_ context.Context, p *a2a.MessageSendParams, send func(a2a.Update) error) error {
			if err := send(&a2a.Task{ID: "t", ContextID: "c", Status: status(a2a.TaskStateSubmitted)}); err != nil {
				return err
			}
			for i := range 3 {
				artifact := a2a.Artifact{ArtifactID: strconv.Itoa(i), Parts: []a2a.Part{&a2a.TextPart{Text: strconv.Itoa(i)}}}
				if err := send(&a2a.TaskArtifactUpdateEvent{TaskID: "t", ContextID: "c", Artifact: artifact}); err != nil {
					return err
				}
			}
			return send(&a2a.TaskStatusUpdateEvent{TaskID: "t", ContextID: "c", Status: status(a2a.TaskStateCompleted), Final: true})
		},
		TasksGet: func(_ context.Context, p *a2a.TaskQueryParams) (*a2a.Task, error) {
			return nil, a2a.ErrorCodeTaskNotFound
		},
		TasksPushNotificationConfigList: func(context.Context, *a2a.ListTaskPushNotificationConfigParams) (a2a.PushNotificationConfigs, error) {
			return a2a.PushNotificationConfigs{{TaskID: "t", PushNotificationConfig: a2a.PushNotificationConfig{URL: "https://example.com"}}}, nil
		},
		TasksPushNotificationConfigDelete: func(context.Context, *a2a.DeleteTaskPushNotificationConfigParams) error { return nil },
	}
}

func TestTheirClientAndOurAgent(t *testing.T) {
	agent := httptest.NewServer(&web.Handler{Handler: ours()})
	defer agent.Close()
	ctx := t.Context()
	client, err := a2aclient.NewFromEndpoints(ctx, []theirs.AgentInterface{{Transport: theirs.TransportProtocolJSONRPC, URL: agent.URL}})
	require.NoError(t, err)
	hello := &theirs.MessageSendParams{Message: theirs.NewMessage(theirs.MessageRoleUser, theirs.TextPart{Text: "hello"})}

	answer, err := client.SendMessage(ctx, hello)
	require.NoError(t, err)
	require.Equal(t, theirs.TextPart{Text: "hello yourself"}, answer.(*theirs.Message).Parts[0])

	var counted []string
	final := false
	for event, err := range client.SendStreamingMessage(ctx, hello) {
		require.NoError(t, err)
		switch event := event.(type) {
		case *theirs.TaskArtifactUpdateEvent:
			counted = append(counted, event.Artifact.Parts[0].(theirs.TextPart).Text)
		case *theirs.TaskStatusUpdateEvent:
			final = event.Final
		}
	}
	require.Equal(t, []string{"0", "1", "2"}, counted)
	require.True(t, final)

	_, err = client.GetTask(ctx, &theirs.TaskQueryParams{ID: "nothing"})
	require.True(t, errors.Is(err, theirs.ErrTaskNotFound), "%v", err)
	_, err = client.CancelTask(ctx, &theirs.TaskIDParams{ID: "t"})
	require.True(t, errors.Is(err, theirs.ErrMethodNotFound), "%v", err)
	configs, err := client.ListTaskPushConfig(ctx, &theirs.ListTaskPushConfigParams{TaskID: "t"})
	require.NoError(t, err)
	require.Equal(t, "https://example.com", configs[0].Config.URL)
	require.NoError(t, client.DeleteTaskPushConfig(ctx, &theirs.DeleteTaskPushConfigParams{TaskID: "t", ConfigID: "c"}))
}

func TestStreamsOfErrors(t *testing.T) {
	handlers := ours()
	handlers.MessageStream = func(_ context.Context, _ *a2a.MessageSendParams, send func(a2a.Update) error) error {
		return &rpc.Error{Code: int64(a2a.ErrorCodeContentTypeNotSupported), Message: "no"}
	}
	agent := httptest.NewServer(&web.Handler{Handler: handlers})
	defer agent.Close()
	count := 0
	for _, err := range a2a.NewAgentConn(web.NewClient(agent.URL, nil, nil)).MessageStream(t.Context(), say("x")) {
		require.ErrorIs(t, err, a2a.ErrorCodeContentTypeNotSupported)
		count++
	}
	require.Equal(t, 1, count)
}
