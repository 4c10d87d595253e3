// The doc command.

package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/browser"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/preview"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
)

// docFlags are the flags of the doc command.
type docFlags struct {
	out   pagesFolder
	open  bool
	serve string
}

// pagesFolder is the output folder of pages, distinct from the package's --out.
type pagesFolder string

func (f *pagesFolder) String() string     { return string(*f) }
func (f *pagesFolder) Set(v string) error { *f = pagesFolder(v); return nil }

// Type returns the value's name in help texts.
func (f *pagesFolder) Type() string { return "folder" }

func (a *app) doc() *cobra.Command {
	var flags docFlags
	cmd := &cobra.Command{
		Use:   "doc",
		Short: "Make pages that show a protocol, on the wire and in Go",
		Long: `Doc makes a reference: a page for each channel, action, method, type and error code, with members, an
example that is valid, the Go that makes it, what uses it and where it stands in the schemas; pictures;
and what changed since the embedded versions. The pages need nothing but each other. They open from a
folder, can be searched, printed and linked: what a page is called, and each place on it, follows from
the name of what it shows alone.

Where there is an ahpgen.json, one more page says who writes what of its package: what is generated, what
comes finished, what is yours, and what is still to be written. For each older version that it speaks,
a page lists what is not the same for peers of that version.

--serve shows the pages instead of writing them, to this machine alone unless the address names a host,
and renews them when a schema, a profile or a Go file of the package changes.`,
		Example: `  ahpgen doc --out reference
  ahpgen doc --out reference --open
  ahpgen doc --serve :8080 --open
  ahpgen doc --schemas ./schema --profile ./profile.json --out reference`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			path, err := a.one(cmd)
			if err != nil {
				return err
			}
			if flags.serve != "" {
				return a.serveDoc(cmd, path, flags)
			}
			return a.writeDoc(cmd, path, flags)
		},
	}
	a.inputFlags(cmd)
	f := cmd.Flags()
	f.Var(&flags.out, "out", "folder for the pages, of their own")
	f.BoolVar(&flags.open, "open", false, "open the pages in a browser")
	f.StringVar(&flags.serve, "serve", "", "serve the pages at an `address` such as :8080, and renew them as things change")
	return cmd
}

// check rejects inconsistent flags.
func (f *docFlags) check() error {
	switch {
	case f.out == "" && f.serve == "":
		return &generator.FlagError{Message: "no folder for the pages: name one with --out DIR, or look at them with --serve :8080", Flag: "out", Value: "reference"}
	case f.out != "" && f.serve != "":
		return &generator.FlagError{Message: "--out writes the pages and --serve shows them: choose one", Without: []string{"serve"}}
	case f.serve != "":
		if _, err := preview.Address(f.serve); err != nil {
			return &generator.FlagError{Message: "--serve: " + err.Error(), Flag: "serve", Value: ":8080"}
		}
	}
	return nil
}

// writeDoc writes the pages.
func (a *app) writeDoc(cmd *cobra.Command, path string, flags docFlags) error {
	defer a.working("reading")()
	g, err := a.generator(cmd, path)
	if err != nil {
		return err
	}
	site, err := g.Doc()
	if err != nil {
		return err
	}
	if err := site.Write(string(flags.out)); err != nil {
		return err
	}
	a.say("%s: wrote %s to %s, begin at %s\n", strings.TrimSpace(site.Protocol.Name+" "+site.Protocol.Version), plural(site.Pages(), "page"),
		filepath.ToSlash(string(flags.out)), filepath.ToSlash(filepath.Join(string(flags.out), "index.html")))
	if !flags.open {
		return nil
	}
	first, err := filepath.Abs(filepath.Join(string(flags.out), "index.html"))
	if err != nil {
		return fmt.Errorf("open a browser: %w", err)
	}
	return browser.Open((&url.URL{Scheme: "file", Path: filepath.ToSlash(first)}).String())
}

// serveDoc serves the pages until interrupted.
func (a *app) serveDoc(cmd *cobra.Command, path string, flags docFlags) error {
	address, err := preview.Address(flags.serve)
	if err != nil {
		return err
	}
	server := preview.New(func() preview.Site { return a.previewed(cmd, path) })
	if ok, problem := server.Ready(); !ok {
		fmt.Fprintln(a.stderr, strings.TrimRight(problem, "\n"))
		return errFindings
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve pages: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	first := "http://" + listener.Addr().String() + "/"
	a.say("%s\n", first)
	if err := errors.Join(a.stdout.Flush(), a.screen.out.Flush()); err != nil {
		return err // the line is awaited
	}
	if flags.open {
		if err := browser.Open(first); err != nil {
			fmt.Fprintf(a.stderr, "ahpgen: %s\n", err)
		}
	}
	go server.Watch(ctx, 300*time.Millisecond, func(string) {})
	host, _, _ := net.SplitHostPort(address)
	if err := server.Serve(ctx, listener, host); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("serve pages: %w", err)
	}
	return nil
}

// previewed builds the pages of the current configuration. Errors are shown in the browser.
func (a *app) previewed(cmd *cobra.Command, path string) (out preview.Site) {
	fresh := &app{stdout: a.stdout, stderr: a.stderr, screen: a.screen, flags: a.flags, quiet: true, cmd: a.cmd}
	config, err := fresh.config(cmd, path)
	if path != "" {
		out.Inputs = append(out.Inputs, path)
	}
	if err == nil {
		err = fresh.previewPages(config, &out)
	}
	if err != nil {
		var text strings.Builder
		_ = fresh.diags.Print(&text)
		if !errors.Is(err, generator.ErrFindings) {
			fmt.Fprintln(&text, err)
		}
		out.Problem = text.String()
	}
	return out
}

func (a *app) previewPages(config generator.Config, out *preview.Site) (err error) {
	defer a.diags.Catch(&err)
	g, err := generator.New(config, &a.diags)
	if err != nil {
		return err
	}
	site, err := g.Doc()
	out.Inputs = append(out.Inputs, g.Inputs()...)
	if err != nil {
		return err
	}
	if a.diags.Count(diag.Error) > 0 {
		return generator.ErrFindings
	}
	out.Files = map[string][]byte{}
	for _, f := range site.Files {
		out.Files[f.Name] = f.Content
	}
	return nil
}
