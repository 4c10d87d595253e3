// Versions with sessions: client and server say once what they can do, and the server sends requests of its own. Calls of
// slow tools may become tasks.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ahpgen/ahpgen/cmd/mcpdemo/sessions"
	"github.com/ahpgen/ahpgen/generated/wire"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// Limits of tasks.
const (
	keepTasks = time.Hour
	pollTasks = time.Second
)

// session serves a catalogue to one client of these versions.
type session struct {
	catalogue *catalogue
	client    *sessions.ClientConn
	tasks     tasks
}

// serveSession serves a client until its connection ends.
func serveSession(ctx context.Context, c *catalogue, peer *rpc.Peer) error {
	peer.Translate(sessions.NewTranslator()) // for clients of the version before
	s := newSession(c, peer)
	return peer.Serve(ctx, s.handlers(ctx))
}

func newSession(c *catalogue, peer *rpc.Peer) *session {
	return &session{catalogue: c, client: sessions.NewClientConn(peer), tasks: tasks{longest: keepTasks}}
}

// handlers returns the handlers of the session. Tasks end with the context.
func (s *session) handlers(ctx context.Context) *sessions.ServerHandlers {
	return &sessions.ServerHandlers{
		Initialize: func(_ context.Context, p *sessions.InitializeRequestParams) (*sessions.InitializeResult, error) {
			can := map[string]json.RawMessage{}
			return &sessions.InitializeResult{
				ProtocolVersion: sessions.NegotiateVersion(p.ProtocolVersion), ServerInfo: sessions.Implementation{Name: "mcpdemo", Version: "1"},
				Capabilities: sessions.ServerCapabilities{
					Tools:     &sessions.ServerCapabilitiesPromptsOrTools{ListChanged: wire.Pointer(true)},
					Resources: &sessions.ServerCapabilitiesResources{ListChanged: wire.Pointer(true)},
					Tasks: &sessions.ServerCapabilitiesTasks{
						List: can, Cancel: can, Requests: &sessions.ServerCapabilitiesTasksRequests{Tools: &sessions.ServerCapabilitiesTasksRequestsTools{Call: can}},
					},
				},
			}, nil
		},
		NotificationsInitialized: func(context.Context, *sessions.InitializedNotificationParams) { s.watch(ctx) },
		ToolsList:                s.listTools,
		ToolsCall: func(callCtx context.Context, p *sessions.CallToolRequestParams) (sessions.CallToolOutcome, error) {
			return s.call(callCtx, ctx, p)
		},
		ResourcesList: s.listResources,
		ResourcesTemplatesList: func(context.Context, *sessions.ListResourceTemplatesRequestParams) (*sessions.ListResourceTemplatesResult, error) {
			return &sessions.ListResourceTemplatesResult{ResourceTemplates: []sessions.ResourceTemplate{}}, nil
		},
		ResourcesRead: s.read,
		TasksGet:      s.getTask,
		TasksList:     s.listTasks,
		TasksCancel:   s.cancelTask,
		TasksResult:   s.taskResult,
	}
}

// watch tells the client of changes until the context ends.
func (s *session) watch(ctx context.Context) {
	changes := s.catalogue.watch(ctx)
	go func() {
		for {
			var err error
			select {
			case <-changes.tools:
				err = s.client.NotificationsToolsListChanged(ctx, nil)
			case <-changes.resources:
				err = s.client.NotificationsResourcesListChanged(ctx, nil)
			case <-ctx.Done():
				return
			}
			if err != nil {
				return // the connection has ended
			}
		}
	}()
}

func (s *session) listTools(_ context.Context, p *sessions.ListToolsRequestParams) (*sessions.ListToolsResult, error) {
	tools, next, err := s.catalogue.toolsAt(cursorOf(p.Cursor))
	if err != nil {
		return nil, badParams(err)
	}
	out := &sessions.ListToolsResult{NextCursor: optional(next)}
	for _, t := range tools {
		tool := sessions.Tool{Name: t.name, Description: &t.description, InputSchema: t.schema}
		if t.slow {
			tool.Execution = &sessions.ToolExecution{TaskSupport: wire.Pointer(sessions.ToolExecutionTaskSupportOptional)}
		}
		out.Tools = append(out.Tools, tool)
	}
	return out, nil
}

func (s *session) listResources(_ context.Context, p *sessions.ListResourcesRequestParams) (*sessions.ListResourcesResult, error) {
	resources, next, err := s.catalogue.resourcesAt(cursorOf(p.Cursor))
	if err != nil {
		return nil, badParams(err)
	}
	out := &sessions.ListResourcesResult{NextCursor: optional(next)}
	for _, r := range resources {
		out.Resources = append(out.Resources, sessions.Resource{URI: r.uri, Name: r.name, MimeType: wire.Pointer("text/plain")})
	}
	return out, nil
}

func (s *session) read(_ context.Context, p *sessions.ReadResourceRequestParams) (*sessions.ReadResourceResult, error) {
	r, ok := s.catalogue.resource(p.URI)
	if !ok {
		return nil, &rpc.Error{Code: int64(sessions.ErrorCodeResourceNotFound), Message: "resource not found"}
	}
	return &sessions.ReadResourceResult{
		Contents: []sessions.ReadResourceResultContentsItem{&sessions.TextResourceContents{URI: r.uri, MimeType: wire.Pointer("text/plain"), Text: r.text}},
	}, nil
}

