// Child: a program behind the tap.

package tap

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// leftover is how long a child that has ended may leave its output open, as programs do that it has started.
const leftover = 5 * time.Second

// Child runs a program and passes on what is said between its standard input and output and those of this process, where in
// and out are the client's. It returns the exit code of the program; the error says why it could not be started.
func (t *Tap) Child(args []string, in io.Reader, out io.Writer, errs io.Writer) (code int, err error) {
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // the user names it
	cmd.Stderr = errs
	childIn, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	// A pipe of our own: that of the package is closed as soon as the program ends, with what is unread.
	childOut, write, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	cmd.Stdout = write
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, passed...)
	defer signal.Stop(signals)
	signal.Notify(make(chan os.Signal, 1), broken...) // ignored, they would be ignored by the child as well
	err = cmd.Start()
	_ = write.Close() // it is the child's
	if err != nil {
		_ = childOut.Close()
		return 0, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}()
	go func() {
		_ = t.Pass(1, protocol.FromClient, childIn, in)
		_ = childIn.Close() // also if the child has closed it: then our reader gets an error when it writes
		if c, ok := in.(io.Closer); ok {
			_ = c.Close()
		}
	}()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_ = t.Pass(1, protocol.FromHost, out, childOut)
		_ = childOut.Close()
		if c, ok := out.(io.Closer); ok {
			_ = c.Close()
		}
	}()
	err = cmd.Wait()
	select {
	case <-drained:
	case <-time.After(leftover):
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) || err == nil {
		return exitCode(cmd.ProcessState), nil
	}
	return 0, err
}
