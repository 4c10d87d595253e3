// The versions in which each request stands for itself: the client sends what it can do with each, and a result may ask for
// input instead.

package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ahpgen/ahpgen/generated/mcp"
	"github.com/ahpgen/ahpgen/generated/wire"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/web"
)

// newest serves a catalogue to clients of these versions.
type newest struct{ catalogue *catalogue }

func (s newest) handlers() *mcp.ServerHandlers {
	return &mcp.ServerHandlers{
		ServerDiscover: func(context.Context, *mcp.DiscoverRequestParams) (*mcp.DiscoverResult, error) {
			return &mcp.DiscoverResult{
				Meta: meta(), CacheScope: mcp.CacheScopePrivate, SupportedVersions: []string{mcp.ProtocolVersion()},
				Capabilities: mcp.ServerCapabilities{
					Tools:     &mcp.ServerCapabilitiesPromptsOrTools{ListChanged: wire.Pointer(true)},
					Resources: &mcp.ServerCapabilitiesResources{ListChanged: wire.Pointer(true)},
				},
			}, nil
		},
		ToolsList:     s.listTools,
		ToolsCall:     s.call,
		ResourcesList: s.listResources,
		ResourcesTemplatesList: func(context.Context, *mcp.ListResourceTemplatesRequestParams) (*mcp.ListResourceTemplatesResult, error) {
			return &mcp.ListResourceTemplatesResult{
				Meta: meta(), CacheScope: mcp.CacheScopePrivate, ResourceTemplates: []mcp.ResourceTemplate{},
			}, nil
		},
		ResourcesRead:       s.read,
		SubscriptionsListen: s.listen,
	}
}

// meta returns what is known of this server, which results carry.
func meta() *mcp.ResultMetaObject {
	return &mcp.ResultMetaObject{ServerInfo: &mcp.Implementation{Name: "mcpdemo", Version: "1"}}
}

// badParams is the error for parameters that do not fit the catalogue.
func badParams(err error) error {
	return &rpc.Error{Code: int64(mcp.ErrorCodeInvalidParams), Message: err.Error()}
}

// optional returns a text, or nil if it is empty.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// cursorOf returns a cursor, or "" for the first page.
func cursorOf(cursor *string) string {
	if cursor == nil {
		return ""
	}
	return *cursor
}

func (s newest) listTools(_ context.Context, p *mcp.ListToolsRequestParams) (*mcp.ListToolsResult, error) {
	tools, next, err := s.catalogue.toolsAt(cursorOf(p.Cursor))
	if err != nil {
		return nil, badParams(err)
	}
	out := &mcp.ListToolsResult{Meta: meta(), CacheScope: mcp.CacheScopePrivate, NextCursor: optional(next)}
	for _, t := range tools {
		out.Tools = append(out.Tools, mcp.Tool{Name: t.name, Description: &t.description, InputSchema: t.schema})
	}
	return out, nil
}

func (s newest) listResources(_ context.Context, p *mcp.ListResourcesRequestParams) (*mcp.ListResourcesResult, error) {
	resources, next, err := s.catalogue.resourcesAt(cursorOf(p.Cursor))
	if err != nil {
		return nil, badParams(err)
	}
	out := &mcp.ListResourcesResult{Meta: meta(), CacheScope: mcp.CacheScopePrivate, NextCursor: optional(next)}
	for _, r := range resources {
		out.Resources = append(out.Resources, mcp.Resource{URI: r.uri, Name: r.name, MimeType: wire.Pointer("text/plain")})
	}
	return out, nil
}

func (s newest) read(_ context.Context, p *mcp.ReadResourceRequestParams) (mcp.ReadResourceOutcome, error) {
	r, ok := s.catalogue.resource(p.URI)
	if !ok {
		return nil, badParams(errors.New("resource not found"))
	}
	return &mcp.ReadResourceResult{
		Meta: meta(), CacheScope: mcp.CacheScopePrivate,
		Contents: []mcp.ReadResourceResultContentsItem{&mcp.TextResourceContents{URI: r.uri, MimeType: wire.Pointer("text/plain"), Text: r.text}},
	}, nil
}