// call runs a tool, or starts a task that does, which ends with the lasting context.
func (s *session) call(ctx, lasting context.Context, p *sessions.CallToolRequestParams) (sessions.CallToolOutcome, error) {
	t := s.catalogue.tool(p.Name)
	switch {
	case t == nil:
		return nil, badParams(errors.New("unknown tool " + p.Name))
	case p.Task != nil && !t.slow:
		return nil, &rpc.Error{Code: int64(rpc.MethodNotFound), Message: p.Name + " does not run as a task"}
	}
	run := func(ctx context.Context) (string, error) {
		return t.withArguments(ctx, asking{s.client, p.Meta}, p.Arguments)
	}
	if p.Task != nil {
		keep := time.Duration(0)
		if p.Task.TTL != nil {
			keep = time.Duration(min(*p.Task.TTL, float64(keepTasks.Milliseconds()))) * time.Millisecond
		}
		return &sessions.CreateTaskResult{Task: described(s.tasks.start(lasting, keep, run))}, nil
	}
	rpc.Async(ctx) // other requests are handled meanwhile
	return toolResult(run(ctx)), nil
}

// toolResult returns the result of a tool. Its errors are results, so that a model sees them.
func toolResult(text string, err error) *sessions.CallToolResult {
	out := &sessions.CallToolResult{Content: []sessions.ContentBlock{&sessions.TextContent{Text: text}}}
	if err != nil {
		out.Content, out.IsError = []sessions.ContentBlock{&sessions.TextContent{Text: err.Error()}}, wire.Pointer(true)
	}
	return out
}

// asking is the client of a session as the caller of a tool.
type asking struct {
	client *sessions.ClientConn
	meta   *sessions.RequestMeta
}

// Progress implements caller.
func (a asking) Progress(ctx context.Context, done, total float64) error {
	if a.meta == nil || a.meta.ProgressToken == nil {
		return nil
	}
	return a.client.NotificationsProgress(ctx, &sessions.ProgressNotificationParams{ProgressToken: a.meta.ProgressToken, Progress: done, Total: &total})
}

// Ask implements caller.
func (a asking) Ask(ctx context.Context, f form) (map[string]json.RawMessage, error) {
	params, err := paramsOf(f, sessions.DecodeElicitRequestParams)
	if err != nil {
		return nil, err
	}
	outcome, err := a.client.ElicitationCreate(ctx, params)
	if err != nil {
		return nil, err
	}
	answer, ok := outcome.(*sessions.ElicitResult)
	if !ok || answer.Action != sessions.ElicitResultActionAccept {
		return nil, nil
	}
	return contentOf(answer.Content)
}

// described returns a task as clients see it.
func described(t *task) sessions.Task {
	status, updated := t.state()
	const format = time.RFC3339
	return sessions.Task{
		TaskID: t.id, Status: sessions.TaskStatus(status), CreatedAt: t.created.UTC().Format(format), LastUpdatedAt: updated.UTC().Format(format),
		TTL: wire.Pointer(float64(t.keep.Milliseconds())), PollInterval: wire.Pointer(float64(pollTasks.Milliseconds())),
	}
}

func (s *session) getTask(_ context.Context, p *sessions.GetTaskRequestParams) (*sessions.GetTaskResult, error) {
	t, err := s.tasks.get(p.TaskID)
	if err != nil {
		return nil, badParams(err)
	}
	d := described(t)
	return &sessions.GetTaskResult{
		TaskID: d.TaskID, Status: d.Status, CreatedAt: d.CreatedAt, LastUpdatedAt: d.LastUpdatedAt, TTL: d.TTL, PollInterval: d.PollInterval,
	}, nil
}

func (s *session) cancelTask(_ context.Context, p *sessions.CancelTaskRequestParams) (*sessions.CancelTaskResult, error) {
	t, err := s.tasks.cancel(p.TaskID)
	if err != nil {
		return nil, badParams(err)
	}
	d := described(t)
	return &sessions.CancelTaskResult{
		TaskID: d.TaskID, Status: d.Status, CreatedAt: d.CreatedAt, LastUpdatedAt: d.LastUpdatedAt, TTL: d.TTL, PollInterval: d.PollInterval,
	}, nil
}

func (s *session) listTasks(_ context.Context, p *sessions.ListTasksRequestParams) (*sessions.ListTasksResult, error) {
	list, next, err := s.tasks.page(cursorOf(p.Cursor), s.catalogue.pageSize)
	if err != nil {
		return nil, badParams(err)
	}
	out := &sessions.ListTasksResult{NextCursor: optional(next), Tasks: []sessions.Task{}}
	for _, t := range list {
		out.Tasks = append(out.Tasks, described(t))
	}
	return out, nil
}

// taskResult returns what the call of a task has returned, and waits for it.
func (s *session) taskResult(ctx context.Context, p *sessions.GetTaskPayloadRequestParams) (*sessions.GetTaskPayloadResult, error) {
	t, err := s.tasks.get(p.TaskID)
	if err != nil {
		return nil, badParams(err)
	}
	rpc.Async(ctx)
	result := toolResult(t.result(ctx))
	result.Meta = map[string]json.RawMessage{"io.modelcontextprotocol/related-task": json.RawMessage(`{"taskId":` + quoted(t.id) + `}`)}
	text, err := result.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return sessions.Decode[sessions.GetTaskPayloadResult](text)
}
