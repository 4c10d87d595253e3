// The agent's process.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// grace is the time an agent has to exit after its input is closed.
const grace = 5 * time.Second

type process struct {
	cmd       *exec.Cmd
	kill      context.CancelFunc
	transport rpc.Transport // over its standard output and input
}

// start starts an agent. Its standard error is passed through.
func start(ctx context.Context, args []string, stderr io.Writer) (*process, error) {
	ctx, kill := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the command is the user's choice
	cmd.Stderr, cmd.WaitDelay = stderr, grace
	apart(cmd)
	in, err := cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			if err = cmd.Start(); err == nil {
				return &process{cmd: cmd, kill: kill, transport: rpc.Pipes(out, in)}, nil
			}
		}
	}
	kill()
	return nil, err
}

// end waits for the process after its input was closed, and returns the first error. If the connection was lost, the
// exit status is more informative.
func (p *process) end(failed error) error {
	impatient := time.AfterFunc(grace, p.kill)
	err := p.cmd.Wait()
	inTime := impatient.Stop()
	p.kill()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && inTime && (failed == nil || errors.Is(failed, rpc.ErrClosed)):
		return fmt.Errorf("the agent has ended: %w", exit)
	case failed == nil && !inTime:
		return fmt.Errorf("the agent did not end within %v, and was killed", grace)
	}
	return failed
}
