// Connecting with a program or an address, for the commands that are one of two sides.

package cli

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/textproto"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// dialFlags say what to connect with.
type dialFlags struct {
	address string
	headers []string
}

const headerFlag = "header"

// withoutSecret returns a header as it is shown in lines to type.
func withoutSecret(header string) string {
	name, _, found := strings.Cut(header, ":")
	if !found || strings.HasPrefix(header, "@") {
		return header
	}
	return name + ": VALUE"
}

func (flags *dialFlags) add(f *pflag.FlagSet) {
	f.StringVar(&flags.address, "dial", "", "connect with this `address`: host:port, unix:PATH, or a URL with ws, wss, http or https")
	f.StringArrayVar(&flags.headers, headerFlag, nil, "send this `header` to a URL, such as 'Authorization: Bearer TOKEN', or @FILE with one on each line")
}

// header reads the headers. Errors do not repeat them, for they have secrets.
func (flags *dialFlags) header(to tap.Target) (http.Header, error) {
	if len(flags.headers) > 0 && !to.IsWeb() && !to.IsHTTP() {
		return nil, &generator.FlagError{Message: "--header is for addresses that are URLs", Without: []string{"header"}}
	}
	out := http.Header{}
	for _, text := range flags.headers {
		if file, ok := strings.CutPrefix(text, "@"); ok {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read the headers: %w", err)
			}
			text = string(data)
		}
		lines := textproto.NewReader(bufio.NewReader(strings.NewReader(strings.TrimSpace(text) + "\n\n")))
		header, err := lines.ReadMIMEHeader()
		if err != nil || len(header) == 0 {
			return nil, &generator.FlagError{Message: "--header takes a name, a colon and a value", Flag: "header", Value: "NAME: VALUE"}
		}
		for name, values := range header {
			out[name] = append(out[name], values...)
		}
	}
	return out, nil
}

// connect connects with an address or starts a program.
func (a *app) connect(ctx context.Context, f record.Framing, p *protocol.Protocol, flags *dialFlags, program []string) (*tap.Link, error) {
	switch {
	case (flags.address == "") == (len(program) == 0):
		return nil, &generator.UsageError{Message: "name either a program after --, or an address with --dial"}
	case flags.address == "":
		if len(flags.headers) > 0 {
			return nil, &generator.FlagError{Message: "--header is for addresses that are URLs, and not for programs", Without: []string{"header"}}
		}
		t, err := tap.Start(f, program, a.programErr())
		if err != nil {
			return nil, &diag.HintError{Err: fmt.Errorf("start %s: %w", program[0], err), Hint: "name a program after --, with its arguments"}
		}
		return t, nil
	}
	to, err := tap.ParseTarget(flags.address)
	if err != nil {
		return nil, &generator.FlagError{Message: "--dial: " + err.Error(), Flag: "dial", Value: "ws://localhost:8137"}
	}
	header, err := flags.header(to)
	if err != nil {
		return nil, err
	}
	t, err := tap.Open(ctx, f, to, header, p)
	if err != nil {
		return nil, &diag.HintError{Err: fmt.Errorf("connect: %w", err), Hint: "start what listens there, or correct the address; one of HTTP begins with http://"}
	}
	return t, nil
}
