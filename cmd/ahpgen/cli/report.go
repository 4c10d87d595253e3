// Reports of diff and bump, on standard output and in files.

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// reportFlags select the formats and files of a report.
type reportFlags struct {
	format string
	out    []string
}

// add adds the flags to a command.
func (f *reportFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "text", "form of the report: "+strings.Join(report.Formats, ", "))
	cmd.Flags().StringArrayVar(&f.out, "out", nil, "write the report into a `file` as well, such as report.md or github=annotations; can be repeated")
	if err := cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // defined above
	}
}

// check rejects invalid targets before anything is compared.
func (f *reportFlags) check() error {
	if !slices.Contains(report.Formats, f.format) {
		return &generator.FlagError{Message: fmt.Sprintf("--format %q: choose one of %s", f.format, strings.Join(report.Formats, ", ")), Flag: "format", Value: report.Formats[0]}
	}
	seen := map[string]bool{}
	for _, out := range f.out {
		_, file := f.target(out)
		if file == "" {
			return &generator.FlagError{Message: fmt.Sprintf("--out %q: name a file", out), Flag: "out", Value: "report.md"}
		}
		if seen[filepath.Clean(file)] {
			return &generator.FlagError{Message: fmt.Sprintf("--out %q: two reports cannot be in one file", out), Flag: "out", Value: file}
		}
		seen[filepath.Clean(file)] = true
	}
	return nil
}

// target parses a value of --out: FORM=FILE, or a file with the form as its extension.
func (f *reportFlags) target(out string) (format, file string) {
	if form, name, ok := strings.Cut(out, "="); ok && slices.Contains(report.Formats, form) {
		return form, name
	}
	switch strings.ToLower(filepath.Ext(out)) {
	case ".txt":
		return "text", out
	case ".md", ".markdown":
		return "markdown", out
	case ".json":
		return "json", out
	case ".html", ".htm":
		return "html", out
	}
	return f.format, out
}

// write writes the report files.
func (f *reportFlags) write(d *report.Diff, as protocol.Side) error {
	if err := locate(d); err != nil {
		return err
	}
	for _, out := range f.out {
		format, file := f.target(out)
		var text bytes.Buffer
		w := &inside.Writer{To: &text, Commands: format == "github"}
		if err := d.Write(w, format, as); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if err := inside.WriteFile(file, text.Bytes()); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

// report writes the report files and prints the report.
func (a *app) report(d *report.Diff, f reportFlags, as protocol.Side) error {
	if err := f.write(d, as); err != nil {
		return err
	}
	return a.print(d, f.format, as)
}

// print prints the report.
func (a *app) print(d *report.Diff, format string, as protocol.Side) error {
	if err := locate(d); err != nil {
		return err
	}
	a.stdout.Commands = format == "github" // workflow commands are the report itself, with escaped text
	return d.Write(a.stdout, format, as)
}

// locate sets the reader's location for a report.
func locate(d *report.Diff) error {
	wd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find working directory: %w", err)
	}
	d.Paths = report.Paths{Dir: wd}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			d.Paths.Root = dir
			return nil
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
