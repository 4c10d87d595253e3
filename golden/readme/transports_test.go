// Transports, for a package that a consumer has generated: in a module of its own, from a schema of its
// own, between two processes.

package readme

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

const doorsSchema = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$defs": {
    "OpenParams": {"type": "object", "properties": {"door": {"type": "string"}, "padding": {"type": "string"}}, "required": ["door"]},
    "OpenResult": {"type": "object", "properties": {"length": {"type": "integer"}}, "required": ["length"]},
    "KeyParams": {"type": "object", "properties": {"door": {"type": "string"}}, "required": ["door"]},
    "KeyResult": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
    "ReportParams": {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]},
    "ErrorCodes": {"type": "integer", "enum": [-32001, -32002]},
    "LockedData": {"type": "object", "properties": {"by": {"type": "string"}, "since": {"type": "integer"}}, "required": ["by", "since"]}
  }
}
`

const doorsProfile = `{
  "name": "doors", "title": "Door Protocol",
  "errors": {"enums": ["ErrorCodes"], "codes": [{"code": -32001, "name": "NoKey"}, {"code": -32002, "name": "Locked", "data": "LockedData"}]},
  "methods": [
    {"name": "open", "from": "client", "kind": "request", "params": "OpenParams", "result": "OpenResult"},
    {"name": "key", "from": "host", "kind": "request", "params": "KeyParams", "result": "KeyResult"},
    {"name": "report", "from": "client", "kind": "notification", "params": "ReportParams"}
  ]
}
`

// doorsProgram is a host and a client. The client asks twice: what the host answers depends on what the
// client answers it in between.
const doorsProgram = `package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"example.com/consumer/doors"
	"example.com/consumer/doors/wire/rpc"
	"example.com/consumer/doors/wire/ws"
)

const far = 9007199254740993

var reports int64

// handlers are the host's. It cannot open a door without the client's key.
func handlers(conn rpc.Conn) *doors.HostHandlers {
	client := doors.NewClientConn(conn)
	return &doors.HostHandlers{
		Report: func(_ context.Context, p *doors.ReportParams) {
			if p.Line == reports {
				reports++
			}
		},
		Open: func(ctx context.Context, p *doors.OpenParams) (*doors.OpenResult, error) {
			if p.Door == "reports" {
				return &doors.OpenResult{Length: reports}, nil
			}
			_, err := client.Key(ctx, &doors.KeyParams{Door: p.Door})
			var locked *doors.LockedData
			switch {
			case errors.Is(err, doors.ErrorCodeNoKey):
				return nil, doors.ErrorCodeNoKey
			case errors.As(err, &locked):
				return nil, &doors.LockedData{By: "host, for " + locked.By, Since: locked.Since}
			case err != nil:
				return nil, err
			}
			length := int64(0)
			if p.Padding != nil {
				length = int64(len(*p.Padding))
			}
			return &doors.OpenResult{Length: length}, nil
		},
	}
}

// ask is the client: the same questions over every transport.
func ask(conn *rpc.Peer) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	served := make(chan error, 1)
	go func() {
		served <- conn.Serve(context.Background(), &doors.ClientHandlers{
			Key: func(_ context.Context, p *doors.KeyParams) (*doors.KeyResult, error) {
				switch p.Door {
				case "cellar":
					return nil, doors.ErrorCodeNoKey
				case "attic":
					return nil, &doors.LockedData{By: "client", Since: far}
				}
				return &doors.KeyResult{Key: "k"}, nil
			},
		})
	}()
	host := doors.NewHostConn(conn)
	long := strings.Repeat("x", 3<<20)
	got, err := host.Open(ctx, &doors.OpenParams{Door: "front", Padding: &long})
	if err != nil {
		return err
	}
	fmt.Println("open", got.Length)
	_, err = host.Open(ctx, &doors.OpenParams{Door: "cellar"})
	fmt.Println(err, errors.Is(err, doors.ErrorCodeNoKey), errors.Is(err, doors.ErrorCodeLocked))
	_, err = host.Open(ctx, &doors.OpenParams{Door: "attic"})
	var locked *doors.LockedData
	fmt.Println(err, errors.As(err, &locked))
	fmt.Println(locked.By, locked.Since == far)
	for line := int64(0); line < 1000; line++ {
		if err := host.Report(ctx, &doors.ReportParams{Line: line}); err != nil {
			return err
		}
	}
	if got, err = host.Open(ctx, &doors.OpenParams{Door: "reports"}); err != nil {
		return err
	}
	fmt.Println("reports", got.Length)
	if err := conn.Close(); err != nil {
		return err
	}
	return <-served
}

