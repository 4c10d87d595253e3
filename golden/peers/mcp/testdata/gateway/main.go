// Command gateway starts a server of one version for a client of the other: gateway older SERVER has a client of the older
// version on its standard input and output, and gateway newer SERVER one of the newer.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"ours/mcp"
	"ours/wire/rpc"
)

func main() {
	if err := run(os.Args[1], exec.Command(os.Args[2], os.Args[3:]...)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(client string, child *exec.Cmd) error {
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
	older, newer := rpc.Stdio(), rpc.Pipes(out, in)
	if client == "newer" {
		older, newer = newer, older
	}
	g, err := mcp.NewGateway("2025-06-18")
	if err != nil {
		return err
	}
	g.OnError = func(err error) { fmt.Fprintln(os.Stderr, err) }
	err = g.Run(context.Background(), older, newer)
	_ = child.Wait()
	return err
}
