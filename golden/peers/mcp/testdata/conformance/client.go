// The client: it finds out which era its server is of, and then does what a scenario of the suite wants.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"ours/newer"
	"ours/older"
	"ours/wire"
	"ours/wire/rpc"
	"ours/wire/web"
)

// tool is a tool of the server.
type tool struct {
	name   string
	schema json.RawMessage
}

// connection is one to a server of either era.
type connection interface {
	tools(ctx context.Context) ([]tool, error)
	call(ctx context.Context, name string, arguments map[string]json.RawMessage) error
	look(ctx context.Context) error // at what else there is
	close() error
}

func ask(url string) error {
	wire.OnMissing(func(*wire.DecodeError) {}) // a result that does not say its type is complete
	ctx := context.Background()
	server, err := connect(ctx, url)
	if err != nil {
		return err
	}
	tools, err := server.tools(ctx)
	if err != nil {
		return err
	}
	switch os.Getenv("MCP_CONFORMANCE_SCENARIO") {
	case "http-custom-headers":
		var wanted struct {
			ToolCalls []struct {
				Name      string
				Arguments map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &wanted); err != nil {
			return err
		}
		for _, one := range wanted.ToolCalls {
			err = errors.Join(err, server.call(ctx, one.Name, one.Arguments))
		}
	case "json-schema-2020-12-preservation":
		i := slices.IndexFunc(tools, func(t tool) bool { return t.name == "json_schema_2020_12_tool" })
		err = server.call(ctx, "json_schema_echo", map[string]json.RawMessage{"schema": tools[i].schema})
	case "json-schema-ref-no-deref": // whose tool cannot be called
	default:
		for _, t := range tools {
			err = errors.Join(err, server.call(ctx, t.name, argumentsFor(t.schema)))
		}
	}
	return errors.Join(err, server.look(ctx), server.close())
}

// argumentsFor returns arguments for a tool, of those that it requires.
func argumentsFor(schema json.RawMessage) map[string]json.RawMessage {
	var object struct {
		Required   []string
		Properties map[string]struct{ Type string }
	}
	_ = json.Unmarshal(schema, &object)
	values := map[string]string{"string": `"text"`, "number": "1", "integer": "1", "boolean": "true", "object": "{}", "array": "[]"}
	out := map[string]json.RawMessage{}
	for _, name := range object.Required {
		value, ok := values[object.Properties[name].Type]
		if !ok {
			value = `"text"` // the type is somewhere else
		}
		out[name] = json.RawMessage(value)
	}
	return out
}

// fill fills in a form with its defaults.
func fill(params any) (content string, err error) {
	text, err := json.Marshal(params)
	var form struct {
		RequestedSchema struct {
			Properties map[string]struct {
				Type    string
				Default json.RawMessage
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &form)
	}
	given := map[string]json.RawMessage{}
	for name, property := range form.RequestedSchema.Properties {
		switch {
		case property.Default != nil:
			given[name] = property.Default
		case property.Type == "boolean":
			given[name] = json.RawMessage("true")
		}
	}
	out, failed := json.Marshal(given)
	return `{"action":"accept","content":` + string(out) + `}`, errors.Join(err, failed)
}

// connect finds out of which era a server is, by a request that all servers of the newer one answer.
func connect(ctx context.Context, url string) (connection, error) {
	n := &newerServer{version: "2026-07-28", schemas: map[string]json.RawMessage{}}
	n.server = newer.NewServerConn(web.NewClient(url, newer.HTTP, &web.Options{
		Handler: &newer.ClientHandlers{}, Schema: func(called string) json.RawMessage { return n.schemas[called] },
	}))
	found, err := n.server.ServerDiscover(ctx, &newer.RequestParams{Meta: n.meta()})
	if versions, ok := newer.HTTP.Supported(err); ok && slices.Contains(versions, n.version) {
		found, err = n.server.ServerDiscover(ctx, &newer.RequestParams{Meta: n.meta()})
	}
	switch {
	case err == nil && slices.Contains(found.SupportedVersions, n.version):
		fmt.Fprintln(os.Stderr, "newer")
		return n, nil
	case err == nil || newer.HTTP.Foreign(err): // some older servers answer whatever they are asked
		fmt.Fprintln(os.Stderr, "older")
		return connectOlder(ctx, url)
	}
	return nil, err
}

// newerServer is a server to which each request stands for itself.
type newerServer struct {
	server  *newer.ServerConn
	version string
	schemas map[string]json.RawMessage
}

func (n *newerServer) meta() newer.RequestMetaObject {
	return *decode(newer.Decode[newer.RequestMetaObject], `{"io.modelcontextprotocol/protocolVersion":`+quote(n.version)+`,
		"io.modelcontextprotocol/clientInfo":{"name":"ours","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`)
}

func (n *newerServer) close() error { return nil }

// tools leaves out those whose schemas ask for headers that cannot be.
func (n *newerServer) tools(ctx context.Context) (out []tool, err error) {
	list, err := n.server.ToolsList(ctx, &newer.PaginatedRequestParams{Meta: n.meta()})
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tools {
		if err := newer.HTTP.Parameters.Check(t.InputSchema); err != nil {
			fmt.Fprintln(os.Stderr, t.Name, "is not used:", err)
			continue
		}
		n.schemas[t.Name] = t.InputSchema
		out = append(out, tool{t.Name, t.InputSchema})
	}
	return out, nil
}

func (n *newerServer) call(ctx context.Context, name string, arguments map[string]json.RawMessage) error {
	p := &newer.CallToolRequestParams{Meta: n.meta(), Name: name, Arguments: arguments}
	for range 5 {
		result, err := n.server.ToolsCall(ctx, p)
		if err != nil {
			return err
		}
		asks, ok := result.(*newer.InputRequiredResult)
		if !ok {
			return nil
		}
		p.InputResponses, p.RequestState = newer.InputResponses{}, asks.RequestState
		for key, request := range asks.InputRequests {
			elicit, ok := request.(*newer.ElicitRequest)
			if !ok {
				return fmt.Errorf("%s asks for %s", name, request.InputRequestMethod())
			}
			content, err := fill(elicit.Params)
			if err != nil {
				return err
			}
			p.InputResponses[key] = decode(newer.Decode[newer.ElicitResult], content)
		}
	}
	return fmt.Errorf("%s asks again and again", name)
}

func (n *newerServer) look(ctx context.Context) error {
	found, err := n.server.ServerDiscover(ctx, &newer.RequestParams{Meta: n.meta()})
	if err != nil {
		return err
	}
	if found.Capabilities.Resources != nil {
		list, err := n.server.ResourcesList(ctx, &newer.PaginatedRequestParams{Meta: n.meta()})
		if err != nil {
			return err
		}
		for _, r := range list.Resources {
			if _, err := n.server.ResourcesRead(ctx, &newer.ReadResourceRequestParams{Meta: n.meta(), URI: r.URI}); err != nil {
				return err
			}
		}
	}
	if found.Capabilities.Prompts != nil {
		list, err := n.server.PromptsList(ctx, &newer.PaginatedRequestParams{Meta: n.meta()})
		if err != nil {
			return err
		}
		for _, p := range list.Prompts {
			if _, err := n.server.PromptsGet(ctx, &newer.GetPromptRequestParams{Meta: n.meta(), Name: p.Name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// olderServer is a server with sessions.
type olderServer struct {
	peer   *rpc.Peer
	server *older.ServerConn
}

func connectOlder(ctx context.Context, url string) (connection, error) {
	peer := rpc.NewPeer(web.Dial(url, older.HTTP, nil), nil)
	go func() {
		_ = peer.Serve(ctx, &older.ClientHandlers{
			Ping: func(context.Context, *older.RequestParams) (*older.EmptyResult, error) {
				return &older.EmptyResult{}, nil
			},
			ElicitationCreate: func(_ context.Context, p older.ElicitRequestParams) (older.ElicitOutcome, error) {
				content, err := fill(p)
				return decode(older.Decode[older.ElicitResult], content), err
			},
		})
	}()
	o := &olderServer{peer, older.NewServerConn(peer)}
	_, err := o.server.Initialize(ctx, &older.InitializeRequestParams{
		ProtocolVersion: older.ProtocolVersion(), ClientInfo: older.Implementation{Name: "ours", Version: "1"},
		Capabilities: *decode(older.Decode[older.ClientCapabilities], `{"elicitation":{}}`),
	})
	if err != nil {
		return nil, err
	}
	return o, o.server.NotificationsInitialized(ctx, &older.NotificationParams{})
}

func (o *olderServer) close() error { return o.peer.Close() }

func (o *olderServer) look(context.Context) error { return nil }

func (o *olderServer) tools(ctx context.Context) (out []tool, err error) {
	list, err := o.server.ToolsList(ctx, &older.PaginatedRequestParams{})
	if errors.Is(err, rpc.MethodNotFound) || err != nil && !o.server.Supports("tools/list") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tools {
		out = append(out, tool{t.Name, t.InputSchema})
	}
	return out, nil
}

func (o *olderServer) call(ctx context.Context, name string, arguments map[string]json.RawMessage) error {
	_, err := o.server.ToolsCall(ctx, &older.CallToolRequestParams{Name: name, Arguments: arguments})
	return err
}