func main() {
	if err := run(); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx := context.Background()
	switch os.Args[1] {
	case "stdio-host": // the other process
		conn := rpc.NewPeer(rpc.Stdio(), nil)
		return conn.Serve(ctx, handlers(conn))
	case "stdio":
		child := exec.Command(os.Args[0], "stdio-host")
		child.Stderr = os.Stderr
		in, err := child.StdinPipe()
		if err != nil {
			return err
		}
		out, err := child.StdoutPipe()
		if err != nil {
			return err
		}
		if err := child.Start(); err != nil {
			return err
		}
		return errors.Join(ask(rpc.NewPeer(rpc.Pipes(out, in), nil)), child.Wait())
	case "ws-host": // the other process
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		served := make(chan error, 1)
		go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			socket, err := ws.Accept(w, r, nil)
			if err != nil {
				served <- err
				return
			}
			conn := rpc.NewPeer(socket, nil)
			served <- conn.Serve(r.Context(), handlers(conn))
		}))
		fmt.Println("ws://" + listener.Addr().String())
		return <-served
	case "ws":
		child := exec.Command(os.Args[0], "ws-host")
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			return err
		}
		if err := child.Start(); err != nil {
			return err
		}
		url, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			return err
		}
		socket, err := ws.Dial(ctx, strings.TrimSpace(url), nil)
		if err != nil {
			return err
		}
		return errors.Join(ask(rpc.NewPeer(socket, nil)), child.Wait())
	}
	return errors.New("what?")
}
`

const doorsTalk = `open 3145728
open: NoKey (-32001) true false
open: Locked (-32002) true
host, for client true
reports 1000
`

func TestAConsumersOwnPackageTalksOverWebSocketAndStdio(t *testing.T) {
	kit.Wide(t)
	dir := consumer(t)
	kit.WriteFile(t, filepath.Join(dir, "schema", "doors.schema.json"), doorsSchema)
	kit.WriteFile(t, filepath.Join(dir, "schema", "profile.json"), doorsProfile)
	require.Equal(t, "wrote doors/ahpgen.json\nwrote doors/ahpgen-schema.json\nwrote doors/generate.go\nwrote doors/.gitattributes\nnext: go get github.com/coder/websocket\n      go generate ./...\n",
		kit.Run(t, dir, "go", "tool", "ahpgen", "init", "doors", "--schemas", "schema", "--profile", "schema/profile.json", "--transports", "websocket"))
	kit.Run(t, dir, "go", "generate", "./...")
	kit.Run(t, dir, "go", "get", "github.com/coder/websocket")
	kit.WriteFile(t, filepath.Join(dir, "main.go"), doorsProgram)
	program := filepath.Join(t.TempDir(), "doors")
	kit.Emitted(t, dir, "build", "-o", program, ".")
	require.Equal(t, doorsTalk, kit.Run(t, dir, program, "stdio"))
	require.Equal(t, doorsTalk, kit.Run(t, dir, program, "ws"))
	kit.Emitted(t, dir, "vet", "./...")

	// But for that one library, the program needs the generated package only.
	for _, dep := range strings.Fields(kit.Run(t, dir, "go", "list", "-deps", ".")) {
		first, _, _ := strings.Cut(dep, "/")
		ours := !strings.Contains(first, ".") || strings.HasPrefix(dep, "example.com/consumer") || strings.HasPrefix(dep, "github.com/coder/websocket")
		require.True(t, ours, dep)
	}
	require.NotContains(t, kit.Run(t, dir, "go", "list", "-deps", "./doors"), "coder/websocket")
}

func TestTransportsGoWhereTheyAreNotWantedAnyMore(t *testing.T) {
	dir := kit.Place(t)
	kit.WriteFile(t, filepath.Join(dir, "go.mod"), "module example.com/consumer\n\ngo 1.24\n")
	kit.WriteFile(t, filepath.Join(dir, "schema", "doors.schema.json"), doorsSchema)
	kit.WriteFile(t, filepath.Join(dir, "schema", "profile.json"), doorsProfile)
	config := filepath.Join(dir, "doors", "ahpgen.json")
	const plain = `{"schemas": "../schema", "profile": "../schema/profile.json", "out": ".", "package": "doors"}`
	kit.WriteFile(t, config, strings.TrimSuffix(plain, "}")+`, "transports": ["websocket"]}`)
	printed, code := kit.InFolder(t, filepath.Dir(config), "generate")
	require.Zero(t, code, printed)
	require.FileExists(t, filepath.Join(dir, "doors", "wire", "ws", "ws_gen.go"))
	kit.WriteFile(t, config, plain)
	printed, code = kit.InFolder(t, filepath.Dir(config), "check")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "wire/ws/ws_gen.go: orphaned")
	require.Contains(t, printed, "option transports")
	printed, code = kit.InFolder(t, filepath.Dir(config), "generate")
	require.Zero(t, code, printed)
	require.NoFileExists(t, filepath.Join(dir, "doors", "wire", "ws", "ws_gen.go"))

	kit.WriteFile(t, config, strings.TrimSuffix(plain, "}")+`, "transports": ["pigeon"]}`)
	printed, code = kit.InFolder(t, filepath.Dir(config), "generate")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "ahpgen.json:1:")
	kit.WriteFile(t, filepath.Join(dir, "schema", "profile.json"), `{"name": "doors", "title": "Door Protocol"}`)
	kit.WriteFile(t, config, strings.TrimSuffix(plain, "}")+`, "transports": ["websocket"]}`)
	printed, code = kit.InFolder(t, filepath.Dir(config), "generate")
	require.Equal(t, 1, code, printed)
	require.Contains(t, printed, "ahpgen.json:1:")
	require.Contains(t, printed, "the protocol has no methods\n    hint: leave transports out")
}