// call runs a tool. Its errors are results, so that a model sees them.
func (s newest) call(ctx context.Context, p *mcp.CallToolRequestParams) (mcp.CallToolOutcome, error) {
	t := s.catalogue.tool(p.Name)
	if t == nil {
		return nil, badParams(errors.New("unknown tool " + p.Name))
	}
	rpc.Async(ctx) // other requests on the connection are handled meanwhile
	text, err := t.withArguments(ctx, request{p}, p.Arguments)
	if question, ok := errors.AsType[*unanswered](err); ok {
		params, err := paramsOf(question.form, mcp.DecodeElicitRequestParams)
		if err != nil {
			return nil, err
		}
		return &mcp.InputRequiredResult{
			Meta:          meta(),
			InputRequests: mcp.InputRequests{question.form.name: &mcp.ElicitRequest{Params: params}},
		}, nil
	}
	if refused, ok := errors.AsType[*rpc.Error](err); ok {
		return nil, refused
	}
	out := &mcp.CallToolResult{Meta: meta(), Content: []mcp.ContentBlock{&mcp.TextContent{Text: text}}}
	if err != nil {
		out.Content, out.IsError = []mcp.ContentBlock{&mcp.TextContent{Text: err.Error()}}, wire.Pointer(true)
	}
	return out, nil
}

// request is a call of a tool, as its caller.
type request struct{ params *mcp.CallToolRequestParams }

// Progress implements caller.
func (r request) Progress(ctx context.Context, done, total float64) error {
	token := r.params.Meta.ProgressToken
	if token == nil {
		return nil
	}
	client := mcp.NewClientConn(rpc.CallerOf(ctx))
	err := client.NotificationsProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: &total})
	if errors.Is(err, web.ErrNoStream) {
		return nil // the answer is enough
	}
	return err
}

// Ask implements caller. The client sends the answers with another call.
func (r request) Ask(_ context.Context, f form) (map[string]json.RawMessage, error) {
	switch answer := r.params.InputResponses[f.name].(type) {
	case nil:
		if r.params.Meta.ClientCapabilities.Elicitation == nil {
			needs := mcp.ClientCapabilities{Elicitation: &mcp.ClientCapabilitiesElicitation{}}
			return nil, missing(&mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: needs})
		}
		return nil, &unanswered{f}
	case *mcp.ElicitResult:
		if answer.Action == mcp.ElicitResultActionAccept {
			return contentOf(answer.Content)
		}
	}
	return nil, nil
}

// missing is the error for a client that lacks capabilities.
func missing(what *mcp.MissingRequiredClientCapabilityData) error {
	refused, err := rpc.NewError(mcp.ErrorCodeMissingRequiredClientCapability, "this needs capabilities that the client does not have", what)
	if err != nil {
		return err
	}
	return refused
}

// listen tells a client of changes until it goes.
func (s newest) listen(ctx context.Context, p *mcp.SubscriptionsListenRequestParams) (*mcp.SubscriptionsListenResult, error) {
	rpc.Async(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id, err := mcp.DecodeRequestID(rpc.RequestOf(ctx))
	if err != nil {
		return nil, err
	}
	client, about := mcp.NewClientConn(rpc.CallerOf(ctx)), &mcp.NotificationMetaObject{SubscriptionID: id}
	tools, resources := isTrue(p.Notifications.ToolsListChanged), isTrue(p.Notifications.ResourcesListChanged)
	wants := mcp.SubscriptionFilter{ToolsListChanged: &tools, ResourcesListChanged: &resources}
	// What changes from here on is sent after the acknowledgement.
	changes := s.catalogue.watch(ctx)
	if err := client.NotificationsSubscriptionsAcknowledged(ctx, &mcp.SubscriptionsAcknowledgedNotificationParams{Meta: about, Notifications: wants}); err != nil {
		return nil, err
	}
	for {
		select {
		case <-changes.tools:
			if tools {
				err = client.NotificationsToolsListChanged(ctx, &mcp.ToolListChangedNotificationParams{Meta: about})
			}
		case <-changes.resources:
			if resources {
				err = client.NotificationsResourcesListChanged(ctx, &mcp.ResourceListChangedNotificationParams{Meta: about})
			}
		case <-web.Stopping(ctx):
			return &mcp.SubscriptionsListenResult{Meta: mcp.SubscriptionsListenResultMetaObject{ServerInfo: meta().ServerInfo, SubscriptionID: id}}, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
