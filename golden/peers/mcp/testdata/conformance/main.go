// Command conformance is a server and a client of MCP for the conformance suite, each of both eras: of versions with sessions,
// and of those in which each request stands for itself.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"ours/newer"
	"ours/older"
	"ours/wire/rpc"
	"ours/wire/web"
)

func main() {
	var err error
	if os.Args[1] == "server" {
		err = serve()
	} else {
		err = ask(os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve prints the URL at which it serves both eras. It ends with its standard input.
func serve() error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	sessions := &web.Sessions{
		Dialect: older.HTTP,
		Retry:   100 * time.Millisecond,
		Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
			if err := serveSession(ctx, t); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		},
	}
	return web.Serve(ctx, l, &web.Handler{Dialect: newer.HTTP, Handler: newServer().handlers(), Schema: schemaOf, Older: sessions})
}

// decode makes a value of JSON that is known to be one.
func decode[T any](read func([]byte) (T, error), text string) T {
	v, err := read([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

// quote returns a text as JSON.
func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// argument returns an argument that is a text.
func argument(arguments map[string]json.RawMessage, name string) (text string) {
	_ = json.Unmarshal(arguments[name], &text)
	return text
}

func said(text string) string { return `{"content":[{"type":"text","text":` + quote(text) + `}]` }
